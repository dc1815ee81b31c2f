#!/usr/bin/env python3
"""The kernels of lattice Boltzmann under heddle check, at sizes that reach every branch, against NumPy.

docs/development.md says which kernels are here and which are left to a GPU.
"""
import sys
import unittest

import numpy as np

from own_kernels import Unwritten, blocks_of, launch, n

random = np.random.default_rng(11)

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


if __name__ == "__main__":
    unittest.main(verbosity=2 if "-v" in sys.argv else 1)
