// The canvas: frames where they belong in the window of now, and the pointer and keys that change it.

import { decimal, decimalNumber, decimalText } from "./decimal.js";

const colour = (digits) => "#" + digits;

/** The pixels of a frame in a canvas of its own. */
function imageOf(header, bytes) {
  const { width, height, format } = header;
  if (width === 0 || height === 0) return null;
  const image = new OffscreenCanvas(width, height);
  const pixels = new ImageData(width, height);
  const to = new Uint32Array(pixels.data.buffer);
  const opaque = 0xff000000;
  if (format === "palette") {
    const palette = new Uint32Array(256);
    for (let i = 0; i * 6 < header.colours.length; ++i) {
      const [r, g, b] = [0, 2, 4].map((at) => parseInt(header.colours.substr(6 * i + at, 2), 16));
      palette[i] = (opaque | (b << 16) | (g << 8) | r) >>> 0;
    }
    for (let i = 0; i < to.length; ++i) to[i] = palette[bytes[i]];
  } else if (format === "grey") {
    for (let i = 0; i < to.length; ++i) to[i] = (opaque | (bytes[i] * 0x010101)) >>> 0;
  } else if (format === "rgb") {
    for (let i = 0, at = 0; i < to.length; ++i, at += 3)
      to[i] = (opaque | (bytes[at + 2] << 16) | (bytes[at + 1] << 8) | bytes[at]) >>> 0;
  } else {
    pixels.data.set(bytes);
  }
  image.getContext("2d").putImageData(pixels, 0, 0);
  return image;
}

