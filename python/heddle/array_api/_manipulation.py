"""Shapes, orders, joins and gathers: NumPy's on a CPU, kernels that move elements on a GPU."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from .. import _core
from .._core import Array
from . import _moves
from ._places import array_of, by_view, made, numpy_of, place_of


def _is_on_gpu(*arrays: Array) -> bool:
    return place_of(*arrays) is not None


def reshape(x: Array, /, shape: tuple[int, ...], *, copy: bool | None = None) -> Array:
    """The same elements in C order under another shape, in which one length may be -1, as numpy.reshape.

    The memory is that of `x`, on a GPU too, unless `copy` is True. ValueError for another number of elements. O(1)
    without a copy.

    >>> from heddle import array_api as xp
    >>> xp.reshape(xp.arange(4), (2, -1))
    heddle.Array([[0, 1],
                  [2, 3]], dtype=int64, device='cpu')
    """
    x = array_of(x)
    lengths = [shape] if isinstance(shape, int) else [int(n) for n in shape]
    if lengths.count(-1) == 1:
        others = prod(n for n in lengths if n != -1)
        if others == 0 or x.size % others != 0:
            raise ValueError(f"reshape: an array of shape {x.shape} has no shape {tuple(lengths)}")
        lengths[lengths.index(-1)] = x.size // others
    if any(n < 0 for n in lengths):
        raise ValueError(f"reshape: lengths are not negative, but for one that is -1, as in {tuple(lengths)}")
    result = _core.reshaped(x, tuple(lengths))
    return result.on(x.target) if copy else result


def _axis_of(axis: int, ndim: int) -> int:
    if not -ndim <= axis < ndim:
        raise np.exceptions.AxisError(axis, ndim)
    return axis % ndim


def expand_dims(x: Array, /, axis: int = 0) -> Array:
    """The array with one more axis, of length 1, in the same memory. IndexError for a place that is not there. O(1).

    >>> from heddle import array_api as xp
    >>> xp.expand_dims(xp.zeros((2, 3)), axis=1).shape
    (2, 1, 3)
    """
    x = array_of(x)
    place = _axis_of(axis, x.ndim + 1)
    return _core.reshaped(x, x.shape[:place] + (1,) + x.shape[place:])


def squeeze(x: Array, /, axis: int | tuple[int, ...]) -> Array:
    """The array without axes of length 1, in the same memory. ValueError where one is longer. O(1).

    >>> from heddle import array_api as xp
    >>> xp.squeeze(xp.zeros((2, 1, 3)), axis=1).shape
    (2, 3)
    """
    x = array_of(x)
    axes = [_axis_of(k, x.ndim) for k in ((axis,) if isinstance(axis, int) else axis)]
    if any(x.shape[k] != 1 for k in axes) or len(set(axes)) != len(axes):
        raise ValueError(f"squeeze: axes {axis} of shape {x.shape} are not different ones of length 1")
    return _core.reshaped(x, tuple(n for k, n in enumerate(x.shape) if k not in axes))


def broadcast_to(x: Array, /, shape: tuple[int, ...]) -> Array:
    """The array repeated to a shape, as numpy.broadcast_to. ValueError where it does not fit.

    >>> from heddle import array_api as xp
    >>> xp.broadcast_to(xp.asarray([1, 2]), (2, 2))
    heddle.Array([[1, 2],
                  [1, 2]], dtype=int64, device='cpu')
    """
    return by_view(np.broadcast_to, x, shape)


def broadcast_arrays(*arrays: Array) -> list[Array]:
    """Arrays repeated to their common shape, as numpy.broadcast_arrays. ValueError where there is none.

    >>> from heddle import array_api as xp
    >>> xp.broadcast_arrays(xp.asarray([1, 2]), xp.asarray(5))[1]
    heddle.Array([5, 5], dtype=int64, device='cpu')
    """
    given = [array_of(x) for x in arrays]
    shape = np.broadcast_shapes(*(x.shape for x in given))
    return [broadcast_to(x, shape) for x in given]


def concat(arrays: Any, /, *, axis: int | None = 0) -> Array:
    """Arrays joined along an axis, or flat, in the type in which theirs meet, as numpy.concat.

    >>> from heddle import array_api as xp
    >>> xp.concat([xp.asarray([1, 2]), xp.asarray([3])])
    heddle.Array([1, 2, 3], dtype=int64, device='cpu')
    """
    given = [array_of(x) for x in arrays]
    if given and _is_on_gpu(*given):
        return _moves.concatenated(given, axis)
    return made(np.concatenate([numpy_of(x) for x in given], axis))


def stack(arrays: Any, /, *, axis: int = 0) -> Array:
    """Arrays of one shape joined along a new axis, as numpy.stack.

    >>> from heddle import array_api as xp
    >>> xp.stack([xp.asarray([1, 2]), xp.asarray([3, 4])], axis=1)
    heddle.Array([[1, 3],
                  [2, 4]], dtype=int64, device='cpu')
    """
    given = [array_of(x) for x in arrays]
    if given and _is_on_gpu(*given):
        if len({x.shape for x in given}) > 1:
            raise ValueError(f"stack: the shapes differ: {', '.join(str(x.shape) for x in given)}")
        return _moves.concatenated([expand_dims(x, axis) for x in given], axis)
    return made(np.stack([numpy_of(x) for x in given], axis))


def unstack(x: Array, /, *, axis: int = 0) -> tuple[Array, ...]:
    """The slices along an axis, each an array without it, as numpy.unstack.

    >>> from heddle import array_api as xp
    >>> xp.unstack(xp.asarray([[1, 2], [3, 4]]))[1]
    heddle.Array([3, 4], dtype=int64, device='cpu')
    """
    x = array_of(x)
    place = _axis_of(axis, x.ndim)
    return tuple(by_view(lambda whole, k=k: np.moveaxis(whole, place, 0)[k, ...], x) for k in range(x.shape[place]))


def permute_dims(x: Array, /, axes: tuple[int, ...]) -> Array:
    """The array with its axes in another order, as numpy.permute_dims.

    >>> from heddle import array_api as xp
    >>> xp.permute_dims(xp.zeros((2, 3, 4)), (2, 0, 1)).shape
    (4, 2, 3)
    """
    return by_view(np.transpose, x, axes)


def moveaxis(x: Array, source: Any, destination: Any, /) -> Array:
    """The array with one axis or several at other places, as numpy.moveaxis.

    >>> from heddle import array_api as xp
    >>> xp.moveaxis(xp.zeros((2, 3, 4)), 0, -1).shape
    (3, 4, 2)
    """
    return by_view(np.moveaxis, x, source, destination)


def matrix_transpose(x: Array, /) -> Array:
    """Each matrix of a stack transposed: the last two axes change places. ValueError for fewer than two axes.

    >>> from heddle import array_api as xp
    >>> xp.matrix_transpose(xp.asarray([[1, 2], [3, 4]]))
    heddle.Array([[1, 3],
                  [2, 4]], dtype=int64, device='cpu')
    """
    x = array_of(x)
    if x.ndim < 2:
        raise ValueError(f"matrix_transpose: a matrix has two axes at least, not the shape {x.shape}")
    return by_view(np.swapaxes, x, -1, -2)


def flip(x: Array, /, *, axis: Any = None) -> Array:
    """The elements in reverse along all axes or some, as numpy.flip.

    >>> from heddle import array_api as xp
    >>> xp.flip(xp.asarray([1, 2, 3]))
    heddle.Array([3, 2, 1], dtype=int64, device='cpu')
    """
    return by_view(np.flip, x, axis)


def roll(x: Array, /, shift: Any, *, axis: Any = None) -> Array:
    """The elements moved along axes, or flat, and from the end to the beginning, as numpy.roll.

    >>> from heddle import array_api as xp
    >>> xp.roll(xp.asarray([1, 2, 3]), 1)
    heddle.Array([3, 1, 2], dtype=int64, device='cpu')
    """
    x = array_of(x)
    if not _is_on_gpu(x):
        return made(np.roll(numpy_of(x), shift, axis))
    if axis is None:
        return _core.reshaped(roll(_core.reshaped(x, (x.size,)), shift, axis=0), x.shape)
    for steps, along in np.broadcast(shift, axis):
        place = _axis_of(int(along), x.ndim)
        n = x.shape[place]
        last = n - int(steps) % n if n else 0
        before = (slice(None),) * place
        x = _moves.concatenated([by_view(lambda whole, part=part: whole[(*before, part)], x)
                                 for part in (slice(last, None), slice(None, last))], place)
    return x


def repeat(x: Array, repeats: int | Array, /, *, axis: int | None = None) -> Array:
    """Each element, flat or along an axis, as often as `repeats` says, one number or one for each, as numpy.repeat.

    >>> from heddle import array_api as xp
    >>> xp.repeat(xp.asarray([1, 2]), 2)
    heddle.Array([1, 1, 2, 2], dtype=int64, device='cpu')
    """
    x = array_of(x)
    if not _is_on_gpu(x):
        return made(np.repeat(numpy_of(x), repeats if isinstance(repeats, int) else numpy_of(array_of(repeats)), axis))
    if axis is None:
        x, axis = _core.reshaped(x, (x.size,)), 0
    axis = _axis_of(axis, x.ndim)
    if isinstance(repeats, int):
        shape = (*x.shape[:axis + 1], repeats, *x.shape[axis + 1:])
        result = by_view(lambda whole: np.broadcast_to(np.expand_dims(whole, axis + 1), shape), x)
        return _core.reshaped(result, (*x.shape[:axis], x.shape[axis] * repeats, *x.shape[axis + 1:]))
    # The place of an element of the result is how many of the ends before it are passed.
    counts = _moves.broadcast(_core.asarray(repeats, np.int64, x.target, None), (x.shape[axis],))
    ends = _core.scan("add", True, False, counts, None, None, None, None, x.target)
    whole = int(ends[-1]) if x.shape[axis] else 0
    places = _core.searchsorted(ends, _moves.iota(whole, x), True, x.target)
    return take(x, places, axis=axis)


def tile(x: Array, repetitions: tuple[int, ...], /) -> Array:
    """The array beside itself, along each axis so many times, as numpy.tile.

    >>> from heddle import array_api as xp
    >>> xp.tile(xp.asarray([1, 2]), (2,))
    heddle.Array([1, 2, 1, 2], dtype=int64, device='cpu')
    """
    x = array_of(x)
    if not _is_on_gpu(x):
        return made(np.tile(numpy_of(x), repetitions))
    often = (1,) * (x.ndim - len(repetitions)) + tuple(repetitions)
    x = _core.reshaped(x, (1,) * (len(often) - x.ndim) + x.shape)
    wide = [n for pair in zip(often, x.shape) for n in pair]
    result = by_view(lambda whole: np.broadcast_to(whole.reshape([n for length in whole.shape for n in (1, length)]), wide), x)
    return _core.reshaped(result, [a * b for a, b in zip(often, x.shape)])


def take(x: Array, indices: Array, /, *, axis: int | None = None) -> Array:
    """The elements, or along an axis the slices, at places, as numpy.take. Negative places count from the end.

    Only an `x` of one axis needs no `axis`. IndexError for a place that is not there.

    >>> from heddle import array_api as xp
    >>> xp.take(xp.asarray([3, 4, 5]), xp.asarray([2, 0]))
    heddle.Array([5, 3], dtype=int64, device='cpu')
    """
    x, indices = array_of(x), array_of(indices)
    if axis is None:
        if x.ndim != 1:
            raise ValueError(f"take: an array of {x.ndim} axes needs an axis to take along")
        axis = 0
    if _is_on_gpu(x, indices):
        return _moves.Selection(x, (slice(None),) * _axis_of(axis, x.ndim) + (indices,)).get()
    return made(np.take(numpy_of(x), numpy_of(indices), axis))


def take_along_axis(x: Array, indices: Array, /, *, axis: int = -1) -> Array:
    """The elements at places along an axis, for each row its own, as numpy.take_along_axis.

    >>> from heddle import array_api as xp
    >>> xp.take_along_axis(xp.asarray([[3, 4], [5, 6]]), xp.asarray([[1], [0]]))
    heddle.Array([[4],
                  [5]], dtype=int64, device='cpu')
    """
    x, indices = array_of(x), array_of(indices)
    if _is_on_gpu(x, indices):
        return _moves.taken_along(x, indices, _axis_of(axis, x.ndim))
    return made(np.take_along_axis(numpy_of(x), numpy_of(indices), axis))


def diff(x: Array, /, *, axis: int = -1, n: int = 1, prepend: Array | None = None, append: Array | None = None) -> Array:
    """The differences of neighbours along an axis, n times, as numpy.diff; with other elements before or behind.

    >>> from heddle import array_api as xp
    >>> xp.diff(xp.asarray([1, 4, 9]))
    heddle.Array([3, 5], dtype=int64, device='cpu')
    """
    x = array_of(x)
    ends = {name: array_of(end) for name, end in (("prepend", prepend), ("append", append)) if end is not None}
    if not _is_on_gpu(x, *ends.values()):
        with_ends: Any = {name: numpy_of(end) for name, end in ends.items()}
        return made(np.diff(numpy_of(x), n, axis, **with_ends))
    if n < 0:
        raise ValueError(f"diff: n is not negative, as {n} is")
    place = _axis_of(axis, x.ndim)
    around = {name: end if end.ndim else _moves.broadcast(end, (*x.shape[:place], 1, *x.shape[place + 1:])) for name, end in ends.items()}
    if n and around:
        x = _moves.concatenated([part for part in (around.get("prepend"), x, around.get("append")) if part is not None], place)
    before = (slice(None),) * place
    for _ in range(n):
        later, earlier = (by_view(lambda whole, part=part: whole[(*before, part)], x) for part in (slice(1, None), slice(None, -1)))
        x = later != earlier if x.dtype == np.bool_ else later - earlier
    return x


def nonzero(x: Array, /) -> tuple[Array, ...]:
    """The places of the elements that are not 0, in C order, one array for each axis, as numpy.nonzero.

    ValueError for an array without axes.

    >>> from heddle import array_api as xp
    >>> xp.nonzero(xp.asarray([0, 5, 7]))[0]
    heddle.Array([1, 2], dtype=int64, device='cpu')
    """
    x = array_of(x)
    if x.ndim == 0:
        raise ValueError("nonzero: an array without axes has no places")
    if _is_on_gpu(x):
        return _moves.masked_places(x if x.dtype == np.bool_ else x != 0)
    return tuple(made(places) for places in np.nonzero(numpy_of(x)))
