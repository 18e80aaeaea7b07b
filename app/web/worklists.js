// Worklists: what came of a retracted input, to acknowledge, to clear and to note; asked again for what is new.
import { address, go } from "./address.js";
import { node, sentence } from "./answer.js";
import { get, post, text, Trouble } from "./api.js";
import { byId, h, icon, lay, named, say } from "./dom.js";
import { offerHits } from "./search.js";
import { none } from "./states.js";
import { called, counted, evidence, number, when } from "./words.js";

const STATES = { open: ["open", "ask", "warn"], acknowledged: ["acknowledged", "clock", ""], cleared: ["cleared", "tick", "good"] };
const VERBS = { ack: "Acknowledge", clear: "Clear", reopen: "Reopen", note: "Note" };

export async function show(state, main, bar, signal) {
  document.title = "Worklists · Clew";
  bar.replaceChildren();
  if (state.case) return one(state, main, signal);
  const [found, retracted] = await Promise.all([get("/v1/cases", [], signal), get("/v1/events", [["type", "retracted"], ["limit", 1000]], signal)]);
  lay(main, "wrap stack", h("h1", {}, "Worklists"), h("p", { class: "lead" }, "What came of an input that was taken back: reports and writes, each to be acknowledged or cleared, and asked again for what is new."),
    h("div", { class: "two" }, list(found), open(state, retracted.events, found)));
  return undefined;
}

const target = (ref) => { const { name, version } = called(ref); return [name, version].filter(Boolean).join(", "); };
const link = (number_, label) => h("a", { href: address({ page: "worklists", case: number_ }) }, label);

function list(found) {
  return h("section", { class: "card" }, h("header", {}, h("h2", {}, "Open and closed"), h("span", { class: "quiet small" }, counted(found.total, "worklist"))),
    h("ul", { class: "rows" }, ...(found.cases.length ? found.cases.map((line) => h("li", {}, h("span", { class: "what" }, link(line.case, named(line.title, 100)), h("span", { class: "sub" }, `${counted(line.counts.items, "thing")}: ${line.counts.todo} to do, ${line.counts.acknowledged} acknowledged, ${line.counts.cleared} cleared${line.counts.gone ? `, ${line.counts.gone} gone` : ""}`)),
      h("span", { class: "end" }, line.complete ? "" : h("span", { class: "tag warn" }, icon("hole"), "with gaps"), when(line.opened)))) : [h("li", {}, none("none opened yet"))])));
}

function open(state, retracted, found) {
  const known = new Set(found.cases.flatMap((line) => line.targets));
  const begin = async (given) => { const made = await tried(() => post("/v1/cases", given)); if (made) go({ page: "worklists", case: made.case }); };
  const input = h("input", { class: "fld", id: "case-target", value: (state.target ?? [])[0] ?? "", autocomplete: "off", maxlength: 2048 });
  const around = h("div", { class: "find" }, input);
  offerHits(input, around, (ref) => ({ page: "worklists", target: [ref] }));
  return h("section", { class: "card" }, h("header", {}, h("h2", {}, "Open a worklist")), h("div", { class: "body stack" },
    h("form", { class: "sheet flat", on: { submit: (event) => { event.preventDefault(); if (input.value.trim()) begin({ target: [input.value.trim()] }); } } },
      h("label", { for: "case-target" }, "What was taken back: a version, a skill, an agent, a source"), around, h("div", { class: "btns" }, h("button", { class: "btn main", type: "submit" }, "Open it"))),
    retracted.length > 0 && h("div", {}, h("h3", {}, "Retractions on record"), h("ul", { class: "rows" }, ...retracted.slice(-20).reverse().map(({ event }) => h("li", {}, h("span", { class: "what" }, named(target(event.what), 80), h("span", { class: "sub" }, named([event.by && `by ${event.by}`, event.reason].filter(Boolean).join(": "), 200))),
      h("span", { class: "end" }, [...known].some((ref) => ref === event.what || ref.startsWith(`${event.what}@`)) ? "has a worklist" : h("button", { class: "btn s", type: "button", on: { click: () => begin({ target: [event.what] }) } }, "Open a worklist"))))))));
}

