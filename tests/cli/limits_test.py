#!/usr/bin/env python3
"""heddle where the system gives fewer threads, addresses, memory or processors than the machine has."""
import os
import unittest

import numpy as np

from checks import CommandTest, run, samples


def work_of(folder):
    """Runs that share out work, by name: what writes an array, and what it is compared with."""
    vector, square = folder / "vector.npy", folder / "square.npy"
    np.save(vector, samples("float64", 300_000, seed=1))
    np.save(square, samples("float64", (300, 300), seed=2))
    return {
        "sort": ("sort", vector),
        "scan": ("scan", vector),
        "fft": ("fft", square),
        "matmul": ("matmul", square, square),
        "histogram": ("histogram", vector),
        "random": ("random", "normal", "--shape", 300_000, "--seed", 3),
        "laplace": ("laplace", "--size", "200x200", "--method", "jacobi", "--max-iterations", 30, "--tolerance", 1e-9),
        "life": ("life", "--random", "512x512", "--generations", 20, "--quiet"),
        "lbm": ("lbm", "cavity", "--size", "128x128", "--steps", 20, "--quiet"),
        "mandelbrot": ("mandelbrot", "--size", "300x200", "--iterations", 50, "--quiet"),
    }


class LimitsTest(CommandTest):
    def setUp(self):
        super().setUp()
        self.work = work_of(self.folder)

    def result(self, name, target, options, without_memory=False):
        """The array that a run writes; None where it says that memory does not suffice, if it may."""
        self.out.unlink(missing_ok=True)
        output = "--counts" if name == "mandelbrot" else "-o"
        done = run(*self.work[name], output, self.out, "--target", target, **options)
        if without_memory and done.returncode == 1:
            self.assertRegex(done.stderr, r"\Aheddle[^\n]*out of memory[^\n]*\n\Z", name)
            self.assertFalse(self.out.exists(), name)
            return None
        self.assertEqual(done.returncode, 0, f"{name} on {target}: {done.stderr}")
        return np.load(self.out)

    def assert_close(self, got, expected, name):
        # OpenBLAS promises no bits.
        if name == "matmul":
            np.testing.assert_allclose(got, expected, rtol=0, atol=1e-10)
        else:
            np.testing.assert_array_equal(got, expected, name)


class FewThreadsTest(LimitsTest):
    def test_that_a_user_may_have(self):
        expected = {name: self.result(name, "serial", {}) for name in self.work}
        self.out.unlink()
        for threads in (1, 6):
            options = self.with_threads(threads)
            for name in self.work:
                self.assert_close(self.result(name, "parallel:8", options), expected[name], name)
        square = np.load(self.folder / "square.npy")
        np.testing.assert_allclose(expected["matmul"], square @ square, rtol=0, atol=1e-10)


class FewAddressesTest(LimitsTest):
    def test_for_the_stacks_of_threads(self):
        expected = {name: self.result(name, "serial", {}) for name in self.work}
        options = self.with_addresses(1_000_000 << 10)
        for name in self.work:
            self.assert_close(self.result(name, "parallel:64", options), expected[name], name)

    def test_for_anything(self):
        """The result, or one line that says what is missing; never a signal."""
        expected = {name: self.result(name, "serial", {}) for name in self.work}
        for size in (150_000, 250_000, 300_000, 500_000):
            options = self.with_addresses(size << 10)
            for name in self.work:
                got = self.result(name, "parallel:8", options, without_memory=True)
                if got is not None:
                    self.assert_close(got, expected[name], name)


if __name__ == "__main__":
    unittest.main()
