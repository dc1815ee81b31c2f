"""Means, variances and histograms."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _core, _ranks
from ._arguments import mask
from ._arrays import converted, held, in_byte_order_of, like, numbers, on_cpu
from ._core import DistributedArray, Target
from ._histogram_edges import beyond_double, densities
from ._order import searchsorted
from ._reductions import sum as sum_of


def _type_of_mean(x: np.ndarray, dtype: Any) -> Any:
    if dtype is not None:
        return np.dtype(dtype)
    return np.dtype(np.float64) if x.dtype.kind in "biu" else x.dtype


def _wide(x: np.ndarray) -> np.ndarray:
    return x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)


def _mean_where(x: np.ndarray, axis: Any, keepdims: bool, where: Any, target: Any) -> Any:
    chosen = np.broadcast_to(mask(where), x.shape)
    count = sum_of(chosen, axis, keepdims=keepdims, target=target)
    return sum_of(_wide(x), axis, keepdims=keepdims, where=chosen, target=target) / count


def _by_numpy(function: Any, a: Any, dtype: Any, out: Any, *arguments: Any, **more: Any) -> Any:
    """A moment in a type that is not the mean's own: in integers, which wrap around in between, in complex numbers of real
    elements, or in real numbers of complex elements. NotImplemented for others."""
    if dtype is None:
        return NotImplemented
    kind, is_complex = np.dtype(dtype).kind, (a if hasattr(a, "dtype") else on_cpu(a)).dtype.kind == "c"
    if kind not in "biufc" or kind == ("c" if is_complex else "f"):
        return NotImplemented
    result = like(function(on_cpu(a), *arguments, dtype=dtype, **more), a)
    return result if out is None else _core.store(result, out)


def _is_complex_of_complex(a: Any, dtype: Any) -> bool:
    return dtype is not None and np.dtype(dtype).kind == "c" == (a if hasattr(a, "dtype") else on_cpu(a)).dtype.kind


def _in_complex(function: Any, a: Any, dtype: Any, out: Any, *arguments: Any, **more: Any) -> Any:
    """A variance or deviation in a complex type, which NumPy's is too."""
    of_parts = function(converted(held(a), dtype), *arguments, **more)
    result = like(on_cpu(of_parts).astype(dtype)[()], of_parts)
    return result if out is None else _core.store(result, out)


def _as_wide_as(out: Any, a: Any, dtype: Any) -> Any:
    """The type that a moment is computed in: float64 of float32 elements where `out` holds it."""
    type_of_a, type_of_out = getattr(a, "dtype", None), getattr(out, "dtype", None)
    if dtype is None and type_of_out in (np.float64, np.complex128) and type_of_a in (np.float32, np.complex64):
        return np.dtype(np.float64 if type_of_a == np.float32 else np.complex128)
    return dtype


def _given(mean: Any) -> dict[str, Any]:
    """The mean where there is one, as a keyword: NumPy 1 has none."""
    return {} if mean is None else {"mean": on_cpu(mean)}


def mean(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False, *, where: Any = True,
         target: Target | str | None = None) -> Any:
    """The mean of the elements, or along axes, as numpy.mean: float64 of integers and bool.

    Sums are of float64, also those of float32, so that the mean is more exact than NumPy's. The bits are the
    same on every target. Of no elements it is NaN, with a RuntimeWarning.

    >>> import heddle
    >>> heddle.mean([[1, 2], [3, 6]], axis=1).tolist()
    [1.5, 4.5]
    """
    if type(a) is DistributedArray:
        return _ranks.mean_of(a, axis, dtype, out, keepdims, where)
    dtype = _as_wide_as(out, a, dtype)
    by_numpy = _by_numpy(np.mean, a, dtype, out, axis, keepdims=keepdims, where=where)
    if by_numpy is not NotImplemented:
        return by_numpy
    if where is not True:
        x = numbers(a)
        result = like(np.asarray(_mean_where(x, axis, keepdims, where, target)).astype(_type_of_mean(x, dtype))[()], a)
        return result if out is None else _core.store(result, out)
    return _core.moment(True, a, axis, dtype, out, keepdims, 0, target)


