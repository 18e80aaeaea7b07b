// SVG of nodes, cards and lines. Only what is in view is made; from far away all of it becomes a few paths.
import { clamp, touches } from "./camera.js";
import { letter, plain, s, shorten } from "./dom.js";
import { called, EVIDENCE, GLYPHS, known, MARKS, number, relation, shown } from "./words.js";

/** So many boxes in view are drawn one by one; more could not be read, and would be slow. */
const MOST = 320;
const CLASS = { e: "e", a: "a", g: "o", r: "lock" };
const LOCK = "M-3 0h6v4.5h-6zM-1.7 0v-1.6a1.7 1.7 0 0 1 3.4 0V0";

/** The pieces of a picture with their extents, found by what they are called. */
export class Pieces {
  constructor(picture, hidden = () => false) {
    this.nodes = picture.nodes.filter((node) => !hidden(node));
    this.cards = picture.cards.filter((card) => !hidden(card));
    this.boxes = new Map([...this.nodes.map((node) => [node.ref, node]), ...this.cards.map((card) => [card.id, card])]);
    this.lines = picture.lines.filter((line) => this.boxes.has(line.cause) && this.boxes.has(line.effect) && !hidden(line));
    this.lines.forEach((line, n) => { line.id = `line ${n}`; line.box ??= extent(line.points); });
    this.causes = new Map();
    this.effects = new Map();
    for (const line of this.lines) {
      push(this.causes, line.effect, line);
      push(this.effects, line.cause, line);
    }
  }

  find(id) {
    return this.boxes.get(id) ?? this.lines.find((line) => line.id === id);
  }
}

const push = (map, key, value) => (map.has(key) ? map.get(key).push(value) : map.set(key, [value]));

function extent(points) {
  const xs = points.filter((_, n) => n % 2 === 0);
  const ys = points.filter((_, n) => n % 2);
  return { left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys) };
}

const boxed = (box) => ({ left: box.x, top: box.y, right: box.x + box.width, bottom: box.y + box.height });

/** The path of a line from its effect back to its cause: straight through columns, curved between them. */
export function route(line) {
  const p = line.points;
  const last = p.length - 2;
  if (line.lane) return rounded(p);
  const parts = [`M${p[last]} ${p[last + 1]}`];
  for (let n = last - 2, straight = true; n >= 0; n -= 2, straight = !straight) {
    if (straight && p[n] === p[n + 2] && p[n + 1] === p[n + 3]) continue; // an arrowhead on a line of no length points nowhere
    if (straight) parts.push(`L${p[n]} ${p[n + 1]}`);
    else {
      const middle = (p[n] + p[n + 2]) / 2;
      parts.push(`C${middle} ${p[n + 3]} ${middle} ${p[n + 1]} ${p[n]} ${p[n + 1]}`);
    }
  }
  return parts.join("");
}

/** A line in a lane, its corners rounded. */
function rounded(p) {
  const pairs = [];
  for (let n = p.length - 2; n >= 0; n -= 2) pairs.push([p[n], p[n + 1]]);
  const parts = [`M${pairs[0]}`];
  for (let n = 1; n < pairs.length - 1; n += 1) {
    const near = (to) => { const [dx, dy] = [to[0] - pairs[n][0], to[1] - pairs[n][1]]; const way = Math.min(10, Math.hypot(dx, dy) / 2) / (Math.hypot(dx, dy) || 1); return [pairs[n][0] + dx * way, pairs[n][1] + dy * way]; };
    parts.push(`L${near(pairs[n - 1])}Q${pairs[n]} ${near(pairs[n + 1])}`);
  }
  return `${parts.join("")}L${pairs.at(-1)}`;
}

/** What is in view, as children of a group; `marks` says what is selected, focused and on the path. */
export function drawn(pieces, seen, k, marks, most = MOST) {
  const nodes = pieces.nodes.filter((node) => touches(boxed(node), seen));
  const cards = pieces.cards.filter((card) => touches(boxed(card), seen));
  if (nodes.length + cards.length > most || k < 0.22) return { far: true, children: fromFar(pieces, marks) };
  const lines = pieces.lines.filter((line) => touches(line.box, seen));
  return {
    far: false,
    children: [
      ...lines.filter((line) => marks.trail.has(line.id)).map((line) => s("path", { class: "trail", d: route(line) })),
      ...lines.map((line) => lineOf(line, pieces, marks)),
      ...cards.map((card) => cardOf(card, marks)),
      ...nodes.map((node) => nodeOf(node, marks)),
    ],
  };
}

