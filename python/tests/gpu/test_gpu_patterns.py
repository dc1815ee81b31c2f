"""Every function on target="gpu" against the same on a CPU: the same bits, of NumPy's arrays and of arrays that are there."""

import math

import numpy as np
import pytest

import heddle
from conftest import TYPES, needs_gpu, numbers

pytestmark = needs_gpu

REAL = [t for t in TYPES if not t.startswith("complex")]
SHAPES = [(0,), (1,), (1000,), (100_003,), (3, 257), (1, 0, 4), (33, 5, 7)]


def fractions(dtype, shape):
    """Numbers whose sums depend on the order."""
    x = np.random.default_rng([1, *shape]).standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        x = x + 1j * np.random.default_rng([2, *shape]).standard_normal(shape)
    return x.astype(dtype) if np.dtype(dtype).kind in "fc" else numbers(dtype, shape)


def outcome(call):
    try:
        return call()
    except Exception as e:
        return type(e)


def same_bits(have, want, on_gpu=False):
    if isinstance(want, type):
        assert have is want, (have, want)
        return
    if isinstance(want, tuple):
        for h, w in zip(have, want, strict=True):
            same_bits(h, w, on_gpu)
        return
    if on_gpu and not isinstance(want, int):
        assert isinstance(have, heddle.Array) and have.device == "gpu:0", type(have)
    have, want = np.asarray(have), np.asarray(want)
    assert have.dtype == want.dtype and have.shape == want.shape
    assert have.tobytes() == want.tobytes() or (have == want).all(), (have, want)


def compare(function, *arrays):
    """A function of arrays and a target."""
    want = outcome(lambda: function(*arrays, "parallel:2"))
    same_bits(outcome(lambda: function(*arrays, "gpu")), want)
    there = [heddle.asarray(x).on("gpu") for x in arrays]
    same_bits(outcome(lambda: function(*there, "gpu")), want, True)
    same_bits(outcome(lambda: function(*there, None)), want, not isinstance(want, type))


def axes(shape):
    yield None
    yield from range(len(shape))
    if len(shape) == 3:
        yield from ((0, 1), (0, 2), (1, 2))


@pytest.mark.parametrize("dtype", TYPES)
def test_reductions(dtype):
    for shape in SHAPES:
        x = fractions(dtype, shape)
        for axis in axes(shape):
            for name in ("sum", "prod", "any", "all", "mean") + (("min", "max", "minmax") if dtype in REAL else ()):
                with np.errstate(all="ignore"):
                    if name == "mean" and (x.size == 0 or not math.prod(shape)):
                        continue
                    compare(lambda a, t, f=getattr(heddle, name): f(a, axis=axis, target=t), x)
            if x.size and not isinstance(axis, tuple):
                compare(lambda a, t: heddle.var(a, axis=axis, target=t), x)
                if dtype in REAL:
                    compare(lambda a, t: heddle.argmax(a, axis=axis, target=t), x)
                    compare(lambda a, t: heddle.argmin(a, axis=axis, keepdims=True, target=t), x)
        compare(lambda a, t: heddle.sum(a, initial=3, keepdims=True, target=t), x)
        compare(lambda a, t: heddle.sum(a, where=a != 0, target=t) if isinstance(a, np.ndarray) else heddle.sum(a, where=np.asarray(a) != 0, target=t), x)
    compare(lambda a, t: heddle.sum(a, dtype="float64" if dtype in REAL else "complex128", target=t), x)


@pytest.mark.parametrize("dtype", TYPES)
def test_scans(dtype):
    for shape in SHAPES:
        x = fractions(dtype, shape)
        for axis in (None, *range(len(shape))):
            for name in ("cumsum", "cumprod"):
                with np.errstate(all="ignore"):
                    compare(lambda a, t, f=getattr(heddle, name): f(a, axis=axis, target=t), x)
        compare(lambda a, t: heddle.exclusive_scan(a, axis=0, target=t), x)
        if dtype in REAL:
            compare(lambda a, t: heddle.inclusive_scan(a, "maximum", axis=-1, target=t), x)
        compare(lambda a, t: heddle.cumulative_sum(a, axis=0, include_initial=True, target=t), x)


