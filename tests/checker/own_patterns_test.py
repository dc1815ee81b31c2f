#!/usr/bin/env python3
"""Heddle's own kernels of transform, copy_if, histogram, statistics, random numbers, pi and matmul under heddle check, at sizes that
reach every branch, against NumPy and plain loops.
"""
import sys
import unittest

import numpy as np

from own_kernels import Unwritten, blocks_of, launch, n

random = np.random.default_rng(7)
NONE = 2**64 - 1


class Elementwise(unittest.TestCase):
    def test_transform(self):
        # Blocks take 2048 elements, or 8192 bytes in vectors: one block takes two such tiles and a part of a third.
        for kernel, kind, first, size in (("sums", "int32", 0, 4500), ("sums", "int32", 1, 4400),
                                          ("sums_in_vectors", "int32", 4, 4403), ("sums_in_vectors", "int32", 0, 3),
                                          ("sums_of_bytes_in_vectors", "int8", 16, 16417)):
            x, y = random.integers(-9, 9, (2, first + size)).astype(kind)
            for constant in (False, True):
                with self.subTest(kernel=kernel, size=size, constant=constant):
                    *_, out = launch("patterns", kernel, 1, 256, x, y, constant, n(first), n(size), np.full(first + size, 99, kind),
                                     schedules=2)
                    np.testing.assert_array_equal(out[first:], (x + (y[0] if constant else y))[first:])
                    np.testing.assert_array_equal(out[:first], np.full(first, 99))
        x, y = random.integers(-99, 99, 2300).astype("int8"), random.integers(-99, 99, 2300).astype("float32")
        *_, out = launch("patterns", "weighted_sums", 1, 256, x, y, np.int16(7), n(2300), Unwritten("float32", 2300), schedules=2)
        np.testing.assert_array_equal(out, x + 2 * y + 7)
        wide = random.integers(-9, 9, 2100 * 3)
        *_, out = launch("patterns", "doubled", 2, 256, wide, n(2100), Unwritten("int64", wide.size), schedules=2)
        np.testing.assert_array_equal(out, 2 * wide)

    def test_fill(self):
        for kernel, kind, words, of_value in (("bytes", "uint8", 1, 1), ("bytes", "uint8", 700, 7), ("vectors", "uint32", 600, 1)):
            value = random.integers(0, 200, of_value * (4 if kernel == "vectors" else 1)).astype(kind)
            size = words * value.size // of_value
            out, _ = launch("patterns", f"fill_{kernel}", 2, 256, Unwritten(kind, size), n(words), value, n(of_value), schedules=2)
            np.testing.assert_array_equal(out, np.resize(value, size))

    def test_numbered(self):
        """Blocks of 8 x 4 x 2 threads, fewer than the indices need."""
        out, = launch("patterns", "numbered", 3, "8,4,2", n(3), n(9), n(17), Unwritten("uint64", 3 * 9 * 17), schedules=2)
        np.testing.assert_array_equal(out, np.arange(3 * 9 * 17))

    def test_first_equal(self):
        x = random.integers(0, 9, (2, 200, 3)).astype("float32")
        x[1, 50, 2] = np.nan
        lowest = x.min(axis=1)
        *_, place = launch("patterns", "first_equal", 2, 256, x, n(2), n(200), n(3), lowest, np.full(6, NONE, "uint64"))
        np.testing.assert_array_equal(place.reshape(2, 3), x.argmin(axis=1))

    def test_extrema_of_rows(self):
        """Rows of one part and of several, the last of which is short, with extrema that repeat, NaN and zeros of both signs."""
        for rows, length, first, part, grid in ((3, 9000, 0, 9000, 2), (2, 20000, 3, 8192, 3), (1, 5, 1, 5, 1), (1, 8200, 0, 8192, 2)):
            parts = blocks_of(length, part)
            x = random.integers(-9, 9, first + rows * length).astype("float32")
            x[first:][[0, -1]] = -0.0, 8
            if rows > 1:
                x[first + length + 700] = np.nan
            of_rows = x[first:].reshape(rows, length)
            scratch = Unwritten("uint64", 2 * rows * parts), np.zeros(rows, "uint32")
            with self.subTest(rows=rows, length=length):
                _, _, finished, index = launch("patterns", "arg_max_of_rows", grid, 512, x, n(first), n(rows), n(length), n(parts), n(part),
                                               *scratch, Unwritten("uint64", rows), schedules=2)
                np.testing.assert_array_equal(index, of_rows.argmax(axis=1))
                np.testing.assert_array_equal(finished, 0)
                _, _, _, index = launch("patterns", "arg_min_of_rows", grid, 512, np.nan_to_num(x).astype("int8"), n(first), n(rows), n(length),
                                        n(parts), n(part), *scratch, Unwritten("uint64", rows), schedules=2)
                np.testing.assert_array_equal(index, np.nan_to_num(of_rows).argmin(axis=1))
                *_, smallest, largest = launch("patterns", "minmax_of_rows", grid, 512, x[first:].copy(), n(rows), n(length), n(parts), n(part),
                                               *scratch, Unwritten("float32", rows), Unwritten("float32", rows), schedules=2)
                np.testing.assert_array_equal(smallest, of_rows.min(axis=1))
                np.testing.assert_array_equal(largest, of_rows.max(axis=1))


