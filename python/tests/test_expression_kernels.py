"""Kernels of expressions against NumPy. Each that is new takes a compiler a second."""

import itertools
import math
import shutil

import numpy as np
import pytest

import heddle

pytestmark = pytest.mark.skipif(not (shutil.which("g++") or shutil.which("clang++")), reason="there is no compiler")


def numbers(n, dtype="float32", seed=1):
    return (np.random.default_rng(seed).random(n) * 100).astype(dtype)


# ------------------------------------------------------------------------------------------------- elementwise


def test_pycudas_form(where):
    combine = heddle.ElementwiseKernel("float a, float *x, const float *__restrict__ y, float *z", "z[i] = a * x[ i ] + y[i]", "lin_comb")
    x, y = numbers(5000), numbers(5000, seed=2)
    z = np.zeros_like(x)
    read_only = y.copy()
    read_only.flags.writeable = False
    assert combine(2, x, read_only, z, target=where) is None
    want = 2 * x.astype(np.float64) + y
    np.testing.assert_allclose(z, want, rtol=1e-6)
    combine(2, x, np.repeat(y, 2)[::2], x, target=where)
    np.testing.assert_array_equal(x, z)


def test_elements_of_other_places(where):
    turn = heddle.ElementwiseKernel("const int *x, int *y", "y[n - 1 - i] = x[i] + (i > 0 ? x[i - 1] : 0)")
    x, y = np.arange(3000, dtype=np.int32) * 7, np.zeros(3000, np.int32)
    turn(x, y, target=where)
    np.testing.assert_array_equal(y[::-1], x + np.concatenate([[0], x[:-1]]))
    count = heddle.ElementwiseKernel("const unsigned char *x, int *bins", "atomicAdd(&bins[x[i]], 1)")
    x, bins = np.random.default_rng(1).integers(0, 16, 5000, dtype=np.uint8), np.zeros(16, np.int32)
    count(x, bins, target=where)
    np.testing.assert_array_equal(bins, np.bincount(x, minlength=16))
    bins[:] = 0
    heddle.ElementwiseKernel("int *x", "atomicAdd(&x[i], (int)i)")(bins, target=where)
    np.testing.assert_array_equal(bins, np.arange(16))
    window = heddle.ElementwiseKernel("const int *w, const int *x, int *y", "int s = __ldg(&x[i]); for (int i = 0; i < 3; ++i) s += w[i]; y[i] = s")
    y = np.zeros(16, np.int32)
    window(np.array([1, 10, 100], np.int32), bins, y, size=16, target=where)
    np.testing.assert_array_equal(y, np.arange(16) + 111)
    fill = heddle.ElementwiseKernel("int *x, int by", "x[2 * i] = by")
    fill(bins, 5, size=8, target=where)
    np.testing.assert_array_equal(bins, np.where(np.arange(16) % 2 == 0, 5, np.arange(16)))


def test_the_form_of_cpp(where):
    kernel = heddle.ElementwiseKernel("float x, double& y", "y = x * scale(i, n)", preamble="__device__ double scale(double i, double n) { return i / n; }")
    x, y = numbers((30, 4)), np.zeros((30, 4))
    kernel(heddle.asarray(x), y, target=where)
    np.testing.assert_allclose(y, x.astype(np.float64) * np.arange(120).reshape(30, 4) / 120, rtol=1e-12)


