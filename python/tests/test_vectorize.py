"""heddle.vectorize against the same Python function called for each element with NumPy's scalars.

A function that is new takes a compiler a second: many operations are in one function, whose last argument chooses.
"""

import shutil

import numpy as np
import pytest

import heddle
from conftest import TYPES

pytestmark = pytest.mark.skipif(not (shutil.which("g++") or shutil.which("clang++")), reason="there is no compiler")

INTEGERS = TYPES[1:9]


def type_of(values):
    """What NumPy promotes results to, where Python's numbers are weak."""
    values = [v for v in values if v is not None]
    found = [v if type(v) in (bool, int, float, complex) else v.dtype for v in values]
    weak = {type(v) for v in found if type(v) in (bool, int, float, complex)}
    strong = {v for v in found if isinstance(v, np.dtype)}
    return np.result_type(*strong, *(kind(1) for kind in weak))


def each(function, *arrays):
    """The function of each element's scalars; None where Python raises an error."""
    arrays = np.broadcast_arrays(*arrays)
    results = []
    with np.errstate(all="ignore"):
        for elements in zip(*(a.ravel() for a in arrays)):
            try:
                results.append(function(*elements))
            except (ZeroDivisionError, OverflowError, ValueError):
                results.append(None)
    return results


def check(function, *arrays, ulps=0, target="serial"):
    """A decorated function against the plain one: type and bits, or a few units in the last place."""
    want = each(function.__wrapped__, *arrays)
    have = function(*arrays, target=target)
    dtype = type_of(want)
    assert have.dtype == dtype, f"{have.dtype} instead of {dtype}"
    kept = [k for k, v in enumerate(want) if v is not None]
    assert len(kept) >= max(1, len(want) // 4)
    with np.errstate(all="ignore"):
        expected = np.array([np.asarray(want[k]).astype(dtype) for k in kept])
    found = np.ravel(have)[kept]
    if ulps == 0:
        np.testing.assert_array_equal(found, expected)
        if dtype.kind in "fc":
            numbered = ~np.isnan(expected)
            for part in ("real", "imag"):
                np.testing.assert_array_equal(np.signbit(getattr(found, part))[numbered], np.signbit(getattr(expected, part))[numbered])
    else:
        tolerance = ulps * np.finfo(dtype).eps
        np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


def samples(dtype, count=60, seed=0):
    """Numbers of all sizes of a type, its ends among them."""
    dtype = np.dtype(dtype)
    generator = np.random.default_rng([seed, dtype.num])
    if dtype.kind == "b":
        return generator.integers(0, 2, count).astype(bool)
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        ends = [limits.min, limits.max, limits.min + 1, limits.max - 1, 0, 1, 2, 3, 5, 7]
        whole = generator.integers(limits.min, limits.max, count, dtype=dtype, endpoint=True)
        small = generator.integers(max(limits.min, -9), 10, count).astype(dtype)
        return np.concatenate([np.array(ends, dtype), np.where(generator.random(count) < 0.5, whole, small)])
    real = np.concatenate([[0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, np.inf, -np.inf, np.nan], generator.normal(size=count) * 10])
    if dtype.kind == "f":
        return real.astype(dtype)
    return (real[10:] + 1j * generator.permutation(real[10:])).astype(dtype)


def pairs(a, b, seed=0):
    x, y = samples(a, seed=seed), samples(b, seed=seed + 1)
    generator = np.random.default_rng(seed)
    count = 90
    return generator.choice(x, count), generator.choice(y, count)


def check_each(function, count, *arrays, **how):
    """As check, for each of the operations that the last argument chooses."""
    for which in range(count):
        want = each(function.__wrapped__, *arrays, np.int64(which))
        have = function(*arrays, np.int64(which), target=how.get("target", "serial"))
        kept = [k for k, v in enumerate(want) if v is not None]
        assert kept, which
        with np.errstate(all="ignore"):
            expected = np.array([np.asarray(want[k]).astype(have.dtype) for k in kept])
        np.testing.assert_array_equal(np.ravel(have)[kept], expected, err_msg=f"operation {which}")


# ---------------------------------------------------------------------------------------------------- operators


@heddle.vectorize
def arithmetic(x, y, which):
    if which == 0:
        return x + y
    if which == 1:
        return x - y
    if which == 2:
        return x * y
    if which == 3:
        return +x
    if which == 4:
        return abs(y)
    return -x


@heddle.vectorize
def quotients(x, y, which):
    if which == 0:
        return x // y
    if which == 1:
        return x % y
    if which == 2:
        return min(x, y)
    if which == 3:
        return max(x, y)
    if which == 4:
        return x if x < y else y
    return x and y


@heddle.vectorize
def comparisons(x, y, which):
    if which == 0:
        return x < y
    if which == 1:
        return x <= y
    if which == 2:
        return x == y
    if which == 3:
        return x != y
    if which == 4:
        return x > y
    if which == 5:
        return x >= y
    if which == 6:
        return y > x < 5
    if which == 7:
        return 0 <= x < y != 3
    if which == 8:
        return not x
    return bool(x) or bool(y)


@heddle.vectorize
def bits(x, y, which):
    if which == 0:
        return x & y
    if which == 1:
        return x | y
    if which == 2:
        return x ^ y
    return ~x


@heddle.vectorize
def shifts(x, y, which):
    if which == 0:
        return x << (y & 7)
    if which == 1:
        return x >> (y & 7)
    if which == 2:
        return x << 3
    return x ** (y & 3)


@heddle.vectorize
def true_division(x, y):
    return x / y


@heddle.vectorize
def with_numbers(x, which):
    if which == 0:
        return x + 1
    if which == 1:
        return 3 * x
    if which == 2:
        return x - 2
    if which == 3:
        return x // 3
    if which == 4:
        return 7 - x
    if which == 5:
        return x % 5
    return x * True


@heddle.vectorize
def with_fractions(x, which):
    if which == 0:
        return x + 1.5
    if which == 1:
        return 0.1 * x
    if which == 2:
        return x / 4
    return 1.5 - x


@heddle.vectorize
def complex_arithmetic(x, y, which):
    if which == 0:
        return x + y
    if which == 1:
        return x - y
    if which == 2:
        return x * y
    if which == 3:
        return -x
    if which == 4:
        return x.conjugate()
    if which == 5:
        return x * 2 + y * 1j
    return x.real - y.imag * 1j


PAIRS = [(a, a) for a in TYPES[1:11]] + [("int8", "uint8"), ("int32", "uint32"), ("int64", "uint64"), ("float32", "int16"), ("int32", "float32")]


@pytest.mark.parametrize("a, b", PAIRS)
def test_arithmetic(a, b):
    check_each(arithmetic, 6, *pairs(a, b))


@pytest.mark.parametrize("a, b", [*PAIRS[::3], ("bool", "int16"), ("bool", "bool"), ("uint64", "float64")])
def test_true_division(a, b):
    check(true_division, *pairs(a, b))


@pytest.mark.parametrize("a, b", PAIRS[:9:2] + PAIRS[9:12])
def test_quotients_and_extrema(a, b):
    check_each(quotients, 6, *pairs(a, b))


@pytest.mark.parametrize("a, b", [("int8", "int8"), ("uint64", "int64"), ("float32", "float64"), ("bool", "uint16"), ("int64", "float32")])
def test_comparisons(a, b):
    check_each(comparisons, 10, *pairs(a, b))


@pytest.mark.parametrize("a, b", [("bool", "bool"), ("int8", "int8"), ("uint32", "int16"), ("uint64", "uint64")])
def test_bits(a, b):
    check_each(bits, 4, *pairs(a, b))
    if a != "bool":
        check_each(shifts, 4, *pairs(a, a))


@pytest.mark.parametrize("dtype", TYPES[1:11:3] + ["uint8", "float32"])
def test_numbers_that_are_written_out_are_weak(dtype):
    x = samples(dtype)
    check_each(with_numbers, 7, x)
    check_each(with_fractions, 4, x)
    assert with_numbers(x, np.int64(0)).dtype == np.dtype(dtype)
    assert with_fractions(x, np.int64(0)).dtype == (np.dtype(dtype) if dtype == "float32" else np.float64)


@pytest.mark.parametrize("a, b", [("complex64", "complex64"), ("complex128", "complex128"), ("complex64", "float64")])
def test_complex_arithmetic(a, b):
    x, y = samples(a), samples(b)[-60:]
    check_each(complex_arithmetic, 7, x, y)
    check(true_division, x, y, ulps=2)


# ------------------------------------------------------------------------------------------------- control flow

LIMIT = 12
SCALE = np.float32(0.5)


@heddle.vectorize
def escape(re, im, most):
    zr = zi = 0.0
    for k in range(most):
        if zr * zr + zi * zi >= 4:
            return k
        zr, zi = zr * zr - zi * zi + re, 2 * zr * zi + im
    return most


@heddle.vectorize
def escape_complex(c):
    z = 0j
    for k in range(50):
        if abs(z) >= 2:
            break
        z = z * z + c
    else_ = k
    return else_


@heddle.vectorize
def collatz(n):
    steps = 0
    while n > 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


@heddle.vectorize
def changes_type(x):
    y = x
    if x > 2:
        y = x / 2
    elif x < -2:
        y = x
    else:
        y = 1
    z = 0
    for _ in range(3):
        z = z + y
    return z


@heddle.vectorize
def widens_in_a_loop(x):
    a, b = 0, x
    while True:
        a, b = b, a + b * 0.5
        if a > 100 or a < -100 or -1e-3 < a < 1e-3:
            break
        if b == 3:
            continue
        x = x + 1
    return a + x


@heddle.vectorize
def nested(x, y):
    total = x - x
    for i in range(LIMIT):
        if i % 3 == 1:
            continue
        for j in range(i, 0, -2):
            if j == y:
                break
            total += x * j
            k = 0
            while k < j:
                k += 2
                if k == 4:
                    total -= y
        if total > 1000:
            return total
    return total


@heddle.vectorize
def conditions(x, y):
    if x > 0 and y > 0 and not x == y or x < -5:
        r = 1
    elif (x or y) and -3 <= y < 3:
        r = 2
    elif 10 / (abs(x) + 1) > 2:
        r = 3 if y else 4
    else:
        pass
        r = 5
    r: int = r + (1 if x < y else 0 if x == y else -1) * 10
    return r


def twice(x, by=2):
    """A plain function, called by others."""
    return by * x


def clamped(x, least, most):
    return min(max(x, least), most)


@heddle.vectorize
def calls_others(x, y):
    return twice(clamped(x, -2, y)) + twice(by=3, x=x) + escape(0.1 * x, SCALE, 20)


@heddle.vectorize
def with_dead_ends(x):
    if True:
        y = x
    else:
        y = 1j
    while False:
        y = 2.5
    for k in range(3):
        last = k
    return y + last


def test_mandelbrot_is_the_same_on_every_target(where):
    c = np.linspace(-2, 1, 60) + 1j * np.linspace(-1, 1, 41)[:, None]
    have = escape(c.real, c.imag, 50, target=where)
    want = np.array([[escape.__wrapped__(z.real, z.imag, 50) for z in row] for row in c])
    assert have.dtype == np.int64
    np.testing.assert_array_equal(have, want)
    check(escape_complex, c)


@pytest.mark.parametrize("function, arrays", [
    (collatz, [np.arange(1, 40)]),
    (collatz, [np.arange(1, 40, dtype=np.uint32)]),
    (changes_type, [np.arange(-6, 7)]),
    (changes_type, [np.arange(-6, 7, dtype=np.float32)]),
    (widens_in_a_loop, [np.arange(1, 30) * 1.5]),
    (nested, [np.arange(-20, 20), np.arange(7)[:, None]]),
    (nested, [np.arange(-20, 20, dtype=np.int16), np.arange(7, dtype=np.int16)[:, None]]),
    (conditions, [np.arange(-8, 9), np.arange(-8, 9)[:, None]]),
    (conditions, [np.arange(-8, 9, dtype=np.int8), np.arange(-8, 9, dtype=np.float32)[:, None] / 2]),
    (calls_others, [np.arange(-9, 9), np.arange(9)[:, None]]),
    (with_dead_ends, [np.arange(5, dtype=np.float32)]),
], ids=lambda v: getattr(v, "__name__", None))
def test_control_flow(function, arrays):
    check(function, *arrays)


@pytest.mark.parametrize("function, arrays", [
    (collatz, [np.arange(1, 40)]), (nested, [np.arange(-20, 20), np.arange(7)[:, None]]),
    (conditions, [np.arange(-8, 9), np.arange(-8, 9)[:, None]]), (escape, [np.linspace(-2, 1, 40), np.linspace(-1, 1, 9)[:, None], 20]),
], ids=lambda v: getattr(v, "__name__", None))
def test_numpys_vectorize_is_the_same(function, arrays):
    have, want = function(*arrays), np.vectorize(function.__wrapped__, otypes=[np.int64])(*arrays)
    assert have.dtype == want.dtype
    np.testing.assert_array_equal(have, want)


def test_variables_and_functions_with_names_of_cpp():
    check(operator, np.arange(-5, 6), np.arange(1, 4)[:, None])


@heddle.vectorize
def operator(int, double):
    T, n, i, template, auto = int + 1, int * 2, double, int - double, 3
    heddle_size = heddle_result = in_0 = T + n
    for char in range(auto):
        namespace, M_PI, INFINITY, NULL, assert_ = char, i, template, T, n
        heddle_v0_int = namespace + M_PI + INFINITY + NULL + assert_
        größe = __CUDACC_RTC__ = heddle_v0_int * 2
        heddle_size += größe - __CUDACC_RTC__ + heddle_v0_int
    struct, this, main, std, x1, _ = 1, 2, 3, 4, 5, 6
    return heddle_size + heddle_result * in_0 + struct * this * main * std * x1 * _
