#!/usr/bin/env python3
"""heddle view by its protocol: pictures against what heddle life writes, steering, refusals, clients that stall. HEDDLE is the path
of the executable."""
import io
import math
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

from viewed import BINARY, HEDDLE, PATIENCE, TEXT, Client, Closed, Refused, Server, colours, counted, has_mpfr, skip_without_server

CLOSED_FOR = {"payload": 1007, "binary": 1003, "policy": 1008, "size": 1009}
GUN = "24bo$22bobo$12b2o6b2o12b2o$11bo3bo4b2o12b2o$2o8bo5bo3b2o$2o8bo3bob2o4bobo$10bo5bo7bo$11bo3bo$12b2o!"


def brightness(live, cells):
    """Of squares with so many live cells: as the terminal shows them."""
    return np.where(live == 0, 0, np.where(live >= cells, 255, 80 + (175 * live / cells).astype(int)))


class ViewTest(unittest.TestCase):
    def serve(self, *words, **options):
        server = Server(*words, **options)
        self.addCleanup(server.__exit__)
        return server

    def client(self, server, **options):
        client = Client(server, **options)
        self.addCleanup(client.close)
        return client

    def greeted(self, server, width=64, height=64):
        """A client, what it was told, and the window that shows the whole."""
        client = self.client(server)
        client.ask("window", x="0", y="0", scale=1, width=width, height=height)
        hello = client.said("hello")
        return client, hello, hello["home"]

    def whole(self, server, width, height):
        """A client that shows a grid of this size, a pixel a cell."""
        client, hello, home = self.greeted(server, width, height)
        self.assertEqual((home["scale"], hello["kind"], hello["steers"]), (1, "life", True))
        header, pixels = client.show(home["x"], home["y"], 1, width, height)
        return client, home, header, pixels