class AdjacentDifference(unittest.TestCase):
    # Elements of a tile of rows, and rows of a part of a column.
    KERNELS = {"differences": ("int32", 2048), "differences_in_vectors": ("int32", 2048), "differences_of_bytes": ("int8", 8192)}
    ROWS = 32

    def expected(self, x, axis, before):
        with_first = np.zeros_like(np.take(x, [0], axis)) if before is None else before.reshape(np.take(x, [0], axis).shape)
        return np.diff(x, axis=axis, prepend=with_first)

    def check(self, kernel, suffix, grid, x, lengths, before, saved, want):
        """To another array and in place, where the output holds the elements."""
        begins, none = before is not None, np.zeros(2, x.dtype)
        for in_place in (False, True):
            with self.subTest(kernel=kernel, lengths=lengths, begins=begins, in_place=in_place):
                out = x.copy() if in_place else Unwritten(x.dtype, x.size)
                *_, have = launch("patterns", f"{kernel}_{suffix}", grid, 256, none if in_place else x, in_place, *map(n, lengths),
                                  before if begins else none, begins, saved if in_place and saved.size else none, out)
                np.testing.assert_array_equal(have.reshape(want.shape), want)

    def test_rows(self):
        """One tile, several and a part of one by fewer blocks, rows that end inside vectors, and elements before the first."""
        for kernel, (kind, tile) in self.KERNELS.items():
            for outer, length, grid in ((1, 2 * tile + 37, 2), (1, tile, 1), (1, 3, 1), (700, 3, 1), (tile, 1, 1), (5, 1000, 2)):
                x = random.integers(-99, 99, (outer, length)).astype(kind)
                *_, saved = launch("patterns", f"{kernel}_before_tiles", 1, 256, x, n(blocks_of(x.size, tile)),
                                   Unwritten(kind, blocks_of(x.size, tile)), schedules=1)
                np.testing.assert_array_equal(saved, x.ravel()[np.maximum(np.arange(saved.size) * tile, 1) - 1])
                for before in [None, np.array([5], kind)][:1 + (outer == 1)]:
                    self.check(kernel, "of_rows", grid, x, (outer, length), before, saved, self.expected(x, 1, before))

    def test_columns(self):
        """Parts of 32 rows and of fewer, more columns than threads, and a row before the first."""
        for kernel, outer, length, inner in (("differences", 2, 70, 3), ("differences", 1, 33, 300), ("differences_of_bytes", 1, 32, 5),
                                             ("differences", 3, 1, 2)):
            kind = self.KERNELS[kernel][0]
            x = random.integers(-99, 99, (outer, length, inner)).astype(kind)
            parts = outer * blocks_of(length, self.ROWS) * inner
            *_, saved = launch("patterns", f"{kernel}_above_parts", 1, 256, x, n(outer), n(length), n(inner), n(parts), Unwritten(kind, parts),
                               schedules=1)
            above = np.maximum(np.arange(0, length, self.ROWS), 1) - 1
            np.testing.assert_array_equal(saved.reshape(outer, -1, inner), x[:, above])
            for before in [None, random.integers(0, 9, inner).astype(kind)][:1 + (outer == 1)]:
                self.check(kernel, "of_columns", 1, x, (outer, length, inner), before, saved, self.expected(x, 1, before))

    def test_an_operator_that_does_not_commute(self):
        x = random.integers(0, 2**32, (5000, 2)).astype("uint32")
        want = x.copy()
        want[1:, 0] = x[1:, 0] * x[:-1, 0]
        want[1:, 1] = x[1:, 1] * x[:-1, 0] + x[:-1, 1]
        tile = 2048
        saved = np.concatenate([x[:1], x[tile - 1:-1:tile]])
        self.check_pairs("of_rows", (1, 5000), x, saved, want)
        x = x[:60].reshape(20, 3, 2)
        want = x.copy()
        want[1:, :, 0] = x[1:, :, 0] * x[:-1, :, 0]
        want[1:, :, 1] = x[1:, :, 1] * x[:-1, :, 0] + x[:-1, :, 1]
        self.check_pairs("of_columns", (1, 20, 3), x, x[:0], want)

    def check_pairs(self, suffix, lengths, x, saved, want):
        self.check("compositions", suffix, 2, x.ravel(), lengths, None, saved.ravel(), want)


