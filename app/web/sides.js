// Two texts side by side: equal lines level with each other, what changed within a line marked, long equal parts folded.
import { lines } from "./diff.js";
import { h, lined } from "./dom.js";
import { counted, number } from "./words.js";

const LONGEST = 2000; // signs of one line that are shown
const AROUND = 3; // equal lines that stay beside a difference

/** [{before, after}] of numbered lines, {n, text}; one side is missing where a line has no partner. */
export function aligned(before, after) {
  const found = lines(before, after);
  if (!found) return undefined;
  const rows = [];
  let [first, second] = [0, 0];
  for (let at = 0; at < found.length;) {
    if (found[at][0] === " ") {
      first += 1;
      second += 1;
      rows.push({ same: true, before: { n: first, text: found[at][1] }, after: { n: second, text: found[at][1] } });
      at += 1;
      continue;
    }
    const [gone, come] = [[], []];
    for (; at < found.length && found[at][0] !== " "; at += 1) (found[at][0] === "-" ? gone : come).push(found[at][1]);
    for (let n = 0; n < Math.max(gone.length, come.length); n += 1) {
      rows.push({
        before: n < gone.length ? { n: (first += 1), text: gone[n] } : undefined,
        after: n < come.length ? { n: (second += 1), text: come[n] } : undefined,
      });
    }
  }
  return rows;
}

/** The rows as a table; its first difference is marked, and `said` tells how many lines are unlike. */
export function sides(rows, [one, other]) {
  const unlike = rows.findIndex((row) => !row.same);
  const body = h("tbody", {}, ...folded(rows, unlike));
  return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Side by side" }, h("table", { class: "sides" },
    h("colgroup", {}, h("col", { class: "no" }), h("col"), h("col", { class: "no" }), h("col")),
    h("thead", {}, h("tr", {}, h("th", { scope: "col", colspan: 2 }, one), h("th", { scope: "col", colspan: 2 }, other))), body));
}

export const said = (rows) => {
  const at = rows.findIndex((row) => !row.same);
  if (at < 0) return "Both say the same.";
  const { before, after } = rows[at];
  return `${counted(rows.filter((row) => !row.same).length, "line is", "lines are")} unlike, the first ${before ? `line ${number(before.n)}` : `after line ${number(after.n - 1)}`} of the first.`;
};

function folded(rows, unlike) {
  const near = (at) => rows.slice(Math.max(0, at - AROUND), at + AROUND + 1).some((row) => !row.same);
  const shown = [];
  for (let at = 0; at < rows.length;) {
    let end = at;
    while (end < rows.length && !near(end)) end += 1;
    if (end - at > 2 * AROUND) shown.push(fold(rows.slice(at, end)));
    else for (const row of rows.slice(at, end)) shown.push(line(row));
    for (at = end; at < rows.length && near(at); at += 1) shown.push(line(rows[at], at === unlike));
  }
  return shown;
}

function fold(rows) {
  const row = h("tr", { class: "folded" }, h("td", { colspan: 4 }, h("button", { class: "link small", type: "button", on: { click: () => row.replaceWith(...rows.map((one) => line(one))) } }, `${counted(rows.length, "line")} the same: show them`)));
  return row;
}

function line(row, first) {
  const cells = row.same ? [lined(row.before.text, LONGEST), lined(row.after.text, LONGEST)] : parts(row.before?.text, row.after?.text);
  return h("tr", { class: first ? "first" : row.same ? "same" : "" },
    h("td", { class: "no" }, row.before && number(row.before.n)), h("td", { class: row.before ? row.same ? "" : "gone" : "void" }, cells[0]),
    h("td", { class: "no" }, row.after && number(row.after.n)), h("td", { class: row.after ? row.same ? "" : "come" : "void" }, cells[1]));
}

/** Both lines, with what lies between their equal ends marked; a reader of the screen hears it as taken out and put in. */
function parts(before, after) {
  const [a, b] = [Array.from(before ?? ""), Array.from(after ?? "")];
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1;
  const told = (tag, text, signs) => (text === undefined ? [] : [lined(signs.slice(0, head).join(""), LONGEST), h(tag, {}, lined(signs.slice(head, signs.length - tail).join(""), LONGEST)), lined(signs.slice(signs.length - tail).join(""), LONGEST)]);
  return [told("del", before, a), told("ins", after, b)];
}
