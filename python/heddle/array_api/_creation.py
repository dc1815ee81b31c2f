"""Arrays from nothing, from numbers and from other arrays. They are made by NumPy and brought to the device."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core
from .._core import Array
from ._places import array_of, created, default_device, made, numpy_of, place_of, through_numpy


_CPU = 1  # as DLPack numbers devices


def asarray(obj: Any, /, *, dtype: Any = None, device: Any = None, copy: bool | None = None) -> Array:
    """An array of what holds numbers: an array, a number, a list of lists of them, or a buffer.

    Without a `dtype` Python's int is int64, float float64 and complex complex128. An array stays on its device unless
    `device` names another. With ``copy=None`` memory is shared where type, order and device allow it, with True it is
    never shared, and False is a ValueError where it cannot be. TypeError for elements of other types.

    >>> from heddle import array_api as xp
    >>> xp.asarray([[1, 2], [3, 4]])
    heddle.Array([[1, 2],
                  [3, 4]], dtype=int64, device='cpu')
    """
    is_array = isinstance(obj, Array)
    if copy is False and not is_array and hasattr(obj, "__dlpack__") and obj.__dlpack_device__()[0] == _CPU:
        x = obj if isinstance(obj, np.ndarray) else np.from_dlpack(obj)
        if not (x.flags.c_contiguous and x.flags.aligned and x.dtype.isnative):
            raise ValueError("asarray: the elements are not contiguous in C order, and cannot be had without a copy")
    if is_array or hasattr(obj, "__dlpack__") and not isinstance(obj, np.generic):
        return _core.asarray(obj, dtype, device, copy)
    if isinstance(obj, np.generic):
        obj = np.array(obj)
    # NumPy before it sees a type that Heddle has: float16 is refused with the name of the types.
    x = np.asarray(obj, dtype=dtype, copy=copy)
    return _core.asarray(x, None, default_device() if device is None else device, None)


def from_dlpack(x: Any, /, *, device: Any = None, copy: bool | None = None) -> Array:
    """An array of another library's, through its ``__dlpack__``, on its device or another.

    Memory is shared where `copy` is not True and the device stays. BufferError where ``copy=False`` and a copy is
    needed, AttributeError for an object without ``__dlpack__``.

    >>> import numpy
    >>> from heddle import array_api as xp
    >>> xp.from_dlpack(numpy.arange(3))
    heddle.Array([0, 1, 2], dtype=int64, device='cpu')
    """
    if not hasattr(x, "__dlpack__"):
        raise AttributeError(f"from_dlpack: {type(x).__name__} has no __dlpack__")
    try:
        return asarray(x, device=device, copy=copy)
    except ValueError as e:
        if copy is False:
            raise BufferError(str(e)) from e
        raise


def arange(start: float, /, stop: float | None = None, step: float = 1, *, dtype: Any = None,
           device: Any = None) -> Array:
    """start, start + step, … before `stop`, or 0, 1, … before `start`, as numpy.arange. int64, or float64 of floats.

    >>> from heddle import array_api as xp
    >>> xp.arange(2, 8, 2)
    heddle.Array([2, 4, 6], dtype=int64, device='cpu')
    """
    first, last = (0, start) if stop is None else (start, stop)
    return created(np.arange(first, last, step, dtype=dtype), device)


def linspace(start: complex, stop: complex, /, num: int, *, dtype: Any = None, device: Any = None,
             endpoint: bool = True) -> Array:
    """`num` numbers at equal distances from `start` to `stop`, which `endpoint` leaves out, as numpy.linspace.

    float64, or complex128 of complex ends.

    >>> from heddle import array_api as xp
    >>> xp.linspace(0, 1, 3)
    heddle.Array([0. , 0.5, 1. ], dtype=float64, device='cpu')
    """
    return created(np.linspace(start, stop, num, dtype=dtype, endpoint=endpoint), device)


def eye(n_rows: int, n_cols: int | None = None, /, *, k: int = 0, dtype: Any = None, device: Any = None) -> Array:
    """A matrix with ones on its k-th diagonal and zeros elsewhere, float64 by default, as numpy.eye.

    >>> from heddle import array_api as xp
    >>> xp.eye(2, dtype=xp.int8)
    heddle.Array([[1, 0],
                  [0, 1]], dtype=int8, device='cpu')
    """
    return created(np.eye(n_rows, n_cols, k, dtype=np.float64 if dtype is None else dtype), device)


def empty(shape: Any, *, dtype: Any = None, device: Any = None) -> Array:
    """An array whose elements are not initialised, float64 by default.

    >>> from heddle import array_api as xp
    >>> xp.empty((2, 3)).shape
    (2, 3)
    """
    return created(np.empty(shape, dtype=np.float64 if dtype is None else dtype), device)


def zeros(shape: Any, *, dtype: Any = None, device: Any = None) -> Array:
    """An array of zeros, float64 by default.

    >>> from heddle import array_api as xp
    >>> xp.zeros(2)
    heddle.Array([0., 0.], dtype=float64, device='cpu')
    """
    return created(np.zeros(shape, dtype=np.float64 if dtype is None else dtype), device)


def ones(shape: Any, *, dtype: Any = None, device: Any = None) -> Array:
    """An array of ones, float64 by default.

    >>> from heddle import array_api as xp
    >>> xp.ones(2)
    heddle.Array([1., 1.], dtype=float64, device='cpu')
    """
    return created(np.ones(shape, dtype=np.float64 if dtype is None else dtype), device)


def full(shape: Any, fill_value: complex, *, dtype: Any = None, device: Any = None) -> Array:
    """An array of one number, in the default type of its kind where no other is given.

    >>> from heddle import array_api as xp
    >>> xp.full(2, 7)
    heddle.Array([7, 7], dtype=int64, device='cpu')
    """
    return created(np.full(shape, fill_value, dtype=dtype), device)


def _like(x: Any, dtype: Any, device: Any) -> dict[str, Any]:
    x = array_of(x)
    return {"shape": x.shape, "dtype": x.dtype if dtype is None else dtype, "device": x.target if device is None else device}


def empty_like(x: Array, /, *, dtype: Any = None, device: Any = None) -> Array:
    """An array of the shape, and by default the type and the device of `x`, that is not initialised.

    >>> from heddle import array_api as xp
    >>> xp.empty_like(xp.zeros((2, 3), dtype=xp.int8)).dtype
    dtype('int8')
    """
    return empty(**_like(x, dtype, device))


def zeros_like(x: Array, /, *, dtype: Any = None, device: Any = None) -> Array:
    """Zeros in the shape, and by default the type and the device of `x`.

    >>> from heddle import array_api as xp
    >>> xp.zeros_like(xp.asarray([3, 4]))
    heddle.Array([0, 0], dtype=int64, device='cpu')
    """
    return zeros(**_like(x, dtype, device))


def ones_like(x: Array, /, *, dtype: Any = None, device: Any = None) -> Array:
    """Ones in the shape, and by default the type and the device of `x`.

    >>> from heddle import array_api as xp
    >>> xp.ones_like(xp.asarray([3, 4]))
    heddle.Array([1, 1], dtype=int64, device='cpu')
    """
    return ones(**_like(x, dtype, device))


def full_like(x: Array, /, fill_value: complex, *, dtype: Any = None, device: Any = None) -> Array:
    """One number in the shape, and by default the type and the device of `x`.

    >>> from heddle import array_api as xp
    >>> xp.full_like(xp.asarray([3, 4]), 9)
    heddle.Array([9, 9], dtype=int64, device='cpu')
    """
    return full(fill_value=fill_value, **_like(x, dtype, device))


def meshgrid(*arrays: Array, indexing: str = "xy") -> list[Array]:
    """The coordinates of the points of a grid on the axes that the arrays are, one array for each: numpy.meshgrid.

    >>> from heddle import array_api as xp
    >>> xp.meshgrid(xp.asarray([1, 2]), xp.asarray([3]))[0]
    heddle.Array([[1, 2]], dtype=int64, device='cpu')
    """
    given = [array_of(x) for x in arrays]
    place = place_of(*given)
    of_numpy: Any = np.meshgrid
    return [made(x, place) for x in of_numpy(*map(numpy_of, given), indexing=indexing)]


def tril(x: Array, /, *, k: int = 0) -> Array:
    """Matrices, or stacks of them, with zeros above the k-th diagonal, as numpy.tril.

    >>> from heddle import array_api as xp
    >>> xp.tril(xp.ones((2, 2), dtype=xp.int8))
    heddle.Array([[1, 0],
                  [1, 1]], dtype=int8, device='cpu')
    """
    return through_numpy(np.tril, x, k)


def triu(x: Array, /, *, k: int = 0) -> Array:
    """Matrices, or stacks of them, with zeros below the k-th diagonal, as numpy.triu.

    >>> from heddle import array_api as xp
    >>> xp.triu(xp.ones((2, 2), dtype=xp.int8))
    heddle.Array([[1, 1],
                  [0, 1]], dtype=int8, device='cpu')
    """
    return through_numpy(np.triu, x, k)
