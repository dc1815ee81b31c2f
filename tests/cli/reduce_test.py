#!/usr/bin/env python3
"""heddle reduce against NumPy."""
import io
import itertools
import os
import resource
import struct
import unittest

import numpy as np

from checks import COMPLEX, ORDERED, REALS, TYPES, CommandTest, in_other_orders, part_type, run, samples, some_of, wide, widened

REDUCTIONS = ["sum", "prod", "min", "max", "argmin", "argmax", "mean", "any", "all"]


def bound_of_sum(x, axis):
    """Error bound of pairwise summation: eps · log2(n) · Σ|x|, and the one rounding that every answer may have."""
    n = x.size if axis is None else x.shape[axis]
    magnitude = np.abs(wide(x)).sum(axis=axis)
    return np.finfo(part_type(x.dtype)).eps * max(1, np.ceil(np.log2(max(n, 2)))) * magnitude


def bound_of_product(x, axis, product):
    """n − 1 products, each with a relative error of eps/2; √8 times that for complex numbers."""
    n = x.size if axis is None else x.shape[axis]
    factor = 3 if x.dtype.kind == "c" else 1
    return np.finfo(part_type(x.dtype)).eps * n * factor * np.abs(product)


class ReduceTest(CommandTest):
    def read_back(self, text, dtype):
        """The value of a printed text, which must be the shortest one that reads back to the same bits."""
        if dtype.kind == "b":
            self.assertIn(text, ("True", "False"))
            return np.bool_(text == "True")
        value = dtype.type({"c": complex, "f": str}.get(dtype.kind, int)(text))
        if dtype.kind == "f" and np.isfinite(value):
            shortest = min(len(np.format_float_positional(value, trim="-")),
                           len(np.format_float_scientific(value, trim="-", exp_digits=2)))
            self.assertLessEqual(len(text), shortest, text)
        return value

    def check_reduction(self, got, op, x, axis, note, dtype=None):
        """`got` is what NumPy makes of x."""
        if dtype is not None:
            x = x.astype(dtype)
        got = np.asarray(got)
        if op in ("sum", "mean") and x.dtype.kind in "fc" or op == "mean":
            if op == "mean" and x.dtype.kind not in "fc":
                x = x.astype("float64")
            count = (x.size if axis is None else x.shape[axis]) if op == "mean" else 1
            expected = wide(x).sum(axis=axis) / count
            self.assertEqual((got.dtype, got.shape), (x.dtype, np.shape(expected)), note)
            rounding = np.finfo(part_type(x.dtype)).eps * np.abs(expected)
            self.assert_within(got, expected, bound_of_sum(x, axis) / count + rounding, note)
        elif op == "prod" and x.dtype.kind in "fc":
            expected = wide(x).prod(axis=axis)
            self.assertEqual((got.dtype, got.shape), (x.dtype, np.shape(expected)), note)
            self.assert_within(got, expected, bound_of_product(x, axis, expected), note)
        elif op in ("sum", "prod"):
            accumulator = widened(x.dtype) if dtype is None else np.dtype(dtype)
            self.assert_same(got, getattr(np, op)(x, axis=axis, dtype=accumulator), note)
        else:
            self.assert_same(got, getattr(np, op)(x, axis=axis), note)

    def test_every_type_operator_and_axis(self):
        """A 3-d array, flat and along each axis, on targets in turn."""
        targets = itertools.cycle(["serial", "parallel:2", "auto"])
        for dtype in TYPES:
            for op in REDUCTIONS:
                if op in ORDERED and dtype in COMPLEX:
                    continue
                x = samples(dtype, (3, 70, 5), seed=1, mild=op == "prod")
                path = self.save(x)
                for axis in some_of((None, 0, 1, -1)):
                    note = (dtype, op, axis)
                    where = ["--op", op, "--target", next(targets)]
                    if axis is None:
                        expected_type = np.asarray(getattr(np, op)(x)).dtype
                        got = self.read_back(self.printed("reduce", path, *where), expected_type)
                    else:
                        got = self.written("reduce", path, *where, "--axis", axis)
                    self.check_reduction(got, op, x, axis, note)

    def test_sizes(self):
        """One element, edges of tiles, odd sizes and sizes of several pieces; every target gives the same bits."""
        sizes = [1, 2, 31, 33, 2047, 2048, 2049, 16 * 2048 + 7, 1_000_003]
        for dtype, size in itertools.product(["float32", "int16", "complex128"], sizes):
            x = samples(dtype, size, seed=size)
            path = self.save(x)
            for op in some_of(["sum", "mean"] + ["max"] * (dtype not in COMPLEX)):
                texts = {self.printed("reduce", path, "--op", op, "--target", where) for where in ("serial", "parallel:2")}
                self.assertEqual(len(texts), 1, (dtype, op, size, texts))
                expected_type = np.asarray(getattr(np, op)(x[:1])).dtype
                self.check_reduction(self.read_back(texts.pop(), expected_type), op, x, None, (dtype, op, size))

    def test_large_arrays_of_every_type(self):
        """Sizes that are read in several pieces, converted and not."""
        for dtype in TYPES:
            x = samples(dtype, 3_000_001, seed=2)
            path = self.save(x)
            got = self.read_back(self.printed("reduce", path, "--target", "parallel:2"), widened(x.dtype))
            self.check_reduction(got, "sum", x, None, dtype)

    def test_places_in_large_arrays(self):
        """The first of equal extrema, in whichever piece it is; a NaN before them all."""
        for dtype in ("int64", "uint8", "float32"):
            x = np.zeros(20_000_000 if dtype == "float32" else 3_000_000, dtype)
            later = x.size - 5
            x[[later, later + 1]] = 1
            path = self.save(x)
            self.assertEqual(self.printed("reduce", path, "--op", "argmax"), str(later))
            self.assertEqual(self.printed("reduce", path, "--op", "argmin"), "0")
            x[1_500_000] = 1
            path = self.save(x)
            self.assertEqual(self.printed("reduce", path, "--op", "argmax", "--target", "serial"), "1500000")
        x[[19_000_000, 19_999_999]] = np.nan
        path = self.save(x)
        self.assertEqual(self.printed("reduce", path, "--op", "argmax"), "19000000")
        self.assertEqual(self.printed("reduce", path, "--op", "argmin"), "19000000")
        self.assertEqual(self.printed("reduce", path, "--op", "min"), "nan")

    def test_axis_of_large_arrays(self):
        """Blocks: of several entries of the outer axes, and of part of the inner ones."""
        for dtype, shape in (("int16", (3000, 700)), ("float64", (700, 3000)), ("int8", (2, 300, 40_000))):
            x = samples(dtype, shape, seed=3)
            path = self.save(x)
            for op, axis in itertools.product(("sum", "argmax"), some_of(range(x.ndim))):
                got = self.written("reduce", path, "--op", op, "--axis", axis, "--target", "parallel:2")
                self.check_reduction(got, op, x, axis, (dtype, shape, op, axis))

    def test_axis_that_is_taken_in_pieces(self):
        """Long rows, long columns, and panels of long columns in the other byte order: the bits of what stays in the file."""
        for shape, axis, target in (((2, 300_001), 1, "serial"), ((300_001, 3), 0, "parallel:2"), ((1100, 4200), 0, "serial")):
            x = np.clip(samples("float64", shape, seed=12), -2.999, 2.999)
            x.reshape(-1)[[x.size // 3, x.size // 2]] = np.inf, np.nan
            native, swapped = self.save(x), self.save(x.astype(">f8"), "swapped.npy")
            for op in ("sum", "argmin", "argmax"):
                arguments = ["--op", op, "--axis", axis, "--target", target]
                whole = self.written("reduce", native, *arguments)
                self.assert_same(self.written("reduce", swapped, *arguments), whole, (shape, op))
                if op != "sum":
                    self.assert_same(whole, getattr(np, op)(x, axis=axis), (shape, op))

    def test_axis_that_does_not_fit_in_memory(self):
        """A row of 32 MiB, and two columns, that would be 256 MiB as integers of 64 bits."""
        little = self.with_addresses(1 << 28)
        for shape, axis in (((1, 1 << 25), 1), ((1 << 24, 2), 0)):
            path = self.folder / "sparse.npy"
            np.lib.format.open_memmap(path, "w+", "int8", shape)[-1, -1] = 5
            for op, expected in (("sum", 5), ("mean", 5 / shape[axis]), ("argmax", shape[axis] - 1)):
                got = self.written("reduce", path, "--op", op, "--axis", axis, "--target", "serial", **little)
                self.assertEqual(got[-1], expected, (shape, op))

    def test_scalar_array(self):
        for dtype in TYPES:
            x = samples(dtype, (), seed=4)
            path = self.save(x)
            for op in ("sum", "any") + (() if dtype in COMPLEX else ("max", "argmin")):
                expected = np.asarray(getattr(np, op)(x))
                self.assert_same(np.asarray(self.read_back(self.printed("reduce", path, "--op", op), expected.dtype)),
                                 expected, (dtype, op))
        self.assertIn("has no axes", self.fails(1, "reduce", path, "--axis", 0, "-o", self.out))

    def test_empty_arrays(self):
        identities = {"sum": "0", "prod": "1", "any": "False", "all": "True"}
        for dtype in ("bool", "int32", "float64", "complex64"):
            path = self.save(np.zeros((2, 0, 3), dtype))
            for op in REDUCTIONS:
                if op in identities:
                    text = self.printed("reduce", path, "--op", op)
                    self.assertEqual(complex(text) if dtype in COMPLEX and op in ("sum", "prod") else text,
                                     complex(identities[op]) if dtype in COMPLEX and op in ("sum", "prod")
                                     else identities[op])
                    for axis in some_of(range(3)):
                        self.check_reduction(self.written("reduce", path, "--op", op, "--axis", axis), op,
                                             np.zeros((2, 0, 3), dtype), axis, (dtype, op, axis))
                elif not (op in ORDERED and dtype in COMPLEX):
                    self.assertIn("no elements", self.fails(1, "reduce", path, "--op", op))
                    self.out.unlink(missing_ok=True)
                    self.fails(1, "reduce", path, "--op", op, "--axis", 1, "-o", self.out)
                    self.assertEqual(self.written("reduce", path, "--op", op, "--axis", 0).shape, (0, 3))
        # A line without elements has no place even where there is no line, as in NumPy.
        path = self.save(np.zeros((0, 0, 2)))
        self.assertIn("no elements", self.fails(1, "reduce", path, "--op", "argmax", "--axis", 1, "-o", self.out))
        self.assertEqual(self.written("reduce", path, "--op", "max", "--axis", 1).shape, (0, 2))

    def test_special_values(self):
        cases = {
            "sum": [([np.inf, 1], "inf"), ([-np.inf, 1], "-inf"), ([np.inf, -np.inf], "nan"), ([np.nan, 1], "nan"),
                    ([0.1, 0.2], None), ([1e300, 1e300, -1e300], None), ([5e-324], "5e-324")],
            "prod": [([np.inf, 0], "nan"), ([-0.0, 2], "-0"), ([1e200, 1e200], "inf")],
            "min": [([1, np.nan, 0], "nan"), ([np.inf, 5], "5"), ([0.0, -0.0], "-0"), ([-np.inf, np.nan], "nan")],
            "max": [([1, np.nan, 2], "nan"), ([-np.inf, -5], "-5"), ([-0.0, 0.0], "0")],
            "argmin": [([3, np.nan, 1, np.nan], "1"), ([2, 1, 1], "1"), ([0.0, -0.0], "0")],
            "argmax": [([3, np.nan, 9, np.nan], "1"), ([1, 2, 2], "1"), ([-0.0, 0.0], "0")],
            "any": [([0, np.nan], "True"), ([0.0, -0.0], "False"), ([0, 5e-324], "True")],
            "all": [([1, np.nan], "True"), ([1, -0.0], "False")],
            "mean": [([np.inf, 1], "inf"), ([1, 2], "1.5")],
        }
        for op, inputs in cases.items():
            for values, expected in some_of(inputs):
                text = self.printed("reduce", self.save(np.array(values, "float64")), "--op", op)
                if expected is None:
                    expected = repr(float(np.sum(values)))
                self.assertEqual(text, expected, (op, values))

    def test_overflow(self):
        cases = [("int8", [127] * 100), ("uint8", [255] * 300), ("int64", [2**63 - 1, 1]), ("uint64", [2**64 - 1, 2]),
                 ("int32", [-(2**31)] * 5)]
        for dtype, values in cases:
            x = np.array(values, dtype)
            path = self.save(x)
            for op in some_of(("sum", "prod", "min", "max", "mean")):
                expected = np.asarray(getattr(np, op)(x))
                got = self.read_back(self.printed("reduce", path, "--op", op), expected.dtype)
                self.check_reduction(got, op, x, None, (dtype, op))

    def test_complex_text(self):
        for value in (1 + 2j, -1.5 - 0.25j, complex(0.0, -0.0), complex(-0.0, 3), complex(np.nan, np.inf),
                      complex(-np.inf, np.nan), complex(1e-300, 1e22)):
            text = self.printed("reduce", self.save(np.array([value])))
            self.assertEqual(repr(complex(text)), repr(value), text)
        self.assertEqual(self.printed("reduce", self.save(np.array([1 + 2j], "complex64"))), "1+2j")
        self.assertEqual(self.printed("reduce", self.save(np.array([complex(np.nan, np.inf)]))), "nan+infj")

    def test_any_and_all_of_complex(self):
        for values in ([0, 0], [0, 1j], [1j, 1], [complex(-0.0, 0)], [1, complex(0, np.nan)]):
            for dtype, op in itertools.product(some_of(COMPLEX), ("any", "all")):
                x = np.array(values, dtype)
                expected = str(getattr(np, op)(x))
                self.assertEqual(self.printed("reduce", self.save(x), "--op", op), expected, (values, op))

    def test_complex_has_no_order(self):
        path = self.save(samples("complex64", 5))
        for op in sorted(ORDERED):
            self.assertIn("complex numbers have no order", self.fails(1, "reduce", path, "--op", op))
        for op in ("min", "max"):
            self.assertIn("complex numbers have no order", self.fails(1, "scan", path, "--op", op, "-o", self.out))

    def test_dtype(self):
        """--dtype converts first, as astype does."""
        x = samples("float64", (40, 30), seed=5)
        path = self.save(x)
        for dtype, op in itertools.product(["bool", "int8", "int32", "uint64", "float32", "complex64"],
                                           ["sum", "max", "argmin", "mean", "any", "all"]):
            y = np.abs(x) if dtype == "uint64" else x
            path = self.save(y)
            if op in ORDERED and dtype in COMPLEX:
                continue
            mean_type = dtype if dtype in REALS + COMPLEX else "float64"
            got_type = {"sum": dtype, "max": dtype, "argmin": "int64", "mean": mean_type}.get(op, "bool")
            for axis in some_of((None, 0)):
                if axis is None:
                    got = self.read_back(self.printed("reduce", path, "--op", op, "--dtype", dtype), np.dtype(got_type))
                else:
                    got = self.written("reduce", path, "--op", op, "--dtype", dtype, "--axis", axis)
                self.check_reduction(got, op, y, axis, (dtype, op), dtype=dtype)
        path = self.save(np.full(300, 1, "int8"))
        self.assertEqual(self.printed("reduce", path, "--dtype", "int8"), "44")
        self.assertEqual(self.printed("reduce", path, "--dtype", "bool"), "True")
        self.assertEqual(self.printed("reduce", self.save(np.array([1e-300j])), "--op", "any", "--dtype", "complex64"),
                         "False")

    def test_memory_orders_and_byte_orders(self):
        for dtype in ("int16", "float32", "complex128", "bool"):
            x = samples(dtype, (40, 50, 60), seed=6)
            for y in in_other_orders(x):
                path = self.save(y)
                got = self.read_back(self.printed("reduce", path, "--target", "parallel:2"), widened(x.dtype))
                self.check_reduction(got, "sum", x, None, dtype)
                for axis in some_of(range(3)):
                    self.check_reduction(self.written("reduce", path, "--axis", axis), "sum", x, axis, (dtype, axis))
                self.assertEqual(self.printed("reduce", path, "--op", "any"), "True")
                if dtype not in COMPLEX:
                    self.assertEqual(self.printed("reduce", path, "--op", "argmin"), str(x.argmin()))

    def test_output_without_axis(self):
        """-o holds the value that is printed, as an array without axes."""
        x = samples("int16", 100)
        self.assertEqual(self.printed("reduce", self.save(x), "-o", self.out), str(x.sum()))
        self.assert_same(np.load(self.out), np.asarray(x.sum()), "0-d")
        self.assertEqual(self.printed("reduce", self.save(x), "--op", "any", "-o", self.out), "True")
        self.assert_same(np.load(self.out), np.asarray(True), "0-d")

        done = run("reduce", self.save(x), "-o", "/dev/stdout", text=False)
        self.assert_same(np.load(io.BytesIO(done.stdout)), np.asarray(x.sum()), "the array alone")

    def test_more_results_than_memory(self):
        path = self.folder / "long.npy"
        for length in (2**60, 2**61 + 1, 2**62, 2**63 - 1):
            header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({length}, 0)}}\n".encode()
            path.write_bytes(b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header)
            for op in ("any", "all", "sum"):
                self.fails(1, "reduce", path, "--op", op, "--axis", 1, "-o", self.out)

    def test_gpu(self):
        """The same bits on a GPU as on one core."""
        if not self.gpus:
            self.skipTest("no GPU")
        gpu = self.gpus[0]
        for dtype in TYPES:
            x = samples(dtype, (3, 700, 50), seed=10)
            path = self.save(x)
            for op in ("sum", "all") + (() if dtype in COMPLEX else ("max", "argmin")):
                self.assertEqual(self.printed("reduce", path, "--op", op, "--target", gpu),
                                 self.printed("reduce", path, "--op", op, "--target", "serial"), (dtype, op))
            for op in ("mean", "std") + (() if dtype in COMPLEX else ("median",)):
                for axis in (None, 0, 2):
                    arguments = ["reduce", path, "--op", op] + ([] if axis is None else ["--axis", axis])
                    self.assert_same(self.written(*arguments, "--target", gpu) if axis is not None else
                                     np.asarray(complex(self.printed(*arguments, "--target", gpu))),
                                     self.written(*arguments, "--target", "serial") if axis is not None else
                                     np.asarray(complex(self.printed(*arguments, "--target", "serial"))), (dtype, op, axis))
            for op, axis in (("sum", 0), ("sum", 2)) + (() if dtype in COMPLEX else (("argmax", 1),)):
                self.assert_same(self.written("reduce", path, "--op", op, "--axis", axis, "--target", gpu),
                                 self.written("reduce", path, "--op", op, "--axis", axis, "--target", "serial"),
                                 (dtype, op, axis))
        path = self.save(samples("float32", 40_000_003, seed=11))
        self.assertEqual(self.printed("reduce", path, "--target", gpu),
                         self.printed("reduce", path, "--target", "serial"))


