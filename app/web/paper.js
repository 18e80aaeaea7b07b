// What paper needs beside the screen: when and from where it was printed, and each line of a drawing in words.
import { byId, h, named } from "./dom.js";
import { called, evidence, known, relation } from "./words.js";

/** Says at the head of the page which record it shows, and when. */
export function stamp() {
  const now = new Date();
  byId("paper").replaceChildren(`Printed ${now.toLocaleString()} (${now.toISOString().slice(0, 19)} UTC) from `, named(location.href, 600));
}

/** The lines of a drawing as a table: a drawing of many nodes can't be read on paper. */
export function listed(pieces) {
  const name = (id) => {
    const box = pieces.boxes.get(id);
    if (box.members) return `${box.members.length} like nodes`;
    return box.kinds.includes("restricted") ? "restricted" : named([box.name, called(box.ref).version].filter(Boolean).join(", "), 120);
  };
  const row = (line) => h("tr", {}, h("td", {}, name(line.effect)), h("td", {}, [...new Set(line.joins.map((join) => relation(join.term)))].join(", ") || `${line.count} links to`), h("td", {}, name(line.cause)), h("td", {}, evidence(known(line))));
  return h("section", { class: "card listed" }, h("header", {}, h("h2", {}, "Its lines")), h("table", { class: "data" },
    h("thead", {}, h("tr", {}, ...["Effect", "Relation", "Cause", "Known"].map((word) => h("th", { scope: "col" }, word)))), h("tbody", {}, ...pieces.lines.map(row))));
}
