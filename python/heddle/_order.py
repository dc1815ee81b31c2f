"""Sorting and searching."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _core, _ranks
from ._arguments import whole
from ._arrays import converted, held, in_byte_order_of, is_on_gpu, like, on_cpu
from ._core import Array, DistributedArray, Target


def _check_kind(kind: Any, order: Any, stable: Any) -> None:
    if order is not None:
        raise ValueError("order names fields, which elements of a number type do not have")
    if kind not in (None, "quicksort", "heapsort", "stable", "mergesort"):
        raise ValueError(f"kind is quicksort, heapsort, stable or mergesort, not {kind!r}")
    if kind is not None and stable is not None:
        raise ValueError("kind and stable say the same: give one of them")


def sort(a: Any, axis: int | None = -1, kind: str | None = None, order: Any = None, *, stable: bool | None = None,
         target: Target | str | None = None) -> Any:
    """A sorted copy, along one axis or flat, as numpy.sort: NaNs are last.

    `a` has any shape, and any type but the complex ones, which is a TypeError. Every sort is stable, whatever
    `kind` says.

    >>> import heddle
    >>> heddle.sort([[3, 1], [2, 5]]).tolist()
    [[1, 3], [2, 5]]
    """
    if kind is not None or order is not None:
        _check_kind(kind, order, stable)
    if type(a) is DistributedArray:
        return _ranks.sorted_flat(a, axis)
    return in_byte_order_of(a, _core.sort(a, axis, False, target))


def argsort(a: Any, axis: int | None = -1, kind: str | None = None, order: Any = None, *, stable: bool | None = None,
            target: Target | str | None = None) -> Any:
    """The places, int64, that put the elements in stable order, as numpy.argsort with kind="stable".

    >>> import heddle
    >>> heddle.argsort([3, -1, 2, -1]).tolist()
    [1, 3, 2, 0]
    """
    if kind is not None or order is not None:
        _check_kind(kind, order, stable)
    if type(a) is DistributedArray:
        return _ranks.places_flat(a, axis)
    return _core.argsort(a, axis, False, target)


def top_k(a: Any, k: int, axis: int | None = None, *, largest: bool = True,
          target: Target | str | None = None) -> tuple[Any, Any]:
    """The k largest elements in order, or the k smallest, and their places, int64; of all or along one axis.

    Of equal elements those that come first are taken, and NaNs are the largest. ValueError for a k that is negative
    or larger than the number of elements, TypeError for complex elements.

    >>> import heddle
    >>> values, places = heddle.top_k([3, 1, 4, 1, 5], 2)
    >>> values.tolist(), places.tolist()
    ([5, 4], [4, 2])
    """
    if type(a) is DistributedArray:
        return _core.top_k_over_ranks(a, whole("k", k), axis, bool(largest))
    values, places = _core.top_k(a, whole("k", k), axis, bool(largest), target)
    return in_byte_order_of(a, values), places


def unique(ar: Any, return_index: bool = False, return_inverse: bool = False, return_counts: bool = False,
           axis: int | None = None, *, equal_nan: bool = True, sorted: bool = True,
           target: Target | str | None = None) -> Any:
    """The different elements in order, as numpy.unique, and where they come from and how many they are.

    With `return_index` the place of the first of each follows, with `return_inverse` which of them each element
    is, in the shape of `ar`, and with `return_counts` how many there are. Rows that are compared as wholes, by
    `axis`, and NaNs that are told apart are left to NumPy, on the CPU. TypeError for complex elements.

    >>> import heddle
    >>> values, counts = heddle.unique([3, 1, 3], return_counts=True)
    >>> values.tolist(), counts.tolist()
    ([1, 3], [1, 2])
    """
    if type(ar) is DistributedArray:
        return _ranks.different(ar, return_index, return_inverse, return_counts, axis, equal_nan)
    ar = held(ar)
    if axis is not None or not equal_nan:
        of_numpy: Any = np.unique
        found = of_numpy(on_cpu(ar), return_index, return_inverse, return_counts, axis, equal_nan=equal_nan)
        return tuple(like(x, ar) for x in found) if isinstance(found, tuple) else like(found, ar)
    if not (return_index or return_inverse or return_counts):
        return in_byte_order_of(ar, _core.unique(ar, target))
    if is_on_gpu(ar):
        return _unique_on_gpu(ar, return_index, return_inverse, return_counts, ar.target if target is None else target)
    x = on_cpu(ar)
    order = _core.argsort(x, None, False, target)
    in_order = x.reshape(-1)[order]
    is_first = np.ones(in_order.shape, dtype=bool)
    is_first[1:] = (in_order[1:] != in_order[:-1]) & ~((in_order[1:] != in_order[1:]) & (in_order[:-1] != in_order[:-1]))
    firsts = np.flatnonzero(is_first)
    results = [in_order[firsts]]
    if return_index:
        results.append(order[firsts])
    if return_inverse:
        inverse = np.empty(order.shape, dtype=np.intp)
        inverse[order] = _core.scan("add", True, False, is_first, None, None, None, None, target) - 1
        results.append(inverse.reshape(x.shape))
    if return_counts:
        results.append(np.diff(np.append(firsts, x.size)))
    return tuple(like(result, ar) for result in results)


def _unique_on_gpu(x: Array, return_index: bool, return_inverse: bool, return_counts: bool, target: Any) -> tuple[Array, ...]:
    """The same where nothing comes to the CPU but how many there are."""
    from .array_api import _moves

    flat = _core.reshaped(x, (x.size,))
    order = _core.argsort(flat, None, False, target)
    in_order = flat[order]
    differs = _core.transform("(a != b) & ~((a != a) & (b != b))", ["a", "b"], [in_order[1:], in_order[:-1]], None, None, x.target)
    is_first = _moves.concatenated([_core.filled((min(x.size, 1),), np.bool_, True, x.target), differs], 0)
    firsts = _core.true_places(is_first)
    results = [in_order[firsts]]
    if return_index:
        results.append(order[firsts])
    if return_inverse:
        inverse = _core.filled((x.size,), np.int64, None, x.target)
        inverse[order] = _core.scan("add", True, False, is_first, None, None, None, None, x.target) - 1
        results.append(_core.reshaped(inverse, x.shape))
    if return_counts:
        ends = _moves.concatenated([firsts, _core.filled((1,), np.int64, x.size, x.target)], 0)
        results.append(ends[1:] - ends[:-1])
    return tuple(results)


def searchsorted(a: Any, v: Any, side: str = "left", sorter: Any = None, *, target: Target | str | None = None) -> Any:
    """For each value the place in the sorted `a` where it can stand, as numpy.searchsorted: int64.

    `a` has one axis and is in order, or `sorter` puts it in order; `v` has any shape, which the result has too.
    With side "left" the place is before equal elements, with "right" behind them. Integers are compared exactly,
    also uint64 with signed ones, which NumPy compares as float64. ValueError for another side and for an `a` of more
    axes, TypeError for complex numbers.

    >>> import heddle
    >>> heddle.searchsorted([1, 3, 3, 5], [3, 4]).tolist()
    [1, 3]
    """
    if side not in ("left", "right"):
        raise ValueError(f"side is left or right, not {side!r}")
    if sorter is not None:
        a, order = held(a), held(sorter)
        x = a if is_on_gpu(a) else on_cpu(a)
        order = order if is_on_gpu(order) else on_cpu(order)
        if order.dtype.kind not in "iu":
            raise TypeError("sorter must only contain integers")
        if order.size != x.size:
            raise ValueError("sorter.size must equal a.size")
        if order.size > 0:
            least, greatest = (int(end) for end in _core.minmax(order, None, False, None))
            if least < 0 or greatest >= x.size:
                raise ValueError("Sorter index out of range.")
        a = a[order] if is_on_gpu(a) else like(np.take(x, on_cpu(order)), a)
    a, v = (x if hasattr(x, "dtype") else on_cpu(x) for x in (held(a), held(v)))
    is_right = side == "right"
    if a.dtype.kind + v.dtype.kind in ("iu", "ui") and np.promote_types(a.dtype, v.dtype).kind == "f":
        return _searchsorted_by_sign(a, v, is_right, target)
    return _core.searchsorted(a, v, is_right, target)


def _searchsorted_by_sign(a: Any, v: Any, is_right: bool, target: Any) -> Any:
    """The same of uint64 and signed integers, which no type holds both: values beyond the type of a go to one end."""
    if a.dtype.kind == "u":
        is_beyond, end = "v < 0", 0
    else:
        is_beyond, end = "v > 9223372036854775807", a.size
        a = converted(a, np.int64)
    places = _core.searchsorted(a, converted(v, a.dtype), is_right, target)
    if is_on_gpu(places):
        return _core.transform(f"where({is_beyond}, n, p)", ["v", "n", "p"], [v, np.int64(end), places], np.int64, None, places.target)
    there = on_cpu(v) < 0 if a.dtype.kind == "u" else on_cpu(v) > np.uint64(2**63 - 1)
    return like(np.where(there, np.int64(end), on_cpu(places))[()], places)
