// The legend, which filters what is drawn and listed; the counts stay those of the whole answer.
import { address, go, read } from "./address.js";
import { h, icon, shape } from "./dom.js";
import { evidence, EVIDENCE, GAPS, gapWord, known, MARKS, number, shown } from "./words.js";

const KINDS = ["entity", "activity", "agent", "restricted"];

/** Whether the legend hides a node, card or row, by its kinds and its marks. */
export const hidden = (piece, hide) => hide.has(piece.kinds[0]) || (piece.marks ?? []).some((mark) => hide.has(mark));

/** How often each kind, evidence and state occurs in a picture. */
export function counts(picture) {
  const found = new Map();
  const add = (key, count = 1) => found.set(key, (found.get(key) ?? 0) + count);
  for (const node of picture.nodes) {
    add(node.kinds[0]);
    for (const mark of shown(node.marks ?? [])) add(mark);
  }
  for (const card of picture.cards) {
    add(card.kinds[0], card.members.length);
    for (const mark of shown(card.marks)) add(mark, card.members.length);
  }
  for (const line of picture.lines) add(known(line), line.count);
  return found;
}

export function legend(picture, state) {
  const found = counts(picture);
  const hide = new Set(state.hide ?? []);
  const box = (key, label) => h("label", {}, h("input", { type: "checkbox", checked: !hide.has(key), on: { change: (event) => {
    const next = new Set(read().hide); // another box may just have been changed
    next[event.target.checked ? "delete" : "add"](key);
    go({ ...state, hide: [...next].sort() }, { replace: true });
  } } }), label, h("span", { class: "c" }, number(found.get(key) ?? 0)));
  const states = Object.keys(MARKS).filter((mark) => mark !== "restricted" && found.has(mark));
  return h("div", { class: "legend" },
    h("fieldset", {}, h("legend", {}, "Evidence"), ...EVIDENCE.map((word) => box(word, evidence(word))), ...["refuted", "untold"].filter((word) => found.has(word)).map((word) => box(word, evidence(word)))),
    h("fieldset", {}, h("legend", {}, "Kind"), ...KINDS.filter((word) => word !== "restricted" || found.has(word)).map((word) => box(word, h("span", { class: "kind" }, shape([word]), word)))),
    states.length > 0 && h("fieldset", {}, h("legend", {}, "State"), ...states.map((mark) => box(mark, h("span", { class: `kind ${MARKS[mark][3]}` }, icon(MARKS[mark][1]), MARKS[mark][2])))));
}

/** What an answer does not show, on one line; with what a picture leaves out. */
export function gapLine(graph, state, picture) {
  const items = (graph.gaps ?? []).map((gap) => h("li", {}, icon(GAPS[gap.kind]?.[1] ?? "ask", gap.kind === "never_recorded" ? "bad" : "warn"), `${number(gap.count)} ${gapWord(gap.kind)}`));
  if (graph.unchecked?.length) items.push(h("li", {}, icon("ask", "warn"), `${graph.unchecked.length} not checked`));
  if (graph.truncated) items.push(h("li", {}, icon("warn", "warn"), "the walk was cut: there is more"));
  if (picture?.left_out) items.push(h("li", {}, icon("list"), `${number(picture.left_out)} nodes farther off are not drawn; `, state.fold ? "the table has them" : h("span", {}, "see the ", h("a", { href: address({ ...state, view: "table" }) }, "table"), ", or ", h("a", { href: address({ ...state, fold: "run" }) }, "fold by run"))));
  return h("div", { class: "gapline" }, h("b", {}, "What it does not show"), h("ul", {}, ...(items.length ? items : [h("li", {}, icon("minus"), "no gap is known")])));
}
