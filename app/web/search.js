// Search as you type, over names and attributes.
import { address, go } from "./address.js";
import { get, Trouble } from "./api.js";
import { h, named, shape } from "./dom.js";
import { called, counted } from "./words.js";

export const LONGEST = 8;

/** Nodes that a text finds: {nodes, total}; its last word may go on. */
export const search = (text, limit, signal) => get("/v1/nodes", [["q", `${text.trim()}*`], ["limit", limit]], signal);

/** The state that shows a node: what it came from, or for an agent or source what came from it. */
export const asking = (ref, kinds) => ({
  page: "ask", ask: kinds.includes("agent") ? "impact-of" : "inputs-of", target: [ref],
});

/** A list of hits under an input; arrow keys walk it, Enter opens one. */
export function offerHits(input, beside, opens = asking) {
  const list = h("ul", { class: "hits pop", role: "listbox", id: `${input.id}-hits`, hidden: true });
  beside.append(list);
  let waiting;
  let running = new AbortController();
  let chosen = -1;
  input.setAttribute("role", "combobox");
  input.setAttribute("aria-autocomplete", "list");
  input.setAttribute("aria-controls", list.id);
  input.setAttribute("aria-expanded", "false");
  const close = () => { list.hidden = true; chosen = -1; input.setAttribute("aria-expanded", "false"); input.removeAttribute("aria-activedescendant"); };
  const choose = (at) => {
    const items = [...list.querySelectorAll("[role=option]")];
    if (!items.length) return;
    chosen = (at + items.length) % items.length;
    items.forEach((item, n) => item.setAttribute("aria-selected", n === chosen));
    input.setAttribute("aria-activedescendant", items[chosen].id);
  };
  async function look() {
    const text = input.value.trim();
    running.abort();
    if (text.length < 2) return close();
    running = new AbortController();
    try {
      const found = await search(text, LONGEST, running.signal);
      list.replaceChildren(...found.nodes.map((node, n) => hit(node, `${list.id}-${n}`, close, opens)), footer(found, text));
      list.hidden = false;
      chosen = -1;
      input.setAttribute("aria-expanded", "true");
    } catch (error) {
      if (error.name !== "AbortError" && !(error instanceof Trouble)) throw error;
      if (error instanceof Trouble) close();
    }
  }
  input.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(look, 150); });
  input.addEventListener("keydown", (event) => {
    if (event.key === "Escape") close();
    else if (event.key === "ArrowDown") choose(chosen + 1);
    else if (event.key === "ArrowUp") choose(chosen - 1);
    else if (event.key === "Enter" && chosen >= 0) list.querySelectorAll("[role=option]")[chosen].click();
    else return;
    event.preventDefault();
  });
  beside.addEventListener("focusout", (event) => { if (!beside.contains(event.relatedTarget)) close(); });
}

function hit(node, id, close, opens) {
  const { name, version, what } = called(node.ref, node.type);
  const where = node.found?.find((one) => one.name !== "ref");
  return h("li", { role: "option", id, on: { mousedown: (event) => event.preventDefault(), click: () => { close(); go(opens(node.ref, node.kinds)); } } },
    shape(node.kinds), h("span", {}, h("b", {}, named(name, 60)), h("span", { class: "sub" }, named([version, what, where?.value ?? node.ref].filter(Boolean).join(", "), 120))), h("span", { class: "end" }, what || node.kinds[0]));
}

function footer(found, text) {
  if (!found.nodes.length) return h("li", { class: "more" }, `Nothing is named like “${text.slice(0, 60)}”`);
  return h("li", { class: "more" }, `${found.nodes.length} of ${counted(found.total, "match", "matches")}`, h("a", { href: address({ page: "start", q: text }) }, "Show all"));
}
