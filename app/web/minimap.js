// The small map of a drawing: all boxes and lines as a few paths, and a frame that can be dragged.
import { route } from "./drawing.js";
import { h, letter, s } from "./dom.js";

const FRAME = ["x", "y", "width", "height"];

export class Minimap {
  constructor(picture, pieces, trail, moveTo) {
    this.picture = picture;
    this.frame = s("rect", { class: "view" });
    const boxes = { e: [], a: [], g: [], r: [] };
    for (const box of pieces.boxes.values()) boxes[letter(box.kinds)].push(`M${box.x} ${box.y}h${box.width}v${box.height}h${-box.width}z`);
    const map = s("svg", { viewBox: `0 0 ${picture.width} ${picture.height}`, "aria-hidden": "true", preserveAspectRatio: "xMidYMid meet" },
      s("path", { class: "ml", d: pieces.lines.map(route).join("") }),
      s("path", { class: "ml p", d: pieces.lines.filter((line) => trail.has(line.id)).map(route).join("") }),
      ...Object.entries(boxes).map(([kind, d]) => s("path", { class: `me-${kind}`, d: d.join("") })), this.frame);
    const move = (event) => {
      if (event.type === "pointermove" && !(event.buttons & 1)) return;
      moveTo(new DOMPoint(event.clientX, event.clientY).matrixTransform(map.getScreenCTM().inverse()));
    };
    map.addEventListener("pointerdown", move);
    map.addEventListener("pointermove", move);
    this.element = h("div", { class: "mini", hidden: true }, map);
  }

  /** It is there only when there is more than what is in view: else it would cover what it shows. */
  show(seen) {
    const { width, height } = this.picture;
    this.element.hidden = seen.left <= 0 && seen.top <= 0 && seen.right >= width && seen.bottom >= height;
    const values = [seen.left, seen.top, seen.width, seen.height];
    FRAME.forEach((name, n) => this.frame.setAttribute(name, values[n]));
  }
}
