// The content of a node: shown as text, never run; or the tombstone that stands for it.
import { address } from "./address.js";
import { blob, raw, Trouble } from "./api.js";
import { h, icon, lined, named, plain, save, say } from "./dom.js";
import { lines } from "./diff.js";
import { none } from "./states.js";
import { called, when } from "./words.js";

const LONGEST = 200_000;
const WHY = { 401: "you may not read it", 403: "you may not read it", 404: "none is here for you", 410: "it was deleted" };
const STATES = { never_captured: "Its content was never captured.", partial: "Only a part of its content was captured." };

/** The section "Body" of the panel; it fills itself when the content has come. */
export function body(ref, bodies, { versions, mark, kept, state, signal }) {
  const section = h("section", {}, h("h3", {}, "Body"), keeping(kept ?? {}));
  const [first] = bodies;
  if (!first) section.append(h("p", { class: "small" }, none("no content is recorded")));
  else if (first.state === "never_captured") section.append(h("p", { class: "small" }, none(STATES.never_captured)));
  else if (first.state === "deleted") section.append(tombstone(ref, mark ?? {}, signal));
  else read(section, ref, first, { versions, state, signal });
  return section;
}

/** How long it is kept, as of now, and what keeps it longer. */
const keeping = ({ expires, hold }) => (expires || hold) && h("p", { class: "small" },
  hold && [h("span", { class: "tag" }, icon("lock"), "held"), " ", named(hold, 200), ". "], expires && ["Its time ends ", when(expires), hold ? "; the hold keeps it." : "."]);

async function read(section, ref, first, { versions, state, signal }) {
  section.firstChild.append(h("small", {}, [first.media_type, size(first.size)].filter(Boolean).join(", ")));
  try {
    const response = await raw("/v1/content", [["ref", ref]], signal);
    const text = await readable(response);
    if (text === undefined) return section.append(h("p", { class: "small quiet" }, "This kind of content is not shown here. ", download(ref)));
    const shown = h("div", { class: "textbody", tabindex: 0, "aria-label": "Content" }, lined(pretty(text, first.media_type), LONGEST));
    const passage = h("div", { class: "btns" });
    section.append(first.state === "partial" ? h("p", { class: "small warn" }, STATES.partial) : "", shown, passage, download(ref));
    offerPassage(shown, passage, text, ref, state);
    if (versions.length) offerComparison(section, text, versions, { ref, state, signal });
  } catch (error) {
    if (error.name === "AbortError") return undefined;
    if (!(error instanceof Trouble)) throw error;
    section.append(error.status === 410 ? told(error.problem) : h("p", { class: "small warn" }, named(error.status === 401 || error.status === 403 ? "You may not read this content." : error.message, 300)));
  }
  return undefined;
}

/** The text of a thing, or why there is none: {text} or {why}. */
export async function contentOf(ref, [first], signal) {
  if (!first) return { why: "no content is recorded" };
  if (first.state === "never_captured") return { why: "it was never captured" };
  try {
    const text = await readable(await raw("/v1/content", [["ref", ref]], signal));
    return text === undefined ? { why: "it is no text" } : { text: pretty(text, first.media_type) };
  } catch (error) {
    if (!(error instanceof Trouble)) throw error;
    return { why: WHY[error.status] ?? error.message };
  }
}

async function readable(response) {
  const kind = response.headers.get("Content-Type") ?? "";
  const length = Number(response.headers.get("Content-Length") ?? 0);
  if (length > LONGEST * 4) return undefined;
  const bytes = await response.arrayBuffer();
  if (!/^(text\/|application\/(json|xml|.*\+json|.*\+xml|yaml|x-ndjson))|octet-stream/.test(kind)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined; // not text: it can be downloaded
  }
}

function pretty(text, kind = "") {
  if (!kind.includes("json")) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text; // it says that it is JSON and is not: shown as it is
  }
}