/** All nodes of a kind as one path, and all lines of one evidence as one. */
function fromFar(pieces, marks) {
  const boxes = { e: [], a: [], g: [], r: [] };
  for (const box of pieces.boxes.values()) boxes[letter(box.kinds)].push(`M${box.x} ${box.y}h${box.width}v${box.height}h${-box.width}z`);
  const bad = pieces.nodes.filter((node) => node.marks?.includes("retracted"));
  return [
    ...[...EVIDENCE, "refuted", "untold"].map((word) => s("path", { class: `far ${word}`, d: pieces.lines.filter((line) => known(line) === word).map(route).join("") })),
    s("path", { class: "trail", d: pieces.lines.filter((line) => marks.trail.has(line.id)).map(route).join("") }),
    ...Object.entries(boxes).map(([kind, d]) => s("g", { class: CLASS[kind] }, s("path", { class: "sh", d: d.join("") }))),
    ...bad.slice(0, 50).map((node) => s("g", { class: "retracted" }, s("rect", { class: "sh", fill: "none", x: node.x, y: node.y, width: node.width, height: node.height }))),
    ...[...pieces.boxes.values()].filter((box) => box.target).map((box) => s("rect", { class: "fartarget", x: box.x - 8, y: box.y - 8, width: box.width + 16, height: box.height + 16 })),
  ];
}

const isRestricted = (box) => box.kinds.includes("restricted") || (box.marks ?? []).includes("restricted");

/** What a screen reader hears of a box. */
export function spoken(box) {
  if (box.members) return `${number(box.members.length)} like nodes, ${box.shown} shown, ${relation(box.term, box.side === "cause")} ${plain(called(box.near).name, 60)}`;
  if (isRestricted(box)) return ["a restricted node: its name is not told to you", box.target ? "what is asked about" : ""].filter(Boolean).join(", ");
  const { version, what } = called(box.ref, box.type);
  const states = shown(box.marks ?? []).map((kind) => MARKS[kind][2]);
  return [plain(box.name, 80), version, what || box.kinds.join(" and "), ...states, box.target ? "what is asked about" : "", box.folded ? `stands for ${number(box.folded)} nodes` : "", box.beyond ? `${box.beyond} more neighbours not drawn` : ""].filter(Boolean).join(", ");
}

/** What a screen reader hears of a line. */
export function spokenLine(line, pieces) {
  const name = (id) => { const box = pieces.boxes.get(id); return box.members ? `${box.members.length} like nodes` : isRestricted(box) ? "a restricted node" : plain(box.name, 60) + (called(box.ref).version ? `, ${called(box.ref).version}` : ""); };
  const terms = [...new Set(line.joins.map((join) => relation(join.term)))];
  return `${name(line.effect)}, ${terms.join(" and ") || `${line.count} links to`} ${name(line.cause)}; ${known(line) === "untold" ? "how it is known is not told to you" : known(line)}`;
}

const symbol = (id, label, marks, more) => ({
  role: "graphics-symbol", "aria-label": label, tabindex: marks.focus === id ? 0 : -1, "data-id": id, ...more,
});

function lineOf(line, pieces, marks) {
  const word = known(line);
  const d = route(line);
  const middle = Math.floor(line.points.length / 4) * 2;
  const [x, y] = between(line.points, middle);
  return s("g", symbol(line.id, spokenLine(line, pieces), marks, { class: `edge n ${marks.selected === line.id ? "sel" : ""}` }),
    s("path", { class: "hit", d }),
    s("path", { class: `ln-${word} ${word}`, d, "marker-end": `url(#m-${word})` }),
    GLYPHS[word] && s("g", { class: `gly ${word}`, transform: `translate(${x} ${y})` }, s("circle", { r: 7 }), s("path", { d: GLYPHS[word] })),
    word === "untold" && s("g", { class: "gly untold", transform: `translate(${x} ${y})` }, s("circle", { r: 7 }), s("path", { d: LOCK })),
    word === "refuted" && s("g", { class: "gly refuted", transform: `translate(${x} ${y})` }, s("circle", { r: 7 }), s("path", { d: "M-3-3 3 3M3-3-3 3" })));
}

const between = (p, n) => (n >= 2 ? [(p[n - 2] + p[n]) / 2, (p[n - 1] + p[n + 1]) / 2] : [p[0], p[1]]);

function outline(kind, width, height, grow = 0) {
  const [w, h, g] = [width + 2 * grow, height + 2 * grow, -grow];
  if (kind === "e") return s("ellipse", { cx: width / 2, cy: height / 2, rx: w / 2, ry: h / 2 });
  if (kind === "a" || kind === "r") return s("rect", { x: g, y: g, width: w, height: h, rx: kind === "r" ? 12 : undefined });
  return s("path", { d: `M${g} ${h + g}V${g + h * 0.3}L${width / 2} ${g}L${g + w} ${g + h * 0.3}V${h + g}z` });
}