class PictureTest(ViewTest):
    def test_cells_are_those_of_the_command(self):
        for width, height in ((64, 48), (200, 130), (1, 1), (513, 7)):
            words = ["--random", f"{width}x{height}", "--density", "0.4", "--seed", "5"]
            server = self.serve("life", *words)
            client, home, header, pixels = self.whole(server, width, height)
            cells = counted("life", *words, "--generations", 0)
            self.assertEqual((header["left"], header["top"], header["pixel"], header["steps"]), (0, 0, 1, 0))
            np.testing.assert_array_equal(colours(header, pixels)[..., 0], 255 * cells)
            client.ask("step", count=37)
            header, pixels = client.frame(lambda one: one["steps"] == 37 and not one["playing"])
            np.testing.assert_array_equal(colours(header, pixels)[..., 1], 255 * counted("life", *words, "--generations", 37))
            self.assertEqual(server.interrupt(), (0, ""))

    def test_a_pixel_is_the_mean_of_its_cells(self):
        words = ["--random", "300x200", "--density", "0.3"]
        cells = counted("life", *words, "--generations", 0).astype(int)
        for target in ("serial", "parallel:2"):
            for algorithm in ("packed", "per-cell"):
                client, _, home = self.greeted(self.serve("life", *words, "--target", target, "--algorithm", algorithm), 300, 200)
                for side in (2, 5, 64, 1000):
                    header, pixels = client.show(home["x"], home["y"], side, 300, 200)
                    self.assertLessEqual(header["width"], 302)
                    # The place of the picture's top-left cell on the grid of squares, and on the grid of cells.
                    left = round(float(home["x"]) + (header["left"] - 150) * side) + 150
                    top = round(float(home["y"]) + (header["top"] - 100) * side) + 100
                    for j in range(header["height"]):
                        for i in range(header["width"]):
                            part = cells[max(0, top + j * side):top + (j + 1) * side, max(0, left + i * side):left + (i + 1) * side]
                            self.assertEqual(pixels[j, i, 0], brightness(part.sum(), side * side), (target, algorithm, side, i, j))

    def test_large_cells_are_one_pixel_of_the_image(self):
        words = ["--random", "100x100"]
        client, _, home, *_ = self.greeted(self.serve("life", *words), 100, 100)
        header, pixels = client.show(home["x"], home["y"], 0.125, 80, 80)
        self.assertEqual(header["pixel"], 8)
        # 80 pixels of an eighth of a cell are ten cells around the middle.
        np.testing.assert_array_equal(colours(header, pixels)[..., 0], 255 * counted("life", *words, "--generations", 0)[45:55, 45:55])
        self.assertEqual((header["left"], header["top"]), (0, 0))

    def test_windows_as_far_and_as_wide_as_a_message_holds(self):
        """Each is a frame of finite numbers, and the widest ones have the grid in their middle."""
        for words in (["life", "--random", "64x48"], ["life", "--library", "glider-gun"], ["laplace", "--size", "33x25"], ["lbm", "cavity", "--size", "32x32"]):
            client, hello, _ = self.greeted(self.serve(*words))
            for x in ("-1e9999", "-1e300", "0", hello["home"]["x"], "1e18", "1e9999"):
                for scale in (2.3e-308, 1e-300, 1, 1e10, 1e17, 1e18, 1e20, 1e300, 1.7e308):
                    header, pixels = client.show(x, hello["home"]["y"], scale, 32, 32)
                    for key in ("left", "top", "pixel"):
                        self.assertTrue(math.isfinite(header[key]), (words, x, scale, key))
                    self.assertEqual(pixels.size, header["width"] * header["height"])
                    if x == hello["home"]["x"] and scale >= 1e10:
                        # Squares begin at 0, so that one or two of an axis hold the grid.
                        self.assertTrue({header["width"], header["height"]} <= {1, 2}, (words, scale))
                        self.assertTrue(header["left"] <= 16.001 and header["left"] + header["width"] * header["pixel"] >= 15.999, (words, scale))

    def test_the_infinite_plane(self):
        client, hello, home = self.greeted(self.serve("life", "--library", "glider-gun"), 400, 400)
        self.assertEqual(hello["topology"], "infinite")
        client.ask("step", count=300)
        client.frame(lambda one: one["steps"] == 300)
        header, pixels = client.show(0, 0, 1, 1000, 1000)
        with tempfile.TemporaryDirectory() as folder:
            gun = pathlib.Path(folder) / "gun.rle"
            gun.write_text(GUN)
            expected = counted("life", gun, "--generations", 300)
        seen = pixels[..., 0] == 255
        rows, columns = np.flatnonzero(seen.any(1)), np.flatnonzero(seen.any(0))
        np.testing.assert_array_equal(seen[rows[0]:rows[-1] + 1, columns[0]:columns[-1] + 1], expected)
        header, pixels = client.show("1e15", "-1e15", 1, 100, 100)
        self.assertEqual((header["width"], header["height"], header["beyond"]), (0, 0, "000000"))


