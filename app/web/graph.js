// The graph of an answer: the drawing, its legend, its keys, the minimap, the panel and the slider beside it.
import { asked, go } from "./address.js";
import { get } from "./api.js";
import { Camera } from "./camera.js";
import { byId, h, icon, lay, letter, s, say } from "./dom.js";
import { drawn, Pieces, spoken, spokenLine } from "./drawing.js";
import { ego } from "./ego.js";
import { gapLine, hidden, legend } from "./legend.js";
import { Minimap } from "./minimap.js";
import { listed } from "./paper.js";
import { pathLine, trailOf } from "./trail.js";
import { panel } from "./panel.js";
import { timebar } from "./time.js";
import { counted, known } from "./words.js";

let kept = { key: "" };
let stage; // what is drawn now
let last; // the camera and the marks of the same picture survive a change of selection

export async function graphView({ main, state, question, answer, signal }) {
  const parameters = [...asked(state), ...(state.open ?? []).map((one) => ["open", one])];
  const key = JSON.stringify([question.name, parameters, answer.graph.as_of]);
  if (kept.key !== key) kept = { key, picture: await get(`/v1/pictures/${question.name}`, parameters, signal), camera: undefined };
  if (signal.aborted) return;
  const hide = new Set(state.hide ?? []);
  const pieces = new Pieces(kept.picture, (piece) => (piece.points ? hide.has(known(piece)) : hidden(piece, hide)));
  const trail = trailOf(answer.graph, pieces, state);
  const marks = { selected: state.at ?? "", focus: last?.key === key ? last.focus : "", marked: state.path ?? "", trail: trail.lines, trailed: trail.nodes };
  if (!pieces.find(marks.focus)) marks.focus = state.at && pieces.find(state.at) ? state.at : pieces.nodes.find((node) => node.target)?.ref ?? pieces.nodes[0]?.ref ?? "";
  last = { key, focus: marks.focus };
  stage = new Stage({ state, pieces, marks, picture: kept.picture, camera: kept.camera, question });
  kept.camera = stage.camera;
  const wasHere = Boolean(main.querySelector(".canvas"));
  const held = Boolean(document.activeElement?.closest?.(".canvas, .panel")) || document.activeElement === document.body;
  lay(main, "app",
    h("h1", { class: "sr" }, `${question.sentence} As a graph of ${counted(kept.picture.node_count, "node")} and ${counted(kept.picture.edge_count, "edge")}`),
    h("div", { class: `board ${state.at ? "" : "alone"}`, on: { keydown: (event) => { if (event.key === "Escape" && state.at) go({ ...state, at: "" }); } } },
      h("div", { class: "stage" }, legend(kept.picture, state), pathLine(trail, state), gapLine(answer.graph, state, kept.picture), stage.element, ego(pieces, marks, state), timebar(state, answer, question, signal)),
      state.at && panel(state.at, { state, answer, pieces, question, signal })));
  stage.start(state.at && pieces.find(state.at), held && wasHere);
}

/** The drawing as an element that shows all of it while `use` works with it. */
export function wholeDrawing(use) {
  const back = stage.whole();
  try {
    return use(stage.svg, stage.picture);
  } finally {
    back();
  }
}

let afterPrint;
addEventListener("beforeprint", () => {
  if (!stage?.svg.isConnected) return;
  const [back, list] = [stage.whole(), listed(stage.pieces)];
  stage.element.after(list);
  afterPrint = () => { list.remove(); back(); };
});
addEventListener("afterprint", () => { afterPrint?.(); afterPrint = undefined; });

class Stage {
  constructor({ state, pieces, marks, picture, camera, question }) {
    Object.assign(this, { state, pieces, marks, picture, question });
    this.group = s("g", { class: "g" });
    this.svg = s("svg", { role: "graphics-document", "aria-label": `Graph, ${counted(pieces.boxes.size, "node")} and ${counted(pieces.lines.length, "line")} in it. Arrow keys follow its lines.`, tabindex: -1 }, markers(), this.group);
    const zoom = [["plus", "Zoom in", () => this.camera.zoom(1.3)], ["minus", "Zoom out", () => this.camera.zoom(1 / 1.3)], ["fit", "Fit the drawing", () => this.camera.fit()]];
    this.element = h("div", { class: "canvas" }, this.svg, h("div", { class: "zoom", role: "group", "aria-label": "Zoom" },
      ...zoom.map(([sign, label, act]) => h("button", { class: "btn sq", type: "button", tabindex: -1, "aria-label": label, title: label, on: { click: act } }, icon(sign)))));
    this.camera = new Camera(picture, () => this.moved());
    if (camera) Object.assign(this.camera, { x: camera.x, y: camera.y, k: camera.k, fitted: camera.fitted });
    this.fresh = !camera;
    this.listen();
  }

