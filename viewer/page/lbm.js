// A flow's own controls: obstacles, dye, speed and viscosity, and what is shown.

import { onceAFrame, stroke } from "./strokes.js";

export function build(view) {
  let radius = 4;
  const brush = (label, action) => view.tool(label, onceAFrame((from, to) => view.act(action, stroke(from, to, radius))));

  brush("Obstacle", "solid");
  brush("Erase", "fluid");
  view.tool("Cylinder", { down: ({ x, y }) => view.act("cylinder", { x, y, radius: Math.max(radius, 2) }) });
  const dragging = onceAFrame((_, { x, y }) => view.act("drag", { x, y }));
  view.tool("Drag", {
    down: ({ x, y }) => view.act("grab", { x, y }),
    move: dragging.move,
  });
  brush("Dye", "dye");

  const shown = view.choice("Shown", view.hello.pictures, (name) => view.act("show", { name }));
  const speed = view.number("Speed", { min: 0.0001, max: 0.1732, step: 0.0001, value: view.hello.speed }, (value) => view.act("speed", { value }));
  const viscosity = view.number("Viscosity", { min: 0, max: 0.8333, step: 0.0001, value: view.hello.viscosity }, (value) => view.act("viscosity", { value }));
  view.number("Brush", { min: 0, max: 64, step: 1, value: radius }, (to) => { radius = to; });
  view.button("Remove obstacles", () => view.act("clear"));

  // What is stable depends on the flow.
  const follow = (input, { value, min, max }) => {
    if (document.activeElement === input) return;
    Object.assign(input, { min: Math.ceil(min * 10000) / 10000, max: Math.floor(max * 10000) / 10000, value });
    const output = input.parentElement.querySelector("output");
    if (output) output.textContent = Number(value.toPrecision(3));
  };
  return {
    status(status) {
      if (document.activeElement !== shown) shown.value = status.shown;
      follow(speed, status.speed);
      follow(viscosity, status.viscosity);
    },
  };
}
