#!/usr/bin/env python3
"""heddle random: distributions, types, shapes, and parts of a sequence."""
import json
import unittest

import numpy as np

from checks import INTEGERS, CommandTest, run

REALS = ["uniform", "normal", "exponential"]


class RandomTest(CommandTest):
    def made(self, *arguments, seed=1):
        return self.written("random", *arguments, "--seed", seed)

    def test_shapes_and_types(self):
        for distribution in REALS:
            for flags, dtype in (([], "float64"), (["--dtype", "float32"], "float32")):
                for text, shape in (("7", (7,)), ("3,4", (3, 4)), ("2,0,5", (2, 0, 5)), ("1e3", (1000,))):
                    x = self.made(distribution, "--shape", text, *flags)
                    self.assertEqual((x.dtype, x.shape), (np.dtype(dtype), shape))
        for dtype in ["bool"] + INTEGERS:
            x = self.made("integers", "--shape", "50,20", "--dtype", dtype, "--high", 2)
            self.assertEqual((x.dtype, x.shape), (np.dtype(dtype), (50, 20)))
            self.assertEqual(sorted(set(x.ravel().tolist())), [0, 1])

    def test_moments_and_bounds(self):
        n = 1_000_000
        x = self.made("uniform", "--shape", n, "--low", -2, "--high", 4)
        self.assertTrue(-2 <= x.min() < -1.99 and 3.99 < x.max() < 4)
        self.assertLess(abs(x.mean() - 1), 5 * np.sqrt(3 / n))
        x = self.made("normal", "--shape", n, "--mean", 3, "--deviation", 0.5)
        self.assertLess(abs(x.mean() - 3), 5 * 0.5 / np.sqrt(n))
        self.assertLess(abs(x.std() - 0.5), 5 * 0.5 / np.sqrt(2 * n))
        x = self.made("exponential", "--shape", n, "--mean", 10)
        self.assertTrue(x.min() > 0)
        self.assertLess(abs(x.mean() - 10), 5 * 10 / np.sqrt(n))
        x = self.made("integers", "--shape", n, "--low", -3, "--high", 3)
        self.assertEqual((x.dtype, x.min(), x.max()), (np.dtype("int64"), -3, 2))
        counts = np.bincount(x + 3)
        self.assertLess(((counts - n / 6) ** 2 / (n / 6)).sum(), 30)

    def test_whole_range_of_a_type(self):
        for dtype in INTEGERS:
            bounds = np.iinfo(dtype)
            x = self.made("integers", "--shape", 100_000, "--dtype", dtype, "--low", bounds.min)
            span = float(bounds.max) - float(bounds.min)
            self.assertLess(float(x.min()), float(bounds.min) + span / 1000)
            self.assertGreater(float(x.max()), float(bounds.max) - span / 1000)

        for bound in (2**64, "2^64"):
            x = self.made("integers", "--shape", 100_000, "--dtype", "uint64", "--low", 2**64 - 3, "--high", bound)
            self.assertEqual(sorted(set(x.tolist())), [2**64 - 3, 2**64 - 2, 2**64 - 1])

    def test_uniform_numbers_of_equal_bounds(self):
        for dtype in ("float32", "float64"):
            self.assert_same(self.made("uniform", "--shape", 100, "--low", 1, "--high", 1, "--dtype", dtype), np.ones(100, dtype), dtype)

    def test_offsets_and_targets_and_seeds(self):
        for distribution in REALS + ["integers"]:
            whole = self.made(distribution, "--shape", 10_000, seed=2**63)
            part = self.made(distribution, "--shape", 5_000, "--offset", 1_235, seed=2**63)
            self.assert_same(part, whole[1_235:6_235], distribution)
            self.assertFalse(np.any(whole == self.made(distribution, "--shape", 10_000, seed=0)))
            for target in ["serial", "parallel:2", *self.gpus]:
                self.assert_same(self.made(distribution, "--shape", 10_000, "--target", target, seed=2**63), whole, target)

    def test_permutation(self):
        x = self.made("permutation", "--shape", 10_001)
        self.assertEqual((x.dtype, x.shape), (np.dtype("int64"), (10_001,)))
        self.assert_same(np.sort(x), np.arange(10_001), "permutation")
        self.assertGreater(np.abs(x - np.arange(10_001)).mean(), 3000)
        for target in ["serial", "parallel:2", *self.gpus]:
            self.assert_same(self.made("permutation", "--shape", 10_001, "--target", target), x, target)

    def test_more_than_a_piece(self):
        x = self.made("normal", "--shape", "5000001", "--dtype", "float32")
        tail = self.made("normal", "--shape", 1000, "--offset", 4_999_001, "--dtype", "float32")
        self.assert_same(x[-1000:], tail, "tail")

    def test_stats(self):
        done = run("random", "uniform", "--shape", 1000, "--seed", 0, "-o", self.out, "--stats", "--target", "serial")
        stats = json.loads(done.stderr)
        self.assertEqual((stats["pattern"], stats["op"], stats["n"], stats["dtype"], stats["target"]),
                         ("random", "uniform", 1000, "float64", "serial"))

    def test_wrong_usage(self):
        to = ["-o", self.out]
        for arguments in (["random", "uniform", "--shape", 5, *to], ["random", "uniform", "--seed", 5, *to],
                          ["random", "cauchy", "--shape", 5, "--seed", 1, *to],
                          ["random", "uniform", "--shape", 5, "--seed", 1],
                          ["random", "uniform", "--shape", "5,x", "--seed", 1, *to],
                          ["random", "uniform", "--shape", "5", "--seed", -1, *to],
                          ["random", "uniform", "--shape", "5", "--seed", 2**64, *to],
                          ["random", "uniform", "--shape", "5", "--seed", 1, "--low", "a", *to],
                          ["random", "normal", "--shape", "5", "--seed", 1, "--low", 1, *to],
                          ["random", "permutation", "--shape", "5", "--seed", 1, "--high", 1, *to],
                          ["random", "uniform", "--shape", "5", "--seed", 1, "--mean", 1, *to]):
            self.assertIn("--help", self.fails(2, *arguments))
        for text in ("3,", ",3", "3,,4", ",", "3;4"):
            message = self.fails(2, "random", "uniform", "--shape", text, "--seed", 1, *to)
            self.assertTrue(message.startswith(f"heddle random: --shape: '{text}' is no shape, such as 1000 or 300,200 ("), message)

    def test_more_than_the_disk_holds_is_refused_at_once(self):
        for n in ("1e15", 2**64 - 1):
            message = self.fails(1, "random", "uniform", "--shape", n, "--seed", 1, "-o", self.out)
            self.assertRegex(message, r"out\.npy: cannot write: needs [0-9.]+ GiB, and [0-9.]+ GiB are free")

    def test_an_error_names_what_was_called_and_what_failed_in_it(self):
        message = self.fails(1, "random", "permutation", "--shape", "1e8", "--seed", 1, "--target", "serial", "-o", self.out,
                             **self.with_addresses(1 << 29))
        self.assertIn("heddle random: 100000000 indices on serial: in array of 100000000 uint64: out of memory", message)

    def test_what_cannot_be(self):
        for flags, reason in ((["uniform", "--dtype", "int8"], "float32 or float64"),
                              (["uniform", "--low", 2], "from 2 to 1"), (["normal", "--deviation", -1], "deviation -1"),
                              (["integers", "--dtype", "float32"], "int8 to int64"),
                              (["permutation", "--dtype", "int32"], "int64"),
                              (["integers", "--low", 5, "--high", -5], "from 5 to below -5: low must be less"),
                              (["uniform", "--low", 1e39, "--dtype", "float32"], "from 1e+39 to 1: the type does not hold both bounds"),
                              (["uniform", "--low", -1.7e308, "--high", 1.7e308], "the type does not hold high - low"),
                              (["uniform", "--low", -2e38, "--high", 2e38, "--dtype", "float32"], "the type does not hold high - low"),
                              (["integers", "--dtype", "uint8", "--high", 257], "from 0 to 255 only: --low is at least 0, and --high at most 256"),
                              (["integers", "--dtype", "int64", "--high", 2**64], "--high at most 9223372036854775808"),
                              (["uniform", "--offset", 2**64 - 1], "offset")):
            message = self.fails(1, "random", *flags, "--shape", 10, "--seed", 1, "-o", self.out)
            self.assertIn(reason, message)


if __name__ == "__main__":
    unittest.main()
