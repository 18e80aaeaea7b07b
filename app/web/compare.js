// Two runs side by side, step by step, with the first difference marked; or two things that were written.
import { address, go, read } from "./address.js";
import { cell, gaps, node, sentence } from "./answer.js";
import { get, text } from "./api.js";
import { h, icon, lay, named, plain, renew, say } from "./dom.js";
import { none } from "./states.js";
import { result, things } from "./things.js";
import { called, counted, number } from "./words.js";

export async function show(state, main, bar, signal) {
  document.title = "Compare two runs · Clew";
  const [{ runs }, { nodes: written }] = await Promise.all([get("/v1/runs", [["limit", 100]], signal), get("/v1/nodes", [["kind", "clew:Occurrence"], ["limit", 100]], signal)]);
  const [first, second] = state.target ?? [];
  choose(bar, state, { runs: runs.map((one) => one.run), written: written.map((one) => one.ref) }, first, second);
  if (!first || !second) return ask(main, runs);
  const { nodes: both } = await get("/v1/nodes", [["ref", first], ["ref", second], ...(state.as_of ? [["as_of", state.as_of]] : [])], signal);
  if (both.length === 2 && both.every((one) => one.kinds.includes("entity"))) {
    document.title = "Compare two versions · Clew";
    return things(main, state, both, signal);
  }
  const parameters = [...state.target.map((ref) => ["target", ref]), ...(state.as_of ? [["as_of", state.as_of]] : [])];
  const [answer, prose] = await Promise.all([get("/v1/questions/compare-runs", parameters, signal), text("/v1/questions/compare-runs", parameters, signal)]);
  const [lead] = prose.replaceAll(" \n", " ").trim().split("\n");
  const { graph } = answer;
  lay(main, "wrap stack",
    h("div", {}, h("h1", {}, graph.first_difference ? "Where they part" : "No difference is known"), h("p", { class: "lead" }, sentence(lead ?? "", state))),
    sums(graph), steps(graph, state), ...final(graph, state), gaps(state, graph));
  say(`${graph.same} steps the same, ${graph.differs} differ, ${graph.cannot_tell} cannot be told`);
  return undefined;
}

function ask(main, runs) {
  lay(main, "wrap stack", h("h1", {}, "How do two runs, or two reports, differ?"), h("p", { class: "lead" }, runs.length < 2 ? "Two are needed, and fewer runs are recorded." : "Choose two above. Runs are held against each other by what they did, step by step; reports and other things written by what they say and what they had as inputs."));
}

function choose(bar, state, offered, first, second) {
  const menu = (label, at, chosen) => h("select", { class: "fld", "aria-label": label, on: { change: (event) => {
    const target = [0, 1].map((n) => read().target?.[n] ?? ""); // the other may just have been chosen
    target[at] = event.target.value;
    go({ page: "compare", target, as_of: state.as_of });
  } } }, h("option", { value: "" }, label), group("Runs", offered.runs, chosen), group("Things written", offered.written, chosen),
  chosen && ![...offered.runs, ...offered.written].includes(chosen) && h("option", { value: chosen, selected: true }, title(chosen)));
  renew(bar, h("section", { class: "ask", "aria-label": "What is compared" }, h("div", { class: "in" },
    h("div", { class: "q" }, menu("First", 0, first), h("span", { class: "quiet" }, "against"), menu("Second", 1, second),
      first && second && h("a", { class: "btn s", href: address({ ...state, target: [second, first] }) }, "Turn round")),
    h("div", { class: "acts btns" }, h("button", { class: "btn s", type: "button", on: { click: () => dispatchEvent(new Event("clew:copy")) } }, icon("link"), "Copy link"), h("button", { class: "btn s", type: "button", on: { click: () => print() } }, icon("print"), "Print")),
    h("div", { class: "line2" }, offered.runs.includes(first) && offered.runs.includes(second) && h("div", { class: "scope" }, h("span", {}, "Steps matched by ", h("b", {}, "kind, tool and order of causes"), ", not by time"), h("span", {}, "The order of parallel steps is no difference"))))));
}

