"""Kernels from source on the CPU, against NumPy and plain loops. Each new source takes a compiler a second."""

import ctypes
import shutil
import threading

import numpy as np
import pytest

import heddle

pytestmark = pytest.mark.skipif(not (shutil.which("g++") or shutil.which("clang++")), reason="there is no compiler")

SOURCE = """
struct point { float x; int k; };

__global__ void saxpy(int n, float a, const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
__global__ void places(int* out) {
  const int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  out[block * blockDim.x * blockDim.y * blockDim.z + thread] = 100 * block + thread;
}
__global__ void turned(const int* x, int* out) {
  extern __shared__ int part[];
  part[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = part[blockDim.x - 1 - threadIdx.x];
}
__global__ void numbers(bool b, signed char i8, unsigned short u16, long long i64, unsigned long long u64, double f64, __half f16,
                        double* out) {
  out[0] = b; out[1] = i8; out[2] = u16; out[3] = i64; out[4] = u64 == 18446744073709551615ull; out[5] = f64;
  out[6] = __half2float(f16);
}
__global__ void other_numbers(short i16, unsigned char u8, unsigned u32, double* out) { out[0] = i16; out[1] = u8; out[2] = u32; }
__global__ void structures(point p, float4 v, float2 z, const point* all, double* out) {
  out[0] = p.x; out[1] = p.k; out[2] = v.x + 10 * v.w; out[3] = z.x + 10 * z.y; out[4] = all[1].x + 10 * all[1].k;
}
__global__ void is_null(const void* x, int* out) { out[0] = x == nullptr; }
__global__ void first_byte(const char* text, int* out) { out[0] = text[0]; }
__global__ void zero_half(__half* x) { x[threadIdx.x] = __float2half(0.5f); }
__global__ void fails(const int* x) { assert(x[0] == 1); }
__global__ void stops() { __trap(); }
__global__ void waits() { if (threadIdx.x == 0) __syncthreads(); else __syncwarp(); }
template <class T, int N> __global__ void add(T* x) { x[threadIdx.x] += N; }
"""


@pytest.fixture(scope="module")
def kernels():
    return heddle.Module(SOURCE, target="serial")


def test_forms_of_a_launch(on_cpu):
    saxpy = heddle.Module(SOURCE, target=on_cpu if on_cpu != "auto" else "parallel").get_function("saxpy")
    x = np.random.default_rng(1).random(1000, dtype=np.float32)
    y = np.ones(1000, np.float32)
    want = y.astype(np.float64)
    for launch in (lambda: saxpy(4, 256)(1000, 2, x, y), lambda: saxpy((4,), (256, 1, 1), 64)(1000, 2.0, x, y),
                   lambda: saxpy(np.int32(1000), np.float32(2), x, y, grid=(4, 1), block=(256, 1, 1)),
                   lambda: saxpy(1000, 2, x, y, block=1000), lambda: saxpy((4,), (256,), (1000, 2, x, y)),
                   lambda: saxpy((4,), (256,), [1000, 2, x, y], shared_mem=8)):
        assert launch() is None
        want += 2 * x.astype(np.float64)
        np.testing.assert_allclose(y, want, rtol=1e-6)


def test_grids_have_three_axes(kernels):
    grid, block = (2, 3, 4), (3, 2, 5)
    out = np.full(24 * 30, -1, np.int32)
    kernels.get_function("places")(grid, block)(out)
    np.testing.assert_array_equal(out.reshape(24, 30), 100 * np.arange(24)[:, None] + np.arange(30))


def test_dynamic_shared_memory(kernels):
    x, out = np.arange(64, dtype=np.int32), np.zeros(64, np.int32)
    turned = kernels.get_function("turned")
    turned(1, 64, 256)(x, out)
    np.testing.assert_array_equal(out, x[::-1])
    turned(x[::-1], out, block=64, shared=256)
    np.testing.assert_array_equal(out, x)


def test_numbers_become_those_of_the_parameters(kernels):
    out = np.zeros(7)
    numbers = kernels.get_function("numbers")
    numbers(1, 1)(True, -128, 65535, -2**63, 2**64 - 1, 1 / 3, 0.25, out)
    assert out.tolist() == [1, -128, 65535, -2.0**63, 1, 1 / 3, 0.25]
    numbers(1, 1)(np.False_, np.int64(7), np.uint8(8), np.int16(9), np.uint64(2**64 - 1), np.float32(0.5), np.float16(2), out)
    assert out.tolist() == [0, 7, 8, 9, 1, 0.5, 2]
    others = kernels.get_function("other_numbers")
    others(1, 1)(-2**15, 255, 2**32 - 1, out)
    assert out[:3].tolist() == [-2**15, 255, 2**32 - 1]
    for wrong in ((2**15, 0, 0), (0, -1, 0), (0, 0, 2**32)):
        with pytest.raises(ValueError, match="does not fit in (short|unsigned char|unsigned int)"):
            others(1, 1)(*wrong, out)


