"""Elements that a GPU moves: gathers and scatters of kernels, which never go through the CPU.

What NumPy does without looking at elements, as slices, transposes and broadcasts, is asked of NumPy itself: it makes a view of an
array that stands in for the one on the GPU, and the view's strides are what the kernel moves by.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from .. import _core
from .._core import Array

_ONE_BYTE = np.zeros(1, np.int8)

# Places along an axis: the array of them, the length and the stride of the axis, and the array's own strides along the result.
Index = tuple[Array, int, int, list[int]]


def _strides(shape: tuple[int, ...]) -> list[int]:
    return [prod(shape[k + 1:]) for k in range(len(shape))]


def _along(own: tuple[int, ...], whole: tuple[int, ...]) -> list[int]:
    """The strides of an array that is broadcast to a shape."""
    strides = [0 if n == 1 else s for n, s in zip(own, _strides(own))]
    return [0] * (len(whole) - len(own)) + strides


def _array_of_strides(x: Array) -> np.ndarray[Any, Any]:
    """An array of as many bytes as x has elements, none of which is ever read."""
    return as_strided(_ONE_BYTE, x.shape, _strides(x.shape), writeable=False)


def _layout(view: np.ndarray[Any, Any]) -> tuple[int, list[int]]:
    """Where the first element of a view is, and its strides."""
    return view.__array_interface__["data"][0] - _ONE_BYTE.__array_interface__["data"][0], list(view.strides)


def by_view(function: Callable[..., Any], x: Array, *arguments: Any) -> Array:
    """The copy, where x is, of what a function of NumPy's makes a view of."""
    view = function(_array_of_strides(x), *arguments)
    return _core.gather(x, view.shape, *_layout(view), [])


def broadcast(x: Array, shape: tuple[int, ...]) -> Array:
    return x if x.shape == shape else by_view(np.broadcast_to, x, shape)


def iota(n: int, beside: Array) -> Array:
    """0, 1, … n - 1, where an array is."""
    return _core.iota(n, beside)


def empty(shape: tuple[int, ...], dtype: Any, beside: Array) -> Array:
    """An array that is not initialised, where another one is."""
    return _core.filled(shape, dtype, None, beside.target)


def concatenated(arrays: list[Array], axis: int | None) -> Array:
    """The arrays of one GPU joined along an axis, or flat. ValueError where their other axes differ."""
    dtype = np.result_type(*(x.dtype for x in arrays))
    if axis is None:
        arrays, axis = [_core.reshaped(x, (x.size,)) for x in arrays], 0
    ndim = arrays[0].ndim
    if not -ndim <= axis < ndim:
        raise np.exceptions.AxisError(axis, ndim)
    axis %= ndim
    others = [x.shape[:axis] + x.shape[axis + 1:] for x in arrays]
    if any(x.ndim != ndim for x in arrays) or any(other != others[0] for other in others):
        raise ValueError(f"arrays of shapes {', '.join(str(x.shape) for x in arrays)} cannot be joined along axis {axis}")
    shape = (*others[0][:axis], sum(x.shape[axis] for x in arrays), *others[0][axis:])
    result = empty(shape, dtype, arrays[0])
    before, strides = 0, _strides(shape)
    for x in arrays:
        part = _core.asarray(x, dtype, None, None)
        _core.scatter(result, part.shape, before * strides[axis], strides, [], part, _strides(part.shape))
        before += part.shape[axis]
    return result


def taken_along(x: Array, indices: Array, axis: int) -> Array:
    """numpy.take_along_axis: places along an axis, for each row its own."""
    if indices.ndim != x.ndim or indices.dtype.kind not in "iu":
        raise ValueError(f"take_along_axis: the places are integers of as many axes as the array, {x.ndim}")
    beside = (*x.shape[:axis], 1, *x.shape[axis + 1:])
    shape = list(np.broadcast_shapes(beside, (*indices.shape[:axis], 1, *indices.shape[axis + 1:])))
    shape[axis] = indices.shape[axis]
    places = _core.asarray(indices, np.int64, None, None)
    index = (places, x.shape[axis], _strides(x.shape)[axis], _along(places.shape, tuple(shape)))
    apart = [0 if n == 1 or k == axis else s for k, (n, s) in enumerate(zip(x.shape, _strides(x.shape)))]
    return _core.gather(x, shape, 0, apart, [index])


