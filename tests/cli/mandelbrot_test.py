#!/usr/bin/env python3
"""heddle mandelbrot and heddle pi. HEDDLE is the path of the executable."""
import json
import math
import struct
import unittest
import zlib

import numpy as np

from checks import CommandTest, lacks_mpfr, run

takes_mpfr = unittest.skipIf(lacks_mpfr(), "this build is without MPFR")


def looped_counts(width, height, view, limit, dtype):
    """The definition, in NumPy, which rounds as written."""
    xmin, xmax, ymin, ymax = (dtype(side) for side in view)
    re = xmin + np.arange(width).astype(dtype) * (xmax - xmin) / dtype(width)
    im = ymin + np.arange(height).astype(dtype) * (ymax - ymin) / dtype(height)
    re, im = np.meshgrid(re, im)
    x, y = np.zeros_like(re), np.zeros_like(re)
    counts = np.full(re.shape, limit, np.uint32)
    going = np.ones(re.shape, bool)
    for i in range(limit):
        with np.errstate(all="ignore"):
            x, y = x * x - y * y + re, 2 * (x * y) + im
            out = going & (x * x + y * y >= 4)
        counts[out] = i
        going &= ~out
    return counts


def decoded(path):
    """A PNG file of 8 bits a channel: its colour type, its palette, and its pixels, by the format's own rules."""
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, packed, palette = 8, b"", None
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        assert struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0] == zlib.crc32(kind + body)
        if kind == b"IHDR":
            width, height, depth, colour_type = struct.unpack(">IIBB", body[:10])
            assert depth == 8
        elif kind == b"PLTE":
            palette = np.frombuffer(body, np.uint8).reshape(-1, 3)
        elif kind == b"IDAT":
            packed += body
        at += 12 + length
    channels = {0: 1, 2: 3, 3: 1, 6: 4}[colour_type]
    stride = width * channels
    raw = zlib.decompress(packed)
    rows, before = [], [0] * stride
    for row in range(height):
        filter_type, line = raw[row * (stride + 1)], list(raw[row * (stride + 1) + 1:(row + 1) * (stride + 1)])
        for i in range(stride):
            left = line[i - channels] if i >= channels else 0
            up, corner = before[i], before[i - channels] if i >= channels else 0
            guess = left + up - corner
            distances = abs(guess - left), abs(guess - up), abs(guess - corner)
            paeth = (left, up, corner)[distances.index(min(distances))]
            line[i] = (line[i] + (0, left, up, (left + up) // 2, paeth)[filter_type]) & 255
        rows.append(line)
        before = line
    return colour_type, palette, np.array(rows, np.uint8).reshape(height, width, channels)


class MandelbrotTest(CommandTest):
    def targets(self):
        return ["auto", "serial", "parallel:2", "parallel:3"] + self.gpus

    def drawn(self, *arguments):
        """The counts of a picture that is drawn without a word."""
        done = run("mandelbrot", *arguments, "--counts", self.out)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""), arguments)
        return np.load(self.out)

    def test_counts(self):
        for target in self.targets():
            for precision, dtype in (("float", np.float32), ("double", np.float64)):
                for view in ((-2, 1, -1, 1), (-0.75, -0.7, 0.1, 0.2)):
                    counts = self.drawn("--size", "61x37", "--view", ",".join(map(str, view)), "--iterations", 200,
                                        "--precision", precision, "--target", target)
                    self.assertEqual(counts.dtype, np.uint32)
                    np.testing.assert_array_equal(counts, looped_counts(61, 37, view, 200, dtype))

    def test_center_and_zoom(self):
        """The width is 3/zoom and pixels are square."""
        re, im, half = -0.743643887, 0.131825904, 1.5 / 1000
        view = (re - half, re + half, im - half * 20 / 30, im + half * 20 / 30)
        counts = self.drawn("--size", "30x20", f"--center={re},{im}", "--zoom", 1000, "--iterations", 300,
                            "--precision", "double")
        np.testing.assert_array_equal(counts, looped_counts(30, 20, view, 300, np.float64))

    def test_default_picture(self):
        picture = self.folder / "out.png"
        counts = self.drawn("-o", picture)
        self.assertEqual(counts.shape, (1024, 1536))
        self.assertEqual(counts.max(), 50)
        self.assertEqual(counts[512, 1024], 50)  # c = 0
        np.testing.assert_array_equal(counts, looped_counts(1536, 1024, (-2, 1, -1, 1), 50, np.float32))

    def test_pictures(self):
        picture = self.folder / "out.png"
        for palette in ("dusk", "ocean", "ember", "grey"):
            counts = self.drawn("--size", "40x30", "--palette", palette, "-o", picture)
            colour_type, colours, pixels = decoded(picture)
            self.assertEqual(colour_type, 3)
            np.testing.assert_array_equal(pixels[:, :, 0], counts)
            self.assertEqual(len(colours), 51)
            for more in (["--smooth"], ["--iterations", 300]):
                counts = self.drawn("--size", "40x30", "--palette", palette, "-o", picture, *more)
                colour_type, _, pixels = decoded(picture)
                self.assertEqual(colour_type, 2)
                np.testing.assert_array_equal((pixels == 0).all(axis=2), counts == counts.max())

    def test_same_picture_on_every_target(self):
        picture = self.folder / "out.png"
        seen = set()
        for target in self.targets():
            self.drawn("--size", "300x200", "--smooth", "--iterations", 400, "-o", picture, "--target", target)
            seen.add(picture.read_bytes())
        self.assertEqual(len(seen), 1)

    def test_stats(self):
        done = run("mandelbrot", "--size", "50x40", "--counts", self.out, "--stats", "--target", "serial")
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        line = json.loads(done.stderr)
        self.assertEqual((line["pattern"], line["target"], line["size"], line["limit"], line["dtype"]),
                         ("mandelbrot", "serial", [50, 40], 50, "float32"))
        counts = np.load(self.out).astype(int)
        self.assertEqual(line["iterations"], np.minimum(counts + 1, 50).sum())
        self.assertAlmostEqual(line["pixels_per_s"] * line["seconds"], 2000, places=3)

    def test_wrong_mandelbrot(self):
        picture = self.folder / "out.png"
        for status, arguments, message in (
                (2, [], "-o OUT.png or --counts"),
                (2, ["-o", picture, "--size", "10"], "is no size"),
                (2, ["-o", picture, "--size", "0x10"], "is no size"),
                (2, ["-o", picture, "--size", "10x-1"], "is no size"),
                (2, ["-o", picture, "--size", "2147483648x1"], "sides are 1 to 2147483647"),
                (2, ["-o", picture, "--center", "0,0", "--zoom", "much"], "'much' is not a number"),
                (2, ["-o", picture, "--view", "1,2,3"], "XMIN,XMAX,YMIN,YMAX"),
                (2, ["-o", picture, "--view", "0,1,0,1", "--center", "0,0"], "--view"),
                (2, ["-o", picture, "--zoom", "10"], "--center"),
                (2, ["-o", picture, "--center", "0,0", "--zoom", "0"], "above 0"),
                (2, ["-o", picture, "--center", "0,0,0"], "is not RE,IM"),
                (2, ["-o", picture, "--center", "0x1,0"], "is not RE,IM"),
                (2, ["-o", picture, "--center", "0.3,0", "--zoom", "1e301"], "1e-300"),
                (2, ["-o", picture, "--center", "0.3,0", "--zoom", "1e30", "--precision", "double"],
                 "double tells no pixels apart: take --precision deep"),
                (2, ["-o", picture, "--center", "1e400,0", "--precision", "deep"], "beyond 1000"),
                (2, ["-o", picture, "--precision", "deep"], "deep takes --center and --zoom"),
                (2, ["-o", picture, "--view", "1,2,3,4,5"], "XMIN,XMAX,YMIN,YMAX"),
                (2, ["-o", picture, "--iterations", "4000000000"], "is 2000000000 at most"),
                (2, ["-o", picture, "--palette", "mauve"], "mauve"),
                (2, ["-o", self.folder / "out.jpg"], ".png"),
                (2, ["-o", picture, "--view", "1,0,0,1"], "is empty"),
                (2, ["-o", picture, "--view", "nan,0,0,1"], "beyond"),
                (2, ["-o", picture, "--counts", self.folder / ".." / self.folder.name / "out.png"], "is the file of -o too"),
                (1, ["-o", self.folder / "none" / "out.png"], "No such file"),
        ):
            self.assertIn(message, self.fails(status, "mandelbrot", *arguments))

    def test_warns_where_pixels_are_one_point(self):
        arguments = ("mandelbrot", "--size", "9x5", "--counts", self.out, "--center", "0.3,0.1", "--zoom")
        warning = "warning: {} tells some neighbouring pixels not apart: take {}\n"
        self.assertEqual(run(*arguments, "1e4", "--precision", "float").stderr, "")
        self.assertEqual(run(*arguments, "1e12", "--precision", "float").stderr,
                         warning.format("float", "--precision double"))
        self.assertEqual(run(*arguments, "1e12", "--precision", "double").stderr, "")
        self.assertEqual(run(*arguments, "1e16", "--precision", "double").stderr,
                         warning.format("double", "--precision deep"))
        side = ("mandelbrot", "--size", "9x5", "--counts", self.out, "--view", "1,1.0000000000000004,0,1e-16")
        self.assertEqual(run(*side).stderr, warning.format("double", "--center and --zoom"))
        self.assertEqual(run(*side, "--precision", "double").stderr,
                         warning.format("double", "--center, --zoom and --precision deep"))

    @takes_mpfr
    def test_takes_the_precision_that_it_takes(self):
        for zoom, precision, dtype in (("1", "float", "float32"), ("1e9", "double", "float64"), ("1e30", "deep", "float64"),
                                       ("3e300", "deep", "float64")):
            arguments = ("--size", "30x20", "--center=1e-40,1", "--zoom", zoom, "--iterations", 1200)
            done = run("mandelbrot", *arguments, "--counts", self.out, "--stats")
            line = json.loads(done.stderr)
            self.assertEqual((line["dtype"], "reference" in line), (dtype, precision == "deep"))
            np.testing.assert_array_equal(np.load(self.out), self.drawn(*arguments, "--precision", precision))

    @takes_mpfr
    def test_deep_counts(self):
        """Against Python's own whole numbers: z² + c in fixed point, exact to hundreds of digits."""
        bits, limit, width, height = 1200, 1200, 15, 10
        one = 1 << bits
        for digits, power in (("-0.1", 12), ("0.7", 300)):
            # Beside i, where the orbit of 0 is periodic in the end, 3·10^-power wide.
            im = "0." + power * "9" + "3"
            wanted = np.full((height, width), limit)
            for row in range(height):
                for column in range(width):
                    re = round(float(digits) * 10) * one // 10 ** (power + 1) + (2 * column - width) * 3 * one // (2 * width * 10**power)
                    i = int(im[2:]) * one // 10 ** (power + 1) + (2 * row - height) * 3 * one // (2 * width * 10**power)
                    x = y = 0
                    for n in range(limit):
                        x, y = (x * x - y * y >> bits) + re, (x * y >> bits - 1) + i
                        if x * x + y * y >= 4 * one * one:
                            wanted[row, column] = n
                            break
            for target in self.targets():
                counts = self.drawn("--size", f"{width}x{height}", f"--center={digits}e-{power},{im}", "--zoom", f"1e{power}",
                                    "--iterations", limit, "--precision", "deep", "--target", target)
                np.testing.assert_array_equal(counts, wanted)

    @takes_mpfr
    def test_deep_pictures(self):
        picture, seen = self.folder / "out.png", set()
        for target in self.targets():
            counts = self.drawn("--size", "90x60", "--center=1e-121,1", "--zoom", "1e120", "--iterations", 600, "--smooth",
                                "-o", picture, "--target", target)
            colour_type, _, pixels = decoded(picture)
            self.assertEqual(colour_type, 2)
            np.testing.assert_array_equal((pixels == 0).all(axis=2), counts == 600)
            seen.add(picture.read_bytes())
        self.assertEqual(len(seen), 1)

    def test_progress_of_mandelbrot(self):
        # The cusp at a high limit: no orbit comes back, none leaves.
        self.check_progress("mandelbrot", "--size", "2000x200000", "--view=0.2499,0.2501,-0.0001,0.0001",
                            "--iterations", 3000, "--target", "serial", "--counts", self.out,
                            rate=rb"[0-9.]+ Mpixel/s")
        self.assertFalse(self.out.exists())

    @takes_mpfr
    def test_progress_of_a_reference_orbit(self):
        self.check_progress("mandelbrot", "--size", "20x20", "--center=-0.1,0.1", "--zoom", "1e299", "--iterations", 1000000000,
                            "--precision", "deep", "--counts", self.out, rate=rb"reference orbit")
        self.assertFalse(self.out.exists())

    def test_pi(self):
        seen = set()
        for target in self.targets():
            done = run("pi", "--samples", 3000001, "--seed", 12, "--target", target)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            words = [line.split() for line in done.stdout.splitlines()]
            self.assertEqual([line[0] for line in words], ["estimate", "standard", "samples/s"])
            seen.add((words[0][1], words[1][2]))
        self.assertEqual(len(seen), 1)
        estimate, error = map(float, seen.pop())
        self.assertLess(abs(estimate - math.pi), 5 * error)
        self.assertAlmostEqual(error, 1.642 / math.sqrt(3e6), delta=0.02 * error)

    def test_pi_stats(self):
        done = run("pi", "--samples", "1e6", "--stats", "--target", "serial")
        line = json.loads(done.stderr)
        self.assertEqual((line["pattern"], line["n"], line["seed"]), ("pi", 10**6, 0))
        self.assertIn(f"estimate        {4 * line['inside'] / 1e6:.12f}\n", done.stdout)

    def test_wrong_pi(self):
        for arguments in (["--samples", "0"], ["--samples", "1.5"], ["--samples", "x"], ["--samples", "-3"],
                          ["--samples", "1e30"], ["--seed", "-1"], ["--target", "moon"]):
            self.fails(2, "pi", *arguments)

    def test_progress_of_pi(self):
        self.check_progress("pi", "--samples", "1e15", "--target", "serial", rate=rb"[0-9.e+]+ samples/s")


if __name__ == "__main__":
    # The harness brings the tests of reduce and scan along: those have a run of their own.
    names = [name for name in vars(MandelbrotTest) if name.startswith("test_")]
    result = unittest.TextTestRunner().run(unittest.TestSuite(map(MandelbrotTest, names)))
    raise SystemExit(not result.wasSuccessful())