class CopyIf(unittest.TestCase):
    def test_number_of_flags(self):
        """Flags that begin at a multiple of 16 bytes and in the middle of one."""
        for first, size, grid in ((0, 9000, 2), (3, 4096, 1), (5, 7, 1)):
            flags = random.integers(0, 2, first + size).astype(bool)
            _, count = launch("patterns", "number_of_flags", grid, 256, flags, n(first), n(size), np.zeros(1, "uint64"), schedules=2)
            self.assertEqual(count[0], flags[first:].sum())

    def test_select(self):
        """Whole tiles of 992 threads and a part of one, by flags, by a function and by the element before."""
        for items, size, grid in ((8, 3 * 7936 + 37, 2), (8, 7936, 1), (8, 1, 1), (4, 2 * 3968 + 1, 2)):
            tiles = blocks_of(size, 992 * items)
            scratch = np.zeros(tiles, "uint64"), np.zeros(1, "uint64")
            flags = random.integers(0, 2, size).astype(bool)
            flags[:40] = size > 100
            x = random.integers(0, 2**16, size).astype("uint32")
            with self.subTest(items=items, size=size):
                if items == 4:
                    *_, out, others = launch("patterns", "indices_by_flag", grid, 1024, n(size), flags, *scratch, Unwritten("uint64", flags.sum()),
                                             Unwritten("uint64", (~flags).sum()), schedules=2)
                    np.testing.assert_array_equal(out, np.flatnonzero(flags))
                    np.testing.assert_array_equal(others, np.flatnonzero(~flags))
                    continue
                *_, out, count = launch("patterns", "chosen_by_flag", grid, 1024, x, n(size), flags, *scratch, Unwritten("uint32", flags.sum()),
                                        Unwritten("uint64", 1), schedules=2)
                np.testing.assert_array_equal(out, x[flags])
                self.assertEqual(count[0], flags.sum())
                runs = np.repeat(x, 2)[:size].astype("float32")
                if size > 50:
                    runs[20:24], runs[30], runs[31] = np.nan, 0.0, -0.0
                starts = np.append(True, (runs[1:] != runs[:-1]) & ~(np.isnan(runs[1:]) & np.isnan(runs[:-1])))
                *_, out, count = launch("patterns", "first_of_runs", grid, 1024, runs, n(size), *scratch, Unwritten("float32", starts.sum()),
                                        Unwritten("uint64", 1), schedules=2)
                np.testing.assert_array_equal(out, runs[starts])
                short, odd = x.astype("uint16"), x % 2 == 1
                *_, out, others, count = launch("patterns", "partitioned", grid, 1024, short, n(size), *scratch, Unwritten("uint16", odd.sum()),
                                                Unwritten("uint16", (~odd).sum()), Unwritten("uint64", 1), schedules=2)
                np.testing.assert_array_equal(out, short[odd])
                np.testing.assert_array_equal(others, short[~odd])
                self.assertEqual(count[0], odd.sum())

    def test_places(self):
        """Offsets that are equal, that are 0, and that are beyond the end."""
        for grid, size, offsets in ((2, 3000, np.sort(random.integers(0, 3000, 700))), (1, 40, np.array([0, 0, 5, 5, 39, 40, 40])), (1, 1, np.array([], int))):
            flags, _ = launch("patterns", "flag_at", grid, 256, np.zeros(size, bool), np.append(offsets, 0).astype("uint64"), n(offsets.size),
                              n(size), schedules=2)
            np.testing.assert_array_equal(np.flatnonzero(flags), np.unique(np.append(offsets[offsets < size], 0)))

    def test_changes(self):
        x = np.repeat(np.array([1, np.nan, 0, 3], "float32"), [3, 2, 4, 1])
        x[6] = -0.0
        *_, flags = launch("patterns", "changes", 1, 256, x, n(10), Unwritten("bool", 10))
        np.testing.assert_array_equal(np.flatnonzero(flags), [0, 3, 5, 9])


