#!/usr/bin/env python3
"""heddle scan against NumPy."""
import itertools
import unittest

import numpy as np

from checks import COMPLEX, ORDERED, REALS, TYPES, CommandTest, in_other_orders, part_type, run, samples, some_of, wide, widened

SCANS = {"sum": np.add, "prod": np.multiply, "min": np.minimum, "max": np.maximum}


class ScanTest(CommandTest):
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

    def test_of_every_type_operator_and_axis(self):
        targets = itertools.cycle(["serial", "parallel:2", "auto"])
        for dtype, op in itertools.product(TYPES, SCANS):
            if op in ORDERED and dtype in COMPLEX:
                continue
            x = samples(dtype, (3, 70, 5), seed=7, mild=op == "prod")
            path = self.save(x)
            for exclusive, axis in [(e, a) for e in (False, True) for a in some_of((None, 0, 1, -1))]:
                flags = ["--op", op, "--target", next(targets)] + ["--exclusive"] * exclusive
                if axis is not None:
                    flags += ["--axis", axis]
                got = self.written("scan", path, *flags)
                self.check_scan(got, op, x, axis if axis != -1 else 2, (dtype, op, axis, exclusive), exclusive)

    def test_sizes(self):
        sizes = [1, 2, 31, 33, 511, 512, 513, 2049, 1_000_003]
        for dtype, size in itertools.product(["float32", "int32", "complex64"], sizes):
            x = samples(dtype, size, seed=size)
            for where in some_of(["serial", "parallel:2"]):
                self.check_scan(self.written("scan", self.save(x), "--target", where), "sum", x, None, (dtype, size, where))

    def test_initial_value(self):
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
        for (dtype, op, text, init), exclusive in [(c, e) for c in cases for e in some_of((False, True))]:
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

    def test_initial_value_out_of_range(self):
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

    def test_special_values(self):
        x = np.array([1, -0.0, np.inf, 3, -np.inf, 2, np.nan, 1, 0.5])
        for dtype, op, axis in itertools.product(REALS, ("min", "max"), (None, 0)):
            path = self.save(x.astype(dtype))
            flags = [] if axis is None else ["--axis", axis]
            got = self.written("scan", path, "--op", op, *flags)
            self.assert_same(got, SCANS[op].accumulate(x.astype(dtype)), (dtype, op))
        got = self.written("scan", path)
        with np.errstate(invalid="ignore"):
            np.testing.assert_array_equal(got, np.cumsum(x))

    def test_dtype(self):
        x = samples("int16", (30, 20), seed=9)
        path = self.save(x)
        for dtype in ("int8", "uint32", "float32", "complex128", "bool"):
            self.check_scan(self.written("scan", path, "--dtype", dtype), "sum", x.astype(dtype), None, dtype,
                            accumulator=np.dtype(dtype))
        got = self.written("scan", path, "--dtype", "int8", "--op", "max")
        self.check_scan(got, "max", x.astype("int8"), None, "int8")

    def test_of_empty_and_scalar_arrays(self):
        for shape in ((0,), (2, 0, 3), ()):
            x = samples("int32", shape)
            self.check_scan(self.written("scan", self.save(x)), "sum", x, None, shape)
        self.fails(1, "scan", self.save(x), "--axis", 0, "-o", self.folder / "none.npy")
        x = np.zeros((2, 0, 3), "float32")
        for axis in range(3):
            self.assert_same(self.written("scan", self.save(x), "--axis", axis), x, axis)

    def test_memory_orders_and_byte_orders(self):
        for dtype in ("int16", "float32", "complex128", "bool"):
            x = samples(dtype, (40, 50, 60), seed=6)
            for y in in_other_orders(x):
                path = self.save(y)
                self.check_scan(self.written("scan", path), "sum", x, None, dtype)
                self.check_scan(self.written("scan", path, "--axis", 1), "sum", x, 1, dtype)

    def test_over_its_own_input(self):
        x = samples("float64", 10_000)
        path = self.save(x)
        self.assertEqual(run("scan", path, "-o", path).returncode, 0)
        self.check_scan(np.load(path), "sum", x, None, "in place")

    def check_difference(self, path, x, axis, *flags):
        if axis is None:
            expected = np.append(x.ravel()[:1], np.diff(x.ravel()))
            got = self.written("scan", path, "--op", "difference", *flags)
        else:
            first = np.take(x, range(min(1, x.shape[axis])), axis)
            expected = np.concatenate([first, np.diff(x, axis=axis)], axis) if x.shape[axis] else x
            got = self.written("scan", path, "--op", "difference", "--axis", axis, *flags)
        self.assertEqual((got.dtype, got.shape), (x.dtype, expected.shape), (axis, flags))
        self.assert_same(got, expected.astype(x.dtype), (x.dtype, axis, flags))

    def test_differences(self):
        targets = itertools.cycle(["serial", "parallel:2", "auto"])
        for dtype in TYPES:
            x = samples(dtype, (3, 70, 5), seed=11)
            path = self.save(x)
            for axis in some_of((None, 0, 1, -1)):
                self.check_difference(path, x, axis, "--target", next(targets))
        # More than one piece of a file, and of elements that are converted.
        for size in some_of((0, 1, 3_000_017)):
            x = samples("int32", size, seed=size)
            path = self.save(x)
            self.check_difference(path, x, None)
            self.check_difference(path, x.astype("int8"), None, "--dtype", "int8", "--target", "parallel:2")
        self.assertEqual(run("scan", path, "--op", "difference", "-o", path).returncode, 0)
        self.assert_same(np.load(path), np.append(x[:1], np.diff(x)), "over its own input")
        for flags in (["--exclusive"], ["--init", "1"], ["--algorithm", "blelloch"]):
            self.assertIn("difference takes no", self.fails(2, "scan", path, "--op", "difference", "-o", self.out, *flags))

    def test_gpu(self):
        if not self.gpus:
            self.skipTest("no GPU")
        for dtype in TYPES:
            x = samples(dtype, (3, 700, 50), seed=10)
            path = self.save(x)
            for flags in ([], ["--exclusive", "--axis", 1]):
                self.check_scan(self.written("scan", path, "--target", self.gpus[0], *flags), "sum", x,
                                1 if flags else None, (dtype, flags), bool(flags))
            for axis in (None, 0, 1, 2):
                self.check_difference(path, x, axis, "--target", self.gpus[0])


if __name__ == "__main__":
    unittest.main()
