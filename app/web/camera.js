// Which part of the drawing is seen: pan, zoom, fit, and what of it is in view.
const NEAREST = 2.5;
const FARTHEST = 0.04;

export class Camera {
  constructor(picture, changed) {
    this.picture = picture;
    this.changed = changed;
    this.x = 0;
    this.y = 0;
    this.k = 1;
    this.width = 1;
    this.height = 1;
    this.fitted = false;
  }

  /** The size of the stage in CSS pixels. */
  resize(width, height) {
    this.width = Math.max(1, width);
    this.height = Math.max(1, height);
  }

  get transform() {
    return `matrix(${this.k} 0 0 ${this.k} ${this.width / 2 - this.x * this.k} ${this.height / 2 - this.y * this.k})`;
  }

  /** The rectangle of the drawing in view, with a margin of so many of its own sizes. */
  seen(margin = 0) {
    const w = this.width / this.k * (1 + 2 * margin);
    const h = this.height / this.k * (1 + 2 * margin);
    return { left: this.x - w / 2, top: this.y - h / 2, right: this.x + w / 2, bottom: this.y + h / 2, width: w, height: h };
  }

  fit() {
    const { width, height } = this.picture;
    this.x = width / 2;
    this.y = height / 2;
    this.k = clamp(Math.min(this.width / width, this.height / height) * 0.97, FARTHEST, 1.25);
    this.fitted = true;
    this.changed();
  }

  pan(dx, dy) {
    this.look(this.x - dx / this.k, this.y - dy / this.k);
  }

  /** Puts a point of the drawing in the middle. */
  look(x, y) {
    this.x = clamp(x, 0, this.picture.width);
    this.y = clamp(y, 0, this.picture.height);
    this.fitted = false;
    this.changed();
  }

  /** Nearer or farther, with the point under (px, py) of the stage kept where it is. */
  zoom(factor, px = this.width / 2, py = this.height / 2) {
    const k = clamp(this.k * factor, FARTHEST, NEAREST);
    const [x, y] = this.at(px, py);
    this.k = k;
    this.fitted = false;
    this.x = x - (px - this.width / 2) / k;
    this.y = y - (py - this.height / 2) / k;
    this.changed();
  }

  /** The point of the drawing under a point of the stage. */
  at(px, py) {
    return [this.x + (px - this.width / 2) / this.k, this.y + (py - this.height / 2) / this.k];
  }

  /** Brings a box into view, if it is not there; nearer when it could not be read. */
  show({ x, y, width, height }) {
    const seen = this.seen();
    const readable = this.k >= 0.55;
    if (readable && x >= seen.left && y >= seen.top && x + width <= seen.right && y + height <= seen.bottom) return;
    this.fitted = false;
    if (!readable) this.k = 0.9;
    this.x = x + width / 2;
    this.y = y + height / 2;
    this.changed();
  }
}

export const clamp = (value, least, most) => Math.min(most, Math.max(least, value));
export const touches = (a, b) => a.left <= b.right && b.left <= a.right && a.top <= b.bottom && b.top <= a.bottom;
