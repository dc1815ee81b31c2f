"""Elements that are chosen, and segments of arrays."""

from __future__ import annotations

from typing import Any

from . import _core
from ._arguments import text
from ._core import Target


def copy_if(a: Any, mask: Any, *, target: Target | str | None = None) -> Any:
    """The elements whose flags in `mask` are true, in their order, flat: ``a[mask]`` of NumPy.

    `mask` is bool and has as many elements as `a`; TypeError and ValueError where it does not.

    >>> import heddle
    >>> heddle.copy_if([3, 1, 4], [True, False, True]).tolist()
    [3, 4]
    """
    return _core.copy_if(a, mask, target)


def partition(a: Any, mask: Any, *, target: Target | str | None = None) -> tuple[Any, int]:
    """All elements, those whose flags are true first, both in their order, and how many these are; as copy_if.

    >>> import heddle
    >>> elements, chosen = heddle.partition([3, 1, 4], [True, False, True])
    >>> elements.tolist(), chosen
    ([3, 4, 1], 2)
    """
    return _core.partition(a, mask, target)


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
    return _core.reduce_by_key(keys, values, text("the operator", op), target)
