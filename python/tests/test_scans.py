"""Scans against NumPy."""

import itertools

import numpy as np
import pytest

import heddle
from conftest import SHAPES, TYPES, axes_of, layouts, numbers, outcome, same

NAMES = ["cumsum", "cumprod"]


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", NAMES)
def test_every_axis_and_layout(name, dtype):
    for shape in SHAPES:
        x = numbers(dtype, shape)
        if name == "cumprod" and x.size > 60:
            continue
        for _, y in layouts(x):
            for axis in axes_of(y.ndim, several=False):
                want = outcome(lambda: getattr(np, name)(y, axis))
                same(outcome(lambda: getattr(heddle, name)(y, axis)), want)
    with pytest.raises(np.exceptions.AxisError):
        heddle.cumsum(np.zeros((2, 3)), 2)


def test_targets(where):
    for dtype, shape, axis in itertools.product(["int32", "float32", "float64"], [(5,), (3000,), (300, 50)], (None, 0, -1)):
        x = numbers(dtype, shape)
        same(heddle.cumsum(x, axis, target=where), np.cumsum(x, axis))


@pytest.mark.parametrize("name", NAMES)
def test_dtype_and_out(name):
    for dtype, wanted in itertools.product(TYPES, TYPES):
        x = numbers("uint8", (3, 5)).astype(dtype)
        if np.dtype(dtype).kind == "c" and np.dtype(wanted).kind != "c":
            continue
        for axis in (None, 0):
            want = getattr(np, name)(x, axis, dtype=wanted)
            same(getattr(heddle, name)(x, axis, dtype=wanted), want)
            for make in (lambda: np.zeros(want.shape, wanted), lambda: np.zeros((*want.shape, 2), wanted)[..., 0]):
                out = make()
                assert getattr(heddle, name)(x, axis, out=out) is out
                np.testing.assert_array_equal(out, getattr(np, name)(x, axis, out=make()))


def test_in_place():
    x = numbers("float64", (40, 50))
    want = np.cumsum(x, 0)
    assert heddle.cumsum(x, 0, out=x) is x
    np.testing.assert_array_equal(x, want)
    # An output that overlaps the input in another way.
    y = np.arange(100.0)
    want = np.cumsum(y[:-1])
    heddle.cumsum(y[:-1], out=y[1:])
    np.testing.assert_array_equal(y[1:], want)


@pytest.mark.parametrize("name", ["cumulative_sum", "cumulative_prod"])
def test_cumulative(name):
    for dtype, shape in itertools.product(TYPES, [(), (0,), (7,), (3, 4), (2, 3, 4)]):
        x = numbers(dtype, shape)
        for axis, include in itertools.product(axes_of(len(shape), several=False), [False, True]):
            want = outcome(lambda: getattr(np, name)(x, axis=axis, include_initial=include))
            same(outcome(lambda: getattr(heddle, name)(x, axis=axis, include_initial=include)), want)
    out = np.zeros(8)
    assert getattr(heddle, name)(numbers("float64", (7,)), include_initial=True, out=out) is out
    assert out[0] == (name == "cumulative_prod")


OPERATORS = {"add": np.add, "multiply": np.multiply, "minimum": np.minimum, "maximum": np.maximum,
             "bit_and": np.bitwise_and, "bit_or": np.bitwise_or, "bit_xor": np.bitwise_xor}


def loop(f, x, first):
    """The inclusive scan of a flat array, element by element."""
    results = []
    for element in x:
        first = element if first is None else f(first, element).astype(x.dtype)
        results.append(first)
    return np.array(results, dtype=x.dtype)


@pytest.mark.parametrize("op", OPERATORS)
def test_scans_by_operator(op, where):
    f = OPERATORS[op]
    for dtype, n in itertools.product(["bool", "int8", "uint64", "float32"], [0, 1, 9, 100]):
        if dtype == "float32" and op.startswith("bit"):
            continue
        x = numbers(dtype, (n,))
        if op == "multiply":
            x = x[:20]
        np.testing.assert_array_equal(heddle.inclusive_scan(x, op, target=where), loop(f, x, None))
        first = np.ones((), dtype)
        np.testing.assert_array_equal(heddle.inclusive_scan(x, op, initial=1, target=where), loop(f, x, first))
        want = np.append(first, loop(f, x, first))[:-1]
        have = heddle.exclusive_scan(x, op, initial=1, target=where)
        assert have.dtype == x.dtype
        np.testing.assert_array_equal(have, want)
    table = numbers("int32", (4, 5))
    for axis in (0, 1):
        want = np.apply_along_axis(lambda row: loop(f, row, None), axis, table)
        np.testing.assert_array_equal(heddle.inclusive_scan(table, op, axis=axis, target=where), want)


def test_exclusive_scan_begins_with_the_identity():
    assert heddle.exclusive_scan([3, 1, 4]).tolist() == [0, 3, 4]
    assert heddle.exclusive_scan([3, 1, 4], "multiply").tolist() == [1, 3, 3]
    with pytest.raises(TypeError, match="bit_and is not defined on float64"):
        heddle.exclusive_scan([1.0], "bit_and")
