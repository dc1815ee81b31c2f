// Life's own controls: drawing, patterns, rule, random cells.

import { onceAFrame } from "./strokes.js";

const RULES = ["B3/S23", "B36/S23", "B3678/S34678", "B35678/S5678", "B2/S", "B368/S245", "B1357/S1357"];

/** The cells of a line between two, without the first. */
function between([x0, y0], [x1, y1]) {
  const steps = Math.min(8192, Math.max(Math.abs(x1 - x0), Math.abs(y1 - y0)));
  return Array.from({ length: steps }, (_, i) =>
    [x0 + Math.round(((x1 - x0) * (i + 1)) / steps), y0 + Math.round(((y1 - y0) * (i + 1)) / steps)]);
}

const cellAt = ({ x, y }) => [Math.floor(x), Math.floor(y)];

export function build(view) {
  const { picture } = view;
  let shown = null;

  const pen = (alive) => onceAFrame((places) => {
    const ends = places.map(cellAt);
    view.act("cells", { alive, points: [ends[0], ...ends.slice(1).flatMap((end, i) => between(ends[i], end))] });
  });

  let pattern = view.hello.library[0].rle, turn = 0, flip = false;
  const put = (text, { x, y }) => view.act("pattern", { text, x: Math.floor(x), y: Math.floor(y), turn, flip });

  view.tool("Draw", pen(true));
  view.tool("Erase", pen(false));
  const placing = view.tool("Place a pattern", { down: (at) => put(pattern, at) });

  const own = ["", "my own"];
  const library = view.choice("Pattern", [...view.hello.library.map(({ rle, title }) => [rle, title]), own], (value) => {
    if (value) pattern = value;
    else text.focus();
    placing.click();
  });
  view.choice("Turned", [[0, "no"], [1, "a quarter"], [2, "a half"], [3, "three quarters"]], (value) => { turn = Number(value); });
  view.toggle("Mirrored", false, (value) => { flip = value; });

  const take = (rle) => {
    pattern = rle;
    library.value = "";
    placing.click();
  };
  const text = view.text("RLE", "", take);
  text.placeholder = "paste or drop one";
  view.file("RLE file", [".rle", ".cells", ".lif", ".txt"], take);

  const rule = view.text("Rule", "B3/S23", (value) => view.act("rule", { rule: value }));
  const rules = document.createElement("datalist");
  rules.id = "rules";
  rules.append(...RULES.map((one) => new Option(one, one)));
  rule.after(rules);
  rule.setAttribute("list", rules.id);

  const density = view.number("Density", { min: 0, max: 1, step: 0.01, value: 0.25 });
  view.button("Fill with random cells", () => {
    const { window: now } = picture;
    const seen = picture.place({ clientX: picture.canvas.getBoundingClientRect().left, clientY: picture.canvas.getBoundingClientRect().top });
    const all = view.hello.topology === "infinite" || !shown
      ? { x: Math.floor(seen.x), y: Math.floor(seen.y), width: Math.ceil(now.width * now.scale), height: Math.ceil(now.height * now.scale) }
      : shown.grid;
    view.act("random", { density: Number(density.value), x: all.x, y: all.y, width: all.width, height: all.height });
  });
  view.button("Clear", () => view.act("clear"));

  return {
    status(status) {
      shown = status;
      if (document.activeElement !== rule) rule.value = status.rule;
    },
    drop(dropped, name, at) {
      if (at) put(dropped, at);
      else take(dropped);
    },
  };
}
