"""heddle.Array on a GPU: operators, indexing, kernels, vectorised functions and simulations, none of which goes through the CPU."""

import multiprocessing
import operator
import os
import pathlib
import pickle
import shutil
import subprocess
import sys

import numpy as np
import pytest

import heddle
from conftest import TYPES, needs_gpu, numbers
from heddle import array_api as xp
from test_moves import SHAPES, agree, keys, ours

pytestmark = needs_gpu


@pytest.fixture
def nothing_through_the_cpu(monkeypatch):
    from heddle.array_api import _creation, _elementwise, _manipulation, _methods, _patterns, _places

    def refuse(x):
        raise AssertionError("the elements went to the CPU")

    for module in (_creation, _elementwise, _manipulation, _methods, _patterns, _places):
        if hasattr(module, "numpy_of"):
            monkeypatch.setattr(module, "numpy_of", refuse)


def put(x):
    return heddle.asarray(x).on("gpu")


def outcome(call):
    try:
        return call()
    except Exception as e:
        return e


def there(key):
    """A key with arrays on the GPU."""
    if isinstance(key, tuple):
        return tuple(there(k) for k in key)
    return put(key) if isinstance(key, np.ndarray) else key


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_indexing(shape, nothing_through_the_cpu):
    for dtype in ("bool", "int16", "float32", "complex64", "complex128"):
        x = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)
        a = put(x)
        for key in keys(shape, 15):
            want = outcome(lambda: x[key].copy())
            agree(outcome(lambda: a[there(key)]), want)
            agree(outcome(lambda: a[ours(key)] if not any(isinstance(k, np.ndarray) for k in (key if isinstance(key, tuple) else (key,)))
                          else a[key]), want)


@pytest.mark.parametrize("shape", SHAPES[1:], ids=str)
def test_elements_that_are_set(shape, nothing_through_the_cpu):
    x = np.asarray(np.random.default_rng(3).integers(0, 100, shape))
    for key in keys(shape, 30):
        if isinstance(outcome(lambda: x[key]), Exception):
            continue
        want, have = x.copy(), put(x)
        want[key] = 7
        have[there(key)] = 7
        agree(have, want)


