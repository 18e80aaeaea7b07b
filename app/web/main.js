// Which page the address asks for, and what is the same on all of them: search, theme, keys, sign-in.
import { address, follow, go, read } from "./address.js";
import { get, keyAsked, signIn, signedIn, Trouble } from "./api.js";
import { byId, h, named, say } from "./dom.js";
import { stamp } from "./paper.js";
import { offerHits } from "./search.js";
import { waiting, trouble } from "./states.js";

const PAGES = {
  start: ["Start", () => import("./start.js")],
  ask: ["Ask", () => import("./ask.js")],
  compare: ["Compare", () => import("./compare.js")],
  worklists: ["Worklists", () => import("./worklists.js")],
};
const KEYS = [
  ["/", "search"], ["?", "this list, and hints beside each control"], ["g then a, v, t", "answer, graph, table"],
  ["← →", "in the graph: to a cause, to an effect"], ["↑ ↓", "in the graph: next edge of this node; in a table: next row"],
  ["Enter", "open the node or edge at the side"], ["+ −", "open or close a card; zoom"], ["f", "fit the drawing"],
  ["m", "mark a node"], ["p", "show the best path to the marked node"], ["[ ]", "step back or forward in the log"],
  ["c", "copy a link to exactly this view"], ["Esc", "leave the graph, close the side panel"],
];
const SECONDS_UNTIL_AGAIN = 8;
let running = new AbortController();
let shown; // where the page was scrolled for
let pageShown;

async function render() {
  const state = read();
  const page = PAGES[state.page] ? state.page : "start";
  running.abort();
  running = new AbortController();
  const { signal } = running;
  byId("pages").replaceChildren(...Object.entries(PAGES).map(([name, [label]]) =>
    h("li", {}, h("a", { href: address({ page: name }), "aria-current": name === page && "page" }, label))));
  if (page !== pageShown) byId("bar").replaceChildren();
  document.body.dataset.page = page;
  const patient = setTimeout(() => waiting(byId("main")), page === pageShown ? 4000 : 400);
  try {
    const { show } = await PAGES[page][1]();
    if (!signal.aborted) await show(state, byId("main"), byId("bar"), signal);
    const place = JSON.stringify([page, state.ask, state.view, state.target]);
    if (place !== shown) scrollTo(0, 0);
    shown = place;
    pageShown = page;
  } catch (error) {
    if (error.name === "AbortError" || signal.aborted) return;
    if (!(error instanceof Trouble)) throw error;
    pageShown = undefined;
    if (error.status === 401 && signedIn()) error.problem.detail = "This key was not accepted: it is not known, was revoked, or has expired.";
    const passing = [0, 429, 503].includes(error.status);
    trouble(byId("main"), error, { retry: render, sign: askForKey, passing });
    if (passing) setTimeout(() => signal.aborted || render(), SECONDS_UNTIL_AGAIN * 1000);
  } finally {
    clearTimeout(patient);
    byId("sign").textContent = signedIn() ? "Sign out" : "Sign in";
    byId("sign").hidden = !signedIn() && !keyAsked();
    tell();
  }
}

/** Whose record this is, and as whom it is read: told once a key. */
async function tell() {
  const shown = signedIn() ? "key" : "none";
  if (tell.shown === shown) return;
  tell.shown = shown;
  byId("who").replaceChildren();
  try {
    const { tenant, name, open } = await get("/v1/me", []);
    byId("who").replaceChildren(h("b", {}, named(tenant, 40)), open ? "no key asked for" : named(name, 40));
  } catch (error) {
    if (!(error instanceof Trouble)) throw error;
    tell.shown = undefined;
  }
}

function theme(next) {
  if (next) document.documentElement.dataset.theme = next;
  const dark = (document.documentElement.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const label = `Use the ${dark ? "light" : "dark"} theme`;
  byId("theme").setAttribute("aria-label", label);
  byId("theme").title = label;
  return dark;
}

function showKeys() {
  document.documentElement.dataset.keys = "on";
  byId("keys").replaceChildren(
    h("header", {}, h("h2", { id: "keys-h" }, "Keys"), closing("keys")),
    h("dl", {}, ...KEYS.flatMap(([key, what]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, what)])),
    h("p", {}, "Hints now also stand beside the controls. They stay until you reload the page."));
  byId("keys").showModal();
}
const closing = (id) => h("button", { class: "btn s", type: "button", on: { click: () => byId(id).close() } }, "Close");

function askForKey() {
  const key = h("input", { class: "fld", id: "key", type: "password", autocomplete: "off", required: true });
  byId("sheet").replaceChildren(
    h("header", {}, h("h2", { id: "sheet-h" }, "Sign in"), closing("sheet")),
    h("form", { class: "sheet", method: "dialog", on: { submit: () => { signIn(key.value); render(); } } },
      h("label", { for: "key" }, "API key"), key,
      h("p", { class: "quiet small" }, "It is kept in the memory of this tab alone, and is gone when you close or reload it."),
      h("div", { class: "btns" }, h("button", { class: "btn main", type: "submit" }, "Sign in"))));
  byId("sheet").showModal();
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (event.target.closest?.("input, select, textarea, dialog")) return;
  if (event.key === "?") showKeys();
  else if (event.key === "/") byId(document.body.dataset.page === "start" ? "big-find" : "find-text")?.focus();
  else if (event.key === "c") copyLink();
  else return;
  event.preventDefault();
}

async function copyLink() {
  try {
    await navigator.clipboard.writeText(location.href);
    say("Link copied");
  } catch {
    say("The address bar holds the link");
  }
}

byId("theme").addEventListener("click", () => theme(theme() ? "light" : "dark"));
byId("keys-open").addEventListener("click", showKeys);
byId("sign").addEventListener("click", () => (signedIn() ? location.reload() : askForKey())); // what was read is gone with the key
byId("find").addEventListener("submit", (event) => { event.preventDefault(); go({ page: "start", q: byId("find-text").value }); });
offerHits(byId("find-text"), byId("find"));
addEventListener("click", follow);
addEventListener("keydown", onKey);
addEventListener("popstate", render);
addEventListener("clew:address", render);
addEventListener("clew:sign-in", askForKey);
addEventListener("clew:copy", copyLink);
addEventListener("beforeprint", stamp);
const asked = read().theme;
theme(asked === "dark" || asked === "light" ? asked : undefined);
render();
