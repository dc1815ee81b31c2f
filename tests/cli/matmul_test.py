#!/usr/bin/env python3
"""heddle matmul against NumPy."""
import ctypes
import json
import unittest

import numpy as np

from checks import CommandTest, part_type, run, samples, some_of, wide

ALGORITHMS = ["blas", "naive", "tiled"]
try:
    ctypes.CDLL("libopenblas.so.0")
    HAS_OPENBLAS = True
except OSError:  # a GPU machine that programs were taken to
    HAS_OPENBLAS = False


class MatmulTest(CommandTest):
    def check(self, a, b, *flags, dtype=None):
        paths = self.save(a, "a.npy"), self.save(b, "b.npy")
        dtype = np.dtype(dtype) if dtype else np.matmul(a, b).dtype
        a, b = wide(a.astype(dtype)), wide(b.astype(dtype))
        expected, magnitude = np.matmul(a, b), np.matmul(np.abs(a), np.abs(b))
        k = a.shape[-1]
        for target in some_of(["serial", "parallel:2", *self.gpus]):
            for algorithm in ALGORITHMS[0 if HAS_OPENBLAS or target.startswith("gpu") else 1:]:
                got = self.written("matmul", *paths, "--algorithm", algorithm, "--target", target, *flags)
                self.assertEqual((got.dtype, got.shape), (dtype, expected.shape))
                eps = np.finfo(part_type(dtype)).eps
                self.assert_within(got, expected, (np.sqrt(k) + 4) * eps * magnitude, (algorithm, target))

    def test_types(self):
        for dtype in ("float32", "float64", "complex64", "complex128"):
            self.check(samples(dtype, (33, 20)), samples(dtype, (20, 65), 1))
        self.check(samples("float32", (3, 4)), samples("complex64", (4, 5), 1))
        self.check(samples("float32", (3, 4)), samples("float64", (4, 5), 1))
        self.check(samples("int8", (3, 4)), samples("int8", (4, 5), 1), dtype="float64")
        self.check(samples("int8", (3, 4)), samples("int8", (4, 5), 1), "--dtype", "float32", dtype="float32")

    def test_shapes(self):
        for a, b in (((5,), (5,)), ((5,), (5, 3)), ((3, 5), (5,)), ((2, 3, 5), (5, 4)), ((2, 3, 5), (2, 5, 4)),
                     ((3, 5), (2, 5, 4)), ((2, 3, 5), (5,)), ((3, 0), (0, 4)), ((0, 5), (5, 4)),
                     ((1, 3, 5), (2, 5, 4)), ((2, 3, 5), (1, 1, 5, 4)), ((1, 2, 3, 5), (2, 5, 4)), ((1, 3, 5), (0, 5, 4)),
                     ((5,), (1, 5, 4))):
            self.check(samples("float64", a), samples("float64", b, 1))
        self.check(np.asfortranarray(samples("float64", (30, 40))), np.asfortranarray(samples("float64", (40, 20), 1)))

    def test_stats_and_errors(self):
        a, b = self.save(samples("float32", (10, 20)), "a.npy"), self.save(samples("float32", (20, 30)), "b.npy")
        done = run("matmul", a, b, "-o", self.out, "--stats", "--target", "serial", "--algorithm", "tiled")
        stats = json.loads(done.stderr)
        self.assertEqual((stats["pattern"], stats["m"], stats["k"], stats["columns"], stats["algorithm"]),
                         ("matmul", 10, 20, 30, "tiled"))
        self.assertGreater(stats["gflop_per_s"], 0)
        self.out.unlink()
        message = self.fails(1, "matmul", b, a, "-o", self.out)
        self.assertIn("(20, 30) and (10, 20)", message)
        self.fails(2, "matmul", a, "-o", self.out)
        self.fails(2, "matmul", a, b)
        self.fails(2, "matmul", a, b, "-o", self.out, "--algorithm", "strassen")
        self.assertIn("float32, float64", self.fails(1, "matmul", a, b, "-o", self.out, "--dtype", "int32"))


if __name__ == "__main__":
    unittest.main()
