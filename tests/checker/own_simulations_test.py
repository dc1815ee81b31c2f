#!/usr/bin/env python3
"""The kernels of Life, Laplace and Mandelbrot under heddle check, at sizes that reach every branch, against NumPy.

docs/development.md says which kernels are here and which are left to a GPU.
"""
import sys
import unittest

import numpy as np

from own_kernels import Unwritten, blocks_of, launch, n

random = np.random.default_rng(11)


def generation(cells, torus, birth=(3,), survival=(2, 3)):
    wide = np.pad(cells.astype(int), 1, "wrap" if torus else "constant")
    height, width = cells.shape
    nine = sum(wide[dy:dy + height, dx:dx + width] for dy in range(3) for dx in range(3))
    return np.where(cells, np.isin(nine - 1, survival), np.isin(nine, birth))


def rows_of_words(cells):
    """32 cells a word, the first in the lowest bit."""
    padded = np.pad(cells, ((0, 0), (0, -cells.shape[1] % 32)))
    return np.packbits(padded, axis=1, bitorder="little").view("uint32")


def cells_of_rows(words, width):
    return np.unpackbits(words.view("uint8"), axis=1, bitorder="little")[:, :width].astype(bool)


def slices_of(cells):
    """Word p of a row has column l * positions + p in bit l."""
    height, width = cells.shape
    runs = cells.reshape(height, 32, width // 32).astype("uint64")
    return (runs << np.arange(32, dtype="uint64")[:, None]).sum(1, dtype="uint64").astype("uint32")


def random_cells(height, width):
    return random.random((height, width)) < 0.4


HIGHLIFE = {"birth": (3, 6), "survival": (2, 3)}


def bits_of(rule):
    return sum(1 << k for k in rule["birth"]), sum(1 << k for k in rule["survival"])


class Life(unittest.TestCase):
    def test_count(self):
        words = random.integers(0, 2**32, 1000, dtype=np.uint64).astype("uint32")
        _, total = launch("life", "count", 2, 256, words, n(1000), np.array([5], "uint64"))
        self.assertEqual(total[0], 5 + sum(bin(w).count("1") for w in words.tolist()))

    def test_in_a_warp(self):
        birth, survival = bits_of(HIGHLIFE)
        for height, width, torus in ((5, 7, True), (5, 7, False), (32, 32, False), (17, 32, True), (1, 1, True)):
            with self.subTest(height=height, width=width, torus=torus):
                cells = random_cells(height, width)
                rows = np.zeros((height, 2), "uint32")
                rows[:, :1] = rows_of_words(cells)
                rows, = launch("life", "in_a_warp", 1, 32, rows, np.uint32(width), np.uint32(height), torus, n(5), np.uint32(birth | survival << 16))
                for _ in range(5):
                    cells = generation(cells, torus, **HIGHLIFE)
                np.testing.assert_array_equal(cells_of_rows(np.ascontiguousarray(rows.reshape(height, 2)[:, :1]), width), cells)
        cells = random_cells(32, 32)
        rows = np.zeros((32, 2), "uint32")
        rows[:, :1] = rows_of_words(cells)
        rows, = launch("life", "in_a_warp_whole", 1, 32, rows, n(6))
        for _ in range(6):
            cells = generation(cells, True)
        np.testing.assert_array_equal(cells_of_rows(np.ascontiguousarray(rows.reshape(32, 2)[:, :1]), 32), cells)

    def test_by_rows(self):
        birth, survival = bits_of(HIGHLIFE)
        for height, width in ((9, 100), (40, 64), (3, 20)):
            for torus in (False, True):
                with self.subTest(height=height, width=width, torus=torus):
                    cells = random_cells(height, width)
                    words = rows_of_words(cells)
                    for kernel, rule, more in (("by_rows", HIGHLIFE, (np.uint32(birth | survival << 16),)), ("by_rows_conway", {}, ())):
                        _, after = launch("life", kernel, 1, 256, words, Unwritten("uint32", words.size), n(width), n(height), torus, *more)
                        np.testing.assert_array_equal(cells_of_rows(after.reshape(words.shape), width), generation(cells, torus, **rule))

    def test_march(self):
        for kernel, generations, torus, height, positions, strips in (
                ("march_periodic", 4, True, 21, 8, 2), ("march_plane", 4, False, 21, 8, 2), ("march_periodic_once", 1, True, 5, 124, 1),
                ("march_plane_eight", 8, False, 40, 120, 1)):
            with self.subTest(kernel=kernel):
                cells = random_cells(height, 32 * positions)
                rows = blocks_of(height, strips)
                kept = 128 - 2 * blocks_of(generations, 4) * 4
                _, after = launch("life", kernel, blocks_of(blocks_of(positions, kept) * strips, 4), 128, slices_of(cells),
                                  Unwritten("uint32", height * positions), n(positions), np.int64(height), n(strips), np.int64(rows))
                for _ in range(generations):
                    cells = generation(cells, torus)
                np.testing.assert_array_equal(after.reshape(height, positions), slices_of(cells))

    def test_slices(self):
        for height, positions in ((3, 40), (2, 32), (5, 4)):
            with self.subTest(positions=positions):
                cells = random_cells(height, 32 * positions)
                squares = blocks_of(positions, 32) * height
                _, sliced = launch("life", "slice", 1, 128, rows_of_words(cells), Unwritten("uint32", height * positions), n(positions), n(squares))
                np.testing.assert_array_equal(sliced.reshape(height, positions), slices_of(cells))
                _, rows = launch("life", "unslice", 1, 128, sliced, np.zeros(height * positions, "uint32"), n(positions), n(squares))
                np.testing.assert_array_equal(rows.reshape(height, positions), rows_of_words(cells))

    def test_by_cells(self):
        birth, survival = bits_of(HIGHLIFE)
        for height, width in ((9, 33), (8, 32), (1, 3)):
            for torus in (False, True):
                with self.subTest(height=height, width=width, torus=torus):
                    cells = random_cells(height, width)
                    count = blocks_of(height, 8) * blocks_of(width, 32)
                    for kernel in ("cells", "tiles"):
                        _, after = launch("life", kernel, max(count - 1, 1), "32,8", cells.astype("uint8"), Unwritten("uint8", cells.size), n(width), n(height),
                                          torus, np.uint16(birth), np.uint16(survival), n(count))
                        np.testing.assert_array_equal(after.reshape(cells.shape), generation(cells, torus, **HIGHLIFE))
                    after, = launch("life", "in_a_block", 1, 1024, cells.astype("uint8"), n(width), n(height), torus, np.uint16(birth), np.uint16(survival),
                                    n(3), shared=2 * cells.size)
                    for _ in range(3):
                        cells = generation(cells, torus, **HIGHLIFE)
                    np.testing.assert_array_equal(after.reshape(cells.shape), cells)


def swept(u, g, numbers, square):
    """Jacobi's formula at the inner points, in the kernels' order of operations."""
    left, right, above, below = u[1:-1, :-2], u[1:-1, 2:], u[:-2, 1:-1], u[2:, 1:-1]
    if square:
        value = u.dtype.type(0.25) * ((left + right) + (above + below))
    else:
        value = numbers[0] * (left + right) + numbers[1] * (above + below)
    return value if g is None else value - g[1:-1, 1:-1]


class Laplace(unittest.TestCase):
    def arrays(self, kind, height, width):
        """u and g with rows as long as the memory of one, and what a formula weighs with."""
        pitch = blocks_of(width, 128 // np.dtype(kind).itemsize) * (128 // np.dtype(kind).itemsize)
        u, g = random.standard_normal((2, height, pitch)).astype(kind)
        return u, g, pitch, np.array([0.3, 0.2], kind)

    def test_jacobi(self):
        for kernel, kind, sweeps, square, has_source, width, height, chunks in (
                ("eight", "float32", 8, True, False, 400, 50, 2), ("four", "float32", 4, False, True, 130, 30, 1),
                ("two", "float64", 2, False, False, 200, 37, 2), ("one", "float64", 1, True, True, 9, 5, 1)):
            with self.subTest(kernel=kernel):
                u, g, pitch, numbers = self.arrays(kind, height, width)
                elements = 16 // u.itemsize
                strips = blocks_of(width, (32 - 2 * blocks_of(sweeps, elements)) * elements)
                _, _, v, _ = launch("laplace", f"jacobi_{kernel}", blocks_of(strips * chunks, 4), 128, u, g, Unwritten(kind, u.size), np.int64(width),
                                    np.int64(height), np.int64(pitch), numbers, np.uint32(strips), np.uint32(chunks))
                x = u[:, :width].copy()
                for _ in range(sweeps):
                    x[1:-1, 1:-1] = swept(x, g[:, :width] if has_source else None, numbers, square)
                np.testing.assert_array_equal(v.reshape(u.shape)[:, :width], x)

    def test_relax(self):
        for kernel, kind, sweeps, square, has_source, has_u, corrects, width, height in (
                ("all", "float32", 2, False, True, True, True, 129, 65), ("plain", "float64", 1, True, False, True, False, 70, 33),
                ("correction", "float64", 4, True, True, False, True, 33, 17)):
            with self.subTest(kernel=kernel):
                u, g, pitch, numbers = self.arrays(kind, height, width)
                coarse, _, coarse_pitch, _ = self.arrays(kind, height // 2 + 1, width // 2 + 1)

                def places(points):
                    """The coarse point below each, and how far it is on the way to the next."""
                    below = np.minimum(np.arange(points) // 2, points // 2 - 1)
                    return below.astype("int32"), (np.arange(points) / 2 - below).astype(kind)
                (left, right), (low, high) = places(width), places(height)
                before = random.standard_normal(u.shape).astype(kind)
                v = launch("laplace", f"relax_{kernel}", blocks_of(width, 64) * blocks_of(height, 32), 256, u, g, before, np.int64(width),
                           np.int64(height), np.int64(pitch), numbers, coarse, np.int64(coarse_pitch), left, right, low, high)[2].reshape(u.shape)
                x = u[:, :width].copy() if has_u else np.zeros((height, width), kind)
                if corrects:
                    at, above = coarse[low][:, left], coarse[low + 1][:, left]
                    at_right, above_right = coarse[low][:, left + 1], coarse[low + 1][:, left + 1]
                    up, across = high[:, None], right[None, :]
                    here, following = (1 - up) * at + up * above, (1 - up) * at_right + up * above_right
                    x[1:-1, 1:-1] += ((1 - across) * here + across * following)[1:-1, 1:-1]
                row, column = np.indices((height - 2, width - 2)) + 1
                for half in range(1, 2 * sweeps + 1):
                    x[1:-1, 1:-1] = np.where((row + column + half) % 2 == 1, swept(x, g[:, :width] if has_source else None, numbers, square), x[1:-1, 1:-1])
                expected = before.copy()
                expected[1:height - 1, 1:width - 1] = x[1:-1, 1:-1]
                np.testing.assert_array_equal(v, expected)

    def residuals(self, u, g, numbers, square):
        result = np.zeros_like(g)
        result[1:-1, 1:-1] = -g[1:-1, 1:-1] if u is None else swept(u, g, numbers, square) - u[1:-1, 1:-1]
        return result

    def test_restrict(self):
        for kind, square, has_u, coarse_width, coarse_height in (("float32", True, True, 36, 12), ("float64", False, True, 34, 5), ("float64", False, False, 4, 3)):
            with self.subTest(kind=kind, has_u=has_u):
                width, height = 2 * coarse_width - 1, 2 * coarse_height - 1
                u, g, pitch, numbers = self.arrays(kind, height, width)
                coarse, _, coarse_pitch, _ = self.arrays(kind, coarse_height, coarse_width)

                def takes(points):
                    first, weights = 2 * np.arange(points) - 1, random.random((points, 4)).astype(kind)
                    weights[:, 3] = 0
                    return first.astype("int32"), np.full(points, 3, "int32"), weights
                (first_column, columns, of_columns), (first_row, rows, of_rows) = takes(coarse_width), takes(coarse_height)
                bits = "uint32" if kind == "float32" else "uint64"
                scale = np.dtype(kind).type(-2)
                tiles = blocks_of(coarse_width - 2, 32) * blocks_of(coarse_height - 2, 8)
                out = launch("laplace", "restrict_" + ("float" if kind == "float32" else "double"), tiles, 256, u, has_u, g, True, np.int64(width),
                             np.int64(height), np.int64(pitch), numbers, coarse, np.int64(coarse_width), np.int64(coarse_height), np.int64(coarse_pitch),
                             first_column, columns, of_columns, first_row, rows, of_rows, scale, np.zeros(1, bits))
                found, most = out[3].reshape(coarse.shape), out[-1].view(kind)[0]
                residual = self.residuals(u[:, :width] if has_u else None, g[:, :width], numbers, square)
                lines = sum(of_columns[1:-1, q] * residual[:, first_column[1:-1] + q] for q in range(1, 3)) + of_columns[1:-1, 0] * residual[:, first_column[1:-1]]
                total = sum(of_rows[1:-1, q][:, None] * lines[first_row[1:-1] + q] for q in range(1, 3)) + of_rows[1:-1, 0][:, None] * lines[first_row[1:-1]]
                expected = coarse.copy()
                expected[1:coarse_height - 1, 1:coarse_width - 1] = scale * total
                np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5 if kind == "float32" else 1e-14)
                self.assertEqual(most, np.abs(residual).max())

    def test_residual(self):
        u, g, pitch, numbers = self.arrays("float32", 20, 300)
        *_, most = launch("laplace", "residual", 5, 256, u, g, np.int64(300), np.int64(20), np.int64(pitch), numbers, np.zeros(1, "uint32"))
        self.assertEqual(most.view("float32")[0], np.abs(self.residuals(u[:, :300], g[:, :300], numbers, False)).max())


class Mandelbrot(unittest.TestCase):
    def counts(self, re, im, limit):
        c_re, c_im = np.meshgrid(re, im)
        x, y, count = np.zeros_like(c_re), np.zeros_like(c_re), np.full(c_re.shape, limit, "uint32")
        with np.errstate(all="ignore"):
            for i in range(limit):
                x, y = (x * x - y * y) + c_re, (x * y + x * y) + c_im
                count[(count == limit) & (x * x + y * y >= 4)] = i
        return count

    def test_counts(self):
        """The count is the first iteration after which |z| is 2 or more; a low limit takes one pass."""
        for kind, name in (("float32", "float"), ("float64", "double")):
            re, im = np.linspace(-2, 0.6, 45).astype(kind), np.linspace(-1.1, 0.1, 18).astype(kind)
            for first, limit, tiles in ((30, 30, 1), (16, 200, 2)):
                with self.subTest(kind=kind, limit=limit):
                    _, _, counts, tally, pixels = launch("mandelbrot", f"first_{name}", 2, 256, re, im, np.uint32(45), np.uint32(18), np.uint32(first),
                                                         np.uint32(limit), np.uint32(tiles), np.full(45 * 18, 999, "uint32"), np.zeros(2, "uint64"),
                                                         Unwritten("uint32", 45 * 18))
                    if first < limit:
                        self.assertEqual(tally[0], (counts == 999).sum())
                        *_, counts, _, _ = launch("mandelbrot", f"later_{name}", 2, 256, re, im, np.uint32(45), np.uint32(limit), counts, tally, pixels)
                    np.testing.assert_array_equal(counts.reshape(18, 45), self.counts(re, im, limit))

    def test_mirrored_rows(self):
        counts = random.integers(0, 100, (9, 70)).astype("uint32")
        after, = launch("mandelbrot", "reversed", 1, 256, counts, n(70), n(5), n(4), n(8))
        np.testing.assert_array_equal(after.reshape(9, 70), np.concatenate([counts[:5], counts[3::-1]]))


if __name__ == "__main__":
    unittest.main(verbosity=2 if "-v" in sys.argv else 1)
