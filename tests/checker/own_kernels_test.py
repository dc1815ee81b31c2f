#!/usr/bin/env python3
"""Heddle's own kernels under heddle check, at sizes that reach every branch, against NumPy and plain loops.

docs/development.md says which kernels are here and which are left to a GPU.
"""
import sys
import unittest

import numpy as np

from own_kernels import Unwritten, blocks_of, launch, n

random = np.random.default_rng(7)


def integers(size, kind="int32"):
    return random.integers(-1000, 1000, size).astype(kind)


def floats(size, kind="float32"):
    return random.standard_normal(size).astype(kind)


def maps(size):
    """Maps x -> scale * x + shift modulo 2**32, a row each."""
    return random.integers(0, 2**32, (size, 2), dtype=np.uint64).astype("uint32")


def composed(x):
    """What the first 1, 2, ... maps are, one after another."""
    result, scale, shift = [], 1, 0
    for a, b in x.tolist():
        scale, shift = scale * a % 2**32, (shift * a + b) % 2**32
        result.append((scale, shift))
    return np.array(result, dtype="uint32")


# By the names that the sources give to element and operator: elements, what combines all of them, and the identity.
REDUCTIONS = {
    "sum": (integers, lambda x: x.sum(dtype="int32"), np.zeros(1, "int32")),
    "largest": (floats, np.max, np.full(1, -np.inf, "float32")),
    "compositions": (maps, lambda x: composed(x)[-1], np.array([1, 0], "uint32")),
}


