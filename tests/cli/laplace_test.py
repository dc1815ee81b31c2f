#!/usr/bin/env python3
"""heddle laplace against NumPy. HEDDLE is the path of the executable."""
import json
import subprocess
import unittest
import xml.etree.ElementTree

import numpy as np
from PIL import Image

from checks import HEDDLE, CommandTest, run


def sine(width, height):
    """The points of the course's case, 0 inside, and its exact solution."""
    x, y = np.linspace(0, 1, width), np.linspace(0, 1, height)[:, None]
    exact = np.exp(-np.pi * x) * np.sin(np.pi * y)
    exact[[0, -1]] = 0
    edges = exact.copy()
    edges[1:-1, 1:-1] = 0
    return edges, exact


def swept(u, f=0):
    """u after one of Jacobi's sweeps."""
    height, width = u.shape
    across, down = (width - 1.0)**2, (height - 1.0)**2
    new = u.copy()
    f = np.broadcast_to(f, u.shape)[1:-1, 1:-1]
    new[1:-1, 1:-1] = (across * (u[1:-1, :-2] + u[1:-1, 2:]) + down * (u[:-2, 1:-1] + u[2:, 1:-1]) - f) / (
        2 * (across + down))
    return new


class LaplaceTest(CommandTest):
    def solved(self, *arguments):
        """The numbers printed and the points written by a successful run."""
        out = self.folder / "u.npy"
        line = self.printed("laplace", *arguments, "-o", out)
        words = line.split()
        return dict(zip(words[::2], map(float, words[1::2]))), np.load(out)

    def test_prints_the_iterations_the_residual_and_the_error(self):
        _, exact = sine(65, 40)
        for target in ["serial", "parallel:2"] + self.gpus:
            for method in ["jacobi", "red-black", "multigrid"]:
                said, u = self.solved("--size", "65x40", "--method", method, "--tolerance", "1e-9", "--target", target)
                self.assertEqual(list(said), ["iterations", "residual", "error"])
                self.assertEqual((u.shape, u.dtype), ((40, 65), np.dtype("float64")))
                self.assertAlmostEqual(said["error"], np.abs(u - exact).max(), delta=1e-8)
                self.assertAlmostEqual(said["residual"], np.abs(swept(u) - u).max(), delta=1e-14)
                self.assertLess(said["error"], 3e-4)
                self.assertLess(said["iterations"], {"jacobi": 12000, "red-black": 6000, "multigrid": 12}[method])

    def test_sweeps_are_numpys(self):
        random = np.random.default_rng(5)
        u, f = random.uniform(-1, 1, (23, 34)), random.uniform(-50, 50, (23, 34))
        edges, source = self.save(u, "edges.npy"), self.save(f, "source.npy")
        for step in range(1, 8):
            u = swept(u, f)
            said, got = self.solved("--edges", edges, "--source", source, "--method", "jacobi", "--max-iterations", step,
                                    "--tolerance", 0)
            self.assertEqual((list(said), said["iterations"]), (["iterations", "residual"], step))
            np.testing.assert_allclose(got, u, rtol=0, atol=1e-14)

    def test_goes_on_from_where_a_run_stopped(self):
        first = self.folder / "first.npy"
        self.printed("laplace", "--size", "50x50", "--method", "jacobi", "--max-iterations", 100, "--tolerance", 0,
                     "-o", first)
        _, u = self.solved("--edges", first, "--method", "jacobi", "--max-iterations", 150, "--tolerance", 0)
        _, whole = self.solved("--size", "50x50", "--method", "jacobi", "--max-iterations", 250,
                               "--tolerance", 0)
        np.testing.assert_array_equal(u, whole)

    def test_keeps_the_type_of_the_edges(self):
        edges, _ = sine(20, 20)
        _, u = self.solved("--edges", self.save(edges.astype("float32"), "edges.npy"), "--tolerance", "1e-4")
        self.assertEqual(u.dtype, np.dtype("float32"))
        _, u = self.solved("--size", "20x20", "--dtype", "float32", "--tolerance", "1e-4")
        self.assertEqual(u.dtype, np.dtype("float32"))

    def test_writes_image_data_that_vtk_reads(self):
        out = self.folder / "u.vti"
        self.printed("laplace", "--size", "31x17", "-o", out)
        _, u = self.solved("--size", "31x17")
        head, rest = out.read_bytes().split(b"<AppendedData encoding=\"raw\">\n_", 1)
        count = int.from_bytes(rest[:8], "little")
        np.testing.assert_array_equal(np.frombuffer(rest[8:8 + count]).reshape(17, 31), u)
        tree = xml.etree.ElementTree.fromstring(head + b"<AppendedData/>" + rest[8 + count:].split(b"</AppendedData>")[1])
        self.assertEqual((tree.tag, tree.attrib["type"], tree.attrib["header_type"]), ("VTKFile", "ImageData", "UInt64"))
        image = tree.find("ImageData")
        self.assertEqual(image.attrib["WholeExtent"], "0 30 0 16 0 0")
        self.assertEqual([float(s) for s in image.attrib["Spacing"].split()], [1 / 30, 1 / 16, 1])
        data = image.find("Piece/PointData/DataArray").attrib
        self.assertEqual((data["type"], data["format"], data["offset"]), ("Float64", "appended", "0"))

    def test_says_what_ran(self):
        done = run("laplace", "--size", "40x30", "--stats", "--target", "serial")
        line = json.loads(done.stderr)
        self.assertEqual((line["pattern"], line["method"], line["target"], line["width"], line["height"], line["dtype"]),
                         ("laplace", "multigrid", "serial", 40, 30, "float64"))
        self.assertGreater(line["gpoint_per_s"], 0)

    def test_refuses_what_it_cannot_do(self):
        out = self.folder / "u.npy"
        self.assertIn("is no size", self.fails(2, "laplace", "--size", "5"))
        self.assertIn("ends in none of .npy, .png, .vti", self.fails(2, "laplace", "-o", self.folder / "u.txt"))
        self.fails(2, "laplace", "--method", "sor")
        self.assertIn("'-1' is not at least 0", self.fails(2, "laplace", "--tolerance", "-1"))
        self.assertIn("'nan' is no finite number", self.fails(2, "laplace", "--tolerance", "nan"))
        self.assertIn("'-1' is no count", self.fails(2, "laplace", "--max-iterations", "-1"))
        self.assertIn("'1.5' is no count", self.fails(2, "laplace", "--check-every", "1.5"))
        self.assertIn("'0' is no count above 0", self.fails(2, "laplace", "--check-every", "0"))
        self.assertIn("(rows, columns)", self.fails(1, "laplace", "--edges", self.save(np.zeros(5)), "-o", out))
        table = self.save(np.zeros((5, 6)))
        self.assertIn("has 6x5 points", self.fails(1, "laplace", "--edges", table, "--size", "5x6", "-o", out))
        self.assertIn("where the edges have", self.fails(1, "laplace", "--source", table, "-o", out))
        self.assertIn("complex", self.fails(1, "laplace", "--edges", self.save(np.zeros((5, 6), "complex64"), "c.npy")))
        bad = np.zeros((5, 6))
        bad[2, 1] = np.inf
        self.assertIn("row 2, column 1", self.fails(1, "laplace", "--edges", self.save(bad, "bad.npy"), "-o", out))
        self.assertIn("cannot", self.fails(1, "laplace", "-o", self.folder / "nowhere" / "u.npy"))

    def test_says_when_it_has_not_arrived(self):
        done = run("laplace", "--size", "40x30", "--method", "jacobi", "--max-iterations", 100)
        self.assertEqual((done.returncode, done.stdout.split()[:2]), (0, ["iterations", "100"]))
        self.assertRegex(done.stderr, r"^warning: the residual is \S+ after 100 sweeps, and not down to \S+: .*\n$")

    def test_keeps_the_file_where_the_result_cannot_be_printed(self):
        out = self.save(np.ones(3), "u.npy")
        with open("/dev/full", "w") as full:
            done = subprocess.run([HEDDLE, "laplace", "--size", "9x9", "-o", str(out)], stdout=full, stderr=subprocess.PIPE)
        self.assertEqual((done.returncode, list(np.load(out))), (1, [1, 1, 1]))

    def test_held_points_stay_where_the_equation_holds_elsewhere(self):
        random = np.random.default_rng(11)
        u, f = random.uniform(-1, 1, (9, 14)), random.uniform(-50, 50, (9, 14))
        held = np.zeros((9, 14), "uint8")
        held[1:6, 5] = held[6, 9:12] = 1
        files = ["--edges", self.save(u, "edges.npy"), "--source", self.save(f, "f.npy"), "--held",
                 self.save(held, "held.npy")]
        # One row an unknown: what a sweep leaves as it is.
        free = np.zeros((9, 14), bool)
        free[1:-1, 1:-1] = held[1:-1, 1:-1] == 0
        unknown = np.argwhere(free)
        constant = np.where(free, 0, u)
        matrix = np.eye(len(unknown))
        for k, place in enumerate(unknown):
            one = np.zeros((9, 14))
            one[tuple(place)] = 1
            matrix[:, k] -= swept(one)[free]
        want = u.copy()
        want[free] = np.linalg.solve(matrix, swept(constant, f)[free])
        for method in ["jacobi", "red-black", "multigrid"]:
            said, found = self.solved(*files, "--method", method, "--tolerance", "1e-14")
            np.testing.assert_allclose(found, want, atol=1e-11)
            self.assertEqual(list(said), ["iterations", "residual"])
        self.assertIn("where the edges have", self.fails(1, "laplace", "--size", "14x8", "--held", files[-1]))

    def test_picture(self):
        """Rows from the top, from the smallest value to the largest."""
        u = np.array([[0.0, 1, 2], [4, 8, 6], [3, 5, 7]])
        out = self.folder / "u.png"
        self.assertEqual(run("laplace", "--edges", self.save(u), "--max-iterations", 0, "-o", out).returncode, 0)
        with Image.open(out) as picture:
            np.testing.assert_array_equal(np.asarray(picture), np.floor(255 * u / 8 + 0.5))


if __name__ == "__main__":
    unittest.main()
