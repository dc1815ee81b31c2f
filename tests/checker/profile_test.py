#!/usr/bin/env python3
"""heddle check --profile against what can be worked out by hand."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

HEDDLE = os.environ["HEDDLE"]
SOURCE = pathlib.Path(__file__).parent / "kernels" / "profiled.cu"
LINES = {label: number for number, line in enumerate(SOURCE.read_text().splitlines(), 1) for label in re.findall(r"// @(\w+)", line)}


# clang++ accesses vectors by their components, and does without many branches and loops.
of_gcc = unittest.skipIf("clang" in os.environ.get("CXX", ""), "another compiler makes other code")


class ProfileTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        shutil.copy(SOURCE, cls.folder.name)
        cls.environment = dict(os.environ, XDG_CACHE_HOME=os.environ.get("HEDDLE_TEST_CACHE", cls.folder.name + "/cache"))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def run_check(self, kernel, *arguments, block=32, grid=1, flags=("--json",), status=0):
        command = [HEDDLE, "check", SOURCE.name, "--kernel", kernel, "--grid", str(grid), "--block", str(block), "--schedules", "1",
                   "--profile", *flags]
        for argument in arguments:
            command += ["--arg", argument]
        done = subprocess.run(command, cwd=self.folder.name, capture_output=True, text=True, timeout=100, env=self.environment)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout if "--json" in flags else done.stderr

    def profile(self, kernel, *arguments, **how):
        report = json.loads(self.run_check(kernel, *arguments, **how))
        lines = {line["line"]: line for line in report["profile"]}
        self.assertEqual({line["file"] for line in report["profile"]}, {"profiled.cu"})
        return {label: lines[number] for label, number in LINES.items() if number in lines}

    def global_traffic(self, line):
        t = line["global"]
        self.assertAlmostEqual(t["efficiency"], t["fewest"] / t["sectors"])
        return t["requests"], t["bytes"], t["sectors"], t["fewest"]

    def shared_traffic(self, line):
        t = line["shared"]
        return t["requests"], t["rounds"], t["fewest"], t["worst"]

    def test_strides(self):
        """A sector holds 8 floats, so a warp's floats k apart lie in 4k of them, or each in one of its own."""
        for step in (1, 2, 3, 4, 8, 9, 50):
            line = self.profile("strided", "f32[2000]", f"i32:{step}", "i32:0")["strided"]
            self.assertEqual(self.global_traffic(line), (1, 128, min(32, 4 * step), 4))
            self.assertEqual(line["function"], "strided")
            self.assertNotIn("branches", line)

    def test_misaligned(self):
        for first, sectors in ((1, 5), (7, 5), (8, 4), (32, 4)):
            line = self.profile("strided", "f32[2000]", "i32:1", f"i32:{first}")["strided"]
            self.assertEqual(self.global_traffic(line), (1, 128, sectors, 4))

    def test_structures_of_arrays(self):
        """The read takes a sector for two structures of 16 bytes, or for eight floats; the write 4."""
        self.assertEqual(self.global_traffic(self.profile("of_structures", "f32[128]=zeros", "f32[32]")["of_structures"]), (2, 256, 16 + 4, 8))
        self.assertEqual(self.global_traffic(self.profile("of_arrays", "f32[32]=zeros", "f32[32]")["of_arrays"]), (2, 256, 8, 8))

    def test_broadcasts(self):
        lines = self.profile("broadcast", "f32[32]=zeros", "f32[32]")
        self.assertEqual(self.global_traffic(lines["one"]), (1, 128, 1, 1))
        self.assertEqual(self.shared_traffic(lines["other"]), (1, 1, 1, 1))
        self.assertEqual(self.shared_traffic(lines["pair"]), (1, 1, 1, 1))

    @of_gcc
    def test_words_of_8_and_16_bytes(self):
        lines = self.profile("vectors", "f32[128]=zeros", "f64[32]=zeros", "f32[128]")
        self.assertEqual(self.global_traffic(lines["fours"]), (1, 512, 16, 16))
        self.assertEqual(self.global_traffic(lines["twos"]), (1, 256, 8, 8))
        self.assertEqual(self.global_traffic(lines["out"]), (1, 512, 16, 16))
        # A structure of 12 bytes takes three accesses of 4: the warp's 384 bytes are 12 sectors, each time.
        self.assertEqual(self.global_traffic(self.profile("structures", "f32[96]=zeros", "f32[96]")["threes"]), (6, 768, 72, 24))

    def test_bank_conflicts(self):
        lines = self.profile("tile", "f32[32]", "i32:1")
        self.assertEqual(self.shared_traffic(lines["column"]), (1, 32, 1, 32))
        self.assertEqual(self.shared_traffic(lines["padded"]), (1, 1, 1, 1))
        self.assertEqual(self.shared_traffic(lines["row"]), (1, 1, 1, 1))

    @of_gcc
    def test_bank_conflicts_of_wide_words(self):
        """Half a warp's doubles fill the banks once; doubles four apart, of two banks each, fill them four times."""
        for step, rounds in ((1, 2), (2, 4), (4, 8)):
            lines = self.profile("wide_shared", "f64[32]", "f32[128]=zeros", f"i32:{step}")
            self.assertEqual(self.shared_traffic(lines["doubles"]), (1, rounds, 2, rounds // 2))
            self.assertEqual(self.shared_traffic(lines["sixteen"]), (1, 4, 4, 1))

    def test_atomics(self):
        lines = self.profile("tally", "u32[32]")
        self.assertEqual(self.shared_traffic(lines["same"]), (1, 32, 1, 32))
        self.assertEqual(self.shared_traffic(lines["apart"]), (1, 1, 1, 1))

    def branches(self, line):
        b = line["branches"]
        self.assertAlmostEqual(b["idle_share"], b["idle"] / b["lanes"])
        return b["executions"], b["lanes"], b["idle"]

    @of_gcc
    def test_branches(self):
        lines = self.profile("even", "f32[64]", block=64)
        self.assertEqual(self.branches(lines["even"]), (2, 64, 32))
        self.assertEqual(self.branches(lines["odd"]), (2, 64, 32))
        self.assertNotIn("branches", lines["both"])
        self.assertEqual(self.global_traffic(lines["even"]), (2, 128, 8, 4))
        self.assertEqual(self.global_traffic(lines["both"]), (4, 512, 16, 16))

    @of_gcc
    def test_loops(self):
        """Lane i goes round i times: in 31 rounds 31 + 30 + ... + 1 lanes of 32 take part."""
        lines = self.profile("uneven", "i32[1024]=zeros")
        self.assertEqual(self.branches(lines["uneven"]), (31, 31 * 32, 31 * 32 - 31 * 32 // 2))
        self.assertEqual(lines["uneven"]["global"]["requests"], 31)
        self.assertNotIn("branches", lines["after"])
        line = self.profile("nested", "i32[160]=zeros")["nested"]
        self.assertEqual(line["global"]["requests"], 2 * 2 * 5)
        self.assertEqual(line["global"]["bytes"], 2 * 4 * 32 * (3 + 5))
        # Of 5 rounds all lanes go through 3, and half of them through 2.
        self.assertEqual(self.branches(line), (2 * 5, 2 * 5 * 32, 2 * 2 * 16))

    def test_calls(self):
        lines = self.profile("calls", "f32[32]=zeros", "f32[32]")
        self.assertEqual(self.branches(lines["twice"]), (1, 32, 24))
        self.assertEqual(self.global_traffic(lines["twice"]), (1, 32, 1, 1))
        self.assertEqual(self.global_traffic(lines["called"]), (1, 128, 4, 4))

    def test_leaving(self):
        """40 of 64 threads stay; the last warp's other 24 have left and are not idle. A block of 8 fills no warp."""
        line = self.profile("leaves", "f32[40]", "i32:40", grid=2)["inside"]
        self.assertEqual(self.global_traffic(line), (2, 160, 5, 5))
        self.assertNotIn("branches", line)
        self.assertEqual(self.global_traffic(self.profile("leaves", "f32[40]", "i32:40", grid=5, block=8)["inside"]), (5, 160, 5, 5))

    @of_gcc
    def test_branches_without_accesses(self):
        line = self.profile("arithmetic", "f32[32]", "i32:6")["arithmetic"]
        self.assertEqual(line["branches"]["idle"] * 32, line["branches"]["lanes"] * 28)
        self.assertNotIn("global", line)

    def test_constant_memory_is_not_counted(self):
        self.assertEqual(self.global_traffic(self.profile("constants", "f32[32]")["table"]), (1, 128, 4, 4))

    def test_beside_findings(self):
        report = json.loads(self.run_check("racing", "f32[32]", status=1))
        self.assertEqual([f["kind"] for f in report["findings"]], ["data-race"])
        self.assertEqual([line["line"] for line in report["profile"]], [LINES["racing"]])
        self.assertNotIn("profile", json.loads(subprocess.run(
            [HEDDLE, "check", SOURCE.name, "--kernel", "racing", "--grid", "1", "--block", "1", "--arg", "f32[1]", "--json"], check=True,
            cwd=self.folder.name, capture_output=True, text=True, env=self.environment).stdout))

    def test_program(self):
        """A profile for each launch that is written down: those of one place that are alike go together."""
        (pathlib.Path(self.folder.name) / "program.cu").write_text(
            "__global__ void step(float* x, int by) { x[threadIdx.x * by] = 1; }\n"
            "int main() {\n  float* x;\n  cudaMalloc(&x, 4096);\n"
            "  for (int i = 0; i < 3; ++i) step<<<1, 32>>>(x, 8);\n"
            "  step<<<2, 32>>>(x, 1);\n  cudaDeviceSynchronize();\n}\n")
        command = [HEDDLE, "check", "program.cu", "--profile"]
        done = subprocess.run([*command, "--json"], cwd=self.folder.name, capture_output=True, text=True, timeout=100, env=self.environment)
        profiles = json.loads(done.stdout)["profiles"]
        self.assertEqual([(p["what"], p["file"], p["line"], p["function"], p["launches"]) for p in profiles],
                         [("launches step<<<1, 32>>>", "program.cu", 5, "main", 3), ("launches step<<<2, 32>>>", "program.cu", 6, "main", 1)])
        self.assertEqual([[(line["line"], self.global_traffic(line)) for line in p["profile"]] for p in profiles],
                         [[(1, (3, 3 * 128, 3 * 32, 3 * 4))], [(1, (2, 256, 8, 8))]])
        done = subprocess.run(command, cwd=self.folder.name, capture_output=True, text=True, timeout=100, env=self.environment)
        self.assertIn("\nthe host launches step<<<1, 32>>> at program.cu:5 in main, 3 times\n\nglobal memory: ", done.stderr)
        self.assertEqual(done.stderr.count("global memory: "), 2)

    @of_gcc
    def test_tables(self):
        text = self.run_check("tile", "f32[32]", "i32:1", flags=())
        head, memory, shared = text.split("\n\n")
        self.assertTrue(head.startswith("profiled.cu: tile: clean"))
        self.assertTrue(memory.startswith("global memory"))
        rows = shared.splitlines()
        self.assertTrue(rows[0].startswith("shared memory"))
        # The worst line comes first, with a bar as long as what is wasted, and the source.
        self.assertEqual(rows[2].split(), ["1", "128", "32.00", "1.00", "32-way", "#" * 19 + ".", f"profiled.cu:{LINES['column']}",
                                           *"square[threadIdx.x][0] = row; // @column".split()])
        self.assertEqual(rows[3].split()[4:6], ["1-way", "." * 20])
        text = self.run_check("even", "f32[32]", flags=())
        self.assertIn("branches: lanes that wait", text)
        self.assertIn(f" 50.0 %  ##########..........  profiled.cu:{LINES['even']}  ", text)


if __name__ == "__main__":
    unittest.main()
