#!/usr/bin/env python3
"""The kernel of stencil under heddle check, with each number of axes and each boundary, against NumPy.

docs/development.md says which kernels are here and which are left to a GPU.
"""
import sys
import unittest

import numpy as np

from own_kernels import Unwritten, blocks_of, launch

random = np.random.default_rng(7)

EDGES = {"torus": "wrap", "fixed": "constant", "clamped": "edge", "reflect": "reflect", "symmetric": "symmetric", "held": "edge"}


def stencil(x, reach, edge, formula):
    """A generation by NumPy: formula(u, indices), where u(offsets...) is the array shifted."""
    wide = np.pad(x, reach, EDGES[edge], **({"constant_values": 9} if edge == "fixed" else {}))

    def u(*offsets):
        return wide[tuple(slice(reach + o, reach + o + size) for o, size in zip(offsets, x.shape))]
    result = formula(u, np.indices(x.shape, dtype="uint32"))
    if edge != "held":
        return result
    kept, inner = x.copy(), tuple(slice(reach, size - reach) for size in x.shape)
    kept[inner] = result[inner]
    return kept


STENCILS = {
    "rows": (2, lambda u, i: 3 * u(-2) + 5 * u(0) + 7 * u(1) + i[0]),
    "tables": (1, lambda u, i: 3 * u(-1, 0) + 5 * u(0, -1) + 7 * u(1, 1) + u(0, 0)),
    "blocks": (1, lambda u, i: 3 * u(-1, 0, 0) + 5 * u(0, 1, 0) + 7 * u(0, 0, -1) + u(1, 1, 1) + 100 * i[0] + 10 * i[1] + i[2]),
}


class Stencil(unittest.TestCase):
    def check(self, kernel, sizes, tile, generations, edge):
        reach, formula = STENCILS[kernel]
        axes = len(sizes)
        x = random.integers(0, 2**32, sizes, dtype=np.uint64).astype("uint32")
        cells = [size - (2 * reach if edge == "held" else 0) for size in sizes]
        sides, bytes_of_buffer = [1] * (3 - axes) + list(tile), 4
        for side, size in zip(tile, cells):
            bytes_of_buffer *= side + 2 * reach * (1 if side == size else generations)
        count = int(np.prod([blocks_of(size, side) for size, side in zip(cells, tile)]))
        out = x if edge == "held" else Unwritten("uint32", x.size)
        _, found, _ = launch("stencil", kernel, max(count - 1, 1), 256 if axes == 1 else "32,8", x, out,
                             np.array([1] * (3 - axes) + list(sizes) + sides, "int64"), np.uint32(list(EDGES).index(edge)), np.uint32(9),
                             np.int32(generations), shared=2 * bytes_of_buffer)
        for _ in range(generations):
            x = stencil(x, reach, edge, formula)
        np.testing.assert_array_equal(found.reshape(sizes), x)

    def test_tiles_and_edges(self):
        for kernel, sizes, tile, generations in (("rows", (310,), (100,), 3), ("rows", (60,), (60,), 5), ("tables", (21, 37), (8, 16), 2),
                                                 ("blocks", (7, 9, 11), (4, 8, 8), 2)):
            for edge in EDGES:
                with self.subTest(kernel=kernel, sizes=sizes, edge=edge):
                    # A tile that is the whole array goes through all generations by itself.
                    held = 4 if edge == "held" and tile == sizes else 0
                    self.check(kernel, sizes, tuple(side - held for side in tile), generations, edge)
        self.check("tables", (12, 20), (12, 20), 4, "torus")
        self.check("blocks", (1, 5, 6), (1, 5, 6), 3, "symmetric")


if __name__ == "__main__":
    unittest.main(verbosity=2 if "-v" in sys.argv else 1)
