// What the pointer draws.

/** A tool whose moves go together, once a frame of the screen: `send(from, to)`. */
export function onceAFrame(send) {
  let last = null, now = null, isSent = false;
  const flush = () => {
    isSent = false;
    send(last, now);
    last = now;
  };
  const go = (at) => {
    now = at;
    if (isSent) return;
    isSent = true;
    requestAnimationFrame(flush);
  };
  return {
    down(at) {
      if (!isSent) last = at;
      go(at);
    },
    move: go,
  };
}

/** The arguments of a stroke. */
export const stroke = (from, to, radius) => ({ from: [from.x, from.y], to: [to.x, to.y], radius });
