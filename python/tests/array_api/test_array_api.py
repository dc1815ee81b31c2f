"""heddle.array_api against NumPy: values, types, operators, devices and errors."""

import operator
import types

import numpy as np
import pytest

import heddle
from conftest import TYPES, numbers, outcome
from heddle import array_api as xp
from heddle.array_api import _elementwise as elementwise

# NumPy warns of what is not finite, and the standard says nothing of it.
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
OPERATORS = {"add": "add", "sub": "subtract", "mul": "multiply", "truediv": "true_divide", "floordiv": "floor_divide", "mod": "remainder",
             "pow": "power", "and_": "bitwise_and", "or_": "bitwise_or", "xor": "bitwise_xor", "lshift": "left_shift", "rshift": "right_shift"}
COMPARISONS = {"eq": "equal", "ne": "not_equal", "lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal"}


def equal(have, want):
    """Whether an array has NumPy's type, shape and values, and memory of its own in C order."""
    want = np.asarray(want)
    # What NumPy computes in float16 Heddle computes in float32.
    apart = 2e-3 if want.dtype == np.float16 else 0
    if want.dtype == np.float16:
        want = want.astype(np.float32)
    assert isinstance(have, heddle.Array), type(have)
    assert have.dtype == want.dtype and have.shape == want.shape, f"{have.dtype}{have.shape}, not {want.dtype}{want.shape}"
    tolerance = 1e-3 if want.dtype in (np.float32, np.complex64) else 1e-12
    np.testing.assert_allclose(np.asarray(have), want, rtol=tolerance if want.dtype.kind in "fc" else 0, atol=apart)


def agree(have, want):
    """Two calls give the same, or both refuse with the same class."""
    have, want = outcome(have), outcome(want)
    if isinstance(want, Exception):
        kinds = (TypeError, ValueError, IndexError, OverflowError)
        assert isinstance(have, next(k for k in kinds if isinstance(want, k))), f"{have!r}, not {want!r}"
    elif isinstance(have, Exception):
        raise have
    else:
        equal(have, want)


def is_refused(name, *arrays):
    """Orders of complex numbers, which NumPy has and Heddle does not."""
    return name in ("greater", "greater_equal", "less", "less_equal", "maximum", "minimum") and any(x.dtype.kind == "c" for x in arrays)


def samples(dtype, seed=0):
    """Positive numbers and others, 0 and 1, and what is not finite."""
    x = numbers(dtype, (24,), seed)
    if x.dtype.kind in "fc":
        x = np.concatenate([x, x / 3 + x.dtype.type(0.1), np.array([np.inf, -np.inf, np.nan, 0.0, -0.0, 2.5, 0.5, -1.5], x.dtype)])
    elif x.dtype.kind in "iu":
        x = np.concatenate([x, np.array([np.iinfo(dtype).max, np.iinfo(dtype).min, 7, 100], dtype)])
    return x


@pytest.mark.parametrize("dtype", TYPES)
def test_functions_of_one(dtype):
    x = samples(dtype)
    for name in elementwise.UNARY:
        agree(lambda: getattr(xp, name)(xp.asarray(x)), lambda: getattr(np, name)(x) if name != "round" or dtype != "bool" else x.astype("f4"))


@pytest.mark.parametrize("dtype", TYPES)
def test_functions_of_two_and_promotion(dtype):
    for other in TYPES:
        x, y = samples(dtype)[:20].reshape(4, 5), samples(other, 1)[-5:]
        for name in elementwise.BINARY:
            if is_refused(name, x, y):
                with pytest.raises(TypeError, match="no order"):
                    getattr(xp, name)(xp.asarray(x), xp.asarray(y))
            else:
                agree(lambda: getattr(xp, name)(xp.asarray(x), xp.asarray(y)), lambda: getattr(np, name)(x, y))


@pytest.mark.parametrize("dtype", TYPES)
def test_numbers_of_python_take_the_type_of_the_array(dtype):
    x = samples(dtype)
    for number in (True, 3, 2.5, 1 + 2j, 300, -1, float("nan")):
        for name in elementwise.BINARY:
            if not is_refused(name, x, np.asarray(number)):
                agree(lambda: getattr(xp, name)(xp.asarray(x), number), lambda: getattr(np, name)(x, number))
                agree(lambda: getattr(xp, name)(number, xp.asarray(x)), lambda: getattr(np, name)(number, x))


