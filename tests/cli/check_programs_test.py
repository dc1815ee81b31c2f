#!/usr/bin/env python3
"""heddle check of whole programs: what it writes where, and exit statuses. What is found: tests/checker/programs."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

HEDDLE = os.environ["HEDDLE"]

PROGRAM = """\
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
__global__ void shifts(int* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n - 1) x[i] = x[i + 1];
  if (i == 0) printf("from the kernel\\n");
}
int main(int argc, char** argv) {
  int* x;
  cudaMalloc(&x, 64 * sizeof(int));
  cudaMemset(x, 0, 64 * sizeof(int));
  printf("called %s with", argv[0]);
  for (int i = 1; i < argc; ++i) printf(" [%s]", argv[i]);
  printf("\\n");
  const char* const mode = argc > 1 ? argv[1] : "";
  shifts<<<2, 32>>>(x, strcmp(mode, "races") == 0 ? 64 : 1);
  cudaDeviceSynchronize();
  if (strcmp(mode, "echoes") == 0) for (int c; (c = getchar()) != EOF;) putchar(c);
  if (strcmp(mode, "fails") == 0) return 3;
  if (strcmp(mode, "leaves") == 0) {
    cudaFree(x + 1);
    fflush(stdout);
    _exit(0);
  }
  if (strcmp(mode, "vectors") == 0) {
    uchar4* pixels;
    cudaMalloc(&pixels, 10 * sizeof(uchar4));
    cudaMemcpy(pixels, argv, 44, cudaMemcpyHostToDevice);
  }
  if (strcmp(mode, "asks") == 0 || strcmp(mode, "asks_once") == 0) {
    for (int i = 0; i < 2; ++i) {
      shifts<<<1, 2048>>>(x, 1);
      if (i == 0 || strcmp(mode, "asks") == 0) cudaGetLastError();
    }
  }
  if (strcmp(mode, "too_large") == 0) {
    cudaMallocManaged(&x, 4);
    shifts<<<1, 2048>>>(x, 1);
    cudaDeviceSynchronize();
    if (*x == 3) putchar('3');
    abort();
  }
  if (strcmp(mode, "many") == 0) shifts<<<dim3(1 << 30, 32768, 1024), 1>>>(x, 1);
  if (strcmp(mode, "killed") == 0) kill(getpid(), SIGKILL);
  cudaFree(x);
}
"""


class CheckProgramsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        (cls.folder / "program.cu").write_text(PROGRAM)
        cls.environment = dict(os.environ, XDG_CACHE_HOME=str(cls.folder / "cache"))

    def check(self, *arguments, source="program.cu", **options):
        return subprocess.run([HEDDLE, "check", source, *map(str, arguments)], cwd=self.folder, capture_output=True,
                              text=True, timeout=300, env=self.environment, **options)

    def test_clean(self):
        done = self.check("--", "a word", "--json", "-x")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout.splitlines()[:2], ["called program with [a word] [--json] [-x]", "from the kernel"])
        self.assertTrue(done.stdout.splitlines()[2].startswith("program.cu: clean (1 launch, 3 schedules of each, "))

    def test_findings(self):
        done = self.check("--", "races")
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        for text in ("called program with [races]\nfrom the kernel\nprogram.cu:8: data race on x[",
                     "  the host launches shifts<<<2, 32>>> at program.cu:19 in main\n",
                     "  the host allocates x at program.cu:13 in main\n",
                     "program.cu: 1 finding (1 launch, "):
            self.assertIn(text, done.stdout)

    def test_json(self):
        done = self.check("--json", "--seed", 5, "--schedules", 2, "--", "races")
        self.assertEqual((done.returncode, done.stderr), (1, "called program with [races]\nfrom the kernel\n"))
        report = json.loads(done.stdout)
        self.assertEqual((report["source"], report["arguments"], report["verdict"], report["status"], report["launches"],
                          report["schedules"], report["seed"]), ("program.cu", ["races"], "findings", 0, 1, 2, 5))
        race, = report["findings"]
        self.assertEqual((race["kind"], race["variable"]["name"], race["variable"]["extent"], race["variable"]["type"]),
                         ("data-race", "x", 64, "int"))
        self.assertEqual([p["line"] for p in race["places"]], [8, 8, 19, 13])
        self.assertEqual(["thread" in p for p in race["places"]], [True, True, False, False])
        again = json.loads(self.check("--json", "--seed", 5, "--schedules", 2, "--", "races").stdout)
        for one in (report, again):
            del one["seconds"]
        self.assertEqual(report, again)

    def test_junit(self):
        self.assertEqual(self.check("--junit", "report.xml", "--", "races").returncode, 1)
        suite = ElementTree.parse(self.folder / "report.xml").getroot()
        case, = suite.iter("testcase")
        self.assertEqual((suite.get("failures"), case.get("classname"), case.get("name")), ("1", "program.cu", "main"))
        failure, = suite.iter("failure")
        self.assertEqual(failure.get("type"), "data-race")
        self.assertIn("program.cu:8", failure.get("message"))
        self.assertEqual(self.check("--junit", "clean.xml").returncode, 0)
        self.assertEqual(ElementTree.parse(self.folder / "clean.xml").getroot().get("failures"), "0")
        self.assertEqual(self.check("--junit", "error.xml", "-D", "main=other").returncode, 2)
        error, = ElementTree.parse(self.folder / "error.xml").getroot().iter("error")
        self.assertIn("has no main", error.get("message"))

    def test_program_fails(self):
        """What a program says of itself counts, and what was found before it left is not lost."""
        done = self.check("--", "fails")
        self.assertEqual((done.returncode, done.stderr), (1, "heddle check: program.cu ended with exit status 3\n"))
        self.assertIn("the program fails [failed-program]\n  its exit status is 3\n", done.stdout)
        done = self.check("--", "leaves")
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        self.assertIn("program.cu:24: invalid free [invalid-free]", done.stdout)

    def test_launches_that_fail(self):
        """The cause stands before what it leads to, and is not lost with the program."""
        report = json.loads(self.check("--json", "--", "too_large").stdout)
        self.assertEqual([f["kind"] for f in report["findings"]], ["unchecked-error", "uninitialised-read", "failed-program"])
        self.assertEqual(report["findings"][0]["message"], "a launch fails: a block of 2048 threads: it can have at most 1024")
        self.assertEqual(self.check("--", "asks").returncode, 0)
        failure, = json.loads(self.check("--json", "--", "asks_once").stdout)["findings"]
        self.assertEqual((failure["kind"], failure["count"]), ("unchecked-error", 1))

    def test_too_many_blocks(self):
        done = self.check("--schedules", 512, "--", "many")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr, "heddle check: shifts: 36028797018963968 blocks under 512 schedules are more than can be checked: at most 8388479\n")

    def test_vector_types(self):
        self.assertIn("44 bytes to pixels (uchar4[10]), which has 40\n", self.check("--", "vectors").stdout)

    def test_standard_input(self):
        done = self.check("--", "echoes", input="one\ntwo\n")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("from the kernel\none\ntwo\nprogram.cu: clean", done.stdout)

    def test_stats(self):
        line = json.loads(self.check("--stats", "--", "races").stderr)
        self.assertEqual((line["pattern"], line["launches"], line["schedules"]), ("check", 1, 3))
        self.assertGreater(line["accesses"], 0)

    def test_cannot_run(self):
        for arguments, message in ((["--grid", 1], "--grid requires --kernel"),
                                   (["--arg", "i32:1"], "--arg requires --kernel"),
                                   (["--kernel", "shifts", "--grid", 1, "--block", 1, "--", "word"],
                                    "'word': arguments of a program go without --kernel"),
                                   (["--target", "gpu"], "kernels are checked on the CPU"),
                                   (["-D", "mode=3"], "program.cu:18:"),
                                   (["--", "killed"], "the program was ended from outside: Killed")):
            done = self.check(*arguments)
            self.assertEqual(done.returncode, 2, (arguments, done.stdout))
            self.assertIn(message, done.stderr)


if __name__ == "__main__":
    unittest.main()
