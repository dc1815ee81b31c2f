"""What the tests share."""

import pathlib
import subprocess

import numpy as np
import pytest

import heddle

TYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64",
         "complex64", "complex128"]
SHAPES = [(), (0,), (1,), (7,), (1000,), (3, 4), (0, 5), (5, 0), (2, 3, 4), (4, 1, 6), (2, 0, 3), (0, 4, 0), (33, 65), (2, 3, 2, 5)]


def numbers(dtype, shape, seed=0):
    """Small whole numbers, whose sums are exact in every order, with some zeros."""
    generator = np.random.default_rng([seed, *shape])
    values = generator.integers(0, 4, shape)
    if np.dtype(dtype).kind in "ifc":
        values = values - 1
    array = np.asarray(values).astype(dtype)
    if np.dtype(dtype).kind == "c":
        array = array + np.asarray(1j * generator.integers(-1, 2, shape)).astype(dtype)
    return np.asarray(array, dtype=dtype)


def layouts(x):
    """The array as it is, strided, turned round, in Fortran's order, with swapped bytes, and not aligned."""
    yield "contiguous", x
    if x.ndim > 0:
        wide = np.repeat(x, 2, axis=-1)
        yield "strided", wide[..., ::2]
        yield "reversed", x[::-1]
    if x.ndim > 1:
        yield "Fortran", np.asfortranarray(x)
        yield "transposed", np.ascontiguousarray(x.T).T
    if x.dtype.itemsize > 1:
        yield "swapped", x.astype(x.dtype.newbyteorder())
        raw = np.zeros(x.nbytes + 1, dtype=np.uint8)
        shifted = raw[1:].view(x.dtype).reshape(x.shape)
        shifted[...] = x
        yield "shifted", shifted


def axes_of(ndim, several=True):
    """None, each axis from the front and from the back, and for several each pair and all."""
    yield None
    yield from range(-ndim, ndim)
    if several:
        yield ()
        yield from ((i, j) for i in range(ndim) for j in range(ndim) if i != j)
        yield tuple(range(ndim))


HAS_GPU = any(target.kind == "gpu" for target in heddle.Target.available())
needs_gpu = pytest.mark.skipif(not HAS_GPU, reason="this machine has no GPU")


@pytest.fixture(params=["serial", "parallel:2", "auto"] + ["gpu"] * HAS_GPU)
def where(request):
    return request.param


def outcome(call):
    """The result, or the class of the error."""
    try:
        return call()
    except Exception as e:
        return e


def same(have, want, exact=True):
    """Whether a result has NumPy's class, type, shape and values; and an error its class."""
    if isinstance(want, Exception):
        kinds = (np.exceptions.AxisError, TypeError, ValueError, IndexError)
        kind = next(k for k in kinds if isinstance(want, k))
        assert isinstance(have, kind), f"{have!r} instead of {want!r}"
        return
    if isinstance(have, Exception):
        raise have
    assert type(have) is type(want), f"{type(have)} instead of {type(want)}"
    assert have.dtype == want.dtype and have.shape == want.shape, f"{have.dtype}{have.shape}, not {want.dtype}{want.shape}"
    if exact:
        np.testing.assert_array_equal(have, want)
    else:
        tolerance = 1e-5 if have.dtype.itemsize <= 4 or have.dtype == np.complex64 else 1e-12
        np.testing.assert_allclose(have, want, rtol=tolerance, atol=tolerance)


@pytest.fixture
def command(tmp_path):
    """The command of the package, in a folder of its own: its standard output."""
    program = pathlib.Path(heddle.__file__).parent / "bin" / "heddle"
    if not program.exists():
        pytest.skip("the package has no command")

    def run(*arguments):
        ended = subprocess.run([program, *map(str, arguments)], cwd=tmp_path, capture_output=True, text=True)
        assert ended.returncode == 0, ended.stderr
        return ended.stdout
    return run
