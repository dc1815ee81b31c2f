"""Arrays over the processes that mpirun started."""

from __future__ import annotations

import sys
import traceback
from typing import Any

import numpy as np

from . import _core
from ._arrays import on_cpu
from ._core import DistributedArray, Ranks, Target
from ._histogram_edges import beyond_double, densities


def ranks(communicator: Any = None, *, target: Target | str | None = None) -> Ranks:
    """The processes that compute together: all that mpirun started, or those of a communicator of mpi4py.

    Without mpirun it is this process alone. Each rank's target is the GPU of its number on its host, or its share
    of the cores; `target` names another. From the first call on, a rank that ends with an exception ends all, after
    one line that names the rank, its host and the cause. heddle.Error where mpirun started several processes and
    the package was built without MPI.

    >>> import heddle
    >>> all = heddle.ranks()
    >>> x = all.array([3.0, 1.0, 2.0])
    >>> float(heddle.sum(x)), heddle.sort(x).gather().tolist()
    (6.0, [1.0, 2.0, 3.0])
    """
    if communicator is None:
        found = _core.ranks_world(target)
    else:
        from mpi4py import MPI

        found = _core.ranks_of_communicator(MPI._addressof(communicator), target)
    if found.size > 1:
        _end_all_with(found)
    return found


def _end_all_with(found: Ranks) -> None:
    """Makes the exception that ends this process end the others, which would wait for it."""
    before = sys.excepthook
    if getattr(before, "_heddle_ranks", False):
        return

    def hook(kind: Any, value: Any, where: Any) -> None:
        if not issubclass(kind, (SystemExit, KeyboardInterrupt)):
            before(kind, value, where)
            sys.stderr.flush()
        found.abort("".join(traceback.format_exception_only(kind, value)).strip())

    hook._heddle_ranks = True  # type: ignore[attr-defined]
    sys.excepthook = hook


def _refuse(**given: Any) -> None:
    for name, value in given.items():
        if value is not None and value is not False and value is not True:
            raise TypeError(f"over ranks {name} is not taken")


def reduced(op: str, widens: bool, x: DistributedArray, axis: Any, dtype: Any, out: Any, keepdims: bool, initial: Any,
            where: Any) -> Any:
    _refuse(out=out)
    if keepdims or where is not True:
        raise TypeError("over ranks neither keepdims nor where is taken")
    return _core.reduce_over_ranks(op, widens, x, axis, dtype, initial)


def is_nonzero(op: str, x: DistributedArray, axis: Any, out: Any, keepdims: bool, where: Any) -> Any:
    result = reduced(op, False, x.astype("bool"), axis, None, out, keepdims, None, where)
    return result if isinstance(result, DistributedArray) else np.bool_(result)


def _moment(is_mean: bool, x: DistributedArray, axis: Any, dtype: Any, out: Any, keepdims: bool, where: Any, ddof: int) -> Any:
    _refuse(out=out)
    if keepdims or where is not True:
        raise TypeError("over ranks neither keepdims nor where is taken")
    if dtype is not None:
        x = x.astype(dtype)
    if axis is None and x.size == 0:
        return (np.mean if is_mean else np.var)(np.empty(0, x.dtype))  # NaN, with a warning
    return _core.moment_over_ranks(is_mean, x, axis, ddof)


def mean_of(x: DistributedArray, axis: Any, dtype: Any, out: Any, keepdims: bool, where: Any) -> Any:
    return _moment(True, x, axis, dtype, out, keepdims, where, 0)


def variance_of(x: DistributedArray, axis: Any, dtype: Any, out: Any, ddof: Any, keepdims: bool, where: Any,
                mean: Any) -> Any:
    _refuse(mean=mean)
    if ddof != int(ddof) or ddof < 0:
        raise TypeError(f"over ranks ddof is a whole number, not {ddof}")
    return _moment(False, x, axis, dtype, out, keepdims, where, int(ddof))


def deviation_of(x: DistributedArray, *arguments: Any) -> Any:
    squares = variance_of(x, *arguments)
    if not isinstance(squares, DistributedArray):
        return np.sqrt(squares)
    return squares.ranks.from_blocks(np.sqrt(on_cpu(squares.local)))


