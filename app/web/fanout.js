// The panel of a card: search in all of its members, and open any of them.
import { address, go } from "./address.js";
import { h, named } from "./dom.js";
import { called, number, relation } from "./words.js";

const SHOWN = 100;

export function fanOut(where, card, { state, close }) {
  const list = h("ul", { class: "rows" });
  const count = h("p", { class: "small quiet", role: "status" });
  const look = h("input", { class: "fld", type: "search", "aria-label": `Search in ${number(card.members.length)}`, placeholder: `Search all ${number(card.members.length)}`, on: { input: () => fill() } });
  function fill() {
    const text = look.value.trim().toLowerCase();
    const found = text ? card.members.filter((ref) => ref.toLowerCase().includes(text)) : card.members;
    count.textContent = `${number(Math.min(found.length, SHOWN))} of ${number(found.length)} found, ${number(card.members.length)} in all`;
    list.replaceChildren(...found.slice(0, SHOWN).map((ref) => h("li", {}, h("span", { class: "what" }, h("a", { href: address({ ...state, at: ref }) }, named(called(ref).name, 60)), h("span", { class: "sub" }, named(called(ref).version || ref, 80))))));
  }
  fill();
  const more = (rows) => go({ ...state, open: [...(state.open ?? []).filter((one) => !one.endsWith(` ${card.id}`)), ...(rows ? [`${rows} ${card.id}`] : [])] });
  where.append(h("div", { class: "pane" },
    h("header", {}, h("h2", {}, h("span", {}, `${number(card.members.length)} like nodes`), close), h("p", { class: "small quiet" }, `${relation(card.term, card.side === "cause")} `, named(called(card.near).name, 60))),
    h("section", {}, h("div", { class: "btns" },
      card.shown < card.members.length && h("button", { class: "btn s", type: "button", on: { click: () => more(card.shown + 8) } }, "Show 8 more in the drawing"),
      card.shown > 4 && h("button", { class: "btn s", type: "button", on: { click: () => more(0) } }, "Close the card"))),
    h("section", {}, look, count, list)));
}