export class Picture {
  /** `moved` is called with the window when it has changed, at most once a frame of the screen. */
  constructor(canvas, moved) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d", { alpha: false });
    this.moved = moved;
    this.window = { x: 0n, y: 0n, scale: 1, width: 1, height: 1 };
    this.up = false;
    this.scales = [1e-306, 1e18];
    this.frame = null;
    this.tool = null;
    this.pointers = new Map();
    this.listen();
    new ResizeObserver(() => this.resize()).observe(canvas);
    this.resize();
  }

  resize() {
    const box = this.canvas.getBoundingClientRect();
    const side = (length) => Math.min(8192, Math.max(1, Math.round(length * devicePixelRatio)));
    const width = side(box.width), height = side(box.height);
    if (box.width === 0 || (width === this.window.width && height === this.window.height)) return;
    Object.assign(this.window, { width, height });
    this.canvas.width = width;
    this.canvas.height = height;
    this.change();
  }

  /** The window as messages have it. */
  message() {
    const { x, y, scale, width, height } = this.window;
    return { x: decimalText(x), y: decimalText(y), scale, width, height };
  }

  show({ x, y, scale }) {
    Object.assign(this.window, { x: decimal(x), y: decimal(y), scale });
    this.change();
  }

  change() {
    this.isChanged = true;
    this.draw();
  }

  take(header, bytes, drawn) {
    this.frame = { header, image: imageOf(header, bytes), x: decimal(header.window.x), y: decimal(header.window.y) };
    this.drawn = drawn;
    this.draw();
  }

  draw() {
    if (this.isAsked) return;
    this.isAsked = true;
    requestAnimationFrame(() => {
      this.isAsked = false;
      if (this.isChanged) {
        this.isChanged = false;
        this.moved();
      }
      this.paint();
      this.drawn?.();
      this.drawn = null;
    });
  }

  paint() {
    const { frame, window: now, context } = this;
    if (!frame) return;
    const { header, image } = frame;
    const then = header.window;
    context.fillStyle = colour(header.beyond);
    context.fillRect(0, 0, now.width, now.height);
    if (image) {
      const scaled = then.scale / now.scale;
      const right = decimalNumber(frame.x - now.x) / now.scale;
      const down = ((this.up ? -1 : 1) * decimalNumber(frame.y - now.y)) / now.scale;
      let left = now.width / 2 + right + (header.left - then.width / 2) * scaled;
      let top = now.height / 2 + down + (header.top - then.height / 2) * scaled;
      const side = header.pixel * scaled;
      // Of a window with an odd number of pixels the middle is half a pixel off.
      if (Number.isInteger(side)) [left, top] = [Math.round(left), Math.round(top)];
      context.imageSmoothingEnabled = false;
      context.drawImage(image, left, top, image.width * side, image.height * side);
    }
    Object.assign(this.canvas.dataset, { ...then, frame: header.frame, steps: header.steps });
  }

  pan(right, down) {
    const { window: now } = this;
    now.x -= decimal(right * now.scale);
    now.y -= decimal((this.up ? -down : down) * now.scale);
    this.change();
  }

  /** The place under a pixel stays where it is. */
  zoom(factor, px = this.window.width / 2, py = this.window.height / 2) {
    const { window: now } = this;
    const scale = Math.min(this.scales[1], Math.max(this.scales[0], now.scale * factor));
    const right = px - now.width / 2, down = (py - now.height / 2) * (this.up ? -1 : 1);
    now.x += decimal(right * (now.scale - scale));
    now.y += decimal(down * (now.scale - scale));
    now.scale = scale;
    this.change();
  }

  /** A pointer's place, in units of the simulation and in pixels. */
  place(event) {
    const { window: now } = this;
    const box = this.canvas.getBoundingClientRect();
    const px = ((event.clientX - box.left) * now.width) / box.width, py = ((event.clientY - box.top) * now.height) / box.height;
    return {
      x: decimalNumber(now.x) + (px - now.width / 2) * now.scale,
      y: decimalNumber(now.y) + (py - now.height / 2) * (this.up ? -1 : 1) * now.scale,
      scale: now.scale, px, py,
    };
  }

  /** The place in the middle. */
  middle() {
    return { x: decimalNumber(this.window.x), y: decimalNumber(this.window.y) };
  }

  listen() {
    const { canvas, pointers } = this;
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button !== 0 && event.button !== 1) return;
      canvas.setPointerCapture(event.pointerId);
      const at = this.place(event);
      if (pointers.size === 0) this.active = event.button === 0 && this.tool ? this.tool : null;
      else if (this.active) {
        // A second finger zooms.
        this.active.up?.(at, event);
        this.active = null;
      }
      pointers.set(event.pointerId, at);
      this.active?.down?.(at, event);
    });
    canvas.addEventListener("pointermove", (event) => {
      const before = pointers.get(event.pointerId);
      if (!before) return;
      const at = this.place(event);
      if (this.active) {
        for (const one of event.getCoalescedEvents?.() ?? []) this.active.move?.(this.place(one), one);
        this.active.move?.(at, event);
      } else if (pointers.size === 1) {
        this.pan(at.px - before.px, at.py - before.py);
      } else {
        const other = [...pointers].find(([id]) => id !== event.pointerId)[1];
        const apart = (a) => Math.max(8, Math.hypot(a.px - other.px, a.py - other.py));
        this.pan((at.px - before.px) / 2, (at.py - before.py) / 2);
        this.zoom(apart(before) / apart(at), (at.px + other.px) / 2, (at.py + other.py) / 2);
      }
      pointers.set(event.pointerId, at);
    });
    const end = (event) => {
      if (!pointers.delete(event.pointerId)) return;
      this.active?.up?.(this.place(event), event);
      if (pointers.size === 0) this.active = null;
    };
    canvas.addEventListener("pointerup", end);
    canvas.addEventListener("pointercancel", end);
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      const at = this.place(event);
      const lines = event.deltaMode === 1 ? 16 : 1;
      this.zoom(Math.exp(Math.max(-120, Math.min(120, event.deltaY * lines)) * 0.005), at.px, at.py);
    }, { passive: false });
  }

  /** Whether the key is one of the window's. */
  key(name) {
    const step = Math.min(this.window.width, this.window.height) / 8;
    const pans = { ArrowLeft: [step, 0], ArrowRight: [-step, 0], ArrowUp: [0, step], ArrowDown: [0, -step] };
    if (pans[name]) this.pan(...pans[name]);
    else if (name === "+" || name === "=") this.zoom(1 / 1.5);
    else if (name === "-" || name === "_") this.zoom(1.5);
    else return false;
    return true;
  }
}
