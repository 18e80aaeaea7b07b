// The table of an answer: the same nodes and edges as the graph, sortable, filterable, by keyboard.
import { address, go } from "./address.js";
import { h, icon, lay, letter, named, shape } from "./dom.js";
import { gapLine, hidden } from "./legend.js";
import { panel } from "./panel.js";
import { called, counted, evidence, EVIDENCE, known, MARKS, number, relation, shown, tag } from "./words.js";

const PAGE = 200;
const COLUMNS = [["name", "Name", ""], ["version", "Version", ""], ["kind", "Kind", ""], ["state", "State", ""], ["causes", "Causes", "num"], ["effects", "Effects", "num"], ["weakest", "Weakest cause", ""], ["depth", "Steps away", "num"]];

/** The rows of an answer: each node with its edges. The graph, the table and the downloads all use these. */
export function rows(graph) {
  const found = new Map();
  const row = (ref, node) => {
    if (!found.has(ref)) found.set(ref, { ref, kinds: node?.kinds ?? [], told: node ? undefined : new Set(), type: node?.type ?? "", marks: shown((node?.marks ?? []).map((mark) => mark.kind)), depth: node?.depth ?? 1, causes: [], effects: [], ...called(ref, node?.type) });
    return found.get(ref);
  };
  for (const node of graph.nodes ?? []) row(typeof node === "string" ? node : node.ref, typeof node === "string" ? undefined : node);
  for (const edge of edges(graph)) {
    const [effect, cause] = [row(edge.source), row(edge.target)];
    effect.causes.push(edge);
    cause.effects.push(edge);
    cause.told?.add(KIND_OF[edge.argument] ?? "entity");
    effect.told?.add(SUBJECTS[edge.term] ?? "entity");
  }
  const told = (row) => (row.told ? ["entity", "activity", "agent"].filter((kind) => row.told.has(kind)) : row.kinds);
  return [...found.values()].map((row) => ({ ...row, kinds: told(row) }));
}

export const edges = (graph) => [...graph.edges ?? [], ...graph.conditions ?? [], ...graph.responsible ?? []];
// What the places of a relation demand (PROV-DM), for nodes that the answer names only as far ends.
const KIND_OF = { agent: "agent", responsible: "agent", activity: "activity", informant: "activity", starter: "activity", ender: "activity" };
const SUBJECTS = { used: "activity", wasInformedBy: "activity", wasStartedBy: "activity", wasEndedBy: "activity", wasAssociatedWith: "activity", actedOnBehalfOf: "agent" };
const weakest = (row) => row.causes.map((edge) => EVIDENCE.indexOf(edge.evidence)).filter((n) => n >= 0).reduce((a, b) => Math.max(a, b), -1);

const VALUE = {
  name: (row) => row.name.toLowerCase(), version: (row) => row.version, kind: (row) => row.kinds.join(" "), state: (row) => row.marks.join(" "),
  causes: (row) => row.causes.length, effects: (row) => row.effects.length, weakest: (row) => weakest(row), depth: (row) => row.depth,
};

const chosen = { text: "", kind: "", evidence: "", state: "", shown: PAGE, open: new Set(), key: "" };

