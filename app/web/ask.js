// One question and its answer, in three views that show the same.
import { address, asked, go, read } from "./address.js";
import { get, text, Trouble } from "./api.js";
import { answerView } from "./answer.js";
import { bar } from "./bar.js";
import { h, icon, lay, say } from "./dom.js";
import { example, needs, questions } from "./questions.js";
import { linkHead } from "./linked.js";
import { offerHits } from "./search.js";
import { counted } from "./words.js";

const VIEWS = {
  answer: async () => answerView,
  graph: async () => (await import("./graph.js")).graphView,
  table: async () => (await import("./table.js")).tableView,
};
let kept = { key: "" };

export async function show(state, main, top, signal) {
  const all = await questions();
  if (state.ask && !all.has(state.ask)) throw new Trouble(404, { detail: `There is no question “${state.ask}”.`, remedy: `There are: ${[...all.keys()].join(", ")}.` });
  const question = all.get(state.ask) ?? all.get("inputs-of") ?? all.values().next().value;
  const view = VIEWS[state.view] ? state.view : "answer";
  const whole = { ...state, page: "ask", ask: question.name, view };
  if ((whole.target ?? []).filter(Boolean).length < needs(question)) {
    bar(top, whole, question, all);
    return about(main, whole, question);
  }
  const drawing = VIEWS[view](); // read beside the answer
  const parameters = asked(whole);
  const key = JSON.stringify([question.name, parameters]);
  if (kept.key !== key) {
    bar(top, whole, question, all);
    const [answer, prose] = await Promise.all([get(question.address, parameters, signal), text(question.address, parameters, signal)]);
    kept = { key, answer, prose: prose.replaceAll(" \n", " ").trim().split("\n") };
    say(`${question.sentence} ${counted(answer.graph.nodes?.length ?? 0, "node")}, ${counted(answer.graph.gaps?.length ?? 0, "kind")} of gaps`);
  }
  document.title = `${question.sentence} · Clew`;
  bar(top, whole, question, all, kept.answer);
  const draw = await drawing;
  linkHead((kept.answer.graph.targets ?? []).map((one) => one.ref), signal);
  if (!signal.aborted) await draw({ main, state: whole, question, ...kept, signal });
}

/** Nothing to ask about yet: a search, a reference, or the example of the question. */
function about(main, state, question) {
  const missing = needs(question) - (state.target ?? []).length;
  const input = h("input", { id: "about", type: "search", "aria-label": "What it is about", placeholder: "A name to search for, or a whole reference", autocomplete: "off", maxlength: 2048 });
  const find = h("div", { class: "bigfind" }, icon("find"), input);
  const form = h("form", { role: "search", on: { submit: (event) => { event.preventDefault(); if (input.value.trim()) go({ ...state, target: [...state.target ?? [], input.value.trim()] }); } } }, find);
  offerHits(input, find, (ref) => ({ ...state, target: [...state.target ?? [], ref] }));
  document.title = `${question.sentence} · Clew`;
  lay(main, "wrap middle", h("div", { class: "hero" }, h("h1", {}, question.sentence), form),
    h("p", { class: "quiet" }, missing > 1 ? `It is asked about ${missing} things; choose one after the other. ` : "Choose what it is asked about. ",
      example(question).length ? h("a", { href: address({ ...state, ...Object.fromEntries(example(question)) }) }, "The example over the shipped story") : ""));
}

let waitingForView = false;
addEventListener("keydown", (event) => {
  if (document.body.dataset.page !== "ask" || event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("input, select, textarea, dialog")) return;
  const view = { a: "answer", v: "graph", t: "table" }[event.key];
  if (waitingForView && view) {
    event.preventDefault();
    go({ ...read(), view });
  }
  waitingForView = event.key === "g";
});