@pytest.mark.parametrize("dtype", TYPES)
def test_operators(dtype):
    x, y = numbers(dtype, (3, 4)), numbers(dtype, (4,), 1)
    if x.dtype.kind == "i":
        x, y = np.abs(x), np.abs(y)
    for name, of_numpy in (OPERATORS | COMPARISONS).items():
        do = getattr(operator, name)
        if is_refused(of_numpy, x):
            continue
        agree(lambda: do(xp.asarray(x), xp.asarray(y)), lambda: do(x, y))
        agree(lambda: do(xp.asarray(x), y), lambda: do(x, y))
        agree(lambda: do(x, xp.asarray(y)), lambda: do(x, y))
        agree(lambda: do(xp.asarray(x), x.dtype.type(1)), lambda: do(x, x.dtype.type(1)))
        agree(lambda: do(1, xp.asarray(x)), lambda: do(1, x))
    for name in ("neg", "pos", "invert", "abs"):
        agree(lambda: getattr(operator, name)(xp.asarray(x)), lambda: getattr(operator, name)(x))


@pytest.mark.parametrize("dtype", TYPES)
def test_operators_in_place(dtype):
    for name in OPERATORS:
        do = getattr(operator, "i" + name.rstrip("_"))
        x, y = np.abs(numbers(dtype, (3, 4))), np.abs(numbers(dtype, (4,), 1))
        a, alias = xp.asarray(x, copy=True), None
        alias = np.asarray(a)
        want = outcome(lambda: do(x.copy(), y))
        if isinstance(want, Exception):
            with pytest.raises(TypeError):
                do(a, xp.asarray(y))
            np.testing.assert_array_equal(alias, x)
        else:
            result = do(a, xp.asarray(y))
            assert result is a
            equal(a, want)
            np.testing.assert_array_equal(alias, np.asarray(a))
    a = xp.ones((2, 2))
    a @= xp.ones((2, 2))
    equal(a, np.full((2, 2), 2.0))
    with pytest.raises(ValueError):
        a += xp.ones((3, 2, 2))


def test_operators_leave_others_to_others():
    class Other:
        def __radd__(self, x):
            return "added"

    x = xp.ones(3)
    assert x + Other() == "added"
    for wrong in ([1, 2, 3], "text", None):
        with pytest.raises(TypeError):
            x + wrong
        with pytest.raises(TypeError):
            x += wrong
    assert (x == "text") is False and (x != "text") is True
    with pytest.raises(TypeError, match="unhashable"):
        hash(x)
    with pytest.raises(TypeError, match="all are numbers"):
        xp.add(1, 2)
    with pytest.raises(TypeError, match="asarray makes one"):
        xp.sin([1.0])


CREATED = [("arange", (5,), {}), ("arange", (2, 9, 3), {}), ("arange", (5, 0, -2), {"dtype": "float32"}), ("arange", (0.5, 3), {}), ("arange", (0,), {}),
           ("linspace", (0, 1, 5), {}), ("linspace", (0, 1j, 4), {}), ("linspace", (1, 3, 4), {"endpoint": False, "dtype": "float32"}),
           ("eye", (3,), {}), ("eye", (2, 3), {"k": 1, "dtype": "int8"}), ("zeros", ((2, 3),), {}), ("zeros", (4,), {"dtype": "bool"}),
           ("ones", ((2, 0),), {"dtype": "complex64"}), ("ones", ((),), {}), ("full", ((2, 2), 7), {}), ("full", (3, True), {}),
           ("full", (3, 2.5), {}), ("full", (3, 2j), {}), ("full", (3, 2), {"dtype": "uint8"})]


@pytest.mark.parametrize("name, arguments, keywords", CREATED)
def test_new_arrays(name, arguments, keywords):
    equal(getattr(xp, name)(*arguments, **keywords), getattr(np, name)(*arguments, **keywords))
    on_cpu = getattr(xp, name)(*arguments, **keywords, device="cpu")
    assert on_cpu.device == "cpu" and not np.asarray(on_cpu).flags.writeable is False


