"""Means, variances and histograms against NumPy."""

import itertools
import warnings

import numpy as np
import pytest

import heddle
from conftest import SHAPES, TYPES, axes_of, layouts, numbers, outcome, same

MOMENTS = ["mean", "var", "std"]


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", MOMENTS)
def test_every_axis_and_layout(name, dtype):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for shape in SHAPES:
            for layout, x in layouts(numbers(dtype, shape)):
                for axis, keepdims in itertools.product(axes_of(x.ndim), [False, True]):
                    if layout not in ("contiguous", "Fortran") and keepdims:
                        continue
                    want = outcome(lambda: getattr(np, name)(x, axis=axis, keepdims=keepdims))
                    same(outcome(lambda: getattr(heddle, name)(x, axis=axis, keepdims=keepdims)), want, exact=False)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", MOMENTS)
def test_keywords(name):
    for dtype, shape in itertools.product(["int16", "float32", "complex128"], [(9,), (4, 6)]):
        x, mask = numbers(dtype, shape), np.random.default_rng(1).random(shape) < 0.8
        for axis in axes_of(len(shape)):
            every = [{"where": mask}] + [{"dtype": "float64"}] * (dtype != "complex128")
            if name != "mean":
                every += [{"ddof": 1}, {"correction": 0.5}, {"ddof": 1, "where": mask},
                          {"mean": np.mean(x, axis=axis, keepdims=True)}, {"ddof": -1}]
            for keywords in every:
                same(getattr(heddle, name)(x, axis=axis, **keywords), getattr(np, name)(x, axis=axis, **keywords),
                     exact=False)


@pytest.mark.parametrize("name", MOMENTS)
def test_out_and_warnings(name):
    x = numbers("float32", (3, 5))
    for out_type in ("float32", "float64"):
        out = np.zeros(5, out_type)
        assert getattr(heddle, name)(x, axis=0, out=out) is out
        np.testing.assert_allclose(out, getattr(np, name)(x, axis=0), rtol=1e-6)
    with pytest.raises(TypeError):
        getattr(heddle, name)(x, axis=0, out=np.zeros(5, np.int64))
    with pytest.warns(RuntimeWarning):
        assert np.isnan(getattr(heddle, name)(np.zeros(0)))


def test_the_mean_of_floats_is_summed_in_double():
    x = np.full(1_000_003, 0.1, dtype=np.float32)
    assert heddle.mean(x) == np.float32(0.1)


BINS = [1, 10, 1000, [0, 1, 2.5, 4], [-1, -1, 0, 3], "auto", np.array([0.0, 0.1, 0.3])]


@pytest.mark.parametrize("dtype", TYPES[:11])
def test_histogram(dtype, where):
    for shape, bins in itertools.product([(0,), (1,), (1000,), (30, 20)], BINS):
        x = numbers(dtype, shape)
        if np.dtype(dtype).kind == "f":
            x = (x * np.random.default_rng(1).random(shape)).astype(dtype)
        weights = np.random.default_rng(2).integers(0, 5, shape).astype(float)
        every = [{}, {"density": True}, {"weights": weights}]
        if isinstance(bins, int):
            every += [{"range": (0, 2)}, {"range": (1, 1)}]
        for keywords in every:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                if isinstance(bins, str) and ("weights" in keywords or x.dtype == bool):
                    continue
                want = np.histogram(x, bins, **keywords)
                have = heddle.histogram(x, bins, **keywords, target=where)
            same(have[0], want[0], exact="density" not in keywords)
            same(have[1], want[1])


def by_edges(x, edges):
    """The elements of each bin, one bin after another, compared as NumPy compares the types."""
    last = len(edges) - 2
    return [int(np.sum((x >= low) & ((x <= high) if k == last else (x < high)))) for k, (low, high) in enumerate(zip(edges[:-1], edges[1:]))]


@pytest.mark.parametrize("dtype", TYPES[1:11])
def test_counts_of_even_bins_belong_to_the_edges(dtype, where):
    generator = np.random.default_rng(7)
    x = np.array([-303.5748, 336.61218, 48.528046], np.float32)
    same(heddle.histogram(x, 100, target=where)[0], np.histogram(x, 100)[0])
    for _ in range(300):
        n, bins = int(generator.integers(1, 6)), int(generator.integers(1, 150))
        if np.dtype(dtype).kind == "f":
            x = (generator.normal(size=n) * 10 ** generator.uniform(-30, 30)).astype(dtype)
        else:
            x = generator.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, n, dtype, endpoint=True)
        bounds = None if generator.random() < 0.5 else tuple(sorted(generator.normal(size=2) * 100))
        want = outcome(lambda: np.histogram(x, bins, bounds))
        have = outcome(lambda: heddle.histogram(x, bins, bounds, target=where))
        if isinstance(want, Exception):
            same(have, want)
            continue
        same(have[1], want[1])
        same(have[0], want[0])
        assert have[0].tolist() == by_edges(x, want[1])


@pytest.mark.filterwarnings("ignore:invalid value")
@pytest.mark.parametrize("dtype", ["int64", "uint64"])
def test_integers_are_compared_with_edges_of_integers_exactly(dtype, where):
    first = 2**62 + 1 if dtype == "int64" else 2**63 + 1
    x = np.array([first + k for k in (0, 1, 1, 2, 3, 5, 9, 10, 11)] + [0, 5], dtype)
    edges = np.array([first + k for k in (1, 2, 2, 5, 10)], dtype)
    weights = np.arange(11.0)
    for every in ({}, {"weights": weights}, {"density": True}):
        have = heddle.histogram(x, edges, **every, target=where)
        want = np.histogram(x, edges, **every)
        same(have[0], want[0])
        same(have[1], want[1])
    mixed = np.array([-(2**62), 5, 2**62], np.int64)
    assert heddle.histogram(x.astype("uint64"), mixed)[0].tolist() == [1, 1]
    assert heddle.histogram(heddle.asarray(x), edges)[0].device == "cpu"
    for one in (x[1], x[1:2].reshape(())):
        same(heddle.histogram(one, edges, target=where)[0], np.histogram(one, edges)[0])