function nodeOf(node, marks) {
  const kind = letter(node.kinds);
  const states = shown(node.marks ?? []);
  const classes = [CLASS[kind], "n", ...states.map((state) => MARKS[state][0]), node.target && "target", marks.selected === node.ref && "sel", marks.trailed.has(node.ref) && "trailed", marks.marked === node.ref && "marked"];
  const with_ = (element, name) => { element.setAttribute("class", name); return element; };
  const lock = isRestricted(node);
  const [name, second] = lock ? ["restricted", "hidden from you"] : [node.name, states.length ? MARKS[states[0]][2] : node.detail];
  const drop = kind === "g" ? 5 : 0;
  return s("g", symbol(node.ref, spoken(node), marks, { class: classes.filter(Boolean).join(" "), transform: `translate(${node.x} ${node.y})` }),
    marks.trailed.has(node.ref) && with_(outline(kind, node.width, node.height, 6), "trailn"),
    node.target && with_(outline(kind, node.width, node.height, 4), "ring"),
    with_(outline(kind, node.width, node.height, node.target ? 8 : 4), "ring2"),
    node.folded > 0 && [10, 5].map((off) => { const sheet = with_(outline(kind, node.width, node.height), "back"); sheet.setAttribute("transform", `translate(${off} ${off})`); return sheet; }),
    with_(outline(kind, node.width, node.height), "sh"),
    lock && s("rect", { class: "plate", x: node.width / 2 - 46, y: node.height / 2 - 16, width: 92, height: 32, rx: 3 }),
    s("text", { class: "l1", x: node.width / 2, y: node.height / 2 - 3 + drop }, text(name, 22)),
    s("text", { class: "l2", x: node.width / 2, y: node.height / 2 + 12 + drop }, text(second, 24)),
    (lock || states.length > 0) && badge(lock ? "restricted" : states[0], kind === "e" ? node.width * 0.1 : 0, kind === "e" ? node.height * 0.12 : 0),
    node.beyond > 0 && plate(node.width - 4, 0, node.beyond),
    node.folded > 0 && plate(node.width - 4, node.height + 2, node.folded));
}

const plate = (x, y, count) => s("g", { class: "badge ink", transform: `translate(${x} ${y})` }, s("rect", { x: -19, y: -9, width: 38, height: 17, rx: 8.5 }), s("text", { y: 4 }, `+${number(count)}`));

/** SVG has no isolation of direction but by characters. */
const text = (value, longest) => `\u2068${plain(shorten(value, longest), longest)}\u2069`;

function badge(state, x, y) {
  const [, sign, , tone] = MARKS[state];
  return s("g", { class: `badge ${tone}`, transform: `translate(${x} ${y})` }, s("circle", { r: 9 }), s("use", { href: `#i-${sign}`, x: -6, y: -6, width: 12, height: 12, class: "sign" }));
}

function cardOf(card, marks) {
  const rows = card.members.slice(0, card.shown);
  const row = 22;
  const told = card.evidence.map(([word, count]) => `${count} ${word}`).join(", ");
  const title = `${number(card.members.length)} ${plain(called("x:", card.type).what || card.type.split(":").at(-1) || card.kinds[0], 24)}`;
  return s("g", symbol(card.id, spoken(card), marks, { class: `fan n ${CLASS[letter(card.kinds)]} ${marks.selected === card.id ? "sel" : ""}`, transform: `translate(${card.x} ${card.y})` }),
    s("rect", { class: "back", x: 6, y: 6, width: card.width, height: card.height, rx: 6 }),
    s("rect", { class: "box sh2", width: card.width, height: card.height, rx: 6 }),
    s("rect", { class: "hd", x: 0.7, y: 0.7, width: card.width - 1.4, height: 2 * row - 4, rx: 5.4 }),
    s("text", { class: "l1", x: 12, y: 17 }, title), s("text", { class: "l2", x: 12, y: 33 }, `${number(rows.length)} of ${number(card.members.length)} shown; ${told}`),
    ...rows.flatMap((ref, n) => {
      const { name, version } = called(ref);
      return [s("text", { class: "row", x: 12, y: 2 * row + n * row + 14, "data-ref": ref }, text([name, version].filter(Boolean).join(", "), 34)),
        s("path", { class: "sep", d: `M8 ${2 * row + (n + 1) * row - 1}h${card.width - 16}` })];
    }),
    s("text", { class: "lk", x: 12, y: card.height - 7 }, rows.length < card.members.length ? `Search, or show ${clamp(card.members.length - rows.length, 1, 8)} more` : "Search"));
}

