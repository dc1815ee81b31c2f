"""The result in `out`: of any type and layout, for every function that takes it."""

import itertools
import warnings

import numpy as np
import pytest

import heddle
import heddle.fft
from conftest import TYPES, numbers, outcome

# Functions of NumPy with the same arguments.
SUMS = ["sum", "prod", "cumsum", "cumprod"]
SAME = SUMS + ["min", "max", "any", "all", "mean", "var", "std", "argmin", "argmax"]
FLOATING = ["float32", "float64", "complex64", "complex128"]
OFFSETS = [0, 2, 2, 5]


def calls(x):
    """Each function that takes `out`, by its name, as one of `out` alone."""
    for name in SAME:
        if np.dtype(x.dtype).kind == "c" and name in ("min", "max", "argmin", "argmax"):
            continue
        for axis in (None, *range(x.ndim)):
            yield f"{name} along {axis}", lambda out=None, name=name, axis=axis: getattr(heddle, name)(x, axis, out=out)
    for name, include in itertools.product(["cumulative_sum", "cumulative_prod"], [False, True]):
        yield f"{name} {include}", lambda out=None, name=name, include=include: getattr(heddle, name)(x, axis=0, include_initial=include, out=out)
    for name in ("reduce", "inclusive_scan", "exclusive_scan"):
        yield name, lambda out=None, name=name: getattr(heddle, name)(x, "add", axis=0, out=out)
    flat = np.ascontiguousarray(x).reshape(-1)[:5]
    for name in ("segmented_inclusive_scan", "segmented_exclusive_scan"):
        if flat.size == 5:
            yield name, lambda out=None, name=name: getattr(heddle, name)(flat, OFFSETS, out=out)
    for name in ("inclusive_scan_by_key", "exclusive_scan_by_key"):
        keys = np.arange(flat.size) // 2
        yield name, lambda out=None, name=name: getattr(heddle, name)(keys, flat, out=out)
    yield "matmul", lambda out=None: heddle.matmul(x, x.T, out=out)
    yield "transform", lambda out=None: heddle.transform("a + a", x, out=out)
    yield "fft", lambda out=None: heddle.fft.fft(x, out=out)
    if x.dtype.kind != "c":
        yield "rfft", lambda out=None: heddle.fft.rfft(x, out=out)


def holds(out_type, result):
    return np.can_cast(result, out_type, "same_kind")


def outs(shape, out_type):
    """Arrays of that shape, and what they hold before: contiguous, strided, in Fortran's order, with swapped bytes, and a heddle.Array."""
    yield np.full(shape, 7, out_type)
    if shape:
        yield np.full((*shape, 2), 7, out_type)[..., 0]
        yield np.asfortranarray(np.full(shape, 7, out_type))
    yield np.full(shape, 7, np.dtype(out_type).newbyteorder())
    yield heddle.asarray(np.full(shape, 7, out_type))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", TYPES)
def test_every_function_converts_its_result_once(dtype):
    for shape in [(5,), (3, 4), (1, 1)]:
        x = numbers(dtype, shape)
        for (name, call), out_type in itertools.product(calls(x), TYPES):
            result = np.asarray(call())
            if name.startswith("arg"):
                takes = np.dtype(out_type).kind in "iu"
            else:
                takes = holds(out_type, result.dtype)
            for out in outs(result.shape, out_type):
                note = f"{name} of {dtype}{shape} into {out_type}"
                have = outcome(lambda: call(out=out))
                if takes:
                    assert have is out, f"{note}: {have!r}"
                    # Of whole numbers, so that a wider type has the very result; a mean is rounded by the type.
                    np.testing.assert_allclose(np.asarray(out), result.astype(out_type), rtol=1e-6, atol=1e-6, err_msg=note)
                else:
                    assert isinstance(have, TypeError), f"{note}: {have!r}"
                    np.testing.assert_array_equal(np.asarray(out), np.full(result.shape, 7, out_type), note)


