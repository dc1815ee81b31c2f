"""The Mandelbrot set."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _core
from ._arguments import number, text, whole
from ._core import Target
from ._pictures import Picture
from ._simulations import Progress, _Shown

_VIEW = (-2.0, 1.0, -1.0, 1.0)


def _seen(width: int, height: int, view: Any, center: complex | tuple[str, str] | None, zoom: float) -> tuple[Any, ...]:
    if center is None:
        if zoom != 1.0:
            raise ValueError("zoom is around a center, and there is none")
        sides = tuple(float(side) for side in (_VIEW if view is None else view))
        if len(sides) != 4:
            raise ValueError("view is (xmin, xmax, ymin, ymax)")
        return sides
    if view is not None:
        raise ValueError("take a view or a center, not both")
    if not 0 < number("zoom", zoom) < float("inf"):
        raise ValueError(f"zoom is above 0, not {zoom!r}")
    if isinstance(center, tuple):
        if len(center) != 2:
            raise ValueError("a center of two texts is (re, im)")
        return text("the center", center[0]), text("the center", center[1]), 3 / number("zoom", zoom)
    point = complex(center)
    return _core.mandelbrot_view(point.real, point.imag, zoom, width, height)


def mandelbrot(width: int = 1536, height: int = 1024, *, view: tuple[float, float, float, float] | None = None,
               center: complex | tuple[str, str] | None = None, zoom: float = 1.0, iterations: int = 50,
               dtype: Any = "float32", target: Target | str | None = None, progress: Progress = None) -> Any:
    """The number of iterations after which z² + c leaves the disc of radius 2: uint32, (height, width).

    `view` is (xmin, xmax, ymin, ymax), unless given (-2, 1, -1, 1); or the rectangle around `center`, 3/zoom wide. Pixel
    (row y, column x) is c = xmin + x·(xmax−xmin)/width + i·(ymin + y·(ymax−ymin)/height), computed in `dtype`, float32
    or float64. From z = 0, for i = 0, 1, …, z becomes z² + c; the count is the first i with |z|² ≥ 4, or `iterations`.
    The counts are the same on every target. `progress` is called with (rows, height), or True for tqdm.

    A center of two texts, ("-0.743…", "0.131…"), may have any number of digits. Then a picture may be 1e-300 wide, and
    its counts are those of exact arithmetic, by perturbation of a reference orbit in MPFR; `dtype` means nothing.
    RuntimeError where Heddle was built without MPFR.

    ValueError for no pixels, for more than 2000000000 iterations, and for a view that is empty or beyond ±1000000.
    O(width · height · iterations).

    >>> import heddle
    >>> counts = heddle.mandelbrot(6, 4)
    >>> counts.shape, counts.dtype, int(counts.min()), int(counts.max())
    ((4, 6), dtype('uint32'), 0, 50)
    """
    width, height = whole("width", width), whole("height", height)
    return _counted(width, height, _seen(width, height, view, center, zoom), iterations, dtype, target, progress, False)[0]


def _counted(width: int, height: int, seen: tuple[Any, ...], iterations: int, dtype: Any, target: Target | str | None,
             progress: Progress, smooth: bool) -> tuple[Any, Any]:
    with _Shown(progress, height, "rows") as shown:
        counts, norms = _core.mandelbrot_counts(width, height, seen, whole("iterations", iterations, 0, 2_000_000_000), np.dtype(dtype),
                                                shown.is_at if progress else None, target, smooth)
    return counts, norms


def mandelbrot_picture(width: int = 1536, height: int = 1024, *, view: tuple[float, float, float, float] | None = None,
                       center: complex | tuple[str, str] | None = None, zoom: float = 1.0, iterations: int = 50,
                       dtype: Any = "float32", palette: str = "dusk", smooth: bool = False,
                       target: Target | str | None = None, progress: Progress = None) -> Picture:
    """A picture of the Mandelbrot set, as `heddle mandelbrot` draws it; the other arguments are those of `mandelbrot`.

    `palette` is "dusk", "ocean", "ember" or "grey". `smooth` adds fractions of an iteration, so that there are no bands.

    >>> import heddle
    >>> heddle.mandelbrot_picture(60, 40, iterations=500, smooth=True, palette="ocean")
    <heddle.Picture of 60x40 pixels>
    """
    width, height = whole("width", width), whole("height", height)
    seen = _seen(width, height, view, center, zoom)
    counts, norms = _counted(width, height, seen, iterations, dtype, target, progress, bool(smooth))
    return Picture(*_core.mandelbrot_pixels(counts, norms, seen, whole("iterations", iterations, 0, 2_000_000_000), np.dtype(dtype), text("the palette", palette), bool(smooth)))
