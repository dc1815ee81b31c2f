"""Reductions against NumPy: types, shapes, layouts, axes and keywords."""

import itertools
import warnings

import numpy as np
import pytest

import heddle
from conftest import SHAPES, TYPES, axes_of, layouts, numbers, outcome, same

SUMS = ["sum", "prod"]
EXTREMA = ["min", "max"]
TRUTHS = ["any", "all"]


def small(x):
    """Products of few numbers, which every type holds."""
    return x if x.size <= 60 else x.reshape(-1)[:60].reshape(3, 20) if x.ndim > 1 else x[:60]


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", SUMS + EXTREMA + TRUTHS)
def test_every_axis_and_layout(name, dtype):
    if name in EXTREMA and np.dtype(dtype).kind == "c":
        with pytest.raises(TypeError):
            getattr(heddle, name)(numbers(dtype, (3,)))
        return
    for shape in SHAPES:
        x = numbers(dtype, shape)
        if name == "prod":
            x = small(x)
        for layout, y in layouts(x):
            for axis, keepdims in itertools.product(axes_of(y.ndim), [False, True]):
                if layout not in ("contiguous", "Fortran") and keepdims:
                    continue
                want = outcome(lambda: getattr(np, name)(y, axis=axis, keepdims=keepdims))
                have = outcome(lambda: getattr(heddle, name)(y, axis=axis, keepdims=keepdims, target="serial"))
                same(have, want)


@pytest.mark.parametrize("name", SUMS + EXTREMA + TRUTHS)
def test_targets(name, where):
    for dtype, shape in itertools.product(["int32", "float32", "uint8"], [(5,), (300, 50)]):
        x = small(numbers(dtype, shape)) if name == "prod" else numbers(dtype, shape)
        for axis in (None, 0, -1):
            same(getattr(heddle, name)(x, axis, target=where), getattr(np, name)(x, axis))


@pytest.mark.parametrize("name", SUMS)
def test_dtype(name):
    for dtype, wanted in itertools.product(TYPES, TYPES):
        x = numbers("uint8", (3, 5)).astype(dtype)  # what is negative is no number of an unsigned type
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for axis in (None, 0, (0, 1)):
                same(getattr(heddle, name)(x, axis, dtype=wanted), getattr(np, name)(x, axis, dtype=wanted))


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint32", "int64", "float32", "float64"])
@pytest.mark.parametrize("name", SUMS + EXTREMA)
def test_initial_and_where(name, dtype):
    for shape in [(), (7,), (3, 4), (0, 5), (2, 3, 4)]:
        x = numbers(dtype, shape)
        mask = np.random.default_rng(1).random(shape) < 0.6
        for axis in axes_of(len(shape)):
            for keywords in ({"initial": 2}, {"where": mask}, {"where": mask, "initial": 1}, {"where": False, "initial": 1}):
                want = outcome(lambda: getattr(np, name)(x, axis=axis, **keywords))
                same(outcome(lambda: getattr(heddle, name)(x, axis=axis, **keywords)), want)


@pytest.mark.parametrize("name", TRUTHS)
def test_where_of_truths(name):
    for dtype, shape in itertools.product(TYPES, [(), (7,), (3, 4)]):
        x, mask = numbers(dtype, shape), np.random.default_rng(1).random(shape) < 0.6
        for axis in axes_of(len(shape)):
            same(getattr(heddle, name)(x, axis=axis, where=mask), getattr(np, name)(x, axis=axis, where=mask))


@pytest.mark.parametrize("name", SUMS + EXTREMA + TRUTHS)
def test_out(name):
    for dtype, out_type in itertools.product(["int16", "float32"], ["int16", "int64", "float32", "float64"]):
        x = numbers(dtype, (3, 5))
        for make in (lambda: np.zeros(5, out_type), lambda: np.zeros(10, out_type)[::2]):
            for axis in (0, 1):
                a, b = make(), make()
                want = outcome(lambda: getattr(np, name)(x, axis=axis, out=a))
                have = outcome(lambda: getattr(heddle, name)(x, axis=axis, out=b))
                if isinstance(want, Exception):
                    same(have, want)
                elif not np.can_cast(getattr(np, name)(x, axis=axis).dtype, out_type, "same_kind"):
                    same(have, TypeError())
                else:
                    assert have is b
                    np.testing.assert_array_equal(b, a)


def test_out_that_is_not_written():
    x = np.zeros((3, 5))
    with pytest.raises(ValueError, match="read-only"):
        out = np.zeros(5)
        out.flags.writeable = False
        heddle.sum(x, axis=0, out=out)
    with pytest.raises(ValueError, match=r"shape \(4,\), where the result has \(5,\)"):
        heddle.sum(x, axis=0, out=np.zeros(4))
    with pytest.raises(TypeError, match="out is"):
        heddle.sum(x, axis=0, out=[1, 2])
    with pytest.raises(TypeError, match="out is int32, which a result of float64 is not converted to: use an out of float64"):
        heddle.sum(x, axis=0, out=np.zeros(5, np.int32))


@pytest.mark.parametrize("dtype", TYPES[:11])
def test_minmax(dtype, where):
    for shape in SHAPES:
        for _, x in layouts(numbers(dtype, shape)):
            for axis, keepdims in itertools.product(axes_of(x.ndim), [False, True]):
                want = outcome(lambda: (np.min(x, axis, keepdims=keepdims), np.max(x, axis, keepdims=keepdims)))
                have = outcome(lambda: heddle.minmax(x, axis, keepdims=keepdims, target=where))
                if isinstance(want, Exception):
                    same(have, want)
                else:
                    same(have[0], want[0])
                    same(have[1], want[1])


