// Strokes that the pointer draws.

/** A tool whose moves go together, once a frame of the screen, and the last ones when it is let go: `send(places)`, of
 *  which the first is the last one before. */
export function onceAFrame(send) {
  let last = null, now = [];
  const flush = () => {
    if (now.length === 0) return;
    const places = [last, ...now];
    last = now.at(-1);
    now = [];
    send(places);
  };
  const move = (at) => {
    if (now.length === 0) requestAnimationFrame(flush);
    now.push(at);
  };
  return {
    down(at) {
      last = at;
      move(at);
    },
    move,
    up: flush,
  };
}

/** The arguments of a straight stroke. */
export const stroke = (places, radius) => {
  const from = places[0], to = places.at(-1);
  return { from: [from.x, from.y], to: [to.x, to.y], radius };
};