export function tableView({ main, state, question, answer, key, signal }) {
  if (chosen.key !== key) Object.assign(chosen, { text: "", kind: "", evidence: "", state: "", shown: PAGE, open: new Set(), key });
  const all = rows(answer.graph);
  const hide = new Set(state.hide ?? []);
  const visible = all.filter((row) => !hidden(row, hide));
  const body = h("tbody", {});
  const count = h("span", { class: "quiet small", role: "status" });
  const more = h("footer", {});
  const table = h("table", { class: "tree stackt", role: "treegrid", "aria-label": `${counted(all.length, "node")}, ${counted(edges(answer.graph).length, "edge")}`, "aria-rowcount": all.length },
    h("thead", {}, h("tr", {}, ...COLUMNS.map((column) => head(column, state)))), body);
  const fill = () => {
    const found = sorted(filtered(visible), state.sort ?? "depth");
    count.textContent = `${number(found.length)} of ${counted(all.length, "node")}`;
    body.replaceChildren(...found.slice(0, chosen.shown).flatMap((row, n) => pair(row, n, state, fill, hide)));
    const first = body.querySelector("tr[aria-selected=true]") ?? body.querySelector("tr");
    first?.setAttribute("tabindex", "0");
    more.replaceChildren(found.length > chosen.shown ? h("button", { class: "btn s", type: "button", on: { click: () => { chosen.shown += PAGE; fill(); } } }, `Show ${number(Math.min(PAGE, found.length - chosen.shown))} more`) : "",
      ` ${counted(all.length, "node")} and ${counted(edges(answer.graph).length, "edge")}, the same as in the graph.`);
  };
  table.addEventListener("keydown", (event) => walk(event, body, fill));
  const held = document.activeElement?.closest?.("tr[data-ref]")?.dataset.ref;
  lay(main, "app flow", h("h1", { class: "sr" }, `${question.sentence} As a table`),
    h("div", { class: `board ${state.at ? "" : "alone"}`, on: { keydown: (event) => { if (event.key === "Escape" && state.at) go({ ...state, at: "" }, { replace: true }); } } }, h("div", { class: "wrap wide" }, h("section", { class: "card", "aria-label": "Table" }, filters(all, count, fill, state), gapLine(answer.graph, state), h("div", { class: "scroll" }, table), more)),
      state.at && panel(state.at, { state, answer, question, signal })));
  fill();
  if (held) [...body.querySelectorAll("tr")].find((row) => row.dataset.ref === held)?.focus({ preventScroll: true });
}

function head([name, label, also], state) {
  const [by, way] = (state.sort ?? "depth").replace(/^-/, "") === name ? [true, state.sort?.startsWith("-") ? "descending" : "ascending"] : [false, undefined];
  return h("th", { scope: "col", class: `c-${name} ${also}`, "aria-sort": way }, h("button", { type: "button", on: { click: () => go({ ...state, sort: by && way === "ascending" ? `-${name}` : name }, { replace: true }) } }, label, by && icon("down", way === "descending" ? "up" : "")));
}

function filtered(all) {
  const text = chosen.text.toLowerCase();
  return all.filter((row) => (!text || row.ref.toLowerCase().includes(text) || row.name.toLowerCase().includes(text)) && (!chosen.kind || letter(row.kinds) === chosen.kind) &&
    (!chosen.evidence || [...row.causes, ...row.effects].some((edge) => edge.evidence === chosen.evidence)) && (!chosen.state || (chosen.state === "any" ? row.marks.length : row.marks.includes(chosen.state))));
}

function sorted(found, by) {
  const value = VALUE[by.replace(/^-/, "")] ?? VALUE.depth;
  const way = by.startsWith("-") ? -1 : 1;
  return found.map((row) => [value(row), row]).sort(([a, x], [b, y]) => way * (a < b ? -1 : a > b ? 1 : 0) || (x.ref < y.ref ? -1 : 1)).map(([, row]) => row);
}

function filters(all, count, fill, state) {
  const tally = (value) => all.reduce((sum, row) => sum + (value(row) ? 1 : 0), 0);
  const menu = (name, label, options) => h("label", {}, label, " ", h("select", { class: "fld", on: { change: (event) => { chosen[name] = event.target.value; chosen.shown = PAGE; fill(); } } }, ...options.map(([value, text]) => h("option", { value, selected: chosen[name] === value }, text))));
  const states = Object.keys(MARKS).filter((mark) => all.some((row) => row.marks.includes(mark)));
  return h("div", { class: "filters" },
    h("label", {}, icon("find"), h("span", { class: "sr" }, "Filter by name"), h("input", { class: "fld", type: "search", placeholder: "Filter by name", value: chosen.text, on: { input: (event) => { chosen.text = event.target.value; chosen.shown = PAGE; fill(); } } })),
    menu("kind", "Kind", [["", `all, ${all.length}`], ...[["e", "entity"], ["a", "activity"], ["g", "agent"]].map(([value, word]) => [value, `${word}, ${tally((row) => letter(row.kinds) === value)}`])]),
    menu("evidence", "Evidence", [["", "all four"], ...EVIDENCE.map((word) => [word, word])]),
    menu("state", "State", [["", "all"], ["any", `any, ${tally((row) => row.marks.length)}`], ...states.map((mark) => [mark, `${MARKS[mark][2]}, ${tally((row) => row.marks.includes(mark))}`])]),
    count, (state.hide ?? []).length > 0 && h("a", { class: "small", href: address({ ...state, hide: [] }) }, "The legend hides some: show all"));
}

