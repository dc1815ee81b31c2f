#!/usr/bin/env python3
"""heddle transform against NumPy, which evaluates the same expression."""
import json
import os
import subprocess
import unittest

import numpy as np

from checks import COMPLEX, HEDDLE, INTEGERS, REALS, TYPES, in_other_orders, run, samples
from expressions import ExpressionTest, by_turns


class TransformTest(ExpressionTest):
    def expected(self, expression, arrays):
        shape = np.broadcast_shapes(*(x.shape for x in arrays.values()))
        names = {name: getattr(np, name) for name in dir(np) if not name.startswith("_")}
        names["i"] = np.arange(np.prod(shape, dtype=int)).reshape(shape)
        names.update(arrays)
        with np.errstate(all="ignore"):
            return np.broadcast_to(eval(expression, names), shape)

    def check(self, expression, arrays, *flags, ulps=0):
        got, want = self.transformed(expression, arrays, *flags), self.expected(expression, arrays)
        note = (expression[:200], {name: x.dtype.name for name, x in arrays.items()})
        if not ulps:
            return self.assert_same(got, want, note)
        self.assertEqual((got.dtype, got.shape), (want.dtype, want.shape), note)
        np.testing.assert_array_max_ulp(got, want, ulps)

    def test_integers(self):
        for name in INTEGERS:
            if name not in TYPES:
                continue
            a, b = samples(name, 1500, seed=1), samples(name, 1500, seed=2)
            a[:40], b[20:60] = b[:40], 0  # equal ones, and divisors of 0
            small = b % np.array(7, name)
            with self.subTest(name):
                self.check(by_turns("a + b", "a - b", "a * b", "a // b", "a % b", "a & b", "a | b", "a ^ b", "~a",
                                    "minimum(a, b)", "maximum(a, b)", "abs(a)", "+a", "a << c", "a >> c", "a ** c",
                                    "square(a)", "a * 3 + 1", "sign(a)", "clip(a, c, b | c)"),
                           {"a": a, "b": b, "c": small})
                if name not in ("int8", "uint32", "int64", "uint64"):
                    continue
                self.check(by_turns("a < b", "a <= b", "a == b", "a != b", "a > b", "a >= b", "logical_not(a)", "a > 5"),
                           {"a": a, "b": b})
                self.check(by_turns("a / b", "a + 0.5", "a * 2 / 3", "a // 2.5", "a * 1e-3"), {"a": a, "b": b})

    def test_real_numbers(self):
        for name in REALS:
            a, b = samples(name, 3000, seed=3), samples(name, 3000, seed=4)
            special = np.array([0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 2.5, 1e-40], name)
            a[:81], b[:81] = np.repeat(special, 9), np.tile(special, 9)
            self.check(by_turns("a + b", "a - b", "a * b", "a / b", "a // b", "a % b", "-a", "abs(a)", "a ** 2",
                                "sqrt(a)", "floor(a)", "ceil(a)", "trunc(a)", "rint(a)", "round(a)", "copysign(a, b)",
                                "fmod(a, b)", "a * 2 + 1", "2.5 * a - 1e-3", "where(a < b, a, b)", "sign(a)",
                                "deg2rad(a)", "1 / a", "1.5 * a", "pi * a"), {"a": a, "b": b})
            self.check(by_turns("a < b", "a <= b", "a == b", "a != b", "isnan(a)", "isinf(a)", "isfinite(a)",
                                "signbit(a)", "(a > 0) & (b > 0)", "(a > 0) | ~(b > 0)"), {"a": a, "b": b})
            # NaN is not negative in all of its ways: values are compared.
            for expression in ("minimum(a, b)", "maximum(a, b)"):
                np.testing.assert_array_equal(self.transformed(expression, {"a": a, "b": b}),
                                              self.expected(expression, {"a": a, "b": b}))
            # Libraries of mathematics differ in the last bits.
            positive = np.abs(samples(name, 2000, seed=5)) + np.array(0.1, name)
            self.check(by_turns("exp(-a)", "log(a)", "log2(a)", "log10(a)", "log1p(a)", "sin(a)", "cos(a)", "tan(a)",
                                "arctan(a)", "sinh(a)", "cosh(a)", "tanh(a)", "arcsinh(a)", "cbrt(a)", "exp2(a)",
                                "arctan2(a, b)", "hypot(a, b)", "a ** b", "a ** 0.5", "a ** -1.5", "expm1(a)"),
                       {"a": positive, "b": samples(name, 2000, seed=6)}, ulps=4)

    def test_complex_numbers(self):
        for name in COMPLEX:
            a, b = samples(name, 2000, seed=7), samples(name, 2000, seed=8)
            self.check(by_turns("a + b", "a - b", "a * b", "-a", "conj(a)", "a * 2", "a + 1.5", "a - 2j"),
                       {"a": a, "b": b})
            self.check(by_turns("a == b", "a != a + 1", "isnan(a)"), {"a": a, "b": b})
            self.check(by_turns("real(a)", "imag(b)"), {"a": a, "b": b})
            got = self.transformed("a / b", {"a": a, "b": b})
            np.testing.assert_allclose(got, a / b, rtol=4 * np.finfo(got.real.dtype).eps)

    def test_constants(self):
        """What is worked out before it meets an array, by the rules of Python and NumPy."""
        a = samples("float64", 500, seed=15)
        real = ("7 | 12", "7 & 12", "7 ^ 12", "-7 >> 1", "5 >> 200", "3 << 5", "-7 // 2", "-7 % 3", "7.5 // -2", "-7.5 % 2",
                "-6.0 % 3", "fmod(-7, 3)", "fmod(7.5, -2)", "1 / 4", "2 ** -1", "2 ** 0.5", "exp2(3)", "heaviside(0, 0.5)",
                "heaviside(-1.5, 2)", "heaviside(2, 3)", "arctan2(1, -1)", "float(3)", "int(-7.9)", "bool_(3)", "square(-3)",
                "square(1.5)", "sign(-3)", "sign(-2.5)", "sign(0.0)", "round(2.5)", "round(-3)", "reciprocal(4.0)",
                "deg2rad(90)", "degrees(1.5)", "abs(-3)", "abs(-2.5)", "real(3)", "imag(3)", "angle(-1)", "angle(1j)",
                "real(2 - 1j)", "imag(2 - 1j)", "abs(3 + 4j)", "2 if 3 > 2 else 4")
        self.check(by_turns(*(f"a + ({constant})" for constant in real)), {"a": a}, ulps=4)
        got = self.transformed(by_turns("a > 0 ? 2 : a < -1 ? 3 : 4", "min(2, 3) + max(2, 3)"), {"a": a})
        want = np.where(np.arange(500) % 2 == 1, 5, np.where(a > 0, 2, np.where(a < -1, 3, 4)))
        np.testing.assert_array_equal(got, want)
        z = samples("complex128", 200, seed=16)
        of_complex = ("(1 + 2j) / (3 - 1j)", "(1 + 1j) ** 2.5", "exp2(1j)", "expm1(1 + 1j)", "log2(1j)", "log1p(1j)",
                      "rint(2.5 + 1.6j)", "complex(2)", "complex(1j)", "square(1 + 1j)", "reciprocal(2j)", "positive(1j)",
                      "conj(1 + 2j)")
        expression = by_turns(*(f"z + {constant}" for constant in of_complex))
        np.testing.assert_allclose(self.transformed(expression, {"z": z}), self.expected(expression, {"z": z}), rtol=1e-14)
        self.assert_same(self.transformed("float32(z)", {"z": z}), z.real.astype("float32"), "the real part")

    def test_truth(self):
        a, b = samples("bool", 900, seed=9), samples("bool", 900, seed=10)
        self.check(by_turns("a + b", "a * b", "a & b", "a | b", "a ^ b", "~a", "a < b", "a == b", "logical_and(a, b)",
                            "logical_or(a, b)"), {"a": a, "b": b})
        self.check(by_turns("a + 1", "a * 3 - 2"), {"a": a, "b": b})
        got = self.transformed("a && !b || not a", {"a": a, "b": b})
        np.testing.assert_array_equal(got, a & ~b | ~a)

    def test_promotion(self):
        """The type of what two types meet in, and the values."""
        pairs = [("int8", "uint8"), ("int16", "uint32"), ("int64", "uint64"), ("int8", "float32"), ("int32", "float32"),
                 ("uint16", "float32"), ("bool", "uint8"), ("bool", "float32"), ("float32", "float64"),
                 ("float32", "complex64"), ("int32", "complex64"), ("int16", "complex64"), ("float64", "complex64")]
        for first, second in pairs:
            if first in TYPES and second in TYPES:
                self.check("a + b * b", {"a": samples(first, 300, seed=11), "b": samples(second, 300, seed=12)})

    def test_other_output_types(self):
        x = samples("float64", 1000, seed=13) * 100
        for dtype in ("bool", "int16", "float32", "complex64"):
            got = self.transformed("a + 1", {"a": x}, "--dtype", dtype)
            self.assert_same(got, (x + 1).astype(dtype), dtype)
        # What NumPy leaves open: the nearest number of the type, and 0 for NaN.
        got = self.transformed("a", {"a": np.array([300, -300, np.nan, np.inf])}, "--dtype", "int8")
        self.assert_same(got, np.array([127, -128, 0, 127], "int8"), "saturation")

    def test_broadcasting(self):
        for shapes in (((40, 30), (30,)), ((40, 1), (1, 30)), ((5, 1, 7), (6, 1), ()), ((2, 3), (1,)), ((0, 3), (3,))):
            arrays = {name: samples("float32", shape, seed=14) for name, shape in zip("abc", shapes)}
            self.check(" * ".join(arrays) + " + 2 * i", arrays)
        message = self.fails(1, "transform", "a + b", self.save(np.zeros((2, 3)), "x.npy"), self.save(np.zeros(4), "y.npy"),
                             "-o", self.out)
        self.assertIn("cannot be broadcast together: a (2, 3), b (4,)", message)

    def test_names_orders_and_sizes(self):
        x, y = samples("float32", (300, 200), seed=15), samples("float64", (300, 200), seed=16)
        for swapped in in_other_orders(x):
            path = self.save(swapped)
            got = self.written("transform", "a + y", path, f"y={self.save(y, 'y.npy')}")
            self.assert_same(got, x + y, "orders")
        self.check("x", {"x": np.float32(3)[()] * np.ones(())})
        self.check("x + 1", {"x": np.zeros((0, 3))})
        # Names that C++ has other uses for, and an input that hides the index.
        self.check("int + e - i", {"int": x, "e": y, "i": x})

    def test_pieces(self):
        """More elements than are taken at once, on every target."""
        x = samples("int16", 20_000_001, seed=17)
        for target in ["serial", "parallel:2"] + self.gpus[:1]:
            got = self.transformed("a * 2 + i", {"a": x}, "--target", target)
            np.testing.assert_array_equal(got, x * np.int16(2) + np.arange(x.size))

    def test_over_its_own_input(self):
        path = self.save(samples("float64", 1000))
        x = np.load(path)
        self.assertEqual(run("transform", "a * 2", path, "-o", path).returncode, 0)
        self.assert_same(np.load(path), x * 2, "in place")

    def test_stats(self):
        path = self.save(samples("float32", 5000))
        done = run("transform", "a + 1", path, "-o", self.out, "--stats", "--target", "serial")
        line = json.loads(done.stderr)
        self.assertEqual((line["pattern"], line["op"], line["target"], line["n"], line["dtype"]),
                         ("transform", "a + 1", "serial", 5000, "float32"))

    def test_expressions_that_begin_with_a_minus_sign(self):
        x = samples("float64", 50)
        path = self.save(x)
        for words in (["-a**2", path], ["--target=serial", "--dtype", "float64", "--quiet", "-a**2", path]):
            self.assert_same(self.written("transform", *words), -x**2, words)
        done = run("transform", "-o", self.out, "--stats", "--", "-a**2", path)
        self.assertEqual((done.returncode, json.loads(done.stderr)["op"]), (0, "-a**2"))
        for expression, column in (("-b", 2), ("-hypot(a)", 2), ("-1.5x", 2), ("-(a", 4)):
            text = self.fails(1, "transform", expression, path, "-o", self.out)
            self.assertIn(f"expression '{expression}', column {column}: ", text)
        # Behind the mark nothing is an option.
        self.assertEqual(run("transform", "-o", self.out, "--", "-a", path).returncode, 0)
        np.testing.assert_array_equal(np.load(self.out), -x)
        self.out.unlink()
        self.assertIn("--output is required", self.fails(2, "transform", "--", "-a", path, "-o", self.out))
        self.assertIn("-o: cannot open", self.fails(1, "transform", "-o", self.out, "--", "-a", path, "-o"))
        # What may be an option is one.
        self.fails(2, "transform", "-ox", path)
        self.fails(2, "transform", "--a", path, "-o", self.out)

    def test_wrong_expressions(self):
        path = self.save(np.ones(3, "float32"))
        for expression, column, message in (
                ("a +", 4, "it ends too early"), ("a b", 3, "'b' is not expected"), ("(a", 3, "')' is missing"),
                ("a + nobody", 5, "nothing is called 'nobody'"), ("nothing(a)", 1, "there is no function 'nothing'"),
                ("sqrt(a, a)", 1, "sqrt takes 1 argument, and 2 were given"), ("a & 1", 6, "takes integers, not float32"),
                ("1.2.3 + a", 1, "'1.2.3' is no number"), ("0 < a < 1", 7, "comparisons in a row"), ("a + 1x", 5, "no number"),
                ("a + 1 / 0", 10, "division by zero"), ("a + fmod(1, 0)", 5, "division by zero"),
                ("a + (1 << -1)", 13, "negative shift count"), ("a + (1 >> -1)", 13, "negative shift count"),
                ("", 1, "it ends too early"), ("a @ a", 3, "'@' is not expected")):
            text = self.fails(1, "transform", expression, path, "-o", self.out)
            self.assertIn(f"expression '{expression}', column {column}: ", text)
            self.assertIn(message, text)
        self.assertIn("expression 'a + b', column 5: ", self.fails(1, "transform", "a +\nb", path, "-o", self.out))
        path = self.save(np.ones(3, "int8"))
        self.assertIn("300 does not fit int8", self.fails(1, "transform", "a + 300", path, "-o", self.out))

    def test_wrong_usage(self):
        path = self.save(np.ones(3))
        for arguments in (["a", path], ["-o", self.out], ["a", path, "-o", self.out, "--dtype", "float16"],
                          ["a", path, "-o", self.out, "--target", "cloud"]):
            self.fails(2, "transform", *arguments)
        self.fails(1, "transform", "a", self.folder / "missing.npy", "-o", self.out)
        nowhere = self.folder / "nowhere" / "out.npy"
        self.assertEqual(self.fails(1, "transform", "a", path, "-o", nowhere),
                         f"heddle transform: {nowhere}: cannot write: No such file or directory\n")
        self.assertIn("two inputs are called a", self.fails(1, "transform", "a", path, f"a={path}", "-o", self.out))

    def test_without_a_compiler(self):
        """A second run starts none; where there is none, a first one says so."""
        path = self.save(np.arange(5.0))
        cache = self.folder / "cache"
        with_cache = dict(os.environ, XDG_CACHE_HOME=str(cache))
        self.assertEqual(run("transform", "a * 7", path, "-o", self.out, env=with_cache).returncode, 0)
        without = dict(with_cache, PATH=str(self.folder))
        compiler = self.folder / "g++"
        # The compiler that made what was kept, and that cannot be started any more.
        started = self.folder / "started"
        compiler.write_text(f"#!/bin/sh\nPATH=/usr/bin:/bin\ntouch {started}\nexec /usr/bin/g++ \"$@\"\n")
        compiler.chmod(0o755)
        for expected in (True, False):
            started.unlink(missing_ok=True)
            done = run("transform", "a * 7", path, "-o", self.out, "--target", "serial", env=dict(without, CXX=str(compiler)))
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(started.exists(), expected)
            np.testing.assert_array_equal(np.load(self.out), np.arange(5) * 7.0)
        compiler.unlink()
        done = run("transform", "a * 7", path, "-o", self.out, "--target", "serial", env=without)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("there is none: install g++ or clang++, or name one in CXX", done.stderr)

    def test_processes_fill_the_cache_at_once(self):
        path = self.save(np.arange(5.0))
        cache = self.folder / "cache"
        commands = [[HEDDLE, "transform", "a * 11", str(path), "-o", str(self.folder / f"{k}.npy"), "--target", "serial"]
                    for k in range(4)]
        running = [subprocess.Popen(c, env=dict(os.environ, XDG_CACHE_HOME=str(cache)), stderr=subprocess.PIPE)
                   for c in commands]
        for k, process in enumerate(running):
            self.assertEqual((process.communicate(timeout=300)[1], process.returncode), (b"", 0))
            np.testing.assert_array_equal(np.load(self.folder / f"{k}.npy"), np.arange(5) * 11.0)
        self.assertEqual(sorted(p.suffix for p in (cache / "heddle" / "kernels").iterdir()), [".json", ".so"])


if __name__ == "__main__":
    unittest.main()
