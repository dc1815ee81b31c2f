"""Functions of cells and their neighbours."""

from __future__ import annotations

import itertools
import re
from typing import Any

import numpy as np

from . import _core
from ._arguments import text, whole
from ._core import Target
from ._transform import require_name

_NEIGHBOUR = re.compile(r"\bu\s*\(\s*([+-]?\d+(?:\s*,\s*[+-]?\d+)*)\s*\)")
_TAKEN = re.compile(r"u(_\d+)?|i|plane|row|column")


def _named(expression: str) -> tuple[str, list[tuple[int, ...]]]:
    """The expression with u_0, u_1, … for u(…), as long as it was, and their offsets."""
    offsets: dict[tuple[int, ...], int] = {}
    for other in re.finditer(r"\bu_\d+\b|\bu\s*\(", expression):
        if _NEIGHBOUR.match(expression, other.start()) is None:
            raise ValueError(f"expression '{expression}', column {other.start() + 1}: a neighbour is written as u(0, -1), with a whole "
                             "number for each axis")

    def name(found: re.Match[str]) -> str:
        offset = tuple(int(number) for number in found[1].split(","))
        if max(map(abs, offset)) >= 2**31:
            raise ValueError(f"expression '{expression}': {found[0]} is more than 2147483647 cells away")
        return f"u_{offsets.setdefault(offset, len(offsets))}".ljust(len(found[0]))

    return _NEIGHBOUR.sub(name, expression), list(offsets)


def _linear(weights: np.ndarray, x: Any, dtype: Any) -> str:
    """The sum of products with weights, in their order."""
    type_of_cells = np.dtype(dtype if dtype is not None else getattr(x, "dtype", None) or np.asarray(x).dtype)
    if not np.can_cast(weights.dtype, type_of_cells, "same_kind"):
        raise TypeError(f"stencil: the weights are {weights.dtype}, and the cells {type_of_cells}: give a dtype that holds their products")
    if not 1 <= weights.ndim <= 3:
        raise ValueError(f"stencil: the weights have {weights.ndim} axes, where 1, 2 or 3 are possible")
    if any(length % 2 == 0 for length in weights.shape):
        raise ValueError(f"stencil: weights have a middle, so that every length is odd, not {weights.shape}")
    terms = []
    for place in itertools.product(*map(range, weights.shape)):
        weight = weights[place].item()
        if weight != 0:
            offset = ", ".join(str(k - length // 2) for k, length in zip(place, weights.shape))
            terms.append(f"({weight!r}) * u({offset})")
    return " + ".join(terms) or f"0 * u({', '.join('0' * weights.ndim)})"


def stencil(function: Any, x: Any, boundary: str = "periodic", *, value: Any = 0, steps: int = 1, dtype: Any = None,
            out: Any = None, target: Target | str | None = None, **named: Any) -> Any:
    """Each cell of x, an array of 1, 2 or 3 axes, from itself and its neighbours, `steps` times.

    `function` is an expression in which u(0, -1) is the neighbour to the left: an offset for each axis, plane, row and
    column, whole numbers that are written out. The rest is as in `transform`: operators, functions, arrays of the shape
    of x by their keywords, which are read at the cell itself, `i` for its place in C order, and plane, row and column
    for its index. Or `function` is an array of weights, each length odd: the sum of their products with the cells around
    each, in C order and without weights of 0 (what SciPy calls correlate).

    `boundary` is what lies beyond the edges: "periodic" (numpy.pad's "wrap"), "fixed" (`value`), "clamp" ("edge"),
    "reflect", "symmetric", or "dirichlet": the outermost cells, as many as the largest offset, keep their values. Each
    step reads the one before; 0 steps give a copy. The result has the type of x, or `dtype`, to which x is converted
    first and values are as by astype.

    The expression is compiled, as for `transform`, with which it shares its errors. The same bits on every target, where
    functions round alike. O(size · steps), each step reading and writing memory once.

    >>> import heddle, numpy
    >>> heddle.stencil("u(-1) + u(1)", [1, 2, 3, 4]).tolist()
    [6, 4, 6, 4]
    >>> heddle.stencil([0.25, 0.5, 0.25], numpy.array([0.0, 0, 8, 0, 0]), "clamp", steps=2).tolist()
    [0.5, 2.0, 3.0, 2.0, 0.5]
    """
    for name in named:
        if _TAKEN.fullmatch(name):
            raise ValueError(f"stencil: an array cannot be called {name}, which stands for something else")
        require_name(name)
    expression = function if isinstance(function, str) else _linear(np.asarray(function), x, dtype)
    code, offsets = _named(expression)
    written = [f"u({', '.join(map(str, offset))})" for offset in offsets]
    return _core.stencil(code, expression, written, offsets, x, list(named), list(named.values()), text("the boundary", boundary), value, whole("steps", steps), dtype, out, target)
