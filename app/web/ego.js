// On a narrow screen the drawing becomes a list: one node, its causes, and what came from it.
import { address } from "./address.js";
import { h, named, shape } from "./dom.js";
import { called, evidence, known, number, relation, shown, tag } from "./words.js";

export function ego(pieces, marks, state) {
  const at = pieces.boxes.get(state.at) ?? pieces.nodes.find((node) => node.target) ?? pieces.nodes[0];
  if (!at) return h("div", { class: "ego" });
  const id = at.ref ?? at.id;
  const side = (lines, far, fromCause, title) => [h("h2", {}, h("span", {}, title), h("span", { class: "quiet small" }, `${lines.length} drawn`)),
    lines.length ? h("ul", {}, ...lines.map((line) => row(pieces.boxes.get(line[far]), line, fromCause, state))) : h("p", { class: "none small pad" }, "none recorded")];
  return h("div", { class: "ego" },
    ...side(pieces.causes.get(id) ?? [], "cause", true, "Its causes"),
    h("div", { class: "mid" }, h("b", {}, name(at)), " ", h("span", { class: "quiet" }, at.detail ?? ""), h("div", { class: "tags" }, ...shown(at.marks ?? []).map(tag))),
    ...side(pieces.effects.get(id) ?? [], "effect", false, "What came from it"),
    h("div", { class: "more btns" },
      h("button", { class: "btn s", type: "button", on: { click: (event) => {
        const drawn = event.target.closest(".stage").classList.toggle("drawn");
        event.target.textContent = drawn ? "Back to causes and effects" : "Show the whole drawing";
      } } }, "Show the whole drawing"),
      h("a", { class: "btn s", href: address({ ...state, view: "table" }) }, "All as a table")));
}

const name = (box) => (box.members ? `${number(box.members.length)} like nodes` : named(box.name, 60));

function row(box, line, fromCause, state) {
  const terms = [...new Set(line.joins.map((join) => relation(join.term, fromCause)))].join(", ");
  const title = box.kinds.includes("restricted") ? h("b", {}, "a restricted node") : box.members ? h("b", {}, name(box)) : h("b", {}, h("a", { href: address({ ...state, at: box.ref }) }, name(box)));
  return h("li", {}, shape(box.kinds), title, h("span", { class: "sub" }, h("span", {}, terms ? `${terms} it` : `${line.count} links`), evidence(known(line)), ...(box.members ? [] : shown(box.marks ?? []).map(tag)), !box.members && called(box.ref).version));
}
