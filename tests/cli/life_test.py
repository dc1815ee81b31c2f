#!/usr/bin/env python3
"""heddle life against NumPy and against what is known of patterns. HEDDLE is the path of the executable."""
import json
import os
import signal
import subprocess
import unittest

import numpy as np
from PIL import Image

from checks import HEDDLE, CommandTest, run, some_of
from moments import PATIENCE, wait_for_work

GLIDER = "#C a glider\nx = 3, y = 3, rule = B3/S23{}\nbo$2bo$3o!\n"
GUN = """#N Gosper glider gun
x = 36, y = 9, rule = B3/S23
24bo11b$22bobo11b$12b2o6b2o12b2o$11bo3bo4b2o12b2o$2o8bo5bo3b2o14b$2o8b
o3bob2o4bobo11b$10bo5bo7bo11b$11bo3bo20b$12b2o!
"""


def stepped(cells, rule="B3/S23", torus=True):
    """The next generation, by NumPy."""
    birth, survival = (({int(n) for n in part[1:]}) for part in rule.split("/"))
    around = np.pad(cells, 1, mode="wrap" if torus else "constant").astype(int)
    height, width = cells.shape
    count = sum(around[1 + dy:1 + dy + height, 1 + dx:1 + dx + width]
                for dy in (-1, 0, 1) for dx in (-1, 0, 1) if dx or dy)
    return np.where(cells == 1, np.isin(count, list(survival)), np.isin(count, list(birth))).astype(np.uint8)


