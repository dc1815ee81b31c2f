#!/usr/bin/env python3
"""Heddle's own kernels of scans of short rows and of columns under heddle check, bit for bit against the order of scans."""
import itertools
import operator
import sys
import unittest

import numpy as np

from own_kernels import Unwritten, blocks_of, launch, n
from scan_order import block, from_left, scan_along_axis, scanned_in_order

random = np.random.default_rng(13)
KINDS = {"floats": ("float32", operator.add), "doubles": ("float64", operator.add), "maxima": ("float32", np.maximum)}


def numbers(kind, size):
    """Of many magnitudes, and a few NaNs with bits of their own."""
    x = (random.standard_normal(size) * 2.0**random.integers(-20, 20, size)).astype(kind)
    nan = np.uint32(0xffc12345).view("float32") if kind == "float32" else np.uint64(0xfff8123456789abc).view("float64")
    x.ravel()[random.integers(0, x.size, x.size // 2000)] = nan
    return x


def bits(x):
    """Of which every NaN has the same."""
    return np.where(np.isnan(x), x.dtype.type(np.nan), x).view(f"uint{8 * x.itemsize}")


class ScanOrder(unittest.TestCase):
    def check(self, found, name, x, exclusive, init):
        """Along the middle axis of x."""
        expected = bits(scan_along_axis(KINDS[name][1], x, exclusive, init))
        found = found.view(expected.dtype).reshape(x.shape)
        first = 1 if exclusive and init is None else 0
        np.testing.assert_array_equal(found[:, first:], expected[:, first:])

    def test_short_rows(self):
        """Rows of parts of vectors, of several to a warp, of one and of several rows of the order; from anywhere to anywhere."""
        lengths = {"floats": (1, 3, 4, 5, 31, 63, 64, 65, 68, 123, 124, 125, 127, 128, 129, 130, 257, 1000, 2047),
                   "doubles": (1, 3, 5, 66, 128, 130, 1000), "maxima": (33, 1000)}
        way = itertools.cycle(itertools.product((False, True), (None, 2.5), ((0, 0), (1, 1), (0, 3), (2, 1))))
        for name, of_kind in lengths.items():
            kind = KINDS[name][0]
            for length in of_kind:
                exclusive, init, (first, to) = next(way)
                next(way)
                next(way)
                of_warp = max(1, min(8192 // (length * np.dtype(kind).itemsize), 40))
                rows = min(of_warp * 5 + 2, 4000 // length + 3)
                with self.subTest(name=name, length=length, exclusive=exclusive, init=init, first=first, to=to):
                    x = numbers(kind, first + rows * length)
                    in_place = first == to and first > 0
                    given = np.full(1, 0 if init is None else init, kind)
                    *_, out = launch("scan", f"short_rows_{name}", max(blocks_of(rows, 4 * of_warp) - 1, 1), 256 if name == "maxima" else 128, x, n(first), n(rows),
                                     n(length), np.uint32(of_warp), exclusive, given, init is not None, in_place, n(to),
                                     x if in_place else Unwritten(kind, to + rows * length), schedules=2)
                    self.check(out[to:], name, x[first:].reshape(rows, length, 1), exclusive, init)

    def test_totals_of_blocks(self):
        """Blocks that one warp takes row by row and in batches, and that all warps share; aligned and not."""
        for name, first, blocks, start in (("floats", 5, ((5, 0), (6, 1), (8, 3), (64, 6), (128, 7)), 1), ("doubles", 63, ((63, 0), (64, 6), (128, 1)), 2),
                                           ("floats", 0, ((0, 4),), 0)):
            with self.subTest(name=name, first=first, start=start):
                kind, op = KINDS[name]
                last, level = blocks[-1]
                rows = (random.standard_normal((last + (1 << level) - first, 32, 4)) * 2.0**random.integers(-20, 20)).astype(kind)
                totals = [block(op, [from_left(op, list(vector)) for vector in row]) for row in rows]
                *_, found = launch("scan_blocks", f"block_totals_{name}", max(len(blocks) - 1, 1), 256, np.concatenate([np.zeros(start, kind), rows.ravel()]),
                                   n(start), n(first), np.array(blocks, "uint64"), n(len(blocks)), Unwritten(kind, len(blocks)), schedules=2)
                np.testing.assert_array_equal(found, [block(op, totals[f - first:f - first + (1 << level)]) for f, level in blocks])

    def test_short_rows_of_wide_elements(self):
        for exclusive, length in ((False, 1), (True, 31), (False, 33), (True, 70)):
            x = random.standard_normal((5, length, 5))
            init = random.standard_normal(5)
            *_, out = launch("scan", "short_rows_wide", 1, 256, x, n(0), n(5), n(length), np.uint32(2), exclusive, init, True, exclusive, n(0),
                             x if exclusive else Unwritten("float64", x.size), schedules=2)
            expected = [scanned_in_order(operator.add, list(row), 40, exclusive, init) for row in x]
            np.testing.assert_array_equal(out.reshape(x.shape), np.array(expected))

    def test_few_columns_as_rows(self):
        for name, of, columns, length, exclusive in (("three_columns", "floats", 3, 130, False), ("three_columns", "floats", 3, 33, True),
                                                     ("two_columns", "doubles", 2, 259, True), ("two_columns", "doubles", 2, 5, False)):
            with self.subTest(name=name, length=length):
                kind = KINDS[of][0]
                x = numbers(kind, (5, length, columns))
                x[1, 2, 0] = -np.float64(np.nan)
                *_, out = launch("scan", f"short_rows_{name}", 1, 128, x, n(0), n(5), n(length), np.uint32(1 if length > 256 else 2), exclusive, np.full(columns, 3, kind), True,
                                 False, n(0), Unwritten(kind, x.size), schedules=2)
                self.check(out, of, x, exclusive, 3)

    def prefixes(self, name, kind, x, shape, part_rows, width, grid, init):
        """What is before each part, as kernels find it: of all parts at once, or in two steps."""
        outer, length, inner = shape
        parts, wide = blocks_of(length, part_rows), x.size // (outer * length * inner)
        _, totals = launch("scan", f"totals_{name}", grid, 256, x, n(outer), n(length), n(inner), n(part_rows), np.uint32(width),
                           np.zeros(outer * parts * inner * wide, kind), schedules=2)
        given, has_init, none = np.zeros(wide, kind) if init is None else np.full(wide, init, kind), init is not None, np.zeros(wide, kind)
        group, of_groups = 64, none
        if 2 < parts < 9:
            group = 2
            groups = blocks_of(parts, group)
            *_, of_groups = launch("scan", f"parts_{name}", 1, 256, n(outer), n(parts), n(inner), np.uint32(group), given, has_init, none, True, totals,
                                   np.zeros(outer * groups * inner * wide, kind), schedules=2)
            *_, of_groups, _ = launch("scan", f"parts_{name}", 1, 256, n(outer), n(groups), n(inner), np.uint32(64), given, has_init, none, False, of_groups,
                                      none, schedules=2)
        *_, totals, _ = launch("scan", f"parts_{name}", 1, 256, n(outer), n(parts), n(inner), np.uint32(group), given, has_init, of_groups, False, totals,
                               none, schedules=2)
        return totals

    def down(self, name, kind, x, shape, part_rows, width, exclusive, init, in_place):
        outer, length, inner = shape
        vector = 16 // np.dtype(kind).itemsize if "vectors" in name else 1
        wide = x.size // (outer * length * inner)
        grid = blocks_of(outer * blocks_of(length, part_rows) * blocks_of(inner, vector), width)
        prefixes = self.prefixes(name, kind, x, shape, part_rows, width, grid, init) if part_rows < length else x[:wide]
        given = np.full(wide, 0 if init is None else init, kind)
        *_, out = launch("scan", f"down_{name}", grid, 256, x, n(outer), n(length), n(inner), n(part_rows), np.uint32(width), exclusive, given,
                         init is not None, prefixes, in_place, x if in_place else Unwritten(kind, x.size), schedules=2)
        return out

    def test_columns(self):
        """Threads below one another, tiles of parts of rows of the order and of several rows, and parts of some rows."""
        ways = itertools.cycle(((False, None), (True, None), (False, 0.5), (True, -3.5)))
        shapes = {"floats": ((1, 1, 7, 1, 256), (2, 4, 3, 4, 256), (1, 5, 40, 5, 256), (1, 1000, 1, 1000, 256), (2, 260, 2, 260, 32), (1, 2200, 3, 2200, 8),
                             (1, 700, 3, 128, 16), (2, 515, 7, 256, 256), (1, 130, 300, 130, 256), (1, 2049, 2, 512, 8), (1, 1300, 1, 128, 16)),
                  "floats_vectors": ((1, 3, 16, 3, 256), (1, 129, 40, 129, 16), (1, 1000, 16, 1000, 8), (2, 513, 8, 128, 32), (1, 640, 4, 256, 256),
                                     (1, 2300, 4, 2300, 64)),
                  "doubles": ((1, 257, 3, 257, 32), (1, 900, 7, 128, 16), (2, 2, 5, 2, 256)),
                  "doubles_vectors": ((1, 1025, 4, 1025, 8), (1, 600, 6, 256, 64), (3, 4, 40, 4, 256)), "maxima_vectors": ((1, 600, 8, 600, 16), (2, 3, 16, 3, 256))}
        for name, of_kind in shapes.items():
            kind, op = KINDS[name.split("_")[0]]
            for *shape, part_rows, width in of_kind:
                exclusive, init = next(ways)
                in_place = width == 16 or width == 256
                with self.subTest(name=name, shape=shape, part_rows=part_rows, width=width, exclusive=exclusive, init=init):
                    x = numbers(kind, tuple(shape))
                    self.check(self.down(name, kind, x.ravel(), shape, part_rows, width, exclusive, init, in_place), name.split("_")[0], x, exclusive, init)

    def test_tall_columns(self):
        """Threads with parts of a row of the order, and tiles below one another."""
        # Blocks, outer size, columns, groups, rows of a thread, tiles, rows less, tiles at a time.
        shapes = {"floats": ((1, 1, 3, 4, 64, 2, 1, 1),), "doubles": ((1, 1, 2, 16, 8, 2, 100, 1),), "maxima": ((1, 1, 3, 4, 5, 2, 3, 1),)}
        ways = itertools.cycle(((False, None), (True, None), (True, -3.5), (False, 0.5)))
        for name, of_kind in shapes.items():
            kind = KINDS[name.split("_")[0]][0]
            wide = 2 if kind == "float64" else 1
            for grid, outer, inner, groups, rows, tiles, less, concurrent in of_kind:
                exclusive, init = next(ways)
                with self.subTest(name=name, inner=inner, groups=groups, rows=rows, exclusive=exclusive, init=init):
                    length, in_place = tiles * groups * rows - less, rows == 64
                    width, panels = (128, blocks_of(inner, 128)) if "panels" in name else (inner, 1)
                    x, taken = numbers(kind, (outer, length, inner)), np.zeros(outer * panels, "uint32")
                    scratch = np.full(16 + wide * outer * panels * width * (tiles + tiles // 16), 2 << 32 | 5, "uint64")
                    scratch[0] = 7
                    given = np.full(1, 0 if init is None else init, kind)
                    *_, counted, out = launch("scan", f"tall_columns_{name}", grid, (18 + 8 // wide) * 32, x, n(0), n(outer), n(length), n(inner),
                                              np.uint32(groups), np.uint32(rows), np.uint32(concurrent), exclusive, given, init is not None, scratch, taken,
                                              in_place, n(0), x if in_place else Unwritten(kind, x.size), shared=1024, schedules=1)
                    self.assertFalse(counted.any())
                    self.check(out, name.split("_")[0], x, exclusive, init)

    def test_columns_of_wide_elements(self):
        for length, part_rows, exclusive in ((70, 70, False), (150, 32, True), (33, 32, False)):
            with self.subTest(length=length, part_rows=part_rows):
                x = random.standard_normal((1, length, 2, 5))
                out = self.down("wide", "float64", x.ravel(), (1, length, 2), part_rows, 256, exclusive, 1.5, False)
                expected = [scanned_in_order(operator.add, list(x[0, :, c]), 40, exclusive, np.full(5, 1.5)) for c in range(2)]
                np.testing.assert_array_equal(out.reshape(x.shape[1:]), np.array(expected).swapaxes(0, 1))


if __name__ == "__main__":
    unittest.main(verbosity=2 if "-v" in sys.argv else 1)
