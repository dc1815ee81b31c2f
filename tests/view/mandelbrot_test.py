#!/usr/bin/env python3
"""heddle view mandelbrot by its protocol: pictures against what heddle mandelbrot draws. HEDDLE is the path of the executable."""
import io
import shlex
import subprocess
import unittest

import numpy as np
from PIL import Image

from viewed import HEDDLE, PATIENCE, Client, Server, colours, drawn, has_mpfr, shows, skip_without_server

skip_without_server()

# Beside i, where the orbit of 0 comes back to a place where it has been.
DEEP = [("0.25e-40", "1", 1e-42), ("2.1e-300", "1.0", 3e-300)] if has_mpfr() else []
SHALLOW = [("-0.5", "0", 0.05), ("-0.7453", "0.1127", 1e-6)]


class MandelbrotTest(unittest.TestCase):
    def open(self, *words):
        server = Server("mandelbrot", *words)
        self.addCleanup(server.__exit__)
        client = Client(server)
        self.addCleanup(client.close)
        return client

    def whole(self, client, *window):
        """The colours of a window once it is finished, and that frame's state."""
        client.ask("window", **dict(zip(("x", "y", "scale", "width", "height"), window)))
        header, pixels = client.frame(lambda one: shows(one, *window) and one["status"]["counted"] == 1)
        self.assertEqual((header["left"], header["top"], header["pixel"]), (0, 0, 1))
        return colours(header, pixels), header["status"]

    def drawn(self, client):
        """What the command draws that the server gives."""
        client.ask("command")
        words = shlex.split(client.said("command")["text"])
        self.assertEqual(words[:2], ["heddle", "mandelbrot"])
        at = words.index("-o")
        self.assertEqual((words.pop(at), words.pop(at)), ("-o", "mandelbrot.png"))
        return drawn(*words[1:])

    def test_windows_are_the_commands_pictures(self):
        for words in ([], ["--iterations", "900"], ["--smooth", "--palette", "ember"]):
            client = self.open(*words)
            for x, y, scale in (*SHALLOW, *DEEP):
                pixels, _ = self.whole(client, x, y, scale, 61, 40)
                np.testing.assert_array_equal(pixels, self.drawn(client), f"{words} {scale}")
                self.assertGreater(len(np.unique(pixels.reshape(-1, 3), axis=0)), 3)

    def test_each_client_saves_what_it_sees(self):
        server = Server("mandelbrot", "--share")
        self.addCleanup(server.__exit__)
        clients = []
        for (x, y, scale), size, palette in zip(SHALLOW, ((61, 40), (24, 32)), ("ember", "ocean")):
            client = Client(server)
            self.addCleanup(client.close)
            client.ask("window", x=x, y=y, scale=scale, width=size[0], height=size[1])
            client.said("hello")  # with which the palette begins anew
            client.ask("palette", name=palette)
            header, pixels = client.frame(lambda one: one["palette"] == palette and one["status"]["counted"] == 1)
            clients.append((client, size, colours(header, pixels)))
        for client, size, seen in (*clients, *clients):
            client.ask("save", name="png")
            _, file = client.said("file")
            with Image.open(io.BytesIO(file)) as picture:
                self.assertEqual(picture.size, size)
                np.testing.assert_array_equal(np.asarray(picture.convert("RGB")), seen)
            np.testing.assert_array_equal(self.drawn(client), seen)

    def test_coarse_first(self):
        client = self.open("--target", "serial")
        for x, y, scale in (*SHALLOW[:1], *DEEP[:1]):
            header, pixels = client.show(x, y, scale, 67, 50)
            self.assertEqual(header["status"]["counted"], 0)
            coarse = colours(header, pixels)
            np.testing.assert_array_equal(coarse, np.repeat(np.repeat(coarse[::8, ::8], 8, 0), 8, 1)[:50, :67])
            fine, _ = self.whole(client, x, y, scale, 67, 50)
            self.assertFalse(np.array_equal(fine, coarse))

    def test_what_has_been_counted_is_not_counted_again(self):
        client = self.open()
        for scale in (2.0**-10, 1e-50) if DEEP else (2.0**-10,):
            before, state = self.whole(client, repr(0.3 * scale), "1", scale, 80, 60)
            pixels, moved = self.whole(client, repr(7.3 * scale), "1", scale, 80, 60)
            self.assertEqual(moved["pixels"] - state["pixels"], 7 * 60)
            np.testing.assert_array_equal(pixels[:, :-7], before[:, 7:])
            np.testing.assert_array_equal(pixels, self.drawn(client))
            again, back = self.whole(client, repr(0.3 * scale), "1", scale, 80, 60)
            self.assertEqual(back["pixels"], moved["pixels"])
            np.testing.assert_array_equal(again, before)

    def test_a_window_that_has_moved_is_not_finished(self):
        # The cusp: no orbit comes back, none leaves. All of it would take many minutes.
        client = self.open("--iterations", "10000000", "--target", "serial")
        client.show("0.25", "0", 1e-6, 300, 300)
        pixels, _ = self.whole(client, "3", "3", 0.01, 20, 20)
        self.assertEqual(len(np.unique(pixels)), len(np.unique(pixels[0, 0])))

    def test_controls(self):
        client = self.open()
        before, _ = self.whole(client, *(DEEP + SHALLOW)[0], 50, 30)
        client.ask("act", name="iterations", arguments={"count": 130})
        client.ask("act", name="smooth", arguments={"on": True})
        client.ask("target", name="serial")
        header, pixels = client.frame(lambda one: one["status"]["smooth"] and one["status"]["counted"] == 1 and one["target"] == "serial")
        self.assertEqual(header["status"]["iterations"], 130)
        np.testing.assert_array_equal(colours(header, pixels), self.drawn(client))
        client.ask("save", name="png")
        name, data = client.said("file")
        self.assertEqual(name, "mandelbrot.png")
        np.testing.assert_array_equal(np.asarray(Image.open(io.BytesIO(data)).convert("RGB")), colours(header, pixels))
        client.ask("save", name="npy")
        counts = np.load(io.BytesIO(client.said("file")[1]))
        self.assertEqual((counts.shape, counts.dtype, counts.max() <= 130), ((30, 50), np.uint32, True))
        client.ask("restart")
        header, pixels = client.frame(lambda one: not one["status"]["smooth"] and one["status"]["counted"] == 1)
        np.testing.assert_array_equal(colours(header, pixels), before)

    @unittest.skipIf(DEEP, "this build has MPFR")
    def test_says_what_deep_windows_lack(self):
        client = self.open()
        self.whole(client, *SHALLOW[0], 20, 20)
        client.ask("window", x="0.25e-40", y="1", scale=1e-42, width=20, height=20)
        self.assertIn("install libmpfr-dev", client.said("error")["text"])
        self.whole(client, *SHALLOW[0], 20, 20)

    def test_refusals(self):
        client = self.open()
        self.whole(client, *SHALLOW[0], 20, 20)
        for do, keys, reason in (("act", {"name": "iterations", "arguments": {"count": -1}}, "count"),
                                 ("act", {"name": "iterations", "arguments": {"count": 3000000000}}, "2000000000"),
                                 ("act", {"name": "smooth", "arguments": {}}, "on"), ("act", {"name": "draw", "arguments": {}}, "draw"),
                                 ("window", {"x": "0.3", "y": "0", "scale": 1e-303, "width": 20, "height": 20}, "1e-300")):
            client.ask(do, **keys)
            self.assertIn(reason, client.said("error")["text"])
        self.whole(client, *SHALLOW[0], 20, 20)
        for words, reason in ((["--center", "0"], "RE,IM"), (["--iterations", "3000000000"], "2000000000"), (["--center=0.3,0", "--zoom", "1e303"], "1e-300")):
            done = subprocess.run([HEDDLE, "view", "mandelbrot", "--no-open", *words], capture_output=True, text=True, timeout=PATIENCE)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(reason, done.stderr)


if __name__ == "__main__":
    unittest.main()
