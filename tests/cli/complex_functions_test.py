#!/usr/bin/env python3
"""heddle transform of complex numbers, against NumPy: in long double for accuracy, and as it is at the edges, where NumPy has
what Annex G of the C standard says."""
import unittest

import numpy as np

from checks import COMPLEX, part_type
from expressions import ExpressionTest

FUNCTIONS = ["sqrt", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "sinh", "cosh", "tanh",
             "arcsin", "arccos", "arctan", "arcsinh", "arccosh", "arctanh"]


def joined(re, im, dtype):
    """Both parts as they are: 0 times an infinity adds no NaN."""
    z = np.empty(np.broadcast(re, im).shape, dtype)
    z.real, z.imag = re, im
    return z


def grid(parts, dtype):
    re, im = np.meshgrid(np.array(parts, part_type(dtype)), np.array(parts, part_type(dtype)))
    return joined(re.reshape(-1), im.reshape(-1), dtype)


def samples_of_all_sizes(dtype, count):
    """Around 1, near the unit circle, near ±1 and ±i, and of all exponents that have a square."""
    random = np.random.default_rng(5)
    size = {"complex64": 18, "complex128": 150}[dtype]
    plain = random.normal(0, 2, (2, count))
    turn = random.uniform(-4, 4, count)
    near = random.choice([-1, 0, 1], (2, count)) + plain * 10.0 ** random.uniform(-9, -1, (2, count))
    spread = np.sign(plain) * 10.0 ** random.uniform(-size, size, (2, count))
    parts = np.concatenate([plain, [np.cos(turn), np.sin(turn)], near, spread], axis=1)
    return joined(parts[0], parts[1], dtype)


def in_long_double(name, z):
    with np.errstate(all="ignore"):
        w = z.astype(np.clongdouble)
        if name == "log1p":  # NumPy adds 1 first
            x, y = w.real, w.imag
            re = np.where(np.abs(1 + w) < 0.5, np.log(np.hypot(1 + x, y)), np.log1p(2 * x + (x * x + y * y)) / 2)
            return joined(re, np.arctan2(y, 1 + x), np.clongdouble)
        return getattr(np, name)(w)


def wrong_parts(got, wanted, z):
    """Where NaN, infinities and zeros are not alike, or numbers are not close. C leaves signs of zeros and infinities open where
    an argument has a NaN or two infinities."""
    open_signs = np.isnan(z.real) | np.isnan(z.imag) | (np.isinf(z.real) & np.isinf(z.imag))
    wrong = np.zeros(z.shape, bool)
    for g, w in ((got.real, wanted.real), (got.imag, wanted.imag)):
        bounds = np.finfo(g.dtype)
        special = np.isinf(w) | (w == 0)
        alike = (np.abs(g) == np.abs(w)) & (open_signs | (np.signbit(g) == np.signbit(w)))
        close = np.isclose(g, w, rtol=8 * bounds.eps, atol=bounds.tiny)
        wrong |= np.where(np.isnan(w), ~np.isnan(g), np.where(special, ~alike, ~close))
    return np.flatnonzero(wrong)


