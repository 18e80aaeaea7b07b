// The slider over the log: the answer as it was known then; play forward from change to change.
import { address, asked, go } from "./address.js";
import { get, Trouble } from "./api.js";
import { byId, h, icon, named, s } from "./dom.js";
import { edges } from "./table.js";
import { called, counted, MARKS, number, relation, utc, when } from "./words.js";

const BARS = 100;
const MOST = 60; // changes that are listed
let playing;
let newest = { key: "" };

export function timebar(state, answer, question, signal) {
  const where = h("div", { class: "timebar", role: "group", "aria-label": "Time" });
  const held = document.activeElement?.closest(".timebar") ? document.activeElement.id : "";
  fill(where, state, answer, question, signal).then(() => { if (held && document.activeElement === document.body) byId(held)?.focus(); });
  return where;
}

/** The answer as it is known now, which says how long the log is and when each edge came. */
async function latest(state, answer, question, signal) {
  const parameters = asked({ ...state, as_of: "", cursor: "" });
  const key = JSON.stringify([question.name, parameters]);
  if (!state.as_of) newest = { key, graph: answer.graph };
  else if (newest.key !== key) newest = { key, graph: (await get(question.address, parameters, signal)).graph };
  return newest.graph;
}

async function fill(where, state, answer, question, signal) {
  try {
    const graph = await latest(state, answer, question, signal);
    const at = answer.graph.as_of;
    const head = Math.max(graph.as_of, at, 1);
    const changes = changesOf(graph);
    const label = h("div", {}, h("b", {}, "As known at ", h("span", {}, `log ${number(at)}`)), h("br"), h("span", { class: "quiet" }, at === head ? "the newest" : `of ${number(head)}`));
    const slider = h("input", { type: "range", id: "asof", min: 1, max: head, value: at, "aria-label": "Show the graph as it was known at", "aria-valuetext": `log ${at} of ${head}`,
      on: { change: () => to(state, Number(slider.value), head), input: () => { label.querySelector("span").textContent = `log ${number(Number(slider.value))}`; } } });
    const step = (way) => changes.filter((seq) => (way > 0 ? seq > at : seq < at)).at(way > 0 ? 0 : -1) ?? (way > 0 ? head : 1);
    where.replaceChildren(
      h("button", { class: "btn sq", id: "play", type: "button", "aria-label": playing ? "Stop" : "Play forward from here", on: { click: () => play(state, changes, at, head) } }, icon(playing ? "minus" : "play")),
      label, h("div", { class: "track" }, bars(changes, head, graph), slider),
      h("div", { class: "quiet since" }, since(answer.graph, graph, at, head, state)));
    where.step = (way) => to(state, step(way), head);
    tell(label, at, signal);
  } catch (error) {
    if (error.name === "AbortError") return;
    if (!(error instanceof Trouble)) throw error;
    where.replaceChildren(h("p", { class: "quiet" }, "The log can't be read now."));
  }
}

const to = (state, seq, head) => go({ ...state, as_of: seq >= head ? "" : String(seq), cursor: "" }, { replace: true });

function changesOf(graph) {
  const seqs = new Set();
  for (const edge of edges(graph)) for (const one of edge.assertions) seqs.add(one.event);
  for (const node of graph.nodes ?? []) for (const mark of node.marks ?? []) if (mark.event) seqs.add(mark.event);
  return [...seqs].sort((a, b) => a - b);
}

function bars(changes, head, graph) {
  const counts = new Array(BARS).fill(0);
  for (const seq of changes) counts[Math.min(BARS - 1, Math.floor((seq - 1) / head * BARS))] += 1;
  const most = Math.max(...counts, 1);
  const marks = (graph.nodes ?? []).flatMap((node) => node.marks ?? []).filter((mark) => mark.event && ["retracted", "deleted"].includes(mark.kind));
  return s("svg", { viewBox: "0 0 1000 26", preserveAspectRatio: "none", "aria-hidden": "true" },
    ...counts.map((count, n) => count && s("rect", { class: "bar", x: n * 10 + 1, y: 24 - 20 * count / most, width: 8, height: 20 * count / most })),
    ...marks.map((mark) => s("path", { class: mark.kind === "retracted" ? "ev1" : "ev2", d: `M${(mark.event - 0.5) / head * 1000} 0v25` })));
}

