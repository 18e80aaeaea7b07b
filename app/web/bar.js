// The question bar: what is asked, of what, as known when, by which evidence; and the views of the answer.
import { address, go } from "./address.js";
import { byId, h, icon, named, renew, shape } from "./dom.js";
import { offerDownloads } from "./download.js";
import { edges, rows } from "./table.js";
import { allowed, takes } from "./questions.js";
import { called, counted, EVIDENCE, number, when } from "./words.js";

const VIEWS = [["answer", "Answer", "g a"], ["graph", "Graph", "g v"], ["table", "Table", "g t"]];

/** The bar over an answer; `graph` is missing while it is being read. */
export function bar(where, state, question, all, answer) {
  const target = answer?.graph.targets ?? [];
  const menu = h("select", { class: "fld", id: "q", "aria-label": "Question", on: { change: (event) => go({ ...state, ask: event.target.value, open: [], at: "" }) } },
    ...[...all.values()].map((one) => h("option", { value: one.name, selected: one.name === question.name }, one.sentence)));
  renew(where, h("section", { class: `ask ${state.view === "graph" ? "full" : ""}`, "aria-label": "Question" }, h("div", { class: "in" },
    h("div", { class: "q" }, menu, answer && h("span", { class: "quiet" }, "about"), ...(answer ? targets(state, target, answer) : [])),
    answer && h("div", { class: "acts btns" },
      button("link", "Copy link", () => dispatchEvent(new Event("clew:copy")), "c"),
      offerDownloads(state, question, answer),
      button("print", "Print", () => print())),
    h("div", { class: "line2" },
      h("nav", { class: "views", "aria-label": "Views of this answer" }, ...VIEWS.map(([name, label, key]) =>
        h("a", { href: address({ ...state, view: name }), "aria-current": state.view === name && "page" }, label, " ", h("kbd", { class: "k" }, key)))),
      answer && scope(state, question, answer)))));
}

function button(sign, label, act, key) {
  return h("button", { class: "btn s", type: "button", on: { click: act } }, icon(sign), label, key && h("kbd", { class: "k" }, key));
}

function targets(state, found, answer) {
  const refs = found.length ? found.map((one) => one.ref) : state.target ?? [];
  const kinds = new Map(answer ? rows(answer.graph).map((row) => [row.ref, row.kinds]) : []);
  if (!refs.length) return [h("span", {}, answer ? "everything recorded" : "…")];
  return refs.slice(0, 4).map((ref) => {
    const { name, version } = called(ref);
    return h("a", { class: "btn", href: address({ ...state, view: "graph", at: ref }), title: ref }, shape(kinds.get(ref) ?? ["entity"]), " ", named([name, version].filter(Boolean).join(", "), 60));
  }).concat(refs.length > 4 ? [h("span", { class: "quiet" }, `and ${refs.length - 4} more`)] : []);
}

function scope(state, question, { graph, availability }) {
  const [nodes, links] = [rows(graph).length, edges(graph).length];
  const parts = [
    h("span", {}, state.as_of ? "As known at " : "As known now, ", h("b", {}, `log ${number(graph.as_of)}`)),
    h("span", {}, "Evidence ", h("b", {}, graph.evidence && graph.evidence.set.length < EVIDENCE.length ? graph.evidence.set.join(", ") : "all four kinds")),
    graph.policy && h("span", {}, "Walk ", h("b", {}, graph.policy.name === "own" ? "your own" : graph.policy.name), graph.policy.direction === "forward" ? ", to effects" : ", to causes"),
    state.fold && h("span", {}, "Folded by ", h("b", {}, state.fold)),
    state.expand?.length > 0 && h("span", {}, "Opened ", ...state.expand.flatMap((ref, n) => [n ? ", " : "", h("b", {}, named(called(ref).name, 30))]), " ", h("a", { href: address({ ...state, expand: [] }) }, "close")),
    nodes > 0 && h("span", {}, h("b", {}, `${counted(nodes, "node")}, ${counted(links, "edge")}`), graph.truncated ? " so far; there is more" : ""),
    availability && h("span", {}, "Bodies as of ", when(availability.at, { short: true })),
    h("button", { class: "link", type: "button", on: { click: () => change(state, question) } }, "Change"),
  ];
  return h("div", { class: "scope" }, ...parts);
}

/** The sheet on which the policy of the question is changed. */
function change(state, question) {
  const sheet = byId("sheet");
  const field = (name, label, control) => takes(question, name) && [h("label", { for: `p-${name}` }, label), control];
  const menu = (name, first) => h("select", { class: "fld", id: `p-${name}`, name }, h("option", { value: "" }, first),
    ...(allowed(question, name).length ? allowed(question, name) : CHOICES[name] ?? []).map((value) => h("option", { value, selected: state[name] === value }, value)));
  const input = (name, more) => h("input", { class: "fld", id: `p-${name}`, name, value: [state[name] ?? ""].flat().join("\n"), ...more });
  const form = h("form", { class: "sheet", method: "dialog", on: { submit: (event) => apply(event.target, state, question) } },
    field("target", "About (a reference, or its end; one a line)", h("textarea", { class: "fld mono", id: "p-target", name: "target", rows: 2 }, (state.target ?? []).join("\n"))),
    takes(question, "evidence") && h("fieldset", {}, h("legend", {}, "Evidence"), ...EVIDENCE.map((word) => h("label", { class: "check" },
      h("input", { type: "checkbox", name: "evidence", value: word, checked: !state.evidence?.length || state.evidence.includes(word) }), word))),
    field("as_of", "As known at (a number of the log, or a time)", input("as_of", { placeholder: "now" })),
    field("policy", "Walk", menu("policy", "the question's own")),
    field("depth", "Steps at most", input("depth", { type: "number", min: 0, max: 1000000, placeholder: "40" })),
    field("max_nodes", "Nodes at most", input("max_nodes", { type: "number", min: 1, max: 1000000, placeholder: "20000" })),
    field("fold", "Fold", menu("fold", "not at all")),
    field("part", "Part of it", input("part", { placeholder: "char:10-42, line:3-8 or /total" })),
    takes(question, "include_refuted") && h("label", { class: "check" }, h("input", { type: "checkbox", name: "include_refuted", checked: state.include_refuted === "true" }), "Also cross what was refuted"),
    h("div", { class: "btns" }, h("button", { class: "btn main", type: "submit" }, "Ask"), h("button", { class: "btn", type: "button", on: { click: () => sheet.close() } }, "Leave it")));
  sheet.replaceChildren(h("header", {}, h("h2", { id: "sheet-h" }, "How it is asked"), h("button", { class: "btn s", type: "button", on: { click: () => sheet.close() } }, "Close")), form);
  sheet.showModal();
}

const CHOICES = { policy: ["why", "impact", "who", "derivation"], fold: ["run", "agent"] };

function apply(form, state, question) {
  const given = new FormData(form);
  const next = { ...state, open: [], cursor: "" };
  for (const name of ["as_of", "policy", "depth", "max_nodes", "fold", "part"]) if (takes(question, name)) next[name] = (given.get(name) ?? "").trim();
  if (given.has("target")) next.target = given.get("target").split("\n").map((line) => line.trim()).filter(Boolean);
  const words = given.getAll("evidence");
  next.evidence = words.length && words.length < EVIDENCE.length ? words : [];
  next.include_refuted = given.has("include_refuted") ? "true" : "";
  go(next);
}
