#!/usr/bin/env python3
"""The kernels of Heddle's simulations under heddle check, at sizes that reach every branch, against NumPy.

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


# D2Q9 in the order of the populations: at rest, then along and against each pair.
VELOCITY = np.array([(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1), (1, -1), (-1, 1)])
WEIGHT = np.array([4 / 9] + [1 / 9] * 4 + [1 / 36] * 4)
OPPOSITE = np.array([0, 2, 1, 4, 3, 6, 5, 8, 7])


def collided(g, even, odd):
    """Two rates on deviations from the rest state (I. Ginzburg et al. 2008); axis 0 numbers the populations."""
    density = 1 + g.sum(0)
    momentum = np.tensordot(VELOCITY.T, g, 1)
    along = np.tensordot(VELOCITY, momentum, 1)
    of_density = WEIGHT[:, None, None] * (density - 1)
    of_flow = WEIGHT[:, None, None] * ((4.5 * along**2 - 1.5 * (momentum**2).sum(0)) / density)
    even_part, odd_part = (g + g[OPPOSITE]) / 2, (g - g[OPPOSITE]) / 2
    return g - even * (even_part - of_density - of_flow) - odd * (odd_part - 3 * WEIGHT[:, None, None] * along)


class LatticeBoltzmann(unittest.TestCase):
    # Of kernels of boundaries: their suffix, the type of populations and that of numbers, the unit of populations.
    BOUNDARIES = (("double", "float64", "float64", 1), ("fixed", "int16", "float32", 2.0**-18))

    def memory(self, width, height, kind):
        """All planes, with the ring around the grid, and where each population of the cells is in them."""
        size = np.dtype(kind).itemsize
        pitch = blocks_of(width, 64) * 64 + 64
        plane = blocks_of((height + 2) * pitch, 4096 // size) * (4096 // size) + 384 // size
        place = (np.arange(height)[:, None] + 1) * pitch + np.arange(width)

        def where(i, exchanged=False):
            p = (i - 1) // 2
            if i == 0:
                return place
            if i % 2 != 0:
                return place + (2 * p + (2 if exchanged else 1)) * plane
            x, y = VELOCITY[2 * p + 1]
            return place + (2 * p + (1 if exchanged else 2)) * plane + y * pitch + x
        return np.zeros(9 * plane, kind), where, place, pitch

    def numbers(self, even=1, odd=1, eddy=0, force=(0, 0), unit=1):
        return np.array([even, odd, 0, 1 / even, eddy, *force, unit], "float64")

    def step(self, kernel, kind, width, height, numbers, exchanged, scale=0.02):
        memory, where, *_ = self.memory(width, height, kind)
        g = scale * random.standard_normal((9, height, width)) * WEIGHT[:, None, None]
        if kind == "int16":
            g = np.rint(g / numbers[-1])
        for i in range(9):
            memory[where(i, exchanged)] = g[i]
        cells = {"float32": 128 * 4, "float64": 256 * 2, "int16": 256 * 4}[kind]
        after, _ = launch("lattice_boltzmann", kernel, blocks_of(width, cells) * height, 128 if kind == "float32" else 256, memory, np.int64(width),
                          np.int64(height), numbers, exchanged, schedules=2)
        # What leaves along c lies where what came against c was, and the other way round.
        return memory[np.array([where(i, exchanged) for i in range(9)])].astype("float64"), \
            after[np.array([where(OPPOSITE[i], exchanged) for i in range(9)])].astype("float64")

    def test_step(self):
        for width, height, exchanged in ((70, 3, False), (600, 2, True)):
            with self.subTest(width=width):
                before, after = self.step("step_float", "float32", width, height, self.numbers(1.3, 0.8), exchanged)
                np.testing.assert_allclose(after, collided(before, 1.3, 0.8), rtol=0, atol=2e-8)

    def test_forces_and_eddies(self):
        for kernel in ("step_double", "step_double_regularized"):
            before, after = self.step(kernel, "float64", 520, 2, self.numbers(1.2, 1.2, 2.0, (1e-3, -2e-3)), True)
            np.testing.assert_allclose(after.sum(0), before.sum(0), rtol=0, atol=1e-15)
            given = np.array([1e-3, -2e-3])[:, None, None]
            np.testing.assert_allclose(np.tensordot(VELOCITY.T, after - before, 1), np.broadcast_to(given, (2, *before.shape[1:])), rtol=0, atol=1e-15)
        before, after = self.step("step_double", "float64", 66, 2, self.numbers(1.2, 0.9), False)
        np.testing.assert_allclose(after, collided(before, 1.2, 0.9), rtol=0, atol=1e-15)

    def test_fixed_point(self):
        """Mass and momentum to the unit, and the rest to what rounding may change."""
        unit = 2.0**-18
        for kernel, width in (("step_fixed", 1100), ("step_fixed", 70), ("step_fixed_regularized", 70)):
            with self.subTest(kernel=kernel, width=width):
                before, after = self.step(kernel, "int16", width, 2, self.numbers(1.1, 1.1, unit=unit), False)
                np.testing.assert_array_equal(after.sum(0), before.sum(0))
                np.testing.assert_array_equal(np.tensordot(VELOCITY.T, after, 1), np.tensordot(VELOCITY.T, before, 1))
                if kernel == "step_fixed":
                    self.assertLess(np.abs(after - collided(before * unit, 1.1, 1.1) / unit).max(), 5)

    def test_links_and_copies(self):
        """Walls send back; moving ones take; surfaces between cells interpolate; copies go round. Of 16 bits
        all are whole, no larger than they hold, and what interpolation adds is counted."""
        for suffix, kind, number, unit in self.BOUNDARIES:
            with self.subTest(kind=kind):
                self.exchange(f"exchange_{suffix}", kind, number, unit)

    def exchange(self, kernel, kind, number, unit):
        width, height, is_fixed, largest = 30, 6, kind == "int16", 32767
        memory, where, place, pitch = self.memory(width, height, kind)
        memory[:] = random.integers(-9000, 9000, memory.size) if is_fixed else random.standard_normal(memory.size)
        plane = memory.size // 9
        y, x, pair = np.array([(0, 2, 0), (1, 5, 1), (2, 9, 2), (3, 12, 3), (4, 15, 0), (5, 20, 2), (2, 22, 0), (3, 25, 1)]).T
        against = np.array([0, 1, 0, 1, 0, 1, 0, 1])
        at = place[y, x]
        # Of 16 bits with which an interpolation is exact before it is rounded.
        nearer, further = (0.25, 1.0) if is_fixed else (0.3, 0.7)
        second = np.array([0.01, 0.02, nearer, further], number)
        if is_fixed:
            memory[(2 * pair[2] + 1) * plane + at[2]] = 200 - largest
        ghost = place[1:3, 28] * 8 + 2 * np.array([0, 2])
        image = place[1:3, 1]
        after, *_, counted = launch("lattice_boltzmann", kernel, 1, 128, memory, np.int64(width), np.int64(height),
                                    (at * 8 + 2 * pair + against).astype("uint64"), second, ghost.astype("uint64"), image.astype("uint64"),
                                    np.array([2, 2, 2, 2, 2, 0, 0]), self.numbers(unit=unit), np.array([7.0]))
        expected, brought = memory.astype("float64"), 7
        for i in range(8):
            own, ahead = (2 * pair[i] + 1) * plane, (2 * pair[i] + 2) * plane
            left, back = (ahead, own) if against[i] else (own, ahead)
            dx, dy = VELOCITY[2 * pair[i] + 1]
            behind = at[i] + (dy * pitch + dx) * (1 if against[i] else -1)
            here = mine = float(memory[left + at[i]])
            if i in (2, 3):
                mine -= second[i - 2] / unit
            if i == 6:
                mine = 2 * nearer * mine + (1 - 2 * nearer) * memory[left + behind]
            if i == 7:
                mine = 0.5 / further * mine + (1 - 0.5 / further) * memory[back + behind]
            if is_fixed:
                mine = np.rint(mine)
                brought += mine - here if i > 5 else 0
                mine = np.clip(mine, -largest, largest)
            expected[back + at[i]] = mine
        for cell, from_cell, p in zip(place[1:3, 28], image, (0, 2)):
            own, ahead = (2 * p + 1) * plane, (2 * p + 2) * plane
            expected[own + from_cell] = memory[own + cell]
            expected[ahead + cell] = memory[ahead + from_cell]
        np.testing.assert_allclose(after, expected, rtol=0, atol=1e-15)
        self.assertEqual(counted[0], brought)

    def test_copies_in_ring(self):
        """The first 200 of 300 copies, by one block of 128 threads."""
        for suffix, kind, _, unit in self.BOUNDARIES:
            with self.subTest(kind=kind):
                memory, _, place, _ = self.random_flow(310, 4, kind, unit)
                plane, pair, count = memory.size // 9, random.integers(0, 4, 300), 200
                ghost, image = place[1, :300], place[3, :300]
                after, *_ = launch("lattice_boltzmann", f"copies_{suffix}", 1, 128, memory, np.int64(310), np.int64(4),
                                   (ghost * 8 + 2 * pair).astype("uint64"), image.astype("uint64"), np.array([0, 0, 0, 0, 300, 0, 0]),
                                   self.numbers(unit=unit), n(count))
                own, ahead = (2 * pair + 1) * plane, (2 * pair + 2) * plane
                expected = memory.copy()
                expected[(own + image)[:count]] = memory[(own + ghost)[:count]]
                expected[(ahead + ghost)[:count]] = memory[(ahead + image)[:count]]
                np.testing.assert_array_equal(after, expected)

    def random_flow(self, width, height, kind="float64", unit=1):
        memory, where, place, _ = self.memory(width, height, kind)
        values = 0.01 / unit * random.standard_normal(memory.size)
        memory[:] = np.rint(values) if kind == "int16" else values
        g = unit * memory[np.array([where(i) for i in range(9)])].astype("float64")
        return memory, where, place, g

    def test_open_ends(self):
        for suffix, kind, number, unit in self.BOUNDARIES:
            with self.subTest(kind=kind):
                self.open_ends(suffix, kind, number, unit)

    def open_ends(self, suffix, kind, number, unit):
        """Of 16 bits to what rounding may change, and with what it brings counted, also where that is beyond the range."""
        width, height, is_fixed = 40, 300, kind == "int16"
        memory, where, place, g = self.random_flow(width, height, kind, unit)
        inflow, outflow = place[:, 0].astype("uint64"), place[:, -1].astype("uint64")
        counts, numbers = np.array([0, 0, 0, 0, 0, height, height]), self.numbers(1.5, 1.5, unit=unit)
        # Half a unit of each population, and what float leaves of numbers below 1.
        accuracy, rounding = (2.0**-22, 4.5 * unit) if is_fixed else (1e-15, 0)
        *_, excess = launch("lattice_boltzmann", f"excess_{suffix}", 1, 256, memory, np.int64(width), np.int64(height), outflow, counts, numbers,
                            Unwritten(number, 1))
        end = g[:, :, -1]
        leaving = end[0] + end[3] + end[4] + 2 * (end[1] + end[5] + end[7])
        self.assertAlmostEqual(excess[0], (leaving.mean() - 0.05) / (1 + 3**-0.5), delta=accuracy)
        *_, of_cells = launch("lattice_boltzmann", f"leaving_{suffix}", blocks_of(height, 128), 128, memory, np.int64(width), np.int64(height), outflow,
                              counts, numbers, Unwritten(number, height))
        np.testing.assert_allclose(of_cells, leaving, rtol=0, atol=accuracy)
        velocity, slope = (random.random((2, height)) * 0.05).astype(number)
        beyond = 5
        if is_fixed:
            velocity[beyond], slope[beyond] = 0.3, 0
        after, *_, counted = launch("lattice_boltzmann", f"ends_{suffix}", blocks_of(2 * height, 128), 128, memory, np.int64(width), np.int64(height),
                                    inflow, velocity, slope, outflow, counts, numbers, excess, np.array([7.0]))
        whole = after[np.array([where(i) for i in range(9)])].astype("float64")
        # The populations that come in make up for the density that those that leave have (Zou and He 1997).
        known = g[0] + g[3] + g[4] + 2 * (g[2] + g[6] + g[8])
        due = (known[:, 0] + velocity) / (1 - velocity)
        if is_fixed:
            along = VELOCITY[:, 0] * 0.3
            held = np.rint(WEIGHT * ((1 + due[beyond]) * (1 + 3 * along + 4.5 * along**2 - 1.5 * 0.3**2) - 1) / unit)
            self.assertGreater(held[1], 40000)
            np.testing.assert_allclose(whole[:, beyond, 0], np.clip(held, -32767, 32767), rtol=0, atol=1)
            clipped = np.abs(whole[:, beyond, 0]) == 32767
            whole[clipped, beyond, 0] = held[clipped]
        left, right = unit * whole[:, :, 0], unit * whole[:, :, -1]
        density = 1 + left.sum(0)
        np.testing.assert_allclose(VELOCITY.T @ left, [density * velocity, 0 * velocity], rtol=0, atol=accuracy + rounding)
        np.testing.assert_allclose(density - 1, due, rtol=0, atol=10 * accuracy + rounding)
        np.testing.assert_allclose(right.sum(0), np.broadcast_to(excess, height), rtol=0, atol=accuracy + rounding)
        np.testing.assert_array_equal(after[where(5)[:, 1:-1]], memory[where(5)[:, 1:-1]])
        brought = 0
        if is_fixed:
            # What arrives from the grid and what was sent out of it makes way.
            plane, pitch = memory.size // 9, place[1, 0] - place[0, 0]
            brought = whole[:, :, [0, -1]].sum() - memory[where(0)[:, [0, -1]]].sum(dtype=int)
            for p in range(4):
                dx, dy = VELOCITY[2 * p + 1]
                for cells, planes in ((place[:, 0], (2, 2)), (place[:, -1], (1, 1))):
                    here, there = (1, 2) if dx == 0 else planes
                    brought -= memory[(2 * p + here) * plane + cells].sum(dtype=int)
                    brought -= memory[(2 * p + there) * plane + cells + dy * pitch + dx].sum(dtype=int)
        self.assertAlmostEqual(counted[0], 7 + brought, delta=clipped.sum() if is_fixed else 0)

    def test_rows(self):
        width, height = 50, 5
        memory, where, *_ = self.memory(width, height, "float32")
        rows = random.standard_normal((9, 3, width)).astype("float32")
        memory, _ = launch("lattice_boltzmann", "load", 1, 256, memory, np.int64(width), np.int64(height), np.int64(1), np.int64(3), rows)
        np.testing.assert_array_equal(np.array([memory[where(i)[1:4]] for i in range(9)]), rows)
        _, back = launch("lattice_boltzmann", "store", 1, 256, memory, np.int64(width), np.int64(height), np.int64(1), np.int64(3), Unwritten("float32", rows.size))
        np.testing.assert_array_equal(back.reshape(rows.shape), rows)

    def test_diagnostics(self):
        width, height = 70, 65
        memory, where, place, g = self.random_flow(width, height)
        size, solid = (np.int64(width), np.int64(height)), (random.random((height, width)) < 0.2).astype("uint8")
        blocks = blocks_of(width * height, 256)
        *_, seen = launch("lattice_boltzmann", "look", blocks, 256, memory, *size, self.numbers(), Unwritten("float64", 3 * width * height))
        density, momentum = g.sum(0), np.tensordot(VELOCITY.T, g, 1)
        velocity = momentum / (1 + density)
        np.testing.assert_allclose(seen.reshape(height, width, 3), np.stack([density, *velocity], -1), rtol=0, atol=1e-15)
        *_, parts = launch("lattice_boltzmann", "excess_mass", height, 256, memory, *size, self.numbers(), solid, Unwritten("float64", height))
        np.testing.assert_allclose(parts, np.where(solid == 0, density, 0).sum(1), rtol=0, atol=1e-13)
        before = random.standard_normal((height, width, 2))
        *_, left, most = launch("lattice_boltzmann", "change", blocks, 256, memory, *size, self.numbers(), solid, before, np.zeros(1, "uint64"))
        changes = np.abs(np.moveaxis(velocity, 0, -1) - before)[solid == 0]
        self.assertAlmostEqual(most.view("float64")[0], changes.max(), delta=1e-14)
        kept = np.where(solid == 0, velocity, 0)
        np.testing.assert_allclose(left.reshape(before.shape), np.moveaxis(kept, 0, -1), rtol=0, atol=1e-15)
        fluid = np.flatnonzero(solid.ravel() == 0)
        for cells in ((), fluid[[50, 3000]]):
            broken = memory.copy()
            for cell in cells:
                broken[where(1).ravel()[cell]] = np.nan
            *_, lowest = launch("lattice_boltzmann", "bad", blocks, 256, broken, *size, self.numbers(), solid, np.full(1, 2**64 - 1, "uint64"))
            self.assertEqual(lowest[0], cells[0] if len(cells) else 2**64 - 1)

    def test_forces(self):
        memory, where, place, _ = self.random_flow(30, 8)
        plane = memory.size // 9
        at, pair, against = random.choice(place.ravel(), 140), random.integers(0, 4, 140), random.integers(0, 2, 140)
        *_, x, y = launch("lattice_boltzmann", "forces", 2, 128, memory, np.int64(30), np.int64(8), (at * 8 + 2 * pair + against).astype("uint64"), n(140),
                          n(70), Unwritten("float64", 140), Unwritten("float64", 140))
        along, back = memory[(2 * pair + 1) * plane + at], memory[(2 * pair + 2) * plane + at]
        # The first seventy are off walls half-way, where as much comes back as has left.
        both = np.where(np.arange(140) < 70, 2 * np.where(against, back, along), along + back) * np.where(against, -1, 1)
        np.testing.assert_array_equal([x, y], both * VELOCITY[2 * pair + 1].T)


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
