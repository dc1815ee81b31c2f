#!/usr/bin/env python3
"""The textbook kernels of reduce and scan under heddle check, against NumPy and plain loops.

docs/development.md says which kernels are here and which are left to a GPU.
"""
import sys
import unittest

import numpy as np

from own_elements import REDUCTIONS, SCANS, composed, floats, integers, maps, scanned
from own_kernels import Unwritten, blocks_of, launch, n


class ReduceRungs(unittest.TestCase):
    def reduce_until_one_is_left(self, method, name, x, grid=None):
        elements, columns = len(x), x.size // len(x)
        while True:
            blocks = blocks_of(elements, 256)
            _, x = launch("reduce_textbook", f"{method}_{name}", min(grid or blocks, blocks), 256, x, n(elements),
                          Unwritten(x.dtype, blocks * columns))
            if blocks == 1:
                return x
            elements = blocks

    def test_block_serial_interleaved_shuffled(self):
        for method in ("block_serial", "interleaved", "shuffled"):
            for name, (elements, expected, _) in REDUCTIONS.items():
                for size, grid in ((1, None), (225, None), (1001, 3)):
                    with self.subTest(method=method, name=name, size=size):
                        x = elements(size)
                        np.testing.assert_array_equal(self.reduce_until_one_is_left(method, name, x, grid).ravel(), expected(x))

    def test_two_pass(self):
        for name, (elements, expected, identity) in REDUCTIONS.items():
            for size, grid in ((1, 1), (700, 3), (256 * 300, 50)):
                if size > 1000 and name != "sum":
                    continue
                with self.subTest(name=name, size=size):
                    x = elements(size)
                    blocks, columns = blocks_of(size, 256), len(identity)
                    *_, results = launch("reduce_textbook", f"padded_{name}", grid, 256, x, n(size), identity, n(1), n(blocks),
                                         Unwritten(x.dtype, blocks * columns))
                    padded = 1 << (blocks - 1).bit_length()
                    threads = min(padded, 256)
                    *_, out = launch("reduce_textbook", f"padded_{name}", 1, threads, results, n(blocks), identity,
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
                with self.subTest(name=name, size=size, method="atomic"):
                    _, first = launch("reduce_textbook", f"put_first_{name}", 1, 1, x, result)
                    np.testing.assert_array_equal(value(first), x[0].ravel())
                    _, all_of_them = launch("reduce_textbook", f"combine_{name}", blocks_of(max(size - 1, 1), 256), 256, x, n(size), first)
                    np.testing.assert_array_equal(value(all_of_them), expected(x))
                with self.subTest(name=name, size=size, method="halving"):
                    blocks, unused = blocks_of(size, 256), Unwritten(x.dtype, x[0].size)
                    *_, last = launch("reduce_textbook", f"halving_{name}", 1, 256, x, n(size), n(0), n(1), unused, result)
                    if blocks > 1:
                        *_, last = launch("reduce_textbook", f"halving_{name}", min(blocks - 1, 2), 256, x, n(size), n(1), n(blocks), unused, last)
                    np.testing.assert_array_equal(value(last), expected(x))

    def test_halving_in_order(self):
        x = all_of_them = maps(777)
        while len(x) > 1:
            blocks = blocks_of(len(x), 256)
            _, out, _ = launch("reduce_textbook", "halving_compositions", min(blocks, 3), 256, x, n(len(x)), n(0), n(blocks),
                               Unwritten("uint32", 2 * blocks), Unwritten("uint32", 2))
            x = out.reshape(blocks, 2)
        np.testing.assert_array_equal(x[0], composed(all_of_them)[-1])


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
                    *_, out = launch("scan_textbook", f"in_a_block_{name}", 1, size, x, exclusive, given, np.uint32(init is not None),
                                     np.uint32(size), Unwritten(x.dtype, x.size))
                    np.testing.assert_array_equal(out.reshape(x.shape), scanned(name, x, exclusive, init))
            if name == "sum" and not exclusive:
                continue
            x = last = elements(1030)
            step, how = 1, (exclusive, given, np.uint32(init is not None))
            while step < len(x):
                *_, out = launch("scan_textbook", f"step_{name}", 4 if step == 1 else 5, 256, last, *how, n(len(x)), n(step),
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
                    *_, tree = launch("scan_textbook", f"pad_{name}", 2, 256, x, n(size), identity, n(padded),
                                      Unwritten(x.dtype, (padded + 1) * columns), schedules=1)
                    distances = [1 << i for i in range(padded.bit_length() - 1)]
                    for distance in distances:
                        tree, = launch("scan_textbook", f"up_{name}", 1, 256, tree, n(distance), n(padded // (2 * distance)), schedules=1)
                    tree, _ = launch("scan_textbook", f"turn_{name}", 1, 1, tree, n(padded), given, init is not None and not exclusive)
                    for distance in reversed(distances):
                        tree, = launch("scan_textbook", f"down_{name}", 1, 256, tree, n(distance), n(padded // (2 * distance)), schedules=1)
                    _, out = launch("scan_textbook", f"deliver_{name}", 2, 256, tree[0 if exclusive else columns:], n(size),
                                    Unwritten(x.dtype, x.size))
                    np.testing.assert_array_equal(out.reshape(x.shape), scanned(name, x, exclusive, init))


if __name__ == "__main__":
    unittest.main(verbosity=2 if "-v" in sys.argv else 1)
