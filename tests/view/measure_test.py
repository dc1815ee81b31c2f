#!/usr/bin/env python3
"""scripts/measure-view, without a browser and for moments: each part has its figures, and the page has each of them. HEDDLE is the path
of the executable."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from connection import PATIENCE, skip_without_server

HOME = pathlib.Path(__file__).resolve().parents[2]
SHORT = ["--no-browser", "--life", "64", "--lbm", "32", "--seconds", "0.2", "--rounds", "1", "--presses", "3", "--minutes", "0.01"]


def measure(*words):
    return subprocess.run([sys.executable, HOME / "scripts" / "measure-view", "--command", os.environ["HEDDLE"], *map(str, words)],
                          capture_output=True, text=True, timeout=4 * PATIENCE)


class MeasureTest(unittest.TestCase):
    def test_each_part_has_its_figures(self):
        with tempfile.TemporaryDirectory() as folder:
            found = pathlib.Path(folder) / "found.json"
            done = measure(*SHORT, "--json-out", found)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            run = json.loads(found.read_text())
            results = run["results"]
            self.assertEqual([one["what"] for one in results], 4 * ["frames"] + ["latency", "rate", "rate", "memory"])
            self.assertEqual({one["client"] for one in results[:-1]}, {"without a screen"})
            for one in results[:4]:
                self.assertGreater(one["frames_a_second"], 0)
            self.assertLessEqual(results[4]["median_ms"], results[4]["percentile_95_ms"])
            for one in results[5:7]:
                self.assertGreater(min(one["cells_a_second"], one["of_unwatched"], one["of_command"]), 0)
            self.assertLessEqual(max(results[7]["first_bytes"], results[7]["last_bytes"]), results[7]["most_bytes"])

            self.assertEqual(measure("--folder", folder, "--page", found).returncode, 0)
            page = (pathlib.Path(folder) / "view.md").read_text()
            self.assertIn(f"## {run['machine']['name']}, {run['date']}", page)
            for row in done.stdout.splitlines():
                self.assertIn(row, page)

    def test_refuses_what_it_does_not_measure(self):
        done = measure("--parts", "frames,colour")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--parts: colour is none of frames, latency, rate, memory", done.stderr)


if __name__ == "__main__":
    skip_without_server()
    unittest.main()
