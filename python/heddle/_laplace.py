"""Laplace's and Poisson's equation on the unit square."""

from __future__ import annotations

import os
import warnings
from typing import Any

import numpy as np

from . import _core
from ._arguments import lengths, number, place, refuse_pickling, text, whole
from ._core import Target
from ._pictures import Picture, _ending
from ._simulations import Progress, _in_pieces, _Shown


class Laplace:
    """An approximate solution of the second-order five-point formula for ∂²u/∂x² + ∂²u/∂y² = f on the unit square.

    `edges` is an array (H, W): its outermost points are u at the edges, which stay, and what is inside is where the
    iteration begins. Column i is at x = i/(W−1), row j at y = j/(H−1). `source` is f at the same points, or None for 0.
    `held` is of the same shape: points inside where it is not 0 stay at their values, as walls at a potential.
    `method` is "multigrid", "red-black" (Gauss–Seidel) or "jacobi". `dtype` is float32 or float64, unless it is given
    that of the edges, or float64. Every target gives the same bits.

    ValueError for shapes that do not fit and for values that are not finite, TypeError for complex numbers.

    >>> import heddle
    >>> problem = heddle.Laplace.sine((65, 65))
    >>> residual = problem.solve(1e-10)
    >>> residual <= 1e-10 * problem.first_residual, problem.sine_error() < 1e-4
    (True, True)
    """

    def __init__(self, edges: Any, source: Any = None, *, held: Any = None, method: str = "multigrid", dtype: Any = None,
                 target: Target | str | None = None):
        if dtype is None:
            dtype = np.float32 if getattr(edges, "dtype", None) == np.float32 else np.float64
        self._method = method
        self._dtype = np.dtype(dtype)
        self._problem = _core.LaplaceProblem.make(edges, source, held, text("the method", method), self._dtype, target)

    @classmethod
    def sine(cls, shape: tuple[int, int] = (512, 512), source: Any = None, *, method: str = "multigrid", dtype: Any = "float64",
             target: Target | str | None = None) -> Laplace:
        """u = sin(πy) at x = 0, e^(−π)·sin(πy) at x = 1, and 0 at y = 0 and y = 1, on (H, W) points, with 0 inside.

        Without a source the exact solution is e^(−πx)·sin(πy).
        """
        return cls(_core.sine_edges(*lengths("the shape", shape), np.dtype(dtype)), source, method=method, dtype=dtype, target=target)

    @property
    def method(self) -> str:
        """"multigrid", "red-black" or "jacobi"."""
        return self._method

    @property
    def iterations(self) -> int:
        """How many sweeps, or cycles of multigrid, there have been."""
        return self._problem.iterations

    @property
    def residual(self) -> float:
        """By how much a sweep of Jacobi's would change a point at most. O(points)."""
        return self._problem.residual()

    @property
    def first_residual(self) -> float:
        """The residual with 0 inside, which a tolerance is relative to."""
        return self._problem.first_residual

    @property
    def solution(self) -> Any:
        """u, of shape (H, W): NumPy's, or on a GPU a heddle.Array."""
        return self._problem.solution()

    @property
    def target(self) -> Target:
        """Where it is computed."""
        return self._problem.target

    def step(self, n: int = 1, *, progress: Progress = None) -> Laplace:
        """Makes n iterations, sweeps or cycles, and returns itself.

        `progress` is called with (done, n) several times a second, or True for tqdm. Ctrl-C stops between iterations.
        """
        _in_pieces(whole("n", n), 8, progress, "iterations", self._problem.iterate)
        return self

    def solve(self, tolerance: float = 1e-6, *, max_iterations: int | None = None, check_every: int | None = None,
              progress: Progress = None) -> float:
        """Iterates until the residual is at most `tolerance` times the first one, and returns it.

        It is looked at every `check_every` iterations: unless given, 100 sweeps or 1 cycle. It ends at
        `max_iterations`, counted from the beginning (unless given, 1000000 sweeps or 100 cycles), with a RuntimeWarning
        where the tolerance is not reached. `progress` is called with (iterations, max_iterations), or True for tqdm.
        Ctrl-C stops between iterations, and another call goes on.
        """
        if not number("the tolerance", tolerance) >= 0:
            raise ValueError(f"the tolerance is 0 or more, not {tolerance!r}")
        most = (100 if self._method == "multigrid" else 1_000_000) if max_iterations is None else whole("max_iterations", max_iterations)
        every = 0 if check_every is None else whole("check_every", check_every, 1)
        with _Shown(progress, most, "iterations") as shown:
            residual = self._problem.solve(tolerance, most, every, shown.is_at if progress else None)
        wanted = tolerance * self.first_residual
        if wanted > 0 and not residual <= wanted:
            warnings.warn(f"the residual is {residual:.3g} after {self.iterations} iterations, and not down to {wanted:.3g}: take more "
                          "max_iterations or a larger tolerance", RuntimeWarning, stacklevel=2)
        return residual

    def sine_error(self) -> float:
        """The largest difference from the exact solution of `sine` without a source."""
        return self._problem.error_of_sine()

    def picture(self) -> Picture:
        """Colours from black, the smallest value, over red and yellow to white, the largest one; row 0 is on top."""
        return Picture(self._problem.pixels(), _core.heat_palette())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the points, in the format of the ending, whole or not at all: .npy, .png (colours) or .vti (ParaView)."""
        ending = _ending(path, (".npy", ".png", ".vti"))
        if ending == ".png":
            return self.picture().save(path)
        u = self.solution
        if ending == ".npy":
            return _core.save_npy(place(path), u)
        rows, columns = u.shape
        spacing = tuple(1.0 if n < 2 else 1 / (n - 1) for n in (columns, rows))
        return _core.save_vti(place(path), u, "u", (0.0, 0.0), spacing)

    def __reduce__(self) -> Any:
        refuse_pickling(self, "take its solution, or save() it")

    def _repr_png_(self) -> bytes:
        return self.picture().png()

    def __repr__(self) -> str:
        rows, columns = self.solution.shape
        return f"<heddle.Laplace by {self._method}, {columns}x{rows} points in {self._dtype}, {self.iterations} iterations>"