async function tried(act) {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof Trouble)) throw error;
    say(error.message);
    byId("sheet").replaceChildren(h("header", {}, h("h2", { id: "sheet-h" }, "This did not work"), h("button", { class: "btn s", type: "button", on: { click: () => byId("sheet").close() } }, "Close")), h("div", { class: "sheet" }, h("p", {}, named(error.message, 400)), error.problem.remedy && h("p", { class: "quiet" }, named(error.problem.remedy, 300))));
    byId("sheet").showModal();
    return undefined;
  }
}

async function one(state, main, signal) {
  const parameters = [["limit", 200], ...(state.cursor ? [["cursor", state.cursor]] : [])];
  const [found, prose] = await Promise.all([get(`/v1/cases/${encodeURIComponent(state.case)}`, parameters, signal), text(`/v1/cases/${encodeURIComponent(state.case)}`, [], signal)]);
  document.title = `${found.title} · Clew`;
  const [lead] = prose.replaceAll(" \n", " ").trim().split("\n");
  const last = found.runs.at(-1);
  const fresh = new Set(found.runs.length > 1 ? last.delta.new : []);
  lay(main, "wrap wide stack",
    h("div", {}, h("h1", {}, named(found.title, 200)), h("p", { class: "lead" }, sentence(lead ?? "", {})),
      h("p", { class: "quiet" }, "Of ", ...found.targets.flatMap((ref, n) => [n ? ", " : "", node(ref, {})]), "; opened ", when(found.opened), " by ", named(found.opened_by, 80), `; as of log ${number(found.as_of)}.`),
      ...found.resolved.map(takenFor)),
    sums(found), since(found, last),
    h("section", { class: "card" }, h("header", {}, h("h2", {}, "What came of it"), h("div", { class: "btns" },
      h("button", { class: "btn s", type: "button", on: { click: () => act(state, "runs", {}) } }, "Ask again"),
      found.counts.todo > 0 && h("button", { class: "btn s", type: "button", on: { click: () => act(state, "actions", { verb: "ack", all: true }) } }, `Acknowledge all ${found.counts.todo}`))),
      h("div", { class: "scroll" }, table(state, found, fresh)),
      found.cursor && h("footer", {}, h("a", { href: address({ ...state, cursor: found.cursor }) }, `Show the next; ${found.total} in all`))),
    history(found));
}

/** What a name was taken for that is not the name of the very thing. */
function takenFor({ asked, ref, found, others, record }) {
  const which = found === "about" ? " is a record about this" : found === "suffix" && !others.length ? ": this ends so" : ": this is its newest version";
  return h("p", { class: "quiet" }, named(asked, 120), which, ", ", node(ref, {}), others.length > 0 && `; ${counted(others.length, "other version")}`, record && record !== asked && [" (", named(record, 120), ")"], ".");
}

function sums({ counts, complete }) {
  const sum = (count, words, also = "") => h("div", { class: `sum ${also}` }, h("b", {}, number(count)), h("span", {}, words));
  return h("div", { class: "sums" }, sum(counts.todo, "still to be seen to", counts.todo ? "hot" : ""), sum(counts.acknowledged, "acknowledged"), sum(counts.cleared, "cleared"), complete ? sum(counts.gone, "gone since they were found") : sum(counts.gone, "gone; the answer has gaps", "hole-s"));
}

/** What the last asking found otherwise than the one before. */
function since(found, last) {
  if (found.runs.length < 2) return last.missing.length ? note("Not all of it may be here", last.missing) : "";
  const { delta } = last;
  const parts = [[delta.new.length, "new"], [delta.gone.length, "gone"], [delta.changed.length, "changed"]].filter(([count]) => count).map(([count, word]) => `${count} ${word}`);
  return note(`Asked again ${new Date(last.at).toLocaleString()}: ${parts.join(", ") || "nothing changed"}`, last.missing);
}

const note = (title, missing) => h("div", { class: "note plain" }, icon("clock"), h("p", {}, h("b", {}, title), ". ", missing.join(" ")), h("span"));

function table(state, found, fresh) {
  return h("table", { class: "wl stackt" }, h("thead", {}, h("tr", {}, h("th", { scope: "col", class: "c-thing" }, "What"), h("th", { scope: "col", class: "c-how" }, "From"), h("th", { scope: "col" }, "Best path"), h("th", { scope: "col" }, "Known"), h("th", { scope: "col", class: "c-left" }, "State"), h("th", { scope: "col", class: "c-do" }, "Do"))),
    h("tbody", {}, ...found.items.map((item) => row(state, found, item, fresh))));
}

