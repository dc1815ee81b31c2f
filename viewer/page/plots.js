// Lines over a few hundred numbers, as SVG.

const SVG = "http://www.w3.org/2000/svg";
const short = (value) => (Number.isInteger(value) && Math.abs(value) < 1e7 ? String(value) : value.toPrecision(3));

export class Plots {
  constructor(into) {
    this.into = into;
    this.byName = new Map();
  }

  clear() {
    this.into.replaceChildren();
    this.byName.clear();
  }

  show(plots) {
    for (const plot of plots) this.draw(plot);
  }

  draw({ name, unit, log, x, y }) {
    let made = this.byName.get(name);
    if (!made) {
      const figure = document.createElement("figure"), caption = document.createElement("figcaption");
      const picture = document.createElementNS(SVG, "svg"), line = document.createElementNS(SVG, "polyline");
      figure.className = "plot";
      picture.setAttribute("viewBox", "0 0 100 100");
      picture.setAttribute("preserveAspectRatio", "none");
      picture.setAttribute("role", "img");
      picture.append(line);
      figure.append(picture, caption);
      this.into.append(figure);
      made = { caption, picture, line };
      this.byName.set(name, made);
    }
    const points = x.map((at, i) => [at, log ? Math.log10(y[i]) : y[i]]).filter((point) => point.every(Number.isFinite));
    if (points.length === 0) return;
    let [left, right, low, high] = [points[0][0], points.at(-1)[0], points[0][1], points[0][1]];
    for (const [, value] of points) {
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
    const across = right - left || 1, along = high - low || 1;
    made.line.setAttribute("points", points.map(([at, value]) =>
      `${(((at - left) / across) * 98 + 1).toFixed(2)},${(96 - ((value - low) / along) * 92).toFixed(2)}`).join(" "));
    const back = (value) => short(log ? 10 ** value : value);
    const said = `${name}: ${short(y.at(-1))} (${back(low)} to ${back(high)}), ${unit} ${short(left)} to ${short(right)}`;
    made.caption.textContent = said;
    made.picture.setAttribute("aria-label", said);
  }
}
