"""What a GPU does to move elements, here on arrays of a CPU: the same kernels, compiled for the target "serial"."""

import itertools
import shutil

import numpy as np
import pytest

import heddle
from conftest import outcome
from heddle import array_api as xp
from heddle.array_api import _moves

pytestmark = pytest.mark.skipif(not (shutil.which("g++") or shutil.which("clang++")), reason="there is no compiler")


@pytest.fixture(autouse=True)
def as_on_a_gpu(monkeypatch):
    """Functions take arrays for those of a GPU, which is the target "serial"."""
    from heddle.array_api import _creation, _manipulation, _methods, _places

    for module in (_creation, _manipulation, _methods, _places):
        monkeypatch.setattr(module, "place_of", lambda *arrays: heddle.Target("serial"))
        if hasattr(module, "numpy_of"):
            monkeypatch.setattr(module, "numpy_of", None)


def agree(have, want):
    if isinstance(want, Exception):
        assert type(have) is type(want), (have, want)
        return
    assert not isinstance(have, Exception), have
    have = np.asarray(have)
    assert have.dtype == want.dtype and have.shape == want.shape
    np.testing.assert_array_equal(have, want)


def items(generator, n):
    """Of a key, for an axis of that length: what numpy takes, some of it wrong."""
    start, stop = (int(i) for i in generator.integers(-n - 2, n + 3, 2))
    yield slice(None)
    yield slice(start, stop)
    yield slice(start, None, 2)
    yield slice(None, None, -1)
    yield slice(stop, start, -3)
    yield int(generator.integers(-n - 1, n + 1)) if n else 0
    yield generator.integers(-n, n, 3) if n else np.zeros(0, np.int64)
    yield generator.integers(-n, n, (2, 1)).astype(np.int32) if n else np.zeros((2, 0), np.int64)
    yield generator.integers(0, n, ()).astype(np.uint8) if n else np.zeros((0,), np.uint8)
    yield np.array([0, n])
    yield generator.integers(0, 2, n).astype(bool)
    yield np.ones(n + 1, bool)


def keys(shape, count):
    """Random keys of an array of that shape."""
    generator = np.random.default_rng([len(shape), *shape])
    for _ in range(count):
        used = int(generator.integers(0, len(shape) + 1))
        key = [list(items(generator, shape[k]))[int(generator.integers(0, 12))] for k in range(used)]
        if generator.integers(0, 2):
            key.insert(int(generator.integers(0, len(key) + 1)), ...)
        if generator.integers(0, 3) == 0:
            key.insert(int(generator.integers(0, len(key) + 1)), None)
        if generator.integers(0, 12) == 0:
            key.insert(0, bool(generator.integers(0, 2)))
        yield tuple(key)
    yield generator.integers(0, 2, shape).astype(bool)
    if len(shape) > 1:
        yield generator.integers(0, 2, shape[:2]).astype(bool)
        yield (slice(None), generator.integers(0, 2, shape[1:]).astype(bool))
    yield (0,) * (len(shape) + 1)
    yield (..., ...)


SHAPES = [(), (7,), (0,), (5, 4), (3, 0), (3, 4, 5), (2, 3, 2, 3)]


def ours(key):
    """A key with arrays of Heddle's in place of NumPy's."""
    if isinstance(key, tuple):
        return tuple(ours(k) for k in key)
    return heddle.asarray(key) if isinstance(key, np.ndarray) else key


