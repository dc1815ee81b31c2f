"""Flows in two dimensions by the lattice Boltzmann method."""

from __future__ import annotations

import os
import warnings
from typing import Any, NamedTuple

import numpy as np

from . import _core
from ._arguments import lengths, number, place, refuse_pickling, text, whole
from ._core import Target
from ._pictures import Animation, Picture, _ending
from ._simulations import Progress, _Enough, _in_pieces

_HUNDREDTHS = 5


class Forces(NamedTuple):
    """The coefficients of drag and lift: the force over ½·ρ·speed²·length."""

    drag: float
    lift: float


class Profiles(NamedTuple):
    """Velocities along the centre lines x = 1/2 and y = 1/2: float64, rows of (position, u, v) over the velocity."""

    vertical: np.ndarray
    horizontal: np.ndarray


class LatticeBoltzmann:
    """A flow in two dimensions by the lattice Boltzmann method, D2Q9.

    `case` is "cavity", "channel", "cylinder", "taylor-green" or "free": see `heddle lbm`. `shape` is (rows, columns) of
    cells; unless given it is that of the obstacles or the case's own. `reynolds` sets the viscosity to speed·length over
    it; unless given it is 100, or what keeps the viscosity at 0.2. `velocity` is the largest one, in cells a step.
    `collision` is "trt", "bgk" or "regularized"; `storage` of a population "f32", "f64" or "f16"; `smagorinsky` the
    constant of an eddy viscosity; `drive` of a channel "force" or "inflow". `obstacles` is an array (rows, columns), in
    which cells other than 0 are solid. y goes upwards: row 0 of arrays is the lowest, and pictures have it at the bottom.

    Settings that make an inaccurate or unstable flow give a RuntimeWarning, those that make none a ValueError, as does a
    flow that blows up, with the step, the cell and the remedy. Memory: two populations of nine numbers a cell.

    >>> import heddle
    >>> flow = heddle.LatticeBoltzmann("taylor-green", shape=(64, 64), velocity=0.02, storage="f64")
    >>> flow.step(500).time, flow.error() < 1e-3
    (0.15625, True)
    >>> flow.velocity.shape, flow.density.dtype
    ((64, 64, 2), dtype('float32'))
    """

    def __init__(self, case: str, *, shape: tuple[int, int] | None = None, reynolds: float | None = None, velocity: float = 0.1,
                 collision: str = "trt", storage: str = "f32", smagorinsky: float = 0.0, drive: str | None = None,
                 obstacles: Any = None, target: Target | str | None = None):
        if obstacles is not None and np.size(obstacles) == 0:
            raise ValueError(f"LatticeBoltzmann: obstacles of shape {np.shape(obstacles)} have no cells")
        if obstacles is not None and np.isnan(np.asarray(obstacles)).any():
            raise ValueError("LatticeBoltzmann: an obstacle is NaN, which tells neither a solid cell nor fluid")
        rows, columns = (0, 0) if shape is None else lengths("the shape", shape)
        self._begin(_core.Flow(text("the case", case), rows, columns, number("reynolds", reynolds or 0), number("the velocity", velocity),
                               text("the collision", collision), text("the storage", storage), number("smagorinsky", smagorinsky),
                               text("the drive", drive or ""), obstacles, target))

    @classmethod
    def resume(cls, path: str | os.PathLike[str], *, target: Target | str | None = None) -> LatticeBoltzmann:
        """Goes on from a checkpoint, also one of `heddle lbm`: bit for bit on the same kind of target.

        ValueError for what is no whole checkpoint.
        """
        made = cls.__new__(cls)
        made._begin(_core.Flow.resume(place(path), target))
        return made

    def _begin(self, flow: Any) -> None:
        self._flow = flow
        self._settings = flow.settings
        self._about = flow.about
        self._pictures: dict[str, Any] = {}
        for warning in self._about["warnings"]:
            warnings.warn(warning, RuntimeWarning, stacklevel=3)

    @property
    def case(self) -> str:
        """"cavity", "channel", "cylinder", "taylor-green" or "free"."""
        return self._settings["case"]

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, columns)."""
        return self._settings["shape"]

    @property
    def reynolds(self) -> float:
        """The Reynolds number."""
        return self._settings["reynolds"]

    @property
    def viscosity(self) -> float:
        """Kinematic, in cells and steps."""
        return self._about["viscosity"]

    @property
    def relaxation_time(self) -> float:
        """3·viscosity + 1/2, in steps."""
        return self._about["relaxation_time"]

    @property
    def mach(self) -> float:
        """The largest velocity over the speed of sound."""
        return self._about["mach"]

    @property
    def length(self) -> float:
        """That of the Reynolds number, in cells."""
        return self._about["length"]

    @property
    def speed(self) -> float:
        """That of the Reynolds number, in cells a step."""
        return self._about["speed"]

    @property
    def target(self) -> Target:
        """Where it is computed."""
        return self._flow.target

    @property
    def steps(self) -> int:
        """How many there have been, those before a checkpoint included."""
        return self._flow.steps

    @property
    def time(self) -> float:
        """In lengths over speeds."""
        return self._flow.time

    @property
    def velocity(self) -> Any:
        """float32, (rows, columns, 2): u to the right and v upwards, in cells a step; 0 in solid cells. NumPy's, or on a
        GPU a heddle.Array, as are the other fields."""
        return self._flow.field("velocity")

    @property
    def density(self) -> Any:
        """float32, (rows, columns); at rest it is 1."""
        return self._flow.field("density")

    @property
    def vorticity(self) -> Any:
        """float32, (rows, columns): dv/dx − du/dy."""
        return self._flow.field("vorticity")

    @property
    def solid(self) -> Any:
        """bool, (rows, columns): which cells are obstacles."""
        return self._flow.solid()

    @property
    def mass(self) -> float:
        """The mean density of a fluid cell."""
        return self._flow.mass()

    def step(self, n: int = 1, *, progress: Progress = None) -> LatticeBoltzmann:
        """Makes n steps, and returns itself.

        `progress` is called with (done, n) several times a second, or True for tqdm. Ctrl-C stops between steps. A flow
        that has blown up is a ValueError: it is looked at every 100 steps, and at the end.
        """
        rows, columns = self.shape
        _in_pieces(whole("n", n), 1e6 / (rows * columns), progress, "steps", self._flow.advance)
        self._flow.check()
        return self

    def until_steady(self, tolerance: float, *, max_steps: int = 100_000_000, progress: Progress = None) -> float | None:
        """Makes steps until no velocity changes by more than `tolerance` of the given one while the flow moves by its
        length, and returns the last change; None where there was no comparison.

        It ends after `max_steps` with a RuntimeWarning. `progress` is as for `step`.
        """
        if not number("the tolerance", tolerance) >= 0:
            raise ValueError(f"the tolerance is 0 or more, not {tolerance!r}")
        flow = self._flow
        every = flow.steps_between_comparisons
        left = whole("max_steps", max_steps)
        change = None

        def compare() -> None:
            nonlocal change
            if flow.steps % every == 0 and flow.compared != flow.steps:
                # A comparison at another time tells nothing.
                follows = flow.compared == flow.steps - every
                found = flow.change()
                change = found if follows else None

        def advance(n: int) -> None:
            while n > 0:
                now = min(n, every - flow.steps % every)
                flow.advance(now)
                n -= now
                compare()
                if change is not None and change <= tolerance:
                    raise _Enough

        compare()
        rows, columns = self.shape
        try:
            _in_pieces(left, 1e6 / (rows * columns), progress, "steps", advance)
        except _Enough:
            pass
        else:
            if left > 0:
                warnings.warn(f"not steady after {left} steps, the last change is {change}: take more max_steps or a larger tolerance",
                              RuntimeWarning, stacklevel=2)
        flow.check()
        return change

    def forces(self) -> Forces | None:
        """Drag and lift of the obstacles in the last step, by momentum exchange; None without obstacles or steps."""
        found = self._flow.forces()
        return None if found is None else Forces(*found)

    def pressure_difference(self) -> float | None:
        """Of the cylinder: pressure in front less pressure behind, in the benchmark's units; None for other cases."""
        return self._flow.pressure_difference()

    def error(self) -> float | None:
        """The largest difference from the exact velocity, over the given one, for cases that have an exact flow: a
        channel by a force, once it is steady, and Taylor–Green. None for others."""
        return self._flow.error()

    def profiles(self) -> Profiles:
        """Velocities along the centre lines.

        >>> import heddle
        >>> heddle.LatticeBoltzmann("cavity", shape=(8, 8)).step(10).profiles().vertical.shape[1]
        3
        """
        return Profiles(*self._flow.profiles())

    def picture(self, field: str = "velocity") -> Picture:
        """The speed ("velocity") from black over red and yellow to white, "vorticity" or "density" from blue over white
        to red; obstacles are grey. The range is that of 98 % of the cells, and of a field does not shrink."""
        palette = _core.flow_palette(text("the field", field))
        if field not in self._pictures:
            self._pictures[field] = _core.FlowPictures(field)
        return Picture(self._flow.pixels(self._pictures[field]), palette)

    def animation(self, n: int, every: int = 100, field: str = "velocity", *, hundredths: int = _HUNDREDTHS,
                  progress: Progress = None) -> Animation:
        """Makes n steps, and gives pictures of each whose number is a multiple of `every`, this one included."""
        palette = _core.flow_palette(text("the field", field))
        by, flow = _core.FlowPictures(field), self._flow
        every = whole("every", every, 1)
        frames = [flow.pixels(by)] if flow.steps % every == 0 else []

        def advance(count: int) -> None:
            while count > 0:
                now = min(count, every - flow.steps % every)
                flow.advance(now)
                count -= now
                if flow.steps % every == 0:
                    frames.append(flow.pixels(by))

        rows, columns = self.shape
        _in_pieces(whole("n", n), 1e6 / (rows * columns), progress, "steps", advance)
        flow.check()
        return Animation(np.stack(frames or [flow.pixels(by)]), palette, hundredths)

    def save(self, path: str | os.PathLike[str], field: str = "velocity") -> None:
        """Writes a field, in the format of the ending, whole or not at all: .npy, .vti (ParaView) or .png."""
        ending = _ending(path, (".npy", ".vti", ".png"))
        if ending == ".png":
            return self.picture(field).save(path)
        values = self._flow.field(text("the field", field))
        if ending == ".npy":
            return _core.save_npy(place(path), values)
        return _core.save_vti(place(path), values, field, (0.5, 0.5), (1.0, 1.0))

    def checkpoint(self, path: str | os.PathLike[str]) -> None:
        """Writes the state for `resume` and `heddle lbm --resume`, whole or not at all."""
        self._flow.save(place(path))

    def __reduce__(self) -> Any:
        refuse_pickling(self, "checkpoint() writes its state, and resume() reads it")

    def _repr_png_(self) -> bytes:
        return self.picture().png()

    def __repr__(self) -> str:
        rows, columns = self.shape
        return f"<heddle.LatticeBoltzmann {self.case} {columns}x{rows}, Reynolds number {self.reynolds:.6g}, {self.steps} steps>"
