// Waiting, failing and finding nothing: states that are designed, not left over.
import { h, icon, lay, named, say } from "./dom.js";
import { address } from "./address.js";

export function waiting(where) {
  lay(where, "wrap middle", h("div", { class: "card" }, h("div", { class: "body bones", role: "status" },
    h("p", { class: "quiet" }, "Reading the record …"), ...["w1", "w2", "w3", "w4"].map((wide) => h("div", { class: `bone ${wide}` })))));
}

const TITLES = {
  0: "No reply", 401: "Signed out", 403: "Not permitted", 404: "Not found, or not yours", 410: "Deleted", 422: "This can't be asked so",
  429: "Too many requests", 503: "The store can't be used now",
};

/** What went wrong, and what can be done; the question stays in the address. */
export function trouble(where, error, { retry, sign, passing } = {}) {
  const { status, problem } = error;
  const near = [...(problem.near ?? []), ...(problem.versions ?? [])];
  lay(where, "wrap middle", h("section", { class: "card", "aria-labelledby": "trouble" },
    h("header", {}, h("h1", { id: "trouble" }, icon(status === 404 ? "ask" : "warn", status >= 500 || !status ? "bad" : "warn"), TITLES[status] ?? problem.title ?? "This did not work")),
    h("div", { class: "body stack" },
      h("p", { class: "lead" }, named(problem.detail ?? "", 600)),
      problem.remedy && h("p", {}, named(problem.remedy, 400)),
      passing && h("p", { class: "quiet" }, "It is asked again by itself; the question stays in the address."),
      near.length > 0 && h("div", {}, h("h2", {}, "What comes near"), h("ul", { class: "plainlist" }, ...near.slice(0, 20).map((ref) =>
        h("li", {}, h("a", { href: address({ ...current(), target: [ref] }) }, named(ref)))))),
      h("div", { class: "btns" },
        retry && h("button", { class: "btn main", type: "button", on: { click: retry } }, "Try again"),
        (status === 401 || status === 403) && sign && h("button", { class: "btn", type: "button", on: { click: sign } }, "Sign in"),
        status === 404 && current().ask && h("a", { class: "btn", href: address({ page: "start", q: wordsOf(problem.asked ?? new URLSearchParams(location.search).get("target") ?? "") }) }, "Search for it"),
        h("a", { class: "btn", href: "/" }, "Start")))));
  say(`${TITLES[status] ?? "This did not work"}: ${problem.detail ?? ""}`);
}

const wordsOf = (ref) => ref.replace(/@.*$/, "").split(/[:/]/).at(-1) || ref;

function current() {
  const found = {};
  for (const [name, value] of new URLSearchParams(location.search)) if (name !== "target") found[name] = value;
  return found;
}

export const none = (text) => h("span", { class: "none" }, text);