class ReduceRungs(unittest.TestCase):
    def fold_until_one_is_left(self, rung, name, x, grid=None):
        elements, columns = len(x), x.size // len(x)
        while True:
            blocks = blocks_of(elements, 256)
            _, x = launch("reduce_rungs", f"{rung}_{name}", min(grid or blocks, blocks), 256, x, n(elements),
                          Unwritten(x.dtype, blocks * columns))
            if blocks == 1:
                return x
            elements = blocks

    def test_block_serial_interleaved_shuffled(self):
        for rung in ("block_serial", "interleaved", "shuffled"):
            for name, (elements, expected, _) in REDUCTIONS.items():
                for size, grid in ((1, None), (225, None), (1001, 3)):
                    with self.subTest(rung=rung, name=name, size=size):
                        x = elements(size)
                        np.testing.assert_array_equal(self.fold_until_one_is_left(rung, name, x, grid).ravel(), expected(x))

    def test_two_pass(self):
        for name, (elements, expected, identity) in REDUCTIONS.items():
            for size, grid in ((1, 1), (700, 3), (256 * 300, 50)):
                if size > 1000 and name != "sum":
                    continue
                with self.subTest(name=name, size=size):
                    x = elements(size)
                    blocks, columns = blocks_of(size, 256), len(identity)
                    *_, results = launch("reduce_rungs", f"padded_{name}", grid, 256, x, n(size), identity, n(1), n(blocks),
                                         Unwritten(x.dtype, blocks * columns))
                    padded = 1 << (blocks - 1).bit_length()
                    threads = min(padded, 256)
                    *_, out = launch("reduce_rungs", f"padded_{name}", 1, threads, results, n(blocks), identity,
                                     n(padded // threads), n(1), Unwritten(x.dtype, columns))
                    np.testing.assert_array_equal(out, expected(x))

    def test_atomic_and_halving(self):
        def sums(size):
            return integers(3 * size, "int64").reshape(size, 3)
        for name, elements, expected, result in (("sum", integers, REDUCTIONS["sum"][1], Unwritten("int32", 1)),
                                                 ("largest", floats, np.max, Unwritten("uint32", 1)),
                                                 ("sums", sums, lambda x: x.sum(0), Unwritten("int64", 4))):
            for size in (1, 70, 1100):
                x = elements(size)

                def value(of):
                    return of.view(x.dtype)[:x[0].size]
                with self.subTest(name=name, size=size, rung="atomic"):
                    _, first = launch("reduce_rungs", f"put_first_{name}", 1, 1, x, result)
                    np.testing.assert_array_equal(value(first), x[0].ravel())
                    _, all_of_them = launch("reduce_rungs", f"combine_{name}", blocks_of(max(size - 1, 1), 256), 256, x, n(size), first)
                    np.testing.assert_array_equal(value(all_of_them), expected(x))
                with self.subTest(name=name, size=size, rung="halving"):
                    blocks, unused = blocks_of(size, 256), Unwritten(x.dtype, x[0].size)
                    *_, last = launch("reduce_rungs", f"halving_{name}", 1, 256, x, n(size), n(0), n(1), unused, result)
                    if blocks > 1:
                        *_, last = launch("reduce_rungs", f"halving_{name}", min(blocks - 1, 2), 256, x, n(size), n(1), n(blocks), unused, last)
                    np.testing.assert_array_equal(value(last), expected(x))

    def test_halving_in_order(self):
        x = all_of_them = maps(777)
        while len(x) > 1:
            blocks = blocks_of(len(x), 256)
            _, out, _ = launch("reduce_rungs", "halving_compositions", min(blocks, 3), 256, x, n(len(x)), n(0), n(blocks),
                               Unwritten("uint32", 2 * blocks), Unwritten("uint32", 2))
            x = out.reshape(blocks, 2)
        np.testing.assert_array_equal(x[0], composed(all_of_them)[-1])


def scanned(name, x, exclusive, init):
    """The scan by plain loops; where an exclusive one has no initial value its first element is none."""
    if name == "compositions":
        whole = composed(x if init is None else np.concatenate([init.reshape(1, 2), x]))
    else:
        whole = np.cumsum(x if init is None else np.concatenate([init, x]), dtype=x.dtype, axis=0)
    if init is None:
        return np.concatenate([np.zeros_like(whole[:1]), whole[:-1]]) if exclusive else whole
    return whole[:-1] if exclusive else whole[1:]


SCANS = {"sum": (integers, np.zeros(1, "int32"), np.array([-5], "int32")),
         "compositions": (maps, np.array([1, 0], "uint32"), np.array([7, 9], "uint32"))}


class ScanRungs(unittest.TestCase):
    def ways(self):
        for name, (elements, identity, init) in SCANS.items():
            for exclusive, has_init in ((False, False), (False, True), (True, True))[0 if name == "sum" else 2:]:
                yield name, elements, identity, exclusive, init if has_init else None

    def test_hillis_steele(self):
        for name, elements, identity, exclusive, init in self.ways():
            given = identity if init is None else init
            for size in (1, 33, 1024):
                with self.subTest(name=name, size=size, exclusive=exclusive, init=init):
                    x = elements(size)
                    *_, out = launch("scan_rungs", f"in_a_block_{name}", 1, size, x, exclusive, given, np.uint32(init is not None),
                                     np.uint32(size), Unwritten(x.dtype, x.size))
                    np.testing.assert_array_equal(out.reshape(x.shape), scanned(name, x, exclusive, init))
            if name == "sum" and not exclusive:
                continue
            x = last = elements(1030)
            step, how = 1, (exclusive, given, np.uint32(init is not None))
            while step < len(x):
                *_, out = launch("scan_rungs", f"step_{name}", 4 if step == 1 else 5, 256, last, *how, n(len(x)), n(step),
                                 Unwritten(x.dtype, x.size), schedules=1)
                last, step, how = out, 2 * step, (False, given, np.uint32(0))
            np.testing.assert_array_equal(last.reshape(x.shape), scanned(name, x, exclusive, init))

    def test_blelloch(self):
        for name, elements, identity, exclusive, init in self.ways():
            for size in (1, 5, 600) if name == "sum" and init is None else (3,):
                with self.subTest(name=name, size=size, exclusive=exclusive, init=init):
                    x, padded = elements(size), 1 << (size - 1).bit_length()
                    columns = len(identity)
                    given = identity if init is None else init
                    *_, tree = launch("scan_rungs", f"pad_{name}", 2, 256, x, n(size), identity, n(padded),
                                      Unwritten(x.dtype, (padded + 1) * columns), schedules=1)
                    distances = [1 << i for i in range(padded.bit_length() - 1)]
                    for distance in distances:
                        tree, = launch("scan_rungs", f"up_{name}", 1, 256, tree, n(distance), n(padded // (2 * distance)), schedules=1)
                    tree, _ = launch("scan_rungs", f"turn_{name}", 1, 1, tree, n(padded), given, init is not None and not exclusive)
                    for distance in reversed(distances):
                        tree, = launch("scan_rungs", f"down_{name}", 1, 256, tree, n(distance), n(padded // (2 * distance)), schedules=1)
                    _, out = launch("scan_rungs", f"deliver_{name}", 2, 256, tree[0 if exclusive else columns:], n(size),
                                    Unwritten(x.dtype, x.size))
                    np.testing.assert_array_equal(out.reshape(x.shape), scanned(name, x, exclusive, init))


if __name__ == "__main__":
    unittest.main(verbosity=2 if "-v" in sys.argv else 1)
