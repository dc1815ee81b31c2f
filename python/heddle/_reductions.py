"""Functions that combine elements into one."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _core, _ranks
from ._arguments import mask, text
from ._arrays import held, is_on_gpu, like, on_cpu
from ._core import Array, DistributedArray, Target


def masked(a: Any, where: Any, fill: Any) -> Any:
    """The elements that `where` chooses, and `fill` for the others."""
    a = held(a)
    if is_on_gpu(a):
        chosen = where if isinstance(where, Array) and where.dtype == np.bool_ else mask(where)
        if np.broadcast_shapes(a.shape, chosen.shape) != a.shape:
            raise ValueError(f"where has shape {chosen.shape}, which is not broadcast to {a.shape}")
        return _core.transform("where(b, a, c)", ["a", "b", "c"], [a, chosen, np.asarray(fill).astype(a.dtype)], a.dtype, None, a.target)
    x = on_cpu(a)
    chosen = np.broadcast_to(mask(where), x.shape)
    return like(np.where(chosen, x, np.asarray(fill).astype(x.dtype)), a)


def sum(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False, initial: Any = None,
        where: Any = True, *, target: Target | str | None = None) -> Any:
    """The sum of the elements, or of those along one axis or several, as numpy.sum.

    `a` has any shape and type. Integers and bool are summed in 64 bits, and other types in their own; `dtype`
    names another. Sums of float64 are wider than float32 without a copy: ``dtype="float64"``. The bits are the
    same on every target. `initial` is added, and elements where `where` is false are left out.

    `out` receives the result, which is converted once: TypeError where NumPy's rule "same_kind" has no conversion,
    such as from float64 to int32. A floating-point `out` that is wider than the sum makes the sum as wide; a narrower
    `out` does not make it narrower. AxisError for an axis that is not there, TypeError for a type that Heddle does
    not have.

    >>> import heddle, numpy
    >>> x = numpy.arange(6).reshape(2, 3)
    >>> heddle.sum(x, axis=0).tolist()
    [3, 5, 7]
    >>> int(heddle.sum(x, initial=100))
    115
    """
    if type(a) is DistributedArray:
        return _ranks.reduced("add", True, a, axis, dtype, out, keepdims, initial, where)
    if where is not True:
        a = masked(a, where, 0)
    return _core.reduce("add", True, a, axis, dtype, out, keepdims, initial, target)


def prod(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False, initial: Any = None,
         where: Any = True, *, target: Target | str | None = None) -> Any:
    """The product of the elements, as numpy.prod; otherwise as heddle.sum.

    >>> import heddle
    >>> int(heddle.prod([2, 3, 7]))
    42
    """
    if type(a) is DistributedArray:
        return _ranks.reduced("multiply", True, a, axis, dtype, out, keepdims, initial, where)
    if where is not True:
        a = masked(a, where, 1)
    return _core.reduce("multiply", True, a, axis, dtype, out, keepdims, initial, target)


def _extremum(op: str, a: Any, axis: Any, out: Any, keepdims: bool, initial: Any, where: Any, target: Any) -> Any:
    if type(a) is DistributedArray:
        return _ranks.reduced(op, False, a, axis, None, out, keepdims, initial, where)
    if where is not True:
        if initial is None:
            raise ValueError(f"{op} has no identity: with where, give an initial value")
        a = masked(a, where, initial)
    return _core.reduce(op, False, a, axis, None, out, keepdims, initial, target)


def min(a: Any, axis: Any = None, out: Any = None, keepdims: bool = False, initial: Any = None, where: Any = True, *,
        target: Target | str | None = None) -> Any:
    """The smallest element, or the smallest along axes, as numpy.min: NaN where there is one.

    `a` has any shape, and any type but the complex ones, which is a TypeError. ValueError where there are no
    elements and no `initial`.

    >>> import heddle
    >>> heddle.min([[3, 1], [2, 5]], axis=1).tolist()
    [1, 2]
    """
    return _extremum("minimum", a, axis, out, keepdims, initial, where, target)


def max(a: Any, axis: Any = None, out: Any = None, keepdims: bool = False, initial: Any = None, where: Any = True, *,
        target: Target | str | None = None) -> Any:
    """The largest element, or the largest along axes, as numpy.max; otherwise as heddle.min.

    >>> import heddle
    >>> int(heddle.max([3, 1, 2]))
    3
    """
    return _extremum("maximum", a, axis, out, keepdims, initial, where, target)


def minmax(a: Any, axis: Any = None, *, keepdims: bool = False, target: Target | str | None = None) -> tuple[Any, Any]:
    """The smallest and the largest element, or those along axes, in one pass over the elements; as min and max.

    ValueError where there are no elements.

    >>> import heddle
    >>> least, greatest = heddle.minmax([[3, 1], [2, 5]], axis=0)
    >>> least.tolist(), greatest.tolist()
    ([2, 1], [3, 5])
    """
    return _core.minmax(a, axis, keepdims, target)


def any(a: Any, axis: Any = None, out: Any = None, keepdims: bool = False, *, where: Any = True,
        target: Target | str | None = None) -> Any:
    """Whether any element is not 0, or any along axes, as numpy.any: NaN is not 0. Of any shape and type.

    >>> import heddle
    >>> heddle.any([[0, 1], [0, 0]], axis=1).tolist()
    [True, False]
    """
    if type(a) is DistributedArray:
        return _ranks.is_nonzero("logical_or", a, axis, out, keepdims, where)
    if where is not True:
        a = masked(a, where, 0)
    return _core.any_or_all(False, a, axis, out, keepdims, target)


def all(a: Any, axis: Any = None, out: Any = None, keepdims: bool = False, *, where: Any = True,
        target: Target | str | None = None) -> Any:
    """Whether no element is 0, or none along axes, as numpy.all. Of any shape and type.

    >>> import heddle
    >>> bool(heddle.all([1, 2, 0]))
    False
    """
    if type(a) is DistributedArray:
        return _ranks.is_nonzero("logical_and", a, axis, out, keepdims, where)
    if where is not True:
        a = masked(a, where, 1)
    return _core.any_or_all(True, a, axis, out, keepdims, target)


def argmin(a: Any, axis: int | None = None, out: Any = None, *, keepdims: bool = False,
           target: Target | str | None = None) -> Any:
    """The place of the first smallest element in C order, or along one axis, as numpy.argmin: int64.

    `a` has any shape, and any type but the complex ones, which is a TypeError. The first NaN is the smallest.
    ValueError where there are no elements, TypeError for an `out` that does not have integers.

    >>> import heddle
    >>> int(heddle.argmin([3, 1, 2, 1]))
    1
    """
    if type(a) is DistributedArray:
        return _ranks.place(False, a, axis, out, keepdims)
    return _core.arg_extremum(False, a, axis, out, keepdims, target)


def argmax(a: Any, axis: int | None = None, out: Any = None, *, keepdims: bool = False,
           target: Target | str | None = None) -> Any:
    """The place of the first largest element, as numpy.argmax; otherwise as heddle.argmin.

    >>> import heddle
    >>> heddle.argmax([[3, 1], [2, 5]], axis=0).tolist()
    [0, 1]
    """
    if type(a) is DistributedArray:
        return _ranks.place(True, a, axis, out, keepdims)
    return _core.arg_extremum(True, a, axis, out, keepdims, target)


def reduce(a: Any, op: str = "add", *, axis: Any = None, keepdims: bool = False, initial: Any = None, out: Any = None,
           target: Target | str | None = None) -> Any:
    """Combines the elements by an operator, in their own type: integers wrap around.

    `op` is "add", "multiply", "minimum", "maximum", "logical_and", "logical_or", "logical_xor", "bit_and",
    "bit_or" or "bit_xor". `axis` is one axis, several or None for all. The type of `out` does not change the type
    that is combined in. TypeError where the operator is not defined on the type, ValueError where there is nothing
    to combine and the operator has no identity.

    >>> import heddle, numpy
    >>> int(heddle.reduce(numpy.array([5, 3], dtype=numpy.uint8), "bit_xor"))
    6
    """
    if type(a) is DistributedArray:
        return _ranks.reduced(text("the operator", op), False, a, axis, None, out, keepdims, initial, True)
    return _core.reduce(text("the operator", op), False, a, axis, None, out, keepdims, initial, target)
