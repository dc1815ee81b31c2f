"""Arrays of PyTorch, of which the tests' own environment has none: `pip install torch` in another one."""

import gc

import numpy as np
import pytest

import heddle
from heddle import array_api

torch = pytest.importorskip("torch")

DEVICES = ["cpu"] + (["cuda"] if torch.cuda.is_available() else [])
TYPES = [torch.bool, torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8, torch.float32, torch.float64, torch.complex64,
         torch.complex128]


@pytest.fixture(params=DEVICES)
def device(request):
    return request.param


def numbers(dtype, device, shape=(3, 5)):
    return (torch.arange(15).reshape(shape) % 4).to(dtype).to(device)


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_a_tensor_there_and_back(dtype, device):
    x = numbers(dtype, device)
    array = heddle.asarray(x)
    assert array.shape == tuple(x.shape) and np.dtype(array.dtype) == torch.empty(0, dtype=dtype).numpy().dtype
    back = torch.from_dlpack(array)
    assert back.data_ptr() == x.data_ptr() and back.dtype == x.dtype and back.device == x.device
    assert torch.equal(back, x)


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_results_are_pytorchs(dtype, device):
    x = numbers(dtype, device)
    # Sums of unsigned elements are uint64, as NumPy's, and PyTorch's int64.
    for have, want in ((heddle.sum(x, axis=1), x.sum(1)), (heddle.cumsum(x, axis=0), x.cumsum(0))):
        assert torch.equal(torch.from_dlpack(have).to(want.dtype).cpu(), want.cpu())
    if not dtype.is_complex:
        assert torch.equal(torch.from_dlpack(heddle.sort(x.reshape(-1))).cpu(), x.reshape(-1).sort().values.cpu())


def test_what_one_writes_the_other_sees(device):
    x = torch.zeros(1000, device=device)
    array = heddle.asarray(x)
    x += 2
    assert float(heddle.sum(array)) == 2000
    torch.from_dlpack(array).mul_(3)
    assert float(x.sum()) == 6000
    heddle.cumsum(x, out=array)
    assert float(x[-1]) == 6000


def test_a_part_of_a_tensor(device):
    x = numbers(torch.float32, device, (3, 5))
    assert heddle.asarray(x[1]).nbytes == 20 and float(heddle.sum(x[1:])) == float(x[1:].sum())
    assert float(heddle.sum(x[:, ::2])) == float(x[:, ::2].sum())
    assert torch.equal(torch.from_dlpack(heddle.sum(x.T, axis=0)), x.T.sum(0))
    with pytest.raises(ValueError, match="without a copy"):
        heddle.asarray(x.T, copy=False)


def test_shapes_at_the_edge(device):
    for shape in [(), (0,), (0, 3), (1, 1, 1), (2, 3, 4, 5)]:
        x = torch.ones(shape, device=device)
        assert float(heddle.sum(x)) == x.numel()
        assert torch.from_dlpack(heddle.asarray(x)).shape == x.shape


def test_tensors_that_are_refused(device):
    with pytest.raises(BufferError, match="gradient"):
        heddle.sum(torch.ones(3, device=device, requires_grad=True))
    for dtype in (torch.float16, torch.bfloat16):
        with pytest.raises(TypeError):
            heddle.sum(torch.ones(3, device=device, dtype=dtype))
    # Its memory has other numbers.
    with pytest.raises(BufferError):
        heddle.sum(torch.ones(3, device=device, dtype=torch.complex64).conj())
    negated = torch.ones(3, device=device, dtype=torch.complex64).conj().imag
    assert negated.is_neg()
    for function in (heddle.sum, heddle.asarray, array_api.from_dlpack):
        with pytest.raises(BufferError, match="resolve_neg"):
            function(negated)
    assert float(heddle.sum(negated.resolve_neg())) == 0
    for elsewhere in (torch.ones(3, device="meta"), torch.eye(3, device=device).to_sparse()):
        with pytest.raises(BufferError):
            heddle.sum(elsewhere)


def test_the_memory_lives_as_long_as_the_last_of_them(device):
    x = numbers(torch.float64, device)
    array = heddle.asarray(x)
    del x
    gc.collect()
    back = torch.from_dlpack(array)
    del array
    gc.collect()
    assert float(back.sum()) == float(numbers(torch.float64, device).sum())


def test_of_a_heddle_array_many_tensors(device):
    x = heddle.asarray(np.arange(6.0)).on("serial" if device == "cpu" else "gpu")
    views = [torch.from_dlpack(x) for _ in range(10)]
    assert len({v.data_ptr() for v in views}) == 1
    del x
    gc.collect()
    assert all(float(v.sum()) == 15 for v in views)


@pytest.mark.skipif("cuda" not in DEVICES, reason="PyTorch has no GPU")
def test_the_current_stream_of_pytorch():
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        x = torch.ones(1 << 22, device="cuda")
        for _ in range(50):
            x = x * 1.0
        assert float(heddle.sum(x)) == 1 << 22
