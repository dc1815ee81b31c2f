"""Sorts, searches, products, selections and segments against NumPy."""

import bisect
import itertools

import numpy as np
import pytest

import heddle
import heddle.random
from conftest import SHAPES, TYPES, axes_of, layouts, numbers, outcome, same

REAL = TYPES[:11]


def with_nans(x):
    """Numbers of a wider range, of floats with NaNs and zeros of both signs."""
    generator = np.random.default_rng(x.size)
    y = (x * generator.integers(1, 30, x.shape)).astype(x.dtype)
    if x.dtype.kind == "f" and x.ndim > 0:
        y = np.where(generator.random(x.shape) < 0.1, np.nan, y)
        y = np.where(generator.random(x.shape) < 0.1, -0.0, y).astype(x.dtype)
    return y


@pytest.mark.parametrize("dtype", REAL)
@pytest.mark.parametrize("name", ["sort", "argsort"])
def test_sorts(name, dtype):
    for shape in SHAPES:
        for _, x in layouts(with_nans(numbers(dtype, shape))):
            for axis in axes_of(x.ndim, several=False):
                want = outcome(lambda: getattr(np, name)(x, axis, kind="stable"))
                have = outcome(lambda: getattr(heddle, name)(x, axis))
                if name == "argsort" and x.dtype.kind == "f" and not isinstance(want, Exception):
                    # NumPy takes zeros of both signs for equal, Heddle puts -0 first.
                    assert have.dtype == want.dtype and have.shape == want.shape
                    flat = x if axis is not None else x.reshape(-1)
                    along = -1 if axis is None else axis
                    np.testing.assert_array_equal(np.take_along_axis(flat, have, along), np.take_along_axis(flat, want, along))
                else:
                    same(have, want)


def test_sort_on_targets(where):
    x = np.random.default_rng(1).random((300, 70))
    for axis in (None, 0, 1):
        same(heddle.sort(x, axis, target=where), np.sort(x, axis))
        same(heddle.argsort(x, axis, target=where), np.argsort(x, axis, kind="stable"))


@pytest.mark.parametrize("dtype", REAL)
def test_top_k(dtype, where):
    for shape in [(9,), (40, 30), (3, 4, 5)]:
        x = with_nans(numbers(dtype, shape))
        for axis in axes_of(len(shape), several=False):
            flat = x.reshape(-1) if axis is None else x
            along = -1 if axis is None else axis
            in_order = np.sort(flat, along)
            for k in (0, 1, 3):
                values, places = heddle.top_k(x, k, axis, largest=False, target=where)
                assert values.dtype == dtype and places.dtype == np.int64
                np.testing.assert_array_equal(values, np.take(in_order, range(k), along))
                np.testing.assert_array_equal(np.take_along_axis(flat, places, along), values)
                values, places = heddle.top_k(x, k, axis, target=where)
                length = in_order.shape[along]
                np.testing.assert_array_equal(values, np.take(in_order, range(length - 1, length - 1 - k, -1), along))
                np.testing.assert_array_equal(np.take_along_axis(flat, places, along), values)
    for wrong in (-1, 10):
        with pytest.raises(ValueError):
            heddle.top_k(np.zeros(9), wrong)


def test_sorts_refuse():
    for name in ("sort", "argsort", "unique", "minmax"):
        with pytest.raises(TypeError, match="complex numbers have no order"):
            getattr(heddle, name)([1j])
    with pytest.raises(ValueError, match="kind is"):
        heddle.sort([1], kind="bogo")
    with pytest.raises(ValueError, match="order names fields"):
        heddle.sort([1], order="x")
    with pytest.raises(ValueError, match="the same"):
        heddle.sort([1], kind="stable", stable=True)
    assert heddle.sort([2, 1], stable=True).tolist() == [1, 2]