def test_arrays_like_others():
    x = xp.asarray(numbers("int16", (2, 3)))
    for name in ("zeros_like", "ones_like", "empty_like"):
        have = getattr(xp, name)(x)
        assert have.shape == (2, 3) and have.dtype == xp.int16
        assert getattr(xp, name)(x, dtype=xp.float32).dtype == xp.float32
    equal(xp.full_like(x, 3), np.full((2, 3), 3, np.int16))
    assert xp.empty((2, 3)).dtype == xp.float64


def test_asarray():
    from test_arrays import Producer

    for given, dtype in ((1, "int64"), (1.5, "float64"), (2j, "complex128"), (True, "bool"), ([[1, 2], [3, 4]], "int64"), ([], "float64"),
                         ([1, 2.5], "float64"), (np.float32(1), "float32"), (range(3), "int64")):
        have = xp.asarray(given)
        equal(have, np.asarray(given))
        assert have.dtype == dtype
        have[...] = True
    equal(xp.asarray([xp.asarray(1), xp.asarray(2)]), [1, 2])
    x = np.arange(6.0).reshape(2, 3)
    shared = lambda y: np.shares_memory(np.asarray(y), x)
    assert shared(xp.asarray(x)) and shared(xp.asarray(x, copy=False)) and not shared(xp.asarray(x, copy=True))
    assert shared(xp.from_dlpack(x)) and not shared(xp.from_dlpack(x, copy=True))
    for call in (lambda: xp.asarray([1], copy=False), lambda: xp.asarray(x.T, copy=False), lambda: xp.asarray(x, dtype="int8", copy=False)):
        with pytest.raises(ValueError, match="copy"):
            call()
    for strided in (x.T, Producer(x.T)):
        with pytest.raises(BufferError):
            xp.from_dlpack(strided, copy=False)
        equal(xp.from_dlpack(strided), x.T)
    assert shared(xp.from_dlpack(Producer(x), copy=False))
    with pytest.raises(AttributeError, match="__dlpack__"):
        xp.from_dlpack([1])
    for wrong in ([object()], "text", np.zeros(2, np.float16)):
        with pytest.raises(TypeError):
            xp.asarray(wrong)
    with pytest.raises(OverflowError):
        xp.asarray(300, dtype=xp.int8)


MOVED = [("broadcast_to", ((2, 3, 4),), {}, None), ("expand_dims", (1,), {}, None), ("expand_dims", (-1,), {}, None), ("flip", (), {}, None),
         ("flip", (), {"axis": 1}, None), ("flip", (), {"axis": (0, -1)}, None), ("moveaxis", (0, 1), {}, None), ("permute_dims", ((1, 0),), {}, None),
         ("repeat", (2,), {}, None), ("repeat", (2,), {"axis": 1}, None), ("reshape", ((4, 3),), {}, None), ("reshape", ((2, -1),), {}, None),
         ("reshape", (12,), {}, None), ("roll", (1,), {}, None), ("roll", ((1, 2),), {"axis": (0, 1)}, None), ("tile", ((2, 1),), {}, None),
         ("tril", (), {}, None), ("triu", (), {"k": 1}, None), ("matrix_transpose", (), {}, None), ("diff", (), {}, None),
         ("diff", (), {"axis": 0, "n": 2}, None)]


@pytest.mark.parametrize("name, arguments, keywords, _", MOVED)
def test_manipulation(name, arguments, keywords, _):
    for dtype in ("int8", "complex64", "float64"):
        x = numbers(dtype, (3, 4))
        have = getattr(xp, name)(xp.asarray(x), *arguments, **keywords)
        equal(have, getattr(np, name)(x, *arguments, **keywords))
        shares = name in ("reshape", "expand_dims")
        assert np.shares_memory(np.asarray(have), x) == shares


