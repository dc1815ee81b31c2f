#!/usr/bin/env python3
"""Heddle's own kernels of reduce and scan under heddle check, at sizes that reach every branch, against NumPy and plain loops.

docs/development.md says which kernels are here and which are left to a GPU.
"""
import functools
import itertools
import sys
import unittest

import numpy as np

from own_elements import REDUCTIONS, SCANS, composed, floats, floats64, integers, maps, random, scanned
from own_kernels import Unwritten, blocks_of, launch, n


def total_in_order(x):
    """Floats of at most a tile: each of 128 lanes from above, and the lanes by halves."""
    lanes = [x[lane::128] for lane in range(min(len(x), 128))]
    sums = [functools.reduce(np.add, lane) for lane in lanes]
    half = 64
    while half > 0:
        sums = [sums[i] + sums[i + half] if i + half < len(sums) else sums[i] for i in range(min(half, len(sums)))]
        half //= 2
    return sums[0]


PATTERNS = REDUCTIONS | {
    "bytes": (lambda size: integers(size, "uint8"), lambda x: x.sum(dtype="uint8"), None),
    "halves": (lambda size: integers(size, "int16"), lambda x: x.sum(dtype="int16"), None),
    "least": (lambda size: integers(size, "uint8"), np.min, None),
    "all": (lambda size: random.integers(0, 40, size, dtype="uint8"), lambda x: np.uint8(x.all()), None),
    "products": (lambda size: integers(size, "uint8") | np.uint8(1), lambda x: x.prod(dtype="uint8"), None),
    "product": (lambda size: integers(size, "int64"), np.prod, None),
    "totals": (floats, total_in_order, None),
    "largest": (floats64, np.max, None),
    "sums": (lambda size: integers(3 * size, "int64").reshape(size, 3), lambda x: x.sum(0), None),
}


def reduce_serially(name, x):
    return PATTERNS[name][1](x)


# Elements of a tile.
TILES = {"bytes": 8192, "halves": 4096, "sum": 2048, "totals": 2048, "largest": 1024, "compositions": 512}
# Whole arrays and rows of tiles are tested with these.
WHOLE = ("bytes", "halves", "sum", "largest", "compositions")