@pytest.mark.parametrize("dtype", REAL)
def test_orders_and_selections(dtype):
    for shape in SHAPES:
        x = fractions(dtype, shape)
        for axis in (None, *range(len(shape))):
            compare(lambda a, t: heddle.sort(a, axis=axis, target=t), x)
            compare(lambda a, t: heddle.argsort(a, axis=axis, target=t), x)
            compare(lambda a, t: heddle.top_k(a, min(2, a.size), axis=axis, target=t), x)
            if x.size:
                compare(lambda a, t: heddle.quantile(a, [0.25, 0.7], axis=axis, target=t), x)
                compare(lambda a, t: heddle.median(a, axis=axis, target=t), x)
        compare(lambda a, t: heddle.unique(a, target=t), x)
        flat = x.reshape(-1)
        compare(lambda a, b, t: heddle.searchsorted(a, b, target=t), np.sort(flat), flat[:100])
        compare(lambda a, t: heddle.copy_if(a, np.arange(a.size) % 3 == 0, target=t), flat)
        compare(lambda a, m, t: heddle.partition(a, m, target=t), flat, np.arange(flat.size) % 3 == 0)
        compare(lambda a, m, t: heddle.copy_if(a, m, target=t), flat, np.arange(flat.size) % 3 == 0)
        if dtype != "bool":
            compare(lambda k, a, t: heddle.reduce_by_key(k, a, target=t), np.sort(flat), flat)
        if flat.size:
            compare(lambda a, t: heddle.segmented_reduce(a, [0, 0, a.size // 2, a.size], target=t), flat)
            compare(lambda a, t: heddle.histogram(a, bins=10, range=(0, 3), target=t)[0], flat)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128", "int32"])
def test_products_and_transforms_are_near(dtype):
    for n in (1, 3, 64, 257):
        x, y = fractions(dtype, (n, n)), fractions(dtype, (n, n))
        want = np.matmul(x.astype("complex128"), y.astype("complex128"))
        for have in (heddle.matmul(x, y, target="gpu"), heddle.matmul(heddle.asarray(x).on("gpu"), heddle.asarray(y).on("gpu"))):
            np.testing.assert_allclose(np.asarray(have), want, rtol=1e-4, atol=1e-3)
        for name in ("fft", "ifft", "fft2") + (("rfft", "irfft") if dtype.startswith("float") and n > 1 else ()):
            want = getattr(np.fft, name)(x)
            for have in (getattr(heddle.fft, name)(x, target="gpu"), getattr(heddle.fft, name)(heddle.asarray(x).on("gpu"))):
                np.testing.assert_allclose(np.asarray(have), want, rtol=1e-3, atol=2e-3)


def test_random_numbers():
    for name, options in (("random", {}), ("uniform", {"low": -1, "high": 3}), ("normal", {"loc": 1}), ("exponential", {}),
                          ("integers", {"low": 0, "high": 1000})):
        for size in (0, 1, 1000, (33, 5)):
            have, want = (getattr(heddle.random.default_rng(7), name)(size=size, target=t, **options) for t in ("gpu", "serial"))
            assert have.device == "gpu:0"
            if name in ("normal", "exponential"):
                np.testing.assert_allclose(np.asarray(have), want, rtol=1e-12)
            same_bits(have, want)
    same_bits(heddle.random.default_rng(7).permutation(1000, target="gpu"), heddle.random.default_rng(7).permutation(1000, target="serial"))
    x = np.arange(12.0).reshape(4, 3)
    same_bits(heddle.random.default_rng(7).permutation(heddle.asarray(x).on("gpu")), heddle.random.default_rng(7).permutation(x))


def test_expressions():
    x, y = fractions("float32", (33, 5)), fractions("float32", (5,))
    for text in ("a * 2 + 1", "where(a > b, a, b) / 3", "a // b", "sqrt(abs(a)) + b", "a ** 2 - floor(b)"):
        compare(lambda a, b, t: heddle.transform(text, a, b, target=t), x, y)
    for text in ("exp(a)", "sin(a) * cos(b)", "log(abs(a) + 1)"):
        for have in (heddle.transform(text, x, y, target="gpu"), heddle.transform(text, heddle.asarray(x).on("gpu"), y)):
            np.testing.assert_allclose(np.asarray(have), heddle.transform(text, x, y, target="serial"), rtol=1e-5, atol=1e-6)
    for boundary in ("periodic", "fixed", "clamp"):
        compare(lambda a, t: heddle.stencil("(u[-1, 0] + u[1, 0] + u[0, -1] + u[0, 1]) / 4", a, boundary=boundary, steps=5, target=t), x)


@pytest.mark.parametrize("to", TYPES)
def test_conversions(to):
    for dtype in ("bool", "int8", "int64", "uint32", "float32", "complex128"):
        x = numbers(dtype, (1001,))
        if np.dtype(dtype).kind == "c" and np.dtype(to).kind != "c":
            continue
        have = heddle.asarray(heddle.asarray(x).on("gpu"), dtype=to)
        assert have.device == "gpu:0"
        if np.dtype(to).kind == "u" and np.dtype(dtype).kind == "f":  # of negative numbers C++ says nothing
            x = np.where(x < 0, np.asarray(have).astype(dtype), x)
        same_bits(have, x.astype(to))


def test_memory_runs_out_and_other_errors():
    with pytest.raises(MemoryError):
        heddle.Target("gpu")
        heddle.random.default_rng(1).random(1 << 40, target="gpu")
    assert heddle.sum(np.ones(10), target="gpu") == 10
    with pytest.raises((heddle.Error, ValueError), match="gpu:9"):
        heddle.sum(np.ones(10), target="gpu:9")