  /** Puts the drawing in place; `held` gives the focus back to what had it before. */
  start(selected, held) {
    const { width, height } = this.element.getBoundingClientRect();
    this.camera.resize(width, height);
    if (this.fresh) {
      this.camera.fit();
      if (this.camera.k < 0.5) this.camera.show(this.pieces.find(this.marks.focus) ?? { x: 0, y: 0, width: 0, height: 0 });
    }
    if (selected) this.camera.show(selected.points ? sized(selected.box) : selected);
    this.redraw();
    if (held) this.elementOf(this.marks.focus)?.focus({ preventScroll: true });
    new ResizeObserver(([entry]) => this.resized(entry.contentRect)).observe(this.element);
    requestAnimationFrame(() => setTimeout(() => this.addMinimap())); // after the first picture
  }

  addMinimap() {
    this.mini = new Minimap(this.picture, this.pieces, this.marks.trail, ({ x, y }) => this.camera.look(x, y));
    this.element.append(this.mini.element);
    this.mini.show(this.camera.seen());
  }

  /** What was fitted, and nobody moved since, is fitted again. */
  resized({ width, height }) {
    if (width === this.camera.width && height === this.camera.height) return;
    const fitted = this.camera.fitted;
    this.camera.resize(width, height);
    if (fitted) this.camera.fit();
    this.redraw();
  }

  /** Draws all of it, to be printed or kept as a file; the function that is given back brings the view again. */
  whole() {
    const { width, height } = this.picture;
    this.group.replaceChildren(...drawn(this.pieces, { left: 0, top: 0, right: width, bottom: height }, 1, this.marks, Infinity).children);
    this.group.removeAttribute("transform");
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    return () => {
      this.svg.removeAttribute("viewBox");
      this.redraw();
    };
  }

  /** The camera moved: the group follows at once; what is drawn changes only when its margin is used up. */
  moved() {
    cancelAnimationFrame(this.frameAsked);
    this.frameAsked = requestAnimationFrame(() => {
      this.group.setAttribute("transform", this.camera.transform);
      const seen = this.camera.seen();
      if (!this.around || this.drawnAt !== this.camera.k || seen.left < this.around.left || seen.top < this.around.top || seen.right > this.around.right || seen.bottom > this.around.bottom) this.redraw();
      else this.mini?.show(seen);
    });
  }

  redraw() {
    const seen = this.camera.seen();
    this.around = this.camera.seen(0.35);
    this.drawnAt = this.camera.k;
    const held = this.group.contains(document.activeElement);
    const { children, far } = drawn(this.pieces, this.around, this.camera.k, this.marks);
    this.group.replaceChildren(...children);
    this.group.setAttribute("transform", this.camera.transform);
    this.svg.classList.toggle("faraway", far);
    this.svg.tabIndex = far || !this.elementOf(this.marks.focus) ? 0 : -1;
    this.mini?.show(seen);
    if (held) (this.elementOf(this.marks.focus) ?? this.svg).focus({ preventScroll: true });
  }

  elementOf(id) {
    return id ? this.group.querySelector(`[data-id="${CSS.escape(id)}"]`) : null;
  }

  focus(id) {
    const piece = this.pieces.find(id);
    if (!piece) return;
    const before = this.elementOf(this.marks.focus);
    before?.setAttribute("tabindex", "-1");
    this.marks.focus = id;
    last.focus = id;
    this.camera.show(piece.points ? sized(piece.box) : piece);
    this.redraw();
    const element = this.elementOf(id);
    element?.setAttribute("tabindex", "0");
    (element ?? this.svg).focus({ preventScroll: true });
    say(piece.points ? spokenLine(piece, this.pieces) : spoken(piece));
  }

  select(id) {
    last.focus = id;
    go({ ...this.state, at: id });
  }

  listen() {
    const { svg, camera } = this;
    svg.addEventListener("click", (event) => {
      if (this.dragged) return;
      const row = event.target.closest("[data-ref]");
      const found = event.target.closest("[data-id]");
      if (row) this.select(row.dataset.ref);
      else if (event.target.closest(".lk")) this.openCard(found.dataset.id);
      else if (found) this.select(found.dataset.id);
    });
    svg.addEventListener("focusin", (event) => { const found = event.target.closest("[data-id]"); if (found) { this.marks.focus = found.dataset.id; last.focus = found.dataset.id; } });
    svg.addEventListener("wheel", (event) => {
      event.preventDefault();
      const box = svg.getBoundingClientRect();
      if (event.ctrlKey || event.deltaMode) camera.zoom(Math.exp(-event.deltaY / 300), event.clientX - box.left, event.clientY - box.top);
      else if (event.shiftKey) camera.pan(-event.deltaY, 0);
      else camera.pan(-event.deltaX, -event.deltaY);
    }, { passive: false });
    svg.addEventListener("pointerdown", (event) => { if (!event.button) { this.from = [event.clientX, event.clientY]; this.dragged = false; } });
    svg.addEventListener("pointermove", (event) => {
      if (!this.from || !(event.buttons & 1)) return;
      const [dx, dy] = [event.clientX - this.from[0], event.clientY - this.from[1]];
      if (!this.dragged && Math.abs(dx) + Math.abs(dy) < 5) return;
      if (!this.dragged) svg.setPointerCapture(event.pointerId);
      this.dragged = true;
      this.from = [event.clientX, event.clientY];
      camera.pan(dx, dy);
    });
    svg.addEventListener("pointerup", () => { this.from = undefined; setTimeout(() => { this.dragged = false; }); });
    this.element.addEventListener("keydown", (event) => this.key(event));
  }