class StatisticsTest(CommandTest):
    """std, var, median and percentile."""

    def result(self, path, axis, *arguments):
        """The array that -o names, of which each value is printed where there is no axis."""
        if axis is not None:
            return self.written("reduce", path, *arguments, "--axis", axis)
        self.out.unlink(missing_ok=True)
        done = run("reduce", path, *arguments, "-o", self.out)
        self.assertEqual((done.returncode, done.stderr), (0, ""), arguments)
        got = np.load(self.out)
        texts = done.stdout.split("\n")[:-1]
        np.testing.assert_array_equal(np.array(texts, "float64").astype(got.dtype), got.reshape(-1))
        return got

    def check_spread(self, path, op, x, axis, ddof, note, *arguments):
        """Against the same in long double; the mean of each line is rounded, and the result."""
        got = self.result(path, axis, "--op", op, *(["--ddof", ddof] if ddof else []), *arguments)
        exact = x.astype(np.clongdouble if x.dtype.kind == "c" else np.longdouble)
        expected = np.asarray(getattr(np, op)(exact, axis=axis, ddof=ddof))
        self.assertEqual((got.dtype, got.shape), (np.asarray(getattr(np, op)(x, axis=axis)).dtype, expected.shape), note)
        of_mean = 50 * 2.0**-53 * np.abs(exact).mean(axis=axis)
        error = 2 * np.finfo(got.dtype).eps * expected + (of_mean**2 if op == "var" else of_mean)
        self.assert_within(got, expected, error + 100 * 2.0**-53 * expected, note)

    def test_spread_of_every_type(self):
        targets = itertools.cycle(["serial", "parallel:2", "auto"])
        for dtype in TYPES:
            x = samples(dtype, (3, 70, 5), seed=20)
            path = self.save(x)
            for axis, (op, ddof) in itertools.product(some_of((None, 0, 1, -1)), some_of((("std", 0), ("var", 1)))):
                self.check_spread(path, op, x, axis, ddof, (dtype, op, axis), "--target", next(targets))

    def test_spread_on_a_large_offset(self):
        x = 1e9 + np.random.default_rng(21).normal(0, 1e-3, (300_001, 2))
        path = self.save(x)
        for axis in (None, 0):
            for op in ("std", "var"):
                self.check_spread(path, op, x, axis, 0, (op, axis))

    def test_mean_of_floats_is_summed_in_double(self):
        x = np.ones(1 << 16, "float32")
        x[0] = 2.0**30
        self.assertEqual(np.float32(self.printed("reduce", self.save(x), "--op", "mean")), np.float32(x.mean(dtype="float64")))
        self.assertEqual(self.printed("reduce", self.save(np.full(9, 3e38, "float32")), "--op", "mean"), "3e+38")
        z = np.array([1 + 1e-9j, 3], "complex128")
        self.assertEqual(self.printed("reduce", self.save(z), "--op", "mean", "--dtype", "complex64"), "2+5e-10j")

    def test_pieces(self):
        """Long lines and panels of them have the bits of what stays in the file, on any number of threads."""
        for shape, axis in (((2, 300_001), 1), ((300_001, 3), 0), ((1100, 4200), 0), ((40, 5, 3000), 2), ((600_000,), None)):
            x = samples("float64", shape, seed=22)
            native, swapped = self.save(x), self.save(x.astype(">f8"), "swapped.npy")
            for op in some_of(("mean", "std")):
                whole = self.result(native, axis, "--op", op, "--target", "serial")
                self.assert_same(self.result(swapped, axis, "--op", op, "--target", "parallel:2"), whole, (shape, op))
                np.testing.assert_allclose(whole, getattr(np, op)(x, axis=axis), rtol=1e-11, atol=1e-12)

    def test_spread_that_does_not_fit_in_memory(self):
        little = self.with_addresses(1 << 28)
        path = self.folder / "sparse.npy"
        for shape, axis in (((1 << 25,), None), ((1, 1 << 25), 1), ((1 << 24, 2), 0)):
            np.lib.format.open_memmap(path, "w+", "int8", shape)[(-1,) * len(shape)] = 5
            n = shape[axis or 0]
            expected = 25 * (n - 1) / n**2
            if axis is None:
                got = float(self.printed("reduce", path, "--op", "var", "--target", "serial", **little))
            else:
                got = self.written("reduce", path, "--op", "var", "--axis", axis, "--target", "serial", **little)[-1]
            self.assertLess(abs(got - expected), 1e-14 * expected)

    def test_degrees_of_freedom(self):
        path = self.save(np.array([1.0, 2, 4, 9]))
        for ddof, expected in ((0, "9.5"), (2, "19"), (4, "inf"), (7, "inf")):
            self.assertEqual(self.printed("reduce", path, "--op", "var", "--ddof", ddof), expected)
        self.assertEqual(self.printed("reduce", self.save(np.array([5])), "--op", "std", "--ddof", 1), "nan")

    def test_quantiles_of_every_type(self):
        """Those of NumPy in float64 to the bit, where its integers do not overflow."""
        targets = itertools.cycle(["serial", "parallel:2", "auto"])
        percents = [0, 12.5, 50, 99, 100]
        for dtype in TYPES:
            if dtype in COMPLEX:
                continue
            for shape in ((3, 70, 5), (600,)):
                x = samples(dtype, shape, seed=23)
                if x.dtype.itemsize == 8 and x.dtype.kind in "iu":
                    x >>= x.dtype.type(12)
                path = self.save(x)
                for axis in some_of((None, *range(x.ndim))):
                    where = ["--target", next(targets)]
                    note = (dtype, shape, axis)
                    self.assert_same(self.result(path, axis, "--op", "median", *where), np.median(x, axis=axis), note)
                    wide_x = x.astype("float64")
                    got = self.result(path, axis, "--op", "percentile", "--percentile", ",".join(map(str, percents)), *where)
                    self.assert_same(got, np.percentile(wide_x, percents, axis=axis), note)
                    got = self.result(path, axis, "--op", "percentile", "--percentile", 30, *where)
                    self.assert_same(got, np.percentile(wide_x, 30, axis=axis), note)

    def test_quantiles_of_special_values(self):
        inf, nan = np.inf, np.nan
        for values, percent, expected in (([1, nan, 2], 0, "nan"), ([inf, 1, 2], 50, "2"), ([inf, inf, 1], 75, "inf"),
                                          ([-inf, 1], 50, "-inf"), ([-inf, inf], 50, "nan"), ([7], 31, "7"),
                                          # NumPy has inf - inf, NaN, in the upper half between a number and an infinity.
                                          ([inf, 5, 4], 80, "inf"), ([inf, 5, 4], 70, "inf"), ([inf, 5, 4], 50, "5"),
                                          ([-inf, 5, 4], 20, "-inf"), ([-inf, 5, 4], 30, "-inf"), ([-inf, -inf, 3], 50, "-inf"),
                                          ([-inf, inf, inf], 25, "nan"), ([-inf, inf, inf], 75, "inf"),
                                          ([-1.5e308, 1.5e308], 75, "7.5e+307"), ([-1.5e308, 1.5e308], 25, "-7.5e+307")):
            path = self.save(np.array(values, "float64"))
            self.assertEqual(self.printed("reduce", path, "--op", "percentile", "--percentile", percent), expected, values)
        for values, expected in (([1, nan], "nan"), ([inf, inf], "inf"), ([-inf, inf], "nan"), ([1e308, 1.5e308], "1.25e+308")):
            self.assertEqual(self.printed("reduce", self.save(np.array(values)), "--op", "median"), expected, values)
        x = np.array([[1, nan, 3], [4, 5, 9]])
        self.assert_same(self.written("reduce", self.save(x), "--op", "median", "--axis", 1), np.array([nan, 5]), "a NaN in one row")
        for dtype, values, expected in (("int8", [-128, 127], "-0.5"), ("int64", [-2**63, 2**63 - 1], "0"), ("uint64", [0, 2**64 - 1], "9223372036854775808")):
            path = self.save(np.array(values, dtype))
            self.assertEqual(self.printed("reduce", path, "--op", "percentile", "--percentile", 50), expected)

    def test_dtype(self):
        x = samples("float64", (40, 30), seed=24)
        path = self.save(x)
        for dtype, op in itertools.product(["bool", "int8", "float32"], ["std", "median"]):
            y = x.astype(dtype)
            got = self.written("reduce", path, "--op", op, "--dtype", dtype, "--axis", 0)
            self.assertEqual(got.dtype, getattr(np, op)(y, axis=0).dtype)
            np.testing.assert_allclose(got, getattr(np, op)(y.astype("float64"), axis=0), rtol=1e-7)

    def test_nothing(self):
        path = self.save(np.zeros((2, 0, 3)))
        for op in (["std"], ["var"], ["median"], ["percentile", "--percentile", "5,10"]):
            self.assertIn(f"no {op[0]}", self.fails(1, "reduce", path, "--op", *op))
            self.out.unlink(missing_ok=True)
            self.fails(1, "reduce", path, "--op", *op, "--axis", 1, "-o", self.out)
            several = (2,) if len(op) > 1 else ()
            self.assertEqual(self.written("reduce", path, "--op", *op, "--axis", 0).shape, several + (0, 3))

    def test_errors(self):
        path = self.save(samples("complex64", 5))
        for op in (["median"], ["percentile", "--percentile", 5]):
            self.assertIn("complex numbers have no order", self.fails(1, "reduce", path, "--op", *op))
        for arguments in (["--op", "percentile"], ["--percentile", 5], ["--ddof", 1], ["--op", "var", "--ddof", -1],
                          ["--op", "percentile", "--percentile", "5,101"], ["--op", "percentile", "--percentile", "5,"],
                          ["--op", "std", "--algorithm", "tree"], ["--op", "median", "--algorithm", "tree"]):
            self.fails(2, "reduce", path, *arguments)
        path = self.folder / "sparse.npy"
        np.lib.format.open_memmap(path, "w+", "int8", (1 << 42,)).flush()
        done = run("reduce", path, "--op", "median", "--target", "serial")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("the elements are sorted in memory, and do not fit: out of memory (needs 12288.0 GiB; the machine has", done.stderr)


class FewThreadsTest(CommandTest):
    def test_that_the_system_gives(self):
        """What it gives do the work: none but the first, or some of those that are asked for."""
        x = np.arange(1 << 20, dtype="int64")
        path = self.save(x)
        for threads in (1, 2, 8):
            options = self.with_threads(threads)
            for target in ("parallel:64", "parallel:2"):
                self.assertEqual(int(self.printed("reduce", path, "--target", target, **options)), x.sum())
            if threads == 1:
                self.assertIn("--peers need 3 threads", self.fails(1, "bench", "reduce", "--size", 1000, "--target",
                                                                   "parallel:2", "--peers", "--seconds", 0.01, **options))


if __name__ == "__main__":
    unittest.main()