class Selection:
    """The elements that a key of NumPy's chooses of an array on a GPU."""

    def __init__(self, x: Array, key: Any):
        items = list(key) if isinstance(key, tuple) else [key]
        items = [_item(k, x) for k in items]
        used = sum(k.ndim if _is_mask(k) else k is not None and k is not Ellipsis for k in items)
        dots = [k for k, item in enumerate(items) if item is Ellipsis]
        if used > x.ndim:
            raise IndexError(f"too many indices for array: array is {x.ndim}-dimensional, but {used} were indexed")
        if len(dots) > 1:
            raise IndexError("an index can only have a single ellipsis ('...')")
        place = dots[0] if dots else len(items)
        items[place:place + 1] = [slice(None)] * (x.ndim - used)
        self.x, items = _with_masks_as_places(x, items)
        self._choose(items)

    def _choose(self, items: list[Any]) -> None:
        x = self.x
        strides = _strides(x.shape)
        chosen = [k for k, item in enumerate(items) if isinstance(item, Array)]
        basic = tuple(slice(None) if isinstance(item, Array) else item for item in items)
        view = _array_of_strides(x)[(*basic, ...)]
        self.first, apart = _layout(view)
        if view.size == 0:
            self.first = 0
        # The axis of the view, and that of x, for each item that has one.
        axis_of_view, axis_of_x, axes = 0, 0, {}
        for k, item in enumerate(items):
            axes[k] = (axis_of_view, axis_of_x)
            axis_of_x += item is not None
            axis_of_view += item is None or isinstance(item, (slice, Array))
        try:
            common = np.broadcast_shapes(*(items[k].shape for k in chosen))
        except ValueError as e:
            raise IndexError(f"shape mismatch: indexing arrays could not be broadcast together: {e}") from e
        kept = [k for k in range(view.ndim) if k not in {axes[j][0] for j in chosen}]
        # Integers count as places of one element, and where something stands between places their axes come first.
        together = [k for k, item in enumerate(items) if isinstance(item, Array) or (chosen and isinstance(item, int))]
        front = 0
        if together and together == list(range(together[0], together[-1] + 1)):
            front = sum(k < axes[together[0]][0] for k in kept)
        lengths = [view.shape[k] for k in kept]
        self.shape = tuple(lengths[:front]) + common + tuple(lengths[front:])
        steps = [apart[k] for k in kept]
        self.apart = steps[:front] + [0] * len(common) + steps[front:]
        self.indices: list[Index] = []
        for k in chosen:
            along = [0] * front + _along(items[k].shape, common) + [0] * (len(kept) - front)
            axis = axes[k][1]
            self.indices.append((items[k], x.shape[axis], strides[axis], along))

    def get(self) -> Array:
        return _core.gather(self.x, self.shape, self.first, self.apart, self.indices)

    def set(self, values: Array) -> None:
        """Of several values for one element any is kept."""
        shape = values.shape
        while len(shape) > len(self.shape) and shape[0] == 1:
            shape = shape[1:]
        if len(shape) > len(self.shape) or any(n not in (1, m) for n, m in zip(reversed(shape), reversed(self.shape))):
            raise ValueError(f"could not broadcast input array from shape {values.shape} into shape {self.shape}")
        _core.scatter(self.x, self.shape, self.first, self.apart, self.indices, values, _along(shape, self.shape))


def _is_mask(item: Any) -> bool:
    return isinstance(item, Array) and item.dtype == np.bool_


def _item(item: Any, x: Array) -> Any:
    """An item of a key: None, ..., an int, a slice, or an array of bool or int64 where x is."""
    if item is None or item is Ellipsis or isinstance(item, slice):
        return item
    if isinstance(item, (bool, np.bool_)):
        return _core.asarray(np.asarray(item), None, x.target, None)
    if isinstance(item, (int, np.integer)):
        return int(item)
    if not isinstance(item, Array):
        item = np.asarray(item)
        if item.size == 0 and item.dtype.kind == "f":
            item = item.astype(np.int64)
    if item.dtype.kind not in "biu":
        raise IndexError("only integers, slices (`:`), ellipsis (`...`), None and integer or boolean arrays are valid indices")
    if item.dtype != np.bool_ and item.dtype != np.int64:
        item = _core.asarray(item, np.int64, None, None) if isinstance(item, Array) else item.astype(np.int64)
    return item if isinstance(item, Array) else _core.asarray(item, None, x.target, None)


def _with_masks_as_places(x: Array, items: list[Any]) -> tuple[Array, list[Any]]:
    """The axes of a mask taken for one, along which its true elements are places."""
    shape, result, axis = list(x.shape), list[Any](), 0
    for item in items:
        if not _is_mask(item):
            result.append(item)
            axis += item is not None
            continue
        covered = tuple(shape[axis:axis + item.ndim])
        if item.shape != covered:
            raise IndexError(f"boolean index has shape {item.shape}, and the axes that it indexes have {covered}")
        shape[axis:axis + item.ndim] = [prod(covered)]
        result.append(_core.true_places(item))
        axis += 1
    return _core.reshaped(x, shape), result


def masked_places(x: Array) -> tuple[Array, ...]:
    """Where the elements of an array of bool are true, an array for each axis."""
    flat = _core.true_places(x)
    places = []
    for n, stride in zip(x.shape, _strides(x.shape)):
        lengths = [np.asarray(max(number, 1)) for number in (stride, n)]
        places.append(_core.transform("a // b % c", ["a", "b", "c"], [flat, *lengths], None, None, x.target))
    return tuple(places)
