// The whole state is the address: what is asked, of what, how it is shown and what is selected.
const MANY = new Set(["target", "evidence", "expand", "open", "hide"]);
const OWN = new Set(["page", "ask", "view", "at", "open", "hide", "q", "sort", "case", "path", "theme"]);

/** The state that an address holds; lists for what may be given several times. */
export function read(search = location.search) {
  const state = { page: "start", view: "answer" };
  for (const [name, value] of new URLSearchParams(search)) {
    if (MANY.has(name)) (state[name] ??= []).push(value);
    else state[name] = value;
  }
  return state;
}

/** The address of a state; defaults are left out, so that the same state has one address. */
export function address(state) {
  const found = new URLSearchParams();
  for (const [name, value] of Object.entries(state)) {
    if (value === "" || value === undefined || value === null || (name === "view" && value === "answer") || (name === "page" && value === "start")) continue;
    for (const one of Array.isArray(value) ? value : [value]) found.append(name, one);
  }
  const text = found.toString();
  return text ? `/?${text}` : "/";
}

/** The parameters of the question alone, as REST takes them. */
export function asked(state) {
  return Object.entries(state)
    .filter(([name]) => !OWN.has(name))
    .flatMap(([name, value]) => (Array.isArray(value) ? value : [value]).map((one) => [name, one]));
}

/** Changes the address, as a step that "back" undoes (or in place), and lets the page follow. */
export function go(state, { replace = false } = {}) {
  const to = address(state);
  if (to !== location.pathname + location.search) history[replace ? "replaceState" : "pushState"](null, "", to);
  dispatchEvent(new Event("clew:address"));
}

/** A link to a state: a click with no key held stays on this page. */
export function follow(event) {
  const link = event.target.closest?.("a[href^='/?'], a[href='/']");
  if (!link || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  go(read(new URL(link.href).search));
}
