// Building elements. Text is always a text node: nothing that comes from the store is ever read as markup.
const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "on") for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    else if (name === "data") for (const [key, text] of Object.entries(value)) element.dataset[key] = text;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat(4).filter((child) => child !== undefined && child !== null && child !== false && child !== ""));
  return element;
}

export const h = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
export const s = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);
export const icon = (name, kind = "") => s("svg", { class: `ic ${kind}`.trim(), "aria-hidden": "true" }, s("use", { href: `#i-${name}` }));
/** What a page holds, and how wide it stands: set together, so that what was shown meanwhile leaves nothing behind. */
export function lay(main, look, ...children) {
  main.className = look;
  renew(main, ...children.flat().filter(Boolean));
}

/** Puts new elements in place of old ones; whoever had the keyboard's focus has it again, known by what it is called. */
export function renew(where, ...children) {
  const held = where.contains(document.activeElement) && calledSo(document.activeElement);
  where.replaceChildren(...children);
  if (held) [...where.querySelectorAll("a, button, select, input, textarea, summary")].find((one) => calledSo(one) === held)?.focus({ preventScroll: true });
}

const calledSo = (element) => `${element.tagName} ${element.id || element.getAttribute("aria-label") || (element.closest("label") ?? element).textContent}`;
export const byId = (id) => document.getElementById(id);

const SHAPES = { entity: "e", activity: "a", agent: "g", restricted: "r" };
export const letter = (kinds) => SHAPES[kinds.includes("agent") && kinds.length === 1 ? "agent" : kinds.find((kind) => kind in SHAPES) ?? "entity"];
export const shape = (kinds, also = "") =>
  s("svg", { class: `k-${letter(kinds)} ${also}`.trim(), "aria-hidden": "true", viewBox: "0 0 24 16" }, s("use", { href: `#s-${letter(kinds)}` }));

// Signs that show nothing, or turn the order of what stands beside them, are shown as what they are.
const HIDDEN_IN_LINES = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/gu;
const HIDDEN = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/gu;

/** A name as text of its own direction: control signs as boxes, a long one with its middle left out. */
export function named(text, longest = 200) {
  const kept = shorten(String(text), longest);
  return h("bdi", kept === text ? {} : { title: shorten(String(text), 2000) }, ...boxed(kept, HIDDEN));
}

/** A text of several lines, as its writer broke them; the style sheet gives each line its own direction. */
export const lined = (text, longest) => boxed(shorten(text.replaceAll("\r\n", "\n"), longest), HIDDEN_IN_LINES);

function boxed(text, signs) {
  const parts = [];
  let from = 0;
  for (const found of text.matchAll(signs)) {
    parts.push(text.slice(from, found.index), h("span", { class: "esc" }, code(found[0])));
    from = found.index + found[0].length;
  }
  return [...parts, text.slice(from)];
}

/** The same for an attribute or a label, where there are no boxes. */
export const plain = (text, longest = 200) => shorten(String(text), longest).replace(HIDDEN, (sign) => code(sign));

const code = (sign) => `U+${sign.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;

export function shorten(text, longest) {
  const signs = Array.from(text.slice(0, 4 * longest + 8));
  if (text.length <= longest || (signs.length <= longest && text.length <= signs.join("").length)) return text;
  const tail = Math.floor((longest - 1) / 3);
  return `${signs.slice(0, longest - 1 - tail).join("")}…${Array.from(text.slice(-2 * tail - 2)).slice(-tail).join("")}`;
}

/** Gives the reader a file. */
export function save(data, name) {
  const link = h("a", { href: URL.createObjectURL(data), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  say(`${name} is on its way`);
}

/** Tells a screen reader what just changed. */
export function say(text) {
  byId("said").textContent = text;
}
