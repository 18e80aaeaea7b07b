// What is shown, to take away: PROV from the service, the table as CSV, the drawing as SVG and PNG.
import { asked } from "./address.js";
import { blob, Trouble } from "./api.js";
import { h, icon, save, say } from "./dom.js";
import { hidden } from "./legend.js";
import { edges, rows } from "./table.js";

const PROV = [["PROV-JSON", "prov-json", "json"], ["Turtle", "turtle", "ttl"]];
const MOST_PIXELS = 16_000; // of a side; browsers draw no greater canvas
const STYLED = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "font-family", "font-size", "font-weight", "font-style", "text-anchor", "opacity", "paint-order"];

export function offerDownloads(state, question, answer) {
  const hide = state.hide ?? [];
  const item = (label, act) => h("li", {}, h("button", { type: "button", on: { click: (event) => { event.target.closest("details").open = false; act().catch(told); } } }, label));
  const name = `clew-${question.name}`;
  return h("details", { class: "menu" }, h("summary", { class: "btn s" }, icon("load"), "Download", icon("down")), h("ul", {},
    ...PROV.map(([label, format, ending]) => item(label, async () => save(await blob("/v1/export", [["format", format], ["question", question.name], ...asked(state), ...hide.map((word) => ["hide", word])]), `${name}.${ending}`))),
    answer && item("CSV", async () => save(new Blob([csv(answer.graph, new Set(hide))], { type: "text/csv" }), `${name}.csv`)),
    hide.length > 0 && h("li", { class: "small quiet" }, "What the legend hides is left out."),
    item(hide.length ? "JSON, the whole answer" : "JSON", async () => save(await blob(question.address, asked(state)), `${name}.json`)),
    state.view === "graph" && item("SVG", async () => save(new Blob([await picture()], { type: "image/svg+xml" }), `${name}.svg`)),
    state.view === "graph" && item("PNG", async () => save(await png(), `${name}.png`))));
}

function told(error) {
  if (!(error instanceof Trouble)) throw error;
  say(`Download failed: ${error.message}`);
}

/** A cell of CSV (RFC 4180); what a spreadsheet would run as a formula is marked as text. */
const field = (value) => {
  const text = /^[=+\-@\t\r]/.test(String(value)) ? `'${value}` : String(value);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

function csv(graph, hide) {
  const shown = new Map(rows(graph).filter((row) => !hidden(row, hide)).map((row) => [row.ref, row]));
  const nodes = [...shown.values()].map((row) => ["node", row.ref, row.kinds.join(" "), row.type, row.marks.join(" "), row.causes.length, row.effects.length, row.depth, "", "", "", "", ""]);
  const links = edges(graph).filter((edge) => shown.has(edge.source) && shown.has(edge.target) && !hide.has(edge.refuted ? "refuted" : edge.evidence)).flatMap((edge) => edge.assertions.map((one) => ["edge", edge.source, edge.term, edge.argument, edge.refuted ? "refuted" : "", "", "", "", edge.target, edge.role, one.evidence, one.stance, one.asserter]));
  const head = ["what", "ref or effect", "kinds or relation", "type or argument", "state", "causes", "effects", "steps away", "cause", "role", "evidence", "stance", "asserter"];
  return [head, ...nodes, ...links].map((line) => line.map(field).join(",")).join("\r\n");
}

/** The whole drawing, less what the legend hides, as a file of its own. */
const picture = async () => (await import("./graph.js")).wholeDrawing(written);

/** SVG as text: its styles go with it, its scripts and links do not. */
function written(svg, { width, height }) {
  const copy = svg.cloneNode(true);
  const [from, to] = [svg.querySelectorAll("*"), copy.querySelectorAll("*")];
  from.forEach((element, n) => {
    const style = getComputedStyle(element);
    for (const name of STYLED) to[n].setAttribute(name, style.getPropertyValue(name));
    for (const name of ["tabindex", "data-id", "data-ref"]) to[n].removeAttribute(name);
  });
  for (const use of copy.querySelectorAll("use")) {
    const symbol = document.querySelector(use.getAttribute("href"));
    if (!symbol) continue;
    const inner = document.createElementNS(svg.namespaceURI, "svg");
    for (const name of ["x", "y", "width", "height"]) inner.setAttribute(name, use.getAttribute(name));
    inner.setAttribute("viewBox", symbol.getAttribute("viewBox"));
    for (const name of ["fill", "stroke", "stroke-width"]) inner.setAttribute(name, use.getAttribute(name) ?? "");
    inner.append(...[...symbol.childNodes].map((child) => child.cloneNode(true)));
    use.replaceWith(inner);
  }
  for (const [name, value] of [["width", width], ["height", height], ["viewBox", `0 0 ${width} ${height}`], ["xmlns", svg.namespaceURI]]) copy.setAttribute(name, value);
  const ground = document.createElementNS(svg.namespaceURI, "rect");
  for (const [name, value] of [["width", "100%"], ["height", "100%"], ["fill", getComputedStyle(document.body).backgroundColor]]) ground.setAttribute(name, value);
  copy.prepend(ground);
  return new XMLSerializer().serializeToString(copy);
}

async function png() {
  const image = new Image();
  const loaded = new Promise((yes, no) => { image.onload = yes; image.onerror = () => no(new Trouble(0, { detail: "the browser could not draw it" })); });
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(await picture())}`;
  await loaded;
  const scale = Math.min(2, MOST_PIXELS / Math.max(image.width, image.height));
  const canvas = h("canvas", { width: Math.round(image.width * scale), height: Math.round(image.height * scale) });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}
