#!/usr/bin/env python3
"""heddle check and heddle run: arguments, reports, exit statuses, the cache."""
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

import numpy as np

HEDDLE = os.environ["HEDDLE"]

SAXPY = """\
#include "scale.h"
__global__ void saxpy(int n, float a, const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = SCALE * a * x[i] + y[i];
}
__global__ void shifted(int n, float* x) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n - 1) x[i] = x[i + 1];
}
__global__ void types(const bool* b, const signed char* i8, const short* i16, const int* i32, const long long* i64,
                      const unsigned char* u8, const unsigned short* u16, const unsigned* u32,
                      const unsigned long long* u64, const float* f32, const double* f64, double* sums) {
  const int i = threadIdx.x;
  sums[i] = b[i] + i8[i] + i16[i] + i32[i] + i64[i] + u8[i] + u16[i] + u32[i] + u64[i] + f32[i] + f64[i];
}
"""


class CheckTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        # With the mark that some editors begin a file with.
        (self.folder / "saxpy.cu").write_text(SAXPY, encoding="utf-8-sig")
        (self.folder / "include").mkdir()
        (self.folder / "include" / "scale.h").write_text("#pragma once\n#ifndef SCALE\n#define SCALE 1\n#endif\n")
        self.environment = dict(os.environ, XDG_CACHE_HOME=str(self.folder / "cache"))

    def run_in_folder(self, *arguments, environment=None):
        return subprocess.run([HEDDLE, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True,
                              timeout=300, env=environment or self.environment)

    def saxpy(self, command, *flags, environment=None, n=1000):
        return self.run_in_folder(command, "saxpy.cu", "--kernel", "saxpy", "--grid", 8, "--block", 128, "-I", "include",
                                  "--arg", f"i32:{n}", "--arg", "f32:2", "--arg", "f32[]=x.npy",
                                  "--arg", "f32[1000]=arange:out=y.npy", *flags, environment=environment)

    def shifted(self, *flags):
        return self.run_in_folder("check", "saxpy.cu", "--kernel", "shifted", "--grid", 1, "--block", 64, "-I", "include",
                                  "--arg", "i32:64", "--arg", "f32[64]=arange", *flags)

    def test_values(self):
        x = np.linspace(-3, 5, 1000, dtype="float32")
        np.save(self.folder / "x.npy", x)
        for command in ("check", "run"):
            for flags, scale in (((), 1), (("-D", "SCALE=3"), 3)):
                (self.folder / "y.npy").unlink(missing_ok=True)
                done = self.saxpy(command, *flags)
                self.assertEqual(done.returncode, 0, done.stderr)
                y = np.load(self.folder / "y.npy")
                self.assertEqual(y.dtype, np.float32)
                np.testing.assert_array_equal(y, np.float32(scale * 2) * x + np.arange(1000, dtype="float32"))
                self.assertEqual(done.stdout, "")
                if command == "run":
                    self.assertEqual(done.stderr, "")

    def test_element_types(self):
        names = "i8 i16 i32 i64 u8 u16 u32 u64 f32 f64".split()
        arguments = [word for name in names for word in ("--arg", f"{name}[32]=arange")]
        done = self.run_in_folder("run", "saxpy.cu", "--kernel", "types", "--grid", 1, "--block", 32, "-I", "include",
                                  "--arg", "bool[32]=arange", *arguments, "--arg", "f64[32]:out=sums.npy")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        i = np.arange(32)
        np.testing.assert_array_equal(np.load(self.folder / "sums.npy"), (i != 0) + 10.0 * i)

    def test_random(self):
        """Uniform numbers that the seed determines."""
        def values(type_name, seed):
            done = self.run_in_folder("run", "saxpy.cu", "--kernel", "shifted", "--grid", 1, "--block", 1, "-I", "include",
                                      "--arg", "i32:0", "--arg", f"{type_name}[4000]=random:{seed}:out=r.npy")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            return np.load(self.folder / "r.npy")
        r = values("f32", 7)
        self.assertTrue(((0 <= r) & (r < 1)).all())
        # The mean of 4000 has a standard deviation of 0.0046, and the share below a quarter one of 0.0068.
        self.assertLess(abs(r.mean() - 0.5), 0.025)
        self.assertLess(abs((r < 0.25).mean() - 0.25), 0.035)
        np.testing.assert_array_equal(r, values("f32", 7))
        self.assertFalse((r == values("f32", 8)).all())

    def test_text(self):
        done = self.shifted()
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("saxpy.cu:8: data race on x[", done.stderr)
        self.assertIn("of block (0,0,0) writes at saxpy.cu:8 in shifted", done.stderr)
        self.assertIn("of block (0,0,0) reads at saxpy.cu:8 in shifted", done.stderr)
        self.assertIn("saxpy.cu: shifted: 1 finding (64 threads, 3 schedules", done.stderr)
        for mark in ("                 ^", "                        ^"):
            self.assertIn(f"     8 |   if (i < n - 1) x[i] = x[i + 1];\n       | {mark}\n", done.stderr)

    def test_likely_fixes(self):
        """Code that mends a finding, in text, JSON and SARIF."""
        (self.folder / "mend.cu").write_text(
            "__global__ void beyond(float* y, int n) {\n  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  y[i] = 1;\n}\n"
            "__global__ void counts(int* n) { n[0] += 2; }\n"
            "__global__ void turns(int* x) {\n  __shared__ int s[64];\n  s[threadIdx.x] = x[threadIdx.x];\n  x[threadIdx.x] = s[63 - threadIdx.x];\n}\n")
        for kernel, words, column, fix in (("beyond", ["--arg", "f32[100]", "--arg", "i32:100"], 3, "if (i < n)"),
                                           ("counts", ["--arg", "i32[1]=zeros"], 34, "atomicAdd(&n[0], 2);"),
                                           ("turns", ["--arg", "i32[64]=arange"], None, "__syncthreads();")):
            blocks = 1 if kernel == "turns" else 2
            done = self.run_in_folder("check", "mend.cu", "--kernel", kernel, "--grid", blocks, "--block", 64, *words, "--json", "--sarif", "r.sarif")
            finding, = json.loads(done.stdout)["findings"]
            self.assertEqual(finding["fix"], fix)
            self.assertIn(f"  likely fix: {fix}\n", finding["text"])
            if column:
                self.assertEqual(finding["places"][0]["column"], column)
            result, = json.loads((self.folder / "r.sarif").read_text())["runs"][0]["results"]
            if kernel == "beyond":
                change, = result["fixes"][0]["artifactChanges"][0]["replacements"]
                self.assertEqual((change["deletedRegion"]["startLine"], change["deletedRegion"]["startColumn"], change["insertedContent"]["text"]),
                                 (3, 3, "if (i < n) "))
            else:
                self.assertNotIn("fixes", result)

    def test_json(self):
        done = self.shifted("--json", "--schedules", 2, "--seed", 5)
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        report = json.loads(done.stdout)
        self.assertEqual((report["verdict"], report["kernel"], report["schedules"], report["seed"]),
                         ("findings", "shifted", 2, 5))
        race, = report["findings"]
        self.assertEqual(race["kind"], "data-race")
        self.assertEqual((race["variable"]["name"], race["variable"]["extent"], race["variable"]["type"]), ("x", 64, "float"))
        self.assertEqual([(p["file"], p["line"]) for p in race["places"]], [("saxpy.cu", 8)] * 2)
        threads = [p["thread"][0] for p in race["places"]]
        self.assertEqual(abs(threads[0] - threads[1]), 1)
        self.assertIn(race["variable"]["index"], threads)
        # A race for each of 62 or 63 neighbours, under each of two schedules.
        self.assertTrue(63 <= race["count"] <= 126, race["count"])

    def test_json_of_what_cannot_run(self):
        """One object all the same, beside the message, and the exit status that it says."""
        for arguments, of_kernel, message in (
                (["saxpy.cu", "--kernel", "nobody", "--grid", 1, "--block", 1, "-I", "include"], {"kernel": "nobody"}, "nobody"),
                (["missing.cu"], {}, "missing.cu: cannot be read: No such file or directory")):
            done = self.run_in_folder("check", *arguments, "--json")
            self.assertEqual(done.returncode, 2)
            self.assertIn(message, done.stderr)
            error = done.stderr.removeprefix("heddle check: ").rstrip("\n")
            self.assertEqual(json.loads(done.stdout),
                             {"source": arguments[0], **of_kernel, "verdict": "error", "error": error, "status": 2})

    def test_seeds(self):
        """The same report for a seed, run after run."""
        first = json.loads(self.shifted("--json", "--seed", 3, "--schedules", 5).stdout)
        again = json.loads(self.shifted("--json", "--seed", 3, "--schedules", 5).stdout)
        for report in (first, again):
            del report["seconds"]
        self.assertEqual(first, again)

    def test_junit(self):
        self.assertEqual(self.shifted("--junit", "report.xml").returncode, 1)
        suite = ElementTree.parse(self.folder / "report.xml").getroot()
        self.assertEqual((suite.tag, suite.get("tests"), suite.get("failures")), ("testsuite", "1", "1"))
        failure, = suite.iter("failure")
        self.assertEqual(failure.get("type"), "data-race")
        self.assertIn("saxpy.cu:8", failure.get("message"))
        np.save(self.folder / "x.npy", np.zeros(1000, "float32"))
        self.assertEqual(self.saxpy("check", "--junit", "clean.xml").returncode, 0)
        suite = ElementTree.parse(self.folder / "clean.xml").getroot()
        self.assertEqual((suite.get("failures"), list(suite.iter("failure"))), ("0", []))
        self.assertEqual(self.saxpy("check", "--junit", "error.xml", "-D", "SCALE=)").returncode, 2)
        suite = ElementTree.parse(self.folder / "error.xml").getroot()
        self.assertEqual((suite.get("failures"), suite.get("errors")), ("0", "1"))
        error, = suite.iter("error")
        done = self.saxpy("check", "--junit", self.folder / "nowhere" / "report.xml")
        self.assertEqual((done.returncode, done.stdout, len(done.stderr.splitlines())), (2, "", 1))
        self.assertIn("saxpy.cu:4:", error.get("message"))

    def test_names_and_sources_that_are_no_utf8(self):
        """Every report is well-formed, and a baseline knows what it tells."""
        name = b"g\xff \xe2\x82.cu"
        (self.folder / os.fsdecode(name)).write_bytes(
            b"// \xfe\xff \xed\xa0\x80 \xef\xbf\xbe \xf0\x9f\x98\x80\n__global__ void k(float* x) {\n"
            b"  if (threadIdx.x < 63) x[threadIdx.x] = x[threadIdx.x + 1];  // \xc3\n}\n"
            b"int main() {\n  float* x;\n  cudaMalloc(&x, 256);\n  cudaMemset(x, 0, 256);\n  k<<<1, 64>>>(x);\n  cudaFree(x);\n}\n")
        seen = "g\ufffd \ufffd.cu"
        kernel = ("--kernel", "k", "--grid", 1, "--block", 64, "--arg", "f32[64]=arange")
        for flags in (kernel, ()):
            words = ("check", os.fsdecode(name), *flags, "--profile", "--stats", "--junit", "r.xml", "--html", "r.html", "--sarif", "r.sarif")
            done = self.run_in_folder(*words, "--json", "--report", "r.json")
            self.assertEqual(done.returncode, 1, done.stderr)
            json.loads(done.stderr)
            report = json.loads((self.folder / "r.json").read_text("utf-8"))
            self.assertEqual((report["source"], report["findings"][0]["places"][0]["file"]), (seen, seen))
            suite = ElementTree.parse(self.folder / "r.xml").getroot()
            self.assertEqual({case.get("classname") for case in suite.iter("testcase")}, {seen})
            page = ElementTree.fromstring((self.folder / "r.html").read_text("utf-8").removeprefix("<!DOCTYPE html>"))
            self.assertIn(seen, "".join(page.find("head/title").itertext()))
            if flags:
                self.assertIn("// \ufffd\ufffd \ufffd\ufffd\ufffd \ufffd \U0001f600", "".join(page.find(".//pre").itertext()))
            result, = json.loads((self.folder / "r.sarif").read_text("utf-8"))["runs"][0]["results"]
            self.assertIn(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], ("g%FF%20%E2%82.cu", "g%EF%BF%BD%20%EF%BF%BD.cu"))
            done = self.run_in_folder("check", os.fsdecode(name), *flags, "--baseline", "r.json", "--json")
            self.assertEqual((done.returncode, json.loads(done.stdout)["known"]), (0, 1), done.stderr)
        # Not compiled at all.
        (self.folder / "bad.cu").write_bytes(b"__global__ void k() { \xff; }\n")
        done = subprocess.run([HEDDLE, "check", "bad.cu", "--kernel", "k", "--grid", "1", "--block", "1", "--json", "--junit", "r.xml"],
                              cwd=self.folder, capture_output=True, timeout=300, env=self.environment)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(json.loads(done.stdout)["verdict"], "error")
        self.assertEqual(ElementTree.parse(self.folder / "r.xml").getroot().get("errors"), "1")

    def test_cores(self):
        """Blocks on one core and on several: the same values, the same races."""
        def report(target):
            done = self.run_in_folder("check", "saxpy.cu", "--kernel", "shifted", "--grid", 100, "--block", 128, "-I",
                                      "include", "--arg", "i32:12800", "--arg", "f32[12800]=arange", "--json", "--target",
                                      target)
            self.assertEqual((done.returncode, done.stderr), (1, ""))
            return [(f["kind"], [(p["file"], p["line"]) for p in f["places"]]) for f in json.loads(done.stdout)["findings"]]

        self.assertEqual(report("serial"), [("data-race", [("saxpy.cu", 8)] * 2)])
        self.assertEqual(report("serial"), report("parallel:3"))
        # Races between blocks alone, which run on different cores.
        (self.folder / "between.cu").write_text("__global__ void last_to_first(int* x) {\n"
                                                "  if (threadIdx.x < 64) x[blockIdx.x * 64 + threadIdx.x] = 1;\n"
                                                "  else x[(blockIdx.x * 64 + threadIdx.x + 3136) % 6400] = 2;\n}\n")
        for target in ("serial", "parallel:2", "parallel:5"):
            done = self.run_in_folder("check", "between.cu", "--kernel", "last_to_first", "--grid", 100, "--block", 128,
                                      "--arg", "i32[6400]", "--json", "--target", target)
            findings = json.loads(done.stdout)["findings"]
            self.assertEqual([(f["kind"], sorted(p["line"] for p in f["places"])) for f in findings], [("data-race", [2, 3])])
            blocks = {p["block"][0] for p in findings[0]["places"]}
            self.assertEqual(len(blocks), 2)

        x = np.linspace(-3, 5, 100_000, dtype="float32")
        np.save(self.folder / "x.npy", x)
        for target in ("serial", "parallel:4"):
            done = self.run_in_folder("run", "saxpy.cu", "--kernel", "saxpy", "--grid", 800, "--block", 128, "-I", "include",
                                      "--arg", "i32:100000", "--arg", "f32:2", "--arg", "f32[]=x.npy", "--arg",
                                      "f32[100000]=arange:out=y.npy", "--target", target)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            np.testing.assert_array_equal(np.load(self.folder / "y.npy"), 2 * x + np.arange(100_000, dtype="float32"))

    def test_cannot_run(self):
        """Exit status 2 of check, 1 of run unless the arguments are wrong, and a message."""
        np.save(self.folder / "x.npy", np.zeros(1000, "float32"))
        (self.folder / "broken.cu").write_text("__global__ void k(int* x) {\n  x[0] = ;\n}\n")
        of_shifted = ["saxpy.cu", "--kernel", "shifted", "-I", "include", "--arg"]
        for arguments, message in (
                (["missing.cu", "--kernel", "k"], "missing.cu: cannot be read: No such file or directory"),
                (["broken.cu", "--kernel", "k"], "broken.cu:2:"),
                (["saxpy.cu", "--kernel", "nobody", "-I", "include"], "the file has saxpy, shifted, types"),
                (["saxpy.cu", "--kernel", "saxpy"], "scale.h"),
                (["saxpy.cu", "--kernel", "shifted", "-I", "include", "--arg", "i32:1"], "takes 2 arguments, and 1 was given"),
                (["saxpy.cu", "--kernel", "shifted", "-I", "include", "--arg", "i32:x"], "'x' is no number"),
                (["saxpy.cu", "--kernel", "shifted", "-I", "include", "--arg", "i32:3000000000"], "beyond its type"),
                (["saxpy.cu", "--kernel", "shifted", "-I", "include", "--arg", "f99:1"], "'f99' is no type"),
                (["saxpy.cu", "--kernel", "shifted", "-I", "include", "--arg", "f32[3"], "']' is missing"),
                (["saxpy.cu", "--kernel", "shifted", "-I", "include", "--arg", "f32[]=zeros"], "number of elements is missing"),
                (["saxpy.cu", "--kernel", "shifted", "-I", "include", "--arg", "bool:maybe"], "'maybe' is no truth value (true and false are)"),
                (["saxpy.cu", "--kernel", "shifted", "-I", "include", "--arg", "i32"], "a number is 'i32:VALUE', an array 'i32[COUNT]=zeros'"),
                (["saxpy.cu", "--kernel", "shifted", "-I", "include", "--arg", "i32[2305843009213693952]=zeros"], "elements are too many"),
                (["saxpy.cu", "--kernel", "shifted", "-I", "include", "--arg", "f32[4]zeros"], "'zeros' is not understood"),
                (["saxpy.cu", "--kernel", "shifted", "-I", "include", "--arg", "f32[9]=ones"], "'ones' is neither"),
                ([*of_shifted, "i32:1", "--arg", "f64[3]=zeros"], "argument 2 (x): the kernel takes a pointer to f32, and an array of f64 was"),
                ([*of_shifted, "f32:1", "--arg", "f32[3]=zeros"], "argument 1 (n): the kernel takes i32, and f32 was given"),
                ([*of_shifted, "i32[1]=zeros", "--arg", "f32[3]=zeros"], "the kernel takes a number, i32, and an array was given"),
                ([*of_shifted, "i32:1", "--arg", "f32:3"], "the kernel takes a pointer to f32, and a number was given"),
                (["saxpy.cu", "--kernel", "shifted", "-I", "include", "--arg", "f32[9]=x.npy"], "x.npy has 1000 elements")):
            for command, status in (("check", 2), ("run", 2 if "--arg" in arguments else 1)):
                done = self.run_in_folder(command, *arguments, "--grid", 1, "--block", 1)
                self.assertEqual((done.returncode, done.stdout), (status, ""), arguments)
                self.assertIn(message, done.stderr)
                self.assertTrue(done.stderr.startswith(f"heddle {command}: "), done.stderr)

    def test_structures(self):
        """Members lie as C++ lays them out; a vector has as many as components."""
        (self.folder / "structures.cu").write_text(
            "struct mixed { char a; double b; int c; };\n"
            "__global__ void members(mixed m, float3 v, short2 s, double* out) {\n"
            "  out[0] = m.a, out[1] = m.b, out[2] = m.c, out[3] = v.x + 10 * v.y + 100 * v.z, out[4] = s.y;\n}\n")

        def members(command, *arguments):
            words = [word for a in arguments for word in ("--arg", a)]
            return self.run_in_folder(command, "structures.cu", "--kernel", "members", "--grid", 1, "--block", 1, *words,
                                      "--arg", "f64[5]=zeros:out=members.npy")
        for command in ("run", "check"):
            done = members(command, "i8:-3,f64:0.5,i32:7", "f32:1,2,3", "i16:4,5")
            self.assertEqual((done.returncode, done.stdout), (0, ""))
            np.testing.assert_array_equal(np.load(self.folder / "members.npy"), [-3, 0.5, 7, 321, 5])
        for wrong, message in (("i8:-3,f64:0.5", "argument 1 (m): the kernel takes mixed (24 bytes), and 2 numbers of 16 bytes were given"),
                               ("i32:7", "mixed (24 bytes), and i32 was given (TYPE:VALUE,TYPE:VALUE,... gives its members)"),
                               ("i8:1,", "'' is no number of its type")):
            self.assertIn(message, members("check", wrong, "f32:1,2,3", "i16:4,5").stderr)
        self.assertIn("argument 2 (v): the kernel takes 3 of f32, and 2 numbers of 8 bytes were given",
                      members("check", "i8:-3,f64:0.5,i32:7", "f32:1,2", "i16:4,5").stderr)

    def test_halves_in_files(self):
        """They are float32 there; what is read is rounded once, to the nearest."""
        (self.folder / "halves.cu").write_text("__global__ void doubled(half* x) { x[threadIdx.x] = x[threadIdx.x] + x[threadIdx.x]; }\n")
        values = np.array([1, -0.5, 65504, 1e-7, 1 + 2.0 ** -11 + 2.0 ** -40, 1 + 2.0 ** -11])
        np.save(self.folder / "values.npy", values)
        for command in ("run", "check"):
            done = self.run_in_folder(command, "halves.cu", "--kernel", "doubled", "--grid", 1, "--block", 6,
                                      "--arg", "f16[]=values.npy:out=twice.npy")
            self.assertEqual((done.returncode, done.stdout), (0, ""))
            twice = np.load(self.folder / "twice.npy")
            self.assertEqual(twice.dtype, np.float32)
            with np.errstate(over="ignore"):
                halves = values.astype(np.float16)
                np.testing.assert_array_equal(twice, (halves + halves).astype(np.float32))

    def test_pointers_to_structures(self):
        """Any array of whole ones; they are called as the source does."""
        (self.folder / "particles.cu").write_text(
            "struct particle { float x[3], mass; int kind; };\n"
            "__global__ void move(particle* p, void* kinds, int n) {\n"
            "  const int i = threadIdx.x;\n"
            "  if (i <= n) p[i].x[0] += 2;\n"
            "  if (i < n) static_cast<int*>(kinds)[i] = p[i].kind;\n}\n")

        def moved(command, numbers, n):
            return self.run_in_folder(command, "particles.cu", "--kernel", "move", "--grid", 1, "--block", 32, "--arg",
                                      f"f32[{numbers}]=zeros:out=p.npy", "--arg", "i32[32]=zeros", "--arg", f"i32:{n}")
        for command in ("run", "check"):
            (self.folder / "p.npy").unlink(missing_ok=True)
            done = moved(command, 100, 19)
            self.assertEqual((done.returncode, done.stdout), (0, ""))
            np.testing.assert_array_equal(np.load(self.folder / "p.npy"), np.tile([2, 0, 0, 0, 0], 20))
            done = moved(command, 99, 19)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("argument 1 (p): 396 bytes are no whole number of elements of 20 bytes", done.stderr)
        self.assertIn("out of bounds: p[20] (particle[20])", moved("check", 100, 20).stderr)

    def test_run_is_given_up(self):
        (self.folder / "spin.cu").write_text("__global__ void spin(volatile int* x) {\n  while (*x == 0) {\n  }\n}\n")
        flags = ("spin.cu", "--kernel", "spin", "--grid", 1, "--block", 1, "--timeout", 0.2, "--arg")
        done = self.run_in_folder("run", *flags, "i32[1]=zeros:out=spun.npy")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertTrue(done.stderr.startswith("heddle run: spin has not ended after 0.2 s"), done.stderr)
        self.assertFalse((self.folder / "spun.npy").exists())
        self.assertEqual(self.run_in_folder("run", *flags, "i32[1]=random:1").returncode, 0)

    def test_faults_of_run(self):
        """What the system ends processes for is one line and a status, with nothing written; with more threads, too."""
        (self.folder / "faults.cu").write_text(
            "__global__ void far(int* x, long long by) { x[threadIdx.x + by] = 1; }\n"
            "__device__ int deep(int by) {\n  volatile int a[64];\n  a[by & 63] = by;\n"
            "  return by < 0 ? 0 : deep(by + 1) + a[by & 63];\n}\n"
            "__global__ void deepens(int* x, long long by) { x[0] = deep(static_cast<int>(by)); }\n"
            "__global__ void divides(int* x, long long by) { x[0] = x[1] / static_cast<int>(by); }\n")
        for kernel, by, grid, what in (("far", 1 << 30, 1, "memory was accessed that belongs to nobody"),
                                       ("far", 1 << 30, 800, "memory was accessed that belongs to nobody"),
                                       ("deepens", 0, 800, "memory was accessed that belongs to nobody"),
                                       ("divides", 0, 1, "an integer was divided by 0")):
            flags = ("faults.cu", "--kernel", kernel, "--grid", grid, "--block", 32, "--target", "parallel:2",
                     "--arg", "i32[4]=zeros:out=left.npy", "--arg", f"i64:{by}")
            done = self.run_in_folder("run", *flags)
            self.assertEqual((done.returncode, done.stdout, done.stderr),
                             (1, "", f"heddle run: {kernel}: {what}: heddle check names the place\n"))
            self.assertFalse((self.folder / "left.npy").exists())

    def test_memory_that_is_not_there(self):
        for command, status in (("check", 2), ("run", 1)):
            done = self.run_in_folder(command, "saxpy.cu", "--kernel", "shifted", "-I", "include", "--grid", 1, "--block", 1,
                                      "--arg", "i32:1", "--arg", "f32[9000000000000000]=zeros")
            self.assertEqual((done.returncode, done.stdout), (status, ""))
            self.assertRegex(done.stderr, fr"^heddle {command}: argument 'f32\[9000000000000000\]=zeros': out of memory "
                                          r"\(needs 33527612\.7 GiB; the machine has \d+\.\d [MG]iB\)\n$")

    def test_functions_are_called_as_they_are_written(self):
        (self.folder / "named.cu").write_text("namespace inner {\ntemplate <class T, int N>\n"
                                              "__global__ void shift(T* x) { x[threadIdx.x] = x[threadIdx.x + N]; }\n}\n")
        done = self.run_in_folder("check", "named.cu", "--kernel", "shift<double, 1>", "--grid", 1, "--block", 4, "--arg", "f64[8]=zeros")
        self.assertIn("writes at named.cu:3 in inner::shift<double, 1>\n", done.stderr)

    def test_errors_of_the_compiler(self):
        """They have the columns of the file, whatever was rewritten on its lines, and show these."""
        lines = ["#define SQUARE(x) ((x) * (x) + missing)",
                 "__device__   float   twice(float  a) { return 2 * a; }",
                 "__global__ void wrong(float*    x) {",
                 "  __shared__ float  tile[32];  tile[threadIdx.x] = undefined;  __syncthreads();",
                 "\tx[threadIdx.x] =   SQUARE(tile[0])   + other;",
                 "  int i = blockIdx.x * blockDim.x + threadIdx.x; x[i] = twice(1, 2);",
                 "  /* größer als 1 µm */ x[i] = absent;", "}"]
        (self.folder / "wrong.cu").write_text("\n".join(lines))
        for compiler in ("g++", "clang++"):
            if not shutil.which(compiler):
                continue
            done = self.run_in_folder("run", "wrong.cu", "--kernel", "wrong", "--grid", 1, "--block", 1, "--arg", "f32[1]",
                                      environment=dict(self.environment, CXX=compiler))
            self.assertEqual(done.returncode, 1)
            for line, at in ((4, "undefined"), (5, "SQUARE"), (5, "other"), (7, "absent"),
                             (6, "twice" if compiler == "clang++" else "(1, 2)")):
                column = lines[line - 1].index(at)
                below = "".join(c if c == "\t" else " " for c in lines[line - 1][:column])
                byte = len(lines[line - 1][:column].encode()) + 1
                self.assertRegex(done.stderr, rf"(?m)^wrong.cu:{line}:{byte}: error: .*\n +{line} \| {re.escape(lines[line - 1])}\n"
                                              rf" +\| {re.escape(below)}\^$")
            self.assertRegex(done.stderr, r"(?m)^wrong.cu:2:22: note: ")

    @unittest.skipUnless(shutil.which("clang++"), "g++ gives no columns of long lines")
    def test_errors_on_a_long_line(self):
        """They take no memory by the square of its tokens; where macros are far apart, the column is the compiler's own."""
        numbers = "1, " * 20_000
        for begin, end, is_own in (("ONE, ", "absent", True), ("ONE, absent, ", "ONE", False)):
            line = f"__device__ const int x[] = {{{begin}{numbers}{end}}};"
            (self.folder / "long.cu").write_text(f"#define ONE (1)\n{line}\n__global__ void k() {{}}\n")
            done = subprocess.run([HEDDLE, "run", "long.cu", "--kernel", "k", "--grid", "1", "--block", "1"], cwd=self.folder, text=True,
                                  capture_output=True, timeout=300, env=dict(self.environment, CXX="clang++"),
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30)))
            self.assertEqual(done.returncode, 1)
            column = line.index("absent") + 1
            if is_own:
                self.assertIn(f"long.cu:2:{column}: error: ", done.stderr)
            else:
                self.assertRegex(done.stderr, r"long.cu:2:\d+: error: .*absent")

    def test_wrong_usage(self):
        for flags in (["--grid", 1], ["--grid", 0, "--block", 1], ["--grid", "1,2,3,4", "--block", 1],
                      ["--grid", "x", "--block", 1], ["--grid", 1, "--block", 1, "--schedules", 0]):
            self.assertEqual(self.run_in_folder("check", "saxpy.cu", "--kernel", "saxpy", *flags).returncode, 2)
        for words, said in ((["saxpy.cu", "--kernel", "saxpy", "--grid", 1, "--block", 1, "--kernel-filter", "s"],
                             "--kernel-filter and --launches are for programs"), ([], "FILE.cu is required")):
            done = self.run_in_folder("check", *words)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(said, done.stderr)

    def test_too_many_blocks(self):
        """A product of blocks and schedules that 64 bits do not hold, too."""
        for grid, schedules, blocks, most in (("70000,65535", 1, "4587450000", 4294901759), ("1073741824,32768,1024", 512, "36028797018963968", 8388479)):
            done = self.run_in_folder("check", "saxpy.cu", "--kernel", "shifted", "--grid", grid, "--block", 1, "-I", "include", "--arg", "i32:0",
                                      "--arg", "f32[1]=zeros", "--schedules", schedules)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertEqual(done.stderr, f"heddle check: {blocks} blocks under {schedules} schedule{'s' * (schedules > 1)} are more than can be checked: "
                                          f"at most {most}\n")

    def test_cache(self):
        """A second run starts no compiler; a changed header does, and so do other options."""
        np.save(self.folder / "x.npy", np.ones(1000, "float32"))

        def is_compiled(*flags):
            line = json.loads(self.saxpy("run", "--stats", *flags).stderr)
            return not line["cached"], np.load(self.folder / "y.npy")[0]

        self.assertEqual(is_compiled(), (True, 2))
        self.assertEqual(is_compiled(), (False, 2))
        self.assertEqual(is_compiled("-D", "SCALE=5"), (True, 10))
        (self.folder / "include" / "scale.h").write_text("#define SCALE 4\n")
        self.assertEqual(is_compiled(), (True, 8))
        self.assertEqual(is_compiled(), (False, 8))
        # Nothing that can be started is needed any more.
        compilerless = dict(self.environment, PATH=str(self.folder))
        compiler = self.folder / "g++"
        compiler.write_text("#!/bin/sh\nexit 1\n")
        compiler.chmod(0o755)
        self.assertEqual(self.saxpy("run", environment=compilerless).returncode, 1)
        compiler.unlink()
        message = self.saxpy("run", environment=compilerless).stderr
        self.assertIn("there is none: install g++ or clang++", message)

    def test_processes_fill_the_cache_at_once(self):
        np.save(self.folder / "x.npy", np.ones(1000, "float32"))
        command = [HEDDLE, "run", "saxpy.cu", "--kernel", "saxpy", "--grid", "8", "--block", "128", "-I", "include", "--arg",
                   "i32:1000", "--arg", "f32:2", "--arg", "f32[]=x.npy", "--arg", "f32[1000]=zeros"]
        running = [subprocess.Popen(command, cwd=self.folder, env=self.environment, stderr=subprocess.PIPE) for _ in range(4)]
        for process in running:
            self.assertEqual((process.communicate(timeout=300)[1], process.returncode), (b"", 0))
        kept = sorted(p.suffix for p in (self.folder / "cache" / "heddle" / "kernels").iterdir())
        self.assertEqual(kept, [".json", ".so"])


if __name__ == "__main__":
    unittest.main()
