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
                assert getattr(heddle, name)(x, axis, dtype=wanted, out=out) is out
                np.testing.assert_array_equal(out, want)
                out = make()
                have = outcome(lambda: getattr(heddle, name)(x, axis, out=out))
                if np.can_cast(getattr(np, name)(x, axis).dtype, wanted, "same_kind"):
                    assert have is out
                    np.testing.assert_array_equal(out, getattr(np, name)(x, axis, out=make()))
                else:
                    same(have, TypeError())


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


LOGICAL = {"logical_and": np.logical_and, "logical_or": np.logical_or, "logical_xor": np.logical_xor}


def is_defined(op, dtype):
    kind = np.dtype(dtype).kind
    return not (op.startswith("bit") and kind in "fc" or op not in ("add", "multiply") and kind == "c")


def identity(op, dtype):
    type = np.dtype(dtype)
    if op in ("minimum", "maximum"):
        ends = {"b": (False, True), "f": (-np.inf, np.inf)}.get(type.kind) or (np.iinfo(type).min, np.iinfo(type).max)
        return type.type(ends[op == "minimum"])
    if op == "bit_and":
        return np.invert(np.zeros((), type))
    return type.type(op in ("multiply", "logical_and"))


def segmented(op, x, begins, init, is_exclusive):
    """The scan of each segment of a flat array, element by element."""
    f = (OPERATORS | LOGICAL)[op]
    if op in LOGICAL:
        x = (x != 0).astype(x.dtype)
    results, sum = np.empty_like(x), None
    for i, element in enumerate(x):
        if i in begins:
            sum = init
        if is_exclusive:
            results[i] = sum
        sum = element if sum is None else f(sum, element).astype(x.dtype)
        if not is_exclusive:
            results[i] = sum
    return results