def scanned(op: str, widens: bool, is_exclusive: bool, x: DistributedArray, axis: Any, dtype: Any, out: Any,
            initial: Any) -> DistributedArray:
    _refuse(out=out)
    return _core.scan_over_ranks(op, widens, is_exclusive, x, axis, dtype, initial)


def differences(x: DistributedArray, axis: Any, out: Any) -> DistributedArray:
    _refuse(out=out)
    return _core.adjacent_difference_over_ranks(x, axis)


def _flat_only(x: DistributedArray, axis: Any) -> None:
    if axis is not None and x.ndim > 1:
        raise TypeError("over ranks an array is taken flat: give axis=None")


def place(largest: bool, x: DistributedArray, axis: Any, out: Any, keepdims: bool) -> Any:
    _refuse(out=out)
    if keepdims:
        raise TypeError("over ranks keepdims is not taken")
    _flat_only(x, axis)
    return np.int64(_core.place_over_ranks(largest, x))


def sorted_flat(x: DistributedArray, axis: Any) -> DistributedArray:
    _flat_only(x, axis)
    return _core.sort_over_ranks(x, False)


def places_flat(x: DistributedArray, axis: Any) -> DistributedArray:
    _flat_only(x, axis)
    return _core.argsort_over_ranks(x, False)


def quantiles_of(x: DistributedArray, q: Any, axis: Any) -> Any:
    fractions = np.atleast_1d(np.asarray(q, np.float64))
    if fractions.ndim > 1:
        raise TypeError("over ranks q is a number or a list of numbers")
    found = _core.quantile_over_ranks(x, fractions.tolist(), axis)
    return found[0] if np.ndim(q) == 0 else found


def different(x: DistributedArray, index: bool, inverse: bool, counts: bool, axis: Any, equal_nan: bool) -> DistributedArray:
    if index or inverse or counts or axis is not None or not equal_nan:
        raise TypeError("over ranks unique gives the different elements of the flat array, and nothing beside them")
    return _core.unique_over_ranks(x)


def counted(x: DistributedArray, bins: Any, bounds: Any, density: Any, weights: Any) -> tuple[np.ndarray, np.ndarray]:
    if isinstance(bins, str):
        raise TypeError("over ranks a histogram has a number of bins, or their edges")
    if weights is not None and not isinstance(weights, DistributedArray):
        raise TypeError("the elements are spread over ranks: weights must be too, as all.array(weights)")
    kind = np.dtype(np.uint8) if x.dtype == bool else x.dtype
    if isinstance(bins, (int, np.integer)):
        if bounds is None and x.size > 0:
            bounds = tuple(_core.reduce_over_ranks(op, False, x, None, None, None) for op in ("minimum", "maximum"))
        edges = np.histogram_bin_edges(np.empty(0, kind), bins, bounds)
    else:
        edges = np.histogram_bin_edges(np.empty(0, kind), bins)
    if kind.kind in "iu" and beyond_double(edges):
        raise ValueError("over ranks edges are compared as float64, which does not hold integers beyond 2**53: subtract a number "
                         "from the elements and from the edges")
    counts = np.asarray(_core.histogram_over_ranks(x, [float(edge) for edge in edges], weights))
    if weights is None:
        counts = counts.astype(np.int64)
    return (densities(counts, edges) if density else counts), edges


def _operator(op: str, turned: bool = False) -> Any:
    def compute(x: DistributedArray, y: Any) -> Any:
        if isinstance(y, DistributedArray):
            return _core.transform_over_ranks(op, x, y)
        if np.ndim(y) != 0:
            return NotImplemented
        return _core.transform_over_ranks_by(op, x, y, turned)

    return compute


for _name, _op in (("add", "add"), ("mul", "multiply"), ("sub", "subtract")):
    setattr(DistributedArray, f"__{_name}__", _operator(_op))
    setattr(DistributedArray, f"__r{_name}__", _operator(_op, True))