class Histogram(unittest.TestCase):
    def test_counts(self):
        for kernel, size, edges, copies in (("int", 2 * 4096 + 100, np.linspace(0, 50, 11), 8), ("double", 700, np.array([0.0, 1, 7, 7.5, 40]), 0),
                                            ("int", 1, np.array([0.0, 1]), 1)):
            with self.subTest(kernel=kernel, size=size):
                x = random.integers(-5, 55, size).astype("int32" if kernel == "int" else "float64")
                x[:64], x[-1] = 3, edges[-1]
                even = np.ptp(np.diff(edges)) == 0
                arguments = (x, n(size), edges, n(edges.size - 1), even)
                *_, counts = launch("patterns", f"count_{kernel}", 1, 512, *arguments, np.uint32(copies), np.zeros(edges.size - 1, "uint64"), schedules=2)
                np.testing.assert_array_equal(counts, np.histogram(x, edges)[0])
                *_, bins = launch("patterns", f"bins_of_{kernel}", 1, 256, *arguments, Unwritten("uint32", size), schedules=2)
                expected = np.searchsorted(edges, x, "right") - 1
                expected[x == edges[-1]] = edges.size - 2
                np.testing.assert_array_equal(bins, np.where((x < edges[0]) | (x > edges[-1]), edges.size - 1, expected))


class Statistics(unittest.TestCase):
    def test_wide_sums(self):
        """A row of two tiles and a part of a third, and short ones."""
        for kernel, kind, outer, length in (("halves", "int16", 2, 37), ("floats", "float32", 1, 1000)):
            x = random.integers(-9999, 9999, (outer, length)).astype(kind)
            *_, sums = launch("statistics", f"wide_{kernel}", 1, 256, x, n(outer), n(length), Unwritten("float64", outer))
            np.testing.assert_array_equal(sums, x.sum(axis=1, dtype="float64"))
        z = random.integers(-99, 99, (3, 20, 2)).astype("float32")
        *_, sums = launch("statistics", "wide_complex", 1, 256, z, n(3), n(20), Unwritten("float64", 6))
        np.testing.assert_array_equal(sums, z.sum(axis=1, dtype="float64").ravel())

    def test_squared_deviations(self):
        """Segments of rows and of columns, by divisions of 32 bits and of 64."""
        for kernel, kind, outer, length, inner, behind in (
                ("bytes", "uint8", 3, 41, 1, 0), ("bytes", "uint8", 1, 90, 1, 0), ("doubles", "float64", 2, 70, 3, 0),
                ("doubles", "float64", 2, 66, 33, 2**32), ("bytes", "uint8", 2, 33, 1, 2**32)):
            with self.subTest(kernel=kernel, inner=inner, behind=behind):
                x = random.integers(0, 99, (outer, length, inner)).astype(kind)
                centres = random.integers(0, 9, (outer, 1, inner)) / 4
                arguments = (n(outer), n(length), n(inner), n(behind), centres, Unwritten("float64", outer * inner))
                *_, sums = launch("statistics", f"deviations_{kernel}", 2, 256, x, *arguments)
                np.testing.assert_array_equal(sums, ((x - centres)**2).sum(axis=1).ravel())
        z = random.integers(-99, 99, (2, 40, 2)).astype("float32")
        centres = random.integers(-9, 9, (2, 1, 2)) / 4
        *_, sums = launch("statistics", "deviations_complex", 1, 256, z, n(2), n(40), n(1), n(0), centres, Unwritten("float64", 2))
        np.testing.assert_array_equal(sums, ((z - centres)**2).sum(axis=(1, 2)))

    def test_short_rows(self):
        for length in (1, 2, 3, 8, 9, 32):
            x = random.integers(-99, 99, (300, length)).astype("float32")
            centres = random.integers(-9, 9, (300, 1)) / 4
            *_, sums = launch("statistics", "short_rows", 1, 256, x, n(300), n(length), centres, Unwritten("float64", 300), schedules=1)
            np.testing.assert_array_equal(sums, ((x - centres)**2).sum(axis=1))

    def test_results(self):
        sums = np.array([1.0, -7, np.inf, np.nan, 1e300])
        *_, out = launch("statistics", "quotients", 1, 256, sums, np.float64(4), n(5), Unwritten("float32", 5))
        np.testing.assert_array_equal(out, np.array([0.25, -1.75, np.inf, np.nan, np.inf], "float32"))
        x = np.array([0, 1, 0x80000000, 0], "uint32")
        *_, out = launch("statistics", "nonzero", 1, 256, x, n(4), Unwritten("bool", 4))
        np.testing.assert_array_equal(out, x != 0)


