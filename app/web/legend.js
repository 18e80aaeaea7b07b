// The legend, which filters what is drawn and listed; the counts stay those of the whole answer.
import { go } from "./address.js";
import { h, icon, letter, shape } from "./dom.js";
import { evidence, EVIDENCE, GAPS, gapWord, MARKS, number, shown } from "./words.js";

const KINDS = [["e", "entity"], ["a", "activity"], ["g", "agent"]];

/** How often each kind, evidence and state occurs in a picture. */
export function counts(picture) {
  const found = new Map();
  const add = (key, count = 1) => found.set(key, (found.get(key) ?? 0) + count);
  for (const node of picture.nodes) {
    add(letter(node.kinds));
    for (const mark of shown(node.marks ?? [])) add(mark);
  }
  for (const card of picture.cards) {
    add(letter(card.kinds), card.members.length);
    for (const mark of shown(card.marks)) add(mark, card.members.length);
  }
  for (const line of picture.lines) add(line.evidence || "refuted", line.count);
  return found;
}

export function legend(picture, state) {
  const found = counts(picture);
  const hide = new Set(state.hide ?? []);
  const box = (key, label) => h("label", {}, h("input", { type: "checkbox", checked: !hide.has(key), on: { change: (event) => {
    const next = new Set(hide);
    next[event.target.checked ? "delete" : "add"](key);
    go({ ...state, hide: [...next].sort() }, { replace: true });
  } } }), label, h("span", { class: "c" }, number(found.get(key) ?? 0)));
  const states = Object.keys(MARKS).filter((mark) => found.has(mark));
  return h("div", { class: "legend" },
    h("fieldset", {}, h("legend", {}, "Evidence"), ...EVIDENCE.map((word) => box(word, evidence(word))), found.has("refuted") && box("refuted", h("span", { class: "none" }, "refuted"))),
    h("fieldset", {}, h("legend", {}, "Kind"), ...KINDS.map(([key, word]) => box(key, h("span", { class: "kind" }, shape([word]), word)))),
    states.length > 0 && h("fieldset", {}, h("legend", {}, "State"), ...states.map((mark) => box(mark, h("span", { class: `kind ${MARKS[mark][3]}` }, icon(MARKS[mark][1]), MARKS[mark][2])))));
}

/** What an answer does not show, on one line; with what a picture leaves out. */
export function gapLine(graph, picture) {
  const items = (graph.gaps ?? []).map((gap) => h("li", {}, icon(GAPS[gap.kind]?.[1] ?? "ask", gap.kind === "never_recorded" ? "bad" : "warn"), `${number(gap.count)} ${gapWord(gap.kind)}`));
  if (graph.unchecked?.length) items.push(h("li", {}, icon("ask", "warn"), `${graph.unchecked.length} not checked`));
  if (graph.truncated) items.push(h("li", {}, icon("warn", "warn"), "the walk was cut: there is more"));
  if (picture?.left_out) items.push(h("li", {}, icon("list"), `${number(picture.left_out)} nodes farther off are not drawn; the table has them`));
  return h("div", { class: "gapline" }, h("b", {}, "What it does not show"), h("ul", {}, ...(items.length ? items : [h("li", {}, icon("minus"), "no gap is known")])));
}
