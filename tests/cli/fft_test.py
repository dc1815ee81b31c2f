#!/usr/bin/env python3
"""heddle fft against NumPy."""
import json
import unittest

import numpy as np

from checks import CommandTest, run, samples, some_of


class FftTest(CommandTest):
    def check(self, x, flags, expected, note):
        single = x.dtype in (np.dtype("float32"), np.dtype("complex64"))
        path = self.save(x)
        for target in some_of(["serial", "parallel:2", *self.gpus]):
            got = self.written("fft", path, "--target", target, *flags)
            real = expected.dtype.kind == "f"
            wanted = ("float32" if real else "complex64") if single else ("float64" if real else "complex128")
            self.assertEqual((got.dtype, got.shape), (np.dtype(wanted), expected.shape), (note, target))
            eps = np.finfo(got.dtype).eps
            self.assertLessEqual(np.linalg.norm(got - expected), 8 * eps * np.linalg.norm(expected), (note, target))

    def test_transforms(self):
        for dtype in ("float32", "float64", "complex64", "complex128", "int16", "bool"):
            for shape, axes in (((60,), None), ((61,), None), ((8, 9), "0,1"), ((5, 6, 7), "-3,-1"), ((5, 6, 7), "1"),
                                ((2, 1009), None)):
                x = samples(dtype, shape)
                flags = ["--axes=" + axes] if axes else []
                along = tuple(int(a) for a in axes.split(",")) if axes else (-1,)
                self.check(x, flags, np.fft.fftn(x, axes=along), (dtype, shape, axes))
                self.check(x, [*flags, "--inverse"], np.fft.ifftn(x, axes=along), (dtype, shape, axes, "inverse"))
                if x.dtype.kind == "c":
                    continue
                half = np.fft.rfftn(x, axes=along)
                self.check(x, [*flags, "--real"], half, (dtype, shape, axes, "real"))
                length = shape[along[-1]]
                half = half.astype("complex64") if dtype == "float32" else half
                self.check(half, [*flags, "--inverse", "--real", "--length", length],
                           np.fft.irfftn(half, [shape[a] for a in along], along), (dtype, shape, axes, "irfft"))

    def test_stats_and_errors(self):
        path = self.save(samples("complex64", (4, 6)))
        done = run("fft", path, "-o", self.out, "--stats", "--target", "serial", "--inverse")
        stats = json.loads(done.stderr)
        self.assertEqual((stats["pattern"], stats["op"], stats["n"], stats["dtype"]), ("fft", "inverse", 24, "complex64"))
        self.out.unlink()
        self.fails(2, "fft", path)
        self.fails(2, "fft", path, "-o", self.out, "--length", 4)
        self.assertIn("axis 2", self.fails(1, "fft", path, "-o", self.out, "--axes", 2))
        self.assertIn("twice", self.fails(1, "fft", path, "-o", self.out, "--axes", "0,0"))
        self.assertIn("real elements", self.fails(1, "fft", path, "-o", self.out, "--real"))
        for axes in ("", "x", "0,010", "0,", ",1", "0,,1", "0 1"):
            self.assertIn("no number of an axis", self.fails(2, "fft", path, "-o", self.out, "--axes", axes))
        self.assertIn("no text is given", self.fails(2, "fft", path, "-o", ""))
        self.assertIn("float32, float64", self.fails(1, "fft", path, "-o", self.out, "--dtype", "int32"))
        self.assertIn("of 9 real ones: they are that of 10 or 11",
                      self.fails(1, "fft", path, "-o", self.out, "--inverse", "--real", "--length", 9))
        self.assertIn("no elements", self.fails(1, "fft", self.save(np.zeros((2, 0))), "-o", self.out))


if __name__ == "__main__":
    unittest.main()