def var(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: float = 0, keepdims: bool = False, *,
        where: Any = True, mean: Any = None, correction: float | None = None,
        target: Target | str | None = None) -> Any:
    """The variance of the elements, or along axes, as numpy.var: the mean of \\|x - mean\\|², in two passes of float64.

    The sum is divided by n - `ddof`, which `correction` also names. `mean` is the mean where it is known, with
    the axes that keepdims keeps. float64 of integers, the type of the parts of complex numbers.

    >>> import heddle
    >>> float(heddle.var([3, 1, 4, 1, 6], ddof=1))
    4.5
    """
    if correction is not None:
        if ddof != 0:
            raise ValueError("ddof and correction can't be provided simultaneously.")
        ddof = correction
    if type(a) is DistributedArray:
        return _ranks.variance_of(a, axis, dtype, out, ddof, keepdims, where, mean)
    if _is_complex_of_complex(a, dtype):
        return _in_complex(var, a, dtype, out, axis, ddof=ddof, keepdims=keepdims, where=where, mean=mean, target=target)
    dtype = _as_wide_as(out, a, dtype)
    by_numpy = _by_numpy(np.var, a, dtype, out, axis, ddof=ddof, keepdims=keepdims, where=where, **_given(mean))
    if by_numpy is not NotImplemented:
        return by_numpy
    if where is True and mean is None and 0 <= ddof < 2**63 and ddof == int(ddof):
        return _core.moment(False, a, axis, dtype, out, keepdims, int(ddof), target)
    x = numbers(a)
    if x.ndim == 0 and axis not in (None, ()):
        return _core.moment(False, x, axis, None, None, False, 0, target)  # raises AxisError
    given = x if dtype is None else x.astype(dtype)
    chosen = np.broadcast_to(mask(where), x.shape)
    centre = _mean_where(given, axis, True, chosen, target) if mean is None else on_cpu(mean)
    apart = np.abs(_wide(given) - centre)
    count = sum_of(chosen, axis, keepdims=keepdims, target=target) - ddof
    spread = sum_of(apart * apart, axis, keepdims=keepdims, where=chosen, target=target) / np.maximum(count, 0)
    type_of_parts = np.abs(np.empty(0, _type_of_mean(x, dtype))).dtype
    result = like(np.asarray(spread).astype(type_of_parts)[()], a)
    return result if out is None else _core.store(result, out)


def std(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: float = 0, keepdims: bool = False, *,
        where: Any = True, mean: Any = None, correction: float | None = None,
        target: Target | str | None = None) -> Any:
    """The standard deviation, the square root of heddle.var, whose arguments it takes.

    >>> import heddle
    >>> float(heddle.std([1, 3]))
    1.0
    """
    if type(a) is DistributedArray:
        return _ranks.deviation_of(a, axis, dtype, out, ddof if correction is None else correction, keepdims, where, mean)
    if _is_complex_of_complex(a, dtype):
        return _in_complex(std, a, dtype, out, axis, ddof=ddof, keepdims=keepdims, where=where, mean=mean, correction=correction,
                           target=target)
    dtype = _as_wide_as(out, a, dtype)
    by_numpy = _by_numpy(np.std, a, dtype, out, axis, ddof=ddof if correction is None else correction, keepdims=keepdims, where=where,
                         **_given(mean))
    if by_numpy is not NotImplemented:
        return by_numpy
    if _is_complex_of_complex(a, dtype):
        a, dtype = converted(held(a), dtype), None
    squares = var(a, axis, dtype, None, ddof, keepdims, where=where, mean=mean, correction=correction, target=target)
    result = like(np.sqrt(on_cpu(squares))[()], squares)
    return result if out is None else _core.store(result, out)


def quantile(a: Any, q: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, method: str = "linear",
             keepdims: bool = False, *, weights: None = None, target: Target | str | None = None) -> Any:
    """The quantiles of fractions q of the elements, or along axes, as numpy.quantile with its method "linear".

    `q` is a number from 0 to 1, or an array of them, whose axes come first in the result. float64; float32 of float32
    elements and a number of Python. Values are computed in float64, and the bits are the same on every target. bool
    counts as 0 and 1. NaN where an element is NaN. The elements are never changed, also where `overwrite_input` lets
    them be. ValueError for no elements, for another q, for another method and for weights, which that one does not
    take; TypeError for complex elements.

    >>> import heddle
    >>> heddle.quantile([3, 1, 4, 1, 5], [0.25, 0.5]).tolist()
    [1.0, 3.0]
    """
    if method != "linear":
        raise ValueError(f"method is linear, not {method!r}")
    if weights is not None:
        raise ValueError("the method linear takes no weights")
    fractions = np.asarray(q)
    if fractions.dtype.kind not in "biuf":
        raise TypeError(f"q are real numbers, not {fractions.dtype}")
    if not ((fractions >= 0) & (fractions <= 1)).all():
        raise ValueError("q are from 0 to 1")
    if type(a) is DistributedArray:
        if keepdims or out is not None:
            raise TypeError("over ranks keepdims and out are not taken")
        return _ranks.quantiles_of(a, q, axis)
    a = held(a)
    a = a if hasattr(a, "dtype") else on_cpu(a)
    is_single = a.dtype == np.float32 and (type(q) in (int, float) or fractions.dtype in (np.float16, np.float32))
    result = _core.quantile(a, fractions.astype(np.float64).ravel().tolist(), fractions.shape, axis, bool(keepdims), is_single, target)
    return result if out is None else _core.store(result, out)


