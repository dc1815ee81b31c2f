#!/usr/bin/env python3
"""heddle lbm against what is known of its flows. HEDDLE is the path of the executable."""
import csv
import json
import re
import signal
import subprocess
import unittest
import xml.etree.ElementTree

import numpy as np
from PIL import Image

from checks import HEDDLE, CommandTest, largest_file, run
from moments import PATIENCE
from watch_test import Terminal


def words_of(line):
    words = line.split()
    return dict(zip(words[::2], map(float, words[1::2])))


class LbmTest(CommandTest):
    def lbm(self, *arguments):
        """The numbers of each line that a successful run prints."""
        done = run("lbm", *arguments, "--quiet")
        self.assertEqual((done.returncode, done.stderr), (0, ""), arguments)
        return [words_of(line) for line in done.stdout.splitlines()]

    def file(self, name):
        return self.folder / name

    def test_known_flows(self):
        for target in ["serial", "parallel:2"] + self.gpus:
            said, = self.lbm("taylor-green", "--size", "48x48", "--velocity", 0.02, "--steps", 300, "--storage", "f64",
                             "--target", target)
            self.assertEqual(list(said), ["steps", "time", "mass", "error"])
            self.assertLess(said["error"], 1e-3)
            self.assertAlmostEqual(said["time"], 300 * 0.02 / 48, places=6)
            self.assertAlmostEqual(said["mass"], 1, places=12)
            said, = self.lbm("channel", "--size", "4x20", "--reynolds", 10, "--steady", 1e-9, "--storage", "f64",
                             "--target", target)
            self.assertLess(said["error"], 1e-8)
            self.assertLess(said["change"], 1e-9)

    def test_profile_of_a_cavity(self):
        profile = self.file("profile.csv")
        self.lbm("cavity", "--size", "48x48", "--velocity", 0.15, "--steps", 5000, "--profile", profile)
        with open(profile) as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(list(rows[0]), ["line", "position", "u", "v"])
        lines = {name: np.array([[float(r[key]) for key in ("position", "u", "v")] for r in rows if r["line"] == name])
                 for name in ("vertical", "horizontal")}
        np.testing.assert_allclose(lines["vertical"][:, 0], (np.arange(48) + 0.5) / 48)
        # Ghia, Ghia and Shin (1982).
        for y, u in ((0.9531, 0.68717), (0.7344, 0.00332), (0.5, -0.20581), (0.2813, -0.15662), (0.1016, -0.06434)):
            self.assertAlmostEqual(np.interp(y, lines["vertical"][:, 0], lines["vertical"][:, 1]), u, delta=0.01)
        for x, v in ((0.9063, -0.16914), (0.8047, -0.24533), (0.5, 0.05454), (0.2344, 0.17527), (0.0938, 0.12317)):
            self.assertAlmostEqual(np.interp(x, lines["horizontal"][:, 0], lines["horizontal"][:, 2]), v, delta=0.01)

    def test_files(self):
        """Of Taylor's vortices, which are known at the beginning: rows from the bottom in arrays, from the top in pictures."""
        width, height = 40, 20
        x, y = (np.arange(width) + 0.5) / width * 2 * np.pi, ((np.arange(height) + 0.5) / height * 2 * np.pi)[:, None]
        scale = 0.1
        u, v = -scale * np.cos(x) * np.sin(y), scale / 2 * np.sin(x) * np.cos(y)
        begin = ("taylor-green", "--size", f"{width}x{height}", "--steps", 0)

        def written(name, *more):
            self.lbm(*begin, "-o", self.file(name), *more)
            return self.file(name)

        got = np.load(written("u.npy"))
        self.assertEqual((got.shape, got.dtype), ((height, width, 2), np.dtype("float32")))
        speed = np.abs(got[..., 0]).max() / np.abs(u).max()
        np.testing.assert_allclose(got, np.stack([u, v], -1) * speed, atol=1e-6)
        self.assertLessEqual(np.hypot(got[..., 0], got[..., 1]).max(), 0.1 + 1e-6)
        vorticity = np.load(written("w.npy", "--field", "vorticity"))
        inner = np.gradient(got[..., 1], axis=1) - np.gradient(got[..., 0], axis=0)
        np.testing.assert_allclose(vorticity, inner, atol=1e-6)
        density = np.load(written("d.npy", "--field", "density"))
        self.assertAlmostEqual(density.mean(), 1, places=6)

        content = written("u.vti").read_bytes()
        head, rest = content.split(b"<AppendedData encoding=\"raw\">\n_", 1)
        count = int.from_bytes(rest[:8], "little")
        vectors = np.frombuffer(rest[8:8 + count], np.float32).reshape(height, width, 3)
        np.testing.assert_array_equal(vectors[..., :2], got)
        self.assertFalse(vectors[..., 2].any())
        tree = xml.etree.ElementTree.fromstring(head + b"<AppendedData/></VTKFile>")
        points = tree.find("ImageData/Piece/PointData")
        data = points.find("DataArray").attrib
        self.assertEqual((points.attrib, data["Name"], data["NumberOfComponents"]), ({"Vectors": "velocity"}, "velocity", "3"))

        with Image.open(written("w.png", "--field", "vorticity")) as picture:
            self.assertEqual(picture.size, (width, height))
            colours = np.asarray(picture.convert("RGB")).astype(int)[::-1]
        strong = np.abs(vorticity) > 0.5 * np.abs(vorticity).max()
        np.testing.assert_array_equal((colours[..., 0] > colours[..., 2])[strong], (vorticity > 0)[strong])
        self.lbm("taylor-green", "--size", "40x20", "--steps", 50, "--every", 10, "-o", self.file("u.gif"))
        with Image.open(self.file("u.gif")) as picture:
            self.assertEqual((picture.size, picture.n_frames), ((width, height), 6))

    def test_obstacles(self):
        """Dark cells of a picture and cells of an array that are not 0, the picture's from the top."""
        solid = np.zeros((16, 24), np.uint8)
        solid[9:13, 5:8] = 1
        solid[2, 10] = 1
        picture = Image.fromarray(255 * (1 - solid[::-1]))
        picture.save(self.file("mask.png"))
        picture.convert("RGB").save(self.file("colours.png"))
        picture.convert("P").save(self.file("palette.png"))
        # What is transparent is no obstacle, whatever its colour.
        clear = np.zeros((16, 24, 4), np.uint8)
        clear[..., 3] = 255 * solid[::-1]
        Image.fromarray(clear).save(self.file("clear.png"))
        results = []
        # Neither real nor whole, in any order, and infinite.
        odd = np.asfortranarray(np.where(solid == 1, 0.25j, -0.0).astype(">c16"))
        odd[2, 10] = np.inf
        pictures = (self.file(f"{name}.png") for name in ("mask", "colours", "palette", "clear"))
        for mask in (self.save(solid, "mask.npy"), *pictures, self.save(odd, "odd.npy")):
            forces = self.file("forces.csv")
            said, = self.lbm("free", "--obstacles", mask, "--reynolds", 50, "--steps", 200, "-o", self.file("u.npy"), "--forces", forces,
                             "--every", 200)
            got = np.load(self.file("u.npy"))
            self.assertEqual(got.shape, (16, 24, 2))
            np.testing.assert_array_equal((got == 0).all(-1), solid == 1)
            with open(forces) as file:
                row, = csv.DictReader(file)
            self.assertEqual(row["step"], "200")
            self.assertAlmostEqual(float(row["drag"]), said["drag"], delta=1e-5 * abs(said["drag"]))
            self.assertGreater(said["drag"], 0)
            results.append(got)
        for other in results[1:]:
            np.testing.assert_array_equal(other, results[0])

    def test_checkpoints_on_the_way(self):
        """A run that is killed has left the state of a multiple of K, from which another goes on bit for bit."""
        state, whole, rest = self.file("state"), self.file("whole.npy"), self.file("rest.npy")
        case = ("cavity", "--size", "48x40", "--target", "serial")
        running = subprocess.Popen([HEDDLE, "lbm", *case, "--steps", "1e9", "--every", "40", "--checkpoint", state, "--quiet"],
                                   stdout=subprocess.PIPE, text=True)
        self.addCleanup(running.kill)
        self.addCleanup(running.stdout.close)
        for _ in range(3):
            running.stdout.readline()
        running.kill()
        running.wait()
        steps = int(re.search(rb"^steps (\d+)$", state.read_bytes(), re.MULTILINE)[1])
        self.assertGreaterEqual(steps, 80)
        self.assertEqual(steps % 40, 0)
        self.lbm(*case, "--steps", steps + 15, "-o", whole)
        said, = self.lbm("cavity", "--target", "serial", "--resume", state, "--steps", 15, "-o", rest)
        self.assertEqual(said["steps"], steps + 15)
        np.testing.assert_array_equal(np.load(rest), np.load(whole))
        self.assertEqual([p.name for p in self.folder.iterdir() if p.suffix not in (".npy", "")], [])
        # Lines and samples of --every stay what they were, and the last state is the last one written.
        lines = self.lbm(*case, "--steps", 25, "--every", 10, "--checkpoint", state)
        self.assertEqual([line["steps"] for line in lines], [10, 20, 25])
        self.assertIn(b"\nsteps 25\n", state.read_bytes())
        # What ends by itself after a comparison does so from each checkpoint too.
        steady = ("channel", "--size", "8x16", "--reynolds", 10, "--steady", 1e-4)
        straight, = self.lbm(*steady)
        run("lbm", *steady, "--every", 100, "--steps", 290, "--checkpoint", state)
        self.assertEqual(self.lbm("channel", "--resume", state, "--steady", 1e-4)[-1]["steps"], straight["steps"])
        # A stream gets one state.
        done = run("lbm", *case, "--steps", 25, "--every", 10, "--checkpoint", "-", "--quiet", text=False)
        self.assertEqual((done.returncode, done.stdout.count(b"heddle lbm checkpoint")), (0, 1))

    def test_goes_on_where_a_run_stopped(self):
        case = ("cylinder", "--size", "224x41", "--reynolds", 20, "--velocity", 0.09, "--storage", "f16")
        whole, half, checkpoint = self.file("whole.npy"), self.file("half.npy"), self.file("state")
        for target in ["serial", "parallel:2"] + self.gpus:
            self.lbm(*case, "--steps", 90, "-o", whole, "--target", target)
            self.lbm(*case, "--steps", 37, "--checkpoint", checkpoint, "--target", target)
            said, = self.lbm("cylinder", "--resume", checkpoint, "--steps", 53, "-o", half, "--target", target)
            self.assertEqual(said["steps"], 90)
            self.assertEqual(list(said), ["steps", "time", "mass", "drag", "lift", "pressure_difference"])
            np.testing.assert_array_equal(np.load(half), np.load(whole))
        self.assertIn("has it already", self.fails(2, "lbm", "cylinder", "--resume", checkpoint, "--reynolds", 30))
        self.assertIn("is a checkpoint of cylinder", self.fails(1, "lbm", "cavity", "--resume", checkpoint))
        checkpoint.write_bytes(checkpoint.read_bytes()[:-1])
        self.assertIn("not a whole checkpoint", self.fails(1, "lbm", "cylinder", "--resume", checkpoint))

    def test_steady_ends_where_an_unbroken_run_does(self):
        checkpoint = self.file("state")
        size = ("--size", "4x20", "--reynolds", 10)
        whole, = self.lbm("channel", *size, "--steady", 1e-4)
        self.assertGreater(whole["steps"], 400)
        # The velocity is compared every 200 steps.
        for steps in (37, 200, 237):
            stopped = run("lbm", "channel", *size, "--steps", steps, "--steady", 1e-4, "--checkpoint", checkpoint)
            self.assertEqual((stopped.returncode, stopped.stdout.split()[1]), (0, str(steps)))
            rest, = self.lbm("channel", "--resume", checkpoint, "--steady", 1e-4)
            self.assertEqual((rest["steps"], rest["change"]), (whole["steps"], whole["change"]), steps)
        # Where it has ended it goes on, to another bound.
        self.lbm("channel", *size, "--steady", 1e-4, "--checkpoint", checkpoint)
        rest, = self.lbm("channel", "--resume", checkpoint, "--steady", 1e-5)
        whole, = self.lbm("channel", *size, "--steady", 1e-5)
        self.assertEqual(rest["steps"], whole["steps"])
        # What was compared long ago is not: two more looks are needed.
        self.lbm("channel", "--resume", checkpoint, "--steps", 2000, "--checkpoint", checkpoint)
        rest, = self.lbm("channel", "--resume", checkpoint, "--steady", 1e-4)
        self.assertEqual(rest["steps"], words_of(run("lbm", "channel", "--resume", checkpoint, "--steps", 0).stdout)["steps"] + 200)

    def test_says_what_runs(self):
        done = run("lbm", "cavity", "--size", "32x24", "--steps", 20, "--every", 10, "--stats", "--target", "serial")
        about, stats = done.stderr.splitlines()
        self.assertRegex(about, r"\Acavity 32x24 on serial: Reynolds number 100, viscosity 0.032, relaxation time 0.596, Mach number 0.173, "
                         r"length 32, memory [0-9.]+ KiB\Z")
        self.assertEqual([line.split()[1] for line in done.stdout.splitlines()], ["10", "20"])
        stats = json.loads(stats)
        self.assertEqual([stats[key] for key in ("pattern", "case", "target", "width", "height", "storage", "steps",
                                                 "bytes_a_cell_update")],
                         ["lbm", "cavity", "serial", 32, 24, "f32", 20, 72])
        self.assertAlmostEqual(stats["gb_per_s"], stats["glups"] * 72, places=6)
        self.assertAlmostEqual(stats["fraction_of_roof"], stats["gb_per_s"] / stats["copy_gb_per_s"], places=6)
        warned = run("lbm", "cavity", "--size", "32x32", "--velocity", 0.2, "--reynolds", 1e5, "--steps", 1, "--quiet")
        self.assertEqual([line.split(":")[0] for line in warned.stderr.splitlines()], ["warning"] * 2)
        self.assertIn("compressible", warned.stderr)
        self.assertIn("unstable", warned.stderr)
        capped = run("lbm", "cavity", "--size", "32x32", "--steady", 1e-7, "--steps", 700, "--quiet")
        self.assertEqual(capped.returncode, 0)
        self.assertIn("not steady after 700 steps", capped.stderr)

    def test_leaves_files_until_it_has_printed(self):
        names = [self.file(name) for name in ("u.npy", "state", "profile.csv", "forces.csv")]
        for name in names:
            name.write_text("before")
        case = ("cylinder", "--size", "221x41", "--steps", 20, "--quiet", "-o", names[0], "--checkpoint", names[1],
                "--profile", names[2], "--forces", names[3])
        with open("/dev/full", "w") as full:
            done = subprocess.run([HEDDLE, "lbm", *map(str, case)], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual([name.read_text() for name in names], ["before"] * 4)
        self.assertEqual(run("lbm", *case).returncode, 0)
        self.assertEqual([name.read_bytes()[:6] for name in names], [b"\x93NUMPY", b"heddle", b"line,p", b"step,t"])

    def test_files_that_cannot_be_written_leave_the_others(self):
        out, state, profile = (self.file(name) for name in ("u.npy", "state", "p.csv"))
        done = run("lbm", "cavity", "--size", "32x32", "--steps", 9, "--quiet", "-o", out, "--checkpoint", state, "--profile",
                   profile, **largest_file(5000))
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (1, 1), done.stderr)
        self.assertRegex(done.stderr, r"u.npy: cannot write: File too large.*; .*state: cannot write: File too large")
        self.assertEqual([path.exists() for path in (out, state, profile)], [False, False, True])
        # Those that grow end the run.
        forces, gif = self.file("f.csv"), self.file("u.gif")
        mask = np.zeros((12, 12))
        mask[5, 5] = 1
        for grows in (["--forces", forces], ["-o", gif]):
            done = run("lbm", "cavity", "--obstacles", self.save(mask, "mask.npy"), "--reynolds", 50, "--steps", 10**8, "--quiet", "--every", 1, *grows,
                       "--checkpoint", state, "--target", "serial", **largest_file(30000))
            self.assertEqual(done.returncode, 1)
            step, = re.findall(rf"\Aheddle lbm: {grows[1]}: cannot write: File too large.*: the run ends at step (\d+)\n\Z", done.stderr)
            self.assertFalse(grows[1].exists())
            said, = self.lbm("cavity", "--resume", state, "--steps", 0)
            self.assertEqual(said["steps"], int(step))
            state.unlink()

    def test_what_a_case_has_not(self):
        out = self.file("u.npy")
        for case in ("cavity", "taylor-green", "cylinder", "free"):
            self.assertIn("is for a channel, not for " + case, self.fails(2, "lbm", case, "--drive", "inflow", "-o", out))
        self.assertIn("there are none", self.fails(2, "lbm", "cavity", "--forces", self.file("f.csv"), "--steps", 1))
        self.assertFalse(self.file("f.csv").exists())
        self.assertIn("--field", self.fails(2, "lbm", "cavity", "--field", "density", "--steps", 1))
        empty = self.save(np.zeros((0, 8)), "empty.npy")
        self.assertIn("no cells", self.fails(1, "lbm", "cavity", "--obstacles", empty, "-o", out))
        solid = np.zeros((16, 24))
        solid[9:13, 5:8] = 1
        forces = self.file("forces.csv")
        said, = self.lbm("free", "--reynolds", 20, "--obstacles", self.save(solid, "mask.npy"), "--steps", 50, "--forces",
                         forces)
        self.assertNotIn("pressure_difference", said)
        with open(forces) as file:
            self.assertEqual({row["pressure_difference"] for row in csv.DictReader(file)}, {""})
        solid[:, 20] = 1
        self.assertIn("no way from the left",
                      self.fails(1, "lbm", "free", "--obstacles", self.save(solid, "shut.npy"), "-o", out))
        self.assertIn("no memory holds", self.fails(1, "lbm", "cavity", "--size", "1073741824x1073741824", "-o", out))

    def test_mass_is_that_of_a_fluid_cell(self):
        """Not of a solid one."""
        out = self.file("d.npy")
        case = ("free", "--size", "30x20", "--reynolds", 50, "--steps", 40, "--storage", "f64", "--field", "density", "-o", out)
        mask = np.zeros((20, 30))
        mask[5:15, 10:20] = 1
        said, = self.lbm(*case, "--obstacles", self.save(mask, "mask.npy"))
        self.assertAlmostEqual(said["mass"], np.load(out)[mask == 0].mean(dtype=float), places=6)
        self.assertGreater(abs(said["mass"] - 1), 1e-4)

    def test_steps_that_cannot_be_counted(self):
        state = self.file("state")
        self.lbm("cavity", "--size", "9x9", "--steps", 3, "--checkpoint", state)
        self.assertIn("--steps", self.fails(2, "lbm", "cavity", "--resume", state, "--steps", 2**64 - 1))

    def test_says_what_is_lost_when_a_flow_blows_up(self):
        solid = np.zeros((20, 20))
        solid[8:10, 8:10] = 1
        forces = self.file("forces.csv")
        done = run("lbm", "cavity", "--velocity", 0.3, "--reynolds", 1e6, "--collision", "bgk", "--steps", 20000,
                   "--obstacles", self.save(solid, "mask.npy"), "--forces", forces)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, r"blew up by step .* The \d+ samples of --forces are lost")
        self.assertFalse(forces.exists())

    def test_refuses_what_it_cannot_do(self):
        out = self.file("u.npy")
        self.fails(2, "lbm")
        self.fails(2, "lbm", "pipe")
        self.assertIn("is no size", self.fails(2, "lbm", "cavity", "--size", "5"))
        self.assertIn("ends in none of", self.fails(2, "lbm", "cavity", "-o", self.file("u.txt")))
        self.fails(2, "lbm", "cavity", "--steady", "-1")
        self.fails(2, "lbm", "cavity", "--storage", "f8")
        self.assertIn("speed of sound", self.fails(1, "lbm", "cavity", "--velocity", 0.6, "-o", out))
        self.assertIn("no room for the cylinder", self.fails(1, "lbm", "cylinder", "--size", "40x80", "-o", out))
        mask = self.save(np.ones((5, 6)), "mask.npy")
        self.assertIn("none is fluid", self.fails(1, "lbm", "free", "--obstacles", mask, "-o", out))
        self.assertIn("has 6x5 cells", self.fails(1, "lbm", "free", "--obstacles", mask, "--size", "5x6", "-o", out))
        for dtype, value in (("float32", np.nan), ("float64", np.nan), ("complex64", complex(0, np.nan)), ("complex128", np.nan)):
            no_numbers = np.zeros((5, 6), dtype)
            no_numbers[2, 3] = value
            self.assertIn("nan.npy: row 2, column 3 is NaN",
                          self.fails(1, "lbm", "free", "--obstacles", self.save(no_numbers, "nan.npy"), "-o", out))
        flat = self.save(np.ones(5), "flat.npy")
        self.assertIn("(rows, columns)", self.fails(1, "lbm", "free", "--obstacles", flat, "-o", out))
        self.assertIn("ends in none of .png, .npy", self.fails(2, "lbm", "free", "--obstacles", self.file("mask.bmp")))
        self.assertIn("is the file of -o too", self.fails(2, "lbm", "cavity", "-o", out, "--checkpoint", out))
        for name in ("u.npy", "u.gif"):
            self.assertRegex(self.fails(1, "lbm", "cavity", "--quiet", "-o", self.file("nowhere") / name), "No such file or directory\n\\Z")
        self.assertRegex(self.fails(1, "lbm", "cavity", "--quiet", "--size", "70000x4", "-o", self.file("u.gif")), "70000x4\n\\Z")
        huge = self.file("huge.npy")
        np.lib.format.open_memmap(huge, "w+", "int8", (1 << 20, 1 << 20)).flush()
        done = run("lbm", "free", "--obstacles", huge, "-o", out)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, r"out of memory \(needs 1024.0 GiB; the machine has .*\)\n\Z")
        huge.unlink()
        message = run("lbm", "cavity", "--size", "20x20", "--velocity", 0.3, "--reynolds", 1e6, "--collision", "bgk",
                      "--steps", 20000, "-o", out)
        self.assertEqual((message.returncode, message.stdout, out.exists()), (1, "", False))
        self.assertRegex(message.stderr, r"blew up by step \d+: in cell \(\d+, \d+\).*--collision regularized")

    def test_watch(self):
        terminal = Terminal(40, 20, "lbm", "cavity", "--size", "32x32", "--steps", 1000000, "--every", 50, "--watch",
                            "--quiet")
        self.addCleanup(terminal.close)
        caption = r"\Astep [1-9]\d*[05]0 time 0.\d*   q ends, space pau"
        terminal.wait_until(lambda: re.search(caption, terminal.caption()))
        terminal.type("q")
        status, printed, errors = terminal.end()
        self.assertEqual((status, errors), (0, ""))
        self.assertRegex(printed, r"\Asteps \d+ time [0-9.]+ mass [0-9.]+\n\Z")

    def test_interruption_writes_the_last_state(self):
        out, checkpoint = self.file("u.npy"), self.file("state")
        running = subprocess.Popen([HEDDLE, "lbm", "cavity", "--size", "64x64", "--steps", "1000000000", "--every", "10000", "-o", out,
                                    "--checkpoint", checkpoint, "--quiet"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(running.kill)
        running.stdout.readline()
        # As timeout does: to the process, and at once to its group. The process takes both when it goes on.
        for asked in (signal.SIGSTOP, signal.SIGINT, signal.SIGTERM, signal.SIGCONT):
            running.send_signal(asked)
        errors = running.communicate(timeout=PATIENCE)[1]
        self.assertEqual(errors, b"heddle lbm: interrupted\n")
        self.assertIn(running.returncode, (128 + signal.SIGINT, 128 + signal.SIGTERM))
        self.assertGreater(np.abs(np.load(out)).max(), 0)
        self.assertTrue(checkpoint.exists())


if __name__ == "__main__":
    unittest.main()