/** What the log brought after the time shown, counted from the newest answer; opened, each change with its entry. */
function since(then, now, at, head, state) {
  if (at >= head) return "This is the newest.";
  const [before, after] = [then, now].map((graph) => new Map(edges(graph).map((edge) => [`${edge.relation} ${edge.argument} ${edge.target}`, edge])));
  const added = [...after].filter(([key]) => !before.has(key)).map(([, edge]) => edge);
  const gone = [...before.keys()].filter((key) => !after.has(key)).length;
  const old = new Set((then.nodes ?? []).flatMap((node) => (node.marks ?? []).map((mark) => `${mark.kind} ${node.ref}`)));
  const marked = (now.nodes ?? []).flatMap((node) => (node.marks ?? []).filter((mark) => mark.event && !old.has(`${mark.kind} ${node.ref}`)).map((mark) => [mark, node]));
  const of = (kind) => marked.filter(([mark]) => mark.kind === kind).length;
  const told = [[added.length, "link added", "links added"], [gone, "link gone", "links gone"], [of("retracted"), "retracted", "retracted"], [of("deleted"), "body deleted", "bodies deleted"]]
    .filter(([count]) => count > 0).map(([count, one, many]) => counted(count, one, many));
  if (!told.length) return "Since then: nothing changed here";
  const to = (ref) => h("a", { href: address({ ...state, as_of: "", at: ref }), title: ref }, named(called(ref).name, 40));
  const changes = [
    ...added.map((edge) => [Math.min(...edge.assertions.map((one) => one.event)), [to(edge.source), ` ${relation(edge.term)} `, to(edge.target)]]),
    ...marked.map(([mark, node]) => [mark.event, [to(node.ref), ` ${MARKS[mark.kind]?.[2] ?? mark.kind.replaceAll("_", " ")}`]]),
  ].sort(([a], [b]) => a - b);
  return h("details", {}, h("summary", {}, `Since then: ${told.join(", ")}`), h("ol", {}, ...changes.slice(0, MOST).map(([seq, words]) => h("li", {}, h("b", {}, `log ${number(seq)}`), " ", words)), changes.length > MOST && h("li", { class: "quiet" }, `and ${number(changes.length - MOST)} more`)));
}

async function tell(label, seq, signal) {
  try {
    const { events: [entry] } = await get("/v1/events", [["as_of", seq], ["after", seq - 1], ["limit", 1]], signal);
    if (entry) label.lastChild.replaceChildren(when(entry.received), ` (${utc(entry.received)})`);
  } catch (error) {
    if (!(error instanceof Trouble) && error.name !== "AbortError") throw error;
  }
}

function play(state, changes, at, head) {
  if (playing) {
    clearInterval(playing);
    playing = undefined;
    return to(state, at, head);
  }
  const steps = [...(at >= head ? changes : changes.filter((seq) => seq > at)), head];
  const next = () => {
    const seq = steps.shift();
    if (seq === undefined || !document.querySelector(".timebar")) { clearInterval(playing); playing = undefined; return; }
    if (!steps.length) { clearInterval(playing); playing = undefined; }
    to(state, seq, head);
  };
  playing = setInterval(next, 900);
  next();
  return undefined;
}

addEventListener("keydown", (event) => {
  const bar = document.querySelector(".timebar");
  if (!bar?.step || event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("input, select, textarea, dialog")) return;
  if (event.key === "[" || event.key === "]") bar.step(event.key === "]" ? 1 : -1);
});
