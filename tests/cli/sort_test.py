#!/usr/bin/env python3
"""heddle sort against NumPy."""
import json
import unittest

import numpy as np

from checks import COMPLEX, TYPES, CommandTest, in_other_orders, run, samples, some_of


class SortTest(CommandTest):
    def targets(self):
        return ["serial", "parallel:2", *self.gpus]

    def mixed(self, dtype, shape):
        x = samples(dtype, shape)
        if x.dtype.kind == "f":
            flat = x.reshape(-1)
            for k, value in enumerate((np.nan, -np.nan, np.inf, -np.inf, 0.0)):
                flat[k::23] = value
        return x

    def test_every_type_on_every_target(self):
        for dtype in TYPES:
            if dtype in COMPLEX:
                continue
            x = self.mixed(dtype, 10_001)
            path = self.save(x)
            for target in self.targets():
                self.assert_same(self.written("sort", path, "--target", target), np.sort(x), (dtype, target))
                indices = self.written("sort", path, "--indices", "--target", target)
                self.assert_same(indices, np.argsort(x, kind="stable"), (dtype, target))

    def test_the_former_name_of_indices(self):
        x = self.mixed("float32", 1000)
        self.assert_same(self.written("sort", self.save(x), "--places"), np.argsort(x, kind="stable"), "--places")

    def test_axes_and_directions(self):
        for shape in ((60, 7), (3, 40, 5), (500,), (4, 0, 3)):
            x = self.mixed("float32", shape)
            path = self.save(x)
            for axis in (*range(len(shape)), -1):
                for target in some_of(self.targets()):
                    flags = (path, "--axis", axis, "--target", target)
                    self.assert_same(self.written("sort", *flags), np.sort(x, axis=axis), (shape, axis, target))
                    self.assert_same(self.written("sort", "--indices", *flags),
                                     np.argsort(x, axis=axis, kind="stable"), (shape, axis, target))
                    self.assert_same(self.written("sort", "--descending", *flags),
                                     np.flip(np.sort(x, axis=axis), axis), (shape, axis, target))
        x = samples("int8", 1000)
        for target in self.targets():
            flags = (self.save(x), "--descending", "--target", target)
            self.assert_same(self.written("sort", *flags), np.sort(x)[::-1], target)
            # Where equal elements keep their order, the largest first: the stable order of the negated numbers.
            self.assert_same(self.written("sort", "--indices", *flags), np.argsort(-x.astype(int), kind="stable"), target)

    def test_first(self):
        for shape, axis, count in (((10_001,), None, 25), ((60, 7), 0, 5), ((3, 400), 1, 1), ((5, 0, 3), None, 0)):
            x = self.mixed("float64", shape)
            path = self.save(x)
            whole = x if axis is not None else x.reshape(-1)
            for target in some_of(self.targets()):
                for descending in (False, True):
                    flags = (path, "--first", count, "--target", target, *(["--axis", axis] if axis is not None else []),
                             *(["--descending"] if descending else []))
                    # Places of NaNs and zeros are those of a stable sort: by numbers that fall where elements rise.
                    _, ranks = np.unique(whole, return_inverse=True)
                    ranks = ranks.reshape(whole.shape) * (-1 if descending else 1)
                    indices = np.argsort(ranks, axis=axis or 0, kind="stable").take(range(count), axis=axis or 0)
                    self.assert_same(self.written("sort", "--indices", *flags), indices, (shape, axis, target))
                    self.assert_same(self.written("sort", *flags), np.take_along_axis(whole, indices, axis or 0), (shape, axis, target))
        self.assertIn("k is 13, and there are 12 elements: k can be 12 at most", self.fails(1, "sort", self.save(samples("int8", 12)), "-o", self.out, "--first", 13))
        self.fails(2, "sort", self.save(samples("int8", 12)), "-o", self.out, "--first", "-1")

    def test_shapes(self):
        for shape in ((0,), (1,), (), (3, 0, 2), (30, 40)):
            x = self.mixed("float32", shape) if shape else np.float32(3)
            self.assert_same(self.written("sort", self.save(x)), np.sort(np.asarray(x).reshape(-1)), shape)

    def test_orders_and_conversions(self):
        x = samples("int32", (40, 50))
        for y in in_other_orders(x):
            self.assert_same(self.written("sort", self.save(y)), np.sort(x.reshape(-1)), "order")
        got = self.written("sort", self.save(x), "--dtype", "uint8")
        self.assert_same(got, np.sort(x.astype("uint8").reshape(-1)), "uint8")

    def test_over_its_own_input(self):
        x = samples("float64", 1000)
        path = self.save(x)
        self.assertEqual(run("sort", path, "-o", path).returncode, 0)
        self.assert_same(np.load(path), np.sort(x), "in place")

    def test_stats_and_errors(self):
        path = self.save(samples("int16", 1000))
        done = run("sort", path, "-o", self.out, "--stats", "--target", "serial")
        stats = json.loads(done.stderr)
        self.assertEqual((stats["pattern"], stats["n"], stats["dtype"]), ("sort", 1000, "int16"))
        self.out.unlink()
        self.fails(2, "sort", path)
        self.fails(2, "sort", path, "-o", self.out, "--axis", "x")
        self.assertIn("axis 1", self.fails(1, "sort", path, "-o", self.out, "--axis", 1))
        self.assertIn("no order", self.fails(1, "sort", self.save(samples("complex64", 5)), "-o", self.out))


if __name__ == "__main__":
    unittest.main()
