"""Random numbers by Philox4x32-10, the same for a seed on every target and with any number of threads.

They are NumPy's arrays, and on a GPU a heddle.Array. Names and arguments are those of numpy.random.Generator; the
numbers are others.
"""

from __future__ import annotations

import operator
import os
import secrets
from threading import Lock
from typing import Any
from weakref import WeakSet

import numpy as np

from . import _core
from ._arguments import whole
from ._arrays import held, is_on_gpu, like, on_cpu
from ._core import Target

__all__ = ["Generator", "default_rng"]


def _shape(size: Any) -> tuple[int, ...]:
    if size is None:
        return ()
    try:
        return (operator.index(size),)
    except TypeError:
        return tuple(operator.index(length) for length in size)


# A child has none of the threads that held a lock at the fork. An offset is written at once, so it is never half changed.
_all: WeakSet[Generator] = WeakSet()


def _unlock_all() -> None:
    for generator in list(_all):
        generator._lock = Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_unlock_all)


class Generator:
    """A sequence of random numbers, of which each call takes the next ones. Threads may share one.

    Equal seeds give equal numbers; without a seed it is drawn from the system. `offset` elements are passed over.
    ValueError for a seed that is not from 0 to 2**64 - 1, and for bounds that cannot be.

    >>> import heddle.random
    >>> dice = heddle.random.Generator(7).integers(1, 7, size=1000)
    >>> int(dice.min()), int(dice.max())
    (1, 6)
    """

    def __init__(self, seed: int | None = None, offset: int = 0) -> None:
        self._seed = secrets.randbits(64) if seed is None else operator.index(seed)
        self._offset = operator.index(offset)
        for number in (self._seed, self._offset):
            if not 0 <= number < 2**64:
                raise ValueError(f"a seed or an offset is from 0 to 2**64 - 1, not {number}")
        self._lock = Lock()
        _all.add(self)

    def __reduce__(self) -> Any:
        return Generator, (self._seed, self._offset)

    def __repr__(self) -> str:
        return f"heddle.random.Generator({self._seed}, offset={self._offset})"

    def _take(self, count: int) -> int:
        with self._lock:
            before = self._offset
            if before + count > 2**64:
                raise ValueError("a sequence has 2**64 elements")
            self._offset = before + count
        return before

    def _numbers(self, kind: str, dtype: Any, size: Any, a: Any, b: Any, target: Any) -> Any:
        shape = _shape(size)
        count = 1
        for length in shape:
            if length < 0:
                raise ValueError("negative dimensions are not allowed")
            count *= length
        return _core.random(kind, dtype, self._seed, self._take(count), shape, a, b, target)

    def _real(self, kind: str, dtype: Any, size: Any, a: float, b: float, target: Any) -> Any:
        type_wanted = np.dtype(dtype)
        if type_wanted not in (np.float32, np.float64):
            raise TypeError(f"{kind} numbers are float32 or float64, not {type_wanted}")
        return self._numbers(kind, type_wanted, size, float(a), float(b), target)

    def random(self, size: Any = None, dtype: Any = np.float64, *, target: Target | str | None = None) -> Any:
        """Uniform numbers, 0 <= x < 1, in the shape `size`; one number for None. float32 or float64.

        >>> import heddle.random
        >>> heddle.random.Generator(1).random((2, 3)).shape
        (2, 3)
        """
        return self._real("uniform", dtype, size, 0, 1, target)

    def uniform(self, low: float = 0.0, high: float = 1.0, size: Any = None, dtype: Any = np.float64, *,
                target: Target | str | None = None) -> Any:
        """Uniform numbers, low <= x < high, or all `low` for equal bounds. ValueError for bounds that are not finite or
        fall, and for bounds whose difference is not finite.

        >>> import heddle.random
        >>> bool(heddle.random.Generator(1).uniform(5, 6) >= 5)
        True
        """
        return self._real("uniform", dtype, size, low, high, target)

    def normal(self, loc: float = 0.0, scale: float = 1.0, size: Any = None, dtype: Any = np.float64, *,
               target: Target | str | None = None) -> Any:
        """Normal (Gaussian) numbers of mean `loc` and deviation `scale`, which is not negative: ValueError.

        >>> import heddle.random
        >>> heddle.random.Generator(1).normal(10, 2, size=4, dtype="float32").dtype
        dtype('float32')
        """
        return self._real("normal", dtype, size, loc, scale, target)

    def standard_normal(self, size: Any = None, dtype: Any = np.float64, *, target: Target | str | None = None) -> Any:
        """Normal numbers of mean 0 and deviation 1.

        >>> import heddle.random
        >>> heddle.random.Generator(1).standard_normal(5).size
        5
        """
        return self._real("normal", dtype, size, 0, 1, target)

    def exponential(self, scale: float = 1.0, size: Any = None, dtype: Any = np.float64, *,
                    target: Target | str | None = None) -> Any:
        """Exponential numbers of mean `scale`, which is not negative: ValueError.

        >>> import heddle.random
        >>> bool((heddle.random.Generator(1).exponential(3, size=9) >= 0).all())
        True
        """
        return self._real("exponential", dtype, size, scale, 0, target)

    def integers(self, low: int, high: int | None = None, size: Any = None, dtype: Any = np.int64,
                 endpoint: bool = False, *, target: Target | str | None = None) -> Any:
        """Integers, low <= x < high, or <= high with `endpoint`; below `low` where it stands alone. All are as likely.

        `dtype` is an integer type or bool; ValueError for bounds that it does not hold and for none between them.

        >>> import heddle.random
        >>> sorted({int(x) for x in heddle.random.Generator(1).integers(3, size=100)})
        [0, 1, 2]
        """
        low, high = (0, low) if high is None else (low, high)
        first, last = operator.index(low), operator.index(high) - (0 if endpoint else 1)
        type_wanted = np.dtype(dtype)
        if type_wanted.kind not in "biu":
            raise TypeError(f"integers have an integer type or bool, not {type_wanted}")
        least, most = (0, 1) if type_wanted.kind == "b" else (np.iinfo(type_wanted).min, np.iinfo(type_wanted).max)
        if first < least or last > most:
            raise ValueError(f"integers from {first} to {last} are not all {type_wanted}")
        if last < first:
            raise ValueError("low >= high")
        return self._numbers("integers", type_wanted, size, first, last, target)

    def permutation(self, x: Any, axis: int = 0, *, target: Target | str | None = None) -> Any:
        """The numbers 0 to x - 1 in random order, or the entries of an array along an axis; all orders are as likely.

        >>> import heddle.random
        >>> sorted(heddle.random.Generator(1).permutation(4).tolist())
        [0, 1, 2, 3]
        """
        try:
            n, entries = whole("x", operator.index(x), 0, 2**63 - 1), None
        except TypeError:
            x = held(x)
            entries = x if is_on_gpu(x) else on_cpu(x)
            n = entries.shape[axis]
        order = _core.permutation(n, self._seed, self._take(n), target)
        if is_on_gpu(entries):
            return entries[(slice(None),) * (axis % entries.ndim) + (_core.asarray(order, None, entries.target, None),)]
        return order if entries is None else like(np.take(entries, on_cpu(order), axis), x)


def default_rng(seed: int | None = None) -> Generator:
    """A new Generator.

    >>> import heddle.random
    >>> bool(heddle.random.default_rng(5).random() == heddle.random.default_rng(5).random())
    True
    """
    return Generator(seed)
