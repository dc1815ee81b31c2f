"""Arrays of CuPy, PyTorch, JAX and Numba on a GPU, and of Heddle's in them: the same memory, in the order of streams."""

import gc

import numpy as np
import pytest

import heddle
from conftest import TYPES, needs_gpu, numbers

pytestmark = needs_gpu

DLPACK_CPU, DLPACK_CUDA = 1, 2


def address(array):
    return array.__cuda_array_interface__["data"][0]


class OfCuPy:
    types = TYPES

    def __init__(self):
        self.module = pytest.importorskip("cupy")

    def put(self, x):
        return self.module.asarray(x)

    def address(self, x):
        return x.data.ptr

    def take(self, array):
        return self.module.from_dlpack(array)

    def numpy(self, x):
        return self.module.asnumpy(x)


class OfTorch:
    types = [t for t in TYPES if t not in ("uint16", "uint32", "uint64")]

    def __init__(self):
        self.module = pytest.importorskip("torch")

    def put(self, x):
        return self.module.from_numpy(np.array(x)).cuda()

    def address(self, x):
        return x.data_ptr()

    def take(self, array):
        return self.module.from_dlpack(array)

    def numpy(self, x):
        return x.cpu().numpy()


class OfJax:
    types = [t for t in TYPES if t not in ("int64", "uint64", "float64", "complex128")]

    def __init__(self):
        self.module = pytest.importorskip("jax")

    def put(self, x):
        return self.module.device_put(x, self.module.devices("gpu")[0])

    def address(self, x):
        return x.unsafe_buffer_pointer()

    def take(self, array):
        return self.module.dlpack.from_dlpack(array)

    def numpy(self, x):
        return np.asarray(x)


class OfNumba:
    types = TYPES

    def __init__(self):
        self.module = pytest.importorskip("numba.cuda")
        if not self.module.is_available():
            pytest.skip("Numba finds no GPU")

    def put(self, x):
        return self.module.to_device(x)

    def address(self, x):
        return x.__cuda_array_interface__["data"][0]

    def take(self, array):
        return self.module.as_cuda_array(array)

    def numpy(self, x):
        return x.copy_to_host()


@pytest.fixture(params=[OfCuPy, OfTorch, OfJax, OfNumba], ids=lambda other: other.__name__[2:])
def other(request):
    return request.param()


def test_elements_stay_where_they_are(other):
    for dtype in other.types:
        x = numbers(dtype, (33, 5))
        theirs = other.put(x)
        ours = heddle.asarray(theirs)
        assert ours.device == "gpu:0" and ours.dtype == dtype and ours.shape == (33, 5)
        assert address(ours) == other.address(theirs)
        np.testing.assert_array_equal(np.asarray(ours), x)
        back = other.take(ours)
        assert other.address(back) == address(ours)
        np.testing.assert_array_equal(other.numpy(back), x)
        assert address(heddle.asarray(theirs, copy=True)) != other.address(theirs)
        assert address(heddle.asarray(theirs, copy=False)) == other.address(theirs)


def test_results_are_numpys(other):
    for dtype in other.types:
        x = numbers(dtype, (33, 5))
        theirs = other.put(x)
        for have, want in ((heddle.sum(theirs), x.sum()), (heddle.sum(theirs, axis=0), x.sum(0)), (heddle.cumsum(theirs, axis=1), x.cumsum(1))):
            assert isinstance(have, heddle.Array) and have.device == "gpu:0"
            np.testing.assert_array_equal(np.asarray(have), want.astype(have.dtype))
            np.testing.assert_array_equal(other.numpy(other.take(have)) if have.dtype.name in other.types else want, want)
        # A result where the elements are, of a target elsewhere too.
        np.testing.assert_array_equal(np.asarray(heddle.sum(theirs, axis=0, target="serial")), x.sum(0))


def test_memory_lives_as_long_as_the_last_of_them(other):
    x = numbers("float32", (1000,))
    ours = heddle.asarray(other.put(x))
    gc.collect()
    theirs = other.take(heddle.cumsum(ours))
    np.testing.assert_array_equal(np.asarray(ours), x)
    del ours
    gc.collect()
    for _ in range(20):
        heddle.cumsum(other.put(np.zeros(1000, np.float32)))
    np.testing.assert_array_equal(other.numpy(theirs), np.cumsum(x))