def test_manipulation_of_several():
    x, y, z = numbers("int8", (2, 3)), numbers("int32", (2, 3), 1), numbers("uint8", (3,))
    a, b, c = map(xp.asarray, (x, y, z))
    equal(xp.concat([a, b]), np.concatenate([x, y]))
    equal(xp.concat((a, b, c), axis=None), np.concatenate((x, y, z), axis=None))
    equal(xp.stack([a, b], axis=-1), np.stack([x, y], axis=-1))
    for have, want in zip(xp.unstack(a, axis=1), np.unstack(x, axis=1), strict=True):
        equal(have, want)
    for have, want in zip(xp.broadcast_arrays(a, c), np.broadcast_arrays(x, z), strict=True):
        equal(have, want)
    for have, want in zip(xp.meshgrid(c, c, indexing="ij"), np.meshgrid(z, z, indexing="ij"), strict=True):
        equal(have, want)
    equal(xp.squeeze(xp.asarray(x[:, None, :, None]), (1, -1)), x)
    equal(xp.repeat(c, xp.asarray([0, 2, 1])), np.repeat(z, [0, 2, 1]))
    equal(xp.diff(a, prepend=a, append=a), np.diff(x, prepend=x, append=x))
    equal(a.T, x.T)
    equal(xp.asarray(numbers("int8", (2, 3, 4))).mT, np.swapaxes(numbers("int8", (2, 3, 4)), 1, 2))
    equal(xp.take(c, xp.asarray([2, -1])), z[[2, -1]])
    equal(xp.take(a, xp.asarray([[2, 0]]), axis=1), np.take(x, [[2, 0]], 1))
    equal(xp.take_along_axis(a, xp.asarray([[2], [0]])), np.take_along_axis(x, np.array([[2], [0]]), -1))
    assert not np.shares_memory(np.asarray(xp.reshape(a, (6,), copy=True)), x)


def test_shapes_that_do_not_fit():
    x = xp.zeros((2, 3))
    for call, error in ((lambda: xp.reshape(x, (4, 2)), ValueError), (lambda: xp.reshape(x, (-1, 4)), ValueError), (lambda: xp.reshape(x, (-1, -1)), ValueError),
                        (lambda: xp.reshape(x, (-2, 3)), ValueError), (lambda: xp.squeeze(x, 0), ValueError), (lambda: xp.expand_dims(x, 3), IndexError),
                        (lambda: xp.expand_dims(x, -4), IndexError), (lambda: xp.broadcast_to(x, (2, 2)), ValueError), (lambda: xp.add(x, xp.zeros(2)), ValueError),
                        (lambda: xp.take(x, xp.asarray([0])), ValueError), (lambda: xp.take(x, xp.asarray([5]), axis=0), IndexError),
                        (lambda: xp.zeros(3).T, ValueError), (lambda: xp.zeros(3).mT, ValueError), (lambda: xp.nonzero(xp.asarray(1)), ValueError),
                        (lambda: xp.matmul(x, x), ValueError), (lambda: xp.concat([x, xp.zeros(2)]), ValueError), (lambda: xp.sum(x, axis=2), IndexError)):
        with pytest.raises(error):
            call()


@pytest.mark.parametrize("dtype", TYPES)
def test_patterns(dtype):
    x = numbers(dtype, (4, 5))
    a, is_complex = xp.asarray(x), x.dtype.kind == "c"
    names = ["sum", "prod", "any", "all", "mean", "var", "std"] + ([] if is_complex else ["max", "min", "argmax", "argmin"])
    for name in names:
        for keywords in ({}, {"axis": 0}, {"axis": 1, "keepdims": True}):
            equal(getattr(xp, name)(a, **keywords), getattr(np, name)(x, **keywords))
    equal(xp.var(a, axis=0, correction=1), np.var(x, axis=0, ddof=1))
    equal(xp.sum(a, axis=(0, 1), dtype=xp.complex128), np.sum(x, dtype="complex128"))
    equal(xp.count_nonzero(a, axis=0), np.count_nonzero(x, axis=0))
    for name in ("cumulative_sum", "cumulative_prod"):
        equal(getattr(xp, name)(a, axis=1, include_initial=True), getattr(np, name)(x, axis=1, include_initial=True))
    for have, want in zip(xp.nonzero(a), np.nonzero(x), strict=True):
        equal(have, want)
    equal(xp.matmul(a, xp.matrix_transpose(a)), x @ x.T)
    equal(a @ xp.asarray(x[0]), x @ x[0])
    equal(xp.vecdot(a, a), np.vecdot(x, x) if x.dtype.kind != "b" else np.any(x, -1))
    if dtype != "bool":
        equal(xp.tensordot(a, a), np.tensordot(x, x))
    if is_complex:
        with pytest.raises(TypeError):
            xp.sort(a)
        return
    equal(xp.sort(a, axis=0), np.sort(x, axis=0))
    equal(xp.argsort(a), np.argsort(x, stable=True))
    equal(xp.sort(a, descending=True), np.sort(x)[:, ::-1])
    order = np.array([sorted(range(5), key=lambda k: -int(row[k])) for row in x])
    equal(xp.argsort(a, descending=True), order)
    line = np.sort(x, None)
    equal(xp.searchsorted(xp.asarray(line), a, side="right"), np.searchsorted(line, x, side="right"))
    flat = x.reshape(-1)
    equal(xp.searchsorted(xp.asarray(flat), a, sorter=xp.argsort(xp.asarray(flat))), np.searchsorted(line, x))


