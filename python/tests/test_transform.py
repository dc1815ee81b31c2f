"""Expressions against NumPy. Each that is new takes a compiler a second, so that one has several types of operations."""

import shutil
import threading

import numpy as np
import pytest

import heddle
from conftest import layouts, numbers

pytestmark = pytest.mark.skipif(not (shutil.which("g++") or shutil.which("clang++")), reason="there is no compiler")


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int64", "float32", "complex64"])
def test_types_are_numpys(dtype):
    for _, x in layouts(numbers(dtype, (3, 4))):
        want = x * x + x
        have = heddle.transform("a * a + a", x, target="serial")
        assert have.dtype == want.dtype and have.shape == want.shape
        np.testing.assert_array_equal(have, want)


def test_functions_and_names(where):
    x, y = np.random.default_rng(1).random((2, 5000)) + 0.5
    have = heddle.transform("where(a > y, sqrt(a), log(y)) ** 2", x, y=y, target=where)
    np.testing.assert_allclose(have, np.where(x > y, np.sqrt(x), np.log(y)) ** 2, rtol=1e-12)


def test_shapes_are_broadcast(where):
    a, b, c = numbers("int32", (4, 1, 3)), numbers("float64", (5, 1)), numbers("int8", ())
    np.testing.assert_array_equal(heddle.transform("a + b * c", a, b, c, target=where), a + b * c)
    with pytest.raises(ValueError, match=r"cannot be broadcast together: a \(2,\), b \(3,\)"):
        heddle.transform("a + b", np.zeros(2), np.zeros(3))


def test_the_place_of_an_element():
    np.testing.assert_array_equal(heddle.transform("i * 2 + 0 * a", np.zeros((2, 3), np.int64)), np.arange(6).reshape(2, 3) * 2)
    assert heddle.transform("i * 2 + 0 * a", np.zeros((0, 3), np.int64)).shape == (0, 3)


def test_dtype_and_out():
    x = np.array([1.5, 2.5, 300.0])
    have = heddle.transform("a * 2", x, dtype="int16")
    assert have.dtype == np.int16 and have.tolist() == [3, 5, 600]
    out = np.zeros(3)
    assert heddle.transform("a * 2", x, out=out) is out and out.tolist() == [3, 5, 600]
    assert heddle.transform("a * 2", x, out=x) is x and x.tolist() == [3, 5, 600]
    array = heddle.transform("a * 2", heddle.asarray(x))
    assert isinstance(array, heddle.Array) and np.asarray(array).tolist() == [6, 10, 1200]
    assert heddle.transform("a * 2", 2.0) == 4


def test_what_is_wrong_is_named():
    for expression, error, text in (("a +", ValueError, "column"), ("a + q", ValueError, "q"), ("launch(a)", ValueError, "launch")):
        with pytest.raises(error, match=text):
            heddle.transform(expression, [1.0])
    with pytest.raises(ValueError, match="two arrays are called a"):
        heddle.transform("a", [1.0], a=[2.0])
    with pytest.raises(ValueError, match="needs an array"):
        heddle.transform("1 + 1")


def test_threads_share_what_is_compiled():
    results = []
    threads = [threading.Thread(target=lambda n=n: results.append((n, heddle.transform("a * 3 - 1", np.full(10, float(n)))))) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 4
    for n, result in results:
        assert (result == n * 3 - 1).all()


def test_what_is_nested_too_deeply_is_refused():
    for text in ("(" * 5000 + "x" + ")" * 5000, "-" * 5000 + "x", "not " * 5000 + "x", "x if x else " * 5000 + "x"):
        with pytest.raises(ValueError, match="nested too deeply"):
            heddle.transform(text, x=[1.0])
