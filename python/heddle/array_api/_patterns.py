"""Reductions, scans, sorts, sets and products: the patterns of Heddle's, which run where the array is."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .. import _core, _order, _products, _reductions, _scans, _statistics
from .._core import Array
from ._elementwise import isnan, not_equal
from ._places import array_of, beside, made, numpy_of, place_of, through_heddle


def sum(x: Array, /, *, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Array:
    """heddle.sum: along one axis, several or all, of integers in 64 bits.

    >>> from heddle import array_api as xp
    >>> xp.sum(xp.asarray([3, 4]))
    heddle.Array(7, dtype=int64, device='cpu')
    """
    return through_heddle(_reductions.sum, x, axis, dtype, keepdims=keepdims)


def prod(x: Array, /, *, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Array:
    """heddle.prod: along one axis, several or all, of integers in 64 bits.

    >>> from heddle import array_api as xp
    >>> xp.prod(xp.asarray([3, 4]))
    heddle.Array(12, dtype=int64, device='cpu')
    """
    return through_heddle(_reductions.prod, x, axis, dtype, keepdims=keepdims)


def max(x: Array, /, *, axis: Any = None, keepdims: bool = False) -> Array:
    """heddle.max: the greatest element, NaN where there is one. ValueError where there are no elements.

    >>> from heddle import array_api as xp
    >>> xp.max(xp.asarray([3, 4]))
    heddle.Array(4, dtype=int64, device='cpu')
    """
    return through_heddle(_reductions.max, x, axis, keepdims=keepdims)


def min(x: Array, /, *, axis: Any = None, keepdims: bool = False) -> Array:
    """heddle.min: the least element, NaN where there is one. ValueError where there are no elements.

    >>> from heddle import array_api as xp
    >>> xp.min(xp.asarray([3, 4]))
    heddle.Array(3, dtype=int64, device='cpu')
    """
    return through_heddle(_reductions.min, x, axis, keepdims=keepdims)


def mean(x: Array, /, *, axis: Any = None, keepdims: bool = False) -> Array:
    """heddle.mean: of integers float64.

    >>> from heddle import array_api as xp
    >>> xp.mean(xp.asarray([3., 4.]))
    heddle.Array(3.5, dtype=float64, device='cpu')
    """
    return through_heddle(_statistics.mean, x, axis, keepdims=keepdims)


def var(x: Array, /, *, axis: Any = None, correction: float = 0.0, keepdims: bool = False) -> Array:
    """heddle.var: the sum of squared differences from the mean, divided by n - `correction`.

    >>> from heddle import array_api as xp
    >>> xp.var(xp.asarray([3., 4.]))
    heddle.Array(0.25, dtype=float64, device='cpu')
    """
    return through_heddle(_statistics.var, x, axis, correction=correction, keepdims=keepdims)


def std(x: Array, /, *, axis: Any = None, correction: float = 0.0, keepdims: bool = False) -> Array:
    """heddle.std: the square root of the variance.

    >>> from heddle import array_api as xp
    >>> xp.std(xp.asarray([3., 4.]))
    heddle.Array(0.5, dtype=float64, device='cpu')
    """
    return through_heddle(_statistics.std, x, axis, correction=correction, keepdims=keepdims)


def any(x: Array, /, *, axis: Any = None, keepdims: bool = False) -> Array:
    """heddle.any: whether any element is not 0; NaN is not.

    >>> from heddle import array_api as xp
    >>> xp.any(xp.asarray([False, True]))
    heddle.Array(True, dtype=bool, device='cpu')
    """
    return through_heddle(_reductions.any, x, axis, keepdims=keepdims)


def all(x: Array, /, *, axis: Any = None, keepdims: bool = False) -> Array:
    """heddle.all: whether no element is 0.

    >>> from heddle import array_api as xp
    >>> xp.all(xp.asarray([False, True]))
    heddle.Array(False, dtype=bool, device='cpu')
    """
    return through_heddle(_reductions.all, x, axis, keepdims=keepdims)


def count_nonzero(x: Array, /, *, axis: Any = None, keepdims: bool = False) -> Array:
    """How many elements are not 0, int64: heddle.sum of the comparison.

    >>> from heddle import array_api as xp
    >>> xp.count_nonzero(xp.asarray([0, 5, 7]))
    heddle.Array(2, dtype=int64, device='cpu')
    """
    return through_heddle(_reductions.sum, not_equal(array_of(x), 0), axis, keepdims=keepdims)


def argmax(x: Array, /, *, axis: int | None = None, keepdims: bool = False) -> Array:
    """heddle.argmax: the place of the first greatest element, int64.

    >>> from heddle import array_api as xp
    >>> xp.argmax(xp.asarray([3, 5, 4]))
    heddle.Array(1, dtype=int64, device='cpu')
    """
    return through_heddle(_reductions.argmax, x, axis, keepdims=keepdims)


def argmin(x: Array, /, *, axis: int | None = None, keepdims: bool = False) -> Array:
    """heddle.argmin: the place of the first least element, int64.

    >>> from heddle import array_api as xp
    >>> xp.argmin(xp.asarray([3, 5, 4]))
    heddle.Array(0, dtype=int64, device='cpu')
    """
    return through_heddle(_reductions.argmin, x, axis, keepdims=keepdims)


def cumulative_sum(x: Array, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False) -> Array:
    """heddle.cumulative_sum: running sums along an axis, behind 0 with `include_initial`.

    >>> from heddle import array_api as xp
    >>> xp.cumulative_sum(xp.asarray([3, 4]), include_initial=True)
    heddle.Array([0, 3, 7], dtype=int64, device='cpu')
    """
    return through_heddle(_scans.cumulative_sum, x, axis=axis, dtype=dtype, include_initial=include_initial)


def cumulative_prod(x: Array, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False) -> Array:
    """heddle.cumulative_prod: running products along an axis, behind 1 with `include_initial`.

    >>> from heddle import array_api as xp
    >>> xp.cumulative_prod(xp.asarray([3, 4]))
    heddle.Array([ 3, 12], dtype=int64, device='cpu')
    """
    return through_heddle(_scans.cumulative_prod, x, axis=axis, dtype=dtype, include_initial=include_initial)


def sort(x: Array, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Array:
    """The elements in order along an axis, as heddle.sort, or from the greatest to the least. NaN is the greatest.

    TypeError for complex elements. `stable` or not, the order of equal elements is kept.

    >>> from heddle import array_api as xp
    >>> xp.sort(xp.asarray([3, 5, 4]), descending=True)
    heddle.Array([5, 4, 3], dtype=int64, device='cpu')
    """
    return through_heddle(_core.sort, x, axis, descending, None)


def argsort(x: Array, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Array:
    """The places, int64, that put the elements in order as `sort` does; those of equal elements rise.

    >>> from heddle import array_api as xp
    >>> xp.argsort(xp.asarray([3, 5, 3]), descending=True)
    heddle.Array([1, 0, 2], dtype=int64, device='cpu')
    """
    return through_heddle(_core.argsort, x, axis, descending, None)


def searchsorted(x1: Array, x2: Array, /, *, side: str = "left", sorter: Array | None = None) -> Array:
    """heddle.searchsorted: for each element of `x2` its place in `x1`, which has one axis and is in order.

    >>> from heddle import array_api as xp
    >>> xp.searchsorted(xp.asarray([1, 3, 5]), xp.asarray([3, 4]))
    heddle.Array([1, 2], dtype=int64, device='cpu')
    """
    x1, x2 = array_of(x1), array_of(x2)
    place_of(x1, x2, sorter)
    return beside(_order.searchsorted(x1, x2, side, sorter), x1)


class UniqueAll(NamedTuple):
    values: Array
    indices: Array
    inverse_indices: Array
    counts: Array


class UniqueCounts(NamedTuple):
    values: Array
    counts: Array


class UniqueInverse(NamedTuple):
    values: Array
    inverse_indices: Array


def _unique(x: Any, index: bool, inverse: bool, counts: bool) -> Any:
    """heddle.unique, which has no complex elements and takes NaNs for one: those are left to NumPy."""
    x = array_of(x)
    if x.dtype.kind == "c":
        of_numpy: Any = np.unique
        found = of_numpy(numpy_of(x), index, inverse, counts, equal_nan=False)
        place = place_of(x)
        return tuple(made(part, place) for part in found) if isinstance(found, tuple) else made(found, place)
    has_nan = x.dtype.kind == "f" and bool(any(isnan(x)))
    found = _order.unique(x, index, inverse, counts, equal_nan=not has_nan)
    return tuple(beside(part, x) for part in found) if isinstance(found, tuple) else beside(found, x)


def unique_values(x: Array, /) -> Array:
    """heddle.unique: the different elements in order. Each NaN is one.

    >>> from heddle import array_api as xp
    >>> xp.unique_values(xp.asarray([3, 1, 3]))
    heddle.Array([1, 3], dtype=int64, device='cpu')
    """
    result: Array = _unique(x, False, False, False)
    return result


def unique_counts(x: Array, /) -> UniqueCounts:
    """heddle.unique: the different elements in order, and how many there are of each.

    >>> from heddle import array_api as xp
    >>> xp.unique_counts(xp.asarray([3, 1, 3])).counts
    heddle.Array([1, 2], dtype=int64, device='cpu')
    """
    return UniqueCounts(*_unique(x, False, False, True))


def unique_inverse(x: Array, /) -> UniqueInverse:
    """heddle.unique: the different elements in order, and which of them each element is, in the shape of `x`.

    >>> from heddle import array_api as xp
    >>> xp.unique_inverse(xp.asarray([3, 1, 3])).inverse_indices
    heddle.Array([1, 0, 1], dtype=int64, device='cpu')
    """
    return UniqueInverse(*_unique(x, False, True, False))


def unique_all(x: Array, /) -> UniqueAll:
    """heddle.unique: the different elements in order, where the first of each is, which each element is, and how many.

    >>> from heddle import array_api as xp
    >>> xp.unique_all(xp.asarray([3, 1, 3])).indices
    heddle.Array([1, 0], dtype=int64, device='cpu')
    """
    return UniqueAll(*_unique(x, True, True, True))


def matmul(x1: Array, x2: Array, /) -> Array:
    """heddle.matmul: the product of vectors, matrices and stacks of matrices. ValueError for shapes that do not fit.

    >>> from heddle import array_api as xp
    >>> xp.matmul(xp.asarray([1., 2.]), xp.asarray([3., 4.]))
    heddle.Array(11., dtype=float64, device='cpu')
    """
    x1, x2 = array_of(x1), array_of(x2)
    place_of(x1, x2)
    return beside(_products.matmul(x1, x2), x1)


def tensordot(x1: Array, x2: Array, /, *, axes: Any = 2) -> Array:
    """The product of arrays summed along axes of both, as numpy.tensordot.

    >>> from heddle import array_api as xp
    >>> xp.tensordot(xp.ones((2, 3)), xp.ones((2, 3)))
    heddle.Array(6., dtype=float64, device='cpu')
    """
    x1, x2 = array_of(x1), array_of(x2)
    return made(np.tensordot(numpy_of(x1), numpy_of(x2), axes), place_of(x1, x2))


def vecdot(x1: Array, x2: Array, /, *, axis: int = -1) -> Array:
    """The sum of conj(x1) * x2 along an axis, which has one length in both, as numpy.vecdot.

    ValueError where the lengths differ.

    >>> from heddle import array_api as xp
    >>> xp.vecdot(xp.asarray([1., 2.]), xp.asarray([3., 4.]))
    heddle.Array(11., dtype=float64, device='cpu')
    """
    x1, x2 = array_of(x1), array_of(x2)
    of_numpy: Any = np.vecdot
    return made(of_numpy(numpy_of(x1), numpy_of(x2), axis=axis), place_of(x1, x2))
