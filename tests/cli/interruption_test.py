#!/usr/bin/env python3
"""Pipes, signals, and the line that shows progress."""
import os
import signal
import subprocess
import time
import unittest

import numpy as np

from checks import HEDDLE, TYPES, CommandTest, largest_file, run, samples
from moments import PATIENCE, wait_for_handlers, without_alarm


class InterruptionTest(CommandTest):
    def test_input_from_a_pipe(self):
        x = samples("float32", 5000)
        with open(self.save(x), "rb") as file:
            text = self.printed("reduce", "/dev/stdin", "--op", "max", stdin=file)
        self.assertEqual(np.float32(text), x.max())
        content = self.save(x).read_bytes()
        done = subprocess.run([HEDDLE, "reduce", "/dev/stdin", "--op", "max"], input=content, stdout=subprocess.PIPE)
        self.assertEqual(np.float32(done.stdout), x.max())

    def test_interruption(self):
        """Ctrl-C ends a run between two pieces with status 130, and leaves no output."""
        path = self.sparse_file(1 << 36)
        for arguments in (["reduce", path], ["reduce", path, "-o", self.out]):
            arguments += ["--target", "serial"]
            running = subprocess.Popen([HEDDLE, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=without_alarm)
            self.addCleanup(running.kill)
            wait_for_handlers(running)
            running.send_signal(signal.SIGINT)
            out, errors = running.communicate(timeout=PATIENCE)
            self.assertEqual((running.returncode, out, errors), (130, b"", b"heddle reduce: interrupted\n"))
            self.assertEqual([p.name for p in self.folder.iterdir()], ["sparse.npy"])

    def asked_to_end_at_a_pipe(self, **options):
        """A run that waits for a pipe that nobody writes to, after its first SIGTERM."""
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        running = subprocess.Popen([HEDDLE, "reduce", pipe], stderr=subprocess.PIPE, **options)
        self.addCleanup(running.kill)
        wait_for_handlers(running)
        running.send_signal(signal.SIGTERM)
        return running

    def test_interruption_of_a_pipe_that_nobody_writes_to(self):
        """It is ended two seconds after the request."""
        running = self.asked_to_end_at_a_pipe()
        self.assertEqual(running.communicate(timeout=PATIENCE)[1], b"heddle: interrupted\n")
        self.assertEqual(running.returncode, 128 + signal.SIGTERM)

    def test_a_second_request_kills_at_once(self):
        """A request that follows within half a second is the same one. The two seconds of the first never end here."""
        running = self.asked_to_end_at_a_pipe(preexec_fn=without_alarm)
        give_up = time.monotonic() + PATIENCE
        while running.poll() is None and time.monotonic() < give_up:
            time.sleep(0.1)
            running.send_signal(signal.SIGTERM)
        self.assertEqual((running.communicate(timeout=PATIENCE)[1], running.returncode), (b"", -signal.SIGTERM))

    def test_output_beyond_the_largest_file_that_is_allowed(self):
        path = self.save(np.zeros(4096))
        self.assertIn("out.npy: cannot write: File too large", self.fails(1, "scan", path, "-o", self.out, **largest_file(4096)))

    def test_endless_input_that_is_no_array(self):
        self.assertIn("no .npy file", self.fails(1, "reduce", "/dev/zero"))

    def test_interruption_while_the_output_is_written(self):
        """Whether asked to stop or killed, nothing is left beside what was there."""
        path = self.save(np.zeros(1 << 26, np.int32))
        names = sorted(p.name for p in self.folder.iterdir())
        for kill in (signal.SIGINT, signal.SIGKILL):
            for delay in (0.05, 0.1, 0.2, 0.3, 0.4, 0.6):
                running = subprocess.Popen([HEDDLE, "scan", path, "--dtype", "int32", "-o", self.out],
                                           stderr=subprocess.DEVNULL)
                time.sleep(delay)
                running.send_signal(kill)
                if running.wait(timeout=PATIENCE) == 0:
                    self.assertEqual(np.load(self.out, mmap_mode="r").shape, (1 << 26,))
                self.out.unlink(missing_ok=True)
                self.assertEqual(sorted(p.name for p in self.folder.iterdir()), names)

    def test_progress_on_a_terminal(self):
        path = self.sparse_file(1 << 36)
        self.check_progress("reduce", path, "--target", "serial", rate=rb"[0-9.]+ GB/s  .+ left")
        self.check_progress("bench", "reduce", "--target", "serial", "--size", "1..2^20", "--type", ",".join(TYPES),
                            rate=rb"serial \w+ (2\^)?[0-9]+")


if __name__ == "__main__":
    unittest.main()
