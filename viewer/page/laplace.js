// Laplace's own controls: walls, charges, the method, and the grid of a cycle that is shown.

import { onceAFrame, stroke } from "./strokes.js";

export function build(view) {
  let value = 1, charge = 1, radius = 1.5, sizes = [];

  view.tool("Wall", onceAFrame((places) => view.act("wall", { ...stroke(places, radius), value })));
  view.tool("Erase", onceAFrame((places) => view.act("erase", stroke(places, radius))));
  view.tool("Charge", { down: ({ x, y }) => view.act("charge", { x, y, value: charge }) });

  view.number("Potential of walls", { min: -5, max: 5, step: 0.5, value }, (to) => { value = to; });
  view.number("Charge", { min: -5, max: 5, step: 0.5, value: charge }, (to) => { charge = to; });
  view.number("Brush", { min: 0, max: 32, step: 0.5, value: radius }, (to) => { radius = to; });
  const method = view.choice("Method", view.hello.methods, (name) => view.act("method", { name }));
  const level = view.choice("Shown", [[0, "the points"]], (number) => view.act("level", { number: Number(number) }));
  view.button("Remove walls and charges", () => view.act("clear"));

  return {
    status(status) {
      if (document.activeElement !== method) method.value = status.method;
      const now = status.levels.map(({ size }) => size);
      if (now.join() === sizes.join()) return;
      sizes = now;
      level.replaceChildren(new Option("the points", 0), ...sizes.map((size, k) => new Option(`correction on ${size}`, k + 1)));
      level.value = Math.min(status.level, sizes.length);
    },
  };
}