@pytest.mark.parametrize("dtype", ["bool", "int16", "float32", "complex64", "complex128"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_elements_at_a_key(shape, dtype):
    x = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)
    a = xp.asarray(x, copy=True)
    for key in keys(shape, 60):
        agree(outcome(lambda: a[ours(key)]), outcome(lambda: x[key].copy()))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_elements_that_are_set(shape):
    generator = np.random.default_rng(3)
    for key in keys(shape, 60):
        x = np.asarray(generator.integers(0, 100, shape))
        try:
            chosen = np.arange(x.size).reshape(shape)[key]
        except IndexError as e:
            with pytest.raises(type(e)):
                xp.asarray(x, copy=True)[ours(key)] = 1
            continue
        values = [7, generator.integers(0, 9, chosen.shape), generator.integers(0, 9, (1,) + chosen.shape[1:])]
        if chosen.ndim == 0:
            values = values[:2]
        if np.unique(chosen).size < chosen.size:  # which value is kept is not said
            values = values[:1]
        for value in values:
            want, have = x.copy(), xp.asarray(x, copy=True)

            def set_numpys():
                want[key] = value

            def set_ours():
                have[ours(key)] = ours(value)

            wrong = outcome(set_numpys)
            if isinstance(wrong, Exception):
                with pytest.raises(type(wrong)):
                    set_ours()
            else:
                set_ours()
                agree(have, want)


def test_elements_that_are_set_from_the_array_itself():
    x = np.arange(12.0).reshape(3, 4)
    a = xp.asarray(x, copy=True)
    a[:, ::-1] = xp.reshape(a, (3, 4))
    agree(a, x[:, ::-1])
    read_only = np.arange(3)
    read_only.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        heddle.asarray(read_only)[0] = 1
    with pytest.raises(OverflowError):
        xp.asarray(np.zeros(3, np.int8))[0] = 1000
    with pytest.raises(IndexError, match="index 4 is out of bounds for an axis with size 4"):
        a[:, heddle.asarray(np.array([1, 4]))]
    with pytest.raises(IndexError, match="index -5 is"):
        a[:, heddle.asarray(np.array([1, -5]))] = 0


@pytest.mark.parametrize("dtype", ["bool", "int32", "float64", "complex128"])
def test_functions_that_move(dtype):
    x = (np.arange(24) % 7).reshape(2, 3, 4).astype(dtype)
    a = xp.asarray(x, copy=True)
    agree(xp.broadcast_to(a, (5, 2, 3, 4)), np.broadcast_to(x, (5, 2, 3, 4)))
    for axes in itertools.permutations(range(3)):
        agree(xp.permute_dims(a, axes), np.transpose(x, axes))
    agree(xp.moveaxis(a, (0, 1), (-1, 0)), np.moveaxis(x, (0, 1), (-1, 0)))
    agree(xp.matrix_transpose(a), np.swapaxes(x, -1, -2))
    agree(a.mT, np.swapaxes(x, -1, -2))
    for axis in (None, 0, -1, (0, 2)):
        agree(xp.flip(a, axis=axis), np.flip(x, axis))
    for shift, axis in ((1, None), (-30, None), (2, 1), ((1, 2), (0, 1)), (3, (0, 2)), ((1, 1), (2, 2))):
        agree(xp.roll(a, shift, axis=axis), np.roll(x, shift, axis))
    for axis in range(-3, 3):
        agree(xp.concat([a, a, a[:, :0, :]] if axis in (1, -2) else [a, a], axis=axis),
              np.concatenate([x, x], axis))
        agree(xp.repeat(a, 3, axis=axis), np.repeat(x, 3, axis))
        counts = np.arange(x.shape[axis])
        agree(xp.repeat(a, xp.asarray(counts), axis=axis), np.repeat(x, counts, axis))
        for have, want in zip(xp.unstack(a, axis=axis), np.moveaxis(x, axis, 0), strict=True):
            agree(have, want)
        places = np.array([1, 0, -1, -2])
        agree(xp.take(a, xp.asarray(places), axis=axis), np.take(x, places, axis))
        order = np.argsort(x.real, axis=axis)[::-1]
        agree(xp.take_along_axis(a, xp.asarray(order), axis=axis), np.take_along_axis(x, order, axis))
        agree(xp.take_along_axis(a, xp.asarray(order[:1, :1, :1]), axis=axis), np.take_along_axis(x, order[:1, :1, :1], axis))
        for n in (0, 1, 2):
            agree(xp.diff(a, axis=axis, n=n), np.diff(x, n, axis))
        agree(xp.diff(a, axis=axis, prepend=a, append=a), np.diff(x, 1, axis, x, x))
    for axis in range(-4, 4):
        agree(xp.stack([a, a], axis=axis), np.stack([x, x], axis))
    agree(xp.concat([a, a], axis=None), np.concatenate([x, x], None))
    agree(xp.repeat(a, 2), np.repeat(x, 2))
    for often in ((2,), (1, 2, 1), (2, 1, 1, 3), ()):
        agree(xp.tile(a, often), np.tile(x, often))
    for have, want in zip(xp.nonzero(a), np.nonzero(x), strict=True):
        agree(have, want)


def test_joins_of_types_and_of_what_does_not_fit():
    agree(xp.concat([xp.asarray([1, 2]), xp.asarray([0.5])]), np.array([1, 2, 0.5]))
    with pytest.raises(ValueError):
        xp.concat([xp.zeros((2, 3)), xp.zeros((3, 2))], axis=0)
    with pytest.raises(ValueError):
        xp.stack([xp.zeros(2), xp.zeros(3)])
    with pytest.raises(IndexError):
        xp.concat([xp.zeros(2)], axis=1)
    with pytest.raises(IndexError):
        xp.take(xp.zeros(3), xp.asarray([3]))


def test_places_in_order():
    agree(_moves.iota(5, xp.zeros(1)), np.arange(5))
    agree(_moves.iota(0, xp.zeros(1)), np.arange(0))
