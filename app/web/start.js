// Where an investigation begins: search, reports, runs, worklists, what was retracted, and who is still reporting.
import { address, go } from "./address.js";
import { get, Trouble } from "./api.js";
import { h, icon, lay, named, shape } from "./dom.js";
import { asking, offerHits, search } from "./search.js";
import { none } from "./states.js";
import { called, counted, number, tag, when } from "./words.js";

const FEW = 6;

export async function show(state, main, bar, signal) {
  document.title = state.q ? `${state.q} · Clew` : "Clew";
  bar.replaceChildren();
  if (state.q?.trim()) return results(state, main, signal);
  const [runs, sources] = await Promise.all([get("/v1/runs", [["limit", FEW]], signal), get("/v1/sources", [], signal)]);
  if (runs.as_of === 0) return empty(main);
  const find = h("div", { class: "bigfind" }, icon("find"), h("input", { id: "big-find", type: "search", "aria-label": "What do you want to trace?", placeholder: "A report, a file, a run, a person’s role", autocomplete: "off", maxlength: 200 }), h("kbd", { class: "k" }, "/"));
  const form = h("form", { role: "search", on: { submit: (event) => { event.preventDefault(); go({ page: "start", q: find.querySelector("input").value }); } } }, find);
  offerHits(find.querySelector("input"), find);
  const [written, open, taken] = await Promise.all([part("Things written", reports, signal), part("Open worklists", worklists, signal), part("Retracted and deleted", notices, signal)]);
  lay(main, "wrap", h("div", { class: "hero" }, h("h1", {}, "What do you want to trace?"), form),
    h("div", { class: "home" },
      h("div", {}, written, card("Recent runs", `${number(runs.total)} in all`, runs.runs.map(run))),
      h("div", {}, open, taken, card("Who is still reporting", counted(sources.total, "source and epoch", "sources and epochs"), sources.sources.map(source)))));
  return undefined;
}

const card = (title, note, items) => h("section", { class: "card" }, h("header", {}, h("h2", {}, title), h("span", { class: "quiet small" }, note)), h("ul", { class: "rows" }, ...(items.length ? items : [h("li", {}, none("none recorded"))])));

/** One card; a part that can't be read says so, and leaves the others standing. */
async function part(title, made, signal) {
  try {
    return await made(title, signal);
  } catch (error) {
    if (!(error instanceof Trouble)) throw error;
    return h("section", { class: "card" }, h("header", {}, h("h2", {}, title)), h("p", { class: "pad small warn" }, named(error.status === 404 ? "This service does not offer it." : error.message, 200)));
  }
}

const line = (what, sub, ...end) => h("li", {}, h("span", { class: "what" }, what, h("span", { class: "sub" }, sub)), h("span", { class: "end" }, ...end));

async function reports(title, signal) {
  const found = await get("/v1/nodes", [["kind", "clew:Occurrence"], ["limit", FEW]], signal);
  return card(title, `${number(found.total)} in all`, found.nodes.map((node) => {
    const { name, version } = called(node.ref, node.type);
    return line(h("a", { href: address(asking(node.ref, node.kinds)) }, named(name, 60)), named(version || node.ref, 80));
  }));
}

function run(one) {
  const state = { completed: "", failed: "failed", stopped: "stopped" }[one.state] ?? one.state;
  return line(h("a", { href: address({ page: "ask", ask: "who-authorized", target: [one.run] }) }, named(called(one.run).name, 60)), named(one.task || one.run, 120),
    one.cancelled ? h("span", { class: "tag warn" }, icon("deny"), "cancelled") : state ? h("span", { class: "tag warn" }, icon("clock"), state) : "", h("span", {}, one.started ? when(one.started) : none("no start recorded")), h("span", {}, counted(one.events, "event")));
}

async function worklists(title, signal) {
  const found = await get("/v1/cases", [["limit", FEW]], signal);
  const open = found.cases.filter((one) => one.counts.todo > 0);
  return card(title, `${number(found.total)} in all`, open.map((one) => line(h("a", { href: address({ page: "worklists", case: one.case }) }, named(one.title, 60)),
    `${counted(one.counts.items, "thing")}: ${one.counts.todo} to do, ${one.counts.acknowledged} acknowledged, ${one.counts.cleared} cleared`, when(one.opened))));
}

