"""Arrays on targets."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from . import _core
from ._core import Array, Target


def asarray(x: Any, dtype: Any = None, *, target: Target | str | None = None, copy: bool | None = None) -> Array:
    """A heddle.Array of what holds numbers: without a copy where it is contiguous and already on the target.

    `x` is a NumPy array, a buffer, a number, a list, or an array on a CPU or a GPU that has ``__dlpack__`` or
    ``__cuda_array_interface__``. `target` says where the elements are to be, and by default they stay. With
    ``copy=False`` a copy is an error, and with ``copy=True`` one is always made. TypeError for elements of a type
    that Heddle does not have, ValueError where a copy was not to be made, MemoryError where there is no room.

    >>> import heddle, numpy
    >>> x = numpy.zeros((2, 3), dtype=numpy.float32)
    >>> heddle.asarray(x)
    heddle.Array([[0., 0., 0.],
                  [0., 0., 0.]], dtype=float32, device='cpu')
    >>> numpy.shares_memory(x, numpy.asarray(heddle.asarray(x)))
    True
    """
    if copy is False and isinstance(x, np.ndarray) and not (x.flags.c_contiguous and x.flags.aligned and x.dtype.isnative):
        raise ValueError("the array is not contiguous in C order, aligned and native: it cannot be used without a copy")
    return _core.asarray(x, dtype, target, copy)


def restored(x: np.ndarray, device: str) -> Array:
    """An unpickled array, on the device where it was."""
    return _core.asarray(x, None, device, None)


def held(x: Any) -> Any:
    """An array of another library as a heddle.Array of the same memory; other arguments as they are."""
    if isinstance(x, (np.ndarray, np.generic, Array)):
        return x
    if hasattr(x, "__dlpack__") or hasattr(x, "__cuda_array_interface__"):
        return _core.asarray(x, None, None, None)
    return x


def is_on_gpu(x: Any) -> bool:
    """Whether it is a heddle.Array on a GPU, where its elements stay."""
    return isinstance(x, Array) and x.device != "cpu"


def on_cpu(x: Any) -> np.ndarray:
    """As NumPy's array, without a copy where it is on the CPU."""
    # np.ma would import the module, and a child that is forked meanwhile waits forever for the lock of the import.
    if isinstance(x, getattr(sys.modules.get("numpy.ma"), "MaskedArray", ())):
        raise TypeError("masked arrays are not supported: fill what is masked")
    return np.asarray(held(x))


def numbers(x: Any) -> np.ndarray:
    """As NumPy's array, of a type that Heddle has."""
    return on_cpu(_core.asarray(x, None, None, None))


def converted(x: Any, dtype: Any) -> Any:
    """A heddle.Array in another type, or NumPy's array of anything else."""
    return _core.asarray(x, dtype, x.target, None) if isinstance(x, Array) else on_cpu(x).astype(dtype)


# A name of the module costs a call less than two attributes of NumPy.
_OF_NUMPY = (np.ndarray, np.generic)


def in_byte_order_of(x: Any, elements: Any) -> Any:
    """Elements of x that a function has moved, in the byte order of x, as NumPy's functions keep it."""
    if isinstance(x, _OF_NUMPY) and not x.dtype.isnative and isinstance(elements, _OF_NUMPY):
        return elements.astype(x.dtype)
    return elements


def like(result: Any, x: Any) -> Any:
    """A result of NumPy's as what a function of x returns."""
    x = held(x)
    if isinstance(x, Array):
        return _core.asarray(result, None, x.target, None)
    return result
