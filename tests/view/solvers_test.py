#!/usr/bin/env python3
"""heddle view laplace and lbm by the protocol: pictures against what the commands draw for the same state, walls, obstacles, files.
HEDDLE is the path of the executable."""
import pathlib
import tempfile
import unittest

import numpy as np

from viewed import Client, Server, colours, drawn, skip_without_server


class SolverTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def whole(self, *words, width, height):
        """A client that shows all of a grid, a pixel a cell, its greeting and its first frame."""
        server = Server(*words)
        self.addCleanup(server.__exit__)
        client = Client(server)
        self.addCleanup(client.close)
        client.ask("window", x="0", y="0", scale=1, width=width, height=height)
        hello = client.said("hello")
        home = hello["home"]
        self.assertEqual((home["scale"], hello["kind"]), (1, words[0]))
        self.window = home["x"], home["y"], 1, width, height
        return client, hello, *client.show(*self.window)

    def stepped(self, client, steps, more=0):
        """The frame after so many steps."""
        client.ask("step", count=steps)
        return client.frame(lambda one: one["steps"] == steps + more and not one["playing"])

    def saved(self, client, form):
        client.ask("save", name=form)
        name, contents = client.said("file")
        path = self.folder / name
        path.write_bytes(contents)
        return path

    def act(self, client, action, **arguments):
        client.ask("act", name=action, arguments=arguments)

    def repeated(self, client):
        """The picture that the command line draws which the view gives, with the files that it names in this folder."""
        client.ask("command")
        words = client.said("command")["text"].split("#")[0].split()
        self.assertEqual(words[0], "heddle")
        return drawn(*[self.folder / word if word.startswith(("laplace.", "lbm.")) else word for word in words[1:]])


class LaplaceTest(SolverTest):
    def test_pictures_are_those_of_the_command(self):
        for method in ("jacobi", "red-black", "multigrid"):
            words = ["laplace", "--size", "53x37", "--method", method]
            client, hello, header, pixels = self.whole(*words, width=53, height=37)
            self.assertEqual(hello["palettes"][0], "heat")
            self.assertEqual((header["left"], header["top"], header["pixel"]), (0, 0, 1))
            np.testing.assert_array_equal(colours(header, pixels), drawn(*words, "--max-iterations", 0))
            header, pixels = self.stepped(client, 3)
            np.testing.assert_array_equal(colours(header, pixels), drawn(*words, "--tolerance", 0, "--max-iterations", 3))
            np.testing.assert_array_equal(colours(header, pixels), self.repeated(client))
            self.assertEqual(header["status"]["plots"][0]["name"], "residual")
            self.assertTrue(header["status"]["plots"][0]["log"])

    def test_walls_and_charges(self):
        client, _, *_ = self.whole("laplace", "--size", "53x37", "--tolerance", "0", width=53, height=37)
        self.act(client, "wall", **{"from": [10.5, 5.5], "to": [10.5, 25.5]}, radius=0, value=1.5)
        self.act(client, "charge", x=40.5, y=20.5, value=-2)
        client.frame(lambda one: one["status"]["held"] == 21)
        header, pixels = self.stepped(client, 25)
        held = np.load(self.saved(client, "held.npy"))
        self.assertEqual(list(np.flatnonzero(held[:, 10])), list(range(5, 26)))
        self.assertEqual(held.sum(), 21)
        u, source = np.load(self.saved(client, "npy")), np.load(self.saved(client, "source.npy"))
        np.testing.assert_array_equal(u[5:26, 10], 1.5)
        # f of a charge is spread over the cell of its point.
        self.assertEqual((np.count_nonzero(source), source[20, 40]), (1, 2.0 * 52 * 36))
        across, down = 52.0**2, 36.0**2
        laplacian = across * (u[1:-1, :-2] + u[1:-1, 2:]) + down * (u[:-2, 1:-1] + u[2:, 1:-1]) - 2 * (across + down) * u[1:-1, 1:-1]
        np.testing.assert_allclose(np.where(held[1:-1, 1:-1], 0, laplacian - source[1:-1, 1:-1]), 0, atol=1e-5)
        np.testing.assert_array_equal(colours(header, pixels), self.repeated(client))
        self.act(client, "erase", **{"from": [10.5, 25.5], "to": [10.5, 25.5]}, radius=0)
        client.frame(lambda one: one["status"]["held"] == 20)
        self.act(client, "wall", radius=0, value=1)
        self.assertEqual(client.said("error")["text"], "laplace: 'from' is not [x, y]")

    def test_the_rate_has_the_bytes_of_a_cycle(self):
        client, *_ = self.whole("laplace", "--size", "65x65", "--tolerance", "0", width=65, height=65)
        client.ask("speed", per_second=20)  # not to its end at once
        client.ask("play")
        header, _ = client.frame(lambda one: one["steps_per_second"] > 0)
        self.assertEqual(header["rate_of"], "points/s")
        # The points and their source are read twice, and the points written; on coarser grids five times as many are. In float64.
        cycle = 8 * (5 * 65**2 + 5 * (33**2 + 17**2 + 9**2 + 5**2 + 3**2))
        self.assertAlmostEqual(header["bytes_per_second"] / header["steps_per_second"], cycle, places=3)
        self.assertGreater(header["ceiling"], 0)
        self.act(client, "wall", **{"from": [5.5, 5.5], "to": [9.5, 5.5]}, radius=0, value=1)
        header, _ = client.frame(lambda one: one["status"]["held"] == 5)
        self.assertEqual((header["bytes_per_second"], header["ceiling"]), (0, 0))