const size = (bytes) => (bytes === undefined ? "" : bytes < 1000 ? `${bytes} B` : bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`);
const download = (ref) => h("p", { class: "small" }, h("button", { class: "link", type: "button", on: { click: async () => {
  try {
    save(await blob("/v1/content", [["ref", ref]]), `${called(ref).name.replace(/[^\w.-]+/g, "_").slice(0, 100)}`);
  } catch (error) {
    if (!(error instanceof Trouble)) throw error;
    say(`Download failed: ${error.message}`);
  }
} } }, "Download it"));

/** A selected passage asks which inputs it had. */
function offerPassage(shown, where, text, ref, state) {
  const look = () => {
    const chosen = getSelection();
    const passage = chosen.rangeCount && shown.contains(chosen.anchorNode) && shown.contains(chosen.focusNode) ? chosen.toString() : "";
    const start = passage ? text.indexOf(passage) : -1;
    where.replaceChildren();
    if (start < 0) return;
    const from = Array.from(text.slice(0, start)).length;
    const part = `char:${from}-${from + Array.from(passage).length}`;
    where.append(h("a", { class: "btn s", href: address({ page: "ask", ask: "inputs-of", target: [ref], part, as_of: state.as_of }) }, `Which inputs had these ${Array.from(passage).length} characters?`));
  };
  shown.addEventListener("mouseup", look);
  shown.addEventListener("keyup", look);
}

function offerComparison(section, text, versions, { ref, state, signal }) {
  const where = h("div", {});
  const choose = h("select", { class: "fld", "aria-label": "Compare with", on: { change: async () => {
    if (!choose.value) return where.replaceChildren();
    try {
      const other = await readable(await raw("/v1/content", [["ref", choose.value]], signal));
      const found = other === undefined ? undefined : lines(other, text);
      where.replaceChildren(h("p", { class: "small" }, h("a", { href: address({ page: "compare", target: [choose.value, ref], as_of: state.as_of }) }, "Side by side, with inputs and attributes")), found ? h("div", { class: "textbody" }, ...found.map(([sign, line]) => (sign === " " ? `${line}\n` : h(sign === "-" ? "del" : "ins", {}, named(line || " ", 2000))))) : h("p", { class: "small quiet" }, "These two can't be compared here."));
    } catch (error) {
      if (!(error instanceof Trouble)) throw error;
      where.replaceChildren(h("p", { class: "small warn" }, error.status === 410 ? "The content of that version was deleted." : error.message));
    }
    return undefined;
  } } }, h("option", { value: "" }, "Compare with another version …"), ...versions.map((other) => h("option", { value: other }, plain(other))));
  section.append(choose, where);
}

/** What stands for deleted content: when, by which policy, by whom; what it still proves is read when asked for. */
function tombstone(ref, mark, signal) {
  const rows = [["Policy", mark.ref], ["By", mark.by], ["Reason", mark.reason]].filter(([, value]) => value);
  const more = h("button", { class: "link small", type: "button", on: { click: () => proves(stone, more, ref, signal) } }, "What it still proves");
  const stone = h("div", { class: "tombstone" }, h("b", {}, icon("cross"), "Deleted ", mark.time ? when(mark.time) : ""), facts(rows),
    h("p", {}, "That it was there, and all that it led to, is still in the record. What it said is not."), h("div", {}, more));
  return stone;
}

const facts = (rows) => h("dl", { class: "facts" }, ...rows.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, named(value, 300))]));

async function proves(stone, button, ref, signal) {
  button.disabled = true;
  try {
    await raw("/v1/content", [["ref", ref]], signal);
    button.replaceWith("It is there again: read this page anew.");
  } catch (error) {
    if (error.name === "AbortError") return;
    if (!(error instanceof Trouble)) throw error;
    button.replaceWith(told(error.problem));
  }
}

/** A tombstone as the service gives it: what is still shown by the record, and what no longer is. */
function told(problem) {
  const list = (title, items, sign) => items?.length > 0 && h("div", {}, h("b", {}, title), h("ul", {}, ...items.map((one) => h("li", {}, icon(sign), h("span", {}, named(one, 300))))));
  return h("div", {}, h("p", {}, named(problem.detail ?? "", 600)), ...(problem.tombstones ?? []).map((stone) => h("div", {},
    facts([["State", stone.state], ["Done", stone.done], ["Policy", stone.policy], ["By", stone.actor], ["Reason", stone.reason_class]].filter(([, value]) => value)),
    list("Still shown by the record", stone.provable, "tick"), list("No longer shown", stone.lost, "cross"),
    list("Gone from", stone.places, "cross"), list("Backups that still hold it", stone.backups, "warn"))));
}