  openCard(id) {
    const card = this.pieces.find(id);
    const open = (this.state.open ?? []).filter((one) => !one.endsWith(` ${id}`));
    if (card.shown < card.members.length) go({ ...this.state, open: [...open, `${card.shown + 8} ${id}`], at: id });
    else this.select(id);
  }

  closeCard(id) {
    go({ ...this.state, open: (this.state.open ?? []).filter((one) => !one.endsWith(` ${id}`)) });
  }

  /** Opens or closes what is folded. */
  expand(refs) {
    go({ ...this.state, expand: refs });
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input")) return;
    const at = this.pieces.find(this.marks.focus);
    const act = at && this.action(event.key, at, at.points ? at.id : at.ref ?? at.id);
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  }

  action(key, at, id) {
    const line = Boolean(at.points);
    const causes = this.pieces.causes.get(id) ?? [];
    const effects = this.pieces.effects.get(id) ?? [];
    switch (key) {
      case "ArrowLeft": return () => (line ? this.focus(at.cause) : causes.length ? ((this.origin = id), this.focus(causes[0].id)) : say("No cause is recorded"));
      case "ArrowRight": return () => (line ? this.focus(at.effect) : effects.length ? ((this.origin = id), this.focus(effects[0].id)) : say("Nothing is recorded that came of it"));
      case "ArrowDown": case "ArrowUp": return () => this.beside(at, id, key === "ArrowDown" ? 1 : -1);
      case "Enter": case " ": return () => this.select(id);
      case "+": case "=": return () => (at.members ? this.openCard(id) : at.folded ? this.expand([...this.state.expand ?? [], id]) : this.camera.zoom(1.3));
      case "-": return () => (at.members && (this.state.open ?? []).some((one) => one.endsWith(` ${id}`)) ? this.closeCard(id) : (this.state.expand ?? []).includes(id) ? this.expand(this.state.expand.filter((one) => one !== id)) : this.camera.zoom(1 / 1.3));
      case "f": return () => this.camera.fit();
      case "m": return () => (line ? say("Only a node can be marked") : (go({ ...this.state, path: id }), say(`Marked: ${spoken(at)}`)));
      case "p": return () => (this.state.path && !line ? go({ page: "ask", ask: "how-known", target: [id, this.state.path], view: "graph", as_of: this.state.as_of }) : say("Mark a node with m first"));
      case "Escape": return () => (this.state.at ? go({ ...this.state, at: "" }) : byId("q")?.focus());
      default: return undefined;
    }
  }

  /** From a line to the next of the same node; from a node to the one below or above in its column. */
  beside(at, id, step) {
    if (at.points) {
      const origin = this.origin === at.cause ? this.pieces.effects.get(at.cause) : this.pieces.causes.get(at.effect);
      const place = origin.indexOf(at);
      this.focus(origin[(place + step + origin.length) % origin.length].id);
      return;
    }
    const column = [...this.pieces.boxes.values()].filter((box) => Math.abs(box.x - at.x) < 1).sort((a, b) => a.y - b.y);
    const next = column[column.indexOf(at) + step];
    if (next) this.focus(next.ref ?? next.id);
  }
}

const sized = (box) => ({ x: box.left, y: box.top, width: Math.min(200, box.right - box.left), height: Math.min(200, box.bottom - box.top) });

function markers() {
  const arrow = (word) => s("marker", { id: `m-${word}`, viewBox: "0 0 8 8", refX: 7.5, refY: 4, markerWidth: 9, markerHeight: 9, markerUnits: "userSpaceOnUse", orient: "auto" }, s("path", { d: "M0 .6 8 4 0 7.4z" }));
  return s("defs", {}, ...["verified", "observed", "declared", "inferred", "refuted", "untold"].map(arrow),
    s("pattern", { id: "hatch", width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" }, s("path", { class: "hatch", d: "M0 0v6" })));
}