class ComplexFunctionsTest(ExpressionTest):
    def assert_accurate(self, got, wanted, bound, z, note):
        """The distance to what was wanted beside its size, where both have one."""
        limits = np.finfo(got.dtype)
        counts = (np.abs(wanted) < limits.max / 4) & (np.abs(wanted) > limits.tiny * 4)
        self.assertGreater(np.count_nonzero(counts), 100, note)
        with np.errstate(invalid="ignore"):
            error = np.where(counts, np.abs(got - wanted) / np.where(counts, np.abs(wanted), 1) / limits.eps / bound, 0)
        worst = np.argmax(error)
        self.assertLess(error[worst], 1, (note, z[worst], got[worst], wanted[worst]))

    def test_accuracy(self):
        for dtype in COMPLEX:
            z = samples_of_all_sizes(dtype, 500)
            # NumPy multiplies by ln 2 first, and so is as far off as that number in these units.
            bounds = {"exp2": 4 + 2 * np.abs(z)}
            for target in self.targets():
                got = self.columns([f"{name}(a)" for name in FUNCTIONS], {"a": z}, "--target", target)
                self.assertEqual(got.dtype, dtype)
                for k, name in enumerate(FUNCTIONS):
                    wanted = in_long_double(name, z)
                    self.assert_accurate(got[:, k], wanted, bounds.get(name, 4), z, (name, dtype, target))

    def test_edges(self):
        compared = [name for name in FUNCTIONS if name not in ("exp2", "expm1", "log1p")]
        compared += ["square", "reciprocal", "conj", "rint"]
        for dtype in COMPLEX:
            limits = np.finfo(dtype)
            large, small = float(limits.max) / 2, float(limits.tiny) * 2
            z = grid([0.0, -0.0, 1, -1, 0.5, -2.5, large, -large, small, -small, np.inf, -np.inf, np.nan], dtype)
            for target in self.targets():
                got = self.columns([f"{name}(a)" for name in compared], {"a": z}, "--target", target)
                for k, name in enumerate(compared):
                    with np.errstate(all="ignore"):
                        wanted = getattr(np, name)(z)
                    # Of squares that overflow versions of NumPy give inf - inf and inf.
                    same = np.abs(wanted) == np.inf if name == "square" else np.zeros(z.shape, bool)
                    wrong = wrong_parts(np.where(same, wanted, got[:, k]), wanted, z)[:3]
                    self.assertEqual(wrong.size, 0, f"{name} of {z[wrong]} on {target}: {got[wrong, k]}, "
                                                    f"and NumPy has {wanted[wrong]}")

    def test_where_numpy_is_less_exact(self):
        """Numbers along the real axis are those of real functions, and 1 + z keeps a small z."""
        x = np.array([3, -3, 1e-300, -1e-300, np.inf, -np.inf, -1])
        for sign in (0.0, -0.0):
            got = self.columns(["exp2(a)", "expm1(a)", "log1p(a)"], {"a": joined(x, sign, "complex128")})
            with np.errstate(all="ignore"):
                for k, of_reals in enumerate((np.exp2, np.expm1, np.log1p)):
                    counts = (k < 2) | (x >= -1)
                    np.testing.assert_allclose(got[counts, k].real, of_reals(x)[counts], rtol=1e-15)
            zeros = got.imag[x >= -1]
            self.assertTrue(np.all((zeros == 0) & (np.signbit(zeros) == np.signbit(sign))))

    def test_ends_of_the_range(self):
        """Quotients and squares that a long double has, and that would overflow or vanish on the way."""
        for dtype in COMPLEX:
            limits = np.finfo(dtype)
            most, least = float(limits.max) * 0.9, float(limits.smallest_subnormal) * 3
            a = grid([most, -most, least, -least, 1.5, 0], dtype)
            b = np.repeat(a[(a.real != 0) & (a.imag != 0)], a.size)
            a = np.resize(a, b.size)
            got = self.columns(["a / b", "reciprocal(b)", "square(a)"], {"a": a, "b": b})
            x, y = a.astype(np.clongdouble), b.astype(np.clongdouble)
            with np.errstate(all="ignore"):
                square = joined((x.real - x.imag) * (x.real + x.imag), 2 * x.real * x.imag, x.dtype)
                for k, wanted in enumerate((x / y, 1 / y, square)):
                    for g, w in ((got[:, k].real, wanted.real), (got[:, k].imag, wanted.imag)):
                        rounded = w.astype(g.dtype)
                        close = np.abs(g - rounded) <= 4 * limits.eps * np.abs(wanted) + 2 * least
                        wrong = np.flatnonzero(~close & (g != rounded))[:3]
                        self.assertEqual(wrong.size, 0, (k, a[wrong], b[wrong], g[wrong], w[wrong]))

    def test_real_values(self):
        for dtype in COMPLEX:
            z = np.concatenate([samples_of_all_sizes(dtype, 200), grid([0.0, -0.0, 3, -4, np.inf, -np.inf, np.nan], dtype),
                                np.array([3e38 + 1e38j if dtype == "complex64" else 1.5e308 + 5e307j, 3e-45 + 4e-45j], dtype)])
            for target in self.targets():
                got = self.columns(["abs(a)", "angle(a)", "real(a)", "imag(a)"], {"a": z}, "--target", target)
                self.assertEqual(got.dtype, part_type(dtype))
                for k, wanted in enumerate((np.abs(z), np.angle(z), z.real, z.imag)):
                    np.testing.assert_allclose(got[:, k], wanted, rtol=4 * np.finfo(dtype).eps, atol=0)

    def test_sign(self):
        """z / |z|, as NumPy 2 has it."""
        z = np.array([3 + 4j, -3 - 4j, 0, 5j, -0.25, 1.5e308 + 1.5e308j, complex(-np.inf, 2), complex(3, np.inf)])
        wanted = np.array([0.6 + 0.8j, -0.6 - 0.8j, 0, 1j, -1, np.sqrt(0.5) * (1 + 1j), -1, 1j])
        np.testing.assert_allclose(self.transformed("sign(a)", {"a": z}), wanted, rtol=1e-15)

    def test_powers(self):
        random = np.random.default_rng(6)
        for dtype in COMPLEX:
            a = joined(*random.normal(0, 2, (2, 1200)), dtype)
            b = joined(*random.normal(0, 3, (2, 1200)), dtype)
            b[:400] = random.integers(-6, 7, 400)
            b[400:500], a[450:550] = random.normal(0, 3, 100), random.normal(0, 2, 100)
            b[500:550].imag = 0.0
            for target in self.targets():
                x, y = a.astype(np.clongdouble), b.astype(np.clongdouble)
                # In units of the last place a power is as far off as its logarithm is large.
                bounds = {"a ** b": (x ** y, 4 + 4 * np.abs(y * np.log(x))), "2 ** b": (2 ** y, 4 + 4 * np.abs(y)),
                          "a ** 2": (x * x, 4), "a ** 3": (x ** 3, 8), "a ** -1": (1 / x, 4), "a ** 0.5": (np.sqrt(x), 4)}
                got = self.columns(list(bounds), {"a": a, "b": b}, "--target", target)
                self.assertEqual(got.dtype, dtype)
                for k, (expression, (wanted, bound)) in enumerate(bounds.items()):
                    self.assert_accurate(got[:, k], wanted, bound, a, (expression, dtype, target))

    def test_powers_at_the_edges(self):
        cases = [(0, 0, 1), (np.nan, 0, 1), (0, 2, 0), (0, 1 + 1j, 0), (0, -1, complex(np.nan, np.nan)), (1j, 2, -1),
                 (-2, 3, -8), (2, 10, 1024), (2, -2, 0.25), (1e200 + 1e200j, -2, 0), (1e-200j, -1, complex(0, -1e200)),
                 (4, 0.5, 2), (1e300, 1.02, 1e306)]
        a, b, wanted = (np.array(column, complex) for column in zip(*cases))
        np.testing.assert_allclose(self.transformed("a ** b", {"a": a, "b": b}), wanted, rtol=1e-13, atol=1e-300)

    def test_constants_are_folded(self):
        a = np.array([1 + 2j, -3.5], "complex64")
        got = self.transformed("a * exp(1j) + sqrt(-1 + 0j) * abs(3 + 4j) - conj(1j) ** 2", {"a": a})
        self.assertEqual(got.dtype, "complex64")
        np.testing.assert_allclose(got, a * np.exp(1j) + 5j + 1, rtol=1e-6)

    def test_what_has_no_complex_value(self):
        path = self.save(np.ones(2, complex))
        for expression in ("cbrt(a)", "floor(a)", "arctan2(a, a)", "hypot(a, 1)", "deg2rad(a)"):
            self.assertIn("of complex128 is not supported", self.fails(1, "transform", expression, path, "-o", self.out))
        for expression in ("minimum(a, a)", "a < 1", "clip(a, 0, 1)"):
            self.assertIn("complex128 has no order", self.fails(1, "transform", expression, path, "-o", self.out))


if __name__ == "__main__":
    unittest.main()
