"""The expressions that heddle.array_api compiles for arrays of a GPU, on a CPU and against NumPy."""

import shutil

import numpy as np
import pytest

import heddle
from conftest import TYPES, numbers, outcome
from heddle import array_api as xp
from heddle.array_api import _elementwise as elementwise
from test_array_api import equal, is_refused, samples

# NumPy warns of what is not finite, and the standard says nothing of it.
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
needs_compiler = pytest.mark.skipif(not (shutil.which("g++") or shutil.which("clang++")), reason="there is no compiler")


def expressible():
    return [name for name in (*elementwise.UNARY, *elementwise.BINARY) if name != "nextafter"]


@pytest.mark.parametrize("dtype", TYPES)
def test_expressions_have_numpys_types(dtype):
    # Of no elements nothing is compiled.
    for other in TYPES:
        x, y = np.empty(0, dtype), np.empty(0, other)
        for name in expressible():
            operands = (x,) if name in elementwise.UNARY else (x, y)
            have = outcome(lambda: elementwise.by_expression(name, tuple(map(heddle.asarray, operands)), "serial"))
            want = outcome(lambda: getattr(np, name)(*operands))
            if isinstance(want, Exception) or is_refused(name, *operands):
                assert isinstance(have, TypeError), f"{name}: {have!r}"
            elif want.dtype != np.float16:
                assert have.dtype == want.dtype, name
            else:
                assert have.dtype == np.float32, name


@needs_compiler
@pytest.mark.parametrize("dtype", TYPES)
def test_expressions_have_numpys_values(dtype):
    """All functions of a type in one expression, which a compiler takes a second for: row k of the result is function k."""
    x, y = samples(dtype)[-28:], np.roll(samples(dtype), 3)[-28:]
    if np.dtype(dtype).kind in "iu":
        # NumPy refuses negative powers, and the largest numbers are no float64.
        x, y = np.minimum(x, 100), np.minimum(np.abs(y), 7)
    wanted = {}
    for name in expressible():
        operands = (x,) if name in elementwise.UNARY else (x, y)
        want = outcome(lambda: getattr(np, name)(*operands))
        if not isinstance(want, Exception) and not is_refused(name, x):
            wanted[name] = want
    expression = "complex128(0 * a)"
    for k, name in enumerate(wanted):
        expression = f"where(k == {k}, complex128({(elementwise.UNARY | elementwise.BINARY)[name][0]}), {expression})"
    rows = heddle.transform(expression, k=np.arange(len(wanted), dtype=np.int32)[:, None], a=x, b=y, target="serial")
    for row, (name, want) in zip(rows, wanted.items(), strict=True):
        tolerance = 2e-3 if want.dtype == np.float16 else 1e-5 if want.dtype in (np.float32, np.complex64) else 1e-12
        if np.iscomplexobj(want):
            finite = np.isfinite(x) & np.isfinite(y) & np.isfinite(want)
            row, want = row[finite], want[finite]
        np.testing.assert_allclose(row, want.astype(np.complex128), rtol=tolerance, atol=tolerance, err_msg=name)


@needs_compiler
def test_expressions_with_numbers_of_python():
    x = numbers("int8", (5,))
    a = heddle.asarray(x)
    for name, operands, want in (("add", (a, 3), x + 3), ("pow", (2.5, a), 2.5**x), ("equal", (a, 300), x == 300)):
        equal(elementwise.by_expression(name, operands, "serial"), want)
    with pytest.raises(OverflowError):
        elementwise.by_expression("add", (a, 300), "serial")
    with pytest.raises(ValueError, match="broadcast"):
        elementwise.by_expression("add", (a, heddle.asarray(x[:2])), "serial")


@pytest.fixture
def as_on_a_gpu(monkeypatch):
    """Functions take arrays for those of a GPU, which is the target "serial"."""
    from heddle.array_api import _creation, _manipulation, _methods, _patterns, _places, linalg

    for module in (_creation, _manipulation, _methods, _patterns, _places, elementwise, linalg):
        monkeypatch.setattr(module, "place_of", lambda *arrays: heddle.Target("serial"))


@needs_compiler
def test_functions_on_a_gpu(as_on_a_gpu, monkeypatch):
    compiled = []
    transform = heddle._core.transform
    monkeypatch.setattr(heddle._core, "transform", lambda expression, *rest: compiled.append(expression) or transform(expression, *rest))
    x = numbers("float32", (3, 4))
    a, mask = xp.asarray(x, copy=True), numbers("bool", (4,))
    equal(a + 3, x + 3)
    equal(3 - a, 3 - x)
    equal(xp.sin(a), np.sin(x))
    equal(xp.where(xp.asarray(mask), a, 0.5), np.where(mask, x, np.float32(0.5)))
    equal(xp.clip(a, 0, 1), np.clip(x, np.float32(0), np.float32(1)))
    assert compiled == ["a + b", "a - b", "sin(a)", "where(a, b, c)", "maximum(a, b)", "minimum(a, b)"]
    # What has no expression goes through the CPU.
    equal(xp.nextafter(a, a + 1), np.nextafter(x, x + 1))
    equal(a[1:, ::2], x[1:, ::2])
    equal(xp.concat([a, a]), np.concatenate([x, x]))
    equal(xp.clip(a), x)
    alias = np.asarray(a)
    a[0] = 7
    a += 1
    x[0] = 7
    x += 1
    np.testing.assert_array_equal(alias, x)
    equal(a, x)
