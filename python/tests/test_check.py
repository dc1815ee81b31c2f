"""heddle.check finds what `heddle check` finds."""

import pathlib
import shutil
import subprocess

import numpy as np
import pytest

import heddle

COMMAND = pathlib.Path(heddle.__file__).parent / "bin" / "heddle"
pytestmark = [pytest.mark.skipif(not (shutil.which("g++") or shutil.which("clang++")), reason="there is no compiler"),
              pytest.mark.skipif(not COMMAND.exists(), reason="the package was built without the command")]

# A step of Hillis and Steele's scan with no barrier between the read and the write.
SCAN = """__global__ void step(int* x, int by) {
  __shared__ int part[64];
  part[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  if (threadIdx.x >= by) part[threadIdx.x] += part[threadIdx.x - by];
  __syncthreads();
  x[threadIdx.x] = part[threadIdx.x];
}
"""
PROGRAM = """#include <cstdio>
#include <cstdlib>
__global__ void fill(int* x, int n) { if (threadIdx.x <= n) x[threadIdx.x] = 1; }
int main(int argc, char** argv) {
  const int n = std::atoi(argv[1]);
  int* x;
  cudaMalloc(&x, n * sizeof(int));
  fill<<<1, 32>>>(x, n);
  cudaDeviceSynchronize();
  std::printf("filled %d\\n", n);
}
"""


def test_a_race_is_named():
    x = np.arange(64, dtype=np.int32)
    report = heddle.check(SCAN, "step", grid=1, block=64, args=[x, np.int32(1)])
    assert not report.is_clean and len(report) == 1 and list(report) == [report[0]]
    found = report[0]
    assert (found.kind, found.file, found.line, found.kernel) == ("data-race", "kernel.cu", 5, "step")
    assert found.message.startswith("data race on shared part[") and found.variable["type"] == "int"
    assert sorted(place.what for place in found.places) == ["reads", "writes"]
    assert {place.line for place in found.places} == {5} and {place.block for place in found.places} == {(0, 0, 0)}
    first, second = found.threads
    assert abs(first[0] - second[0]) == 1 and found.thread == first and found.block == (0, 0, 0)
    assert found.count >= 1 and report.json["schedules"] == 3
    np.testing.assert_array_equal(x, np.arange(64))


def test_it_is_printed_as_the_command_prints_it(tmp_path):
    file = tmp_path / "scan.cu"
    for source, kernel in ((SCAN, "step"), (PROGRAM, None)):
        file.write_text(source)
        options = ["--kernel", "step", "--grid", "1", "--block", "64", "--arg", "i32[64]=arange", "--arg", "i32:1"] if kernel else ["--", "7"]
        printed = subprocess.run([COMMAND, "check", file, *options], capture_output=True, text=True, check=False).stderr
        report = heddle.check(file, kernel, **({"grid": 1, "block": (64, 1), "args": ["i32[64]=arange", "i32:1"]} if kernel else {"args": [7]}))
        assert str(report) + "\n" == printed
        assert str(report[0]) in printed and str(file) in printed


def test_a_clean_kernel():
    fixed = SCAN.replace("part[threadIdx.x] += part[threadIdx.x - by];",
                         "{ const int other = part[threadIdx.x - by]; __syncwarp(0xfffffffe); part[threadIdx.x] += other; }")
    report = heddle.check(fixed.replace("64", "32"), "step", grid=1, block=32, args=["i32[32]=arange", "i32:1"])
    assert report.is_clean and len(report) == 0 and "clean (32 threads, 3 schedules" in str(report)
    with pytest.raises(TypeError, match="is_clean"):
        bool(report)


