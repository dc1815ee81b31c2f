#!/usr/bin/env python3
"""The live view, as another program's terminal sees it. HEDDLE is the path of the executable."""
import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import time
import unittest

import numpy as np
import pyte
from PIL import Image

import moments
from checks import HEDDLE, CommandTest, run
from life_test import GUN, stepped

AROUND = "282828"  # what is outside the picture


class Terminal:
    """A terminal of so many columns and lines in which `heddle` runs; what it prints goes to a pipe."""

    def __init__(self, columns, lines, *arguments):
        self.controller, inside = pty.openpty()
        self.screen = pyte.Screen(columns, lines)
        self.stream = pyte.ByteStream(self.screen)
        self.received = b""
        fcntl.ioctl(inside, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        self.settings = termios.tcgetattr(inside)
        self.inside = inside

        def take_terminal():
            fcntl.ioctl(inside, termios.TIOCSCTTY, 0)

        self.running = subprocess.Popen([HEDDLE, *map(str, arguments)], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                        start_new_session=True, preexec_fn=take_terminal)

    def close(self):
        self.running.kill()
        self.running.communicate()
        os.close(self.controller)
        os.close(self.inside)

    def type(self, keys):
        os.write(self.controller, keys.encode())

    def waiting_keys(self):
        """How many typed keys the command has not read yet."""
        return struct.unpack("i", fcntl.ioctl(self.inside, termios.FIONREAD, bytes(4)))[0]

    def read(self, seconds):
        if select.select([self.controller], [], [], seconds)[0]:
            data = os.read(self.controller, 1 << 16)
            self.received += data
            self.stream.feed(data)

    def caption(self):
        return self.screen.display[-1].strip()

    def generation(self):
        words = self.caption().split()
        return int(words[1]) if len(words) > 2 and words[0] == "generation" else -1

    def wait_until(self, reached):
        """A picture is whole by the time that its caption is there."""
        try:
            moments.wait_until(reached, self.running, lambda: self.read(0.1))
        except AssertionError as missing:
            raise AssertionError(f"'{self.caption()}': {missing}") from missing

    def wait_for_generation(self, number):
        self.wait_until(lambda: self.generation() >= number)

    def pixels(self):
        """The colours of the picture, two lines of pixels for each line of the terminal."""
        rows = []
        for line in range(self.screen.lines - 1):
            cells = [self.screen.buffer[line][column] for column in range(self.screen.columns)]
            assert all(cell.data == "\u2580" for cell in cells), line
            rows += [[cell.fg for cell in cells], [cell.bg for cell in cells]]
        return np.array(rows)

    def end(self):
        """The status and what was printed, once the command has ended."""
        give_up = time.monotonic() + moments.PATIENCE
        while self.running.poll() is None and time.monotonic() < give_up:
            self.read(0.1)
        while select.select([self.controller], [], [], 0.1)[0]:
            self.read(0)
        return self.running.wait(0), self.running.stdout.read(), self.running.stderr.read()


class WatchTest(CommandTest):
    def terminal(self, *arguments):
        terminal = Terminal(*arguments)
        self.addCleanup(terminal.close)
        return terminal

    def check_given_back(self, terminal):
        self.assertEqual(termios.tcgetattr(terminal.inside), terminal.settings)
        self.assertTrue(terminal.received.endswith(b"\x1b[?25h\x1b[?1049l"), terminal.received[-40:])

    def soup(self, *size):
        path = self.folder / "soup.npy"
        run("life", "--random", "{}x{}".format(*size), "--generations", 0, "-o", path)
        return np.load(path)

    def test_cells_as_pixels(self):
        """Each cell a pixel, with a border on the right and below; the last picture stays until q is typed."""
        cells = self.soup(29, 13)
        seen = self.terminal(30, 8, "life", "--random", "29x13", "--generations", 3, "--watch", "-o", self.out)
        seen.wait_for_generation(3)
        for _ in range(3):
            cells = stepped(cells)
        expected = np.full((14, 30), AROUND)
        expected[:13, :29] = np.where(cells == 1, "ffffff", "000000")
        np.testing.assert_array_equal(seen.pixels(), expected)
        time.sleep(0.3)
        self.assertIsNone(seen.running.poll())
        seen.type("q")
        self.assertEqual(seen.end(), (0, f"generation 3 population {cells.sum()}\n", ""))
        np.testing.assert_array_equal(np.load(self.out), cells)
        self.check_given_back(seen)

    def test_larger_and_smaller(self):
        cells = self.soup(9, 5)
        seen = self.terminal(20, 11, "life", "--random", "9x5", "--generations", 0, "--watch")
        seen.wait_for_generation(0)
        expected = np.full((20, 20), AROUND)
        expected[5:15, 1:19] = np.kron(np.where(cells == 1, "ffffff", "000000").astype(object), np.ones((2, 2), int))
        np.testing.assert_array_equal(seen.pixels(), expected)

        cells = self.soup(150, 31)  # 3x3 cells a pixel: the lowest ones stand for a row of cells
        seen = self.terminal(50, 9, "life", "--random", "150x31", "--generations", 0, "--watch")
        seen.wait_for_generation(0)
        padded = np.zeros((33, 150), int)
        padded[:31] = cells
        live = padded.reshape(11, 3, 50, 3).sum(axis=(1, 3))
        area = np.full((11, 1), 9)
        area[10] = 3
        levels = np.where(live == 0, 0, np.floor(80 + 175 * live / area)).astype(int)
        expected = np.full((16, 50), AROUND)
        expected[2:13] = np.vectorize(lambda level: f"{level:02x}" * 3)(levels)
        np.testing.assert_array_equal(seen.pixels(), expected)

    def test_pause_and_end(self):
        """Nothing is drawn between one space and the next; q ends before the last generation."""
        gun = self.folder / "gun.rle"
        gun.write_text(GUN)
        seen = self.terminal(60, 20, "life", gun, "--generations", 10**9, "--every", 30, "--watch")
        seen.wait_for_generation(90)
        seen.type(" ")
        # Once the key is read, what was drawn before is on its way, and nothing follows.
        seen.wait_until(lambda: seen.waiting_keys() == 0)
        while select.select([seen.controller], [], [], 1)[0]:
            seen.read(0)
        paused = seen.generation()
        time.sleep(0.3)
        seen.read(0.1)
        self.assertEqual(seen.generation(), paused)
        seen.type(" ")
        seen.wait_for_generation(paused + 60)
        seen.type("q")
        status, printed, errors = seen.end()
        self.assertEqual((status, errors), (0, ""))
        counts = [(int(line.split()[1]), int(line.split()[3])) for line in printed.splitlines()]
        self.assertEqual(counts, [(30 * i, 36 + 5 * i) for i in range(1, len(counts) + 1)])
        self.check_given_back(seen)

    def test_signal(self):
        seen = self.terminal(40, 12, "life", "--random", "64x64", "--generations", 10**9, "--watch", "-o", self.out)
        seen.wait_for_generation(2)
        seen.running.send_signal(signal.SIGINT)
        status, printed, errors = seen.end()
        self.assertEqual((status, errors), (130, "heddle life: interrupted\n"))
        self.assertEqual(int(printed.split()[3]), np.load(self.out).sum())
        self.check_given_back(seen)

    def test_resize(self):
        seen = self.terminal(40, 12, "life", "--random", "40x22", "--generations", 10**9, "--watch")
        seen.wait_for_generation(2)
        seen.screen.resize(12, 20)
        fcntl.ioctl(seen.inside, termios.TIOCSWINSZ, struct.pack("HHHH", 12, 20, 0, 0))
        seen.wait_for_generation(seen.generation() + 60)
        # Two by two cells a pixel now, in the middle of the 22 rows.
        inside = seen.pixels() != AROUND
        np.testing.assert_array_equal(inside, np.repeat([False] * 5 + [True] * 11 + [False] * 6, 20).reshape(22, 20))

    def test_laplace(self):
        """The colours are those of the picture in a file, once it is the same state."""
        picture = self.folder / "u.png"
        seen = self.terminal(33, 14, "laplace", "--size", "33x25", "--tolerance", "1e-8", "--watch", "-o", picture)
        cycles = int(run("laplace", "--size", "33x25", "--tolerance", "1e-8").stdout.split()[1])
        seen.wait_until(lambda: seen.caption().startswith(f"{cycles} cycles, "))
        last = seen.pixels()
        seen.type("q")
        status, printed, errors = seen.end()
        self.assertEqual((status, errors), (0, ""))
        self.assertTrue(printed.startswith(f"iterations {cycles} residual "), printed)
        colours = np.asarray(Image.open(picture).convert("RGB"))
        names = np.apply_along_axis(lambda rgb: "{:02x}{:02x}{:02x}".format(*rgb), 2, colours)
        np.testing.assert_array_equal(last[:25], names)
        self.check_given_back(seen)

    def test_every_that_does_not_divide_the_generations(self):
        seen = self.terminal(60, 12, "life", "--random", "9x9", "--generations", 7, "--every", 5, "--watch")
        seen.wait_for_generation(7)
        seen.type("q")
        status, printed, _ = seen.end()
        self.assertEqual((status, [line.split()[1] for line in printed.splitlines()]), (0, ["5", "7"]))

    def test_a_caption_as_wide_as_the_terminal(self):
        seen = self.terminal(12, 8, "life", "--random", "9x9", "--generations", 0, "--watch")
        seen.wait_until(lambda: seen.caption() == "generation 0")

    def test_laplace_ended_between_two_looks_at_the_residual(self):
        """What is printed and written is one state: a run of so many sweeps has the same residual."""
        options = ["laplace", "--size", "300x300", "--method", "jacobi", "--tolerance", 0]
        seen = self.terminal(60, 12, *options, "--check-every", 10**6, "--watch", "-o", self.out)
        seen.wait_until(lambda: seen.caption().startswith("0 sweeps, "))
        moments.wait_for_work(seen.running, 0.3, lambda: seen.read(0.1))
        seen.type("q")
        status, printed, errors = seen.end()
        self.assertEqual((status, errors), (0, ""))
        sweeps = int(printed.split()[1])
        self.assertGreater(sweeps, 0)
        again = run(*options, "--max-iterations", sweeps, "-o", self.folder / "again.npy")
        self.assertEqual(again.stdout, printed)
        np.testing.assert_array_equal(np.load(self.folder / "again.npy"), np.load(self.out))

    def test_laplace_without_iterations_and_with_a_signal(self):
        seen = self.terminal(60, 12, "laplace", "--size", "20x20", "--max-iterations", 0, "--watch", "-o", self.out)
        seen.wait_until(lambda: seen.caption().startswith("0 cycles, "))
        seen.type("\x1c")  # Ctrl-\ does nothing
        time.sleep(0.2)
        self.assertIsNone(seen.running.poll())
        seen.running.send_signal(signal.SIGTERM)
        self.assertEqual(seen.end()[0], 128 + signal.SIGTERM)
        self.assertEqual(np.load(self.out).shape, (20, 20))
        self.check_given_back(seen)

    def test_a_pattern_that_dies_out(self):
        cell = self.folder / "cell.cells"
        cell.write_text("O\n")
        seen = self.terminal(50, 8, "life", cell, "--generations", 2, "--watch")
        seen.wait_for_generation(2)
        self.assertEqual(set(seen.pixels().ravel()), {AROUND, "000000"})
        seen.type("q")
        self.assertEqual(seen.end()[:2], (0, "generation 2 population 0\n"))

    def test_no_terminal(self):
        for arguments in (["life", "--random", "9x9", "--generations", 1], ["laplace"]):
            message = self.fails(1, *arguments, "--watch", start_new_session=True)
            self.assertIn("--watch: no terminal to show pictures in", message)


if __name__ == "__main__":
    unittest.main()