class LbmTest(SolverTest):
    WORDS = ["lbm", "free", "--size", "64x40", "--reynolds", "20", "--velocity", "0.05"]

    def test_pictures_are_those_of_the_command(self):
        cases = [(["lbm", "cavity", "--size", "41x41"], 41, 41), (["lbm", "cylinder", "--size", "100x20"], 100, 20)]
        for words, width, height in cases:
            for field in ("velocity", "vorticity", "density"):
                client, hello, *_ = self.whole(*words, "--field", field, width=width, height=height)
                self.assertTrue(hello["up"])
                header, pixels = self.stepped(client, 60)
                want = drawn(*words, "--steps", 60, "--field", field)
                np.testing.assert_array_equal(colours(header, pixels), want)
                np.testing.assert_array_equal(colours(header, pixels), self.repeated(client))
                # Upside up: two cells a pixel are squares from the lowest row on.
                header, _ = client.show(self.window[0], self.window[1], 2, width, height)
                self.assertEqual(header["height"], (height + 1) // 2)

    def test_obstacles_while_it_runs(self):
        client, *_ = self.whole(*self.WORDS, width=64, height=40)
        self.stepped(client, 20)
        self.act(client, "cylinder", x=20.5, y=20.5, radius=4)
        self.act(client, "solid", **{"from": [40.5, 5.5], "to": [45.5, 5.5]}, radius=0)
        header, pixels = self.stepped(client, 80, 20)
        y, x = np.mgrid[:40, :64]
        solid = (x - 20)**2 + (y - 20)**2 <= 16
        solid[5, 40:46] = True
        np.testing.assert_array_equal(np.load(self.saved(client, "obstacles.npy")) != 0, solid)
        # Obstacles are grey, and the lowest row is at the bottom.
        np.testing.assert_array_equal((colours(header, pixels) == 110).all(2)[::-1], solid)
        self.assertEqual([plot["name"] for plot in header["status"]["plots"]], ["drag", "lift"])
        self.assertGreater(header["status"]["plots"][0]["y"][-1], 0)
        self.saved(client, "checkpoint")
        np.testing.assert_array_equal(colours(header, pixels), self.repeated(client))
        self.act(client, "grab", x=20.5, y=20.5)
        self.act(client, "drag", x=23.5, y=18.5)
        self.act(client, "fluid", **{"from": [40.5, 5.5], "to": [45.5, 5.5]}, radius=0)
        self.stepped(client, 50, 100)
        np.testing.assert_array_equal(np.load(self.saved(client, "obstacles.npy")) != 0, (x - 23)**2 + (y - 18)**2 <= 16)
        self.act(client, "speed", value=0.3)
        self.assertIn("lbm: 'value' is 0.3, and not within 0.0001 to 0.1732", client.said("error")["text"])

    def test_the_rate_has_a_ceiling(self):
        client, *_ = self.whole(*self.WORDS, width=64, height=40)
        client.ask("play")
        header, _ = client.frame(lambda one: one["steps_per_second"] > 0)
        self.assertEqual(header["rate_of"], "LUPS")
        self.assertAlmostEqual(header["rate"], 64 * 40 * header["steps_per_second"], places=3)
        # 4 bytes of nine populations, read and written.
        self.assertAlmostEqual(header["bytes_per_second"], 72 * header["rate"], places=3)
        self.assertGreater(header["ceiling"], 0)
        self.assertEqual(header["unbounded"], "")

    def test_other_rates_say_why_no_copy_bounds_them(self):
        for words, unit, why in ((["laplace", "--size", "64x64", "--tolerance", "0", "--method", "jacobi"], "points/s", "sweeps in a pass"),
                                 (["life", "--random", "64x64"], "cells/s", "generations in a pass")):
            with self.subTest(words):
                client, *_ = self.whole(*words, width=64, height=64)
                client.ask("speed", per_second=20)
                client.ask("play")
                header, _ = client.frame(lambda one: one["steps_per_second"] > 0 and one["ceiling"] > 0)
                self.assertEqual(header["rate_of"], unit)
                self.assertGreater(header["bytes_per_second"], 0)
                self.assertIn(why, header["unbounded"])

    def test_lines_and_dye(self):
        client, *_ = self.whole(*self.WORDS, width=64, height=40)
        self.act(client, "show", name="dye")
        header, pixels = self.stepped(client, 200)
        dye = pixels[..., 0]
        # At half a cell in ten steps: ten cells from the inflow, in bands.
        self.assertTrue((dye[:, 0].max(), dye[:, 30].max(), dye[:, 0].min()) == (254, 0, 0))
        self.act(client, "show", name="lines")
        header, pixels = self.stepped(client, 1, 200)
        lines = pixels[..., 0].astype(float)
        # Streaks along the flow: neighbours in a row are much more alike than neighbours in a column.
        self.assertLess(np.abs(np.diff(lines, axis=1)).mean(), 0.5 * np.abs(np.diff(lines, axis=0)).mean())


if __name__ == "__main__":
    skip_without_server()
    unittest.main()