def test_arguments_of_every_type():
    names = [("bool", "bool"), ("int8", "signed char"), ("uint16", "unsigned short"), ("int64", "long long"), ("float32", "float"),
             ("float64", "double"), ("float16", "__half")]
    parameters = ", ".join(f"{of} n{k}, const {of}* x{k}" for k, (_, of) in enumerate(names))
    tests = " && ".join(f"(double)n{k} == 1 && (double)x{k}[2] == 1" for k in range(len(names)))
    source = f"__global__ void f({parameters}, int* wrong) {{ if (!({tests.replace('(double)', '(double)(float)')})) *wrong = 1; assert(*wrong == 0); }}"
    args = [argument for name, _ in names for argument in (np.dtype(name).type(1), np.array([0, 0, 1]).astype(name)[None])]
    assert heddle.check(source, "f", grid=1, block=1, args=[*args, heddle.asarray(np.zeros(1, np.int32))]).is_clean


def test_arrays_in_any_order():
    source = "__global__ void f(const float* x) { for (int k = 0; k < 6; ++k) assert(x[k] == k); }"
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    for given in (x, np.asfortranarray(x), x.astype(">f4"), np.repeat(x, 2, axis=1)[:, ::2]):
        assert heddle.check(source, "f", grid=1, block=1, args=[given]).is_clean
    assert not heddle.check(source, "f", grid=1, block=1, args=[x[:, ::-1]]).is_clean


def test_options(tmp_path):
    (tmp_path / "n.cuh").write_text("#define N 4\n")
    source = '#include "n.cuh"\n__global__ void f(int* x) { extern __shared__ int part[]; part[0] = N; x[blockIdx.x % WIDTH] = part[0]; }'
    options = {"grid": (2, 2), "block": 1, "shared": 4, "include_dirs": tmp_path, "definitions": {"WIDTH": 2}, "std": "c++17"}
    report = heddle.check(source, "f", args=["i32[2]"], schedules=2, seed=5, target="serial", profile=True, **options)
    assert [found.kind for found in report] == ["data-race"]
    assert report.json["seed"] == 5 and report.json["schedules"] == 2 and report.json["profile"]
    file = tmp_path / "found.xml"
    report = heddle.check(source, "f", args=["i32[2]"], **options)
    assert report.is_clean and [found.level for found in report] == ["note"]
    assert not heddle.check(source, "f", args=["i32[2]"], junit=file, fail_on="note", **options).is_clean
    assert "<failure type=\"data-race\"" in file.read_text()


def test_programs():
    report = heddle.check(PROGRAM, args=[40], leak_check=True)
    assert [found.kind for found in report] == ["leak"] and report.output == "filled 40\n"
    report = heddle.check(PROGRAM, args=["7"])
    assert [found.kind for found in report] == ["out-of-bounds"] and report[0].kernel == "fill" and report[0].line == 3
    count = '#include <cstdio>\nint main() { int n; cudaGetDeviceCount(&n); std::printf("%d\\n", n); }'
    assert [heddle.check(count, **options).output for options in ({}, {"devices": 3})] == ["1\n", "3\n"]


def test_what_cannot_run(tmp_path):
    options = {"grid": 1, "block": 64, "args": ["i32[64]", "i32:1"]}
    for error, text, source, kernel, other in [
            (heddle.Error, "cannot be compiled(.|\n)*kernel.cu:4", SCAN.replace("__syncthreads", "__syncthreds"), "step", {}),
            (heddle.Error, "no kernel is called 'nope'", SCAN, "nope", {}),
            (heddle.Error, "step takes 2 arguments", SCAN, "step", {"args": []}),
            (heddle.Error, "on the CPU", SCAN, "step", {"target": "gpu"}),
            (ValueError, "--schedules", SCAN, "step", {"schedules": 0}),
            (ValueError, "--std", SCAN, "step", {"std": "c++98"}),
            (TypeError, "argument 2 is 1: .* numpy.int32", SCAN, "step", {"args": ["i32[64]", 1]}),
            (TypeError, "elements of complex128", SCAN, "step", {"args": ["i32[64]", np.complex128(1)]}),
            (TypeError, "with grid= and block=", SCAN, "step", {"grid": None}),
            (TypeError, "name it", SCAN, None, {}),
            (FileNotFoundError, "nope.cu", tmp_path / "nope.cu", "step", {})]:
        with pytest.raises(error, match=text):
            heddle.check(source, kernel, **{**options, **other})
