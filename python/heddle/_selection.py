"""Elements that are chosen, and segments of arrays."""

from __future__ import annotations

from typing import Any

from . import _core
from ._arguments import text
from ._arrays import in_byte_order_of
from ._core import Target


def copy_if(a: Any, mask: Any, *, target: Target | str | None = None) -> Any:
    """The elements whose flags in `mask` are true, in their order, flat: ``a[mask]`` of NumPy.

    `mask` is bool and has as many elements as `a`; TypeError and ValueError where it does not.

    >>> import heddle
    >>> heddle.copy_if([3, 1, 4], [True, False, True]).tolist()
    [3, 4]
    """
    return in_byte_order_of(a, _core.copy_if(a, mask, target))


def partition(a: Any, mask: Any, *, target: Target | str | None = None) -> tuple[Any, int]:
    """All elements, those whose flags are true first, both in their order, and how many these are; as copy_if.

    >>> import heddle
    >>> elements, chosen = heddle.partition([3, 1, 4], [True, False, True])
    >>> elements.tolist(), chosen
    ([3, 4, 1], 2)
    """
    elements, chosen = _core.partition(a, mask, target)
    return in_byte_order_of(a, elements), chosen


def segmented_reduce(a: Any, offsets: Any, op: str = "add", *, target: Target | str | None = None) -> Any:
    """One result for each segment of `a`, taken flat: segment s is ``a[offsets[s]:offsets[s + 1]]``.

    `offsets` are integers, one more than segments, and do not fall; ValueError where they do. The operators are
    those of heddle.reduce, and an empty segment gives the operator's identity.

    >>> import heddle
    >>> heddle.segmented_reduce([3, 1, 4, 1, 5], [0, 2, 2, 5]).tolist()
    [4, 0, 10]
    """
    return _core.segmented_reduce(a, offsets, text("the operator", op), target)


def reduce_by_key(keys: Any, values: Any, op: str = "add", *, target: Target | str | None = None) -> tuple[Any, Any]:
    """Values whose keys are equal and stand side by side, combined: the keys of the runs, and a result for each.

    There are as many values as keys; ValueError where there are not. The operators are those of heddle.reduce.

    >>> import heddle
    >>> keys, sums = heddle.reduce_by_key([1, 1, 2], [10, 20, 30])
    >>> keys.tolist(), sums.tolist()
    ([1, 2], [30, 30])
    """
    runs, results = _core.reduce_by_key(keys, values, text("the operator", op), target)
    return in_byte_order_of(keys, runs), results


def segmented_inclusive_scan(a: Any, offsets: Any, op: str = "add", *, initial: Any = None, out: Any = None,
                             target: Target | str | None = None) -> Any:
    """A scan of each segment of `a`, taken flat: element i combines those of its segment up to i, in their own type.

    `offsets` are those of segmented_reduce: integers that do not fall. Elements before the first, and from the last
    on, are segments too. `initial` comes first in each segment. The operators are those of heddle.reduce. The result
    has the shape of `a`, and `out` may be `a`. On a CPU each segment has the bits of heddle.inclusive_scan of it alone.
    On a GPU that holds for integers and bool; a floating-point sum is rounded by the position of its segment in `a`, and
    has the same bits in every run on one kind of GPU. ValueError for offsets that fall or go beyond the elements,
    TypeError where the operator is not defined on the type. O(elements + offsets), however long segments are.

    >>> import heddle
    >>> heddle.segmented_inclusive_scan([3, 1, 4, 1, 5], [0, 2, 2, 5]).tolist()
    [3, 4, 4, 5, 10]
    """
    return _core.segmented_scan(False, False, a, offsets, text("the operator", op), initial, out, target)


def segmented_exclusive_scan(a: Any, offsets: Any, op: str = "add", *, initial: Any = None, out: Any = None,
                             target: Target | str | None = None) -> Any:
    """Element i combines `initial`, or the operator's identity, and those before it in its segment; otherwise as
    segmented_inclusive_scan.

    >>> import heddle
    >>> heddle.segmented_exclusive_scan([3, 1, 4, 1, 5], [0, 2, 2, 5]).tolist()
    [0, 3, 0, 4, 5]
    """
    return _core.segmented_scan(True, False, a, offsets, text("the operator", op), initial, out, target)


def inclusive_scan_by_key(keys: Any, values: Any, op: str = "add", *, initial: Any = None, out: Any = None,
                          target: Target | str | None = None) -> Any:
    """A scan of values whose keys are equal and stand side by side: the segments of segmented_inclusive_scan are the
    runs of a key, whose other arguments and errors it has.

    There are as many keys as values; ValueError where there are not. NaNs are equal keys.

    >>> import heddle
    >>> heddle.inclusive_scan_by_key([1, 1, 2, 1], [10, 20, 30, 40], "maximum").tolist()
    [10, 20, 30, 40]
    """
    return _core.segmented_scan(False, True, values, keys, text("the operator", op), initial, out, target)


def exclusive_scan_by_key(keys: Any, values: Any, op: str = "add", *, initial: Any = None, out: Any = None,
                          target: Target | str | None = None) -> Any:
    """A value combines `initial`, or the operator's identity, and those before it whose keys are its own and stand
    side by side; otherwise as inclusive_scan_by_key.

    >>> import heddle
    >>> heddle.exclusive_scan_by_key([1, 1, 2, 2, 2], [1, 1, 1, 1, 1]).tolist()
    [0, 1, 0, 1, 2]
    """
    return _core.segmented_scan(True, True, values, keys, text("the operator", op), initial, out, target)