class LifeTest(CommandTest):
    def setUp(self):
        super().setUp()
        self.targets = ["serial", "parallel:2"] + self.gpus

    def file(self, name, text=""):
        path = self.folder / name
        if text:
            path.write_text(text)
        return path

    def life(self, *arguments):
        done = run("life", *arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""), arguments)
        return done.stdout

    def refusal(self, *arguments, status=1):
        done = run("life", *arguments)
        self.assertEqual((done.returncode, done.stdout), (status, ""), arguments)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        return done.stderr

    def test_known_patterns(self):
        r = self.file("r.rle", "x = 3, y = 3\nb2o$2o$bo!")
        acorn = self.file("acorn.cells", "!Name: Acorn\n.O\n...O\nOO..OOO\n")
        diehard = self.file("diehard.lif", "#Life 1.06\n6 0\n0 1\n1 1\n1 2\n5 2\n6 2\n7 2\n")
        for target in some_of(self.targets):
            self.assertEqual(self.life(r, "--generations", 1103, "--target", target),
                             "generation 1103 population 116\n")
            self.assertEqual(self.life(acorn, "--generations", 5206, "--target", target),
                             "generation 5206 population 633\n")
            self.assertEqual(self.life(diehard, "--generations", 130, "--target", target),
                             "generation 130 population 0\n")
        lines = self.life(self.file("gun.rle", GUN), "--generations", 300, "--every", 30)
        self.assertEqual(lines, "".join(f"generation {30 * n} population {36 + 5 * n}\n" for n in range(1, 11)))

    def test_random_cells_against_numpy(self):
        at_first, later = self.file("first.npy"), self.file("later.npy")
        for size, topology, rule in (("70x33", "torus", "B3/S23"), ("64x1", "torus", "B1/S12"), ("1x1", "plane", "B0/S8"),
                                     ("129x40", "plane", "B36/S23"), ("37x21", "torus", "B0/S0")):
            shared = ("--random", size, "--seed", 5, "--density", 0.4, "--rule", rule, "--topology", topology)
            self.life(*shared, "--generations", 0, "-o", at_first)
            cells = np.load(at_first)
            self.assertEqual(cells.dtype, np.uint8)
            for _ in range(12):
                cells = stepped(cells, rule, topology == "torus")
            for target in some_of(self.targets):
                for algorithm in ("packed", "per-cell"):
                    out = self.life(*shared, "--generations", 12, "-o", later, "--target", target, "--algorithm", algorithm)
                    self.assertEqual(out, f"generation 12 population {cells.sum()}\n")
                    np.testing.assert_array_equal(np.load(later), cells)

    def test_bounds_and_placement(self):
        out = self.file("out.npy")
        self.life(self.file("torus.rle", GLIDER.format(":T30,20")), "--generations", 0, "-o", out)
        cells = np.load(out)
        self.assertEqual(cells.shape, (20, 30))
        np.testing.assert_array_equal(cells[10:13, 15:18], [[0, 1, 0], [0, 0, 1], [1, 1, 1]])
        # Around a torus of 30 x 20 a glider is back after 4 * 60 generations.
        self.assertIn("period 240\n", self.life(self.folder / "torus.rle", "--generations", 10**15, "--detect-cycles"))
        plain = self.file("plain.rle", GLIDER.format(""))
        self.life(plain, "--generations", 0, "--size", "3x3", "-o", out)
        np.testing.assert_array_equal(np.load(out), [[0, 1, 0], [0, 0, 1], [1, 1, 1]])
        self.life(plain, "--generations", 0, "--size", "8x6", "-o", out)
        np.testing.assert_array_equal(np.argwhere(np.load(out)).min(axis=0), [1, 2])
        self.assertIn("smaller", self.refusal(plain, "--generations", 1, "--size", "2x9"))
        # A plane's edge turns a glider into a block.
        self.assertEqual(self.life(self.file("p.rle", GLIDER.format(":P20,20")), "--generations", 1000),
                         "generation 1000 population 4\n")

    def test_bounds_of_the_rule_that_is_given(self):
        out, plain = self.file("out.npy"), self.file("plain.rle", GLIDER.format(""))
        self.life(plain, "--generations", 0, "--rule", "B3/S23:T30,20", "-o", out)
        np.testing.assert_array_equal(np.load(out)[10:13, 15:18], [[0, 1, 0], [0, 0, 1], [1, 1, 1]])
        self.assertEqual(self.life(plain, "--generations", 1000, "--rule", "b3s23:p20"), "generation 1000 population 4\n")
        self.life("--random", "4x4", "--density", 1, "--generations", 0, "--rule", "B3/S23:P9,6", "-o", out)
        expected = np.zeros((6, 9))
        expected[1:5, 2:6] = 1
        np.testing.assert_array_equal(np.load(out), expected)
        self.assertIn("are not known", self.refusal(plain, "--generations", 1, "--rule", "B3/S23:K9,6", status=2))
        self.assertIn("leave out --size", self.refusal(plain, "--generations", 1, "--rule", "B3/S23:T9,6", "--size", "9x6",
                                                       status=2))

    def test_written_patterns_go_on_where_they_stopped(self):
        for ending in ("rle", "cells"):
            half = self.file(f"half.{ending}")
            self.life("--random", "90x50", "--seed", 3, "--generations", 20, "-o", half)
            straight = self.life("--random", "90x50", "--seed", 3, "--generations", 50)
            extra = ("--size", "90x50") if ending == "cells" else ()
            self.assertEqual(self.life(half, "--generations", 30, *extra).split()[-1], straight.split()[-1])
        # Generations are counted on, and so are those that are printed.
        self.assertEqual(self.life(self.file("half.rle"), "--generations", 30, "--every", 20, "--topology", "torus"),
                         self.life("--random", "90x50", "--seed", 3, "--generations", 50, "--every", 20).split("\n", 1)[1])
        late = self.file("late.rle", "#CXRLE Pos=0,-1377 Gen=3480106827776\n10o!\n")
        row = self.life(self.file("row.rle", "10o!\n"), "--generations", 1000)
        self.assertEqual(self.life(late, "--generations", 1000, "--detect-cycles", "-o", self.file("later.rle")),
                         row.replace("generation 1000", "generation 3480106828776") + "period 15\n")
        self.assertIn("Gen=3480106828776\n", self.file("later.rle").read_text())
        self.assertIn("beyond what is counted", self.refusal(late, "--generations", 2**64 - 1, status=2))
        flown = self.file("flown.rle")
        self.life(self.file("g.rle", GLIDER.format("")), "--generations", 400, "-o", flown)
        self.life(self.folder / "g.rle", "--generations", 400, "-o", self.file("FLOWN.RLE"))
        self.assertEqual(self.file("FLOWN.RLE").read_text(), flown.read_text())
        self.assertEqual(flown.read_text(), "#CXRLE Pos=100,100 Gen=400\nx = 3, y = 3, rule = B3/S23\nbo$2bo$3o!\n")

    def test_animations(self):
        gif, npy = self.file("x.gif"), self.file("x.npy")
        shared = ("--random", "50x20", "--seed", 9)
        self.life(*shared, "--generations", 9, "--every", 3, "-o", gif)
        with Image.open(gif) as animation:
            self.assertEqual((animation.size, animation.n_frames, animation.info["loop"]), ((50, 20), 4, 0))
            for frame in range(4):
                self.life(*shared, "--generations", 3 * frame, "-o", npy)
                animation.seek(frame)
                np.testing.assert_array_equal(np.asarray(animation.convert("L")), 255 * np.load(npy))
        self.life(self.file("g.rle", GLIDER.format("")), "--generations", 8, "-o", gif)
        with Image.open(gif) as animation:
            self.assertEqual((animation.size, animation.n_frames), ((5, 5), 9))

    def test_pictures(self):
        png, npy = self.file("x.png"), self.file("x.npy")
        shared = ("--random", "50x20", "--seed", 9, "--generations", 5)
        self.life(*shared, "-o", png)
        self.life(*shared, "-o", npy)
        with Image.open(png) as picture:
            np.testing.assert_array_equal(np.asarray(picture.convert("L")), 255 * np.load(npy))

    def test_cycles(self):
        blinker = self.file("b.rle", "3o!")
        self.assertEqual(self.life(blinker, "--generations", 10**18 + 1, "--detect-cycles"),
                         f"generation {10**18 + 1} population 3\nperiod 2\n")
        self.assertIn("no period found", self.life(self.file("g.rle", GLIDER.format("")), "--generations", 99,
                                                   "--detect-cycles"))

    def test_statistics(self):
        done = run("life", "--random", "64x64", "--generations", 10, "--stats", "--target", "serial")
        line = json.loads(done.stderr)
        self.assertEqual((line["pattern"], line["width"], line["generations"], line["algorithm"], line["topology"]),
                         ("life", 64, 10, "packed", "torus"))
        self.assertGreater(line["cells_per_s"], 0)

    def test_wrong_usage_and_wrong_files(self):
        blinker = self.file("b.rle", "3o!")
        for arguments in ((), ("--generations", 1), (blinker,), (blinker, "--generations", -1),
                          (blinker, "--generations", 1, "--random", "3x3"), ("--random", "3", "--generations", 1),
                          (blinker, "--generations", 1, "--rule", "B9/S"), (blinker, "--generations", 1, "--every", 0),
                          (blinker, "--generations", 1, "-o", "x.txt"), (blinker, "--generations", 1, "--topology", "x"),
                          (blinker, "--generations", 1, "--topology", "infinite", "--size", "9x9"),
                          (blinker, "--generations", 1, "--density", 0.5), (blinker, "--generations", 1, "--seed", 1),
                          ("--random", "9x9", "--generations", 1, "--density", 2),
                          ("--random", "9x9", "--generations", 1, "--density", "nan")):
            self.refusal(*arguments, status=2)
        self.assertIn("cannot", self.refusal(blinker, "--generations", 10**15, "-o", self.folder / "nowhere" / "x.rle"))
        self.assertIn("is a folder", self.refusal(self.folder, "--generations", 1))
        self.assertIn("is empty", self.refusal(self.file("nothing.rle", "\n"), "--generations", 1))
        self.assertIn("macrocell is not read", self.refusal(self.file("golly.mc", "[M2] (golly 4.2)\n"), "--generations", 1))
        self.assertEqual(self.refusal(blinker, "--generations", 1, "--size", "2x2"),
                         "heddle life: the pattern is 3x1 cells, and --size 2x2 is smaller\n")
        out = self.file("out.rle")
        self.assertIn("line 1", self.refusal(self.file("bad.rle", "3q!"), "--generations", 1, "-o", out))
        self.assertIn("infinite plane", self.refusal(blinker, "--generations", 1, "--rule", "B0/S", "-o", out))
        self.assertIn("shared memory", self.refusal(blinker, "--generations", 1, "--algorithm", "shared",
                                                    "--target", "serial"))
        self.assertFalse(out.exists())

    def test_patterns_take_memory_in_proportion(self):
        """Few bytes of a file do not fill the memory of the machine."""
        life = subprocess.Popen([HEDDLE, "life", self.file("long.rle", "1000000$o1000000$o!\n"), "--generations", "1"], stdout=subprocess.PIPE)
        self.assertEqual(life.stdout.read(), b"generation 1 population 0\n")
        life.stdout.close()
        _, status, used = os.wait4(life.pid, 0)
        life.returncode = os.waitstatus_to_exitcode(status)
        self.assertLess(used.ru_maxrss, 300 * 1024)
        for name, text in (("far.rle", "o200000$200000bo!\n"), ("far.lif", "#Life 1.06\n0 0\n200000 200000\n")):
            message = self.refusal(self.file(name, text), "--generations", 1)
            self.assertIn("the pattern spans 200001x200001 cells, of which at most 2 live, and more than 1073741824 cells are refused", message)
            self.assertIn("--size", message)

    def test_an_interrupted_run_writes_what_it_has(self):
        out = self.file("out.npy")
        # Of the large grid a single generation of all that could be computed at once takes long.
        for size in "500x300", "6000x6000":
            generation, work = "0", 0.5
            # What comes before the first generation takes unknown time: the next run is interrupted later.
            while int(generation) == 0 and work < 500:
                with subprocess.Popen([os.environ["HEDDLE"], "life", "--random", size, "--generations", str(10**14),
                                       "--target", "serial", "-o", str(out)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                      text=True) as running:
                    wait_for_work(running, work)
                    running.send_signal(signal.SIGINT)
                    stdout, stderr = running.communicate(timeout=PATIENCE)
                self.assertEqual(running.returncode, 128 + signal.SIGINT)
                self.assertIn("interrupted", stderr)
                word, generation, _, population = stdout.split()
                self.assertEqual(word, "generation")
                self.assertEqual(np.load(out).sum(), int(population))
                work *= 2
            self.assertGreater(int(generation), 0)


if __name__ == "__main__":
    unittest.main()
