"""heddle.vectorize: functions of math, cmath and NumPy, against the same functions of Python's and NumPy's scalars."""

import cmath
import math
import shutil

import numpy as np
import pytest

import heddle
from test_vectorize import SCALE, check, each

pytestmark = pytest.mark.skipif(not (shutil.which("g++") or shutil.which("clang++")), reason="there is no compiler")


@heddle.vectorize
def of_math(x, y, which):
    if which == 0:
        return math.sqrt(x) + math.cbrt(x)
    if which == 1:
        return math.exp(-x) + math.exp2(y) - math.expm1(y)
    if which == 2:
        return math.log(x) + math.log2(x) + math.log10(x) + math.log1p(x) + math.log(x, 3)
    if which == 3:
        return math.sin(x) + math.cos(y) * math.tan(x / 10)
    if which == 4:
        return math.asin(y / 10) + math.acos(y / 10) + math.atan(x) + math.atan2(y, x)
    if which == 5:
        return math.sinh(y) + math.cosh(y) + math.tanh(y) + math.asinh(x) + math.acosh(x + 1) + math.atanh(y / 10)
    if which == 6:
        return math.hypot(x, y) + math.copysign(x, y) + math.fmod(x, 0.7) + math.fabs(y) + math.pow(x, y)
    if which == 7:
        return math.degrees(x) + math.radians(y) + math.pi + math.e + math.tau
    if which == 8:
        return math.erf(y) + math.erfc(y) + math.gamma(x) + math.lgamma(x) + math.remainder(x, y)
    if which == 9:
        return math.floor(x) + math.ceil(y) + math.trunc(float(x)) + round(x) + int(y) + float(x)
    if which == 10:
        return 1 if math.isnan(x) or math.isinf(y) or not math.isfinite(x) else math.inf
    return x ** y + pow(x, 2) + x ** 0.5 + abs(y)


@heddle.vectorize
def of_cmath(z, which):
    if which == 0:
        return cmath.sqrt(z) + cmath.exp(z) * cmath.log(z) + cmath.log10(z)
    if which == 1:
        return cmath.sin(z) + cmath.cos(z) + cmath.tan(z) + cmath.sinh(z) + cmath.cosh(z) + cmath.tanh(z)
    if which == 2:
        return cmath.asin(z) + cmath.acos(z) + cmath.atan(z) + cmath.asinh(z) + cmath.acosh(z) + cmath.atanh(z)
    if which == 3:
        return cmath.rect(abs(z), cmath.phase(z)) + complex(z.imag, z.real) + complex(z)
    return z ** 2 + 1 / z + z ** (0.5 + 1j) + cmath.pi * 1j


@heddle.vectorize
def whole(x, y):
    return math.gcd(x, y) + math.lcm(x, 6) + round(x) + math.floor(y) + int(x / 3)


@heddle.vectorize
def of_numpy(x, y):
    return np.where(x > y, np.sqrt(x), np.float32(y)) + np.maximum(x, 2) * np.exp(SCALE) + np.float32(np.pi)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_functions_of_math(dtype):
    generator = np.random.default_rng(5)
    x, y = (generator.random(80) * 5 + 0.01).astype(dtype), (generator.random(80) * 6 - 3).astype(dtype)
    for which in range(12):
        with np.errstate(all="ignore"):
            want = np.array([float(v) for v in each(of_math.__wrapped__, x, y, np.int64(which)) if type(v) is not complex])
        have = of_math(x, y, which)
        # The last one keeps float32, and Python's numbers of the others take that.
        assert have.dtype == np.dtype(dtype) and len(want) == 80
        np.testing.assert_allclose(have, want, rtol=1e-14 if dtype == "float64" else 2e-6, atol=1e-13, err_msg=str(which))


def test_functions_of_cmath_and_of_integers():
    generator = np.random.default_rng(6)
    z = generator.normal(size=60) + 1j * generator.normal(size=60)
    for which in range(5):
        want = [complex(v) for v in each(of_cmath.__wrapped__, z, np.int64(which))]
        np.testing.assert_allclose(of_cmath(z, which), want, rtol=1e-13, atol=1e-14, err_msg=str(which))
    check(whole, np.arange(-20, 20), np.arange(1, 30, 4)[:, None])


def test_functions_of_numpy():
    x, y = np.random.default_rng(7).random((2, 50)).astype(np.float32)
    check(of_numpy, x, y, ulps=2)