@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.parametrize("op", [*OPERATORS, *LOGICAL])
def test_scans_of_segments(op, where):
    generator = np.random.default_rng(1)
    for dtype, shape in itertools.product(TYPES, [(0,), (1,), (6, 30)]):
        x = numbers(dtype, shape)
        if not is_defined(op, dtype):
            for call in (lambda: heddle.segmented_inclusive_scan(x, [0], op), lambda: heddle.exclusive_scan_by_key(x, x, op)):
                with pytest.raises(TypeError, match=f"{op} is not defined on {dtype}"):
                    call()
            continue
        offsets, one = np.sort(generator.integers(0, x.size + 1, x.size // 4 + 1)), np.ones((), dtype)
        flat, begins = x.reshape(-1), {0, *offsets.tolist()}

        def check(have, init, is_exclusive, begins):
            assert have.dtype == dtype and have.shape == x.shape
            np.testing.assert_array_equal(have.reshape(-1), segmented(op, flat, begins, init, is_exclusive))

        for kind in ("int64", "uint16"):
            check(heddle.segmented_inclusive_scan(x, offsets.astype(kind), op, target=where), None, False, begins)
        check(heddle.segmented_inclusive_scan(x, offsets, op, initial=1, target=where), one, False, begins)
        check(heddle.segmented_exclusive_scan(x, offsets, op, target=where), identity(op, dtype), True, begins)
        check(heddle.segmented_exclusive_scan(x, offsets, op, initial=1, target=where), one, True, begins)
        keys = np.cumsum(np.isin(np.arange(x.size), offsets)) % 2
        begins = {0, *(np.flatnonzero(np.diff(keys)) + 1).tolist()}
        check(heddle.inclusive_scan_by_key(keys, x, op, target=where), None, False, begins)
        check(heddle.exclusive_scan_by_key(keys.reshape(x.shape), x, op, initial=1, target=where), one, True, begins)


@pytest.mark.parametrize("dtype", TYPES)
def test_keys_of_scans(dtype, where):
    keys, x = numbers(dtype, (3000,)), np.arange(3000)
    begins = {0, *(np.flatnonzero(keys[1:] != keys[:-1]) + 1).tolist()}
    for _, given in layouts(keys):
        if given.shape == keys.shape and (given == keys).all():
            same(heddle.inclusive_scan_by_key(given, x, target=where), segmented("add", x, begins, None, False))


def test_segmented_scans_into_arrays():
    x, offsets = numbers("float64", (6, 50)), [3, 40, 40, 250]
    want = segmented("add", x.reshape(-1), {0, *offsets}, None, False).reshape(x.shape)
    out = np.zeros((6, 50, 2), np.float32)[..., 0]
    assert heddle.segmented_inclusive_scan(x, offsets, out=out) is out
    np.testing.assert_array_equal(out, want)
    with pytest.raises(ValueError, match="out has shape"):
        heddle.segmented_inclusive_scan(x, offsets, out=np.zeros(300))
    array = heddle.segmented_inclusive_scan(heddle.asarray(x), offsets)
    assert isinstance(array, heddle.Array) and np.array_equal(np.asarray(array), want)
    assert isinstance(heddle.exclusive_scan_by_key(heddle.asarray([1, 1]), [1, 2]), heddle.Array)
    # An output that is the keys, or the offsets.
    for keys in (np.array([1, 1, 2, 2]), heddle.asarray(np.array([1, 1, 2, 2]))):
        assert heddle.inclusive_scan_by_key(keys, [5, 6, 7, 8], out=keys) is keys
        np.testing.assert_array_equal(np.asarray(keys), [5, 11, 7, 15])
    starts = np.array([0, 2, 4], np.uint64)
    heddle.segmented_inclusive_scan(np.array([5, 6, 7], np.uint64), starts[:2], out=starts)
    np.testing.assert_array_equal(starts, [5, 11, 7])
    assert heddle.segmented_inclusive_scan(x, offsets, out=x) is x
    np.testing.assert_array_equal(x, want)


def test_segmented_scans_refuse():
    for call in (heddle.segmented_inclusive_scan, heddle.segmented_exclusive_scan):
        with pytest.raises(ValueError, match="segment 0 goes from element 0 to 3 of 2"):
            call([1, 2], [0, 3])
        with pytest.raises(ValueError, match="segment 1 goes from element 2 to 1 of 2"):
            call([1, 2], [0, 2, 1])
        with pytest.raises(TypeError, match="offsets are integers"):
            call([1, 2], [0.0, 2.0])
    for call in (heddle.inclusive_scan_by_key, heddle.exclusive_scan_by_key):
        with pytest.raises(ValueError, match="the keys: 1 elements do not fit 2"):
            call([1], [1, 2])


def differences(x, axis):
    """numpy.diff behind the first element, which numpy.diff leaves out."""
    if axis is None:
        x, axis = x.reshape(-1), 0
    first = np.take(x, [0], axis) if x.shape[axis] else x
    return np.concatenate([first, np.diff(x, axis=axis)], axis) if x.shape[axis] else x


@pytest.mark.parametrize("dtype", TYPES)
def test_differences_of_every_axis_and_layout(dtype):
    for shape in SHAPES[1:]:
        for _, y in layouts(numbers(dtype, shape)):
            for axis in axes_of(y.ndim, several=False):
                same(heddle.adjacent_difference(y, axis), differences(y.astype(dtype), axis))
            same(heddle.adjacent_difference(y), differences(y.astype(dtype), -1))
    with pytest.raises(np.exceptions.AxisError):
        heddle.adjacent_difference(np.zeros((2, 3)), 2)


def test_differences_on_targets(where):
    for dtype, shape, axis in itertools.product(["bool", "int8", "uint64", "float64"], [(5,), (30_000,), (300, 50)], (None, 0, -1)):
        x = numbers(dtype, shape)
        same(heddle.adjacent_difference(x, axis, target=where), differences(x, axis))
        array = heddle.adjacent_difference(heddle.asarray(x), axis, target=where)
        assert isinstance(array, heddle.Array)
        np.testing.assert_array_equal(np.asarray(array), differences(x, axis))
    same(heddle.adjacent_difference(np.array([0, 255, 1], "uint8"), target=where), np.array([0, 255, 2], "uint8"))


def test_differences_into_arrays():
    x = numbers("int32", (40, 50))
    for axis in (0, 1):
        for out in (np.zeros((40, 50)), np.zeros((40, 50, 2), "int32")[..., 0]):
            assert heddle.adjacent_difference(x, axis, out) is out
            np.testing.assert_array_equal(out, differences(x, axis))
    with pytest.raises(TypeError):
        heddle.adjacent_difference(x, out=np.zeros((40, 50), bool))
    with pytest.raises(ValueError):
        heddle.adjacent_difference(x, out=np.zeros(3, "int32"))
    want = differences(x, 0)
    assert heddle.adjacent_difference(x, 0, x) is x
    np.testing.assert_array_equal(x, want)
    # An output that overlaps the input in another way.
    y = np.arange(100) ** 2
    want = differences(y[:-1], 0)
    heddle.adjacent_difference(y[:-1], out=y[1:])
    np.testing.assert_array_equal(y[1:], want)
