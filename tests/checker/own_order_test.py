#!/usr/bin/env python3
"""Heddle's own kernels of sorts by comparison, gather, scatter, lower_bound and top_k under heddle check, at sizes that reach
every branch, against NumPy.
"""
import sys
import unittest

import numpy as np

from own_kernels import Unwritten, blocks_of, launch, n

random = np.random.default_rng(11)
NONE = 2**64 - 1


class MergeSort(unittest.TestCase):
    def merged(self, kernel, first, size, width, item, tile, *between):
        """Sorted runs of `width` merged in pairs until there is one."""
        grid = max(1, blocks_of(size, tile) - 1)
        while width < size:
            *_, out = launch("order", kernel, grid, 256, first, *between, n(size), n(width), Unwritten(first.dtype, size * item))
            first, width = out, 2 * width
        return first

    def test_elements(self):
        """Tiles of 1024 elements of 12 bytes: parts of one, several, a run without another to merge with."""
        for size in (1, 7, 1024, 2 * 1024 + 5, 5 * 1024 + 1):
            with self.subTest(size=size):
                x = random.integers(0, 50, (size, 3)).astype("int32")
                *_, tiles = launch("order", "tiles_of_keyed", max(1, size // 1024), 256, x, n(size), Unwritten("int32", 3 * size))
                for t in range(0, size, 1024):
                    part = x[t:t + 1024]
                    np.testing.assert_array_equal(tiles.reshape(-1, 3)[t:t + 1024], part[np.argsort(part[:, 0], kind="stable")])
                out = self.merged("merged_keyed", tiles, size, 1024, 3, 1024)
                np.testing.assert_array_equal(out.reshape(-1, 3), x[np.argsort(x[:, 0], kind="stable")])

    def test_places(self):
        """Tiles of 2048 places that are compared by what they stand for; all alike, and in the opposite order."""
        for size, values in ((4500, 9), (2049, 1), (2048, 3000)):
            with self.subTest(size=size):
                x = random.integers(0, values, size).astype("float32")
                if values == 3000:
                    x.sort()
                *_, tiles = launch("order", "tiles_of_places", 2, 256, x, n(size), Unwritten("uint64", size))
                out = self.merged("merged_places", tiles, size, 2048, 1, 2048, x)
                np.testing.assert_array_equal(out, np.argsort(-x, kind="stable"))


class RadixSort(unittest.TestCase):
    def test_order_by_sign(self):
        """Puts NaN last and -0 before +0, also if all keys have one sign."""
        special = [0.0, -0.0, np.inf, -np.inf, np.nan, -np.nan, 1.5, -1.5]
        cases = (("bytes", "int8", "uint8", random.integers(-128, 128, 700)), ("longs", "int64", "uint64", random.integers(-2**62, 2**62, 90)),
                 ("longs", "int64", "uint64", -random.integers(1, 9, 30)), ("words", "uint32", "uint32", random.integers(0, 2**32, 300)),
                 ("floats", "float32", "uint32", np.append(random.standard_normal(600), special)), ("floats", "float32", "uint32", np.array([np.nan])),
                 ("doubles", "float64", "uint64", np.append(random.standard_normal(50), special)), ("doubles", "float64", "uint64", np.array([2.0, 1.0])))
        for suffix, kind, bits, values in cases:
            x = values.astype(kind)
            keys = np.sort(x.view(bits)).astype("uint32" if x.itemsize < 4 else bits)
            # Sorted by value, and zeros by their sign.
            expected = x[np.lexsort((~np.signbit(x) if x.dtype.kind == "f" else x, x))]
            for descending in (False, True):
                with self.subTest(kind=kind, size=x.size, descending=descending):
                    _, out = launch("order", f"by_sign_{suffix}", 1, 256, keys, n(x.size), descending, Unwritten(kind, x.size))
                    wanted = expected[::-1] if descending else expected
                    np.testing.assert_array_equal(out, wanted)
                    self.assertFalse(x.dtype.kind == "f" and (np.signbit(out) != np.signbit(wanted))[~np.isnan(out)].any())


class Rows(unittest.TestCase):
    def test_copy(self):
        """Copies rows between different pitches, with seven words a row and with one."""
        for units, rows, to_pitch, from_pitch in ((7, 80, 9, 8), (1, 600, 1, 3)):
            with self.subTest(units=units):
                to, taken = (random.integers(0, 2**32, (rows, pitch)).astype("uint32") for pitch in (to_pitch, from_pitch))
                after, _ = launch("order", "rows_of_words", 2, 256, to, n(to_pitch), taken, n(from_pitch), n(units), n(rows))
                to[:, :units] = taken[:, :units]
                np.testing.assert_array_equal(after.reshape(to.shape), to)


class Gather(unittest.TestCase):
    def test_index_outside(self):
        indices = random.integers(0, 100, 5000).astype("uint8")
        for place, value in ((None, 0), (4999, 255), (350, 100), (0, 128)):
            if place is not None:
                indices[place] = value
            _, first = launch("order", "index_outside", 2, 256, indices, n(5000), n(100), np.full(1, 5000, "uint64"))
            self.assertEqual(first[0], 5000 if place is None else place)

    def test_gather(self):
        x = random.integers(0, 2**32, 300).astype("uint32")
        indices = random.integers(0, 300, 5100).astype("uint16")
        for outside in (None, 2100):
            expected = x[indices]
            if outside is not None:
                indices[[outside, 4000]], expected[[outside, 4000]] = 300, 7
            _, _, first, out = launch("order", "gather_elements", 2, 256, x, indices, n(5100), n(300), np.full(1, 5100, "uint64"),
                                      np.full(5100, 7, "uint32"), schedules=2)
            self.assertEqual(first[0], 5100 if outside is None else outside)
            np.testing.assert_array_equal(out, expected)
        for lines in (1, 3):
            x = random.integers(0, 2**16, (lines, 20, 5)).astype("uint16")
            indices = random.integers(0, 20, 31).astype("uint64")
            *_, out = launch("order", "gather_in_blocks", 2, 256, x, indices, n(31), n(lines), n(20), n(5), Unwritten("uint16", lines * 31 * 5))
            np.testing.assert_array_equal(out.reshape(lines, 31, 5), x[:, indices])

    def test_survey(self):
        """Neighbours, repetitions, indices far apart, indices outside, and a part of a warp."""
        limit = 2**20 + 5
        far = np.where(np.arange(2100) % 2 == 0, 3, 2**20).astype("uint32")
        for indices, outside, are_far in ((np.arange(5000, dtype="uint32") ^ 1, None, 0), (random.integers(0, 50, 4300).astype("uint32"), None, 0),
                                          (far, None, None), (random.integers(0, limit, 33).astype("uint32"), 20, None)):
            if outside is not None:
                indices[outside] = limit
            inside = indices[indices < limit]
            words = (limit + 31) // 32
            _, bits, found = launch("order", "survey", 2, 256, indices, n(indices.size), n(limit), np.zeros(words, "uint32"),
                                    np.array([indices.size, 0, 0], "uint64"), schedules=2)
            wanted = np.zeros(32 * words, bool)
            wanted[inside] = True
            np.testing.assert_array_equal(np.unpackbits(bits.view("uint8"), bitorder="little"), wanted)
            _, found = launch("order", "number_of_bits", 2, 256, bits, n(words), found, schedules=2)
            self.assertEqual(found[0], indices.size if outside is None else outside)
            self.assertEqual(found[1], np.unique(inside).size)
            self.assertTrue(found[2] == are_far if are_far is not None else found[2] > 0, found)

    def test_scatter(self):
        for lines, words, count, repeats in ((1, 1, 5001, True), (1, 1, 14, False), (2, 3, 101, True), (2, 3, 9, False)):
            indices = random.permutation(15).astype("uint32")[:count] if not repeats else random.integers(0, 12, count).astype("uint32")
            values = random.integers(0, 2**32, (lines, count, words)).astype("uint32")
            before = random.integers(0, 9, (lines, 15, words)).astype("uint32")
            _, last = launch("order", "last_of_equal", 2, 256, indices, n(count), np.zeros(15, "uint32"), schedules=2)
            wanted = np.zeros(15, "uint32")
            wanted[indices] = np.arange(1, count + 1)
            np.testing.assert_array_equal(last, wanted)
            *_, out = launch("order", "scatter_to_indices", 2, 256, values, indices, last, repeats, n(count), n(lines), n(15), n(words), before,
                             schedules=2)
            for i in range(count):
                before[:, indices[i]] = values[:, i]
            np.testing.assert_array_equal(out.reshape(before.shape), before)
        _, out = launch("order", "narrowed", 1, 256, np.arange(2**32 - 9, 2**32, dtype="uint64"), n(9), Unwritten("uint32", 9), schedules=1)
        np.testing.assert_array_equal(out, np.arange(2**32 - 9, 2**32))


class Bounds(unittest.TestCase):
    def test_sides_and_orders(self):
        x = np.sort(np.append(random.integers(-9, 9, 700), [np.nan, np.nan, np.inf]).astype("float32"))
        values = np.append(random.integers(-20, 20, 300) / 2, [-0.0, np.nan, -np.inf]).astype("float32")
        for side in ("left", "right"):
            upper = side == "right"
            *_, out = launch("order", "bounds_of", 2, 256, x, n(x.size), values, n(values.size), upper, False, Unwritten("uint64", values.size))
            np.testing.assert_array_equal(out, np.searchsorted(x, values, side))
            *_, out = launch("order", "bounds_of", 2, 256, x[::-1].copy(), n(x.size), values, n(values.size), upper, True, Unwritten("uint64", values.size))
            np.testing.assert_array_equal(out, x.size - np.searchsorted(x, values, "left" if upper else "right"))
        *_, out = launch("order", "bounds_of", 1, 256, x, n(0), values, n(3), True, False, Unwritten("uint64", 3))
        np.testing.assert_array_equal(out, [0, 0, 0])


class TopK(unittest.TestCase):
    def test_digits(self):
        """Whole tiles of 4096 elements and a part of one, warps that share a digit and that do not."""
        x = random.integers(-128, 128, 2 * 4096 + 77).astype("int8")
        x[:640] = 5
        for descending in (False, True):
            keys = x.view("uint8") ^ (127 if descending else 128)
            arguments = (x, n(x.size), descending)
            _, counts = launch("order", "digits_of_bytes", 2, 512, *arguments, n(0), False, n(0), np.uint32(0), np.zeros(256, "uint64"), schedules=2)
            np.testing.assert_array_equal(counts, np.bincount(keys, minlength=256))
            key = int(keys[0])
            _, counts = launch("order", "digits_of_bytes", 1, 512, *arguments, n(key), True, n(1), np.uint32(4), np.zeros(256, "uint64"), schedules=2)
            places = np.flatnonzero(keys == key)
            np.testing.assert_array_equal(counts, np.bincount(places[places >> 12 == 1] >> 4 & 255, minlength=256))

    def test_chosen(self):
        x = (random.integers(-40, 40, 2500) / 4).astype("float32")
        x[random.integers(0, 2500, 20)] = np.nan
        x[:3] = -0.0
        bits = np.where(np.isnan(x), np.float32(0), x + np.float32(0)).view("uint32").astype("uint64")
        keys = np.where(bits >> 31, ~bits & 0xffffffff, bits | 0x80000000)
        keys = np.where(np.isnan(x), 0xffffffff, keys).astype("uint64")
        for shift, key, place, place_shift in ((16, int(keys[5]) >> 16, NONE, 0), (0, int(keys[0]), 1, 8), (0, int(keys[7]), 700, 0)):
            *_, flags = launch("order", "chosen_reals", 2, 256, x, n(2500), False, n(key), np.uint32(shift), n(place), np.uint32(place_shift), Unwritten("bool", 2500))
            leading, at = keys >> np.uint64(shift), np.arange(2500) >> place_shift
            np.testing.assert_array_equal(flags, (leading < key) | ((leading == key) & (at <= place)))
        counts = launch("order", "digits_of_reals", 1, 512, x, n(2500), True, n(0), False, n(0), np.uint32(24), np.zeros(256, "uint64"))[-1]
        np.testing.assert_array_equal(counts, np.bincount((keys ^ np.uint64(0xffffffff)).astype("int64") >> 24, minlength=256))

    def test_places_in_array(self):
        places = random.integers(0, 30, (4, 3, 7)).astype("uint64")
        *_, out = launch("order", "in_array", 1, 256, places, n(4), n(30), n(7), n(3), Unwritten("uint64", places.size))
        outer, _, inner = np.indices(places.shape)
        np.testing.assert_array_equal(out.reshape(places.shape), (outer * 30 + places.astype("int64")) * 7 + inner)


if __name__ == "__main__":
    unittest.main(verbosity=2 if "-v" in sys.argv else 1)