async function notices(title, signal) {
  const [retracted, deleted] = await Promise.all(["retracted", "content_deleted"].map((type) => get("/v1/events", [["type", type], ["limit", 1000]], signal)));
  const all = [...retracted.events, ...deleted.events].sort((a, b) => b.seq - a.seq);
  return card(title, `${retracted.total} retracted, ${deleted.total} deleted`, all.slice(0, FEW).map(({ event }) => (event.type === "retracted"
    ? line(h("a", { href: address({ page: "ask", ask: "impact-of", target: [event.what] }) }, named(called(event.what).name, 60)), named([event.by && `by ${event.by}`, event.reason].filter(Boolean).join(": "), 160), tag("retracted"), when(event.time))
    : line(h("a", { href: address({ page: "ask", ask: "how-known", target: [event.body] }) }, named(called(event.body).name, 60)), named([event.policy && `policy ${event.policy}`, event.actor && `by ${event.actor}`].filter(Boolean).join(", "), 120), tag("deleted"), when(event.done || event.time)))));
}

function source(one) {
  const missing = one.missing + one.dropped;
  return line(h("b", {}, named(one.source, 60)), [one.epoch && `epoch ${one.epoch}`, `${counted(one.received, "numbered event")} received`].filter(Boolean).join(", "),
    one.closed ? "closed" : h("b", {}, "open"), h("span", { class: missing ? "tag warn" : "" }, missing > 0 && icon("hole"), missing ? `${number(missing)} missing${one.first_missing ? `, first ${one.first_missing}` : ""}` : one.state === "unknown" ? "unknown: its numbers can't tell" : "none missing"));
}

async function results(state, main, signal) {
  const found = await search(state.q, 100, signal);
  lay(main, "wrap middle stack", h("h1", {}, "Found for “", named(state.q, 80), "”"), h("p", { class: "lead" }, found.nodes.length ? `${number(found.nodes.length)} of ${counted(found.total, "match", "matches")}, the best first.` : "Nothing is named like that. Clew looks at the words of references, labels and attributes; what no source reported is not there."),
    h("section", { class: "card" }, h("ul", { class: "rows" }, ...found.nodes.map((node) => { const { name, version, what } = called(node.ref, node.type); return h("li", {}, h("span", { class: "what" }, h("span", { class: "kind" }, shape(node.kinds)), " ", h("a", { href: address(asking(node.ref, node.kinds)) }, named(name, 80)), h("span", { class: "sub" }, named([version, what, node.ref].filter(Boolean).join(", "), 200))), h("span", { class: "end" }, node.kinds.join(", "))); }))));
}

function empty(main) {
  const origin = location.origin;
  const first = `curl ${origin}/v1/model-calls -H 'Content-Type: application/json' -d '{
  "run": "run:first",
  "model": "model:some-model",
  "inputs":  [{"text": "What does the fee table say?"}],
  "outputs": [{"text": "The fee is 1.4 %."}]
}'`;
  const option = (n, title, text, code, ...more) => h("li", { class: "opt" }, h("span", { class: "n" }, n), h("div", {}, h("h2", {}, title), h("p", {}, text), code && h("pre", { class: "code", tabindex: 0 }, code), h("div", { class: "btns" }, ...more)));
  lay(main, "wrap middle stack", h("div", {}, h("h1", {}, "Nothing is recorded yet"), h("p", { class: "lead" }, "This store is empty and works. Begin in one of three ways.")),
    h("ol", { class: "card" },
      option(1, "Send the first event", "One call of a model, from a terminal. The reply names what was filled in.", first),
      option(2, "Look at a story", "A short incident of two agents, in a store of its own: a report with a wrong input, and a write that nobody allowed.", "clew demo"),
      option(3, "Send what you have", "Traces in OTLP go to /v1/traces, PROV documents to /v1/documents, or both from a terminal.", "clew ingest FILE",
        h("a", { class: "btn s", href: "/openapi.json" }, "Every address"), h("a", { class: "btn s", href: "/v1/questions" }, "What can be asked"))));
}
