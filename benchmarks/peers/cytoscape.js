// The peer as its own documentation has it: cytoscape.js, laid out by dagre.
import cytoscape from "cytoscape";
import dagre from "cytoscape-dagre";

cytoscape.use(dagre);

/** Draws boxes {id, name, width, height} and lines {cause, effect}; done when the frame with them was made. */
window.draw = ({ boxes, lines }) => new Promise((done) => {
  const cy = cytoscape({
    container: document.getElementById("stage"),
    elements: [
      ...boxes.map(({ id, ...data }) => ({ data: { id, ...data } })),
      ...lines.map(({ cause, effect }, n) => ({ data: { id: `line ${n}`, source: cause, target: effect } })),
    ],
    style: [
      { selector: "node", style: { shape: "rectangle", width: "data(width)", height: "data(height)", label: "data(name)", "text-valign": "center", "font-size": 12 } },
      { selector: "edge", style: { width: 1.6, "curve-style": "bezier", "target-arrow-shape": "triangle" } },
    ],
    layout: { name: "preset" },
  });
  cy.one("layoutstop", () => cy.one("render", () => requestAnimationFrame(() => setTimeout(done))));
  cy.layout({ name: "dagre", rankDir: "LR", animate: false }).run();
});