def test_structures_by_value_and_by_address(kernels):
    point = np.dtype([("x", np.float32), ("k", np.int32)])
    points = np.array([(0.5, 3), (1.5, 4)], dtype=point)

    class Point(ctypes.Structure):
        _fields_ = [("x", ctypes.c_float), ("k", ctypes.c_int)]

    out = np.zeros(5)
    structures = kernels.get_function("structures")
    for p, v, z in ((points[0], (1, 2, 3, 4), 5 + 6j), (Point(0.5, 3), np.arange(1, 5, dtype=np.float32), np.complex64(5 + 6j))):
        out[:] = 0
        structures(1, 1)(p, v, z, points, out)
        assert out.tolist() == [0.5, 3, 41, 65, 41.5]
    with pytest.raises(ValueError, match="the kernel takes float4, and 3 numbers were given"):
        structures(1, 1)(points[0], (1, 2, 3), 5 + 6j, points, out)


def test_what_arrays_are_taken(kernels):
    saxpy = kernels.get_function("saxpy")
    x, y = np.arange(10, dtype=np.float32), heddle.asarray(np.zeros(10, np.float32))
    saxpy(1, 10)(10, 1, heddle.asarray(x), y)
    np.testing.assert_array_equal(np.asarray(y), x)
    read_only = x.copy()
    read_only.flags.writeable = False
    for given in (read_only, np.repeat(x, 2)[::2], x.astype(">f4"), memoryview(x), x.reshape(2, 5)):
        out = np.zeros(10, np.float32)
        saxpy(1, 10)(10, 1, given, out)
        np.testing.assert_array_equal(out, x)
    half = np.zeros(4, np.float16)
    kernels.get_function("zero_half")(1, 4)(half)
    assert half.tolist() == [0.5] * 4
    out = np.zeros(1, np.int32)
    kernels.get_function("first_byte")(1, 1)(b"text", out)
    assert out[0] == ord("t")
    for given, want in ((None, 1), (x, 0), (np.zeros(3, np.complex128), 0)):
        kernels.get_function("is_null")(1, 1)(given, out)
        assert out[0] == want


def test_arrays_of_another_library_are_used_in_place(kernels):
    class Other:
        """An array that has DLPack alone."""

        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **options):
            return self.array.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    x, y = np.arange(10, dtype=np.float32), np.zeros(20, np.float32)
    saxpy = kernels.get_function("saxpy")
    saxpy(1, 10)(10, 1, Other(np.repeat(x, 2)[::2]), Other(y[:10]))
    np.testing.assert_array_equal(y[:10], x)
    with pytest.raises(ValueError, match=r"argument 4 \(y\) is not contiguous"):
        saxpy(1, 10)(10, 1, x, Other(y[::2]))


@pytest.mark.parametrize("arguments, error, text", [
    ((10, 1.0, "x"), TypeError, "saxpy takes 4 arguments, and 3 were given"),
    ((10, 1.0, "x", "double"), TypeError, r"argument 4 \(y\): the kernel takes float\*, and double\* was given"),
    ((10, 1.0, "x", [1.0]), TypeError, r"argument 4 \(y\): the kernel takes float\*, and list was given"),
    ((10, 1.0, "x", 3), TypeError, r"argument 4 \(y\): the kernel takes float\*, and int was given"),
    ((10.0, 1.0, "x", "y"), TypeError, r"argument 1 \(n\): the kernel takes int, and float was given"),
    ((10, "1", "x", "y"), TypeError, "and str was given"),
    ((10, np.complex64(1), "x", "y"), TypeError, "and numpy.complex64 was given"),
    ((10, "x", "x", "y"), TypeError, r"argument 2 \(a\): the kernel takes float, and numpy.ndarray was given"),
    ((2**31, 1.0, "x", "y"), ValueError, r"argument 1 \(n\): 2147483648 does not fit in int"),
    ((10, 1.0, "x", "strided"), ValueError, r"argument 4 \(y\) is not contiguous in C order, and the kernel may write"),
    ((10, 1.0, "x", "read-only"), ValueError, r"argument 4 \(y\) is read-only, and the kernel may write"),
    ((10, 1.0, "x", "swapped"), ValueError, r"argument 4 \(y\) has its bytes swapped"),
    ((10, 1.0, "masked", "y"), TypeError, "masked arrays"),
])
def test_wrong_arguments(kernels, arguments, error, text):
    arrays = {"x": np.zeros(10, np.float32), "y": np.zeros(10, np.float32), "double": np.zeros(10),
              "strided": np.zeros(20, np.float32)[::2], "swapped": np.zeros(10, ">f4"), "read-only": np.zeros(10, np.float32),
              "masked": np.ma.masked_array(np.zeros(10, np.float32))}
    arrays["read-only"].flags.writeable = False
    with pytest.raises(error, match=text):
        kernels.get_function("saxpy")(1, 10)(*(arrays.get(x, x) if isinstance(x, str) else x for x in arguments))
    assert not arrays["y"].any()