def median(a: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, keepdims: bool = False, *,
           target: Target | str | None = None) -> Any:
    """The median of the elements, or along axes, as numpy.median: the middle element, or the mean of the two in the middle.

    float32 of float32 elements, otherwise float64, in which it is computed. NaN where an element is NaN. The elements
    are never changed, also where `overwrite_input` lets them be. ValueError for no elements, TypeError for complex
    elements.

    >>> import heddle
    >>> float(heddle.median([3, 1, 4, 1]))
    2.0
    """
    if type(a) is DistributedArray:
        if keepdims or out is not None:
            raise TypeError("over ranks keepdims and out are not taken")
        return _core.median_over_ranks(a, axis)
    result = _core.quantile(a, None, (), axis, bool(keepdims), False, target)
    return result if out is None else _core.store(result, out)


def histogram(a: Any, bins: Any = 10, range: tuple[float, float] | None = None, density: bool | None = None,
              weights: Any = None, *, target: Target | str | None = None) -> tuple[Any, Any]:
    """How many elements lie in each bin, and the edges of the bins, as numpy.histogram.

    `bins` is the number of bins of equal width in `range`, by default from the smallest element to the largest;
    or the edges, which do not fall; or the name of a rule of numpy.histogram_bin_edges. With `weights`, of the
    shape of `a`, the counts are sums of weights; with `density` they are divided by their sum and the widths.
    ValueError for a range that is not finite and for edges that fall, TypeError for complex elements. Elements are
    compared with edges as float64, and exactly where both are integers.

    >>> import heddle
    >>> counts, edges = heddle.histogram([1, 2, 2, 4], bins=3)
    >>> counts.tolist(), edges.tolist()
    ([1, 2, 1], [1.0, 2.0, 3.0, 4.0])
    """
    if type(a) is DistributedArray:
        return _ranks.counted(a, bins, range, density, weights)
    x = held(a)
    if not hasattr(x, "dtype"):
        x = on_cpu(x)
    is_count = isinstance(bins, (int, np.integer)) and not isinstance(bins, bool)
    type_of_x = np.dtype(np.uint8) if x.dtype == bool else x.dtype
    if is_count:
        ends: Any = range
        if ends is None and x.size > 0:
            ends = tuple(on_cpu(end)[()] for end in _core.minmax(x, None, False, target))
        edges = np.histogram_bin_edges(np.empty(0, type_of_x), bins, ends)
    else:
        edges = np.histogram_bin_edges(on_cpu(x), bins, range, None if weights is None else on_cpu(weights))
    if np.iscomplexobj(edges):
        raise TypeError("edges of bins are real numbers: complex ones have no order")
    if x.dtype.kind in "iu" and beyond_double(edges):
        counts = _core.histogram(_bins_of_integers(x, edges, target), np.arange(edges.size), weights, target)
    else:
        counts = _core.histogram(x, edges, weights, target)
    if is_count or isinstance(bins, str):  # as in NumPy
        counts = in_byte_order_of(weights, counts)
    if density:
        counts_on_cpu = on_cpu(counts)
        counts = like(densities(counts_on_cpu, edges), counts)
    return counts, edges


def _bins_of_integers(x: Any, edges: np.ndarray, target: Any) -> Any:
    """The bin of each element, compared as integers; -1 for none."""
    elements, last = on_cpu(x), int(edges[-1])
    bins = np.array(on_cpu(searchsorted(edges, x, "right", target=target)) - 1)
    bins[elements == last] = edges.size - 2
    bins[elements > last] = -1
    return like(bins, x)
