// The peer as its own documentation has it: React Flow, laid out by dagre.
import { createElement } from "react";
import { createRoot } from "react-dom/client";
import { flushSync } from "react-dom";
import { ReactFlow } from "@xyflow/react";
import { Graph, layout } from "@dagrejs/dagre";
import "@xyflow/react/dist/style.css";

/** Draws boxes {id, name, width, height} and lines {cause, effect}; done when the frame with them was made. */
window.draw = ({ boxes, lines }) => new Promise((done) => {
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: "LR" });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { id, width, height } of boxes) graph.setNode(id, { width, height });
  lines.forEach(({ cause, effect }, n) => graph.setEdge(cause, effect, {}, `line ${n}`));
  layout(graph);
  const nodes = boxes.map(({ id, name, width, height }) => {
    const { x, y } = graph.node(id);
    return { id, width, height, position: { x: x - width / 2, y: y - height / 2 }, data: { label: name }, sourcePosition: "right", targetPosition: "left" };
  });
  const edges = lines.map(({ cause, effect }, n) => ({ id: `line ${n}`, source: cause, target: effect }));
  const drawn = () => requestAnimationFrame(() => setTimeout(done));
  const flow = createElement(ReactFlow, { nodes, edges, fitView: true, minZoom: 0.01, onInit: drawn });
  flushSync(() => createRoot(document.getElementById("stage")).render(flow));
});