def test_operators(nothing_through_the_cpu):
    x, y = numbers("int32", (5, 4)), np.arange(1, 5, dtype=np.int32)
    a, b = put(x), put(y)
    for f in (operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod, operator.and_, operator.or_, operator.xor,
              operator.lshift, operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge, operator.truediv):
        agree(f(a, b), f(x, y))
        agree(f(a, 3), f(x, 3))
    agree(3 - a, 3 - x)
    agree(-a, -x)
    agree(abs(a), abs(x))
    agree(~a, ~x)
    agree(a ** 2, x ** 2)
    a += b
    a[1] *= 2
    x += y
    x[1] *= 2
    agree(a, x)
    f = np.linspace(-3, 3, 24, dtype=np.float32).reshape(4, 6)
    np.testing.assert_allclose(np.asarray(put(f) @ put(f).T), f @ f.T, rtol=1e-5)
    agree(put(f).T, f.T)
    agree(xp.where(put(f) > 0, put(f), 0.5), np.where(f > 0, f, np.float32(0.5)))
    for name in ("sin", "exp", "sqrt", "floor", "sign", "isfinite", "tanh"):
        with np.errstate(invalid="ignore"):
            np.testing.assert_allclose(np.asarray(getattr(xp, name)(put(f))), getattr(np, name)(f), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("dtype", TYPES)
def test_functions_that_move(dtype, nothing_through_the_cpu):
    x = (np.arange(24) % 7).reshape(2, 3, 4).astype(dtype)
    a = put(x)
    agree(xp.permute_dims(a, (2, 0, 1)), x.transpose(2, 0, 1))
    agree(xp.flip(a, axis=1), np.flip(x, 1))
    agree(xp.roll(a, 3), np.roll(x, 3))
    agree(xp.concat([a, a], axis=1), np.concatenate([x, x], 1))
    agree(xp.stack([a, a], axis=-1), np.stack([x, x], -1))
    agree(xp.repeat(a, xp.asarray([1, 0, 2], device="gpu"), axis=1), np.repeat(x, [1, 0, 2], 1))
    agree(xp.tile(a, (2, 1)), np.tile(x, (2, 1)))
    agree(xp.take(a, xp.asarray([1, 0], device="gpu"), axis=0), x[[1, 0]])
    agree(xp.broadcast_to(a, (2, 2, 3, 4)), np.broadcast_to(x, (2, 2, 3, 4)))
    agree(xp.nonzero(a)[2], np.nonzero(x)[2])
    agree(xp.diff(a), np.diff(x))
    agree(xp.astype(a, xp.complex64), x.astype(np.complex64))
    agree(xp.reshape(a, (4, -1)), x.reshape(4, -1))


def test_what_functions_need_beside_patterns(nothing_through_the_cpu, monkeypatch):
    from heddle import _order, _products, _reductions, _scans, fft, random

    x = numbers("float32", (6, 50))
    a, chosen = put(x), x > 0
    mask = put(chosen)
    permuted = heddle.random.default_rng(3).permutation(x, axis=1)
    for module in (_order, _products, _reductions, _scans, fft, random):
        monkeypatch.setattr(module, "on_cpu", None)
    agree(heddle.sum(a, axis=0, where=mask), x.sum(0, where=chosen))
    agree(heddle.max(a, where=mask[0], initial=0), np.asarray(x.max(where=chosen[0], initial=0)))
    agree(heddle.cumulative_sum(a, axis=1, include_initial=True), np.cumulative_sum(x, axis=1, include_initial=True))
    for have, want in zip(heddle.unique(a, True, True, True), np.unique(x, True, True, True), strict=True):
        np.testing.assert_array_equal(np.asarray(have), want)
    agree(heddle.searchsorted(put(np.arange(5.0)[::-1].copy()), put(np.array([2.5])), sorter=put(np.arange(4, -1, -1))), np.array([3]))
    for n in (20, 64):
        np.testing.assert_allclose(np.asarray(heddle.fft.fft(a, n)), np.fft.fft(x, n), atol=1e-4)
    agree(heddle.random.default_rng(3).permutation(a, axis=1), permuted)
    stack = heddle.matmul(put(np.ones((1, 3, 2), np.float32)), put(np.ones((4, 2, 5), np.float32)))
    assert stack.shape == (4, 3, 5) and stack.device == "gpu:0"


def test_devices_and_copies():
    x = numbers("float32", (3, 4))
    a = put(x)
    assert a.device == "gpu:0" and a.to_device("gpu:0") is a and a.to_device("cpu").device == "cpu"
    assert a.target == heddle.Target("gpu") and "device='gpu:0'" in repr(a)
    agree(pickle.loads(pickle.dumps(a)), x)
    assert pickle.loads(pickle.dumps(a)).device == "gpu:0"
    assert xp.reshape(a, (12,)).__cuda_array_interface__["data"] == a.__cuda_array_interface__["data"]
    with heddle.target("gpu"):
        for made in (xp.zeros((2, 3)), xp.arange(5), xp.asarray([1, 2]), xp.linspace(0, 1, 5), xp.eye(3)):
            assert made.device == "gpu:0"
        agree(xp.arange(2, 8, 2), np.arange(2, 8, 2))
        agree(xp.full((2, 2), 7), np.full((2, 2), 7))
    with pytest.raises(ValueError, match="arrays are on"):
        a + heddle.asarray(x)
    assert float(a[1, 2]) == x[1, 2] and int(xp.sum(a > 0)) == (x > 0).sum()
    with pytest.raises(TypeError):
        np.asarray(memoryview(a))


def test_kernels():
    module = heddle.Module("""
__global__ void saxpy(int n, float a, const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}""", target="gpu")
    x, y = numbers("float32", (1000,)), np.ones(1000, np.float32)
    on_gpu = put(y)
    module.get_function("saxpy")(4, 256)(1000, 2, put(x), on_gpu)
    agree(on_gpu, 2 * x + y)
    combine = heddle.ElementwiseKernel("float a, float *x, const float *y, float *z", "z[i] = a * x[i] + y[i]", "lin_comb")
    z = put(np.zeros_like(x))
    combine(2, put(x), put(y), z)
    agree(z, 2 * x + y)
    cupys = heddle.ElementwiseKernel("T x, U y", "T z", "z = x + (T)y")
    agree(cupys(put(x), put(y)), x + y)
    dot = heddle.ReductionKernel(np.float32, neutral="0", reduce_expr="a+b", map_expr="x[i]*y[i]", arguments="float *x, float *y")
    assert float(dot(put(x), put(y))) == float(x.sum())
    running = heddle.InclusiveScanKernel(np.int32, "a+b")
    whole = np.arange(5000, dtype=np.int32)
    agree(running(put(whole)), np.cumsum(whole, dtype=np.int32))
    before = heddle.ExclusiveScanKernel(np.int32, "a+b", neutral="0")
    agree(before(put(whole)), np.cumsum(whole, dtype=np.int32) - whole)


@heddle.vectorize
def escape(cr, ci, most):
    zr, zi = 0.0, 0.0
    for i in range(most):
        if zr * zr + zi * zi >= 4:
            return i
        zr, zi = zr * zr - zi * zi + cr, 2 * zr * zi + ci
    return most


@heddle.vectorize
def larger(a, b):
    return a if a > b else b


def test_vectorised_functions():
    cr, ci = np.meshgrid(np.linspace(-2, 1, 60), np.linspace(-1, 1, 40))
    want = escape(cr, ci, 50, target="serial")
    agree(np.asarray(escape(cr, ci, 50, target="gpu")), want)
    have = escape(put(cr), put(ci), 50)
    assert have.device == "gpu:0"
    agree(have, want)
    x = np.random.default_rng(1).random((30, 400))
    agree(larger.reduce(put(x), axis=1), x.max(1))
    agree(larger.reduce(put(x), axis=None), np.asarray(x.max()))
    agree(larger.accumulate(put(x), axis=0), np.maximum.accumulate(x, 0))


def test_simulations_are_those_of_the_cpu():
    for make in (lambda t: heddle.Life.random((100, 130), seed=3, target=t).step(57).cells,
                 lambda t: heddle.Life("b2o$2o$bo!", target=t).step(300).cells,
                 lambda t: heddle.mandelbrot(301, 203, iterations=200, target=t),
                 lambda t: heddle.Laplace.sine((65, 65), target=t).step(3).solution,
                 lambda t: heddle.Laplace.sine((64, 70), method="jacobi", target=t).step(30).solution,
                 lambda t: heddle.Laplace.sine((64, 70), method="red-black", target=t).step(30).solution):
        have, want = make("gpu"), make("parallel:2")
        assert isinstance(have, heddle.Array) and have.device == "gpu:0"
        agree(have, np.asarray(want))
    have, want = (heddle.LatticeBoltzmann("cavity", shape=(32, 48), target=t).step(50).velocity for t in ("gpu", "parallel:2"))
    assert have.device == "gpu:0"
    np.testing.assert_allclose(np.asarray(have), np.asarray(want), atol=1e-6)
    assert heddle.pi(1e7, seed=1, target="gpu") == heddle.pi(1e7, seed=1, target="parallel:2")
    picture = heddle.Life.random((64, 64), target="gpu")._repr_png_()
    assert picture.startswith(b"\x89PNG")


def run_python(code, **more):
    folder = str(pathlib.Path(heddle.__file__).parent.parent)
    path = os.pathsep.join([folder, os.environ.get("PYTHONPATH", "")])
    return subprocess.run([sys.executable, "-W", "ignore", "-c", code], env=os.environ | {"PYTHONPATH": path} | more, capture_output=True, text=True,
                          timeout=120)


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="the system does not fork")
def test_a_fork_says_that_gpus_are_lost():
    done = run_python(
        "import os, numpy, heddle\n"
        "x = numpy.ones(1000)\n"
        "heddle.sum(x, target='gpu')\n"
        "pid = os.fork()\n"
        "if pid == 0:\n"
        "    try: heddle.sum(x, target='gpu')\n"
        "    except heddle.Error as e: print(e, flush=True)\n"
        "    assert heddle.sum(x, target='parallel:2') == 1000\n"
        "    os._exit(0)\n"
        "assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0\n"
        "assert heddle.sum(x, target='gpu') == 1000\n")
    assert done.returncode == 0, done.stderr
    assert "forked" in done.stdout and "spawn" in done.stdout


def test_libraries_of_nvidias_packages():
    """Where CUDA's libraries are those of PyPI, they are found in them; a system without any says which is missing."""
    code = ("import numpy, heddle\n"
            "x = heddle.asarray(numpy.ones((64, 64), numpy.float32)).on('gpu')\n"
            "heddle.matmul(x, x).wait(); heddle.fft.fft(x).wait(); heddle.transform('a + 1', x).wait()\n"
            "names = {line.split()[-1] for line in open('/proc/self/maps') if '.so' in line}\n"
            "print(*sorted(n for n in names if any(part in n for part in ('cublas', 'cufft', 'nvrtc'))))\n")
    done = run_python(code)
    assert done.returncode == 0, done.stderr
    for library in ("cublas", "cufft", "nvrtc"):
        assert library in done.stdout
    if heddle._cuda.folders() and not shutil.which("nvcc"):
        assert "site-packages/nvidia" in done.stdout or "dist-packages/nvidia" in done.stdout
