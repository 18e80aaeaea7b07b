// The answer: its sentences first, then what they rest on, then what is missing, side by side and of one size.
import { address } from "./address.js";
import { h, icon, lay, named, shape } from "./dom.js";
import { authority } from "./authority.js";
import { evidence, GAPS, gapWord, counted, called, number } from "./words.js";
import { none } from "./states.js";

export function answerView({ main, state, question, answer, prose }) {
  const { graph } = answer;
  const said = findings(prose, graph);
  const first = said.findIndex((line) => !/^(This page goes on|For )/.test(line));
  const lead = said.splice(0, first < 0 ? said.length : first + 1).join(" ");
  lay(main, "wrap stack",
    h("div", {}, h("h1", {}, question.sentence), h("p", { class: "lead" }, sentence(lead || "Nothing is recorded about it.", state))),
    h("div", { class: "two level" }, shows(said, state, graph), gaps(state, graph)),
    clipped(state, graph),
    ...(graph.writes ? authority(graph.writes, state) : []),
    ...tables(graph, state),
    foot(graph));
}

/** The sentences but for those that tell, at the end, what is missing, what was not checked, and how it was asked. */
function findings(prose, graph) {
  const told = prose.filter((line) => line && !/^(As of log entry |Not checked: |Nothing is known to be missing)/.test(line));
  const last = (graph.gaps ?? []).filter((gap) => gap.kind !== "deleted").length; // what was deleted is told first
  return told.slice(0, told.length - last);
}

