#!/usr/bin/env python3
"""The heddle command against NumPy. HEDDLE is the path of the executable."""
import itertools
import json
import os
import pathlib
import pty
import select
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
import xml.etree.ElementTree

import numpy as np

HEDDLE = os.environ["HEDDLE"]

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
REALS = ["float32", "float64"]
COMPLEX = ["complex64", "complex128"]
TYPES = ["bool"] + INTEGERS + REALS + COMPLEX

REDUCTIONS = ["sum", "prod", "min", "max", "argmin", "argmax", "mean", "any", "all"]
ORDERED = {"min", "max", "argmin", "argmax"}
RUNGS = ["atomic", "block-serial", "interleaved", "tree", "two-pass", "shuffle"]
SCAN_RUNGS = ["hillis-steele", "blelloch"]
SCANS = {"sum": np.add, "prod": np.multiply, "min": np.minimum, "max": np.maximum}


def run(*arguments, **options):
    """What `heddle` does with these arguments."""
    return subprocess.run([HEDDLE, *map(str, arguments)], capture_output=True, text=True, timeout=300, **options)


def machine():
    return json.loads(run("info", "--json").stdout)


def samples(dtype, shape, seed=0, mild=False):
    """Elements of a type: integers of all sizes, real numbers of both signs. Products of mild ones stay near 1."""
    random = np.random.default_rng(seed)
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return random.random(shape) < 0.5
    if dtype.kind in "iu":
        bounds = np.iinfo(dtype)
        values = random.integers(bounds.min, bounds.max, shape, dtype, endpoint=True)
        # Odd factors keep products modulo 2^64 from reaching 0.
        return values | dtype.type(1) if mild else values

    def parts():
        if not mild:
            return random.uniform(-3, 3, shape)
        return np.exp(random.normal(0, 0.3, shape) / max(1, np.sqrt(np.prod(shape)))) * random.choice([-1, 1], shape)

    if dtype.kind == "f":
        return np.asarray(parts()).astype(dtype)
    if mild:
        return np.exp(1j * random.uniform(0, 6, shape)).astype(dtype)
    return (parts() + 1j * parts()).astype(dtype)


def widened(dtype):
    """The type in which NumPy sums elements of `dtype`."""
    return np.dtype({"b": "int64", "i": "int64", "u": "uint64"}.get(dtype.kind, dtype))


def wide(x):
    """The same numbers in the widest type, for an answer that is not rounded as the tested one is."""
    return x.astype({"f": np.longdouble, "c": np.clongdouble}.get(x.dtype.kind, x.dtype))


def part_type(dtype):
    return np.empty(0, dtype).real.dtype


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


class CliTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.machine = machine()
        cls.gpus = [gpu["target"] for gpu in cls.machine["gpus"]]

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.out = self.folder / "out.npy"

    def save(self, x, name="in.npy"):
        path = self.folder / name
        np.save(path, x)
        return path

    def printed(self, *arguments, **options):
        """The one line that a successful run prints."""
        done = run(*arguments, **options)
        self.assertEqual((done.returncode, done.stderr), (0, ""), arguments)
        self.assertTrue(done.stdout.endswith("\n") and done.stdout.count("\n") == 1, done.stdout)
        return done.stdout[:-1]

    def written(self, *arguments):
        """The array that a successful run writes, printing nothing."""
        self.out.unlink(missing_ok=True)
        done = run(*arguments, "-o", self.out)
        self.assertEqual((done.returncode, done.stderr, done.stdout), (0, "", ""), arguments)
        self.assertEqual(sorted(p.name for p in self.folder.iterdir() if p.suffix != ".npy"), [])
        return np.load(self.out)

    def fails(self, status, *arguments, **options):
        """The message of a run that fails with this exit status, one line that names the command; nothing is left."""
        before = {p: p.read_bytes() for p in self.folder.iterdir() if p.is_file()}
        done = run(*arguments, **options)
        self.assertEqual((done.returncode, done.stdout), (status, ""), f"{arguments}: {done.stderr}")
        self.assertRegex(done.stderr, r"\Aheddle[^\n]*: [^\n]+\n\Z")
        self.assertEqual({p: p.read_bytes() for p in self.folder.iterdir() if p.is_file()}, before, arguments)
        return done.stderr

    def assert_same(self, got, expected, note):
        """The same type, shape and bits, but for the bits of NaNs."""
        expected = np.asarray(expected)
        self.assertEqual((got.dtype, got.shape), (expected.dtype, expected.shape), note)
        np.testing.assert_array_equal(got, expected, str(note))
        if got.dtype.kind == "f":
            numbers = ~np.isnan(expected)
            np.testing.assert_array_equal(np.signbit(got)[numbers], np.signbit(expected)[numbers], str(note))

    def assert_within(self, got, expected, bound, note):
        error = np.abs(wide(np.asarray(got)) - expected)
        self.assertTrue(np.all(error <= bound), f"{note}: off by {error}, where {bound} is allowed")

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

    def check_scan(self, got, op, x, axis, note, exclusive=False, init=None, accumulator=None):
        """`got` is the scan that NumPy's accumulate gives."""
        if accumulator is None:
            accumulator = x.dtype if op in ("min", "max") else widened(x.dtype)
        x = x.astype(accumulator)
        if axis is None:
            x, axis = x.reshape(-1), 0
        function = SCANS[op]
        begin = init
        if begin is None and exclusive:
            if op in ("sum", "prod"):
                begin = 0 if op == "sum" else 1
            elif x.dtype.kind == "f":
                begin = np.inf if op == "min" else -np.inf
            elif x.dtype.kind == "b":
                begin = op == "min"
            else:
                begin = np.iinfo(x.dtype).max if op == "min" else np.iinfo(x.dtype).min
        elements = wide(x)
        if begin is not None:
            first = np.full_like(np.take(elements, [0], axis), begin) if x.shape[axis] else np.take(elements, [], axis)
            elements = np.concatenate([first, elements], axis)
        with np.errstate(invalid="ignore"):
            expected = function.accumulate(elements, axis=axis, dtype=elements.dtype)
        if begin is not None:
            n = x.shape[axis]
            expected = np.take(expected, range(n) if exclusive else range(1, n + 1), axis)
        self.assertEqual((got.dtype, got.shape), (x.dtype, expected.shape), note)
        if op in ("min", "max") or x.dtype.kind not in "fc":
            self.assert_same(got, expected.astype(x.dtype), note)
        elif x.size:
            eps = np.finfo(part_type(x.dtype)).eps
            count = np.arange(1, elements.shape[axis] + 1).reshape([-1] + [1] * (x.ndim - axis - 1))
            if op == "sum":
                # Strips of 512 elements and their totals: two roundings a level more than a pairwise sum has.
                bound = eps * (2 + np.log2(count)) * np.add.accumulate(np.abs(elements), axis=axis)
                n = x.shape[axis]
                if begin is not None:
                    bound = np.take(bound, range(n) if exclusive else range(1, n + 1), axis)
                self.assert_within(got, expected, np.maximum(bound, eps), note)
            else:
                self.assert_within(got, expected, 3 * eps * np.max(count) * np.abs(expected), note)

    # ------------------------------------------------------------------------------------------------ reduce

    def test_every_type_operator_and_axis(self):
        """A 3-d array, flat and along each axis, on targets in turn."""
        targets = itertools.cycle(["serial", "parallel:2", "auto"])
        for dtype in TYPES:
            for op in REDUCTIONS:
                if op in ORDERED and dtype in COMPLEX:
                    continue
                x = samples(dtype, (3, 70, 5), seed=1, mild=op == "prod")
                path = self.save(x)
                for axis in (None, 0, 1, -1):
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
        for dtype, op, size in itertools.product(["float32", "int16", "complex128"], ["sum", "mean", "max"], sizes):
            if op == "max" and dtype in COMPLEX:
                continue
            x = samples(dtype, size, seed=size)
            path = self.save(x)
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
            for op, axis in itertools.product(("sum", "argmax"), range(x.ndim)):
                got = self.written("reduce", path, "--op", op, "--axis", axis, "--target", "parallel:2")
                self.check_reduction(got, op, x, axis, (dtype, shape, op, axis))

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
                    for axis in range(3):
                        self.check_reduction(self.written("reduce", path, "--op", op, "--axis", axis), op,
                                             np.zeros((2, 0, 3), dtype), axis, (dtype, op, axis))
                elif not (op in ORDERED and dtype in COMPLEX):
                    self.assertIn("no elements", self.fails(1, "reduce", path, "--op", op))
                    self.out.unlink(missing_ok=True)
                    self.fails(1, "reduce", path, "--op", op, "--axis", 1, "-o", self.out)
                    self.assertEqual(self.written("reduce", path, "--op", op, "--axis", 0).shape, (0, 3))

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
            for values, expected in inputs:
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
            for op in ("sum", "prod", "min", "max", "mean"):
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

    def test_complex_truth(self):
        for values in ([0, 0], [0, 1j], [1j, 1], [complex(-0.0, 0)], [1, complex(0, np.nan)]):
            for dtype, op in itertools.product(COMPLEX, ("any", "all")):
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
            got = self.read_back(self.printed("reduce", path, "--op", op, "--dtype", dtype), np.dtype(got_type))
            self.check_reduction(got, op, y, None, (dtype, op), dtype=dtype)
            self.check_reduction(self.written("reduce", path, "--op", op, "--dtype", dtype, "--axis", 0), op, y, 0,
                                 (dtype, op), dtype=dtype)
        path = self.save(np.full(300, 1, "int8"))
        self.assertEqual(self.printed("reduce", path, "--dtype", "int8"), "44")
        self.assertEqual(self.printed("reduce", path, "--dtype", "bool"), "True")
        self.assertEqual(self.printed("reduce", self.save(np.array([1e-300j])), "--op", "any", "--dtype", "complex64"),
                         "False")

    def test_memory_orders_and_byte_orders(self):
        for dtype in ("int16", "float32", "complex128", "bool"):
            x = samples(dtype, (40, 50, 60), seed=6)
            for y in (np.asfortranarray(x), x.astype(x.dtype.newbyteorder(">")),
                      np.asfortranarray(x.astype(x.dtype.newbyteorder(">")))):
                path = self.save(y)
                got = self.read_back(self.printed("reduce", path, "--target", "parallel:2"), widened(x.dtype))
                self.check_reduction(got, "sum", x, None, dtype)
                for axis in range(3):
                    self.check_reduction(self.written("reduce", path, "--axis", axis), "sum", x, axis, (dtype, axis))
                self.assertEqual(self.printed("reduce", path, "--op", "any"), "True")
                self.check_scan(self.written("scan", path), "sum", x, None, dtype)
                self.check_scan(self.written("scan", path, "--axis", 1), "sum", x, 1, dtype)
                if dtype not in COMPLEX:
                    self.assertEqual(self.printed("reduce", path, "--op", "argmin"), str(x.argmin()))

    def test_output_without_axis(self):
        """-o holds the value that is printed, as an array without axes."""
        x = samples("int16", 100)
        self.assertEqual(self.printed("reduce", self.save(x), "-o", self.out), str(x.sum()))
        self.assert_same(np.load(self.out), np.asarray(x.sum()), "0-d")
        self.assertEqual(self.printed("reduce", self.save(x), "--op", "any", "-o", self.out), "True")
        self.assert_same(np.load(self.out), np.asarray(True), "0-d")

    # ------------------------------------------------------------------------------------------------ scan

    def test_scan_of_every_type_operator_and_axis(self):
        targets = itertools.cycle(["serial", "parallel:2", "auto"])
        for dtype, op in itertools.product(TYPES, SCANS):
            if op in ORDERED and dtype in COMPLEX:
                continue
            x = samples(dtype, (3, 70, 5), seed=7, mild=op == "prod")
            path = self.save(x)
            for axis, exclusive in itertools.product((None, 0, 1, -1), (False, True)):
                flags = ["--op", op, "--target", next(targets)] + ["--exclusive"] * exclusive
                if axis is not None:
                    flags += ["--axis", axis]
                got = self.written("scan", path, *flags)
                self.check_scan(got, op, x, axis if axis != -1 else 2, (dtype, op, axis, exclusive), exclusive)

    def test_scan_sizes(self):
        sizes = [1, 2, 31, 33, 511, 512, 513, 2049, 1_000_003]
        for dtype, size, where in itertools.product(["float32", "int32", "complex64"], sizes, ["serial", "parallel:2"]):
            x = samples(dtype, size, seed=size)
            self.check_scan(self.written("scan", self.save(x), "--target", where), "sum", x, None, (dtype, size, where))

    def test_scan_initial_value(self):
        cases = [
            ("int64", "sum", str(-(2**63)), -(2**63)), ("int64", "sum", str(2**63 - 1), 2**63 - 1),
            ("uint64", "sum", str(2**64 - 1), np.uint64(2**64 - 1)), ("int8", "sum", "9007199254740993", 2**53 + 1),
            ("int16", "max", "-5", -5), ("uint8", "min", "100", 100), ("bool", "sum", "-3", -3),
            ("bool", "max", "True", True), ("float32", "sum", "0.1", np.float32("0.1")),
            ("float64", "max", "inf", np.inf), ("float64", "min", "-inf", -np.inf), ("float64", "sum", "nan", np.nan),
            ("float32", "sum", "+2.5e-3", 2.5e-3), ("float64", "max", "-0.0", -0.0),
            ("complex128", "sum", "1.5-2e-3j", 1.5 - 2e-3j),
            ("complex64", "prod", "2j", 2j), ("complex64", "sum", "3", 3),
        ]
        for (dtype, op, text, init), exclusive in itertools.product(cases, (False, True)):
            x = samples(dtype, 700, seed=8, mild=op == "prod")
            path = self.save(x)
            got = self.written("scan", path, "--op", op, "--init", text, *["--exclusive"] * exclusive)
            note = (dtype, op, text, exclusive)
            if isinstance(init, float) and np.isnan(init):
                self.assertTrue(np.isnan(got).all(), note)
            else:
                if exclusive:
                    self.assert_same(got[0], np.asarray(init).astype(got.dtype), note)
                self.check_scan(got, op, x, None, note, exclusive, init)

    def test_scan_initial_value_out_of_range(self):
        bad = {"uint64": ["-1", str(2**64), "1.5", "1e3"], "int64": [str(2**63), str(-(2**63) - 1), "1+2j", "True"],
               "float64": ["1e999", "1+2j"], "complex64": ["1e99"]}
        for dtype, texts in bad.items():
            path = self.save(samples(dtype, 5))
            for text in texts:
                self.assertIn(text, self.fails(1, "scan", path, "--init", text, "-o", self.out))
        path = self.save(samples("uint8", 5))
        message = self.fails(1, "scan", path, "--op", "max", "--init", "256", "-o", self.out)
        self.assertIn("256 does not fit uint8 (an integer from 0 to 255", message)
        path = self.save(samples("float32", 5))
        self.assertIn("from -3.4028235e+38 to", self.fails(1, "scan", path, "--init", "1e40", "-o", self.out))
        self.assertEqual(self.written("scan", path, "--init", "1e-400").dtype, np.float32)
        for axis in ("010", "0x0", "1.0", "x"):
            self.fails(2, "scan", path, "--axis", axis, "-o", self.out)
        for text in ("x", "", "1..2", "0x10", "1+", "--"):
            self.fails(2, "scan", path, f"--init={text}", "-o", self.out)

    def test_scan_special_values(self):
        x = np.array([1, -0.0, np.inf, 3, -np.inf, 2, np.nan, 1, 0.5])
        for dtype, op, axis in itertools.product(REALS, ("min", "max"), (None, 0)):
            path = self.save(x.astype(dtype))
            flags = [] if axis is None else ["--axis", axis]
            got = self.written("scan", path, "--op", op, *flags)
            self.assert_same(got, SCANS[op].accumulate(x.astype(dtype)), (dtype, op))
        got = self.written("scan", path)
        with np.errstate(invalid="ignore"):
            np.testing.assert_array_equal(got, np.cumsum(x))

    def test_scan_dtype(self):
        x = samples("int16", (30, 20), seed=9)
        path = self.save(x)
        for dtype in ("int8", "uint32", "float32", "complex128", "bool"):
            self.check_scan(self.written("scan", path, "--dtype", dtype), "sum", x.astype(dtype), None, dtype,
                            accumulator=np.dtype(dtype))
        got = self.written("scan", path, "--dtype", "int8", "--op", "max")
        self.check_scan(got, "max", x.astype("int8"), None, "int8")

    def test_scan_of_empty_and_scalar_arrays(self):
        for shape in ((0,), (2, 0, 3), ()):
            x = samples("int32", shape)
            self.check_scan(self.written("scan", self.save(x)), "sum", x, None, shape)
        self.fails(1, "scan", self.save(x), "--axis", 0, "-o", self.folder / "none.npy")
        x = np.zeros((2, 0, 3), "float32")
        for axis in range(3):
            self.assert_same(self.written("scan", self.save(x), "--axis", axis), x, axis)

    def test_scan_over_its_own_input(self):
        x = samples("float64", 10_000)
        path = self.save(x)
        self.assertEqual(run("scan", path, "-o", path).returncode, 0)
        self.check_scan(np.load(path), "sum", x, None, "in place")

    # ------------------------------------------------------------------------------------------------ GPU

    def test_gpu(self):
        """The same answers on a GPU: integers and every reduction bit for bit as on one core."""
        if not self.gpus:
            self.skipTest("no GPU")
        gpu = self.gpus[0]
        for dtype in TYPES:
            x = samples(dtype, (3, 700, 50), seed=10)
            path = self.save(x)
            for op in ("sum", "all") + (() if dtype in COMPLEX else ("max", "argmin")):
                self.assertEqual(self.printed("reduce", path, "--op", op, "--target", gpu),
                                 self.printed("reduce", path, "--op", op, "--target", "serial"), (dtype, op))
            for op, axis in (("sum", 0), ("sum", 2)) + (() if dtype in COMPLEX else (("argmax", 1),)):
                self.assert_same(self.written("reduce", path, "--op", op, "--axis", axis, "--target", gpu),
                                 self.written("reduce", path, "--op", op, "--axis", axis, "--target", "serial"),
                                 (dtype, op, axis))
            for flags in ([], ["--exclusive", "--axis", 1]):
                self.check_scan(self.written("scan", path, "--target", gpu, *flags), "sum", x, 1 if flags else None,
                                (dtype, flags), bool(flags))
        x = samples("float32", 40_000_003, seed=11)
        path = self.save(x)
        self.assertEqual(self.printed("reduce", path, "--target", gpu),
                         self.printed("reduce", path, "--target", "serial"))

    # ------------------------------------------------------------------------------------------------ errors

    def test_wrong_usage(self):
        path = self.save(np.arange(6.0).reshape(2, 3))
        for arguments in (
                [], ["nonsense"], ["reduce"], ["reduce", path, "extra"], ["reduce", path, "--op", "median"],
                ["reduce", path, "--dtype", "float16"], ["reduce", path, "--axis", 0], ["reduce", path, "--axis", "x"],
                ["reduce", path, "--target", "cloud"], ["reduce", path, "--target", "parallel:0"],
                ["reduce", path, "--target", "parallel:"], ["reduce", path, "--target", "gpu:-1"],
                ["reduce", path, "--target", "serial:2"], ["reduce", path, "--nonsense"], ["scan", path],
                ["scan", path, "-o", self.out, "--op", "mean"], ["info", "extra"]):
            self.assertIn("--help", self.fails(2, *arguments))

    def test_axis_out_of_range(self):
        path = self.save(np.zeros((2, 3)))
        for command, axis in itertools.product(("reduce", "scan"), (2, -3, 2**40)):
            message = self.fails(1, command, path, "--axis", axis, "-o", self.out)
            self.assertIn(f"axis {axis}", message)
            self.assertIn("(2, 3)", message)

    def test_bad_files(self):
        good = self.save(np.arange(1000.0)).read_bytes()
        objects = self.folder / "objects.npy"
        np.save(objects, np.array([{}, None]), allow_pickle=True)
        bad = {"truncated.npy": (good[:-9], "truncated"), "header.npy": (good[:40], "byte"),
               "empty.npy": (b"", "empty"), "text.npy": (b"1, 2, 3\n" * 20, "no .npy file"),
               "objects.npy": (objects.read_bytes(), "objects")}
        for name, (content, reason) in bad.items():
            path = self.folder / name
            path.write_bytes(content)
            for command in (["reduce", path], ["reduce", path, "-o", self.out], ["scan", path, "-o", self.out]):
                message = self.fails(1, *command)
                self.assertIn(reason, message)
                self.assertIn(str(path), message)
        self.assertIn("No such file", self.fails(1, "reduce", self.folder / "missing.npy"))
        self.assertIn("directory", self.fails(1, "reduce", self.folder))

    def test_output_that_cannot_be_written(self):
        path = self.save(np.arange(10.0))
        self.fails(1, "scan", path, "-o", self.folder / "missing" / "out.npy")
        self.fails(1, "reduce", path, "--axis", 0, "-o", self.folder)
        # A failure leaves the file that was there as it was.
        self.out.write_bytes(b"precious")
        self.fails(1, "scan", path, "--axis", 7, "-o", self.out)
        self.fails(1, "scan", self.folder / "missing.npy", "-o", self.out)
        self.assertEqual(self.out.read_bytes(), b"precious")
        # It is known before the work, which would last for minutes here.
        started = time.monotonic()
        done = run("reduce", self.sparse_file(1 << 40), "--target", "serial", "-o", self.folder / "missing" / "out.npy")
        self.assertEqual(done.returncode, 1)
        self.assertIn("No such file", done.stderr)
        self.assertLess(time.monotonic() - started, 30)

    def test_standard_output_that_cannot_be_written(self):
        path = self.save(np.arange(10.0))
        for arguments in (["reduce", path], ["info", "--json"], ["--help"], ["--version"]):
            with open("/dev/full", "w") as full:
                done = subprocess.run([HEDDLE, *arguments], stdout=full, stderr=subprocess.PIPE, text=True)
            self.assertEqual(done.returncode, 1, arguments)
            self.assertIn("standard output", done.stderr)
            done = subprocess.run(["sh", "-c", '"$@" >&-', "sh", HEDDLE, *arguments], stderr=subprocess.PIPE, text=True)
            self.assertEqual(done.returncode, 1, arguments)
            self.assertIn("standard output", done.stderr)

    def test_failure_to_print_leaves_the_output_as_it_was(self):
        path = self.save(np.arange(10.0))
        self.out.write_bytes(b"precious")
        with open("/dev/full", "w") as full:
            done = subprocess.run([HEDDLE, "reduce", path, "-o", self.out], stdout=full, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(self.out.read_bytes(), b"precious")

    def test_standard_error_that_cannot_be_written(self):
        """The work is done, and the exit status is what it would have been."""
        path = self.save(np.arange(10.0))
        for status, arguments in ((0, ["reduce", path, "--stats"]), (1, ["reduce", self.folder / "missing.npy"]),
                                  (2, ["reduce"])):
            for redirection in ("2>&-", "2>/dev/full"):
                done = subprocess.run(["sh", "-c", f'"$@" {redirection}', "sh", HEDDLE, *arguments],
                                      stdout=subprocess.PIPE)
                self.assertEqual(done.returncode, status, (arguments, redirection))

    def test_target_that_is_not_there(self):
        path = self.save(np.arange(10.0))
        self.fails(1, "reduce", path, "--target", "gpu:99")
        self.assertIn("threads", self.fails(1, "reduce", path, "--target", "parallel:999999"))

    # ------------------------------------------------------------------------------------------------ heddle bench

    def bench(self, *arguments):
        """The results of a benchmark, as its JSON file has them, and the lines of its table."""
        report = self.folder / "report.json"
        done = run("bench", *arguments, "--json", report)
        self.assertEqual((done.returncode, done.stderr), (0, ""), arguments)
        found = json.loads(report.read_text())
        self.assertEqual(set(found), {"machine", "results"})
        return found["results"], done.stdout.splitlines()

    def test_bench_results(self):
        """What the file says agrees with itself, and the table with the file."""
        for pattern, ceiling, moved in (("reduce", "read", 1), ("scan", "copy", 2), ("transform", "copy", 2)):
            results, table = self.bench(pattern, "--target", "serial,parallel:2", "--size", "1000,2^12", "--type",
                                        "float64")
            self.assertEqual([(r["target"], r["n"], r["algorithm"], r["kind"]) for r in results],
                             [(target, n, name, kind) for target in ("serial", "parallel:2") for n in (1000, 4096)
                              for name, kind in (("single-pass", "heddle"), (ceiling, "ceiling"))])
            self.assertEqual(table[0].split()[:6], ["target", "algorithm", "type", "n", "median", "spread"])
            self.assertEqual(len(table), 1 + len(results))
            for result, row in zip(results, table[1:]):
                self.assertEqual((result["pattern"], result["dtype"]), (pattern, "float64"))
                self.assertEqual(result.get("op"), None if pattern == "transform" else "sum")
                self.assertEqual(result["bytes"], result["n"] * 8 * moved)
                self.assertAlmostEqual(result["gb_per_s"], result["bytes"] / result["seconds"] / 1e9, 9)
                self.assertGreaterEqual(result["interquartile_seconds"], 0)
                self.assertGreaterEqual(result["samples"], 10)
                self.assertGreaterEqual(result["calls_per_sample"], 1)
                self.assertGreater(result["buffers"], 1)
                size = {1000: "1000", 4096: "2^12"}[result["n"]]
                self.assertEqual(row.split()[:4], [result["target"], result["algorithm"], "float64", size])
                number, unit = row.split()[4:6]
                self.assertAlmostEqual(float(number) * {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1}[unit]
                                       / result["seconds"], 1, 1)
                self.assertEqual(row.split()[8], f"{result['gb_per_s']:.2f}")
                if result["kind"] == "ceiling":
                    self.assertNotIn("fraction_of_ceiling", result)
                    continue
                self.assertEqual(result["ceiling"], ceiling)
                limit = next(r for r in results if r["kind"] == "ceiling" and
                             (r["target"], r["n"]) == (result["target"], result["n"]))
                self.assertAlmostEqual(result["fraction_of_ceiling"], result["gb_per_s"] / limit["gb_per_s"], 9)
                self.assertTrue(row.endswith(f"{result['fraction_of_ceiling']:.2f} of {ceiling}"), row)

    def test_bench_describes_the_machine(self):
        self.bench("reduce", "--target", "serial", "--size", 100, "--in-cache")
        described = json.loads((self.folder / "report.json").read_text())["machine"]

        def lasting(found):
            """Without what another process may have changed or measured anew."""
            if isinstance(found, dict):
                return {k: lasting(v) for k, v in found.items() if k != "free_bytes" and "per_second" not in k}
            return [lasting(one) for one in found] if isinstance(found, list) else found

        self.assertEqual(lasting(described), lasting(self.machine))

    def test_bench_of_every_type(self):
        for pattern in ("reduce", "scan", "transform"):
            results, _ = self.bench(pattern, "--target", "serial", "--size", 500, "--type", ",".join(TYPES), "--in-cache")
            self.assertEqual([r["dtype"] for r in results], [t for t in TYPES for _ in range(2)])
            for result in results:
                copies = 1 if pattern == "reduce" else 2
                self.assertEqual(result["bytes"], 500 * np.dtype(result["dtype"]).itemsize * copies)

    def test_bench_sizes(self):
        for text, sizes in (("7", [7]), ("1e3,2^5", [32, 1000]), ("2^5..2^8", [32, 64, 128, 256]), ("1.5e2", [150]),
                            ("10..1000:10", [10, 100, 1000]), ("3..20,6", [3, 6, 12]), ("64..100", [64])):
            results, _ = self.bench("reduce", "--target", "serial", "--size", text, "--in-cache")
            self.assertEqual([r["n"] for r in results[::2]], sizes, text)
            self.assertEqual({r["buffers"] for r in results}, {1})

    def test_bench_algorithms(self):
        for pattern in ("reduce", "scan", "transform"):
            arguments = [pattern, "--target", "serial", "--size", 100, "--in-cache"]
            by_default, _ = self.bench(*arguments)
            everything, _ = self.bench(*arguments, "--algorithm", "all")
            names = [r["algorithm"] for r in everything if r["kind"] == "heddle"]
            self.assertEqual([r["algorithm"] for r in by_default if r["kind"] == "heddle"], names[:1])
            self.assertEqual(len(set(names)), len(names))
            named, _ = self.bench(*arguments, "--algorithm", ",".join(reversed(names)))
            self.assertEqual([r["algorithm"] for r in named if r["kind"] == "heddle"], names[::-1])

    def test_bench_operators(self):
        for pattern in ("reduce", "scan"):
            results, _ = self.bench(pattern, "--op", "max", "--target", "parallel:2", "--size", 500, "--type",
                                    "bool,uint8,int32,float64", "--peers", "--in-cache")
            self.assertEqual({r["op"] for r in results}, {"max"})
            for dtype, with_peers in (("bool", False), ("uint8", False), ("int32", True), ("float64", True)):
                found = [r["algorithm"] for r in results if r["dtype"] == dtype]
                self.assertIn("single-pass", found)
                self.assertEqual("std par_unseq" in found, with_peers)
            self.assertIn("complex64", self.fails(1, "bench", pattern, "--op", "max", "--type", "complex64"))

    def test_bench_peers(self):
        for pattern in ("reduce", "scan", "transform"):
            for target, least in (("serial", {"std seq"}), ("parallel:2", {"std seq", "std par_unseq"})):
                results, _ = self.bench(pattern, "--target", target, "--size", 3000, "--type", "int8,uint64,float32",
                                        "--peers", "--in-cache")
                if pattern == "reduce":
                    least = least | {"copy"}
                if target != "serial" and self.machine["cuda"]["toolkit"]:
                    least = least | {"Thrust OpenMP", "Thrust TBB"}
                for dtype in ("int8", "uint64", "float32"):
                    self.assertEqual({r["algorithm"] for r in results if r["kind"] == "peer" and r["dtype"] == dtype},
                                     least)
        # They do not take every type; what they do not take is measured without them.
        results, _ = self.bench("scan", "--target", "serial", "--size", 10, "--type", "bool", "--peers", "--in-cache")
        self.assertEqual([r["kind"] for r in results], ["heddle", "ceiling"])

    def test_bench_on_gpus(self):
        if not self.gpus:
            self.skipTest("this machine has no GPU")
        for pattern in ("reduce", "scan", "transform"):
            results, table = self.bench(pattern, "--target", self.gpus[0], "--size", "1,2^20", "--peers")
            self.assertIn("back to back", table[0])
            peers = {r["algorithm"] for r in results if r["kind"] == "peer"}
            self.assertEqual(peers, {"CUB", "Thrust"} | ({"copy"} if pattern == "reduce" else set()))
            for result in results:
                self.assertGreater(result["back_to_back_seconds"], 0)
                self.assertGreater(result["whole_call_seconds"], 0)

    def test_bench_on_every_target(self):
        results, _ = self.bench("transform", "--size", 100, "--in-cache")
        self.assertEqual([r["target"] for r in results[::2]], self.machine["targets"])

    def test_bench_chart(self):
        if shutil.which("gnuplot") is None:
            self.skipTest("gnuplot is not installed")
        chart = self.folder / "chart.svg"
        for sizes in ("64..512", "100"):
            done = run("bench", "scan", "--target", "serial,parallel:2", "--size", sizes, "--type", "int32,float32",
                       "--peers", "--in-cache", "--plot", chart)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            drawing = xml.etree.ElementTree.parse(chart)
            self.assertEqual(drawing.getroot().tag, "{http://www.w3.org/2000/svg}svg")
            texts = ["".join(e.itertext()).strip() for e in drawing.iter() if e.tag.endswith("}text")]
            for target in ("serial", "parallel:2"):
                self.assertIn(f"scan (sum) on {target}", texts)
            self.assertIn(self.machine["cpu"]["name"], texts)
            for dtype in ("int32", "float32"):
                for name in ("single-pass", "std seq", "std par_unseq", "copy (ceiling)"):
                    # A text for each panel that has the line; only threads have the parallel one.
                    self.assertEqual(texts.count(f"{name} {dtype}"), 1 if name == "std par_unseq" else 2, name)
            chart.unlink()

    def test_bench_chart_without_gnuplot(self):
        """It is said before anything is measured, which would take minutes here."""
        message = self.fails(1, "bench", "reduce", "--size", "2^26..2^28", "--plot", self.folder / "chart.svg", "--json",
                             self.folder / "report.json", env={**os.environ, "PATH": str(self.folder)})
        self.assertIn("gnuplot-nox", message)

    def test_bench_wrong_usage(self):
        for arguments in ([], ["median"], ["reduce", "scan"], ["reduce", "--target", "auto"],
                          ["reduce", "--target", "serial,gpu:x"], ["reduce", "--target", ""], ["reduce", "--size"],
                          ["reduce", "--type", "float16"], ["reduce", "--type", "float32,"], ["scan", "--algorithm", "tree"],
                          ["scan", "--algorithm", "single-pass,nonsense"], ["reduce", "--json"], ["reduce", "--plot"],
                          ["reduce", "--op", "mean"], ["transform", "--op", "max"],
                          ["reduce", "--repeats", "3"]):
            self.fails(2, "bench", *arguments)
        for size in ("0", "-1", "1.5", "many", "2^57", "2^99", "2^", "^2", "1e99", "1000,", "2^10..", "..2^10", "2^10..2^9",
                     "1..8:1", "1..8:0", "1..8:x", "1...8", "nan", "inf"):
            self.assertIn("--size", self.fails(2, "bench", "reduce", "--size", size), size)

    def test_bench_failures(self):
        self.fails(1, "bench", "reduce", "--target", "gpu:99")
        message = self.fails(1, "bench", "scan", "--target", "serial", "--size", "2^50")
        self.assertIn("1125899906842624 float32 on serial", message)
        self.assertIn("--size", message)
        for flag in ("--json", "--plot"):
            message = self.fails(1, "bench", "reduce", flag, self.folder / "missing" / "file")
            self.assertRegex(message, "No such file|gnuplot")
        with open("/dev/full", "w") as full:
            done = subprocess.run([HEDDLE, "bench", "reduce", "--target", "serial", "--size", "10", "--in-cache", "--json",
                                   str(self.folder / "report.json")], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("standard output", done.stderr)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_bench_interruption(self):
        """Ctrl-C ends it with status 130; what was measured by then stays printed, and no file is left."""
        files = ["--json", str(self.folder / "report.json")]
        if shutil.which("gnuplot"):
            files += ["--plot", str(self.folder / "chart.svg")]
        running = subprocess.Popen([HEDDLE, "bench", "reduce", "--target", "serial", "--size", "64..2^24", *files],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(running.kill)
        printed = os.read(running.stdout.fileno(), 4096)
        running.send_signal(signal.SIGINT)
        rest, errors = running.communicate(timeout=60)
        self.assertEqual((running.returncode, errors), (130, b"heddle bench: interrupted\n"))
        printed += rest
        self.assertTrue(printed.startswith(b"target") and printed.endswith(b"\n"), printed)
        self.assertEqual(list(self.folder.iterdir()), [])

    # ------------------------------------------------------------------------------------------------ the rest

    def test_help_and_version(self):
        for arguments in (["--help"], ["reduce", "--help"], ["scan", "--help"], ["info", "--help"],
                          ["bench", "--help"]):
            done = run(*arguments)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("Usage: heddle", done.stdout)
        self.assertRegex(self.printed("--version"), r"^heddle \d+\.\d+\.\d+$")

    def test_stats(self):
        x = samples("int16", 100_000)
        path = self.save(x)
        for command, pattern, dtype in ((["reduce", path], "reduce", "int64"),
                                        (["reduce", path, "--op", "argmin"], "reduce", "int16"),
                                        (["scan", path, "-o", self.out], "scan", "int64")):
            for target in ("serial", "parallel:2", "auto"):
                done = run(*command, "--stats", "--target", target)
                self.assertEqual(done.returncode, 0)
                self.assertEqual(done.stderr.count("\n"), 1)
                stats = json.loads(done.stderr)
                self.assertEqual((stats["pattern"], stats["n"], stats["dtype"]), (pattern, x.size, dtype))
                self.assertIn(stats["target"], [target] if target != "auto" else self.machine["targets"])
                self.assertIsInstance(stats["algorithm"], str)
                self.assertGreater(stats["seconds"], 0)
                self.assertGreater(stats["gb_per_s"], 0)

    def test_algorithms(self):
        """Every rung gives what the default gives: the same bits of integers, rounded sums within the bound."""
        for target in ["serial", "parallel:2"] + [t for t in self.machine["targets"] if t.startswith("gpu")]:
            for dtype, n in itertools.product(("bool", "int8", "uint16", "float32", "complex64"), (1, 1000, 70_001)):
                x = samples(dtype, n, seed=n)
                path = self.save(x)
                for algorithm in RUNGS:
                    flags = ["--algorithm", algorithm, "--target", target]
                    text = self.printed("reduce", path, *flags)
                    if dtype in ("float32", "complex64"):
                        have = np.array(complex(text) if dtype == "complex64" else float(text))
                        error, exact = abs(have - wide(x).sum()), np.abs(wide(x)).sum()
                        self.assertLessEqual(error, (4 + np.sqrt(n)) * np.finfo(np.float32).eps * exact, (flags, dtype, n))
                    else:
                        self.assertEqual(int(text), x.sum(), (flags, dtype, n))
                    if dtype != "complex64":
                        for op in ("min", "max", "any", "all"):
                            self.assertEqual(self.printed("reduce", path, "--op", op, *flags),
                                             self.printed("reduce", path, "--op", op), (flags, dtype, n, op))
                for algorithm in SCAN_RUNGS:
                    for op in ("sum", "max") if dtype != "complex64" else ("sum",):
                        have = self.written("scan", path, "--op", op, "--algorithm", algorithm, "--target", target)
                        if op == "max":
                            np.testing.assert_array_equal(have, np.maximum.accumulate(x))
                        elif dtype in ("float32", "complex64"):
                            bound = 12 * np.finfo(np.float32).eps * np.abs(wide(x)).cumsum()
                            self.assertTrue((abs(have - wide(x).cumsum()) <= bound).all(), (algorithm, dtype, n))
                        else:
                            np.testing.assert_array_equal(have, x.cumsum())

    def test_stats_name_the_algorithm(self):
        path = self.save(samples("float64", 1000))
        for command, algorithms in ((["reduce", path], RUNGS), (["scan", path, "-o", self.out], SCAN_RUNGS)):
            self.assertEqual(json.loads(run(*command, "--stats").stderr)["algorithm"], "single-pass")
            for algorithm in algorithms + ["single-pass"]:
                done = run(*command, "--stats", "--algorithm", algorithm)
                self.assertEqual(json.loads(done.stderr)["algorithm"], algorithm)

    def test_algorithms_that_do_not_fit(self):
        path = self.save(samples("float64", (10, 10)))
        empty = self.save(np.zeros(0), "empty.npy")
        self.assertEqual(self.printed("reduce", empty, "--algorithm", "tree"), "0")
        self.assertIn("no min", self.fails(1, "reduce", empty, "--algorithm", "tree", "--op", "min"))
        self.assertIn("takes an array flat",
                      self.fails(2, "reduce", path, "--axis", 0, "-o", self.out, "--algorithm", "tree"))
        self.assertIn("takes an array flat",
                      self.fails(2, "scan", path, "--axis", 0, "-o", self.out, "--algorithm", "blelloch"))
        for op in ("mean", "argmin", "argmax"):
            self.assertIn(f"{op} takes single-pass", self.fails(2, "reduce", path, "--op", op, "--algorithm", "atomic"))
        self.assertIn("not in", self.fails(2, "reduce", path, "--algorithm", "blelloch"))
        self.assertIn("not in", self.fails(2, "scan", path, "-o", self.out, "--algorithm", "tree"))
        self.written("reduce", path, "--axis", 0, "--algorithm", "single-pass")

    def test_small_arrays_stay_on_the_cpu(self):
        done = run("reduce", self.save(np.arange(1000.0)), "--stats")
        self.assertEqual(json.loads(done.stderr)["target"], "serial")

    def test_info(self):
        self.assertEqual(self.machine["targets"][0], "serial")
        self.assertGreaterEqual(self.machine["cpu"]["cores"], 1)
        self.assertGreater(self.machine["cpu"]["read_bytes_per_second"]["one_core"], 0)
        self.assertIn("oneTBB", self.machine["libraries"])
        self.assertRegex(self.machine["cuda"]["toolkit"] or "0.0", r"^\d+\.\d+$")
        done = run("info")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for target in self.machine["targets"]:
            self.assertIn(target, done.stdout)

    def test_input_from_a_pipe(self):
        x = samples("float32", 5000)
        with open(self.save(x), "rb") as file:
            text = self.printed("reduce", "/dev/stdin", "--op", "max", stdin=file)
        self.assertEqual(np.float32(text), x.max())
        content = self.save(x).read_bytes()
        done = subprocess.run([HEDDLE, "reduce", "/dev/stdin", "--op", "max"], input=content, stdout=subprocess.PIPE)
        self.assertEqual(np.float32(done.stdout), x.max())

    def sparse_file(self, elements):
        """A file of so many zeros that takes no room on the disk and lasts a while to reduce."""
        path = self.folder / "sparse.npy"
        np.lib.format.open_memmap(path, "w+", "int8", (elements,)).flush()
        return path

    def test_interruption(self):
        """Ctrl-C ends a run between two pieces with status 130, and leaves no output."""
        path = self.sparse_file(1 << 36)
        for arguments in (["reduce", path], ["reduce", path, "-o", self.out]):
            arguments += ["--target", "serial"]
            running = subprocess.Popen([HEDDLE, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.addCleanup(running.kill)
            time.sleep(0.3)
            running.send_signal(signal.SIGINT)
            out, errors = running.communicate(timeout=60)
            self.assertEqual((running.returncode, out, errors), (130, b"", b"heddle reduce: interrupted\n"))
            self.assertEqual([p.name for p in self.folder.iterdir()], ["sparse.npy"])

    def test_interruption_of_a_pipe_that_nobody_writes_to(self):
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        running = subprocess.Popen([HEDDLE, "reduce", pipe], stderr=subprocess.PIPE)
        self.addCleanup(running.kill)
        time.sleep(0.3)
        running.send_signal(signal.SIGTERM)
        self.assertEqual(running.communicate(timeout=60)[1], b"heddle: interrupted\n")
        self.assertEqual(running.returncode, 128 + signal.SIGTERM)

    def test_endless_input_that_is_no_array(self):
        self.assertIn("no .npy file", self.fails(1, "reduce", "/dev/zero"))

    def test_interruption_while_the_output_is_written(self):
        """Whether asked to stop or killed, nothing is left beside what was there."""
        path = self.save(np.zeros(1 << 26, np.int32))
        names = sorted(p.name for p in self.folder.iterdir())
        for kill in (signal.SIGINT, signal.SIGKILL):
            for delay in (0.05, 0.1, 0.2, 0.3, 0.4, 0.6):
                running = subprocess.Popen([HEDDLE, "scan", path, "--dtype", "int32", "-o", self.out],
                                           stderr=subprocess.DEVNULL)
                time.sleep(delay)
                running.send_signal(kill)
                if running.wait(timeout=60) == 0:
                    self.assertEqual(np.load(self.out, mmap_mode="r").shape, (1 << 26,))
                self.out.unlink(missing_ok=True)
                self.assertEqual(sorted(p.name for p in self.folder.iterdir()), names)

    def check_progress(self, *arguments, rate):
        """A line that comes after a while and is erased at the end; none with --quiet, none when it is no terminal."""
        for flags, wanted in (([], True), (["--quiet"], False)):
            terminal, end = pty.openpty()
            running = subprocess.Popen([HEDDLE, *map(str, arguments), *flags], stdout=subprocess.DEVNULL, stderr=end)
            self.addCleanup(running.kill)
            os.close(end)
            shown = b""
            give_up = time.monotonic() + (60 if wanted else 1.5)
            while time.monotonic() < give_up and not shown:
                if select.select([terminal], [], [], 0.1)[0]:
                    shown += os.read(terminal, 4096)
            running.send_signal(signal.SIGTERM)
            running.communicate(timeout=60)
            self.assertEqual(running.returncode, 128 + signal.SIGTERM)
            while True:
                try:
                    shown += os.read(terminal, 4096)
                except OSError:  # the other end is closed
                    break
            os.close(terminal)
            stopped = f"heddle {arguments[0]}: interrupted\r\n".encode()
            if wanted:
                self.assertRegex(shown, rb"%  " + rate)
                self.assertTrue(shown.endswith(b"\r\x1b[K" + stopped), shown)
            else:
                self.assertEqual(shown, stopped)

    def test_progress_on_a_terminal(self):
        path = self.sparse_file(1 << 36)
        self.check_progress("reduce", path, "--target", "serial", rate=rb"[0-9.]+ GB/s  .+ left")
        self.check_progress("bench", "reduce", "--target", "serial", "--size", "1..2^20", "--type", ",".join(TYPES),
                            rate=rb"serial \w+ (2\^)?[0-9]+")


if __name__ == "__main__":
    unittest.main()