def shape_of_short_rows(name, length, size):
    """Rows that a warp takes at a time, and the shared memory of a block of four warps."""
    held, most, is_ordered = {"bytes": (16, 32, False), "least": (16, 32, False), "all": (16, 32, False), "halves": (8, 32, False), "products": (16, 32, False), "sum": (8, 16, True), "product": (4, 16, True), "totals": (8, 16, True), "largest": (4, 16, True), "compositions": (16, 32, True)}[name]
    if is_ordered and length.bit_count() == 1 and length * size <= 128:
        held //= 2
    group = 1
    while group < most and group * held < length:
        group *= 2
    at_once = 32 // group * max(2048 // (length * size * (32 // group)), 1)
    return at_once, 4 * ((at_once * length * size + 48) // 16 * 16)


class Reduce(unittest.TestCase):
    def check_whole(self, name, size, first, grid):
        tile, x = TILES[name], PATTERNS[name][0](size + first)
        scratch = counters = 0
        level = blocks_of(size, tile)
        while level > 1:
            scratch += blocks_of(level, 16) * 16
            level = blocks_of(level, tile)
            counters += level
        columns = x[0].size
        states = np.full(16 + blocks_of(size, tile) * blocks_of(x[0].nbytes, 4), 2 << 32 | 5, "uint64")
        states[0] = 7
        *_, counted, out = launch("reduce", f"whole_{name}", grid, 256, x, n(first), n(size), states, Unwritten(x.dtype, max(scratch, 1) * columns),
                                  np.zeros(max(counters, 1), "uint32"), Unwritten(x.dtype, columns))
        np.testing.assert_array_equal(out, reduce_serially(name, x[first:]))
        self.assertFalse(counted.any())

    def test_whole(self):
        for name in WHOLE:
            tile = TILES[name]
            for size, first, grid in ((1, 0, 1), (100, 1, 1), (5 * tile + 77, 0, 2), (9 * tile, 1, 3)):
                with self.subTest(name=name, size=size):
                    self.check_whole(name, size, first, grid)

    def test_whole_in_three_levels(self):
        """Too many results for one block to gather."""
        self.check_whole("compositions", 512 * 512 + 700, 0, 5)
        self.check_whole("largest", 1024 * 1024 + 1, 0, 7)

    def test_rows(self):
        for name in WHOLE:
            tile = TILES[name]
            with self.subTest(name=name):
                outer, length = 3, 2 * tile + 3
                x = PATTERNS[name][0](outer * length)
                parts = np.split(x, sorted({r * length + p * tile for r in range(outer) for p in range(3)} - {0}))
                _, out = launch("reduce", f"rows_{name}", 1, 256, x, n(outer), n(length), Unwritten(x.dtype, x[0].size * len(parts)))
                np.testing.assert_array_equal(out, np.array([reduce_serially(name, part) for part in parts]).ravel())

    def test_short_rows(self):
        for name in ("bytes", "least", "all", "halves", "products", "sum", "product", "totals", "largest", "compositions"):
            for length, first in ((1, 0), (7, 1), (16, 0), (50, 0), (150, 1)):
                with self.subTest(name=name, length=length):
                    rows = 101
                    x = PATTERNS[name][0](rows * length + first)
                    at_once, shared = shape_of_short_rows(name, length, x[0].nbytes)
                    _, out = launch("reduce", f"short_rows_{name}", max(blocks_of(rows, 4 * at_once) - 1, 1), 128, x, n(first), n(rows), n(length),
                                    Unwritten(x.dtype, rows * x[0].size), shared=shared)
                    np.testing.assert_array_equal(out, np.array([reduce_serially(name, row) for row in np.split(x[first:], rows)]).ravel())

    def test_segments(self):
        for name in WHOLE:
            tile = TILES[name]
            short = random.integers(0, 12, 70).tolist()
            with self.subTest(name=name):
                self.check_segments(name, tile, 32, np.array(short + [0] * 26 + [tile, 1, 0, 2 * tile + 1, 3, tile + 1]))
        self.check_segments("sum", TILES["sum"], 1, np.array([0, 3, TILES["sum"], 0, 40]))

    def check_segments(self, name, tile, at_once, lengths):
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype("uint64") + np.uint64(1)
        x = PATTERNS[name][0](int(offsets[-1]) + 2)
        untouched = np.full(len(lengths) * x[0].size, 77, x.dtype)
        parts = [x[int(begin):int(end)] for begin, end in zip(offsets[:-1], offsets[1:])]
        most = len(x) // tile
        longer, counter = Unwritten("uint64", 4 * most + 4), np.zeros(1, "uint64")
        grid = max(blocks_of(len(lengths), 4 * at_once) - 1, 1)
        *_, longer, counter, out = launch("reduce", f"segments_{name}", grid, 128, x, n(len(x)), offsets, n(len(lengths)), np.uint32(at_once),
                                          longer, counter, untouched, shared=4 * (2048 + 48) if at_once > 1 else 0)
        expected = untouched.reshape(len(lengths), -1).copy()
        for s, part in enumerate(parts):
            if 0 < len(part) <= tile:
                expected[s] = reduce_serially(name, part)
        np.testing.assert_array_equal(out, expected.ravel())
        long = [s for s, length in enumerate(lengths) if length > tile]
        tiles = sum(blocks_of(int(lengths[s]), tile) for s in long)
        self.assertEqual(int(counter[0]), len(long) << 32 | tiles)
        if not long:
            return
        *_, results = launch("reduce", f"tiles_{name}", 1, 256, x, longer, counter, Unwritten(x.dtype, tiles * x[0].size))
        by_tile = results.reshape(tiles, -1)
        for first, length, s, first_tile in longer.reshape(-1, 4)[:len(long)].tolist():
            self.assertEqual((first, length), (int(offsets[s]), lengths[s]))
            for p in range(blocks_of(length, tile)):
                np.testing.assert_array_equal(by_tile[first_tile + p], reduce_serially(name, parts[s][p * tile:(p + 1) * tile]))
            expected[s] = reduce_serially(name, by_tile[first_tile:first_tile + blocks_of(length, tile)].reshape(-1, *x.shape[1:]))
        *_, out = launch("reduce", f"listed_{name}", 1, 128, results, longer, counter, Unwritten("uint64", 4), np.zeros(1, "uint64"), out)
        np.testing.assert_array_equal(out, expected.ravel())

    def by_columns(self, kernel, name, outer, length, inner, part, threads=1, groups=1, grid=2, block=256):
        """Each part of each column by `threads` threads; neighbours in a block have neighbouring columns, or all of them."""
        x = PATTERNS[name][0](outer * length * inner)
        cube = x.reshape(outer, length, inner, *x.shape[1:])
        expected = [reduce_serially(name, cube[o, first:first + part, c]) for o in range(outer) for first in range(0, length, part) for c in range(inner)]
        neighbours, pitch = block // threads, inner
        if threads > 1 and inner < 32:
            neighbours = pitch = 1 << (inner - 1).bit_length()
        logarithms = [np.uint32(count.bit_length() - 1) for count in (threads, groups, neighbours)]
        with self.subTest(kernel=kernel, length=length, inner=inner):
            _, out = launch("reduce", f"columns_{kernel}", grid, block, x, n(outer), n(length), n(inner), n(part), n(pitch), *logarithms,
                            Unwritten(x.dtype, len(expected) * x[0].size))
            np.testing.assert_array_equal(out, np.array(expected).ravel())

    def test_columns(self):
        """Whole tiles and parts of them, by several threads: of columns for every thread of a warp, and of few."""
        for kernel, name, threads, groups, block in (("bytes", "bytes", 8, 1, 256), ("sum", "sum", 8, 1, 256), ("totals", "totals", 16, 1, 512),
                                                     ("largest", "largest", 8, 1, 256), ("compositions", "compositions", 8, 4, 256),
                                                     ("added_bytes", "bytes", 16, 4, 512)):
            tile = TILES[name]
            for outer, length, inner in ((2, 3, 36), (2, 70, 33), (3, 70, 13), (11, 3, 2), (2, tile + 9, 3)):
                self.by_columns(kernel, name, outer, length, inner, tile, threads, groups, block=block)
        self.by_columns("sums", "sums", 1, 520, 33, 512, 8, 4)
        self.by_columns("sum", "sum", 1, 2100, 2, TILES["sum"], 128)

    def test_many_columns(self):
        """A thread to a column: of one group of accumulators and of several, and of accumulators of several elements."""
        for kernel, name, length, groups in (("many_totals", "totals", 9, 1), ("many_totals", "totals", 33, 4), ("many_totals_of_rows", "totals", 200, 8),
                                             ("largest", "largest", 3, 1), ("largest", "largest", 8, 1), ("bytes", "bytes", 70, 1), ("sum", "sum", 8, 1),
                                             ("sum", "sum", 29, 1), ("compositions", "compositions", 7, 1), ("compositions", "compositions", 32, 2)):
            self.by_columns(kernel, name, 2, length, 150, TILES[name], 1, groups, grid=1)

    def test_few_rows(self):
        for name in ("bytes", "totals", "compositions"):
            x = PATTERNS[name][0](5000)
            _, out = launch("reduce", f"one_row_{name}", 2, 256, x, n(5000), Unwritten(x.dtype, x.size))
            np.testing.assert_array_equal(out, x.ravel())
            rows = ((2, 2), (4, 3), (4, 4)) + ((16, 5), (16, 16)) * (name == "bytes")
            for (most, length), (outer, inner) in itertools.product(rows, ((1, 4099), (3, 2100), (300, 7))):
                with self.subTest(name=name, most=most, length=length, inner=inner):
                    x = PATTERNS[name][0](outer * length * inner)
                    cube = x.reshape(outer, length, inner, *x.shape[1:])
                    expected = [reduce_serially(name, cube[o, :, c]) for o in range(outer) for c in range(inner)]
                    _, out = launch("reduce", f"up_to_{most}_rows_{name}", 2, 256, x, n(outer), np.uint32(length), n(inner),
                                    Unwritten(x.dtype, outer * inner * x[0].size))
                    np.testing.assert_array_equal(out, np.array(expected).ravel())

    def test_vectors(self):
        """Parts of columns in vectors of 16 bytes, whose rows are more than a thread loads at once and fewer."""
        for kernel, vector in (("bytes", 16), ("least", 16), ("halves", 8), ("products", 16)):
            for outer, length, inner, part in ((2, 21, 5 * vector, 10), (1, 9, 300 * vector, 9)):
                with self.subTest(kernel=kernel, inner=inner):
                    x = PATTERNS[kernel][0](outer * length * inner)
                    parts = blocks_of(length, part)
                    _, out = launch("reduce", f"vectors_{kernel}", 2, 256, x, n(outer), n(length), n(inner), n(part), Unwritten(x.dtype, outer * parts * inner))
                    cube = x.reshape(outer, length, inner)
                    expected = [reduce_serially(kernel, cube[o, top:top + part, c]) for o in range(outer) for top in range(0, length, part) for c in range(inner)]
                    np.testing.assert_array_equal(out, np.array(expected).ravel())


class Scan(unittest.TestCase):
    def check(self, launch_it, name, x, exclusive, init, shape=None, axis=0):
        """One row or several, or columns, against the scan of each."""
        elements, identity, _ = SCANS[name]
        out = launch_it(identity if init is None else init, init is not None)
        rows = x.reshape(*(shape or (1, len(x))), *x.shape[1:])
        out = out.reshape(rows.shape)
        for index in np.ndindex(*(rows.shape[:axis] if axis else rows.shape[:1])):
            for column in range(rows.shape[2]) if axis else (None,):
                row, found = (rows[index], out[index]) if column is None else (rows[index][:, column], out[index][:, column])
                first = 1 if exclusive and init is None else 0
                np.testing.assert_array_equal(found[first:], scanned(name, row, exclusive, init)[first:])

    def ways(self):
        for name, (elements, _, init) in SCANS.items():
            for exclusive, given in ((False, None), (True, None), (True, init)) if name == "sum" else ((False, init), (True, None)):
                yield name, elements, exclusive, given

    def test_small(self):
        for name, elements, exclusive, init in self.ways():
            most, words = (32, 1) if name == "sum" else (16, 2)
            for rows, warps, rows_of_warp, parts, less, first in ((1, 8, 1, 3, 200, 1), (2, most, 4, 2, 3, 0), (3, 16, 1, 1, 325, 0)):
                with self.subTest(name=name, exclusive=exclusive, init=init, rows=rows):
                    length = parts * warps * rows_of_warp * 32 * 4 - less
                    x = elements(rows * length + first)
                    scratch = np.full(16 + rows * parts * words, 2 << 32 | 5, "uint64")
                    scratch[0] = 7

                    def launch_it(given, has_init):
                        *_, out = launch("scan", f"small_{name}", rows * parts, warps * 32, x, n(first), n(rows), n(length), exclusive, given,
                                         has_init, n(parts), np.uint32(rows_of_warp), scratch, False, n(first), Unwritten(x.dtype, x.size),
                                         shared=most * (16 + 512 * words))
                        return out[first * x[0].size:]
                    self.check(launch_it, name, x[first:], exclusive, init, (rows, length))

    def test_lookahead(self):
        for way, (name, elements, exclusive, init) in enumerate(self.ways()):
            # Warps that scan, that load tiles and look ahead, and that reduce: scan_tuning.
            words, warps, most = (1, 16 + 2 + 4, 8) if name == "sum" else (2, 16 + 2 + 2, 4)
            # Warps that wait for others cost much; the orders of threads do not depend on what is scanned.
            schedules = 2 if way in (0, 3) else 1
            for grid, rows, rows_of_warp, parts, less, first in ((2, 2, 5 if name == "sum" else 4, 2, 5300, 1), (3, 1, most, 3, 0, 0))[way % 2:way % 2 + 1]:
                with self.subTest(name=name, exclusive=exclusive, init=init, rows=rows):
                    length = parts * rows_of_warp * 16 * 32 * 4 - less
                    x = elements(rows * length + first)
                    scratch = np.full(16 + rows * parts * words, 2 << 32 | 5, "uint64")
                    scratch[0] = 7

                    def launch_it(given, has_init):
                        *_, out = launch("scan", f"lookahead_{name}", grid, warps * 32, x, n(first), n(rows), n(length), exclusive, given, has_init,
                                         n(parts), np.uint32(rows_of_warp), scratch, False, n(first), Unwritten(x.dtype, x.size), shared=16 * (16 + 512 * words),
                                         schedules=schedules)
                        return out[first * x[0].size:]
                    self.check(launch_it, name, x[first:], exclusive, init, (rows, length))

    def test_tiles_at_vectors(self):
        """Rows of any length, from anywhere to anywhere; the last tile of some holds no element."""
        for kernel, kind, accumulate in (("bytes", "uint8", np.add.accumulate), ("signed_bytes", "int8", np.maximum.accumulate),
                                         ("largest", "int16", np.maximum.accumulate)):
            row = 16 * 32 * 16 // np.dtype(kind).itemsize
            for way, (launched, rows, length, parts, rows_of_warp, first, to) in enumerate((
                    ("small", 2, 2 * row - 4, 3, 1, 1, 1), ("small", 3, 5, 1, 1, 3, 3), ("small", 3, row + 77, 2, 1, 2, 5), ("small", 2, row - 9, 1, 1, 0, 0),
                    ("small", 1, 3 * row, 2, 2, 0, 0), ("lookahead", 2, 10 * row - 4, 3, 5, 1, 1), ("lookahead", 3, row + 77, 1, 2, 2, 5))):
                with self.subTest(kernel=kernel, launched=launched, length=length):
                    x = integers(first + rows * length, kind)
                    scratch, exclusive, in_place = np.full(16 + rows * parts, 2 << 32 | 5, "uint64"), way % 2 == 1, first == to and first > 0
                    scratch[0], init = 7, integers(1, kind)
                    shape = (rows * parts, 16 * 32) if launched == "small" else (2, (16 + 2 + 4) * 32)
                    *_, out = launch("scan", f"{launched}_{kernel}", *shape, x, n(first), n(rows), n(length), exclusive, init, exclusive, n(parts),
                                     np.uint32(rows_of_warp), scratch, in_place, n(to),
                                     x if in_place else Unwritten(kind, rows * length + to), shared=32 * 528, schedules=1)
                    wanted = x[first:].reshape(rows, length)
                    if exclusive:
                        wanted = np.concatenate([np.repeat(init[None], rows, 0), wanted[:, :-1]], 1)
                    np.testing.assert_array_equal(out[to:].reshape(rows, length), accumulate(wanted, axis=1, dtype=kind))

    def test_tile(self):
        """Tiles that begin and end anywhere in shared memory, and are written to anywhere."""
        for name, kind, accumulate in (("sum", "int32", np.add.accumulate), ("bytes", "uint8", np.add.accumulate),
                                       ("signed_bytes", "int8", np.maximum.accumulate), ("largest", "int16", np.maximum.accumulate),
                                       ("maxima", "float64", np.maximum.accumulate)):
            size = np.dtype(kind).itemsize
            for way, (rows, less, shift, skipped) in enumerate(((4, 0, 0, 0), (2, 5, 16 - size, 1), (1, 32 * 16 // size + 3, size, 16 // size - 1), (4, 1, 0, 2))):
                exclusive, has_prefix = way % 2 == 1, way > 0
                skipped *= kind != "float64"
                with self.subTest(name=name, rows=rows, less=less):
                    count = 64 * rows * max(16 // size, 4) - skipped - less
                    x, init = integers(count, kind), integers(1, kind)
                    *_, out = launch("scan", f"tile_{name}", 1, 64, x, np.uint32(shift), np.uint32(skipped), np.uint32(count), np.uint32(rows), exclusive, init,
                                     has_prefix, n(skipped), Unwritten(kind, skipped + count), schedules=2)
                    behind = accumulate(np.concatenate([init, x]) if has_prefix else x, dtype=kind)
                    np.testing.assert_array_equal(out[skipped:], behind[:-1] if exclusive else behind[1:] if has_prefix else behind)
        for rows, count, shift, to, exclusive in ((4, 256 * 4, 0, 0, False), (2, 256 * 2 - 7, 8, 1, True), (2, 256 * 2, 0, 1, False), (1, 9, 8, 0, False)):
            with self.subTest(rows=rows, count=count):
                x, init = maps(count), maps(1)

                def launch_it(given, has_init):
                    *_, out = launch("scan", "tile_compositions", 1, 64, x, np.uint32(shift), np.uint32(0), np.uint32(count), np.uint32(rows), exclusive, given,
                                     has_init, n(to), Unwritten(x.dtype, (to + count) * 2), schedules=2)
                    return out[to * 2:]
                self.check(launch_it, "compositions", x, exclusive, SCANS["compositions"][2] if exclusive else None)

        # Elements of 24 bytes, of which no vector of 16 bytes is made.
        for rows, less, to in ((2, 0, 0), (2, 0, 2), (1, 5, 1)):
            with self.subTest(rows=rows, less=less, to=to):
                count = 256 * rows - less
                x = integers(3 * count, "int64").reshape(count, 3)
                *_, out = launch("scan", "tile_sums", 1, 64, x, np.uint32(0), np.uint32(0), np.uint32(count), np.uint32(rows), False, x[:1], False, n(to),
                                 Unwritten("int64", 3 * (to + count)), schedules=2)
                np.testing.assert_array_equal(out[3 * to:].reshape(count, 3), x.cumsum(axis=0))

    def test_short_rows(self):
        """Rows that begin anywhere in vectors, in place, and to where vectors begin elsewhere."""
        for name, elements, exclusive, init in self.ways():
            # Those whose order matters pass through shared memory, 8 KiB to a warp.
            warps = 8 if name == "sum" else 4
            for rows, length, of_warp, first, to in ((101, 1, 9, 0, 0), (50, 5, 4, 1, 1), (40, 11, 20, 0, 0), (9, 333, 2, 0, 3), (3, 1000, 1, 2, 2)):
                with self.subTest(name=name, exclusive=exclusive, length=length):
                    x = elements(rows * length + first)
                    in_place = first == to and first > 0

                    def launch_it(given, has_init):
                        room = x if in_place else Unwritten(x.dtype, (rows * length + to) * x[0].size)
                        *_, out = launch("scan", f"short_rows_{name}", max(blocks_of(rows, warps * of_warp) - 1, 1), 32 * warps, x, n(first), n(rows), n(length),
                                         np.uint32(of_warp), exclusive, given, has_init, in_place, n(to), room)
                        return out[to * x[0].size:]
                    self.check(launch_it, name, x[first:], exclusive, init, (rows, length))

    def test_short_rows_behind_a_word(self):
        x = maps(30 * 7)
        words, = launch("scan", "short_rows_behind_a_word", 1, 128, np.concatenate([[5], x.ravel()]).astype("uint32"), n(30), n(7), np.uint32(4))
        np.testing.assert_array_equal(words[1:].reshape(30, 7, 2), np.array([composed(row) for row in x.reshape(30, 7, 2)]))

    def test_short_rows_of_bytes(self):
        for length, first, in_place in ((2, 1, True), (7, 0, False), (16, 16, True), (99, 3, True)):
            x = integers(20 * length + first, "uint8")
            *_, out = launch("scan", "short_rows_bytes", 2, 256, x, n(first), n(20), n(length), np.uint32(2), False, x[:1], False, in_place, n(first),
                             x if in_place else Unwritten("uint8", len(x)))
            rows = x[first:].reshape(20, length)
            np.testing.assert_array_equal(out[first:].reshape(20, length), np.cumsum(rows, axis=1, dtype="uint8"))

    def test_short_rows_of_large_elements(self):
        x = integers(5 * 70 * 3, "int64").reshape(5, 70, 3)
        for exclusive, in_place in itertools.product((False, True), repeat=2):
            *_, out = launch("scan", "short_rows_sums", 1, 128, x, n(0), n(5), n(70), np.uint32(2), exclusive, np.array([5, 6, 7]), True,
                             in_place, n(0), x if in_place else Unwritten("int64", x.size))
            expected = np.cumsum(x, axis=1) + [5, 6, 7] - (x if exclusive else 0)
            np.testing.assert_array_equal(out, expected.ravel())

    def test_down(self):
        """Threads side by side and below one another, tiles that rows do not fill, and parts behind their prefixes."""
        shapes = ((1, 75, 64, 75, 16), (2, 600, 12, 600, 8), (1, 40, 44, 40, 64), (1, 9, 40, 9, 256), (2, 300, 8, 128, 32),
                  (3, 1, 20, 1, 256), (2, 3, 1100, 3, 256), (1, 4, 12, 4, 256))
        for name, elements, exclusive, init in self.ways():
            for (outer, length, inner, part_rows, width), vectors in itertools.product(shapes, (False, True)):
                with self.subTest(name=name, exclusive=exclusive, inner=inner, vectors=vectors):
                    self.check_down(name, elements, exclusive, init, (outer, length, inner - (not vectors)), part_rows, width, vectors)
        name, elements, exclusive, init = next(self.ways())
        for (outer, length, inner, part_rows, width), vectors in itertools.product((*shapes, (1, 3, 4100, 3, 256)), (False, True)):
            with self.subTest("in place", inner=inner, vectors=vectors):
                shape = outer, length, inner // 4 * 4 - (not vectors)
                self.check_down(name, elements, exclusive, init, shape, part_rows, width, vectors, in_place=True)

    def check_down(self, name, elements, exclusive, init, shape, part_rows, width, vectors, in_place=False):
        outer, length, inner = shape
        x = elements(outer * length * inner)
        cube = x.reshape(*shape, *x.shape[1:])
        prefixes = np.zeros_like(x[:1])
        if part_rows < length:
            totals = np.array([[[reduce_serially(name, cube[o, s:s + part_rows, c]) for c in range(inner)] for s in range(0, length, part_rows)] for o in range(outer)])
            totals = totals.reshape(outer, -1, inner, *x.shape[1:]).astype(x.dtype)
            prefixes = np.stack([np.stack([scanned(name, totals[o, :, c], True, init) for c in range(inner)], 1) for o in range(outer)])
        vector = 16 // x[0].nbytes if vectors else 1
        grid = blocks_of(outer * blocks_of(length, part_rows) * inner // vector, width)

        def launch_it(given, has_init):
            *_, out = launch("scan", f"down_{name}{'_vectors' * vectors}", grid, 256, x, n(outer), n(length), n(inner), n(part_rows), np.uint32(width),
                             exclusive, given, has_init, prefixes, in_place, x if in_place else Unwritten(x.dtype, x.size), schedules=2)
            return out
        self.check(launch_it, name, x, exclusive, init, shape, axis=1)

    def test_tall_columns(self):
        """Tiles of one block and of several, of several panels, of a group and of several groups."""
        tall = (("sum", 2, 1, 5, 4, 3, 19, 1, 4), ("sum", 2, 2, 70, 2, 3, 3, 4, 1),
                ("compositions", 2, 1, 5, 16, 8, 3, 60, 2), ("compositions", 1, 2, 3, 8, 16, 2, 1, 1), ("sum_panels", 2, 1, 140, 2, 2, 3, 1, 2))
        ways = {name: itertools.cycle([way[2:] for way in self.ways() if way[0] == name]) for name in SCANS}
        for way, (name, grid, outer, inner, groups, rows_of_thread, tiles, less, concurrent) in enumerate(tall):
            kind = name.split("_")[0]
            elements, (exclusive, init) = SCANS[kind][0], next(ways[kind])
            with self.subTest(name=name, exclusive=exclusive, init=init, inner=inner):
                length, first = tiles * groups * rows_of_thread - less, way % 3
                width, panels = (128, blocks_of(inner, 128)) if "panels" in name else (inner, 1)
                words = 1 if kind == "sum" else 2
                x, taken = elements(first + outer * length * inner), np.zeros(outer * panels, "uint32")
                scratch = np.full(16 + words * outer * panels * width * (tiles + tiles // 16), 2 << 32 | 5, "uint64")
                scratch[0], in_place = 7, way % 2 == 1

                def launch_it(given, has_init):
                    *_, counted, out = launch("scan", f"tall_columns_{name}", grid, (18 + (8 if kind == "sum" else 4)) * 32, x, n(first), n(outer), n(length),
                                              n(inner), np.uint32(groups), np.uint32(rows_of_thread), np.uint32(concurrent), exclusive, given, has_init, scratch,
                                              taken, in_place, n(first), x if in_place else Unwritten(x.dtype, x.size), shared=1024, schedules=1)
                    self.assertFalse(counted.any())
                    return out[first * x[0].size:]
                self.check(launch_it, kind, x[first:], exclusive, init, (outer, length, inner), axis=1)

    def test_down_other_elements(self):
        """Bytes, of which a thread takes 16 columns, and elements that threads keep to themselves."""
        x = integers(2 * 37 * 32, "uint8")
        *_, out = launch("scan", "down_bytes_vectors", 2, 256, x, n(2), n(37), n(32), n(37), np.uint32(2), False, x, False, x, False, Unwritten("uint8", x.size))
        np.testing.assert_array_equal(out.reshape(2, 37, 32), x.reshape(2, 37, 32).cumsum(axis=1, dtype="uint8"))
        x = x.view("int8")
        *_, out = launch("scan", "down_signed_vectors", 2, 256, x, n(2), n(37), n(32), n(37), np.uint32(2), False, x, False, x, False, Unwritten("int8", x.size))
        np.testing.assert_array_equal(out.reshape(2, 37, 32), np.maximum.accumulate(x.reshape(2, 37, 32), axis=1))
        x = integers(25 * 9 * 3, "int64")
        *_, out = launch("scan", "down_sums", 1, 256, x, n(1), n(25), n(9), n(25), np.uint32(256), True, x[:3], True, x, False, Unwritten("int64", x.size))
        x = x.reshape(25, 9, 3)
        np.testing.assert_array_equal(out.reshape(25, 9, 3), np.concatenate([np.broadcast_to(x[:1, :1], (1, 9, 3)), x[:-1]]).cumsum(axis=0))


class SegmentedScan(unittest.TestCase):
    # Elements of a tile, warps with the one that looks ahead, and words that carry the total of one.
    SHAPES = {"sum": (5632, 12, 2), "compositions": (2816, 12, 3), "bytes": (11264, 12, 1), "sums": (256, 9, 8)}
    SCANS = dict(SCANS, bytes=(lambda size: integers(size, "uint8"), None, np.array([9], "uint8")),
                 sums=(lambda size: integers(3 * size, "int64").reshape(size, 3), None, np.array([[5, 6, 7]])))

    def test_tiles(self):
        """Segments of one element, of some, and one of all; from anywhere to anywhere and in place; the last tile is a part of one."""
        for way, (name, exclusive, has_init, apart, tiles, less, first, to) in enumerate((
                ("sum", False, False, 2000, 3, 300, 0, 0), ("sum", True, True, 7, 2, 1, 1, 1), ("sum", False, True, 1, 1, 5630, 3, 2),
                ("compositions", False, False, 5000, 3, 11, 0, 0), ("compositions", True, True, 30, 2, 0, 1, 1),
                ("bytes", False, False, 9000, 2, 5000, 0, 0), ("bytes", True, True, 3, 1, 11000, 5, 6),
                ("sums", False, False, 600, 9, 100, 0, 0), ("sums", True, True, 2, 3, 0, 0, 0))):
            with self.subTest(name=name, exclusive=exclusive, apart=apart, tiles=tiles):
                elements, _, init = self.SCANS[name]
                tile, warps, words = self.SHAPES[name]
                size, in_place = tiles * tile - less, first == to and first > 0
                x = elements(first + size)
                flags = random.integers(0, apart, size) == 0
                flags[0] = True
                scratch = np.full(16 + tiles * words, 2 << 32 | 5, "uint64")
                scratch[0] = 7
                *_, out = launch("segmented_scan", f"segments_{name}", min(tiles, 2), warps * 32, x, n(first), n(size), flags, exclusive, init, has_init,
                                 scratch, in_place, n(to), x if in_place else Unwritten(x.dtype, x[0].size * (size + to)), schedules=1 + (way == 0))
                columns = x[0].size
                found = out[to * columns:].reshape(size, *x.shape[1:])
                starts = [*np.flatnonzero(flags), size]
                for begin, end in zip(starts, starts[1:]):
                    segment = x[first + begin:first + end]
                    np.testing.assert_array_equal(found[begin:end], scanned(name, segment, exclusive, init if has_init else None))


if __name__ == "__main__":
    unittest.main(verbosity=2 if "-v" in sys.argv else 1)