class SteeringTest(ViewTest):
    def test_drawing(self):
        server = self.serve("life", "--random", "64x64", "--density", "0")
        client, home, *_ = self.whole(server, 64, 64)
        act = lambda name, **arguments: client.ask("act", name=name, arguments=arguments)
        cells = np.zeros((64, 64), int)
        act("cells", alive=True, points=[[-32, -32], [0, 0], [31, 31], [40, 40]])  # the last is beyond the torus
        for i in (0, 32, 63):
            cells[i, i] = 1
        act("pattern", text="bo$2bo$3o!", x=5, y=-9, turn=0, flip=False)
        cells[22:25, 36:39] = [[0, 1, 0], [0, 0, 1], [1, 1, 1]]
        act("pattern", text="bo$2bo$3o!", x=-9, y=5, turn=1, flip=True)
        cells[36:39, 22:25] = np.fliplr(np.rot90([[0, 1, 0], [0, 0, 1], [1, 1, 1]], -1))
        act("cells", alive=False, points=[[0, 0]])
        cells[32, 32] = 0
        client.ask("step", count=1)
        header, _ = client.frame(lambda one: one["steps"] == 1)
        client.ask("restart")
        client.frame(lambda one: one["steps"] == 0)
        act("cells", alive=True, points=[[-32, -32], [31, 31]])
        act("pattern", text="bo$2bo$3o!", x=5, y=-9, turn=0, flip=False)
        act("pattern", text="bo$2bo$3o!", x=-9, y=5, turn=1, flip=True)
        client.ask("save", name="npy")
        name, bytes_ = client.said("file")
        self.assertEqual(name, "life.npy")
        np.testing.assert_array_equal(np.load(io.BytesIO(bytes_)), cells)
        client.ask("command")
        self.assertIn("life.rle", client.said("command")["text"])
        act("clear")
        act("random", density=1, x=-32, y=-32, width=10, height=5)
        header, pixels = client.frame(lambda one: one["status"]["text"] == "generation 0, population 50")
        self.assertEqual(int((pixels[..., 0] == 255).sum()), 50)

    def test_rule_and_target_change_while_it_runs(self):
        words = ["--random", "128x96", "--seed", "3"]
        server = self.serve("life", *words, "--target", "serial")
        client, *_ = self.whole(server, 128, 96)
        client.ask("step", count=10)
        client.frame(lambda one: one["steps"] == 10)
        client.ask("target", name=next(name for name in self.greeted(server)[1]["targets"] if name.startswith("parallel")))
        client.ask("step", count=10)
        header, pixels = client.frame(lambda one: one["steps"] == 20)
        self.assertTrue(header["target"].startswith("parallel"))
        np.testing.assert_array_equal(pixels[..., 0] == 255, counted("life", *words, "--generations", 20))
        client.ask("command")
        command = client.said("command")["text"].split()
        self.assertEqual(command[:2], ["heddle", "life"])
        np.testing.assert_array_equal(pixels[..., 0] == 255, counted("life", *command[2:]))
        client.ask("act", name="rule", arguments={"rule": "B36/S23"})
        self.assertEqual(client.frame(lambda one: one["status"]["rule"] == "B36/S23")[0]["steps"], 20)

    def test_frames_leave_out_what_has_not_changed(self):
        client, hello, _ = self.greeted(self.serve("life", "--random", "40x30"), 40, 30)
        client.frame()
        self.assertLessEqual({"colours", "home", "status", "steps"}, client.sent)
        for palette in reversed(hello["palettes"]):
            client.ask("palette", name=palette)
            client.frame(lambda one: one["palette"] == palette)
            self.assertFalse({"home", "status"} & client.sent)
        client.ask("step", count=1)
        client.frame(lambda one: one["steps"] == 1)
        self.assertIn("status", client.sent)
        self.assertFalse({"home", "colours"} & client.sent)

    def test_play_and_pause(self):
        client, *_ = self.whole(self.serve("life", "--random", "64x64"), 64, 64)
        client.ask("speed", per_second=1000)
        client.ask("play")
        client.frame(lambda one: one["playing"] and one["steps"] >= 20 and one["per_second"] == 1000)
        client.ask("speed", per_second=None)
        client.frame(lambda one: one["steps_per_second"] > 0 and one["per_second"] is None)
        client.ask("pause")
        stopped, _ = client.frame(lambda one: not one["playing"])
        client.ask("step", count=2)
        self.assertEqual(client.frame(lambda one: one["steps"] > stopped["steps"] and not one["playing"])[0]["steps"], stopped["steps"] + 2)

    def test_the_rate_has_the_bytes_of_passes(self):
        client, *_ = self.whole(self.serve("life", "--random", "64x48", "--algorithm", "per-cell", "--target", "serial"), 64, 48)
        client.ask("play")
        header, _ = client.frame(lambda one: one["steps_per_second"] > 0 and one["ceiling"] > 0)
        self.assertAlmostEqual(header["rate"], 64 * 48 * header["steps_per_second"], places=3)
        # A byte a cell, read and written.
        self.assertAlmostEqual(header["bytes_per_second"], 2 * header["rate"], places=3)

    def test_errors_name_what_is_wrong(self):
        client, *_ = self.whole(self.serve("life", "--random", "32x32"), 32, 32)
        for name, arguments, said in (
                ("cells", {"alive": True, "points": [[1.5, 2]]}, "whole number"), ("cells", {"alive": 1, "points": [[1, 2]]}, "neither true"),
                ("cells", {"alive": True, "points": []}, "no list"), ("rule", {"rule": "B9/S1"}, "rule"),
                ("rule", {"rule": "B3/S23:T5,5"}, "bounds"), ("pattern", {"text": "q!", "x": 0, "y": 0, "turn": 0, "flip": False}, "line 1"),
                ("pattern", {"text": "99o!", "x": 0, "y": 0, "turn": 0, "flip": False}, "beyond the grid"),
                ("random", {"density": 2, "x": 0, "y": 0, "width": 4, "height": 4}, "density"), ("unheard", {}, "none of"),
                ("cells", {"alive": True, "points": [[0, 0], [1e9, 1]]}, "whole number"),
                ("cells", {"alive": True, "points": [[0, 0], [10**9, 10**9]]}, "2^26"), ("random", {}, "density")):
            client.ask("act", name=name, arguments=arguments)
            error = client.said("error")["text"]
            self.assertIn(said, error, (name, arguments))
            self.assertNotIn("\n", error)
        for do, key, value, said in (("target", "name", "gpu:99", "none of the targets"), ("save", "name", "exe", "none of"),
                                     ("open", "preset", 10**6, "no preset")):
            client.ask(do, **{key: value})
            self.assertIn(said, client.said("error")["text"])
        # It goes on.
        client.ask("step", count=1)
        self.assertEqual(client.frame(lambda one: one["steps"] > 0)[0]["steps"], 1)

    def test_the_gallery(self):
        server = self.serve()
        client = self.client(server)
        client.ask("window", x="0", y="0", scale=1, width=100, height=100)
        hello = client.said("hello")
        self.assertEqual(hello["kind"], "gallery")
        number, preset = next((i, one) for i, one in enumerate(hello["presets"]) if "glider-gun" in one["words"])
        self.assertEqual(preset["words"], "heddle view life --library glider-gun")
        client.ask("play")
        self.assertIn("no simulation", client.said("error")["text"])
        client.ask("open", preset=number)
        hello = client.said("hello")
        self.assertEqual((hello["kind"], hello["fresh"]), ("life", True))
        self.assertIn("population 36", client.frame()[0]["status"]["text"])

    def test_each_preset_opens(self):
        client = self.client(self.serve())
        client.ask("window", x="0", y="0", scale=1, width=60, height=40)
        presets = client.said("hello")["presets"]
        self.assertEqual({one["words"].split()[2] for one in presets}, {"life", "mandelbrot", "laplace", "lbm"})
        self.assertEqual(len({one["title"] for one in presets}), len(presets))
        for number, preset in enumerate(presets):
            if "e100" in preset["words"] and not has_mpfr():
                continue
            client.ask("open", preset=number)
            hello = client.said("hello")
            self.assertEqual((hello["kind"], hello["fresh"]), (preset["words"].split()[2], True))
            home = hello["home"]
            header, pixels = client.show(home["x"], home["y"], home["scale"], 60, 40)
            self.assertGreater(pixels.size, 0, preset["words"])

    def test_the_first_steers(self):
        for words, error in ((["--share"], None), ([], "another browser steers")):
            server = self.serve("life", "--random", "32x32", *words)
            first, *_ = self.greeted(server)
            second, hello, home = self.greeted(server)
            self.assertEqual(hello["steers"], error is None)
            second.ask("step", count=1)
            if error is None:
                self.assertEqual(first.frame(lambda one: one["steps"] > 0)[0]["steps"], 1)
                continue
            self.assertIn(error, second.said("error")["text"])
            second.show(home["x"], home["y"], 0.5, 10, 10)  # looking is free
            first.close()
            # The next one steers then, once the server has seen that the first is gone.
            while True:
                second.ask("step", count=1)
                one = second.message()
                if not isinstance(one, dict) and one[0]["steps"] > 0:
                    break
                if not isinstance(one, dict):
                    second.ask("drawn", frame=one[0]["frame"])