def test_empty_and_without_axes(other):
    for shape in ((), (0,), (0, 3), (1, 1, 1)):
        x = np.ones(shape, np.float32)
        ours = heddle.asarray(other.put(x))
        assert ours.shape == shape and float(heddle.sum(ours)) == x.size


def test_out_is_their_memory(other):
    if other.__class__ is OfJax:
        pytest.skip("JAX's arrays are read-only")
    theirs = other.put(np.ones(1000, np.float32))
    heddle.cumsum(theirs, out=heddle.asarray(theirs))
    np.testing.assert_array_equal(other.numpy(theirs), np.arange(1, 1001, dtype=np.float32))


def test_strided_arrays_are_gathered_there():
    cupy = pytest.importorskip("cupy")
    for dtype in TYPES:
        x = numbers(dtype, (6, 5, 4))
        theirs = cupy.asarray(x)
        for key in ((slice(None), slice(None, None, 2)), (slice(None, None, -1),), (..., 1), (slice(1, 3),)):
            np.testing.assert_array_equal(np.asarray(heddle.asarray(theirs[key])), x[key])
        np.testing.assert_array_equal(np.asarray(heddle.sum(theirs.T, axis=0)), x.T.sum(0))
        np.testing.assert_array_equal(np.asarray(heddle.cumsum(theirs.transpose(1, 2, 0), axis=1)), np.cumsum(x.transpose(1, 2, 0), axis=1))
    with pytest.raises(ValueError, match="without a copy"):
        heddle.asarray(theirs.T, copy=False)


# Long enough that a reader which does not wait for the stream sees what was there before.
SLOW = """
extern "C" __global__ void slow(float* x, long long n, float value, long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {}
  for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (long long)gridDim.x * blockDim.x) x[i] = value;
}
"""
CYCLES = 60_000_000  # some 30 ms


def test_streams_of_cupy_are_honoured():
    cupy = pytest.importorskip("cupy")
    slow = cupy.RawKernel(SLOW, "slow")
    x = cupy.zeros(1 << 20, np.float32)
    cupy.cuda.get_current_stream().synchronize()
    stream = cupy.cuda.Stream(non_blocking=True)
    for value in (1, 2, 3):
        with stream:
            slow((64,), (256,), (x, np.int64(x.size), np.float32(value), np.int64(CYCLES)))
            ours = heddle.asarray(x)
            assert ours.target.stream == 0  # which has waited: the stream may end before the array
            total, sums = heddle.sum(ours), heddle.cumsum(ours, target="gpu")
            doubled = cupy.from_dlpack(sums) * 2
        assert float(total) == value * x.size
        assert float(doubled[-1]) == 2.0 * value * x.size
    # And what CuPy does on its stream comes after what Heddle does on another.
    another = cupy.cuda.Stream(non_blocking=True)
    busy = heddle.Target("gpu", stream=another.ptr)
    y = heddle.asarray(np.ones(1 << 24, np.float32)).on("gpu")
    for _ in range(20):
        y = heddle.cumsum(y, target=busy)
        y = heddle.transform("a * 0 + 1", y, target=busy)
    with stream:
        assert float(cupy.from_dlpack(y).sum()) == 1 << 24
    del y
    gc.collect()
    another.synchronize()


def test_results_outlive_the_stream_of_what_came_in():
    cupy = pytest.importorskip("cupy")
    kept = []
    for _ in range(20):
        stream = cupy.cuda.Stream(non_blocking=True)
        with stream:
            x = cupy.ones((100, 30), np.int32)
            kept += [heddle.asarray(x), heddle.sum(x), heddle.cumsum(x), heddle.asarray(x.T), heddle.asarray(x, dtype="float32"),
                     heddle.asarray(x, copy=True), heddle.transform("a + 1", x), heddle.asarray(x)[1:, ::2]]
        del stream
    gc.collect()
    assert all(array.target.stream == 0 for array in kept)
    assert float(sum(float(heddle.sum(array)) for array in kept)) > 0
    del kept
    gc.collect()
    assert heddle.sum(np.ones(10), target="gpu") == 10


