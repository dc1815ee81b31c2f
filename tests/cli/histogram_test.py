#!/usr/bin/env python3
"""heddle histogram against NumPy."""
import json
import unittest

import numpy as np

from checks import COMPLEX, TYPES, CommandTest, largest_file, run, samples, wide


def numpy_2_edges(x, bins):
    """What numpy.histogram_bin_edges of NumPy 2 gives: from elements of float32 it computes in float32."""
    low, high = (x.min(), x.max()) if x.dtype == "float32" else (float(x.min()), float(x.max()))
    step = np.subtract(high, low, dtype=x.dtype if x.dtype.kind == "f" else "float64") / type(low)(bins)
    edges = np.arange(bins + 1).astype(step.dtype) * step + low
    edges[-1] = high
    return edges


def counted(x, edges):
    """The elements of each bin, compared with the edges as float64, one bin after another."""
    wide, last = x.astype("float64").ravel(), len(edges) - 2
    return np.array([np.sum((wide >= low) & ((wide <= high) if k == last else (wide < high)))
                     for k, (low, high) in enumerate(zip(edges[:-1].astype("float64"), edges[1:].astype("float64")))])


class HistogramTest(CommandTest):
    def check(self, x, flags, note, **expected):
        path = self.save(x)
        if x.dtype == "float32" and not expected and x.size > 0:
            expected["bins"] = numpy_2_edges(x, 10)
        counts, edges = np.histogram(x, **expected)
        for target in ["serial", "parallel:2", *self.gpus]:
            written = self.folder / "edges_out.npy"
            got = self.written("histogram", path, "--target", target, "--write-edges", written, *flags)
            self.assert_same(got, counts.astype("int64"), (note, target))
            self.assert_same(np.load(written), np.asarray(edges, "float64"), (note, target))

    def test_types_and_bins(self):
        for dtype in TYPES:
            if dtype in COMPLEX + ["bool"]:
                continue
            x = samples(dtype, (100, 70))
            self.check(x, ["--bins", 20, "--range", -2, 2], dtype, bins=20, range=(-2.0, 2.0))
            if dtype not in ("int64", "uint64"):  # whose range of 64 bits NumPy 1 takes in integers
                self.check(x, [], dtype)
            for seed, bins in ((1, 3), (2, 100)):
                x = samples(dtype, 50, seed=seed)
                if dtype.startswith("float"):
                    x *= 10 ** (seed + 1)
                path, written = self.save(x), self.folder / "edges_out.npy"
                counts = self.written("histogram", path, "--bins", bins, "--write-edges", written)
                edges = np.load(written)
                self.assert_same(edges, numpy_2_edges(x, bins).astype("float64"), (dtype, bins))
                self.assert_same(counts, counted(x, edges), (dtype, bins))
        self.check(np.full(10, 3.5), [], "alike")
        self.check(samples("float64", 1000), ["--range", 1, 1], "no range", range=(1.0, 1.0))
        self.check(np.zeros(0), [], "none")

    def test_counts_belong_to_the_edges_that_are_written(self):
        # In float64 the edge between bins 55 and 56 rounds to the third element; NumPy 2's edges put it into bin 54.
        x = np.array([-303.5748, 336.61218, 48.528046], "float32")
        counts = self.written("histogram", self.save(x), "--bins", 100)
        self.assertEqual(np.flatnonzero(counts).tolist(), [0, int(np.searchsorted(numpy_2_edges(x, 100), x[2], "right")) - 1, 99])

    def test_integer_edges_beyond_53_bits_are_refused(self):
        path = self.save(np.array([2**62, 2**62 + 1, 2**62 + 2]))
        for edges in ([2**62, 2**62 + 1, 2**62 + 3], [-2**63, 0, 5]):
            message = self.fails(1, "histogram", path, "-o", self.out, "--edges", self.save(np.array(edges), "edges.npy"))
            self.assertIn("which does not hold all integers beyond 2^53: subtract a number", message)
        counts = self.written("histogram", path, "--edges", self.save(np.array([-2**53, 0, 2**53]), "edges.npy"))
        self.assertEqual(counts.tolist(), [0, 0])

    def test_edges(self):
        edges = self.save(np.array([-2, -0.5, 0, 0, 1.25]), "edges.npy")
        for dtype in ("int16", "float32", "float64"):
            x = samples(dtype, 5000)
            self.check(x, ["--edges", edges], dtype, bins=np.load(edges))

    def test_weights(self):
        x = samples("float32", (100, 70))
        edges = self.save(np.array([-2, -0.5, 0, 0, 1.25]), "edges.npy")
        for dtype in TYPES[1:]:
            weights = samples(dtype, x.shape, seed=1)
            if weights.dtype.kind in "iu":
                weights = weights % weights.dtype.type(2)  # beyond 53 bits NumPy's sums, by way of float64, are not exact
            flags = (self.save(x), "--weights", self.save(weights, "weights.npy"))
            exact = weights.astype({"f": "float64", "c": "complex128"}.get(weights.dtype.kind, weights.dtype))
            for bins, more in (((20, (-2.0, 2.0)), ("--bins", 20, "--range", -2, 2)), ((np.load(edges),), ("--edges", edges))):
                expected = np.histogram(x, *bins, weights=exact)[0]
                for target in ["serial", "parallel:2", *self.gpus]:
                    got = self.written("histogram", *flags, *more, "--target", target)
                    self.assertEqual((got.dtype, got.shape), (np.dtype(dtype), expected.shape), (dtype, target))
                    if weights.dtype.kind in "iu":
                        np.testing.assert_array_equal(got, expected.astype(dtype), dtype)
                    else:
                        bound = np.finfo(weights.dtype).eps * np.sum(np.abs(weights)) / 10
                        self.assert_within(got, wide(expected), bound, (dtype, target))
        self.assertIn("(5,)", self.fails(1, "histogram", self.save(x), "-o", self.folder / "none.npy", "--weights",
                                         self.save(samples("float64", 5), "five.npy")))

    def test_bool_and_nan(self):
        x = samples("bool", 1000)
        self.assertEqual(self.written("histogram", self.save(x), "--bins", 2).tolist(), [np.sum(~x), np.sum(x)])
        x = samples("float64", 1000)
        x[::7] = np.nan
        counts = self.written("histogram", self.save(x), "--range", -3, 3, "--bins", 1)
        self.assertEqual(counts.tolist(), [np.sum(~np.isnan(x))])
        message = self.fails(1, "histogram", self.save(x), "-o", self.folder / "none.npy")
        self.assertIn("from nan to nan: say with --range", message)

    def test_both_files_are_written_or_none(self):
        path, weights = self.save(samples("float64", 1000)), self.save(samples("complex128", 1000), "weights.npy")
        message = self.fails(1, "histogram", path, "-o", self.out, "--bins", 1000, "--weights", weights, "--write-edges",
                             self.folder / "edges.npy", **largest_file(12000))
        self.assertIn("out.npy: cannot write", message)

    def test_stats_and_errors(self):
        path = self.save(samples("int16", 1000))
        done = run("histogram", path, "-o", self.out, "--stats", "--target", "serial")
        stats = json.loads(done.stderr)
        self.assertEqual((stats["pattern"], stats["n"], stats["dtype"]), ("histogram", 1000, "int16"))
        self.out.unlink()
        self.fails(2, "histogram", path)
        self.fails(2, "histogram", path, "-o", self.out, "--bins", 0)
        self.fails(2, "histogram", path, "-o", self.out, "--range", 1)
        self.fails(2, "histogram", path, "-o", self.out, "--bins", 3, "--edges", path)
        self.assertIn("is the file of -o too",
                      self.fails(2, "histogram", path, "-o", self.out, "--write-edges", self.out))
        square = self.save(np.arange(4.0).reshape(2, 2), "square.npy")
        self.assertIn("(2, 2), where edges have one axis", self.fails(1, "histogram", path, "-o", self.out, "--edges", square))
        self.assertIn("out of memory", self.fails(1, "histogram", path, "-o", self.out, "--bins", 10**13))
        self.assertIn("rise", self.fails(1, "histogram", path, "-o", self.out, "--edges", path))
        self.assertIn("from 2 to 1", self.fails(1, "histogram", path, "-o", self.out, "--range", 2, 1))
        self.assertIn("no order", self.fails(1, "histogram", self.save(samples("complex64", 5)), "-o", self.out))


if __name__ == "__main__":
    unittest.main()