@pytest.mark.filterwarnings("ignore:overflow encountered in cast")
def test_a_narrower_out_does_not_make_the_sum_narrower():
    x = np.array([1e39, -1e39, 1.0])
    assert heddle.sum(x, out=np.zeros((), "float32")) == np.float32(heddle.sum(x))
    assert heddle.sum(x[:2], out=np.zeros((), "float32")) == 0
    assert heddle.prod(x[:2], out=np.zeros((), "float32")) == -np.inf
    np.testing.assert_array_equal(heddle.cumsum(x, out=np.zeros(3, "float32")), heddle.cumsum(x).astype("float32"))
    assert heddle.mean(x, out=np.zeros((), "float32")) == np.float32(heddle.mean(x))
    many = np.full(2**20, 0.1)
    assert heddle.sum(many, out=np.zeros((), "float32")) == np.float32(heddle.sum(many))
    whole = np.array([2**24 + 1, 1, 1])
    assert heddle.sum(whole, out=np.zeros((), "float32")) == 2**24 + 4
    np.testing.assert_array_equal(heddle.cumsum(whole, out=np.zeros(3, "float32")), np.cumsum(whole).astype("float32"))
    bytes_of_100 = np.full(300, 100, "int8")
    assert heddle.sum(bytes_of_100, out=np.zeros((), "int32")) == 30000
    assert heddle.sum(bytes_of_100, out=np.zeros((), "float32")) == 30000
    assert heddle.sum(bytes_of_100, dtype="int8", out=np.zeros((), "int32")) == np.sum(bytes_of_100, dtype="int8")
    assert heddle.cumulative_sum(whole, include_initial=True, out=np.zeros(4, "float32"))[3] == 2**24 + 4


def test_a_wider_out_makes_the_sum_as_wide():
    x = np.array([2**24, 1, 1], "float32")
    for name, wide in itertools.product(["sum", "cumsum", "cumulative_sum"], ["float64", "complex128"]):
        out = np.zeros(() if name == "sum" else 3, wide)
        assert np.ravel(getattr(heddle, name)(x, out=out))[-1] == 2**24 + 2, (name, wide)
    big = np.array([3e38, 3e38], "float32")
    assert heddle.sum(big, out=np.zeros(())) == 2 * np.float64(big[0])
    assert heddle.mean(big[:1] + np.zeros(3, "float32"), out=np.zeros(())) == np.float64(big[0])
    thirds = np.array([0, 0, 1], "float32")
    assert heddle.mean(thirds, out=np.zeros(())) == 1 / 3
    np.testing.assert_allclose(heddle.std(thirds, out=np.zeros(())), np.std([0, 0, 1]), rtol=1e-15)
    assert heddle.cumulative_sum(big, include_initial=True, out=np.zeros(3))[2] == 2 * np.float64(big[0])
    # Integers beyond 64 bits have room in float64.
    assert heddle.sum(np.full(4, 2**62), out=np.zeros(())) == 2.0**64
    # Their own functions combine in the type of the elements.
    assert heddle.reduce(x, out=np.zeros(())) == np.float64(heddle.reduce(x))
    np.testing.assert_array_equal(heddle.inclusive_scan(x, out=np.zeros(3)), heddle.inclusive_scan(x).astype("float64"))


def test_out_of_types_that_heddle_does_not_have():
    x = np.array([1.5, 2.25])
    for name, kind in itertools.product(["sum", "mean", "max"], [np.float16, np.longdouble, object]):
        out = np.zeros((), kind)
        assert getattr(heddle, name)(x, out=out) is out
        assert out == getattr(np, name)(x)
    for kind in (np.float16, np.longdouble, np.clongdouble):  # NumPy lends no buffer of swapped long doubles
        swapped = np.zeros((), np.dtype(kind).newbyteorder())
        assert heddle.sum(x, out=swapped) is swapped
        assert swapped == 3.75
    with pytest.raises(TypeError):
        heddle.sum(x, out=np.zeros((), "datetime64[s]"))


