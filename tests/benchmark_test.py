#!/usr/bin/env python3
"""scripts/benchmark, with programs that print figures in place of those that measure."""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent

# In place of the command: what it knows of the machine, and how fast patterns are.
COMMAND = """#!{python}
import json, sys
arguments = sys.argv[1:]
if arguments[0] == "info":
    print(json.dumps({{"targets": ["serial", "gpu:0"], "gpus": [{{"name": "a GPU"}}],
                      "cpu": {{"name": "a CPU", "cores": 2, "instruction_set": "avx2"}},
                      "cuda": {{"toolkit": "13.0", "driver": "13.0"}}}}))
elif arguments[0] == "bench":
    pattern, target = arguments[1], arguments[arguments.index("--target") + 1]
    sizes = [1 << 12, 1 << 20, 1 << 28] if "float32" in arguments else [1 << 28]
    types = arguments[arguments.index("--type") + 1].split(",")
    results = []
    for dtype in types:
        for n in sizes:
            for kind, name, rate in (("heddle", "single-pass", 3e11), ("peer", "CUB of a long name", 1e9), ("ceiling", "copy", 4e11)):
                results.append({{"pattern": pattern, "target": target, "algorithm": name, "kind": kind, "dtype": dtype, "n": n,
                                "bytes": 8 * n, "seconds": 1e-6 + 8 * n / rate, "interquartile_seconds": 1e-8, "samples": 10,
                                "op": "sum", "checked": kind == "heddle" and {checked}}})
                if target != "serial":
                    results[-1] |= {{"whole_call_seconds": 1e-5, "back_to_back_seconds": 1e-6}}
    with open(arguments[arguments.index("--json") + 1], "w") as file:
        json.dump({{"results": results}}, file)
else:
    sys.exit("no such subcommand")
"""

FIELDS = {"pattern", "variant", "target", "dtype", "n", "contender", "kind", "seconds", "spread", "samples", "bytes", "operations",
          "checked"}


class BenchmarkTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.docs = self.folder / "docs"
        self.pack("pack", "c0ffee")

    def pack(self, name, commit, checked=True, measure=os.environ.get("HEDDLE_MEASURE", "/bin/false")):
        """A packed folder, whose command is the one above."""
        pack = self.folder / name
        for part in ("scripts/benchmark", "bench/page.py", "bench/chart.py"):
            (pack / part).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(REPOSITORY / part, pack / part)
        (pack / "heddle-pack").touch()
        (pack / "built-of.json").write_text(json.dumps({"commit": commit, "dirty": False, "compiler": "a compiler"}))
        for kind in ("command", "benchmark"):
            (pack / kind).mkdir()
        command = pack / "command" / "heddle"
        command.write_text(COMMAND.format(python=sys.executable, checked=checked))
        command.chmod(0o755)
        (pack / "benchmark" / "measure").symlink_to(measure)
        return pack

    def run_pack(self, pack, *arguments):
        return subprocess.run([self.folder / pack / "scripts" / "benchmark", "--docs", self.docs, *map(str, arguments)],
                              capture_output=True, text=True)

    def succeeds(self, *arguments):
        done = self.run_pack(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)

    def fails(self, *arguments):
        done = self.run_pack(*arguments)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        return done.stderr

    def test_page(self):
        """What is measured is in the JSON, and the page and its charts are drawn from that alone."""
        self.succeeds("pack", "--machine", "here", "--only", "reduce,scan,transform")
        found = json.loads((self.docs / "results/here.json").read_text())
        self.assertEqual((found["name"], found["commit"], found["dirty"], found["quick"]), ("here", "c0ffee", False, False))
        self.assertEqual(found["machine"]["gpus"], ["a GPU"])
        for result in found["results"]:
            self.assertLessEqual(FIELDS, set(result))
            self.assertEqual(result["checked"], result["kind"] == "ours")
        page = self.docs / "results/here.md"
        text = page.read_text()
        self.assertLessEqual(len(text.splitlines()), 250)
        for word in ("c0ffee", "a CPU", "a GPU", "a compiler", "CUB of a long name"):
            self.assertIn(word, text)
        links = re.findall(r"\]\(([^)]+)\)", text)
        self.assertEqual(len(links), 3)
        for link in links:
            self.assertTrue((page.parent / link).exists(), link)
        drawn = {file: file.read_text() for file in self.docs.rglob("*.*") if file.suffix in (".md", ".svg")}
        for file in drawn:
            file.unlink()
        self.succeeds("pack", "--machine", "here", "--page-only")
        self.assertEqual({file: file.read_text() for file in drawn}, drawn)
        self.assertEqual({file for file in self.docs.rglob("*") if file.is_file()},
                         {*drawn, self.docs / "results/here.json"})

    def test_labels_are_inside_the_picture(self):
        self.succeeds("pack", "--machine", "here", "--only", "scan")
        picture = xml.etree.ElementTree.parse(self.docs / "pictures/here-scan.svg").getroot()
        width, height = map(float, picture.get("viewBox").split()[2:])
        labels = [text for text in picture.iter("{http://www.w3.org/2000/svg}text") if text.get("x")]
        self.assertGreater(len(labels), 20)
        for label in labels:
            # Wider than sans-serif digits and letters are.
            wide = 0.6 * float(label.get("font-size")) * len(label.text)
            left = float(label.get("x")) - {"start": 0, "middle": wide / 2, "end": wide}[label.get("text-anchor")]
            self.assertGreaterEqual(left, 0, label.text)
            self.assertLessEqual(left + wide, width, label.text)
            self.assertTrue(10 <= float(label.get("y")) <= height, label.text)
        # Ten times the rate is as far up wherever it is.
        heights = [float(label.get("y")) for label in labels if re.fullmatch("[01.]+k?", label.text)]
        steps = {round(a - b, 0) for a, b in zip(heights, heights[1:]) if a > b}
        self.assertEqual(len(steps), 1)

    def test_results_that_nobody_checked(self):
        self.pack("unchecked", "c0ffee", checked=False)
        self.assertIn("was not checked", self.fails("unchecked", "--machine", "here", "--only", "scan"))
        self.assertFalse(self.docs.exists())

    def test_wrong_results(self):
        """A program that finds a wrong result fails, and its words are passed on; other parts are kept where they are parts."""
        wrong = self.folder / "wrong"
        wrong.write_text("#!/bin/sh\necho 'measure: sort random of 5 int8 on serial: the result of Heddle is wrong' >&2\nexit 1\n")
        wrong.chmod(0o755)
        self.pack("wrong_pack", "c0ffee", measure=wrong)
        arguments = ("wrong_pack", "--machine", "here", "--targets", "serial", "--only", "sort,scan")
        self.assertIn("the result of Heddle is wrong", self.fails(*arguments))
        self.assertFalse(self.docs.exists())
        part = self.folder / "part.json"
        self.assertIn("the result of Heddle is wrong", self.fails(*arguments, "--json-out", part))
        found = json.loads(part.read_text())
        self.assertEqual(set(found["failures"]), {"sort on serial"})
        self.assertEqual({result["pattern"] for result in found["results"]}, {"scan"})

    def test_interruption(self):
        started = self.folder / "started"
        slow = self.folder / "slow"
        slow.write_text(f"#!/bin/sh\ntouch {started}\nexec sleep 3600\n")
        slow.chmod(0o755)
        pack = self.pack("slow_pack", "c0ffee", measure=slow)
        running = subprocess.Popen([pack / "scripts/benchmark", "--docs", self.docs, "--machine", "here", "--only", "scan,sort"],
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(running.kill)
        while not started.exists():
            self.assertIsNone(running.poll())
            time.sleep(0.02)
        running.send_signal(signal.SIGINT)
        self.assertEqual((running.communicate(timeout=300)[1], running.returncode), ("scripts/benchmark: interrupted\n", 130))
        self.assertFalse(self.docs.exists())

    def test_parts(self):
        """Parts of one commit are merged; those of another, or of another machine, are not."""
        self.pack("later", "decaf")
        parts = [self.folder / f"{name}.json" for name in ("reduce", "scan", "later")]
        for pack, pattern, part in zip(("pack", "pack", "later"), ("reduce", "scan", "scan"), parts):
            self.succeeds(pack, "--machine", "there", "--only", pattern, "--json-out", part)
        self.assertFalse(self.docs.exists())
        self.succeeds("pack", "--machine", "there", "--merge", parts[0], parts[1])
        found = json.loads((self.docs / "results/there.json").read_text())
        self.assertEqual({result["pattern"] for result in found["results"]}, {"reduce", "scan"})
        self.assertIn("commit", self.fails("pack", "--machine", "there", "--merge", parts[0], parts[2]))
        self.assertIn("commit", self.fails("later", "--machine", "there", "--only", "scan"))
        other = json.loads(parts[1].read_text())
        other["machine"]["cpu"] = "another CPU"
        parts[1].write_text(json.dumps(other))
        self.assertIn("different machines", self.fails("pack", "--machine", "there", "--merge", parts[0], parts[1]))
        self.assertEqual(json.loads((self.docs / "results/there.json").read_text()), found)

    @unittest.skipUnless("HEDDLE_MEASURE" in os.environ, "HEDDLE_MEASURE names no program")
    def test_measure(self):
        """The program that measures, on small arrays: every pattern is checked, and its lines are what the page reads."""
        done = subprocess.run([os.environ["HEDDLE_MEASURE"], "--target", "serial", "--quick", "--seconds", "0", "--log2-bytes", "14"],
                              capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        results = [json.loads(line) for line in done.stdout.splitlines()]
        for result in results:
            self.assertEqual(set(result), FIELDS)
            self.assertGreater(result["seconds"], 0)
            self.assertEqual(result["checked"] or result["contender"] == "textbook", result["kind"] != "ceiling")
        self.assertLessEqual({"axes", "sort", "segmented_scan", "gather", "lower_bound", "top_k", "histogram", "unique_consecutive",
                              "variance", "random", "matmul", "fft", "mandelbrot"}, {result["pattern"] for result in results})
        done = subprocess.run([os.environ["HEDDLE_MEASURE"], "--only", "nothing"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("no such pattern", done.stderr)


if __name__ == "__main__":
    unittest.main()
