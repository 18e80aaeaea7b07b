// One question and its answer, in three views that show the same.
import { asked, go, read } from "./address.js";
import { get, text } from "./api.js";
import { answerView } from "./answer.js";
import { bar } from "./bar.js";
import { questions } from "./questions.js";
import { say } from "./dom.js";
import { counted } from "./words.js";

const VIEWS = {
  answer: async () => answerView,
  graph: async () => (await import("./graph.js")).graphView,
  table: async () => (await import("./table.js")).tableView,
};
let kept = { key: "" };

export async function show(state, main, top, signal) {
  const all = await questions();
  const question = all.get(state.ask) ?? all.get("inputs-of") ?? all.values().next().value;
  const view = VIEWS[state.view] ? state.view : "answer";
  const whole = { ...state, page: "ask", ask: question.name, view };
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
  const draw = await VIEWS[view]();
  if (!signal.aborted) await draw({ main, state: whole, question, ...kept, signal });
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