class Interface:
    """Memory of an array, which is no array itself."""

    def __init__(self):
        self.array = np.full(2, 7.0)
        self.__array_interface__ = self.array.__array_interface__


def test_out_is_an_array():
    x = np.array([1.5, 2.25])
    places = [[0.0, 0.0], 3, np.float64(3), bytearray(16), memoryview(np.zeros(2)), (np.zeros(2),), np.ndarray, Interface(), False]
    for name, call in calls(x):
        for out in places:
            with pytest.raises(TypeError, match=f"out is a (.*\\.)?{type(out).__name__}: give a numpy.ndarray or a heddle.Array"):
                call(out=out)
    np.testing.assert_array_equal(places[-2].array, [7, 7])


@pytest.mark.parametrize("name", ["argmin", "argmax"])
def test_places_are_integers(name):
    x = numbers("float64", (3, 4))
    for kind in FLOATING + ["bool"]:
        with pytest.raises(TypeError, match=f"{name}: a place is an integer, and out is {kind}"):
            getattr(heddle, name)(x, 0, out=np.zeros(4, kind))
    for kind in ("int8", "uint8", "uint64", ">i4"):
        np.testing.assert_array_equal(getattr(heddle, name)(x, 0, out=np.zeros(4, kind)), getattr(np, name)(x, 0))


def test_as_numpy_where_numpy_has_the_rule():
    """Types, layouts and shapes at random, of numbers whose results are exact."""
    generator = np.random.default_rng(6)
    for _ in range(1500):
        shape = tuple(generator.integers(0, 5, generator.integers(0, 4)))
        dtype, out_type, name = (str(generator.choice(kinds)) for kinds in (TYPES, TYPES, SAME))
        x = numbers(dtype, shape, seed=int(generator.integers(100)))
        axis = None if x.ndim == 0 or generator.random() < 0.3 else int(generator.integers(-x.ndim, x.ndim))
        if x.dtype.kind == "c" and name in ("min", "max", "argmin", "argmax"):
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = outcome(lambda: getattr(np, name)(x, axis))
            if isinstance(result, Exception):
                continue
            if name.startswith("arg") and (np.dtype(out_type).kind not in "iu" or out_type == "uint64"):
                continue
            if not name.startswith("arg") and not holds(out_type, result.dtype):
                continue
            a, b = np.full(result.shape, 3, out_type), np.full(result.shape, 3, out_type)
            getattr(np, name)(x, axis, out=a)
            assert getattr(heddle, name)(x, axis, out=b) is b
            exact = name not in ("mean", "var", "std")
            np.testing.assert_allclose(b, a, rtol=0 if exact else 1e-5, atol=0 if exact else 1e-6, err_msg=f"{name} of {dtype}{shape} along {axis} into {out_type}")


def test_an_out_that_is_an_input():
    x = np.arange(12.0).reshape(3, 4)
    for name in ("cumsum", "cumprod"):
        for kind in ("int16", "float32", "float64"):
            y = x.astype(kind)
            want = getattr(np, name)(y.copy(), 1).astype(kind)
            assert getattr(heddle, name)(y, 1, out=y) is y
            np.testing.assert_array_equal(y, want)
    y = x.copy()
    assert heddle.sum(y, 0, out=y[1]) is not None
    np.testing.assert_array_equal(y[1], x.sum(0))
    for turned in (False, True):
        square, other = np.arange(9.0).reshape(3, 3), np.arange(9.0, 18).reshape(3, 3)
        want = square @ other
        out = other if turned else square
        assert heddle.matmul(square, other, out=out) is out
        np.testing.assert_array_equal(out, want)
    a, b = np.arange(4.0), np.ones(4)
    heddle.transform("a + b * 2", a, b, out=b)
    np.testing.assert_array_equal(b, a + 2)
    keys, values = np.array([1, 1, 2]), np.array([5, 6, 7])
    heddle.inclusive_scan_by_key(keys, values, out=values)
    np.testing.assert_array_equal(values, [5, 11, 7])