@pytest.mark.parametrize("dtype", TYPES)
def test_sets(dtype):
    for x in (samples(dtype), numbers(dtype, (4, 5)), numbers(dtype, (0,))):
        x = np.where(np.isfinite(x) | np.isnan(x), x, x.dtype.type(1))
        a, want = xp.asarray(x), np.unique(x, return_index=True, return_inverse=True, return_counts=True, equal_nan=False)
        found = xp.unique_all(a)
        assert found._fields == ("values", "indices", "inverse_indices", "counts")
        for have, part in zip(found, want, strict=True):
            equal(have, part)
        equal(xp.unique_values(a), want[0])
        for have, part in zip(xp.unique_counts(a), (want[0], want[3]), strict=True):
            equal(have, part)
        for have, part in zip(xp.unique_inverse(a), (want[0], want[2]), strict=True):
            equal(have, part)


def test_choices():
    x, mask = numbers("float32", (3, 4)), numbers("bool", (4,))
    a, m = xp.asarray(x), xp.asarray(mask)
    equal(xp.where(m, a, xp.asarray(numbers("float64", (3, 1)))), np.where(mask, x, numbers("float64", (3, 1))))
    equal(xp.where(m, a, 2), np.where(mask, x, np.float32(2)))
    equal(xp.where(m, 1j, a), np.where(mask, np.complex64(1j), x))
    equal(xp.clip(a, 0.5, 1), np.clip(x, np.float32(0.5), np.float32(1)))
    equal(xp.clip(a, max=xp.asarray(x[0])), np.minimum(x, x[0]))
    assert not np.shares_memory(np.asarray(xp.clip(a)), x)
    equal(xp.clip(a), x)
    for bounds in ((0.5, None), (xp.asarray(1.5), None)):
        with pytest.raises(TypeError, match="does not fit int64"):
            xp.clip(xp.asarray([1, 2]), *bounds)


def test_types():
    for name in TYPES:
        assert getattr(xp, name) == np.dtype(name)
        for other in TYPES:
            assert xp.result_type(getattr(xp, name), xp.zeros(2, dtype=other)) == np.result_type(name, other)
            assert xp.can_cast(getattr(xp, name), other) == np.can_cast(name, other)
        for kind in ("bool", "signed integer", "unsigned integer", "integral", "real floating", "complex floating", "numeric"):
            assert xp.isdtype(getattr(xp, name), kind) == np.isdtype(np.dtype(name), kind)
            assert (name in xp.__array_namespace_info__().dtypes(kind=kind)) == xp.isdtype(getattr(xp, name), kind)
        for other in TYPES:
            x = xp.asarray(numbers(name, (3,)))
            if np.dtype(name).kind == "c" and np.dtype(other).kind in "iuf":
                with pytest.raises(TypeError, match="imaginary"):
                    xp.astype(x, other)
            elif np.dtype(other).kind != "u":
                equal(xp.astype(x, other), np.asarray(x).astype(other))
    assert xp.isdtype(xp.int8, (xp.int8, "bool")) and not xp.isdtype(xp.int8, (xp.int16, "bool"))
    assert xp.result_type(xp.float32, 1, 2.5) == xp.float32 and xp.result_type(xp.int8, 2.5) == xp.float64
    assert (xp.finfo(xp.complex64).dtype, xp.finfo(xp.zeros(1)).max, xp.iinfo(xp.uint8).max) == (xp.float32, np.finfo(float).max, 255)
    x = xp.asarray([1.0])
    assert xp.astype(x, xp.float64, copy=False) is x and xp.astype(x, xp.float64) is not x
    for call in (lambda: xp.isdtype(xp.int8, "whole"), lambda: xp.result_type(1, 2), lambda: xp.finfo(xp.int8), lambda: xp.iinfo(xp.float32),
                 lambda: xp.__array_namespace_info__().dtypes(kind="whole")):
        with pytest.raises(ValueError):
            call()


