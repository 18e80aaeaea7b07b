// What is shown, to take away: PROV from the service, the table as CSV, the drawing as SVG and PNG.
import { asked } from "./address.js";
import { blob, Trouble } from "./api.js";
import { h, icon, say } from "./dom.js";
import { edges, rows } from "./table.js";

const PROV = [["PROV-JSON", "prov-json", "json"], ["Turtle", "turtle", "ttl"]];
const STYLED = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "font-family", "font-size", "font-weight", "font-style", "text-anchor", "opacity", "paint-order"];

export function offerDownloads(state, question, answer) {
  const item = (label, act) => h("li", {}, h("button", { type: "button", on: { click: (event) => { event.target.closest("details").open = false; act().catch(told); } } }, label));
  const name = `clew-${question.name}`;
  return h("details", { class: "menu" }, h("summary", { class: "btn s" }, icon("load"), "Download", icon("down")), h("ul", {},
    ...PROV.map(([label, format, ending]) => item(label, async () => save(await blob("/v1/export", [["format", format], ["question", question.name], ...asked(state)]), `${name}.${ending}`))),
    answer && item("CSV", async () => save(new Blob([csv(answer.graph)], { type: "text/csv" }), `${name}.csv`)),
    item("JSON", async () => save(await blob(question.address, asked(state)), `${name}.json`)),
    state.view === "graph" && item("SVG", async () => save(new Blob([picture()], { type: "image/svg+xml" }), `${name}.svg`)),
    state.view === "graph" && item("PNG", async () => save(await png(), `${name}.png`))));
}

function told(error) {
  if (!(error instanceof Trouble)) throw error;
  say(`Download failed: ${error.message}`);
}

function save(data, name) {
  const link = h("a", { href: URL.createObjectURL(data), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  say(`${name} is on its way`);
}

/** A cell of CSV (RFC 4180); what a spreadsheet would run as a formula is marked as text. */
const field = (value) => {
  const text = /^[=+\-@\t\r]/.test(String(value)) ? `'${value}` : String(value);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

function csv(graph) {
  const nodes = rows(graph).map((row) => ["node", row.ref, row.kinds.join(" "), row.type, row.marks.join(" "), row.causes.length, row.effects.length, row.depth, "", "", "", "", ""]);
  const links = edges(graph).flatMap((edge) => edge.assertions.map((one) => ["edge", edge.source, edge.term, edge.argument, edge.refuted ? "refuted" : "", "", "", "", edge.target, edge.role, one.evidence, one.stance, one.asserter]));
  const head = ["what", "ref or effect", "kinds or relation", "type or argument", "state", "causes", "effects", "steps away", "cause", "role", "evidence", "stance", "asserter"];
  return [head, ...nodes, ...links].map((line) => line.map(field).join(",")).join("\r\n");
}

/** The drawing in view as a file of its own: its styles go with it, its scripts and links do not. */
function picture() {
  const svg = document.querySelector(".canvas > svg");
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
  const { width, height } = svg.getBoundingClientRect();
  for (const [name, value] of [["width", width], ["height", height], ["viewBox", `0 0 ${width} ${height}`], ["xmlns", svg.namespaceURI]]) copy.setAttribute(name, value);
  const ground = document.createElementNS(svg.namespaceURI, "rect");
  for (const [name, value] of [["width", "100%"], ["height", "100%"], ["fill", getComputedStyle(document.body).backgroundColor]]) ground.setAttribute(name, value);
  copy.prepend(ground);
  return new XMLSerializer().serializeToString(copy);
}

async function png() {
  const image = new Image();
  const loaded = new Promise((yes, no) => { image.onload = yes; image.onerror = () => no(new Trouble(0, { detail: "the browser could not draw it" })); });
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(picture())}`;
  await loaded;
  const canvas = h("canvas", { width: image.width * 2, height: image.height * 2 });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}