@pytest.mark.parametrize("dtype", REAL)
def test_unique(dtype, where):
    for shape in [(), (0,), (1,), (1000,), (30, 20)]:
        x = with_nans(numbers(dtype, shape))
        same(heddle.unique(x, target=where), np.unique(x))
        for keywords in itertools.product([False, True], repeat=3):
            if not any(keywords):
                continue
            have, want = heddle.unique(x, *keywords, target=where), np.unique(x, *keywords)
            assert len(have) == len(want)
            np.testing.assert_array_equal(have[0], want[0])
            rest = dict(zip([k for k, given in zip(("index", "inverse", "counts"), keywords) if given], zip(have[1:], want[1:])))
            for key, (a, b) in rest.items():
                assert a.shape == b.shape and a.dtype == b.dtype
                if key == "index" and x.dtype.kind == "f":
                    np.testing.assert_array_equal(x.reshape(-1)[a], x.reshape(-1)[b])
                else:
                    np.testing.assert_array_equal(a, b)
    rows = numbers("int32", (20, 2))
    same(heddle.unique(rows, axis=0), np.unique(rows, axis=0))
    assert heddle.unique([np.nan, np.nan], equal_nan=False).size == 2


@pytest.mark.parametrize("dtype", REAL)
def test_searchsorted(dtype, where):
    a = np.sort(numbers(dtype, (500,)) * 7).astype(dtype)
    for values, side in itertools.product([numbers(dtype, (30, 4)), 3, [1.5, 2], np.int8(2), numbers("float64", (0,))], ["left", "right"]):
        same(heddle.searchsorted(a, values, side, target=where), np.searchsorted(a, values, side))
    x = numbers(dtype, (100,))
    order = np.argsort(x, kind="stable")
    same(heddle.searchsorted(x, [1, 2], sorter=order), np.searchsorted(x, [1, 2], sorter=order))


def test_searchsorted_compares_integers_of_both_signs_exactly(where):
    unsigned = np.arange(2**62, 2**62 + 100, dtype=np.uint64)
    for value in (2**62 + 25, np.uint64(2**62 + 25), np.int64(2**62 + 25), np.array(2**62 + 25)):
        same(heddle.searchsorted(unsigned, value, target=where), np.int64(25))
        same(heddle.searchsorted(unsigned, value, "right", target=where), np.int64(26))
    edges = [-(2**63), -1, 0, 1, 2**62, 2**62 + 1, 2**63 - 1, 2**63, 2**63 + 1, 2**64 - 1]
    for a_type, v_type, side in itertools.product(["uint64", "int64", "int8", "bool"], ["uint64", "int64", "int8"], ["left", "right"]):
        def held(kind):
            bounds = (0, 1) if kind == "bool" else (np.iinfo(kind).min, np.iinfo(kind).max)
            return [x for x in edges if bounds[0] <= x <= bounds[1]]
        a, v = sorted(held(a_type) * 2), held(v_type)
        bisect_by = bisect.bisect_left if side == "left" else bisect.bisect_right
        want = np.array([bisect_by(a, x) for x in v])
        for make in (np.array, lambda x, kind: heddle.asarray(np.array(x, kind))):
            have = heddle.searchsorted(make(a, a_type), make(v, v_type), side, target=where)
            np.testing.assert_array_equal(np.asarray(have), want, (a_type, v_type, side))
            assert isinstance(have, np.ndarray if make is np.array else heddle.Array)
    assert heddle.searchsorted(np.array([], np.uint64), -1) == 0


@pytest.mark.parametrize("dtype", ["int16", "int64", "uint32", "float32", "float64"])
def test_elements_keep_their_byte_order(dtype, where):
    x = numbers(dtype, (6, 20)).astype(np.dtype(dtype).newbyteorder(">"))
    flags = np.random.default_rng(1).random(x.shape) < 0.5
    for axis in (0, 1, None):
        same(heddle.sort(x, axis, target=where), np.sort(x, axis))
    same(heddle.unique(x, target=where), np.unique(x))
    for a, b in zip(heddle.unique(x, True, True, True, target=where), np.unique(x, True, True, True)):
        same(a, b)
    same(heddle.copy_if(x, flags, target=where), x[flags])
    same(heddle.partition(x, flags, target=where)[0], np.concatenate([x[flags], x[~flags]]).astype(x.dtype))
    assert heddle.top_k(x, 3, target=where)[0].dtype == x.dtype
    assert heddle.reduce_by_key(x.reshape(-1), x.reshape(-1), target=where)[0].dtype == x.dtype
    weights = x.reshape(-1).astype(">f4")
    same(heddle.histogram(x.reshape(-1), 3, weights=weights, target=where)[0], np.histogram(x.reshape(-1), 3, weights=weights)[0])
    assert heddle.random.Generator(1).permutation(x).dtype == x.dtype
    for name in ("min", "max", "sum", "cumsum", "mean"):
        same(getattr(heddle, name)(x, 0, target=where), getattr(np, name)(x, 0), exact=False)
    assert heddle.sort(heddle.asarray(x)).dtype.isnative