@pytest.mark.parametrize("kinds", [("float32", "float32"), ("float64", "float32"), ("float32", "float64"), ("int8", "float32"), ("float32", "complex64")])
def test_densities_are_wide(kinds):
    x = np.array([0.5, 1.5, 1.5, 3.75]).astype(kinds[0])
    for weights in (None, np.array([0.5, 0.25, 2, 1], kinds[1])):
        for bins in (3, [0, 1, 1.5, 4]):
            have, want = heddle.histogram(x, bins, weights=weights, density=True), np.histogram(x, bins, weights=weights, density=True)
            same(have[0], want[0])
            same(have[1], want[1])


@pytest.mark.parametrize("name", MOMENTS)
def test_complex_numbers_in_another_type(name):
    for dtype, shape in itertools.product(["complex64", "complex128"], [(9,), (4, 6)]):
        x = numbers(dtype, shape)
        for axis, wanted in itertools.product(axes_of(len(shape)), ["float32", "float64", "complex64", "complex128"]):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                want = getattr(np, name)(x, axis, dtype=wanted)
                same(getattr(heddle, name)(x, axis, dtype=wanted), want, exact=False)
                out = np.zeros(want.shape, "complex128")
                assert getattr(heddle, name)(x, axis, dtype=wanted, out=out) is out
                np.testing.assert_allclose(out, want, rtol=1e-5)


def test_histogram_refuses():
    with pytest.raises(ValueError):
        heddle.histogram([1.0, 2.0], [3, 1])
    with pytest.raises(ValueError):
        heddle.histogram([1.0, 2.0], 3, (0, np.inf))
    with pytest.raises(ValueError, match="weights have shape"):
        heddle.histogram([1.0, 2.0], 3, weights=[1.0])
    with pytest.raises(TypeError, match="complex"):
        heddle.histogram([1j], [0, 1])


@pytest.mark.parametrize("dtype", TYPES[:-2])
def test_quantiles(dtype):
    near = {"rtol": 1e-6 if dtype == "float32" else 1e-12, "atol": 1e-37 if dtype == "float32" else 1e-300}
    for shape in (shape for shape in SHAPES if 0 not in shape):
        for _, x in layouts(numbers(dtype, shape)):
            of_numpy = x.astype("uint8") if dtype == "bool" else x
            for axis, keepdims in itertools.product(axes_of(x.ndim), [False, True]):
                calls = [lambda of, a, q=q: of.quantile(a, q, axis=axis, keepdims=keepdims) for q in (0.3, 1.0, [0, 0.5, 0.9], [[0.25], [1]])]
                for call in [*calls, lambda of, a: of.median(a, axis=axis, keepdims=keepdims)]:
                    have, want = call(heddle, x), call(np, of_numpy)
                    assert np.shape(have) == np.shape(want), (shape, axis, keepdims)
                    # Of one element or swapped bytes NumPy may give float32 for float64.
                    assert x.size < 2 or not x.dtype.isnative or have.dtype == want.dtype, (shape, axis, keepdims)
                    np.testing.assert_allclose(have, want, **near)


def test_quantiles_of_special_values():
    nan, inf = np.nan, np.inf
    assert np.isnan(heddle.quantile([1, nan, 3], 0)) and np.isnan(heddle.median([nan, 1]))
    assert heddle.quantile([1, inf], 0.75) == inf and heddle.quantile([-inf, 1], 0.25) == -inf
    assert heddle.quantile(np.array([-2**63, 2**63 - 1]), 0.5) == 0
    assert heddle.quantile([False, True], 0.25) == 0.25
    for q, where in itertools.product((0.5, [0.5]), ("float32", "float64", "int8")):
        x = np.arange(4).astype(where)
        assert heddle.quantile(x, q).dtype == np.quantile(x, q).dtype


def test_quantiles_into_an_array():
    x = np.random.default_rng(5).normal(size=(3, 8))
    for call in (lambda of, out: of.quantile(x, [0.25, 0.5], 1, out), lambda of, out: of.median(x, 0, out, True)):
        out = np.zeros((2, 3) if call(np, None).shape == (2, 3) else 8)
        same = x.copy()
        assert call(heddle, out) is out and np.array_equal(out, call(np, None)) and np.array_equal(x, same)


def test_quantiles_refuse():
    with pytest.raises(ValueError, match="no weights"):
        heddle.quantile([1, 2], 0.5, weights=[1, 1])
    for q in (-0.1, 1.5, np.nan, [0.5, 2]):
        with pytest.raises(ValueError):
            heddle.quantile([1, 2], q)
    with pytest.raises(ValueError):
        heddle.quantile([1, 2], 0.5, method="nearest")
    for function in (lambda x: heddle.quantile(x, 0.5), heddle.median):
        with pytest.raises(ValueError):
            function([])
        with pytest.raises(TypeError):
            function([1j])
        with pytest.raises(ValueError):
            function(np.zeros((0, 3)))
    assert heddle.median(np.zeros((3, 0)), 0).shape == (0,)
    assert heddle.quantile(np.zeros((0, 3)), [0.25, 0.5], 1).shape == (2, 0)