const title = (ref) => { const { name, version } = called(ref); return plain([name, version].filter(Boolean).join(", "), 60); };
const group = (label, refs, chosen) => refs.length > 0 && h("optgroup", { label }, ...refs.map((ref) => h("option", { value: ref, selected: ref === chosen }, title(ref))));

function sums(graph) {
  const first = graph.first_difference;
  const sum = (count, words, also = "") => h("div", { class: `sum ${also}` }, h("b", {}, number(count)), h("span", {}, words));
  return h("div", { class: "sums" }, sum(graph.same, "steps the same"), sum(graph.differs, first ? `steps differ, the first is step ${first.step + 1}` : "steps differ", graph.differs ? "hot" : ""),
    sum(graph.cannot_tell, "steps of which it can't be told", graph.cannot_tell ? "hole-s" : ""), sum(graph.final_state.filter((one) => one.state === "differs").length, "things left in another state"));
}

function steps(graph, state) {
  const only = h("input", { type: "checkbox", on: { change: () => rows.classList.toggle("only", only.checked) } });
  const rows = h("tbody", {}, ...graph.steps.map((step, n) => row(step, n, graph, state)));
  const head = (n) => h("th", { scope: "col" }, n ? "Second: " : "First: ", node(graph.targets[n].ref, state), h("small", {}, graph.modes[n] ? `${graph.modes[n]} run` : "mode not reported"));
  return h("section", { class: "card", "aria-label": "Step by step" }, h("header", {}, h("h2", {}, "Step by step"), h("label", { class: "small" }, only, " Only what differs")),
    h("div", { class: "scroll" }, h("table", { class: "cmp stackt" }, h("thead", {}, h("tr", {}, h("th", { class: "c-step", scope: "col" }, "Step"), head(0), head(1), h("th", { class: "c-res", scope: "col" }, "Result"))), rows)));
}

function row(step, n, graph, state) {
  const first = graph.first_difference?.step === n;
  const unlike = step.aspects.filter((one) => one.state !== "same");
  const side = (which) => [step[which] ? node(step[which], state) : none("not there"),
    ...unlike.map((one) => h("span", { class: "sub" }, `${one.name.replaceAll("_", " ")}: `, one[which]?.length ? one[which].slice(0, 4).map((value, at) => [at ? ", " : "", cell("", value, state)]) : none("none")))];
  return h("tr", { class: [first ? "first" : "", step.state === "same" ? "same" : ""].join(" ").trim() },
    h("th", { scope: "row" }, `${n + 1}. ${step.kind.replaceAll("_", " ")}`, step.tool && h("span", { class: "sub" }, named(called(step.tool).name, 40))),
    h("td", { "data-h": "First" }, side("first")), h("td", { "data-h": "Second" }, side("second")),
    h("td", { "data-h": "Result" }, result(step.state), first && h("span", { class: "sub" }, h("b", {}, "first difference")), ...unlike.slice(0, 3).map((one) => h("span", { class: "sub" }, named(one.why ?? "", 160)))));
}

function final(graph, state) {
  if (!graph.final_state.length) return [];
  return [h("section", { class: "card" }, h("header", {}, h("h2", {}, "What each left behind"), h("span", { class: "quiet small" }, counted(graph.final_state.length, "thing"))),
    h("table", { class: "data stackt" }, h("thead", {}, h("tr", {}, ...["Thing", "First", "Second", "Result"].map((label) => h("th", { scope: "col" }, label)))),
      h("tbody", {}, ...graph.final_state.map((one) => h("tr", {}, h("th", { scope: "row" }, named(one.thing, 80)), h("td", { "data-h": "First" }, one.first ? node(one.first, state) : none("not written")), h("td", { "data-h": "Second" }, one.second ? node(one.second, state) : none("not written")),
        h("td", { "data-h": "Result" }, result(one.state), one.why && h("span", { class: "sub quiet" }, ` ${one.why}`)))))))];
}
