"""Arrays in and out of functions: as NumPy's arrays on a CPU, and as heddle.Array where they were."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core
from .._core import Array, Target
from . import _moves


def array_of(x: Any) -> Array:
    """The argument as a heddle.Array of the same memory. TypeError for what is no array."""
    if isinstance(x, Array):
        return x
    if isinstance(x, (np.ndarray, np.generic)) or hasattr(x, "__dlpack__"):
        return _core.asarray(x, None, None, None)
    raise TypeError(f"a heddle.Array is needed, not {type(x).__name__}: asarray makes one")


def is_scalar(x: Any) -> bool:
    """Whether it is a number of Python's, which takes the type of the array that it meets."""
    return isinstance(x, (int, float, complex)) and not isinstance(x, np.generic)


def place_of(*arrays: Any) -> Target | None:
    """The GPU where the arrays are, or None for the CPU; what is no array is left out. ValueError where they differ."""
    place, first = None, ""
    for x in arrays:
        if isinstance(x, Array):
            device = x.device
            if not first:
                first = device
                place = None if device == "cpu" else x.target
            elif device != first:
                raise ValueError(f"arrays are on {first} and on {device}: bring them together with to_device")
    return place


def numpy_of(x: Array) -> np.ndarray[Any, Any]:
    """The elements as NumPy's array: the same memory on a CPU, a copy of what is on a GPU."""
    return np.asarray(x)


def made(result: Any, place: Target | None = None) -> Array:
    """A result of NumPy's as an array that shares memory with no other, on the CPU or a GPU."""
    x = np.asarray(result)
    if x.base is not None or not x.flags.carray:
        x = x.copy()
    return _core.asarray(x, None, place, None)


def beside(result: Array, x: Array) -> Array:
    """A result of a pattern on the device of its argument: a target of the caller's, or "auto", may have been another."""
    return result if result.device == x.device else result.to_device(x.target)


def through_heddle(pattern: Any, x: Any, *arguments: Any, **keywords: Any) -> Array:
    """The result of a pattern on one array, where the array is."""
    x = array_of(x)
    return beside(pattern(x, *arguments, **keywords), x)


def default_device() -> str:
    """Where new arrays are: the GPU that `with heddle.target(…):` or HEDDLE_TARGET names, or the CPU."""
    where = _core.current_target()
    return f"gpu:{where.device}" if where.kind == "gpu" else "cpu"


def filled(shape: Any, dtype: Any, number: Any, device: Any) -> Array:
    """A new array of one number, or with None of whatever was in its memory, on a device or the default one."""
    where = default_device() if device is None else device
    lengths = (shape,) if isinstance(shape, (int, np.integer)) else tuple(shape)
    if any(n < 0 for n in lengths):
        raise ValueError("negative dimensions are not allowed")
    return _core.filled(lengths, dtype, number, "serial" if where == "cpu" else where)


def created(x: np.ndarray[Any, Any], device: Any) -> Array:
    """A new array of NumPy's on a device, or on the default one."""
    return made(x, None if device == "cpu" else default_device() if device is None else device)  # type: ignore[arg-type]


def by_view(function: Any, x: Any, *arguments: Any) -> Array:
    """The result of a function that returns a view in NumPy, as a copy; a kernel copies on a GPU."""
    x = array_of(x)
    if place_of(x) is not None:
        return _moves.by_view(function, x, *arguments)
    return made(function(numpy_of(x), *arguments))


def through_numpy(function: Any, x: Any, *arguments: Any, **keywords: Any) -> Array:
    """The result of a function of NumPy's on one array, where the array is."""
    x = array_of(x)
    return made(function(numpy_of(x), *arguments, **keywords), place_of(x))
