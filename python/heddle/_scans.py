"""Running combinations."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _core, _ranks
from ._arguments import text
from ._arrays import held, is_on_gpu, like, on_cpu
from ._core import DistributedArray, Target


def cumsum(a: Any, axis: int | None = None, dtype: Any = None, out: Any = None, *,
           target: Target | str | None = None) -> Any:
    """Running sums, of all elements in C order or along one axis, as numpy.cumsum.

    `a` has any shape; without an axis the result is flat. Integers and bool are summed in 64 bits. `out` may be
    `a`, and has any type that heddle.sum takes. The bits are the same on one core, on many cores and on a GPU.

    >>> import heddle
    >>> heddle.cumsum([3, 1, 4]).tolist()
    [3, 4, 8]
    >>> heddle.cumsum([[1, 2], [3, 4]], axis=0).tolist()
    [[1, 2], [4, 6]]
    """
    if type(a) is DistributedArray:
        return _ranks.scanned("add", True, False, a, axis, dtype, out, None)
    return _core.scan("add", True, False, a, axis, dtype, out, None, target)


def cumprod(a: Any, axis: int | None = None, dtype: Any = None, out: Any = None, *,
            target: Target | str | None = None) -> Any:
    """Running products, as numpy.cumprod; otherwise as heddle.cumsum.

    >>> import heddle
    >>> heddle.cumprod([2, 3, 7]).tolist()
    [2, 6, 42]
    """
    if type(a) is DistributedArray:
        return _ranks.scanned("multiply", True, False, a, axis, dtype, out, None)
    return _core.scan("multiply", True, False, a, axis, dtype, out, None, target)


def _cumulative(op: str, first: int, x: Any, axis: Any, dtype: Any, out: Any, include_initial: bool, target: Any) -> Any:
    x = held(x)
    if axis is None:
        axes = x.ndim if hasattr(x, "ndim") else np.ndim(x)
        if axes > 1:
            raise ValueError("an array of more than one axis needs an axis to go along")
        if axes == 0:
            x = np.reshape(on_cpu(x), 1)
        axis = 0
    if not include_initial:
        return _core.scan(op, True, False, x, axis, dtype, out, None, target)
    if out is not None:
        dtype = _core.summed_in(x.dtype if hasattr(x, "dtype") else on_cpu(x).dtype, dtype, out)
    sums = _core.scan(op, True, False, x, axis, dtype, None, None, target)
    shape = list(sums.shape)
    shape[axis] = 1
    if is_on_gpu(sums):
        from .array_api import _moves

        whole = _moves.concatenated([_core.filled(shape, sums.dtype, first, sums.target), sums], axis)
    else:
        whole = np.concatenate([np.full(shape, first, sums.dtype), on_cpu(sums)], axis)
    if out is not None:
        return _core.store(whole, out)
    return like(whole, sums)


def cumulative_sum(x: Any, /, *, axis: int | None = None, dtype: Any = None, out: Any = None,
                   include_initial: bool = False, target: Target | str | None = None) -> Any:
    """Running sums along an axis, which only arrays of one axis need not name, as numpy.cumulative_sum.

    With `include_initial` each begins with 0 and is one longer.

    >>> import heddle
    >>> heddle.cumulative_sum([3, 1, 4], include_initial=True).tolist()
    [0, 3, 4, 8]
    """
    return _cumulative("add", 0, x, axis, dtype, out, include_initial, target)


def cumulative_prod(x: Any, /, *, axis: int | None = None, dtype: Any = None, out: Any = None,
                    include_initial: bool = False, target: Target | str | None = None) -> Any:
    """Running products along an axis, as numpy.cumulative_prod; otherwise as heddle.cumulative_sum.

    >>> import heddle
    >>> heddle.cumulative_prod([2, 3, 7], include_initial=True).tolist()
    [1, 2, 6, 42]
    """
    return _cumulative("multiply", 1, x, axis, dtype, out, include_initial, target)


def inclusive_scan(a: Any, op: str = "add", *, axis: int | None = None, initial: Any = None, out: Any = None,
                   target: Target | str | None = None) -> Any:
    """Element i combines elements 0 to i by an operator, behind `initial` where one is given, in their own type.

    The operators are those of heddle.reduce. Without an axis the elements are taken flat, in C order. `out` may
    be `a`. TypeError where the operator is not defined on the type.

    >>> import heddle
    >>> heddle.inclusive_scan([3, 1, 4, 1, 5], "maximum").tolist()
    [3, 3, 4, 4, 5]
    """
    if type(a) is DistributedArray:
        return _ranks.scanned(text("the operator", op), False, False, a, axis, None, out, initial)
    return _core.scan(text("the operator", op), False, False, a, axis, None, out, initial, target)


def exclusive_scan(a: Any, op: str = "add", *, axis: int | None = None, initial: Any = None, out: Any = None,
                   target: Target | str | None = None) -> Any:
    """Element i combines `initial`, or the operator's identity, and elements 0 to i - 1; otherwise as inclusive_scan.

    >>> import heddle
    >>> heddle.exclusive_scan([3, 1, 4, 1, 5]).tolist()
    [0, 3, 4, 8, 9]
    """
    if type(a) is DistributedArray:
        return _ranks.scanned(text("the operator", op), False, True, a, axis, None, out, initial)
    return _core.scan(text("the operator", op), False, True, a, axis, None, out, initial, target)


def adjacent_difference(a: Any, axis: int | None = -1, out: Any = None, *, target: Target | str | None = None) -> Any:
    """Each element minus the one before it along an axis, or in C order for None. The first element is copied.

    numpy.diff leaves the first element out: `heddle.adjacent_difference(a)[..., 1:]` equals `numpy.diff(a)`, and
    heddle.cumsum along the same axis undoes a difference of integers. The result has the shape and the type of `a`;
    integers wrap, and two bools give whether they differ. `out` may be `a`.

    >>> import heddle
    >>> heddle.adjacent_difference([3, 1, 4, 1, 5]).tolist()
    [3, -2, 3, -3, 4]
    >>> heddle.adjacent_difference([[1, 2], [3, 7]], axis=0).tolist()
    [[1, 2], [2, 5]]
    """
    if type(a) is DistributedArray:
        return _ranks.differences(a, axis, out)
    return _core.adjacent_difference(a, axis, out, target)