@pytest.mark.parametrize("name", ["argmin", "argmax"])
def test_places(name):
    for dtype, shape in itertools.product(TYPES[:11], SHAPES):
        for _, x in layouts(numbers(dtype, shape)):
            for axis, keepdims in itertools.product(axes_of(x.ndim, several=False), [False, True]):
                want = outcome(lambda: getattr(np, name)(x, axis, keepdims=keepdims))
                same(outcome(lambda: getattr(heddle, name)(x, axis, keepdims=keepdims)), want)
    x = np.array([[1.0, np.nan, 0.0], [2.0, 1.0, np.nan]])
    same(getattr(heddle, name)(x, 1), getattr(np, name)(x, 1))
    a, b = np.zeros(3, np.int64), np.zeros(3, np.int64)
    assert getattr(heddle, name)(x, 0, out=b) is b
    np.testing.assert_array_equal(b, getattr(np, name)(x, 0, out=a))


@pytest.mark.parametrize("dtype", [t for t in TYPES if np.dtype(t).kind in "biu"])
def test_sums_of_many_integers(dtype, where):
    largest = 1 if dtype == "bool" else np.iinfo(dtype).max
    least = 0 if dtype == "bool" else np.iinfo(dtype).min
    for shape in [(4097,), (50, 100), (3, 40, 50)]:
        x = np.random.default_rng(1).integers(least, largest, shape, dtype=dtype, endpoint=True)
        x.reshape(-1)[: x.size // 2] = largest
        for axis in axes_of(len(shape), several=False):
            same(heddle.sum(x, axis, target=where), np.sum(x, axis))
            same(heddle.sum(x, axis, initial=7, target=where), np.sum(x, axis, initial=7))
            same(heddle.sum(x, axis, dtype="uint64", target=where), np.sum(x, axis, dtype="uint64"))


@pytest.mark.parametrize("dtype", ["int32", "uint32"])
def test_sums_of_more_integers_than_a_double_holds(dtype):
    x = np.full((1 << 21) + 5, np.iinfo(dtype).max, dtype=dtype)
    x[::3] = 1
    same(heddle.sum(x), np.sum(x))
    same(heddle.sum(x.reshape(-1, 1), 0), np.sum(x.reshape(-1, 1), 0))


def test_nan_and_infinity():
    x = np.array([1.0, np.nan, -np.inf, np.inf])
    for name in SUMS + EXTREMA:
        assert np.isnan(getattr(heddle, name)(x))
    assert heddle.any([np.nan]) and heddle.all([np.nan])
    assert heddle.max([-np.inf, 1.0]) == 1.0


def test_sums_are_within_the_error_that_is_promised():
    x = np.random.default_rng(2).random(100_003, dtype=np.float32) - np.float32(0.5)
    exact = np.sum(x.astype(np.longdouble))
    bound = 22 * 2 * 2.0**-24 * float(np.sum(np.abs(x.astype(np.float64))))
    assert abs(heddle.sum(x) - exact) <= bound
    assert heddle.sum(x, dtype=np.float64) == pytest.approx(float(exact), rel=1e-12)


def test_bits_are_the_same_on_every_target():
    x = np.random.default_rng(3).random((1003, 517), dtype=np.float32)
    for axis in (None, 0, 1):
        first = heddle.sum(x, axis, target="serial")
        for where in ("parallel:2", "parallel:3", "auto"):
            assert np.asarray(heddle.sum(x, axis, target=where)).tobytes() == np.asarray(first).tobytes()


REDUCTIONS = {"add": np.add, "multiply": np.multiply, "minimum": np.minimum, "maximum": np.maximum,
              "logical_and": np.logical_and, "logical_or": np.logical_or, "logical_xor": np.logical_xor,
              "bit_and": np.bitwise_and, "bit_or": np.bitwise_or, "bit_xor": np.bitwise_xor}


@pytest.mark.parametrize("op", REDUCTIONS)
def test_reduce_by_operator(op):
    for dtype, shape in itertools.product(TYPES, [(7,), (3, 4), (2, 3, 4)]):
        x = numbers(dtype, shape)
        kind = np.dtype(dtype).kind
        if (kind == "c" and op not in ("add", "multiply")) or (kind == "f" and op.startswith("bit")):
            with pytest.raises(TypeError, match="is not defined on"):
                heddle.reduce(x, op)
            continue
        for axis in axes_of(len(shape)):
            want = REDUCTIONS[op].reduce(x, axis=axis, **({} if op.startswith("logical") else {"dtype": dtype}))
            have = heddle.reduce(x, op, axis=axis)
            assert have.dtype == dtype
            np.testing.assert_array_equal(have, np.asarray(want).astype(dtype))


def test_reduce_refuses():
    with pytest.raises(ValueError, match="minus|subtract|no operator"):
        heddle.reduce([1], "power")
    with pytest.raises(TypeError, match="not associative"):
        heddle.reduce([1], "subtract")
    with pytest.raises(ValueError, match="there are no elements"):
        heddle.reduce(np.zeros(0), "minimum")