def test_cupys_form(where):
    kernel = heddle.ElementwiseKernel("T x, U y", "T z, float64 w", "z = x + (T)y; T half = x / 2; w = half + 0.5 * y;", "two")
    for x, y in itertools.product((numbers((4, 1), "int32"), numbers((2, 1, 1), "int8"), np.int32(5), 7), (numbers(3, "float64"), 2.5)):
        z, w = kernel(x, y, target=where)
        whole = np.broadcast_arrays(np.asarray(x), np.asarray(y))
        assert z.dtype == whole[0].dtype and z.shape == w.shape == whole[0].shape
        np.testing.assert_array_equal(z, whole[0] + whole[1].astype(whole[0].dtype))
        np.testing.assert_array_equal(w, (whole[0] // 2).astype(np.float64) + 0.5 * whole[1])


def test_outputs_of_cupys_form():
    twice = heddle.ElementwiseKernel("T x", "U y", "y = 2 * x")
    x, y = np.arange(6, dtype=np.int16).reshape(2, 3), np.zeros((2, 3))
    assert twice(x, y) is y and twice(x[0], y) is y
    np.testing.assert_array_equal(y, 2 * np.tile(x[0], (2, 1)))
    with pytest.raises(TypeError, match="y has to be given: no input has the type U"):
        twice(x)
    same = heddle.ElementwiseKernel("T x", "T y", "y = x")
    given = same(heddle.asarray(x))
    assert isinstance(given, heddle.Array) and given.dtype == np.int16
    np.testing.assert_array_equal(np.asarray(given), x)
    assert isinstance(same(x), np.ndarray) and isinstance(same(3.5), np.float64) and same(x[:0]).shape == (0, 3)
    turned = heddle.ElementwiseKernel("raw T x", "T y", "y = x[n - 1 - i]")
    assert turned(np.array([1, 2, 3]), size=3).tolist() == [3, 2, 1]
    with pytest.raises(ValueError, match="size says how many"):
        turned(np.array([1, 2, 3]))
    with pytest.raises(ValueError, match="size is for kernels whose arrays are all pointers"):
        same(x, size=6)


def test_structures_and_complex_numbers():
    squares = heddle.ElementwiseKernel("float2 z, float& square", "square = z.x * z.x + z.y * z.y")
    z, out = np.array([3 + 4j, 1j], np.complex64), np.zeros(2, np.float32)
    squares(z, out)
    assert out.tolist() == [25, 1]
    halves = np.array([0.5, 2], np.float16)
    heddle.ElementwiseKernel("__half *x", "x[i] = __float2half(2 * __half2float(x[i]))")(halves)
    assert halves.tolist() == [1, 4]


def test_arrays_without_axes_are_numbers_beside_others():
    x, total = numbers(10, "float64"), np.zeros(())
    share = heddle.ElementwiseKernel("double whole, const double *x, double *y", "y[i] = x[i] / whole")
    for whole in (heddle.sum(heddle.asarray(x)), np.array(x.sum()), x.sum()):
        y = np.zeros(10)
        share(whole, x, y)
        np.testing.assert_allclose(y, x / x.sum(), rtol=1e-12)
    heddle.ElementwiseKernel("const double *x, double *total", "atomicAdd(total, x[i])")(x, total)
    np.testing.assert_allclose(total, x.sum(), rtol=1e-12)
    heddle.ElementwiseKernel("double *x", "x[i] = 3")(total)
    assert total == 3


@pytest.mark.parametrize("parameters, arguments, error, text", [
    ("__half& x, float *y", "N.", TypeError, "and None was given"),
    ("float *x, float *y", "xd", TypeError, r"kernel: argument 2 \(y\): the kernel takes an array of float, and an array of double was given"),
    ("float *x, float *y", "x3", TypeError, r"argument 2 \(y\): the kernel takes an array of float, and int was given"),
    ("float *x, float *y", "x", TypeError, "kernel takes 2 arguments, and 1 was given"),
    ("float *x, float *y", "xh", ValueError, r"kernel: 10 elements: argument 2 \(y\) has shape \(5,\)"),
    ("float *x, float *y", "xs", ValueError, r"argument 2 \(y\) is not contiguous in C order, and the kernel may write"),
    ("float *x, float *y", "xr", ValueError, r"argument 2 \(y\) is read-only"),
    ("int k, float *y", "2.", TypeError, r"argument 1 \(k\): the kernel takes int, and float was given"),
])
def test_wrong_arguments(parameters, arguments, error, text):
    given = {"x": np.zeros(10, np.float32), "d": np.zeros(10), "h": np.zeros(5, np.float32), "s": np.zeros(20, np.float32)[::2],
             "r": np.zeros(10, np.float32), "3": 3, "2": 2.5, "N": None, ".": np.zeros(10, np.float32)}
    given["r"].flags.writeable = False
    kernel = heddle.ElementwiseKernel(parameters, "y[i] = 1")
    with pytest.raises(error, match=text):
        kernel(*(given[a] for a in arguments))


def test_parts_that_overlap_are_refused():
    x = np.zeros(10, np.float32)
    with pytest.raises(ValueError, match="overlap"):
        heddle.ElementwiseKernel("const float *x, float *y", "y[i] = x[i]")(x[:9], x[1:])


def test_wrong_kernels():
    for texts, keywords, error, text in ((("float", "x = 1"), {}, ValueError, "'float' is not TYPE NAME"),
                                         (("float *x",), {}, TypeError, "there is no operation"),
                                         (("float *x", "x[i] = 1"), {"out_params": "y"}, TypeError, "out_params does not go with arguments"),
                                         (("float *x", "x[i] = 1"), {"operation": "x"}, TypeError, "operation is given twice"),
                                         (("T x", "", "x = 1"), {}, ValueError, "no out_params"),
                                         (("float x", "1 + x"), {}, ValueError, "kernel: '1 [+] x' writes nothing")):
        with pytest.raises(error, match=text):
            heddle.ElementwiseKernel(*texts, **keywords)(np.zeros(1, np.float32))
    with pytest.raises(heddle.Error, match="lin_comb cannot be compiled(.|\n)*lin_comb:1:.*q"):
        heddle.ElementwiseKernel("float *x", "x[i] = q", "lin_comb")(np.zeros(1, np.float32))
    with pytest.raises(TypeError, match="T is float32 of x and float64 of y"):
        heddle.ElementwiseKernel("T x, T y", "T z", "z = x")(np.zeros(1, np.float32), np.zeros(1))


# -------------------------------------------------------------------------------------------------- reductions


def test_reductions_of_pycudas_form(where):
    x, y = numbers(5000), numbers(5000, seed=2)
    dot = heddle.ReductionKernel(np.float32, neutral="0", reduce_expr="a+b", map_expr="x[i]*y[i]", arguments="float *x, float *y")
    have = dot(x, np.repeat(y, 2)[::2], target=where)
    assert isinstance(have, np.float32)
    np.testing.assert_allclose(have, math.fsum(x.astype(float) * y), rtol=1e-5)
    assert have == dot(x, y, target="serial")
    assert heddle.ReductionKernel(np.float32, float("inf"), "min(a, b)")(x, target=where) == x.min()
    steps = heddle.ReductionKernel("int64", 0, "a > b ? a : b", "i + 1 < n ? abs(x[i + 1] - x[i]) : 0", "const int *x", "steepest")
    z = numbers(3000, "int32")
    assert steps(z, target=where) == np.abs(np.diff(z)).max()


def test_reductions_keep_their_order(where):
    # Permutations of 8 numbers, 4 bits each, do not commute: element i of "a, then b" is b's of a's.
    compose = heddle.ReductionKernel(np.uint32, 0x76543210, "after(a, b)", preamble="""
      __device__ unsigned after(unsigned a, unsigned b) {
        unsigned c = 0;
        for (int k = 0; k < 8; ++k) c |= ((b >> (4 * ((a >> (4 * k)) & 7))) & 7u) << (4 * k);
        return c;
      }""")
    generator = np.random.default_rng(3)
    permutations = [generator.permutation(8) for _ in range(2000)]
    want = np.arange(8)
    for p in permutations:
        want = p[want]
    packed = lambda p: sum(int(p[k]) << 4 * k for k in range(8))
    assert compose(np.array([packed(p) for p in permutations], np.uint32), target=where) == packed(want)


def test_reductions_of_cupys_form(where):
    norm = heddle.ReductionKernel("T x, float32 by", "T y", "x * x * (T)by", "a + b", "y = sqrt(a)", "0", "l2norm")
    for dtype in (np.float32, np.float64):
        x = numbers(5000, dtype)
        have = norm(x, 4, target=where)
        assert isinstance(have, dtype)
        np.testing.assert_allclose(have, 2 * math.sqrt(math.fsum(x.astype(float)**2)), rtol=1e-5)
    total = heddle.ReductionKernel(in_params="T x", out_params="T y", map_expr="x", reduce_expr="a + b", post_map_expr="y = a", identity=0)
    assert total(np.arange(100, dtype=np.int16), target=where) == 4950
    wide = heddle.ReductionKernel("int8 x", "bool y", "x", "a + b", "y = a > 1000", "0", reduce_type="int64")
    have = wide(np.full(100, 100, np.int8), target=where)
    assert isinstance(have, np.bool_) and have and not wide(np.zeros(5, np.int8), target=where)


def test_no_elements():
    assert heddle.ReductionKernel(np.int32, 7, "a + b")(np.zeros(0, np.int32)) == 7
    with pytest.raises(ValueError, match="sum: 0 int32 on serial: .*no identity was given"):
        heddle.ReductionKernel(np.int32, None, "a + b", name="sum")(np.zeros(0, np.int32))


def test_wrong_reductions():
    for texts, error, text in ((("float32", "0"), TypeError, "there is no reduce_expr"), (("T x", "T y", "x"), TypeError, "there is no reduce_expr"),
                               (("T x", "T y, T z", "x", "a + b"), ValueError, "one of out_params, not 2"),
                               ((np.complex64, "0", "a + b"), TypeError, "complex64 is no type of an expression")):
        with pytest.raises(error, match=text):
            heddle.ReductionKernel(*texts)
    with pytest.raises(TypeError, match="no input has the type U"):
        heddle.ReductionKernel("T x", "U y", "x", "a + b")(np.zeros(1))
    with pytest.raises(ValueError, match="at least one array"):
        heddle.ReductionKernel(np.int32, 0, "a + b")(3)
    with pytest.raises(TypeError, match="takes an array of int, and an array of double was given"):
        heddle.ReductionKernel(np.int32, 0, "a + b")(np.zeros(1))


# ------------------------------------------------------------------------------------------------------- scans


@pytest.mark.parametrize("n", [0, 1, 1000, 70_000])
def test_scans(where, n):
    x = numbers(n, "int64")
    sums = heddle.InclusiveScanKernel(np.int64, "a + b")
    exclusive = heddle.ExclusiveScanKernel(np.int64, "a > b ? a : b", -5)
    before = x.copy()
    np.testing.assert_array_equal(sums(x, "new", target=where), np.cumsum(x))
    want = np.concatenate([[-5], np.maximum.accumulate(x)])[:n]
    np.testing.assert_array_equal(exclusive(x, "new", target=where), want)
    np.testing.assert_array_equal(x, before)
    y = np.zeros(n, np.int64)
    assert exclusive(x, y, target=where) is y
    np.testing.assert_array_equal(y, want)
    assert sums(x, target=where) is x
    np.testing.assert_array_equal(x, np.cumsum(before))


def test_scans_of_other_arrays():
    sums = heddle.InclusiveScanKernel(np.float32, "plus(a, b)", preamble="__device__ float plus(float a, float b) { return a + b; }")
    x = heddle.asarray(np.ones((2, 3), np.float32))
    new = sums(x, "new")
    assert isinstance(new, heddle.Array) and np.asarray(new).tolist() == [[1, 2, 3], [4, 5, 6]]
    assert sums(x) is x and np.asarray(x).tolist() == [[1, 2, 3], [4, 5, 6]]
    strided = np.ones(10, np.float32)
    sums(strided[::2])
    assert strided.tolist() == [1, 1, 2, 1, 3, 1, 4, 1, 5, 1]


def test_wrong_scans():
    sums = heddle.InclusiveScanKernel(np.int32, "a + b")
    read_only = np.zeros(3, np.int32)
    read_only.flags.writeable = False
    for call, error, text in ((lambda: sums(np.zeros(3)), TypeError, "an array of int, and an array of double was given"),
                              (lambda: sums(read_only), ValueError, "read-only"),
                              (lambda: sums(np.zeros(3, np.int32), np.zeros(4, np.int32)), ValueError, "shape"),
                              (lambda: sums(np.zeros(3, np.int32), "old"), ValueError, "'old'"),
                              (lambda: sums(3), ValueError, "at least one array"),
                              (lambda: heddle.ExclusiveScanKernel(np.int32, "a + b"), ValueError, "give one")):
        with pytest.raises(error, match=text):
            call()
