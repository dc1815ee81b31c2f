// A flow's own controls: obstacles, dye, speed and viscosity, and what is shown.

import { onceAFrame, stroke } from "./strokes.js";

// In cells, of which rows grow upwards.
const MOVES = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

export function build(view) {
  let radius = 4;
  const brush = (label, action) => view.tool(label, onceAFrame((places) => view.act(action, stroke(places, radius))));
  const dragging = onceAFrame((places) => {
    const { x, y } = places.at(-1);
    view.act("drag", { x, y });
  });
  const putCylinder = ({ x, y }) => view.act("cylinder", { x, y, radius: Math.max(radius, 2) });

  brush("Obstacle", "solid");
  brush("Erase", "fluid");
  view.tool("Cylinder", { ...dragging, down: putCylinder });
  view.tool("Drag", { ...dragging, down: ({ x, y }) => view.act("grab", { x, y }) });
  brush("Dye", "dye");

  const shown = view.choice("Shown", view.hello.pictures, (name) => view.act("show", { name }));
  const speed = view.number("Speed", { min: 0.0001, max: 0.1732, step: 0.0001, value: view.hello.speed }, (value) => view.act("speed", { value }));
  const viscosity = view.number("Viscosity", { min: 0, max: 0.8333, step: 0.0001, value: view.hello.viscosity }, (value) => view.act("viscosity", { value }));
  view.number("Brush", { min: 0, max: 64, step: 1, value: radius }, (to) => { radius = to; });
  view.button("Remove obstacles", () => view.act("clear"));

  // The stable range depends on the flow.
  const follow = (input, { value, min, max }) => {
    if (document.activeElement === input) return;
    Object.assign(input, { min: Math.ceil(min * 10000) / 10000, max: Math.floor(max * 10000) / 10000, value });
    const output = input.parentElement.querySelector("output");
    if (output) output.textContent = Number(value.toPrecision(3));
  };
  return {
    keys: "C puts a cylinder in the middle. Shift and arrows move it, or the obstacle that was dragged last, by a cell.",
    key(event) {
      if (!view.hello.steers) return false;
      if (event.key === "c" || event.key === "C") putCylinder(view.picture.middle());
      else if (event.shiftKey && MOVES[event.key]) view.act("nudge", { right: MOVES[event.key][0], up: MOVES[event.key][1] });
      else return false;
      return true;
    },
    status(status) {
      if (document.activeElement !== shown) shown.value = status.shown;
      follow(speed, status.speed);
      follow(viscosity, status.viscosity);
    },
  };
}