def test_the_namespace():
    x = xp.zeros(3)
    assert x.__array_namespace__() is xp and x.__array_namespace__(api_version="2022.12") is xp and xp.__array_api_version__ == "2024.12"
    with pytest.raises(ValueError, match="api_version"):
        x.__array_namespace__(api_version="2019.01")
    info = xp.__array_namespace_info__()
    assert info.capabilities() == {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}
    assert info.default_dtypes() == {"real floating": xp.float64, "complex floating": xp.complex128, "integral": xp.int64, "indexing": xp.int64}
    assert list(info.dtypes()) == TYPES and info.default_device() == "cpu" == info.devices()[0]
    assert (xp.pi, xp.e, xp.inf, xp.newaxis) == (np.pi, np.e, np.inf, None) and np.isnan(xp.nan)
    assert set(dir(xp)) >= set(xp.__all__) and "sum" in xp.__all__ and "fft" in xp.__all__


def test_devices():
    x = xp.zeros(3, device="cpu")
    assert x.device == "cpu" and x.to_device("cpu") is x
    for device in ("cpu", heddle.Target("serial"), "parallel:2"):
        assert xp.asarray([1], device=device).device == "cpu"
    with pytest.raises(ValueError):
        xp.zeros(3, device="tpu")
    if xp.__array_namespace_info__().devices() == ["cpu"]:
        with pytest.raises(heddle.Error):
            xp.zeros(3, device="gpu")