def test_wrong_launches(kernels):
    saxpy = kernels.get_function("saxpy")
    arguments = 10, 1, np.zeros(10, np.float32), np.zeros(10, np.float32)
    for grid, block, shared, text in ((1, 1025, 0, "at most 1024"), (0, 1, 0, "at least one thread"), (1, 1, 10**6, "shared memory"),
                                      ((1, 1, 1, 1), 1, 0, "one to three"), (-1, 1, 0, "no GPU launches"),
                                      (2**70, 1, 0, "no GPU launches"), (1, 1, -1, "number of bytes")):
        with pytest.raises(ValueError, match=text):
            saxpy(grid, block, shared)(*arguments)
    for call in (lambda: saxpy(1), lambda: saxpy(1, 1.5), lambda: saxpy(*arguments, grid=1), lambda: saxpy(1, 1, 0, 0)):
        with pytest.raises(TypeError):
            call()


def test_what_fails_while_it_runs(kernels):
    for name, arguments, text in (("fails", [np.zeros(1, np.int32)], r"assertion 'x\[0\] == 1' failed"), ("stops", [], "__trap"),
                                  ("waits", [], "wait for one another")):
        with pytest.raises(heddle.Error, match=text):
            kernels.get_function(name)(1, 64)(*arguments)
    kernels.get_function("fails")(1, 64)(np.ones(1, np.int32))


def test_names_of_kernels(kernels):
    assert kernels.get_function("saxpy").signature == "saxpy(int n, float a, const float* x, float* y)"
    x = np.zeros(3, np.int64)
    kernels.get_function("add<long long, 5>")(1, 3)(x)
    assert x.tolist() == [5, 5, 5]
    with pytest.raises(ValueError, match="no kernel is called 'nope': the file has saxpy"):
        kernels.get_function("nope")
    with pytest.raises(ValueError, match="kernel add is a template"):
        kernels.get_function("add")


def test_sources_and_options(tmp_path):
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "scale.cuh").write_text("#define SCALE 3\n")
    (tmp_path / "own.cuh").write_text("#define OWN 100\n")
    path = tmp_path / "scale.cu"
    path.write_text('#include "own.cuh"\n#include "scale.cuh"\n__global__ void scale(int* x) { *x *= SCALE * TWO; *x += OWN + ONE; }\n')
    for source in (path, str(path)):
        x = np.array([7], np.int32)
        module = heddle.Module(source, definitions={"TWO": 2, "ONE": None}, include_dirs=tmp_path / "include", target="serial")
        module.get_function("scale")(1, 1)(x)
        assert x[0] == 7 * 6 + 101
    assert module.was_cached and str(module.target) == "serial"
    with pytest.raises(heddle.Error, match=r"mine.cu:1:\d+: error: .*q"):
        heddle.Module("__global__ void f() { q = 1; }", name="mine.cu", target="serial")
    with pytest.raises(FileNotFoundError):
        heddle.Module(tmp_path / "nope.cu")
    with heddle.target("parallel:2"):
        assert str(heddle.Module(SOURCE).target) == "parallel:2"


def test_threads_launch_at_once(kernels):
    # Blocks of the second kernel wait for the first, which another thread of Python's launches.
    module = heddle.Module("""
      __global__ void wait(volatile int* flag) { while (*flag == 0) {} *flag = 2; }
      __global__ void set(volatile int* flag) { *flag = 1; }""", target="serial")
    flag = np.zeros(1, np.int32)
    waiting = threading.Thread(target=module.get_function("wait")(1, 1), args=(flag,))
    waiting.start()
    module.get_function("set")(1, 1)(flag)
    waiting.join(60)
    assert not waiting.is_alive() and flag[0] == 2
