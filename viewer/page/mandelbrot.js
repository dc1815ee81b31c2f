// The Mandelbrot set's own controls: the limit, and smooth colours.

export function build(view) {
  const { hello, picture } = view;
  picture.scales = [hello.narrowest / 320, 1];
  const iterations = view.text("Iterations (0: by the depth)", hello.iterations,
    (value) => view.act("iterations", { count: Number(value) }));
  const smooth = view.toggle("Smooth", hello.smooth, (on) => view.act("smooth", { on }));
  return {
    status(status, header) {
      if (document.activeElement !== iterations) iterations.value = status.iterations;
      smooth.checked = status.smooth;
      if (status.counted === 1) picture.canvas.dataset.finished = header.frame;
    },
  };
}
