"""The plugin of pytest: a check that finds something is a test that fails."""

import pathlib
import shutil

import pytest

import heddle

pytest_plugins = ["pytester"]
pytestmark = [pytest.mark.skipif(not (shutil.which("g++") or shutil.which("clang++")), reason="there is no compiler"),
              pytest.mark.skipif(not (pathlib.Path(heddle.__file__).parent / "bin" / "heddle").exists(),
                                 reason="the package was built without the command")]

KERNEL = """#include "n.cuh"
// heddle-check: --kernel fill --grid 2 --block 64 --arg f32[100] --arg i32:100
// heddle-check: --kernel fill --grid 1 --block 64 --arg f32[63] --arg i32:63 --seed 2
__global__ void fill(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n + MORE) x[i] = 1;
}
"""
PROGRAM = """#include <cstdio>
int main() {
  int* x;
  cudaMalloc(&x, 4);
  cudaMemset(x, 0, 4);
  std::puts("has said so");
  cudaFree(x);
  STOP
}
"""


def run(pytester, *options):
    # Without no:hypothesispytest, each run would import Hypothesis again.
    return pytester.runpytest_inprocess("-p", "heddle.pytest_plugin", "-p", "no:cacheprovider", "-p", "no:hypothesispytest", *options)


@pytest.fixture
def kernel(pytester):
    pytester.mkdir("include").joinpath("n.cuh").write_text("")
    pytester.path.joinpath("fill.cu").write_text(KERNEL)
    pytester.makeini("[pytest]\nheddle_check_options = -I include -D MORE=0\n")
    return pytester


def test_lines_of_a_file_are_tests(kernel):
    result = run(kernel, "--heddle-check", "-v")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["fill.cu::fill PASSED*", "fill.cu::fill-1 PASSED*"])


def test_a_finding_is_a_failure(kernel):
    kernel.makeini("[pytest]\nheddle_check_options = -Iinclude -DMORE=1\n")
    result = run(kernel, "--heddle-check")
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["*heddle check fill*", "fill.cu:6: out of bounds: x[[]100] (float[[]100]) [[]out-of-bounds]",
                                 "fill.cu: fill: 1 finding (128 threads, *"])
    assert "Traceback" not in result.stdout.str()


def test_a_check_that_cannot_run_is_a_failure(kernel):
    kernel.path.joinpath("fill.cu").write_text(KERNEL.replace("i32:100", "f32:100"))
    result = run(kernel, "--heddle-check")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["argument 2 (n): the kernel takes i32, and f32 was given"])


def test_a_program_is_a_test(pytester):
    pytester.path.joinpath("clean.cu").write_text(PROGRAM.replace("STOP", ""))
    pytester.path.joinpath("ends.cu").write_text(PROGRAM.replace("STOP", "return 3;"))
    pytester.path.joinpath("idle.cu").write_text("int main() {}\n")
    pytester.path.joinpath("header.cu").write_text("__device__ int twice(int x) { return 2 * x; }\n")
    result = run(pytester, "--heddle-check")
    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines(["*its exit status is 3*", "*idle.cu: nothing checked*"])


def test_without_the_option_named_files_are_collected(kernel):
    assert run(kernel).ret == pytest.ExitCode.NO_TESTS_COLLECTED
    run(kernel, "fill.cu").assert_outcomes(passed=2)


def test_the_fixture(kernel, monkeypatch):
    kernel.makepyfile("""
        import numpy as np
        import pytest

        OPTIONS = {"grid": 1, "block": 64, "include_dirs": "include"}

        def test_clean(heddle_check):
            report = heddle_check("fill.cu", "fill", args=[np.zeros(64, "f"), np.int32(64)], definitions="MORE=0", **OPTIONS)
            assert report.is_clean

        def test_text(heddle_check):
            heddle_check("__global__ void f() {}", "f", grid=1, block=1)

        def test_findings(heddle_check):
            heddle_check("fill.cu", "fill", args=["f32[63]", "i32:63"], definitions="MORE=1", **OPTIONS)
    """)
    monkeypatch.chdir(kernel.mkdir("other"))
    result = run(kernel, kernel.path)
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["*fill.cu:6: out of bounds: x[[]63] (float[[]63]) [[]out-of-bounds]"])
