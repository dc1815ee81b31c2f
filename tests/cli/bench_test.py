#!/usr/bin/env python3
"""heddle bench."""
import json
import os
import re
import shutil
import signal
import subprocess
import unittest
import xml.etree.ElementTree

import numpy as np

from checks import HEDDLE, TYPES, CommandTest, run, samples
from moments import PATIENCE, without_alarm


class BenchTest(CommandTest):
    def bench(self, *arguments):
        """The results of a benchmark, as its JSON file has them, and the lines of its table."""
        report = self.folder / "report.json"
        done = run("bench", *arguments, "--seconds", 0.01, "--json", report)
        self.assertEqual((done.returncode, done.stderr), (0, ""), arguments)
        found = json.loads(report.read_text())
        self.assertEqual(set(found), {"machine", "results"})
        return found["results"], done.stdout.splitlines()

    def test_results(self):
        """What the file says agrees with itself, and the table with the file."""
        for pattern, ceiling, moved in (("reduce", "read", 1), ("scan", "copy", 2), ("transform", "copy", 2)):
            results, table = self.bench(pattern, "--target", "serial,parallel:2", "--size", "1000,2^12", "--type",
                                        "float64")
            self.assertEqual([(r["target"], r["n"], r["algorithm"], r["kind"]) for r in results],
                             [(target, n, name, kind) for target in ("serial", "parallel:2") for n in (1000, 4096)
                              for name, kind in (("single-pass", "heddle"), (ceiling, "ceiling"))])
            self.assertEqual(table[0].split()[:6], ["target", "algorithm", "type", "n", "median", "spread"])
            self.assertEqual(len(table), 1 + len(results))
            for result, row in zip(results, table[1:]):
                self.assertEqual((result["pattern"], result["dtype"]), (pattern, "float64"))
                self.assertEqual(result.get("op"), None if pattern == "transform" else "sum")
                self.assertEqual(result["bytes"], result["n"] * 8 * moved)
                self.assertAlmostEqual(result["gb_per_s"], result["bytes"] / result["seconds"] / 1e9, 9)
                self.assertGreaterEqual(result["interquartile_seconds"], 0)
                self.assertGreaterEqual(result["samples"], 10)
                self.assertGreaterEqual(result["calls_per_sample"], 1)
                self.assertGreater(result["buffers"], 1)
                size = {1000: "1000", 4096: "2^12"}[result["n"]]
                self.assertEqual(row.split()[:4], [result["target"], result["algorithm"], "float64", size])
                number, unit = row.split()[4:6]
                self.assertAlmostEqual(float(number) * {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1}[unit]
                                       / result["seconds"], 1, 1)
                self.assertEqual(row.split()[8], f"{result['gb_per_s']:.2f}")
                if result["kind"] == "ceiling":
                    self.assertNotIn("fraction_of_ceiling", result)
                    continue
                self.assertEqual(result["ceiling"], ceiling)
                limit = next(r for r in results if r["kind"] == "ceiling" and
                             (r["target"], r["n"]) == (result["target"], result["n"]))
                self.assertAlmostEqual(result["fraction_of_ceiling"], result["gb_per_s"] / limit["gb_per_s"], 9)
                self.assertTrue(row.endswith(f"{result['fraction_of_ceiling']:.2f} of {ceiling}"), row)

    def test_describes_the_machine(self):
        self.bench("reduce", "--target", "serial", "--size", 100, "--in-cache")
        described = json.loads((self.folder / "report.json").read_text())["machine"]

        def lasting(found):
            """Without what another process may have changed or measured anew."""
            if isinstance(found, dict):
                return {k: lasting(v) for k, v in found.items() if k != "free_bytes" and "per_second" not in k}
            return [lasting(one) for one in found] if isinstance(found, list) else found

        self.assertEqual(lasting(described), lasting(self.machine))

    def test_of_every_type(self):
        for pattern in ("reduce", "scan", "transform"):
            results, _ = self.bench(pattern, "--target", "serial", "--size", 500, "--type", ",".join(TYPES), "--in-cache")
            self.assertEqual([r["dtype"] for r in results], [t for t in TYPES for _ in range(2)])
            for result in results:
                copies = 1 if pattern == "reduce" else 2
                self.assertEqual(result["bytes"], 500 * np.dtype(result["dtype"]).itemsize * copies)

    def test_sizes(self):
        for text, sizes in (("7", [7]), ("1e3,2^5", [32, 1000]), ("2^5..2^8", [32, 64, 128, 256]), ("1.5e2", [150]),
                            ("10..1000:10", [10, 100, 1000]), ("3..20,6", [3, 6, 12]), ("64..100", [64])):
            results, _ = self.bench("reduce", "--target", "serial", "--size", text, "--in-cache")
            self.assertEqual([r["n"] for r in results[::2]], sizes, text)
            self.assertEqual({r["buffers"] for r in results}, {1})

    def test_algorithms(self):
        for pattern in ("reduce", "scan", "transform"):
            arguments = [pattern, "--target", "serial", "--size", 100, "--in-cache"]
            by_default, _ = self.bench(*arguments)
            everything, _ = self.bench(*arguments, "--algorithm", "all")
            names = [r["algorithm"] for r in everything if r["kind"] == "heddle"]
            self.assertEqual([r["algorithm"] for r in by_default if r["kind"] == "heddle"], names[:1])
            self.assertEqual(len(set(names)), len(names))
            named, _ = self.bench(*arguments, "--algorithm", ",".join(reversed(names)))
            self.assertEqual([r["algorithm"] for r in named if r["kind"] == "heddle"], names[::-1])

    def test_operators(self):
        for pattern in ("reduce", "scan"):
            results, _ = self.bench(pattern, "--op", "max", "--target", "parallel:2", "--size", 500, "--type",
                                    "bool,uint8,int32,float64", "--peers", "--in-cache")
            self.assertEqual({r["op"] for r in results}, {"max"})
            for dtype, with_peers in (("bool", False), ("uint8", False), ("int32", True), ("float64", True)):
                found = [r["algorithm"] for r in results if r["dtype"] == dtype]
                self.assertIn("single-pass", found)
                self.assertEqual("std par_unseq" in found, with_peers)
            self.assertIn("complex64", self.fails(1, "bench", pattern, "--op", "max", "--type", "complex64"))

    def test_check(self):
        """What Heddle computes is compared with a loop, on every target and of every type that has one."""
        for pattern, op in (("reduce", "sum"), ("reduce", "max"), ("scan", "sum"), ("scan", "max"), ("transform", "sum")):
            types = "uint8,int32,float32,float64" + ("" if op == "max" else ",complex64")
            results, _ = self.bench(pattern, "--op", op, "--size", "1000,70001", "--type", types, "--check")
            self.assertEqual({(result["kind"], result.get("checked", False)) for result in results},
                             {("heddle", True), ("ceiling", False)})

    def test_peers(self):
        for pattern in ("reduce", "scan", "transform"):
            for target, least in (("serial", {"std seq"}), ("parallel:2", {"std seq", "std par_unseq"})):
                results, _ = self.bench(pattern, "--target", target, "--size", 3000, "--type", "int8,uint64,float32",
                                        "--peers", "--in-cache")
                if pattern == "reduce":
                    least = least | {"copy"}
                if target != "serial" and self.machine["cuda"]["toolkit"]:
                    least = least | {"Thrust OpenMP", "Thrust TBB"}
                for dtype in ("int8", "uint64", "float32"):
                    self.assertEqual({r["algorithm"] for r in results if r["kind"] == "peer" and r["dtype"] == dtype},
                                     least)
        # They do not take every type; what they do not take is measured without them.
        results, _ = self.bench("scan", "--target", "serial", "--size", 10, "--type", "bool", "--peers", "--in-cache")
        self.assertEqual([r["kind"] for r in results], ["heddle", "ceiling"])

    def test_on_gpus(self):
        if not self.gpus:
            self.skipTest("this machine has no GPU")
        for pattern in ("reduce", "scan", "transform"):
            results, table = self.bench(pattern, "--target", self.gpus[0], "--size", "1,2^20", "--peers")
            self.assertIn("back to back", table[0])
            peers = {r["algorithm"] for r in results if r["kind"] == "peer"}
            self.assertEqual(peers, {"CUB", "Thrust"} | ({"copy"} if pattern == "reduce" else set()))
            for result in results:
                self.assertGreater(result["back_to_back_seconds"], 0)
                self.assertGreater(result["whole_call_seconds"], 0)

    def test_on_every_target(self):
        results, _ = self.bench("transform", "--size", 100, "--in-cache")
        self.assertEqual([r["target"] for r in results[::2]], self.machine["targets"])

    def test_chart(self):
        if shutil.which("gnuplot") is None:
            self.skipTest("gnuplot is not installed")
        chart = self.folder / "chart.svg"
        # An empty entry stands for the working directory, whose programs are not started.
        planted = self.folder / "gnuplot"
        planted.write_text("#!/bin/sh\nexit 1\n")
        planted.chmod(0o755)
        options = {"cwd": self.folder, "env": {**os.environ, "PATH": ":" + os.environ["PATH"]}}
        for sizes in ("64..512", "100"):
            done = run("bench", "scan", "--target", "serial,parallel:2", "--size", sizes, "--type", "int32,float32",
                       "--peers", "--in-cache", "--seconds", 0.01, "--plot", chart, **options)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            drawing = xml.etree.ElementTree.parse(chart)
            self.assertEqual(drawing.getroot().tag, "{http://www.w3.org/2000/svg}svg")
            texts = ["".join(e.itertext()).strip() for e in drawing.iter() if e.tag.endswith("}text")]
            for target in ("serial", "parallel:2"):
                self.assertIn(f"scan (sum) on {target}", texts)
            self.assertIn(self.machine["cpu"]["name"], texts)
            for dtype in ("int32", "float32"):
                for name in ("single-pass", "std seq", "std par_unseq", "copy (ceiling)"):
                    # A text for each panel that has the line; only threads have the parallel one.
                    self.assertEqual(texts.count(f"{name} {dtype}"), 1 if name == "std par_unseq" else 2, name)
            chart.unlink()

    def test_chart_of_another_kind(self):
        self.assertIn("SVG", self.fails(2, "bench", "reduce", "--size", 1000, "--plot", self.folder / "chart.png"))

    def test_chart_without_gnuplot(self):
        """It is said before anything is measured, which would take minutes here."""
        message = self.fails(1, "bench", "reduce", "--size", "2^26..2^28", "--plot", self.folder / "chart.svg", "--json",
                             self.folder / "report.json", env={**os.environ, "PATH": str(self.folder)})
        self.assertIn("gnuplot-nox", message)

    def test_wrong_usage(self):
        for arguments in ([], ["median"], ["reduce", "scan"], ["reduce", "--target", "auto"],
                          ["reduce", "--target", "serial,gpu:x"], ["reduce", "--target", ""], ["reduce", "--size"],
                          ["reduce", "--type", "float16"], ["reduce", "--type", "float32,"], ["scan", "--algorithm", "tree"],
                          ["scan", "--algorithm", "single-pass,nonsense"], ["reduce", "--json"], ["reduce", "--plot"],
                          ["reduce", "--op", "mean"], ["transform", "--op", "max"],
                          ["reduce", "--repeats", "3"], ["reduce", "--seconds", "0"], ["reduce", "--seconds", "soon"]):
            self.fails(2, "bench", *arguments)
        for size in ("0", "-1", "1.5", "many", "2^57", "2^99", "2^", "^2", "1e99", "1000,", "2^10..", "..2^10", "2^10..2^9",
                     "1..8:1", "1..8:0", "1..8:x", "1...8", "nan", "inf"):
            self.assertIn("--size", self.fails(2, "bench", "reduce", "--size", size), size)
        for seconds in ("0", "-1", "inf", "nan"):
            self.assertIn(f"--seconds: '{seconds}' is no", self.fails(2, "bench", "reduce", "--seconds", seconds), seconds)
        same = self.folder / "same"
        message = self.fails(2, "bench", "reduce", "--size", 1000, "--json", same, "--plot", same)
        self.assertIn("--json", message)
        self.assertFalse(same.exists())

    def test_failures(self):
        self.fails(1, "bench", "reduce", "--target", "gpu:99")
        message = self.fails(1, "bench", "scan", "--target", "serial", "--size", "2^50")
        self.assertIn("1125899906842624 float32 on serial", message)
        self.assertIn("--size", message)
        for flag in ("--json", "--plot"):
            message = self.fails(1, "bench", "reduce", flag, self.folder / "missing" / "file")
            self.assertRegex(message, "No such file|gnuplot")
        with open("/dev/full", "w") as full:
            done = subprocess.run([HEDDLE, "bench", "reduce", "--target", "serial", "--size", "10", "--in-cache", "--json",
                                   str(self.folder / "report.json")], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("standard output", done.stderr)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_scratch_memory(self):
        """What a method takes beside its arrays is asked for before anything is measured, which would take minutes here."""
        with open("/proc/meminfo") as file:
            free = next(int(line.split()[1]) << 10 for line in file if line.startswith("MemAvailable"))
        for method in ("hillis-steele", "blelloch"):
            message = self.fails(1, "bench", "scan", "--target", "serial", "--type", "uint8", "--size",
                                 f"2^20,{free * 2 // 5}", "--algorithm", f"single-pass,{method}", "--json",
                                 self.folder / "report.json")
            self.assertIn(f"with {method}", message)
            self.assertIn("leave that --algorithm out", message)

    def test_running_out_of_memory(self):
        """What was measured until then is written."""
        report, chart = self.folder / "report.json", self.folder / "chart.svg"
        arguments = ["bench", "scan", "--target", "serial", "--type", "uint8,float64", "--in-cache", "--json", report]
        if shutil.which("gnuplot"):
            arguments += ["--plot", chart]
        arguments += ["--size", "2^10,2^26"]
        # 2^26 bytes twice, and then 2^29 bytes twice, for which there is just room when the run begins.
        least = 1 << 30
        refused = self.fails(1, *arguments, **self.with_addresses(least))
        free = float(re.search(r"needs 1\.0 GiB .* ([\d.]+) MiB are free", refused)[1])
        done = run(*arguments, **self.with_addresses(least + int((1024.1 - free) * 2**20)))
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"^heddle bench: 67108864 float64 on serial: out of memory .*; what was measured until then is written\n$")
        found = json.loads(report.read_text())
        self.assertEqual([(r["dtype"], r["n"]) for r in found["results"]],
                         [("uint8", n) for n in (1 << 10, 1 << 26) for _ in range(2)])
        self.assertIn(found["error"], done.stderr)
        self.assertEqual(len(done.stdout.splitlines()), 5)
        self.assertEqual(chart.exists(), "--plot" in arguments)
        # Nothing was measured: there is nothing to write.
        report.unlink()
        chart.unlink(missing_ok=True)
        done = run(*arguments[:-1], "2^30", **self.with_addresses(least))
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_interruption(self):
        """Ctrl-C ends it with status 130; what was measured by then stays printed, and no file is left."""
        files = ["--json", str(self.folder / "report.json")]
        if shutil.which("gnuplot"):
            files += ["--plot", str(self.folder / "chart.svg")]
        running = subprocess.Popen([HEDDLE, "bench", "reduce", "--target", "serial", "--size", "64..2^24", "--type", ",".join(TYPES), *files],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=without_alarm)
        self.addCleanup(running.kill)
        printed = os.read(running.stdout.fileno(), 4096)
        running.send_signal(signal.SIGINT)
        rest, errors = running.communicate(timeout=PATIENCE)
        self.assertEqual((running.returncode, errors), (130, b"heddle bench: interrupted\n"))
        printed += rest
        self.assertTrue(printed.startswith(b"target") and printed.endswith(b"\n"), printed)
        self.assertEqual(list(self.folder.iterdir()), [])


if __name__ == "__main__":
    unittest.main()