def test_methods_are_brought_in_by_the_first_use():
    from test_arrays import run_python

    # Each method before any other was used: what was there is put back in between.
    code = """
import sys, heddle, numpy
x = heddle.asarray(numpy.arange(3.0))
first = dict(vars(heddle.Array))
assert 'heddle.array_api' not in sys.modules
for use in (lambda: 2 - x, lambda: numpy.ones(3) + x, lambda: x[::-1], lambda: -x, lambda: x > 1, lambda: heddle.asarray([[1], [2]]).T[0]):
    for name, method in first.items():
        if heddle.Array.__dict__[name] is not method:
            setattr(heddle.Array, name, method)
    print(*numpy.asarray(use()).tolist())
kept = [name for name, method in first.items() if callable(method) and heddle.Array.__dict__[name] is method and name[:2] == '__']
print(*sorted(kept))
print(set(vars(heddle.Array)) == set(first), heddle.array_api.pi)
"""
    done = run_python(code)
    *values, kept, rest = done.stdout.splitlines() or [done.stderr] * 2
    assert values == ["2.0 1.0 0.0", "1.0 2.0 3.0", "2.0 1.0 0.0", "-0.0 -1.0 -2.0", "False False True", "1 2"], done.stderr
    assert [name for name in kept.split() if name not in ("__init__", "__new__")] == [
        "__array__", "__bool__", "__complex__", "__dlpack__", "__dlpack_device__", "__float__", "__format__", "__index__", "__int__", "__len__", "__reduce__",
        "__repr__"]
    assert rest == f"True {np.pi}"
    done = run_python("import heddle; print(heddle.array_api.zeros(2)); print(hasattr(heddle, 'array_apis'))")
    assert done.stdout == "heddle.Array([0., 0.], dtype=float64, device='cpu')\nFalse\n", done.stderr


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_transforms(dtype):
    x = numbers(dtype, (4, 6))
    a, is_complex = xp.asarray(x), x.dtype.kind == "c"
    for name in ("fft", "ifft", "irfft", "hfft") + (() if is_complex else ("rfft", "ihfft")):
        for keywords in ({}, {"n": 5, "axis": 0, "norm": "ortho"}):
            have, want = getattr(xp.fft, name)(a, **keywords), getattr(np.fft, name)(x, **keywords)
            assert have.dtype == want.dtype
            np.testing.assert_allclose(np.asarray(have), want, atol=1e-5 if a.dtype.itemsize <= 8 and dtype != "float64" else 1e-12)
    for name in ("fftn", "ifftn", "irfftn") + (() if is_complex else ("rfftn",)):
        np.testing.assert_allclose(np.asarray(getattr(xp.fft, name)(a, axes=(0, 1), norm="forward")), getattr(np.fft, name)(x, axes=(0, 1), norm="forward"), atol=1e-4)
    equal(xp.fft.fftshift(a, axes=1), np.fft.fftshift(x, axes=1))
    equal(xp.fft.ifftshift(a), np.fft.ifftshift(x))
    equal(xp.fft.fftfreq(5, d=0.5), np.fft.fftfreq(5, 0.5))
    equal(xp.fft.rfftfreq(5, dtype=xp.float32), np.fft.rfftfreq(5).astype(np.float32))


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_linear_algebra(dtype):
    x = numbers(dtype, (2, 3, 3)) + 4 * np.eye(3, dtype=dtype)
    hermitian = np.conj(np.swapaxes(x, -1, -2)) @ x
    a, h = xp.asarray(x), xp.asarray(hermitian)
    for name, given in (("cholesky", h), ("det", a), ("diagonal", a), ("eigvalsh", h), ("inv", a), ("matrix_norm", a), ("matrix_rank", a), ("pinv", a),
                        ("svdvals", a), ("trace", a), ("matrix_transpose", a)):
        equal(getattr(xp.linalg, name)(given), getattr(np.linalg, name)(np.asarray(given)))
    for name, fields, given in (("eigh", ("eigenvalues", "eigenvectors"), h), ("qr", ("Q", "R"), a), ("slogdet", ("sign", "logabsdet"), a), ("svd", ("U", "S", "Vh"), a)):
        found, want = getattr(xp.linalg, name)(given), getattr(np.linalg, name)(np.asarray(given))
        assert found._fields == fields
        for have, part in zip(found, want, strict=True):
            equal(have, part)
    equal(xp.linalg.solve(a, a), np.linalg.solve(x, x) + 0)
    equal(xp.linalg.cross(a, a[..., ::-1]), np.linalg.cross(x, x[..., ::-1]))
    equal(xp.linalg.outer(a[0, 0], a[1, 1]), np.outer(x[0, 0], x[1, 1]))
    equal(xp.linalg.matrix_power(a, 3), np.linalg.matrix_power(x, 3))
    equal(xp.linalg.vector_norm(a, axis=(0, 2), ord=3), np.linalg.vector_norm(x, axis=(0, 2), ord=3))
    with pytest.raises(np.linalg.LinAlgError):
        xp.linalg.inv(xp.zeros((2, 2)))
    with pytest.raises(ValueError, match="mode"):
        xp.linalg.qr(a, mode="raw")


def test_arrays_on_different_devices_do_not_meet():
    class Elsewhere:
        device = "gpu:1"
        target = None

    monkeypatch = pytest.MonkeyPatch()
    with monkeypatch.context() as patched:
        from heddle.array_api import _places

        patched.setattr(_places, "Array", (heddle.Array, Elsewhere))
        with pytest.raises(ValueError, match="arrays are on cpu and on gpu:1: bring them together with to_device"):
            _places.place_of(xp.zeros(1), 3, Elsewhere())


def test_every_function_has_an_example_that_runs():
    import doctest

    count = 0
    for module in (xp, xp.fft, xp.linalg):
        for name in module.__all__:
            function = getattr(module, name)
            if isinstance(function, types.FunctionType):
                example = doctest.DocTestParser().get_doctest(function.__doc__, {}, name, None, 0)
                assert example.examples or name in elementwise.UNARY or name in elementwise.BINARY, name
                assert doctest.DocTestRunner().run(example).failed == 0
                count += 1
    assert count > 160
