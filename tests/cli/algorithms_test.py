#!/usr/bin/env python3
"""The textbook methods, selected by --algorithm."""
import itertools
import json
import unittest

import numpy as np

from checks import REDUCE_METHODS, SCAN_METHODS, CommandTest, run, samples, some_of, wide


class AlgorithmsTest(CommandTest):
    def setUp(self):
        super().setUp()
        self.targets = ["serial", "parallel:2"] + self.gpus

    def arrays(self):
        for dtype, n in itertools.product(("bool", "int8", "uint16", "float32", "complex64"), (1, 70_001)):
            x = samples(dtype, n, seed=n)
            yield x, self.save(x)

    def test_reduce(self):
        """Every method gives what the default gives: the same bits of integers, rounded sums within the bound."""
        for x, path in self.arrays():
            selections = () if x.dtype.kind == "c" else ("min", "max", "any", "all")
            wanted = {op: self.printed("reduce", path, "--op", op) for op in selections}
            selection = itertools.cycle(selections)
            for target, algorithm in itertools.product(some_of(self.targets), REDUCE_METHODS):
                flags = ["--algorithm", algorithm, "--target", target]
                note = (x.dtype, x.size, flags)
                text = self.printed("reduce", path, *flags)
                if x.dtype.kind in "fc":
                    error = abs(np.array(complex(text)) - wide(x).sum())
                    bound = (4 + np.sqrt(x.size)) * np.finfo(np.float32).eps * np.abs(wide(x)).sum()
                    self.assertLessEqual(error, bound, note)
                else:
                    self.assertEqual(int(text), x.sum(), note)
                if selections:
                    op = next(selection)
                    self.assertEqual(self.printed("reduce", path, "--op", op, *flags), wanted[op], (op, note))

    def test_scan(self):
        for x, path in self.arrays():
            for target, algorithm in itertools.product(some_of(self.targets), SCAN_METHODS):
                flags = ["--algorithm", algorithm, "--target", target]
                note = (x.dtype, x.size, flags)
                have = self.written("scan", path, *flags)
                if x.dtype.kind in "fc":
                    bound = 12 * np.finfo(np.float32).eps * np.abs(wide(x)).cumsum()
                    self.assertTrue((abs(have - wide(x).cumsum()) <= bound).all(), note)
                else:
                    np.testing.assert_array_equal(have, x.cumsum(), str(note))
                    before = np.concatenate([np.zeros(min(x.size, 1), int), x.cumsum()[:-1]])
                    np.testing.assert_array_equal(self.written("scan", path, "--exclusive", *flags), before, str(note))
                if x.dtype.kind != "c":
                    np.testing.assert_array_equal(self.written("scan", path, "--op", "max", *flags),
                                                  np.maximum.accumulate(x), str(note))

    def test_stats_name_the_algorithm(self):
        path = self.save(samples("float64", 1000))
        for command, algorithms in ((["reduce", path], REDUCE_METHODS), (["scan", path, "-o", self.out], SCAN_METHODS)):
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


if __name__ == "__main__":
    unittest.main()
