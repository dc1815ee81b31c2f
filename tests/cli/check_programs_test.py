#!/usr/bin/env python3
"""heddle check of whole programs: what it writes where, and exit statuses. What is found: tests/checker/programs."""
import json
import os
import pathlib
import re
import shutil
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
        self.assertEqual((done.returncode, done.stdout),
                         (0, "called program with [a word] [--json] [-x]\nfrom the kernel\n"))
        self.assertTrue(done.stderr.startswith("program.cu: clean (1 launch, 3 schedules of each, "), done.stderr)

    def test_findings(self):
        done = self.check("--", "races")
        self.assertEqual((done.returncode, done.stdout), (1, "called program with [races]\nfrom the kernel\n"))
        for text in ("program.cu:8: data race on x[",
                     "  the host launches shifts<<<2, 32>>> at program.cu:19 in main\n",
                     "  the host allocates x at program.cu:13 in main\n",
                     "program.cu: 1 finding (1 launch, "):
            self.assertIn(text, done.stderr)

    def test_report_and_statuses(self):
        """The findings in a file, the status that is asked for, and the program's own where nothing is found."""
        done = self.check("--report", "report.txt", "--error-exitcode", 42, "--", "races")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (42, "called program with [races]\nfrom the kernel\n", ""))
        self.assertIn("program.cu:8: data race on x[", (self.folder / "report.txt").read_text())
        done = self.check("--report", "report.json", "--json", "--", "races")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (1, "called program with [races]\nfrom the kernel\n", ""))
        self.assertEqual(json.loads((self.folder / "report.json").read_text())["findings"][0]["level"], "error")
        self.assertEqual(self.check("--fail-on", "note", "--", "fails").returncode, 1)

    def test_html(self):
        """Each place has its line marked in its source, and its thread and block in the drawings, whose cells are in order."""
        self.assertEqual(self.check("--html", "report.html", "--", "races").returncode, 1)
        text = (self.folder / "report.html").read_text()
        page = ElementTree.fromstring(text.removeprefix("<!DOCTYPE html>"))
        self.assertNotIn("script", [element.tag for element in page.iter()])
        section, = page.findall(".//section")
        self.assertIn("data race on x[", "".join(section.find("h2").itertext()))
        self.assertEqual(page.find(".//li/a").get("href"), "#" + section.get("id"))
        lines, drawn = PROGRAM.splitlines(), []
        for figure in section.iter("figure"):
            caption = "".join(figure.find("figcaption").itertext())
            here, = figure.findall(".//span[@class='here']")
            number = int(re.search(r"program\.cu:(\d+)", caption)[1])
            self.assertEqual((here.find("i").text, here.find("i").tail), (str(number), lines[number - 1]))
            pictures = figure.findall(".//svg")
            if caption.startswith("the host"):
                self.assertEqual(pictures, [])
                continue
            thread, block = map(int, re.match(r"thread \((\d+),0,0\) of block \((\d+),0,0\)", caption).groups())
            blocks, threads = ([cell.get("class") for cell in picture.iter("rect")] for picture in pictures)
            self.assertEqual((len(blocks), len(threads)), (2, 32))
            self.assertEqual((blocks[block], threads[thread]), (figure.get("class"),) * 2)
            drawn.append((thread, block))
        self.assertEqual(len(drawn), 2)
        self.assertNotEqual(*drawn)
        self.assertEqual(self.check("--html", "report.html").returncode, 0)
        self.assertNotIn("section>", (self.folder / "report.html").read_text())
        self.assertEqual(self.check("--html", "missing/report.html", "--", "races").returncode, 2)

    def test_html_of_many_blocks(self):
        """Of a million blocks those beside the marked ones are drawn, and a source that is gone is said to be."""
        (self.folder / "many.cu").write_text(
            "__global__ void last(int* x) {\n  if (blockIdx.x + 2 < gridDim.x) return;\n  *x = blockIdx.x;\n}\n")
        call = ("--kernel", "last", "--grid", 1 << 20, "--block", 1, "--arg", "i32[1]=zeros", "--html", "many.html", "--schedules", 1)
        self.assertEqual(self.check(*call, source="many.cu").returncode, 1)
        page = ElementTree.fromstring((self.folder / "many.html").read_text().removeprefix("<!DOCTYPE html>"))
        picture = page.find(".//svg")
        self.assertEqual([label.text for label in picture.iter("text")], ["0", "…", str((1 << 20) - 64), str((1 << 20) - 32)])
        marks = [cell.get("class") for cell in picture.iter("rect")]
        self.assertEqual((len(marks), [i for i, mark in enumerate(marks) if mark]), (96, [94, 95]))

    @unittest.skipUnless(shutil.which("clang++"), "g++ shortens the names of headers by itself")
    def test_header_of_another_library(self):
        """A library that a replacement brings along is known where the program includes it, too."""
        (self.folder / "both.cu").write_text(
            "#include <cusolverDn.h>\n#include <cublas_v2.h>\nint main() {\n  cublasHandle_t h;\n  return cublasCreate(&h) + cublasDestroy(h);\n}\n")
        environment = dict(self.environment, CXX="clang++")
        done = subprocess.run([HEDDLE, "check", "both.cu"], cwd=self.folder, capture_output=True, text=True, timeout=300, env=environment)
        self.assertEqual(done.returncode, 3, done.stderr)

    def test_levels(self):
        """A shift is a warning, a write of one value by many a note."""
        (self.folder / "levels.cu").write_text(
            "__global__ void flags(int* x) { *x = 1; }\n__global__ void shifts(int* x, int n) { *x = 1 << n; }\n"
            "int main(int count, char**) {\n  int* x;\n  cudaMalloc(&x, 4);\n  if (count > 1) shifts<<<1, 1>>>(x, 40);\n"
            "  flags<<<1, 32>>>(x);\n  cudaDeviceSynchronize();\n}\n")
        for flags, status, verdict in (([], 0, "clean, 1 note"), (["--fail-on", "note"], 1, "1 finding"), (["--", "shift"], 1, "1 finding, 1 note"),
                                       (["--fail-on", "error", "--", "shift"], 0, "clean, 1 warning, 1 note")):
            done = self.check(*flags, source="levels.cu")
            self.assertEqual((done.returncode, done.stderr.splitlines()[-1].split(": ")[1].split(" (")[0]), (status, verdict), done.stderr)
            self.assertIn("levels.cu:1: note: data race on x[0]", done.stderr)
        self.assertEqual(self.check("--junit", "levels.xml", source="levels.cu").returncode, 0)
        suite = ElementTree.parse(self.folder / "levels.xml").getroot()
        self.assertEqual((suite.get("failures"), len(list(suite.iter("system-out")))), ("0", 1))

    def test_words_behind_the_mark(self):
        """They are the program's, whatever stands before the mark."""
        for flags in (["-I", "."], ["-D", "X"], ["-I.", "-DX=1", "-std=c++17"]):
            done = self.check(*flags, "--", "-h", "--", "-n")
            self.assertEqual((done.returncode, done.stdout.splitlines()[0]), (0, "called program with [-h] [--] [-n]"), flags)

    def test_definitions(self):
        """Whatever a source calls its macros, what it includes of CUDA does not change."""
        (self.folder / "macros.cu").write_text(
            "#include <cooperative_groups.h>\n#include <cuda/atomic>\n#include <cooperative_groups/reduce.h>\n"
            "namespace cg = cooperative_groups;\n"
            "__global__ void sums(int* s) {\n  auto w = cg::tiled_partition<32>(cg::this_thread_block());\n"
            "  const int all = cg::reduce(w, w.shfl_xor(1, 1), cg::plus<int>());\n"
            "  cuda::atomic_ref<int, cuda::thread_scope_device>(*s).fetch_add(all == 32);\n}\n"
            "int main() {\n  int* s;\n  cudaMallocManaged(&s, 4);\n  *s = 0;\n  sums<<<1, 32>>>(s);\n"
            "  cudaDeviceSynchronize();\n  return *s == 32 ? VALUE : 1;\n}\n")
        names = "N T M n x block I A F S size value Size mask".split()
        done = self.check(*(f"-D{name}=7" for name in names if name not in ("x", "size")), "-DVALUE=(N-7)", source="macros.cu")
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        (self.folder / "empty.cu").write_text("int main() { return N - n; }\n")
        done = self.check(*(f"-D{name}=7" for name in names), source="empty.cu")
        self.assertEqual((done.returncode, done.stdout), (3, ""), done.stderr)

    def test_nothing_checked(self):
        """A program that leaves the device alone is not clean; one that only copies is."""
        (self.folder / "nothing.cu").write_text(
            "#include <cstdlib>\n__global__ void k(int* x) { *x = 1; }\nint main(int n, char** w) {\n"
            "  if (n < 2) return 0;\n  int *x, h = 1;\n  cudaMalloc(&x, 4);\n  if (n == 3) return std::atoi(w[2]);\n"
            "  cudaMemcpy(x, &h, 4, cudaMemcpyHostToDevice);\n}\n")
        for words, status, verdict in ((["--"], 3, "nothing checked"), (["--", "a", "0"], 3, "nothing checked"), (["--", "a", "5"], 5, "nothing checked"),
                                       (["--", "a"], 0, "clean")):
            done = self.check(*words, source="nothing.cu")
            self.assertEqual(done.returncode, status, done.stderr)
            self.assertIn(f"nothing.cu: {verdict}", done.stderr)
        done = self.check("--json", source="nothing.cu")
        self.assertEqual((done.returncode, json.loads(done.stdout)["verdict"]), (3, "nothing-checked"))

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
        self.assertEqual(done.returncode, 3)
        self.assertIn("note: the program fails [failed-program]\n  its exit status is 3\n", done.stderr)
        done = self.check("--", "leaves")
        self.assertEqual(done.returncode, 1)
        self.assertIn("program.cu:24: invalid free [invalid-free]", done.stderr)

    def test_launches_that_fail(self):
        """The cause stands before what it leads to, and is not lost with the program."""
        report = json.loads(self.check("--json", "--", "too_large").stdout)
        self.assertEqual([(f["kind"], f["level"]) for f in report["findings"]],
                         [("unchecked-error", "error"), ("uninitialised-read", "note"), ("failed-program", "error")])
        self.assertEqual(report["findings"][0]["message"], "a launch fails: a block of 2048 threads: it can have at most 1024")
        self.assertEqual(self.check("--", "asks").returncode, 0)
        failure, = json.loads(self.check("--json", "--", "asks_once").stdout)["findings"]
        self.assertEqual((failure["kind"], failure["count"]), ("unchecked-error", 1))

    def test_too_many_blocks(self):
        done = self.check("--schedules", 512, "--", "many")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr, "heddle check: shifts: 36028797018963968 blocks under 512 schedules are more than can be checked: at most 8388479\n")

    def test_vector_types(self):
        self.assertIn("44 bytes to pixels (uchar4[10]), which has 40\n", self.check("--", "vectors").stderr)

    def test_standard_input(self):
        done = self.check("--", "echoes", input="one\ntwo\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stdout.endswith("from the kernel\none\ntwo\n"), done.stdout)

    def test_stats(self):
        line = json.loads(self.check("--stats", "--", "races").stderr.splitlines()[0])
        self.assertEqual((line["pattern"], line["launches"], line["schedules"]), ("check", 1, 3))
        self.assertGreater(line["accesses"], 0)

    def test_cannot_run(self):
        for arguments, message in ((["--grid", 1], "--grid requires --kernel"),
                                   (["--arg", "i32:1"], "--arg requires --kernel"),
                                   (["--kernel", "shifts", "--grid", 1, "--block", 1, "--", "word"],
                                    "'word': arguments of a program go without --kernel"),
                                   (["other.cu"], "other.cu: cannot be read"),
                                   (["word"], "'word': no source: what a program is called with follows --"),
                                   (["--target", "gpu"], "kernels are checked on the CPU"),
                                   (["-D", "mode=3"], "program.cu:18:"),
                                   (["--", "killed"], "the program was ended from outside: Killed")):
            done = self.check(*arguments)
            self.assertEqual(done.returncode, 2, (arguments, done.stdout))
            self.assertIn(message, done.stderr)


PARTS = """\
#include <cstdio>
#include <cstdlib>
__global__ void first(int* x, int n, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < rounds; ++k) if (i < n) x[i] = x[i] * 3 + k;
}
__global__ void second(int* x, int* flags, int n, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < rounds; ++k) if (i < n) atomicAdd(&flags[i % 64], k);
  if (i < n - 1) x[i] = x[i + 1];
}
int main(int, char** argv) {
  const int n = atoi(argv[1]), rounds = atoi(argv[2]), launches = atoi(argv[3]);
  int *x, *flags, *y = static_cast<int*>(calloc(n, sizeof(int)));
  cudaMalloc(&x, n * sizeof(int));
  cudaMalloc(&flags, 64 * sizeof(int));
  cudaMemset(flags, 0, 64 * sizeof(int));
  for (int i = 0; i < n; ++i) y[i] = i;
  cudaMemcpy(x, y, n * sizeof(int), cudaMemcpyHostToDevice);
  for (int k = 0; k < launches; ++k) first<<<(n + 31) / 32, 32>>>(x, n, rounds);
  cudaMemcpy(y, x, n * sizeof(int), cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; ++i) {
    int value = i;
    for (int r = 0; r < launches; ++r) for (int k = 0; k < rounds; ++k) value = value * 3 + k;
    if (y[i] != value) return 4;
  }
  if (argc > 4) second<<<(n + 31) / 32, 32>>>(x, flags, n, rounds);
  cudaDeviceSynchronize();
  free(y);
  return 0;
}
""".replace("int main(int,", "int main(int argc,")


class PartOfAProgram(unittest.TestCase):
    """What is watched, what is told, and what a program computes whatever is watched of it."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        pathlib.Path(cls.folder.name, "parts.cu").write_text(PARTS)

    def check(self, *arguments):
        return subprocess.run([HEDDLE, "check", "parts.cu", *map(str, arguments)], cwd=self.folder.name, capture_output=True,
                              text=True)

    def report(self, *arguments, status=0):
        done = self.check("--json", *arguments)
        self.assertEqual(done.returncode, status, done.stderr + done.stdout)
        return json.loads(done.stdout)

    def watched(self, report):
        return report["launches"], report["watched_launches"], report["blocks"], report["watched_blocks"]

    def test_all(self):
        self.assertEqual(self.watched(self.report("--", 640, 1, 3)), (3, 3, 60, 60))

    def test_budget(self):
        report = self.report("--schedules", 1, "--budget", 0.001, "--", 640, 50, 3)
        launches, watched_launches, blocks, watched_blocks = self.watched(report)
        self.assertEqual((launches, blocks), (3, 60))
        self.assertIn(watched_launches, (1, 2, 3))
        # The first two and the last two of the launch that comes first at least, and not all.
        self.assertGreaterEqual(watched_blocks, 4)
        self.assertLess(watched_blocks, 60)
        self.assertIn(f", {watched_blocks} of 60 blocks watched of {watched_launches} launches)", report["summary"])
        # Where there is time for all of it, all is watched.
        self.assertEqual(self.watched(self.report("--budget", 1000, "--", 640, 1, 3)), (3, 3, 60, 60))
        self.assertEqual(self.check("--budget", 0, "--", 64, 1, 1).returncode, 2)

    def test_budget_of_a_kernel(self):
        done = self.check("--json", "--kernel", "first", "--grid", 50, "--block", 32, "--budget", 0.0001, "--target", "serial",
                          "--arg", "i32[1600]=zeros", "--arg", "i32:1600", "--arg", "i32:50")
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(done.stdout)
        self.assertEqual(report["blocks"], 50)
        self.assertIn(report["watched_blocks"], range(4, 50))

    def test_launches(self):
        self.assertEqual(self.watched(self.report("--launches", 2, "--", 640, 1, 3)), (3, 2, 60, 40))
        # Of each kernel.
        self.assertEqual(self.watched(self.report("--launches", 1, "--", 640, 1, 3, "races", status=1)), (4, 2, 80, 40))

    def test_kernel_filter(self):
        self.assertEqual(self.watched(self.report("--kernel-filter", "^fir", "--", 640, 1, 2, "races")), (3, 2, 60, 40))
        report = self.report("--kernel-filter", "second|third", "--", 640, 1, 2, "races", status=1)
        self.assertEqual(self.watched(report), (3, 1, 60, 20))
        self.assertEqual([f["kind"] for f in report["findings"]], ["data-race"])
        done = self.check("--kernel-filter", "(", "--", 64, 1, 1)
        self.assertEqual(done.returncode, 2)
        self.assertIn("heddle check: --kernel-filter '(' is no regular expression", done.stderr)

    def test_threads_of_openmp(self):
        source = pathlib.Path(self.folder.name, "openmp.cu")
        source.write_text("""#include <omp.h>
#include <cstdio>
__global__ void fill(int* x, int what) { x[threadIdx.x] = what; }
int main() {
  int threads = 0, sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : threads, sum)
  {
    int* x;
    const int mine = omp_get_thread_num();
    cudaSetDevice(mine);
    cudaMallocManaged(&x, 32 * sizeof(int));
    fill<<<1, 32>>>(x, 10 + mine);
    cudaDeviceSynchronize();
    threads += 1;
    sum += x[31];
    cudaFree(x);
  }
  std::printf("%d %d\\n", threads, sum);
}
""")
        probe = [*os.environ.get("CXX", "g++").split(), "-fopenmp", "-x", "c++", "-", "-o", os.devnull]
        if subprocess.run(probe, input=b"int main() {}", capture_output=True).returncode != 0:
            self.skipTest("the compiler has no OpenMP")
        done = subprocess.run([HEDDLE, "check", source.name, "-fopenmp", "--devices", "2"], cwd=self.folder.name,
                              capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, "2 21\n"), done.stderr)
        self.assertIn("openmp.cu: clean (2 launches", done.stderr)

    def test_devices(self):
        for arguments, text in ((("--devices", 0), "--devices"), (("--devices", 65), "--devices"),
                                (("--devices", 2, "--kernel", "first", "--grid", 1, "--block", 32),
                                 "heddle check: --devices is for programs: a kernel alone runs on one")):
            done = self.check(*arguments)
            self.assertEqual(done.returncode, 2)
            self.assertIn(text, done.stderr)

    def test_schedules_at_once(self):
        # Long enough for processes of their own.
        runs = [self.report("--target", target, "--", 6400, 150, 1, "races", status=1) for target in ("serial", "parallel:2")]
        for report in runs:
            self.assertEqual(report["accesses"], runs[0]["accesses"])
            self.assertEqual([(f["kind"], f["count"], f["level"], f["text"]) for f in report["findings"]],
                             [(f["kind"], f["count"], f["level"], f["text"]) for f in runs[0]["findings"]])

    def peak_bytes(self, *arguments):
        """Of a check whose program is compiled already."""
        process = subprocess.Popen([HEDDLE, "check", "parts.cu", "--schedules", "1", "--", *map(str, arguments)],
                                   cwd=self.folder.name, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 0)
        return usage.ru_maxrss * 1024

    def test_memory(self):
        self.check("--", 64, 1, 1)
        # The host's and the device's numbers, notes on the host's, and four bytes of history for each of the device's.
        elements = 1 << 21
        self.assertLess(self.peak_bytes(elements, 1, 1) - self.peak_bytes(64, 1, 1), elements * 4 * (2 + 4 + 1))

    def test_suppressions(self):
        for text, is_suppressed in (("data-race\n", True), ("# all\n* parts.cu\n", True), ("data-race *.cu sec*  # both\n", True),
                                    ("data-race parts.cu first\n", False), ("out-of-bounds\n", False)):
            report = self.report("--suppressions", self.written(text), "--", 64, 1, 1, "races", status=0 if is_suppressed else 1)
            self.assertEqual((report["suppressed"], len(report["findings"])), (1, 0) if is_suppressed else (0, 1), text)
        self.assertIn(": clean, 1 suppressed (", self.report("--suppressions", self.written("data-race\n"), "--", 64, 1, 1, "races")["summary"])
        for text, message in (("race\n", "known.txt:1: 'race' is no kind of finding"),
                              ("\ndata-race a b c\n", "known.txt:2: 'c': a kind, a file and a function are a line")):
            done = self.check("--suppressions", self.written(text), "--", 64, 1, 1)
            self.assertEqual(done.returncode, 2)
            self.assertIn(message, done.stderr)

    def written(self, text, name="known.txt"):
        pathlib.Path(self.folder.name, name).write_text(text)
        return name

    def test_baseline(self):
        self.assertEqual(self.check("--json", "--report", "before.json", "--", 64, 1, 1, "races").returncode, 1)
        # Lines may move.
        moved = pathlib.Path(self.folder.name, "parts.cu")
        moved.write_text("// moved\n\n" + PARTS)
        self.addCleanup(moved.write_text, PARTS)
        report = self.report("--baseline", "before.json", "--", 64, 1, 1, "races")
        self.assertEqual((report["verdict"], report["known"], report["findings"]), ("clean", 1, []))
        moved.write_text(PARTS.replace("if (i < n) x[i] = x[i] * 3 + k", "if (i < n + 1) x[i] = x[i] * 3 + k"))
        report = self.report("--baseline", "before.json", "--", 65, 1, 1, "races", status=1)
        self.assertEqual(report["known"], 1)
        self.assertEqual({f["kind"] for f in report["findings"]}, {"out-of-bounds"})
        done = self.check("--baseline", self.written("[]", "none.json"), "--", 64, 1, 1)
        self.assertEqual(done.returncode, 2)
        self.assertIn("none.json: no report of an earlier check", done.stderr)

    def test_sarif(self):
        self.assertEqual(self.check("--sarif", "found.sarif", "--", 64, 1, 1, "races").returncode, 1)
        log = json.loads(pathlib.Path(self.folder.name, "found.sarif").read_text())
        self.assertEqual(log["version"], "2.1.0")
        run, = log["runs"]
        self.assertEqual([rule["id"] for rule in run["tool"]["driver"]["rules"]], ["data-race"])
        result, = run["results"]
        self.assertEqual((result["ruleId"], result["level"]), ("data-race", "error"))
        at = result["locations"][0]["physicalLocation"]
        self.assertEqual((at["artifactLocation"]["uri"], at["region"]["startLine"]), ("parts.cu", 10))
        launch = next(n for n, line in enumerate(PARTS.splitlines(), 1) if "second<<<" in line)
        self.assertIn(launch, [other["physicalLocation"]["region"]["startLine"] for other in result["relatedLocations"]])
        self.assertTrue(result["message"]["text"].startswith("parts.cu:10: data race on x["))
        self.check("--sarif", "found.sarif", "--", 64, 1, 1)
        self.assertEqual(json.loads(pathlib.Path(self.folder.name, "found.sarif").read_text())["runs"][0]["results"], [])


if __name__ == "__main__":
    unittest.main()
