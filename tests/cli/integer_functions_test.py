#!/usr/bin/env python3
"""heddle transform of integers at the ends of their types, against NumPy, and the types of results, which are those of NumPy 2.
An older NumPy has other rules for some: they are in tables here, and where NumPy is 2 it is asked too."""
import itertools
import unittest

import numpy as np

from checks import INTEGERS
from expressions import ExpressionTest

IS_NUMPY_2 = int(np.__version__.split(".")[0]) >= 2
WHOLE = ["bool"] + INTEGERS


def edges(name):
    """Both ends of a type, powers of two, and all of their neighbours; shift counts that are too large."""
    bounds = np.iinfo(name)
    bits = bounds.bits
    near = {sign * (1 << k) + d for k in {0, 1, 2, 3, 4, 5, 6, bits // 2, bits - 2, bits - 1} for d in (-1, 0, 1)
            for sign in (-1, 1)} | {bounds.min, bounds.min + 1, bounds.max - 1, bounds.max, 10, -10}
    return np.array(sorted(v for v in near if bounds.min <= v <= bounds.max), name)


def pairs(first, second):
    a, b = np.meshgrid(edges(first), edges(second), indexing="ij")
    return a.reshape(-1), b.reshape(-1)


def numbers(name):
    """The floating-point type of functions of a type, where NumPy's float16 is float32."""
    return "float32" if np.dtype(name).itemsize <= 2 else "float64"


def evaluated(expression, arrays):
    names = {name: getattr(np, name) for name in dir(np) if not name.startswith("_")}
    # Since NumPy 2.1 these are as they are.
    names.update({name: np.copy for name in ("floor", "ceil", "trunc")})
    names.update({"abs": abs, "round": np.round})
    with np.errstate(all="ignore"):
        return np.asarray(eval(expression, names, arrays))


# Of a, b and an exponent or shift count c, which is not negative. All of them keep the type.
KEEP = ["a + b", "a - b", "a * b", "a // b", "a % b", "fmod(a, b)", "a & b", "a | b", "a ^ b", "a << b", "a >> b", "a ** c",
        "minimum(a, b)", "maximum(a, b)", "fmin(a, b)", "fmax(a, b)", "clip(a, b, c)", "gcd(a, b)", "lcm(a, b)", "~a", "-a",
        "+a", "abs(a)", "sign(a)", "square(a)", "reciprocal(a)", "floor(a)", "ceil(a)", "trunc(a)", "round(a)", "conj(a)",
        "real(a)", "imag(a)", "a // 10", "a % 10", "fmod(a, 10)", "10 // a", "10 % a", "a ** 2", "2 ** c", "a << 3", "1 << c",
        "clip(a, 3, 10)", "a + 7 // 2 % 3", "a * (1 << 3)", "a + abs(-3)", "a - (2 ** 3 - 1)"]
FLOATS = ["sqrt(a)", "rint(a)", "fabs(a)", "exp(a)", "deg2rad(a)"]
BOOLS = ["isnan(a)", "isfinite(a)", "signbit(a)", "a < b", "logical_not(a)", "logical_xor(a, b)"]


class IntegerFunctionsTest(ExpressionTest):
    def test_values_at_the_ends(self):
        for name in INTEGERS:
            a, b = pairs(name, name)
            arrays = {"a": a, "b": b, "c": np.where(b < 0, ~b, b)}
            expected = np.stack([evaluated(e, arrays) for e in KEEP], axis=1)
            self.assertEqual(expected.dtype, name)
            for target in self.targets():
                got = self.columns(KEEP, arrays, "--target", target)
                self.assertEqual(got.dtype, name)
                for k, expression in enumerate(KEEP):
                    wrong = np.flatnonzero(got[:, k] != expected[:, k])[:3]
                    self.assertEqual(wrong.size, 0, f"{expression} of {name} on {target}: a = {a[wrong]}, b = {b[wrong]}: "
                                                    f"{got[wrong, k]}, NumPy has {expected[wrong, k]}")

    def test_comparisons(self):
        """Of all pairs of types, and with numbers that a type does not have: as the integers that they are."""
        mixed = [(s, u) for s in INTEGERS[:4] for u in INTEGERS[4:]] + [("int8", "int64"), ("uint64", "uint8")]
        arrays = {}
        expressions, expected = [], []
        length = max(len(edges(name)) for name in INTEGERS) ** 2
        for name in INTEGERS:
            arrays[f"first_{name}"] = np.resize(np.repeat(edges(name), 25), length)
            arrays[f"second_{name}"] = np.resize(edges(name), length)
        for k, (s, u) in enumerate(mixed):
            for sign in ("<", "==", ">=") if k % 2 else (">", "!=", "<="):
                for first, second in ((s, u), (u, s)):
                    expressions.append(f"first_{first} {sign} second_{second}")
        for name in INTEGERS:
            bounds = np.iinfo(name)
            for number in (bounds.max + 1, bounds.min - 1, bounds.max):
                if abs(number) < 2**64:
                    expressions += [f"first_{name} < {number}", f"{number} != first_{name}"]
        exact = {name: x.astype(object) for name, x in arrays.items()}
        expected = np.stack([eval(e, {}, exact).astype(bool) for e in expressions], axis=1)
        for target in self.targets():
            got = self.columns(expressions, arrays, "--target", target)
            self.assertEqual(got.dtype, bool)
            for k, expression in enumerate(expressions):
                np.testing.assert_array_equal(got[:, k], expected[:, k], expression)

    def test_truth_values(self):
        a, b = np.array([0, 0, 1, 1], bool), np.array([0, 1, 0, 1], bool)
        whole = ["a // b", "a % b", "fmod(a, b)", "a ** b", "a << b", "a >> b", "square(a)", "reciprocal(a)", "conj(a)"]
        expected = np.stack([evaluated(e, {"a": a, "b": b}) for e in whole], axis=1)
        self.assert_same(self.columns(whole, {"a": a, "b": b}), expected, whole)

    def test_counts_of_bits(self):
        for name in ("int8", "uint64"):
            a = edges(name)
            got = self.transformed("bitwise_count(a)", {"a": a})
            self.assert_same(got, np.array([bin(abs(int(v))).count("1") for v in a], "uint8"), name)

    def test_operators_by_name(self):
        names = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/", "true_divide": "/", "floor_divide": "//",
                 "mod": "%", "remainder": "%", "left_shift": "<<", "right_shift": ">>", "bitwise_and": "&", "bitwise_or": "|",
                 "bitwise_xor": "^", "equal": "==", "not_equal": "!=", "less": "<", "less_equal": "<=", "greater": ">",
                 "greater_equal": ">=", "logical_and": "and", "logical_or": "or"}
        same = [f"{name}(a, b) == (a {sign} b)" for name, sign in names.items()]
        same += [f"{name}(a) == ({sign}a)" for name, sign in (("negative", "-"), ("positive", "+"), ("invert", "~"),
                                                             ("bitwise_not", "~"), ("logical_not", "not "))]
        same += ["power(a, 3) == a ** 3", "logical_xor(a, b) == ((a != 0) != (b != 0))"]
        a, b = pairs("int16", "int16")
        b[b == 0] = 1  # NaN is not equal to NaN
        got = self.columns(same, {"a": a, "b": b})
        self.assertEqual([e for k, e in enumerate(same) if not got[:, k].all()], [])

    def assert_type(self, expression, arrays, expected):
        note = (expression, {name: x.dtype.name for name, x in arrays.items()})
        self.assertEqual(self.type_of(expression, arrays), expected, note)
        if IS_NUMPY_2:
            of_numpy = evaluated_by_numpy(expression, arrays).dtype
            self.assertEqual(expected, "float32" if of_numpy == "float16" else of_numpy, note)

    def test_types_of_one(self):
        becomes_int8 = {"square(a)", "reciprocal(a)", "conj(a)"}
        for name in WHOLE:
            arrays = {"a": np.ones(1, name), "b": np.ones(1, name)}
            expected = dict.fromkeys(["floor(a)", "trunc(a)", "abs(a)", "real(a)", "~a"], name)
            expected.update(dict.fromkeys(becomes_int8, "int8" if name == "bool" else name))
            expected.update(dict.fromkeys(FLOATS, numbers(name)), **dict.fromkeys(BOOLS, "bool"))
            expected["round(a)"] = numbers(name) if name == "bool" else name
            expected["angle(a)"] = "float64" if name == "bool" else numbers(name)
            # A number that is written out takes the type of the array, if that has numbers of its kind.
            whole = "int64" if name == "bool" else name
            expected.update(dict.fromkeys(["a + 1", "2 ** a", "a // 2", "a % 2", "fmod(a, 2)", "minimum(a, 5)", "a << 1",
                                           "a + 5 // 2", "a + (1 << 2)", "a + int(2.5)", "clip(a, -1000, 100)"], whole))
            expected["a ** 2"] = "int8" if name == "bool" else name
            expected.update(dict.fromkeys(["a + 0.5", "a / a", "a / 2", "a ** 0.5", "a // 2.5", "arctan2(a, 0.5)"], "float64"))
            expected["a + 1j"] = expected["a * (1 - 2j)"] = "complex128"
            for expression, dtype in expected.items():
                if name.startswith("u") and "-1000" in expression:
                    dtype = name
                with self.subTest(expression, type=name):
                    self.assert_type(expression, arrays, dtype)

    def test_types_of_two(self):
        for first, second in itertools.combinations(WHOLE, 2):
            if np.dtype(first).itemsize * np.dtype(second).itemsize not in (1, 2, 8, 64):
                continue
            arrays = {"a": np.ones(1, first), "b": np.ones(1, second)}
            common = np.promote_types(first, second)
            self.assert_type("a // b", arrays, common)
            self.assert_type("b % a + fmod(a, b)", arrays, common)
            # Each is a floating-point number before they meet.
            self.assert_type("arctan2(a, b)", arrays, np.promote_types(numbers(first), numbers(second)))

    def test_complex_constants_take_the_type(self):
        for name in ("float32", "complex64"):
            a = np.array([1.5, -2], name)
            self.assert_same(self.transformed("a + (1 + 2j) * 2 - 1j", {"a": a}), a + np.complex64(2 + 3j), name)

    def test_what_numpy_refuses(self):
        cases = [("uint8", e, message) for e, message in (
            ("a + 256", "256 does not fit uint8"), ("a + -1", "-1 does not fit uint8"), ("a & -1", "-1 does not fit uint8"),
            ("a << 300", "300 does not fit uint8"), ("a ** -1", "integers cannot be raised to negative powers"),
            ("minimum(a, 300)", "300 does not fit uint8"), ("clip(a, 300, 400)", "300 does not fit uint8"),
            ("a + (1 << -1)", "negative shift count"), ("a + 7 // 0", "division by zero"), ("a + 2 ** 200", "too large"),
            ("gcd(a, 1.5)", "it takes integers, not float64"), ("a | 1.5", "'|' takes integers, not float64"))]
        cases += [("bool", e, "of bool is not defined") for e in ("-a", "+a", "positive(a)", "sign(a)", "a - a")]
        for name, expression, message in cases:
            path = self.save(np.ones(3, name))
            self.assertIn(message, self.fails(1, "transform", expression, path, "-o", self.out))
        files = [f"a={self.save(np.ones(3, 'int64'))}", f"b={self.save(np.ones(3, 'uint64'), 'b.npy')}"]
        for expression in ("a << b", "a & b", "gcd(a, b)"):
            self.assertIn("not float64", self.fails(1, "transform", expression, *files, "-o", self.out))


def evaluated_by_numpy(expression, arrays):
    names = {name: getattr(np, name) for name in dir(np) if not name.startswith("_")}
    with np.errstate(all="ignore"):
        return np.asarray(eval(expression, names, arrays))


if __name__ == "__main__":
    unittest.main()