const REF = /(?:^|(?<=[\s("“]))([A-Za-z][\w+.-]*:[^\s"”“)]*[^\s"”“).,;:])/gu;

/** A sentence in which every reference leads to what is known of it. */
export function sentence(text, state) {
  const parts = [];
  let from = 0;
  for (const found of text.matchAll(REF)) {
    parts.push(named(text.slice(from, found.index), 2000), node(found[1], state));
    from = found.index + found[1].length;
  }
  return [...parts, named(text.slice(from), 4000)];
}

/** A link to a node of this answer in the graph. */
export function node(ref, state) {
  if (ref.startsWith("restricted:")) return h("span", { class: "kind" }, shape(["restricted"]), "something hidden from you");
  const { name, version } = called(ref);
  return h("a", { class: "ref", href: address(state.page === "ask" ? { ...state, view: "graph", at: ref } : { page: "ask", ask: "lineage", target: [ref], view: "graph", as_of: state.as_of }), title: ref }, named([name, version].filter(Boolean).join(", "), 70));
}

function shows(sentences, state, graph) {
  const items = sentences;
  return h("section", { class: "card said", "aria-labelledby": "shows" }, h("div", { class: "body" },
    h("h2", { id: "shows" }, "What the record shows ", h("span", { class: "n" }, counted(items.length, "finding"))),
    items.length ? h("ol", {}, ...items.map((line) => h("li", {}, icon("list"), h("div", {}, sentence(line, state)))))
      : h("p", { class: "quiet" }, graph.nodes?.length ? "The sentence above is all there is to it." : "Nothing: see beside what is missing.")));
}

export function gaps(state, graph, whose) {
  const known = graph.gaps ?? [];
  const unchecked = graph.unchecked ?? [];
  const absent = Object.keys(GAPS).filter((kind) => !known.some((gap) => gap.kind === kind));
  return h("section", { class: "card said gaps", "aria-label": "What it does not show" }, h("div", { class: "body" },
    h("h2", {}, whose ? ["What the record of ", named(whose, 60), " lacks "] : "What it does not show ", h("span", { class: "n" }, counted(known.length + unchecked.length, "gap"))),
    h("ul", {},
      ...known.map((gap) => h("li", {}, icon(GAPS[gap.kind]?.[1] ?? "ask", gap.kind === "never_recorded" ? "bad" : "warn"), h("div", {},
        h("b", {}, `${number(gap.count)} ${gapWord(gap.kind)}. `), GAPS[gap.kind]?.[2] ?? "", h("div", { class: "meta" }, "such as ", example(gap, state))))),
      ...unchecked.map((one) => h("li", {}, icon("ask", "warn"), h("div", {}, h("b", {}, "Not checked: "), named(one.what, 300), h("div", { class: "meta" }, named(one.why, 300))))),
      h("li", { class: "zero" }, icon("minus"), h("div", {}, absent.length === Object.keys(GAPS).length ? "No gap of any kind is known. Clew never claims that nothing else happened." : `None: ${absent.map(gapWord).join(", ")}`)))));
}

const example = (gap, state) => (gap.kind === "never_recorded" || gap.kind === "coverage_unknown" ? named(gap.example, 120) : node(gap.example, state));

function clipped(state, graph) {
  if (!graph.truncated && !graph.frontier?.length) return "";
  const beyond = (graph.frontier ?? []).slice(0, 5).map((one) => h("li", {}, node(one.ref, state), ` ${one.exact ? "" : "at least "}${counted(one.count, "more link")} not followed: ${one.reason.replaceAll("_", " ")}`));
  return h("div", { class: "note" }, icon("warn"), h("div", {}, h("b", {}, "Part of the answer is here. "), "Counts are lower bounds.", h("ul", { class: "plainlist" }, ...beyond)),
    graph.cursor ? h("a", { class: "btn s", href: address({ ...state, cursor: graph.cursor }) }, "Go on") : h("span"));
}

const SKIPPED = new Set(["nodes", "edges", "conditions", "responsible", "gaps", "unchecked", "frontier", "targets", "runs", "policy", "evidence", "writes", "as_of", "complete", "truncated", "cursor", "outcomes"]);

/** What the question adds by itself: every list of it as a table, in words. */
function tables(graph, state) {
  return Object.entries(graph).filter(([name]) => !SKIPPED.has(name)).flatMap(([name, value]) => {
    if (name === "links") return Object.entries(value).filter(([, list]) => list.length).map(([link, list]) => table(`${words(link)}`, list, state));
    if (Array.isArray(value) && value.length) return [table(words(name), value, state)];
    return [];
  });
}

const words = (name) => { const text = name.replaceAll("_", " "); return text[0].toUpperCase() + text.slice(1); };

function table(title, rows, state) {
  const whole = rows.map((row) => (typeof row === "object" && row !== null ? row : { ref: row }));
  const columns = [...new Set(whole.flatMap((row) => Object.keys(row)))].filter((name) => whole.some((row) => filled(row[name]))).slice(0, 7);
  return h("section", { class: "card" }, h("header", {}, h("h2", {}, title), h("span", { class: "quiet small" }, number(rows.length))),
    h("div", { class: "scroll" }, h("table", { class: "data stackt" },
      h("thead", {}, h("tr", {}, ...columns.map((name) => h("th", { scope: "col" }, words(name))))),
      h("tbody", {}, ...whole.slice(0, 200).map((row) => h("tr", {}, ...columns.map((name, n) => h(n ? "td" : "th", n ? { "data-h": words(name) } : { scope: "row" }, cell(name, row[name], state)))))))),
    rows.length > 200 && h("footer", {}, `200 of ${number(rows.length)} shown; the table view and the downloads have them all.`));
}

const filled = (value) => value !== undefined && value !== null && value !== "" && !(Array.isArray(value) && !value.length);

/** Any value of an answer in words: references as links, evidence with its line, lists with commas. */
export function cell(name, value, state) {
  if (!filled(value)) return none("none");
  if (name === "evidence") return evidence(value);
  if (name === "path" && Array.isArray(value)) return h("span", {}, counted(value.length - 1, "step"));
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return number(value);
  if (Array.isArray(value)) return h("span", { class: "cell" }, ...value.slice(0, 6).map((one) => cell("", one, state)), value.length > 6 ? `and ${number(value.length - 6)} more` : "");
  if (typeof value === "object") return h("dl", { class: "facts" }, ...Object.entries(value).filter(([, one]) => filled(one)).flatMap(([key, one]) => [h("dt", {}, words(key)), h("dd", {}, cell(key, one, state))]));
  return /^[A-Za-z][\w+.-]*:\S+$/.test(value) ? node(value, state) : named(String(value).replaceAll("_", " "), 300);
}

function foot(graph) {
  const order = graph.evidence?.order ?? [];
  return h("dl", { class: "foot" },
    h("div", {}, h("dt", {}, "Complete"), h("dd", {}, graph.complete ? "Nothing is known to be missing" : "No: see what it does not show")),
    h("div", {}, h("dt", {}, "Cut off"), h("dd", {}, graph.truncated ? "Yes, at a whole step" : "Nothing")),
    h("div", {}, h("dt", {}, "Not checked"), h("dd", {}, graph.unchecked?.length ? graph.unchecked.map((one) => one.what).join("; ").slice(0, 300) : "Nothing that was to be checked")),
    h("div", {}, h("dt", {}, "Order of evidence"), h("dd", {}, `${order.join(", ")}. A path is as good as its weakest step`)));
}