def test_searchsorted_refuses():
    with pytest.raises(ValueError, match="side"):
        heddle.searchsorted([1], 1, "middle")
    with pytest.raises(ValueError, match="one axis"):
        heddle.searchsorted([[1]], 1)
    with pytest.raises(TypeError, match="complex"):
        heddle.searchsorted([1j], 1)


@pytest.mark.parametrize("dtype", TYPES)
def test_matmul(dtype):
    pairs = [((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 4)), ((2, 3), (3, 4)), ((5, 2, 3), (3, 4)), ((5, 2, 3), (5, 3, 4)),
             ((0, 3), (3, 4)), ((2, 0), (0, 4)), ((2, 3), (4, 5)), ((), (3,)), ((1, 5, 2, 3), (6, 1, 3, 2))]
    for a_shape, b_shape in pairs:
        a, b = numbers(dtype, a_shape), numbers(dtype, b_shape, seed=1)
        want = outcome(lambda: np.matmul(a, b))
        same(outcome(lambda: heddle.matmul(a, b)), want, exact=False)
    a, b = numbers(dtype, (4, 3)), numbers("float32", (3, 2))
    same(heddle.matmul(a, b), np.matmul(a, b), exact=False)
    out = np.zeros((4, 2), np.complex128)
    assert heddle.matmul(a, b, out) is out
    np.testing.assert_allclose(out, np.matmul(a, b), rtol=1e-5)


@pytest.mark.parametrize("dtype", TYPES)
def test_selections(dtype, where):
    for shape in [(0,), (1,), (1000,), (30, 20)]:
        x, mask = numbers(dtype, shape), np.random.default_rng(1).random(shape) < 0.4
        same(heddle.copy_if(x, mask, target=where), x[mask])
        elements, chosen = heddle.partition(x, mask, target=where)
        assert chosen == np.count_nonzero(mask)
        same(elements, np.concatenate([x[mask], x[~mask]]))


def test_selections_refuse():
    with pytest.raises(TypeError, match="flags are bool, not int64"):
        heddle.copy_if([1, 2], [1, 0])
    with pytest.raises(ValueError, match="the flags: 1 elements do not fit 2"):
        heddle.partition([1, 2], [True])


@pytest.mark.parametrize("dtype", TYPES)
def test_segments(dtype, where):
    x = numbers(dtype, (1000,))
    offsets = np.array([0, 7, 7, 500, 1000])
    want = [x[a:b].sum(dtype=dtype) for a, b in zip(offsets, offsets[1:])]
    for kind in ("int64", "uint32", "int16"):
        have = heddle.segmented_reduce(x, offsets.astype(kind), target=where)
        assert have.dtype == dtype
        np.testing.assert_array_equal(have, want)
    keys = numbers("int8", (1000,), seed=2)
    starts = np.flatnonzero(np.append(True, np.diff(keys) != 0))
    found, sums = heddle.reduce_by_key(keys, x, target=where)
    np.testing.assert_array_equal(found, keys[starts])
    np.testing.assert_array_equal(sums, [part.sum(dtype=dtype) for part in np.split(x, starts[1:])])


def test_segments_refuse():
    with pytest.raises(ValueError, match="segment 0 goes from element 0 to 3 of 2"):
        heddle.segmented_reduce([1, 2], [0, 3])
    with pytest.raises(TypeError, match="offsets are integers"):
        heddle.segmented_reduce([1, 2], [0.0, 2.0])
    with pytest.raises(ValueError, match="do not fit"):
        heddle.reduce_by_key([1, 2], [1])
    with pytest.raises(TypeError, match="is not defined on"):
        heddle.reduce_by_key([1, 2], [1.0, 2.0], "bit_or")