class ClientsTest(ViewTest):
    def test_a_stalled_client_keeps_nobody_waiting(self):
        server = self.serve("life", "--random", "256x256", "--share")
        stalled = self.client(server)
        stalled.ask("window", x="0", y="0", scale=1, width=256, height=256)
        stalled.said("hello")
        first, _ = stalled.message()
        live, *_ = self.greeted(server, 256, 256)
        live.ask("play")
        for _ in range(30):
            before = live.frame()[0]["frame"]
        # It has not said that its frame is drawn, and is sent no other; once it says so, the newest comes.
        stalled.ask("drawn", frame=first["frame"])
        header, _ = stalled.message()
        self.assertGreater(header["frame"], before - 1)
        self.assertGreater(header["steps"], 0)

    def test_ctrl_c_ends_it_while_it_runs(self):
        server = self.serve("life", "--random", "512x512")
        client, *_ = self.greeted(server)
        client.ask("play")
        client.frame(lambda one: one["steps"] > 0)
        self.assertEqual(server.interrupt(), (0, ""))

    def test_once_ends_with_the_last_browser(self):
        server = self.serve("life", "--random", "32x32", "--once")
        client, *_ = self.greeted(server)
        client.close()
        self.assertEqual(server.process.wait(PATIENCE), 0)

    def test_wrong_words(self):
        for words, status, said in ((["lif"], 2, "life"), (["life"], 2, "PATTERN"), (["life", "--random", "0x3"], 2, "--random"),
                                    (["--port", "70000"], 2, "70000"), (["life", "/nowhere.rle"], 1, "/nowhere.rle"),
                                    (["--host", "203.0.113.1"], 1, "203.0.113.1"),
                                    (["life", "--random", "8x8", "--sede", "3"], 2, "did you mean --seed"), (["life", "a", "b"], 2, "too many")):
            done = subprocess.run([HEDDLE, "view", *words, "--no-open", *([] if "--port" in words else ["--port", "0"])], capture_output=True, text=True, timeout=PATIENCE)
            self.assertEqual(done.returncode, status, (words, done))
            self.assertIn(said, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        with self.serve("life", "--random", "8x8") as server:
            taken = subprocess.run([HEDDLE, "view", "--no-open", "--port", str(server.port)], capture_output=True, text=True, timeout=PATIENCE)
            self.assertEqual(taken.returncode, 1)
            self.assertIn(f"port {server.port}", taken.stderr)
        done = subprocess.run([HEDDLE, "view", "life", "--help"], capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for option in ("--random", "--share", "--library"):
            self.assertIn(option, done.stdout)


class SecurityTest(ViewTest):
    def test_only_files_of_the_page_are_served(self):
        server = self.serve("life", "--random", "8x8")
        status, headers, page = server.get("/")
        self.assertEqual((status, headers.get_content_type()), (200, "text/html"))
        policy = headers["Content-Security-Policy"]
        self.assertIn("default-src 'none'; script-src 'self'; style-src 'self';", policy)
        self.assertNotIn("unsafe", policy)
        self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
        self.assertNotIn(b"style=", page)
        for path in ("/view.js", "/view.css", "/life.js", "/icon.svg"):
            self.assertEqual(server.get(path)[0], 200, path)
        for path in ("/etc/passwd", "//etc/passwd", "/../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/..%2f..%2fetc%2fpasswd", "/page/view.js", "/socket",
                     "/view.js%00.css", "/" + "a" * 3000):
            status, _, body = server.get(path)
            self.assertIn(status, (403, 404, 414, None), path)
            self.assertNotIn(b"root:", body)
        self.assertEqual(server.get("/", method="HEAD")[2], b"")
        for method in ("POST", "PUT", "DELETE"):
            self.assertIn(server.get("/", method=method)[0], (403, 404, 405), method)

    def test_other_hosts_and_origins_are_refused(self):
        server = self.serve("life", "--random", "8x8")
        for host in ("evil.example", f"evil.example:{server.port}", "127.0.0.1", "127.0.0.1:1", f"localhost.evil.example:{server.port}", ""):
            self.assertEqual(server.get("/", Host=host)[0], 403, host)
            with self.assertRaises(Refused) as refused:
                Client(server, host=host or "none")
            self.assertEqual(refused.exception.args, (403,))
        for origin in ("http://evil.example", f"http://evil.example:{server.port}", "null", f"https://{server.host}", f"http://localhost:{server.port}", None):
            with self.assertRaises(Refused) as refused:
                Client(server, origin=origin)
            self.assertEqual(refused.exception.args, (403,), origin)
        with self.assertRaises(Refused) as refused:
            Client(server, path="/other")
        self.assertEqual(refused.exception.args, (404,))
        self.client(server, host=f"localhost:{server.port}")

    def test_beyond_loopback_a_token_is_needed(self):
        server = self.serve("life", "--random", "8x8", "--host", "0.0.0.0")
        self.assertRegex(server.query, "^token=[0-9a-f]{32}$")
        for query in ("", "token=", "token=" + "0" * 32, server.query[:-1], "x=" + server.query):
            self.assertEqual(server.get("/?" + query)[0], 403, query)
            with self.assertRaises(Refused) as refused:
                Client(server, query=query)
            self.assertEqual(refused.exception.args, (403,), query)
        self.assertEqual(server.get("/?" + server.query)[0], 200)
        self.client(server)
        self.client(server, host=f"127.0.0.1:{server.port}")
        self.assertEqual(server.get("/?" + server.query, Host=f"evil.example:{server.port}")[0], 403)
        other = self.serve("life", "--random", "8x8", "--host", "0.0.0.0")
        self.assertNotEqual(other.query, server.query)

    def closed(self, server, send):
        """The code and the reason with which the server closes."""
        client, *_ = self.greeted(server)
        with self.assertRaises(Closed) as closed:
            try:
                send(client)
            except OSError:
                pass  # it closes before all is sent
            while True:
                client.message()
        return closed.exception.args

    def test_malformed_messages_close_with_a_reason(self):
        server = self.serve("life", "--random", "8x8", "--share")
        deep = b'{"do":"act","name":"x","arguments":{"a":' + b"[" * 500000 + b"]" * 500000 + b"}}"
        for text, reason in ((b"", "no JSON"), (b"{", "no JSON"), (b"[]", "no object"), (b'{"do":"fly"}', "none of the requests"), (b'{"do":1}', "no 'do'"),
                             (b'{"do":"step"}', "no 'count'"), (b'{"do":"step","count":-1}', "whole number"), (b'{"do":"step","count":0}', "whole number"),
                             (b'{"do":"play","now":1}', "does not take"), (b'{"do":"speed","per_second":-2}', "not above 0"),
                             (b'{"do":"window","x":"a","y":"0","scale":1,"width":5,"height":5}', "no decimal"),
                             (b'{"do":"window","x":"1","y":"0","scale":1,"width":9000,"height":5}', "whole number"),
                             (b'{"do":"window","x":"1","y":"0","scale":0,"width":5,"height":5}', "not above 0"),
                             (b'{"do":"palette","name":"../x"}', "other characters"), (deep, "nested")):
            code, said = self.closed(server, lambda client: client.send(text))
            self.assertEqual(code, CLOSED_FOR["payload"], (text[:60], said))
            self.assertIn(reason, said, text[:60])
        self.assertEqual(self.closed(server, lambda client: client.send_frame(BINARY, b"x"))[0], CLOSED_FOR["binary"])
        self.assertEqual(self.closed(server, lambda client: client.send(b"\xff\xfe"))[0], CLOSED_FOR["payload"])
        code, said = self.closed(server, lambda client: client.send(b'{"do":"act","x":"' + b"y" * (1 << 20) + b'"}'))
        self.assertEqual(code, CLOSED_FOR["size"])
        # In parts that end never.
        def parts(client):
            for i in range(40):
                client.send_frame(TEXT if i == 0 else 0, b" " * (1 << 15), final=False)
        self.assertEqual(self.closed(server, parts)[0], CLOSED_FOR["size"])
        many = b"".join(bytes([0x81, 0x80 | 13]) + bytes(4) + b'{"do":"play"}' for _ in range(20000))
        code, said = self.closed(server, lambda client: client.socket.sendall(many))
        # What has not been read when it closes may take the reason away.
        self.assertIn(code, (CLOSED_FOR["policy"], None))
        # It serves on.
        self.greeted(server)


if __name__ == "__main__":
    skip_without_server()
    unittest.main()
