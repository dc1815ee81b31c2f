"""Conway's Life and every other outer-totalistic rule."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Any

import numpy as np

from . import _core
from ._arguments import lengths, number, place, refuse_pickling, text, whole
from ._core import Target
from ._pictures import Animation, Picture, _ending
from ._simulations import Progress, _Enough, _in_pieces

_BLACK_AND_WHITE = np.array([[0, 0, 0], [255, 255, 255]], np.uint8)
_HUNDREDTHS = 10


class Life:
    """Cells that live and die by an outer-totalistic rule: Conway's Life, and every other one.

    `cells` is an array (rows, columns), where what is not 0 lives, or the text of a pattern: RLE, plaintext or Life
    1.06. `rule` is as "B3/S23" or "23/3", with Golly's bounds or without: "B3/S23:T30,20". Without one it is the
    pattern's, or B3/S23. `topology` is "torus", "plane" (outside everything is dead) or "infinite", a plane whose grid
    follows the pattern. Unless it is given, an array is on a torus of its own shape, and a pattern on the infinite plane,
    or where its bounds say. `shape` is (rows, columns) of a bounded grid with the pattern in its middle. `algorithm` is
    "packed", "per-cell", or on a GPU "shared" or "block"; all give the same cells. The grid is as in `heddle life`.

    ValueError for a rule, a pattern or a shape that is none, and for rules with B0 on the infinite plane. O(cells)
    memory, a bit a cell.

    >>> import heddle, numpy
    >>> blinker = heddle.Life(numpy.array([[0, 0, 0], [1, 1, 1], [0, 0, 0]]), shape=(5, 5))
    >>> blinker.step().cells
    array([[0, 0, 0, 0, 0],
           [0, 0, 1, 0, 0],
           [0, 0, 1, 0, 0],
           [0, 0, 1, 0, 0],
           [0, 0, 0, 0, 0]], dtype=uint8)
    >>> heddle.Life("b2o$2o$bo!").step(1103).population
    116
    """

    def __init__(self, cells: Any, rule: str | None = None, *, topology: str | None = None,
                 shape: tuple[int, int] | None = None, algorithm: str = "packed", target: Target | str | None = None):
        if isinstance(cells, str):
            self._begin(_core.LifePattern.of_text(text("the pattern", cells)), False, rule, topology, shape, algorithm, target)
        else:
            self._begin(_core.LifePattern.of_cells(cells), True, rule, topology, shape, algorithm, target)

    @classmethod
    def load(cls, path: str | os.PathLike[str], rule: str | None = None, *, topology: str | None = None,
             shape: tuple[int, int] | None = None, algorithm: str = "packed", target: Target | str | None = None) -> Life:
        """The pattern in a file: .rle, .cells, or Life 1.06. The other arguments are those of the class.

        ValueError, with the line, for what is no pattern, FileNotFoundError or another OSError for a file that cannot be read.
        """
        made = cls.__new__(cls)
        made._begin(_core.LifePattern.of_file(place(path)), False, rule, topology, shape, algorithm, target)
        return made

    @classmethod
    def random(cls, cells: tuple[int, int], density: float = 0.25, seed: int = 0, rule: str | None = None, *,
               topology: str | None = None, shape: tuple[int, int] | None = None, algorithm: str = "packed",
               target: Target | str | None = None) -> Life:
        """Random cells, (rows, columns) of them, each alive with probability `density`.

        They are a function of the seed and the place alone, the same on every target and those of `heddle life --random`.
        """
        made = cls.__new__(cls)
        pattern = _core.LifePattern.random(*lengths("cells", cells), number("the density", density), whole("the seed", seed, 0, 2**64 - 1))
        made._begin(pattern, True, rule, topology, shape, algorithm, target)
        return made

    def _begin(self, pattern: Any, is_drawn: bool, rule: str | None, topology: str | None, shape: Any, algorithm: str,
               target: Any) -> None:
        size = None if shape is None else lengths("the shape", shape)
        self._world = _core.LifeWorld(pattern, is_drawn, text("the rule", rule or ""), text("the topology", topology or ""), size,
                                      text("the algorithm", algorithm), target)

    @property
    def generation(self) -> int:
        """How many generations there have been, those of the pattern's file included."""
        return self._world.generation

    @property
    def population(self) -> int:
        """How many cells live."""
        return self._world.population

    @property
    def cells(self) -> Any:
        """uint8, 0 and 1, of shape (rows, columns): the whole of a bounded grid, or of the infinite plane the smallest
        rectangle with every live cell. NumPy's, or on a GPU a heddle.Array."""
        return self._world.cells()[0]

    @property
    def origin(self) -> tuple[int, int]:
        """The row and column of the first of `cells`, in the pattern's own coordinates; rows grow downwards."""
        return self._world.cells()[1:]

    @property
    def rule(self) -> str:
        """As "B3/S23"."""
        return self._world.rule

    @property
    def topology(self) -> str:
        """"torus", "plane" or "infinite"."""
        return self._world.topology

    @property
    def target(self) -> Target:
        """Where it is computed."""
        return self._world.target

    def step(self, n: int = 1, *, progress: Progress = None) -> Life:
        """Advances by n generations, and returns itself.

        `progress` is called with (done, n) several times a second, or True for tqdm. Ctrl-C stops between generations:
        `generation` says where. O(cells · n).
        """
        piece = 2e8 / max(1.0, self._world.cells_computed)
        _in_pieces(whole("n", n), piece, progress, "generations", self._world.advance)
        return self

    def period(self, most: int, *, progress: Progress = None) -> int | None:
        """Advances until the cells are those of a generation before, in place, and returns the period, the smallest
        one; None where there is none within `most` generations. By Brent's algorithm, which takes up to four times as
        many generations as come before the first repetition.

        >>> import heddle
        >>> heddle.Life("10o!").period(100)
        15
        """
        world = self._world
        found = world.period(True)
        left = whole("most", most)

        def advance(n: int) -> None:
            nonlocal found
            for _ in range(n):
                world.advance(1)
                found = world.period(False)
                if found is not None:
                    raise _Enough

        if found is None:
            with suppress(_Enough):
                _in_pieces(left, 1, progress, "generations", advance)
        return found

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the generation, in the format of the ending, whole or not at all: .rle (with position, generation, rule
        and bounds), .cells, .npy (uint8) or .png."""
        ending = _ending(path, (".rle", ".cells", ".npy", ".png"))
        if ending == ".npy":
            _core.save_npy(place(path), self.cells)
        elif ending == ".png":
            self.picture().save(path)
        else:
            self._world.save(place(path), ending)

    def picture(self) -> Picture:
        """The cells, white on black, a pixel each."""
        cells = np.asarray(self.cells)
        # A picture has a pixel.
        return Picture(np.zeros((1, 1), np.uint8) if cells.size == 0 else cells * np.uint8(255))

    def animation(self, n: int, every: int = 1, *, hundredths: int = _HUNDREDTHS, progress: Progress = None) -> Animation:
        """Advances by n generations, and gives a picture of this one and of every one whose number is a multiple of
        `every`. Pictures of the infinite plane show the rectangle of all."""
        frames = [self._world.cells()]
        end = self.generation + whole("n", n)
        every = whole("every", every, 1)

        def advance(count: int) -> None:
            for _ in range(count):
                now = self.generation
                self._world.advance(min(end - now, every - now % every))
                if self.generation % every == 0:
                    frames.append(self._world.cells())

        first = self.generation
        _in_pieces(-(-end // every) - first // every, 1, progress, "frames", advance)
        frames = [(np.asarray(cells), row, column) for cells, row, column in frames]
        seen = [frame for frame in frames if frame[0].size > 0] or [(np.zeros((1, 1), np.uint8), 0, 0)]
        top, left = min(frame[1] for frame in seen), min(frame[2] for frame in seen)
        height = max(row + cells.shape[0] for cells, row, _ in seen) - top
        width = max(column + cells.shape[1] for cells, _, column in seen) - left
        drawn = np.zeros((len(frames), height, width), np.uint8)
        for picture, (cells, row, column) in zip(drawn, frames):
            if cells.size > 0:
                picture[row - top:row - top + cells.shape[0], column - left:column - left + cells.shape[1]] = cells
        return Animation(drawn, _BLACK_AND_WHITE, hundredths)

    def __reduce__(self) -> Any:
        refuse_pickling(self, "take its cells, or save() it and load() the file")

    def _repr_png_(self) -> bytes:
        return self.picture().png()

    def __repr__(self) -> str:
        return (f"<heddle.Life {self.rule} on {'the infinite plane' if self.topology == 'infinite' else 'a ' + self.topology}, "
                f"generation {self.generation}, population {self.population}>")