function row(state, found, item, fresh) {
  const [word, sign, tone] = STATES[item.state];
  const path = { page: "ask", ask: "how-known", target: [item.found.nearest, item.ref], view: "graph" };
  return h("tr", { class: fresh.has(item.ref) ? "new" : "" },
    h("th", { scope: "row" }, h("b", {}, node(item.ref, {})), fresh.has(item.ref) && h("span", { class: "newmark" }, "new"), item.gone && h("span", { class: "tag dash" }, "gone"), h("span", { class: "sub" }, item.gone && "when last affected, ", [item.found.kind, item.found.standing].filter(Boolean).join(", ")), item.why && h("span", { class: "sub" }, sentence(item.why, {}))),
    h("td", { "data-h": "From" }, node(item.found.nearest, {}), h("span", { class: "sub" }, (item.found.links ?? []).join(", "), item.found.tier ? `, ${item.found.tier.replaceAll("_", " ")}` : "")),
    h("td", { "data-h": "Best path" }, h("a", { href: address(path) }, counted(item.found.steps, "step"))),
    h("td", { "data-h": "Known" }, evidence(item.found.evidence)),
    h("td", { "data-h": "State" }, h("span", { class: `tag ${tone}` }, icon(sign), word), item.changed && !item.gone && h("span", { class: "newmark" }, "changed"), item.decided && h("span", { class: "sub" }, when(item.decided), " by ", named(item.decided_by, 60))),
    h("td", { "data-h": "Do" }, h("div", { class: "btns" }, ...(item.state === "cleared" ? ["reopen", "note"] : item.state === "acknowledged" ? ["clear", "note"] : ["ack", "clear", "note"]).map((verb) =>
      h("button", { class: "btn s", type: "button", "aria-label": `${VERBS[verb]}: ${target(item.ref)}`, on: { click: () => (verb === "ack" ? act(state, "actions", { verb, ref: [item.ref] }) : ask(state, verb, item.ref)) } }, VERBS[verb])))));
}

async function act(state, where, body) {
  if (await tried(() => post(`/v1/cases/${encodeURIComponent(state.case)}/${where}`, body))) {
    say("Done");
    dispatchEvent(new Event("clew:address"));
  }
}

/** A note goes with it: it is kept encrypted, and can be erased. */
function ask(state, verb, ref) {
  const words = h("textarea", { class: "fld", id: "note", rows: 4, maxlength: 10_000, required: verb === "note" });
  const sheet = byId("sheet");
  sheet.replaceChildren(h("header", {}, h("h2", { id: "sheet-h" }, `${VERBS[verb]}: `, named(target(ref), 60)), h("button", { class: "btn s", type: "button", on: { click: () => sheet.close() } }, "Close")),
    h("form", { class: "sheet", method: "dialog", on: { submit: () => act(state, "actions", { verb, ref: [ref], ...(words.value.trim() ? { note: words.value.trim() } : {}) }) } },
      h("label", { for: "note" }, verb === "note" ? "Note" : "Why (may be left out)"), words, h("p", { class: "quiet small" }, "It is kept encrypted and apart from the record, and can be erased."), h("div", { class: "btns" }, h("button", { class: "btn main", type: "submit" }, VERBS[verb]))));
  sheet.showModal();
}

function history(found) {
  return h("section", { class: "card" }, h("header", {}, h("h2", {}, "What was done"), h("span", { class: "quiet small" }, counted(found.action_count, "action"))),
    h("ul", { class: "rows" }, ...[...found.actions].reverse().map((action) => h("li", {}, h("span", { class: "what" }, h("b", {}, VERBS[action.verb] ?? action.verb), " ", action.ref ? node(action.ref, {}) : "", action.note ? h("span", { class: "sub" }, named(action.note, 2000)) : action.note_state ? h("span", { class: "sub none" }, `note ${action.note_state}`) : ""), h("span", { class: "end" }, when(action.at), h("span", {}, named(action.by, 60)))))));
}
