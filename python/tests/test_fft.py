"""Fourier transforms against NumPy."""

import itertools

import numpy as np
import pytest

import heddle
import heddle.fft
from conftest import TYPES, layouts, numbers, outcome

ALONG_ONE = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]
ALONG_SEVERAL = ["fftn", "ifftn", "rfftn", "irfftn"]


def near(have, want):
    if isinstance(want, Exception):
        kind = next(k for k in (TypeError, ValueError, IndexError) if isinstance(want, k))
        assert isinstance(have, kind), f"{have!r} instead of {want!r}"
        return
    if isinstance(have, Exception):
        raise have
    assert have.dtype == want.dtype and have.shape == want.shape
    np.testing.assert_allclose(have, want, atol=(1e-4 if have.dtype.itemsize < 8 or have.dtype == np.complex64 else 1e-10) * max(1, want.size))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", ALONG_ONE)
def test_along_one_axis(name, dtype):
    for shape in [(8,), (7,), (1,), (3, 5), (2, 6, 4)]:
        for _, x in layouts(numbers(dtype, shape)):
            for axis in (0, -1):
                near(outcome(lambda: getattr(heddle.fft, name)(x, axis=axis)), outcome(lambda: getattr(np.fft, name)(x, axis=axis)))
    x = numbers(dtype, (4, 6))
    for n, axis, norm in itertools.product([None, 1, 3, 6, 11, 0], [0, 1, 2], [None, "backward", "ortho", "forward", "wrong"]):
        near(outcome(lambda: getattr(heddle.fft, name)(x, n, axis, norm)), outcome(lambda: getattr(np.fft, name)(x, n, axis, norm)))


@pytest.mark.parametrize("name", ALONG_SEVERAL)
def test_along_several_axes(name, where):
    for dtype, shape in itertools.product(["int8", "float32", "complex64", "complex128"], [(8,), (4, 6), (3, 4, 5)]):
        x = numbers(dtype, shape)
        for axes, norm in itertools.product([None, (0,), (-1, 0), (0, 1)], [None, "ortho", "forward"]):
            if axes == (-1, 0) and x.ndim == 1:
                continue
            near(outcome(lambda: getattr(heddle.fft, name)(x, axes=axes, norm=norm, target=where)),
                 outcome(lambda: getattr(np.fft, name)(x, axes=axes, norm=norm)))
    x = numbers("float64", (4, 6))
    for s in [(3, 8), (5, 5)]:
        near(getattr(heddle.fft, name)(x, s, (0, 1)), getattr(np.fft, name)(x, s, (0, 1)))
    flat = name.replace("n", "2")
    near(getattr(heddle.fft, flat)(x), getattr(np.fft, flat)(x))


def test_an_axis_is_given_once():
    for name in ALONG_SEVERAL:
        with pytest.raises(ValueError, match="given twice"):
            getattr(heddle.fft, name)(numbers("float64", (8,)), axes=(-1, 0))


def test_out_and_arrays():
    x = numbers("float64", (4, 6))
    out = np.zeros((4, 4), complex)
    assert heddle.fft.rfft(x, out=out) is out
    near(out, np.fft.rfft(x))
    have = heddle.fft.ifft(heddle.fft.fft(heddle.asarray(x)))
    assert isinstance(have, heddle.Array)
    np.testing.assert_allclose(np.asarray(have), x, atol=1e-12)


def test_lengths_are_whole_numbers_above_zero():
    for n, error in ((-1, ValueError), (0, ValueError), (1.5, TypeError)):
        with pytest.raises(error):
            heddle.fft.fft(np.ones(4), n)