function pair(row, n, state, fill, hide) {
  const open = chosen.open.has(row.ref);
  const own = [...row.causes.map((edge) => [edge, "target"]), ...row.effects.map((edge) => [edge, "source"])].filter(([edge]) => !hide.has(known(edge)));
  const toggle = () => { chosen.open[open ? "delete" : "add"](row.ref); fill(); };
  const first = h("tr", { role: "row", "aria-level": 1, "aria-expanded": own.length > 0 && String(open), "aria-selected": state.at === row.ref && "true", "aria-rowindex": n + 1, tabindex: -1, "data-ref": row.ref,
    on: { click: (event) => { if (event.target.closest(".tw")) toggle(); else if (!event.target.closest("a")) go({ ...state, at: row.ref }, { replace: true }); } } },
    h("th", { role: "rowheader", scope: "row" }, h("span", { class: "nm" }, own.length ? icon("tw", open ? "tw open" : "tw") : h("span", { class: "tw" }), shape(row.kinds, "sh"), h("b", {}, named(row.name, 80)))),
    td("Version", row.version ? named(row.version, 60) : h("span", { class: "none" }, "none")), td("Kind", row.what || row.kinds.join(", ")), td("State", row.marks.map(tag)),
    td("Causes", number(row.causes.length), "num"), td("Effects", number(row.effects.length), "num"), td("Weakest cause", weakest(row) < 0 ? h("span", { class: "quiet" }, "no causes") : evidence(EVIDENCE[weakest(row)])), td("Steps away", number(row.depth), "num"));
  if (!open) return [first];
  return [first, ...own.slice(0, 60).map(([edge, far]) => h("tr", { role: "row", "aria-level": 2, tabindex: -1, "data-ref": row.ref },
    h("th", { role: "rowheader", scope: "row" }, h("span", { class: "via" }, relation(edge.term, far === "source"), edge.role ? ` (${edge.role})` : ""), " ", h("a", { href: address({ ...state, at: edge[far] }) }, named(called(edge[far]).name, 60))),
    td("Version", called(edge[far]).version), td("Kind", far === "target" ? "cause" : "effect"), td("State", edge.refuted ? "refuted" : ""), td("Causes", "", "num"), td("Effects", "", "num"), td("Weakest cause", evidence(known(edge))), td("Steps away", counted(edge.assertions.length, "assertion"), "num"))),
    ...(own.length > 60 ? [h("tr", { role: "row", "aria-level": 2, tabindex: -1 }, h("td", { colspan: 8, role: "gridcell" }, `60 of ${number(own.length)} edges shown; the downloads have all.`))] : [])];
}

const td = (label, value, also = "") => h("td", { role: "gridcell", "data-h": label, class: also }, value);

/** Rows by arrow keys, opened by the right one, closed by the left one; Enter shows the panel. */
function walk(event, body, fill) {
  const row = event.target.closest("tr[data-ref]");
  if (!row || event.target.closest("a, button, input, select")) return;
  const all = [...body.querySelectorAll("tr")];
  const at = all.indexOf(row);
  const focus = (next) => { if (!next) return; all.forEach((one) => one.setAttribute("tabindex", "-1")); next.setAttribute("tabindex", "0"); next.focus(); };
  const refocus = (ref) => focus([...body.querySelectorAll("tr[aria-level='1']")].find((one) => one.dataset.ref === ref));
  const { ref } = row.dataset;
  switch (event.key) {
    case "ArrowDown": focus(all[at + 1]); break;
    case "ArrowUp": focus(all[at - 1]); break;
    case "Home": focus(all[0]); break;
    case "End": focus(all.at(-1)); break;
    case "ArrowRight": case "+": chosen.open.add(ref); fill(); Object.assign(all, [...body.querySelectorAll("tr")]); refocus(ref); break;
    case "ArrowLeft": case "-": chosen.open.delete(ref); fill(); refocus(ref); break;
    case "Enter": row.click(); break;
    default: return;
  }
  event.preventDefault();
}
