// Links in the head of the page that say where provenance of what is asked about is (PROV-AQ, section 3.2).
import { raw, Trouble } from "./api.js";
import { h } from "./dom.js";

const LINK = /<([^>]*)>; rel="([^"]*)"; anchor="([^"]*)"/g;
const ANCHOR = "http://www.w3.org/ns/prov#has_anchor";
let done = "";

/** The service gives them as a header of what it knows of a node; here they become elements. */
export async function linkHead(refs, signal) {
  if (refs.join(" ") === done) return;
  done = refs.join(" ");
  for (const old of document.head.querySelectorAll("link.target")) old.remove();
  if (!refs.length) return;
  try {
    const response = await raw("/v1/nodes", refs.slice(0, 5).map((ref) => ["ref", ref]), signal);
    await response.arrayBuffer(); // else the request stays open
    const found = [...(response.headers.get("Link") ?? "").matchAll(LINK)];
    const anchors = [...new Set(found.map(([, , , anchor]) => anchor))].map((anchor) => [ANCHOR, anchor]);
    document.head.append(...[...found.map(([, uri, rel]) => [rel, uri]), ...anchors].map(([rel, href]) => h("link", { class: "target", rel, href })));
  } catch (error) {
    done = "";
    if (!(error instanceof Trouble) && error.name !== "AbortError") throw error;
  }
}