def philox(seed, which, block, attempt=0):
    """Four words of 32 bits for each number of a block: Philox4x32-10 (Salmon et al. 2011)."""
    block, low = np.asarray(block, "uint64"), 2**32 - 1
    c = [block & low, block >> 32, np.full_like(block, attempt), np.full_like(block, which)]
    key = [seed & low, seed >> 32]
    for _ in range(10):
        p, q = c[0] * 0xD2511F53, c[2] * 0xCD9E8D57
        c = [(q >> 32) ^ c[1] ^ np.uint64(key[0]), q & low, (p >> 32) ^ c[3] ^ np.uint64(key[1]), p & low]
        key = [(key[0] + 0x9E3779B9) & low, (key[1] + 0xBB67AE85) & low]
    return np.stack(c, -1)


def words(seed, which, offset, count, bits):
    """Words offset, offset + 1, ... of a sequence, of 32 or 64 bits."""
    number = 128 // bits
    all_words = philox(seed, which, np.arange(offset // number, (offset + count) // number + 1))
    if bits == 64:
        all_words = all_words[:, ::2] | all_words[:, 1::2] << 32
    return all_words.ravel()[offset % number:][:count]


class Random(unittest.TestCase):
    SEED = 12345678901234567890

    def made(self, kernel, kind, offset, count, vectors):
        out, = launch("numerics", f"random_{kernel}", 2, 256, n(self.SEED), n(offset), n(count), vectors, Unwritten(kind, count), schedules=2)
        return out

    def test_words(self):
        """Granules of 16 bytes and what is left of one; single elements where the first begins no block."""
        for offset, count, vectors in ((4, 2051, True), (7, 100, False), (2**34 + 1, 1, False)):
            np.testing.assert_array_equal(self.made("words", "uint32", offset, count, vectors), words(self.SEED, 0, offset, count, 32))
        np.testing.assert_array_equal(self.made("long_words", "uint64", 2, 101, True), words(self.SEED, 5, 2, 101, 64))

    def test_reals(self):
        x = self.made("uniform", "float64", 4, 101, True)
        np.testing.assert_allclose(x, (words(self.SEED, 1, 4, 101, 64) >> 11) * 2.0**-51 - 1, rtol=0, atol=1e-15)
        x = self.made("exponential", "float32", 4, 101, True)
        np.testing.assert_allclose(x, -3 * np.log(((words(self.SEED, 3, 4, 101, 32) >> 1) + 0.5) * 2.0**-31), rtol=1e-6)
        for kernel, bits, tolerance in (("normal", 32, 2e-6), ("long_normal", 64, 1e-14)):
            radius, angle = words(self.SEED, 2, 4, 100, bits).reshape(-1, 2).T
            quarter = angle >> (bits - 2)
            if bits == 32:
                middle, part = ((radius >> 1) + 0.5) * 2.0**-31, (angle << 2).astype("uint32").view("int32") * 2.0**-32
            else:
                middle, part = (radius >> 11 | 1) * 2.0**-53, (angle << 2 >> 12) * 2.0**-52 - 0.5
            length, turn = np.sqrt(-2 * np.log(middle)), (quarter + part) * (np.pi / 2)
            expected = 10 + 2 * length[:, None] * np.stack([np.cos(turn), np.sin(turn)], -1)
            np.testing.assert_allclose(self.made(kernel, f"float{bits}", 4, 100, True), expected.ravel(), rtol=0, atol=20 * tolerance)

    def test_integers(self):
        """Of the products with a range the upper half, drawn again where the lower one is below 2**bits modulo the range."""
        for kernel, kind, bits, least, length in (("bytes", "uint8", 32, 5, 200), ("integers", "uint32", 32, 7, 3 << 30), ("long_integers", "uint64", 64, 7, 3 << 62)):
            expected, attempts = [], 0
            for i in range(101):
                attempt = 0
                while True:
                    number = 128 // bits
                    four = philox(self.SEED, 4, np.array([i // number]), attempt)[0].tolist()
                    bits_drawn = four[i % 4] if bits == 32 else four[i % 2 * 2] | four[i % 2 * 2 + 1] << 32
                    product = bits_drawn * length
                    if product % 2**bits >= 2**bits % length:
                        break
                    attempt += 1
                attempts += attempt
                expected.append((product >> bits) + least)
            self.assertEqual(attempts > 0, kernel != "bytes")
            np.testing.assert_array_equal(self.made(kernel, kind, 0, 101, True), np.array(expected, dtype=object) % 2**(8 * np.dtype(kind).itemsize))

    def test_points(self):
        x, y = philox(self.SEED, 0, np.arange(10, 1010)).reshape(-1, 2).T.astype(object) * 2 + 1
        inside, = launch("numerics", "points", 2, 256, n(self.SEED), n(10), n(1000), np.zeros(1, "uint64"))
        self.assertEqual(inside[0], (x * x + y * y < 2**66).sum())


class Products(unittest.TestCase):
    def check(self, name, kind, stored, a, b, tolerance):
        def described(m):
            batch, *strides = m.strides
            step = m.itemsize
            return np.array([*m.shape[1:], *(s // step for s in strides), batch // step], "uint64")
        batches, rows, columns = a.shape[0], a.shape[1], b.shape[2]

        def plain(m):
            whole = m.base if m.base is not None else m
            return np.ascontiguousarray(whole).view(stored)
        for kernel in ("naive", "tiled"):
            with self.subTest(kernel=kernel, kind=kind):
                *_, c = launch("numerics", f"{kernel}_{name}", 3, "32,32", plain(a), described(a), plain(b), described(b), n(batches),
                               Unwritten(stored, batches * rows * columns * (2 if name == "complex" else 1)), schedules=2)
                wide = "complex128" if name == "complex" else "float64"
                np.testing.assert_allclose(c.view(kind).reshape(batches, rows, columns), np.matmul(a.astype(wide), b.astype(wide)), rtol=0, atol=tolerance)

    def test_products(self):
        """More tiles than blocks, parts of tiles at every edge, rows side by side and columns side by side."""
        a, b = random.standard_normal((2, 33, 40)).astype("float32"), random.standard_normal((2, 40, 5)).astype("float32")
        self.check("float", "float32", "float32", a, b, 1e-4)
        turned = random.standard_normal((1, 5, 40)).astype("float16")
        self.check("half", "float16", "uint16", random.standard_normal((1, 3, 40)).astype("float16"), turned.transpose(0, 2, 1), 0.05)
        a = random.standard_normal((1, 3, 2)) + 1j * random.standard_normal((1, 3, 2))
        self.check("complex", "complex128", "float64", a, a.reshape(1, 2, 3), 1e-14)

    def test_pack(self):
        m = random.standard_normal((2, 7, 30)).astype("float32")
        # Every other column of every other row.
        *_, packed = launch("numerics", "pack_float", 1, 256, m, np.array([4, 15, 60, 2, 210], "uint64"), n(2), Unwritten("float32", 2 * 4 * 15))
        np.testing.assert_array_equal(packed.reshape(2, 4, 15), m[:, ::2, ::2])


class FourierTransforms(unittest.TestCase):
    def test_scale(self):
        """Scales whole vectors of 16 bytes, and a partial vector at the end."""
        for suffix, kind, size in (("floats", "float32", 2050), ("doubles", "float64", 1025), ("floats", "float32", 3), ("doubles", "float64", 512)):
            x = random.standard_normal(size).astype(kind)
            factor = x.dtype.type(0.3)
            out, = launch("numerics", f"scale_{suffix}", blocks_of(x.nbytes // 16 + 1, 256), 256, x, n(size), factor, schedules=2)
            np.testing.assert_array_equal(out, x * factor)


if __name__ == "__main__":
    unittest.main(verbosity=2 if "-v" in sys.argv else 1)