def test_streams_of_torch_are_honoured():
    torch = pytest.importorskip("torch")
    stream = torch.cuda.Stream()
    x = torch.zeros(1 << 20, device="cuda")
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        for value in (1, 2, 3):
            torch.cuda._sleep(CYCLES)
            x.fill_(value)
            assert float(heddle.sum(heddle.asarray(x))) == value * x.numel()
            sums = heddle.cumsum(x)
            total = heddle.sum(x, target="gpu")
            assert float(torch.from_dlpack(sums)[-1]) == value * x.numel()
            assert float(total) == value * x.numel()


def test_memory_is_not_freed_while_it_is_read():
    torch = pytest.importorskip("torch")
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for k in range(30):
            x = torch.full((1 << 22,), 1.0, device="cuda")
            total = heddle.sum(x, target="gpu")
            del x
            torch.full((1 << 22,), 7.0, device="cuda")  # in the memory of x
            assert float(total) == 1 << 22


def test_dlpack_with_device_and_copy():
    x = numbers("float32", (100,))
    array = heddle.asarray(x).on("gpu")
    assert array.__dlpack_device__() == (DLPACK_CUDA, 0)
    np.testing.assert_array_equal(np.from_dlpack(array, device="cpu"), x)
    np.testing.assert_array_equal(np.from_dlpack(array, device="cpu", copy=True), x)
    with pytest.raises(BufferError):
        np.from_dlpack(array, device="cpu", copy=False)
    torch = pytest.importorskip("torch")
    for stream in (None, 1, 2, -1, torch.cuda.Stream().cuda_stream):
        for version in (None, (1, 0)):
            capsule = array.__dlpack__(stream=stream, max_version=version)
            assert ("dltensor_versioned" if version else "dltensor") in str(capsule)
    same = torch.utils.dlpack.from_dlpack(array.__dlpack__(max_version=None))
    copy = torch.utils.dlpack.from_dlpack(array.__dlpack__(copy=True))
    assert same.data_ptr() == address(array) and copy.data_ptr() != address(array)
    on_gpu = heddle.asarray(x)
    moved = torch.utils.dlpack.from_dlpack(on_gpu.__dlpack__(dl_device=(DLPACK_CUDA, 0)))
    assert moved.is_cuda and torch.equal(moved.cpu(), torch.from_numpy(x))
    with pytest.raises(BufferError):
        on_gpu.__dlpack__(dl_device=(DLPACK_CUDA, 0), copy=False)
    assert heddle.array_api.from_dlpack(moved).device == "gpu:0"
    assert heddle.array_api.from_dlpack(moved, device="cpu").device == "cpu"
    with pytest.raises(BufferError):
        heddle.array_api.from_dlpack(moved, device="cpu", copy=False)


def test_the_interface_of_cuda_arrays():
    array = heddle.asarray(numbers("complex64", (3, 4))).on("gpu")
    interface = array.__cuda_array_interface__
    assert interface["version"] == 3 and interface["shape"] == (3, 4) and interface["typestr"] == "<c8"
    assert interface["strides"] is None and interface["stream"] == 1 and interface["data"][1] is False
    with pytest.raises(AttributeError):
        heddle.asarray(numbers("float32", (3,))).__cuda_array_interface__

    class Masked:
        __cuda_array_interface__ = interface | {"mask": interface}

    class Odd:
        __cuda_array_interface__ = interface | {"strides": (33, 8)}

    with pytest.raises(TypeError, match="mask"):
        heddle.sum(Masked())
    with pytest.raises(ValueError, match="strides"):
        heddle.sum(Odd())


def test_a_kernel_of_numba_writes_to_it():
    OfNumba()
    from numba import cuda

    try:
        import numba.cuda.np.arrayobj  # noqa: F401
    except (ImportError, AttributeError) as e:
        pytest.skip(f"Numba does not know this NumPy: {e}")

    @cuda.jit
    def add_one(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] += 1

    array = heddle.asarray(np.zeros(1000, np.float32)).on("gpu")
    add_one[4, 256](array)
    assert float(heddle.sum(array)) == 1000
