// Two versions or reports side by side: what they say, what they had as inputs, what is stated of them.
import { address } from "./address.js";
import { gaps, node } from "./answer.js";
import { get, Trouble } from "./api.js";
import { contentOf } from "./body.js";
import { h, icon, lay, named, say } from "./dom.js";
import { aligned, said, sides } from "./sides.js";
import { none } from "./states.js";
import { called, counted, evidence, number } from "./words.js";

const RESULTS = { same: ["same", "tick", "eq"], differs: ["differs", "cross", "ne"], cannot_tell: ["cannot tell", "ask", "tag dash"] };

/** The word for how two things agree, with its sign. */
export const result = (state) => h("span", { class: RESULTS[state][2] }, icon(RESULTS[state][1]), RESULTS[state][0]);

/** Draws the comparison of two things, each given as /v1/nodes tells of it. */
export async function things(main, state, both, signal) {
  const asOf = state.as_of ? [["as_of", state.as_of]] : [];
  const [answers, contents] = await Promise.all([
    Promise.all(both.map((one) => get("/v1/questions/inputs-of", [["target", one.ref], ...asOf], signal))),
    Promise.all(both.map((one) => contentOf(one.ref, one.bodies, signal))),
  ]);
  const graphs = answers.map((answer) => answer.graph);
  const [inputs, stated] = [inputsOf(graphs), statedOf(both)];
  const text = contentState(contents);
  const rows = text.rows;
  const names = both.map((one) => { const { name, version } = called(one.ref); return [name, version].filter(Boolean).join(", "); });
  const differ = (list) => list.filter((one) => one.state === "differs").length;
  lay(main, "wrap stack",
    h("div", {}, h("h1", {}, text.state === "differs" || differ(inputs) || differ(stated) ? "Where they part" : text.state === "same" ? "No difference is known" : "What can be told of both"),
      h("p", { class: "lead" }, node(both[0].ref, state), " against ", node(both[1].ref, state), ". ", text.told)),
    h("div", { class: "sums" }, sum(rows ? rows.filter((row) => !row.same).length : "?", "lines of content differ", text.state), sum(differ(inputs), "inputs that only one of them had", differ(inputs) ? "differs" : "same"),
      sum(inputs.length - differ(inputs), "inputs of both", "same"), sum(differ(stated), "attributes differ", differ(stated) ? "differs" : "same")),
    h("section", { class: "card" }, h("header", {}, h("h2", {}, "What they say"), result(text.state)), rows ? sides(rows, names.map((name) => named(name, 80))) : h("div", { class: "two body" }, ...contents.map((one, n) => h("div", {}, h("h3", {}, named(names[n], 80)), h("p", {}, one.text === undefined ? none(one.why) : "Its content is there."))))),
    table("What they had as inputs", inputs, names, (value) => (value ? h("span", { class: "cell" }, value.links, evidence(value.evidence)) : none("not among its inputs")), (one) => node(one.name, state)),
    table("What is stated of them", stated, names, (value) => (value === undefined ? none("not stated") : named(value, 300)), (one) => named(one.name.replace(/^(clew|prov):/, ""), 80)),
    runsOf(graphs, state), h("div", { class: "two level" }, ...graphs.map((graph, n) => gaps(state, graph, names[n]))));
  say(text.told);
}

const sum = (count, words, state) => h("div", { class: `sum ${state === "differs" ? "hot" : state === "cannot_tell" ? "hole-s" : ""}` }, h("b", {}, typeof count === "number" ? number(count) : count), h("span", {}, words));

/** What can be said of two contents: the same, unlike, or that it can't be told, and why. */
function contentState([one, other]) {
  const lacking = [["first", one], ["second", other]].filter(([, content]) => content.text === undefined);
  if (lacking.length) return { state: "cannot_tell", told: `Their content can't be compared: ${lacking.map(([which, content]) => `of the ${which}, ${content.why}`).join("; ")}.` };
  const rows = aligned(one.text, other.text);
  if (!rows) return { state: one.text === other.text ? "same" : "differs", told: "Their content is too long to be set side by side here." };
  return { state: rows.every((row) => row.same) ? "same" : "differs", told: said(rows), rows };
}

/** Each input of either, with its links to both: [{name, state, first, second}], what differs first. */
function inputsOf(graphs) {
  const [first, second] = graphs.map((graph) => {
    const found = new Map();
    for (const [link, list] of Object.entries(graph.links ?? {})) {
      for (const one of list) found.set(one.ref, { links: [found.get(one.ref)?.links, link].filter(Boolean).join(", "), evidence: one.evidence });
    }
    return found;
  });
  return paired(first, second, () => true);
}

function statedOf(both) {
  const told = (details) => {
    const found = new Map();
    for (const one of details.attributes.filter(({ name, stance }) => stance !== "refutes" && name !== "clew:body")) found.set(one.name, [...new Set([...(found.has(one.name) ? [found.get(one.name)] : []), one.value])].join(", "));
    return found;
  };
  return paired(told(both[0]), told(both[1]), (a, b) => a === b);
}

function paired(first, second, alike) {
  return [...new Set([...first.keys(), ...second.keys()])]
    .map((name) => ({ name, first: first.get(name), second: second.get(name), state: first.has(name) && second.has(name) && alike(first.get(name), second.get(name)) ? "same" : "differs" }))
    .sort((a, b) => (a.state < b.state ? -1 : a.state > b.state ? 1 : a.name < b.name ? -1 : 1));
}

function table(title, rows, names, cell, head) {
  return h("section", { class: "card" }, h("header", {}, h("h2", {}, title), h("span", { class: "quiet small" }, number(rows.length))),
    rows.length ? h("div", { class: "scroll" }, h("table", { class: "cmp stackt" }, h("thead", {}, h("tr", {}, h("th", { scope: "col", class: "c-step" }, "What"), ...names.map((name) => h("th", { scope: "col" }, named(name, 60))), h("th", { scope: "col", class: "c-res" }, "Result"))),
      h("tbody", {}, ...rows.slice(0, 500).map((row) => h("tr", { class: row.state === "same" ? "same" : "" }, h("th", { scope: "row" }, head(row)), h("td", { "data-h": "First" }, cell(row.first)), h("td", { "data-h": "Second" }, cell(row.second)), h("td", { "data-h": "Result" }, result(row.state))))))) : h("p", { class: "pad" }, none("none recorded")));
}

/** The runs that made them, where both are known, to be compared step by step. */
function runsOf([one, other], state) {
  const [first, second] = [one.runs?.[0], other.runs?.[0]];
  if (!first || !second) return "";
  return h("p", {}, first === second ? ["Both come of one run, ", node(first, state), "."] : h("a", { class: "btn", href: address({ page: "compare", target: [first, second], as_of: state.as_of }) }, "Compare the runs that they come of, step by step"));
}
