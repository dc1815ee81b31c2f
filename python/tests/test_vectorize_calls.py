"""heddle.vectorize: what is refused, signatures, broadcasting, results, reductions and scans."""

import concurrent.futures
import functools
import importlib.util
import itertools
import pickle
import re
import shutil

import numpy as np
import pytest

import heddle
from conftest import layouts, numbers
from test_pages import ROOT
from test_vectorize_programs import module_of

pytestmark = pytest.mark.skipif(not (shutil.which("g++") or shutil.which("clang++")), reason="there is no compiler")


@heddle.vectorize(identity=0)
def add(a, b):
    return a + b


@heddle.vectorize
def fused(x, y, z):
    """x y + z"""
    return x * y + z


@heddle.vectorize
def later(f, g):
    """Composes x -> a x + b, modulo 256, of two bytes each: associative, and not commutative."""
    return (g >> 8) * (f >> 8) % 256 * 256 + ((g >> 8) * (f % 256) + g % 256) % 256


@heddle.vectorize
def larger(a, b):
    return a if a.real > b.real else b


# ------------------------------------------------------------------------------------------------------- refusals

REFUSED = [
    # statements
    ("try:\n        return x\n    except ValueError:\n        return 0", 2, "try is not supported: no element raises an error: test the value with if"),
    ("raise ValueError(x)", 2, "raise is not supported: no element raises an error: return a value such as math.nan"),
    ("assert x > 0\n    return x", 2, "assert is not supported"),
    ("with x:\n        return x", 2, "with is not supported"),
    ("import math\n    return x", 2, "import is not supported: import at the top of the module"),
    ("from math import pi\n    return x", 2, "import is not supported"),
    ("global q\n    q = x\n    return x", 2, "global is not supported: an element changes no variable of the module: return the value"),
    ("def g():\n        return x\n    return g()", 2, "a function inside is not supported: define it at the top of the module"),
    ("class A:\n        pass\n    return x", 2, "class is not supported"),
    ("y = x\n    del y\n    return x", 3, "del is not supported"),
    ("match x:\n        case 1:\n            return x\n    return 0", 2, "match is not supported: use if and elif"),
    ("for k in range(3):\n        x += k\n    else:\n        x = 0\n    return x", 5, "else of a loop is not supported"),
    ("for k in [1, 2]:\n        x += k\n    return x", 2, "a list is not supported: use local variables"),
    ("for k in x:\n        x += k\n    return x", 2, "a for loop goes over range"),
    ("for k in range(x / 2):\n        x += k\n    return x", 2, "range takes integers, and this is float64: write int"),
    ("for k in range(1, 2, 0):\n        x += k\n    return x", 2, "the step is 0"),
    ("x[0] = 1\n    return x", 2, "a subscript is not supported: pass the element as an argument"),
    ("x.real = 1\n    return x", 2, "only local variables are assigned to"),
    ("print(x)\n    return x", 2, "the value is used nowhere, and nothing is printed or changed: assign or return it"),
    ("y, z = x\n    return y", 2, "a tuple is assigned to as many names: a, b = b, a"),
    ("return", 2, "a return needs a number"),
    ("return None", 2, "None is no number: return one such as math.nan"),
    ("return x, x", 2, "one number is returned: make a function for each"),
    ("if x > 0:\n        return x", 1, "it can end without a return: return a number on every way"),
    ("while x > 0:\n        x = x - 1", 1, "it can end without a return"),
    ("pass", 1, "it can end without a return"),
    # expressions
    ("return [k for k in range(3)]", 2, "a list is not supported: write a for loop over range"),
    ("return sum(k for k in range(3))", 2, "a generator is not supported: write a for loop over range"),
    ("return (lambda: x)()", 2, "lambda is not supported: define a function at the top of the module"),
    ("return len('abc')", 2, "a string is not supported: only numbers are computed"),
    ("return f'{x}'", 2, "a string is not supported"),
    ("return x in (1, 2)", 2, "'in' is not supported: compare with each number: x == 1 or x == 2"),
    ("return x is x", 2, "'is' is not supported: compare with =="),
    ("return x @ x", 2, "'@' is not supported"),
    ("return (y := x) + y", 2, ":= is not supported: assign in a statement of its own"),
    ("return {1: x}", 2, "a dict is not supported: use if and elif"),
    ("return max(*x)", 2, r"\* is not supported: write the arguments out"),
    ("return x.shape", 2, r"a number has .real, .imag and .conjugate\(\) here"),
    ("return x.sum()", 2, r"a number has .real, .imag and .conjugate\(\) here"),
    ("return nowhere + x", 2, "`nowhere`: nothing has this name"),
    ("return math.nowhere", 2, "there is no such member"),
    ("return ARRAY + x", 2, "an array is no number: pass it as an argument"),
    ("return TEXT + x", 2, "str is no number: only Python's and NumPy's are"),
    ("return math.factorial(x)", 2, "math.factorial is not supported: there are acos, acosh"),
    ("return cmath.polar(x)", 2, "cmath.polar is not supported: there are sqrt"),
    ("return math.sqrt(x * 1j)", 2, "math takes real numbers: use cmath"),
    ("return len(x)", 2, "it is not supported: call functions of math, cmath and numpy, and plain functions of your own"),
    ("return np.linalg.norm(x)", 2, "it is not supported: call functions of math, cmath and numpy"),
    ("return np.frexp(x)", 2, "there is no function 'frexp'"),
    ("return min(x)", 2, "it takes two numbers or more"),
    ("return round(x, 2)", 2, r"digits are not supported: round\(x \* 100\) / 100 has two of them"),
    ("return pow(x, 2, 3)", 2, r"it takes two arguments: write pow\(a, b\) % m"),
    ("return int(x=x)", 2, "write the arguments without keywords"),
    ("return int(1j * x)", 2, "a complex number is no real one: take .real, .imag or abs"),
    ("return 1j * x < 2", 2, "complex128 has no order"),
    ("return min(x, 1j)", 2, "complex numbers have no order"),
    ("return 1.5 * x & 1", 2, "'&' takes integers, not float64"),
    ("return -(x > 1)", 2, "'-' of bool is not defined: use ~ or not"),
    ("return x + 1 / 0", 2, "division by zero"),
    ("return x + math.sqrt(-1)", 2, "math domain error|nonnegative"),
    ("return np.int8(300) + x", 2, "300 does not fit int8"),
    ("abs = x\n    return abs(x)", 3, "abs is a local variable here, and no function: give the variable another name"),
    ("return range(3)", 2, "range.* stands in a for loop only"),
    # variables and types
    ("return y\n    y = x", 2, "`y`: it has no value here: give it one before"),
    ("if x > 0:\n        y = x\n    return y", 4, "`y`: it has no value on every way here: give it one before the if or the loop that sets it"),
    ("for k in range(x):\n        pass\n    return k", 4, "`k`: it has no value on every way here"),
    ("y = 1000\n    if x > 3:\n        y = np.int8(x)\n    return y", 5, "it is 1000 on one way here and int8 on another, which does not hold that"),
    ("if x > 3:\n        return np.uint8(x)\n    return -1", 4, "-1 does not fit uint8, which the function returns"),
    # calls
    ("return f(x - 1) if x else 0", 2, "a function that calls itself is not supported: write a loop"),
    ("return helper(x)", 2, "missing a required argument: 'b'"),
    ("return helper(x, 1, c=3)", 2, "got an unexpected keyword argument 'c'"),
    ("return back(x)", 15, "a function that calls itself is not supported"),
    ("return star(x)", 18, "parameters are plain names"),
    ("return fails(x)", 22, "try is not supported"),
]


@pytest.mark.parametrize("body, line, message", REFUSED, ids=[r[0].split("\n")[0] for r in REFUSED])
def test_what_is_not_supported_is_refused(body, line, message, tmp_path):
    before = f"def f(x):\n    {body}\n"
    after = ("\nARRAY, TEXT = np.zeros(3), 'abc'\n\ndef helper(a, b):\n    return a + b\n\ndef back(x):\n    return f(x)\n\n"
             "def star(*x):\n    return x\n\ndef fails(x):\n    try:\n        return x\n    finally:\n        x = 1\n")
    module = module_of(tmp_path / "refused.py", before + after)
    places = {15: "return f(x)", 18: "def star", 22: "try:"}
    lines = (tmp_path / "refused.py").read_text().split("\n")
    if line in places:
        line = next(k for k, text in enumerate(lines, 1) if places[line] in text)
    else:
        line += lines.index("def f(x):")
    with pytest.raises(TypeError, match=message) as raised:
        heddle.vectorize(module.f)(np.arange(3))
    assert re.match(rf"[^:\n]*refused\.py:{line}: \w+: `[^`\n]+`: [^\n]+$", str(raised.value)), str(raised.value)


def test_what_is_no_plain_function_is_refused():
    for what in (np.sin, len, "abc(", functools.partial(max, 1), int):
        with pytest.raises(TypeError, match="takes a plain Python function|signature"):
            heddle.vectorize(what)(lambda x: x)
    names = {}
    exec("def f(x):\n    return x\n", names)
    with pytest.raises(TypeError, match="the source of f cannot be read: define it in a file"):
        heddle.vectorize(names["f"])
    with pytest.raises(TypeError, match="it takes no argument, and so no elements"):
        @heddle.vectorize
        def nothing():
            return 1


def test_a_file_that_changed_is_refused(tmp_path):
    path = tmp_path / "changed.py"
    module = module_of(path, "\ndef f(x):\n    return x * 2\n")
    path.write_text(path.read_text().replace("2", "3"))
    with pytest.raises(TypeError, match="has not the source of f that runs"):
        heddle.vectorize(module.f)


# ------------------------------------------------------------------------------------------------------- arguments


@pytest.mark.parametrize("shapes", [[(3, 4)] * 3, [(3, 4), (4,), ()], [(3, 1), (1, 4), (3, 4)], [(2, 1, 3), (5, 1), (1,)], [(0, 3), (3,), ()],
                                    [(), (), ()], [(2, 3, 1, 5), (3, 2, 1), (2, 1, 1, 1)]])
def test_shapes_are_broadcast(shapes, where):
    x, y, z = (numbers("int32", shape, seed) + 2 for seed, shape in enumerate(shapes))
    have, want = fused(x, y, z, target=where), x * y + z
    assert type(have) is type(want) and have.dtype == want.dtype and have.shape == want.shape
    np.testing.assert_array_equal(have, want)


def test_layouts_lists_and_arrays_of_heddle():
    for name, x in layouts(numbers("float64", (4, 6))):
        np.testing.assert_array_equal(fused(x, 2, x), x * 2 + x, err_msg=name)
    assert fused([1, 2], (3, 4), 5).tolist() == [8, 13]
    result = fused(heddle.asarray(np.arange(3.0)), 2, 1)
    assert isinstance(result, heddle.Array) and np.asarray(result).tolist() == [1, 3, 5]
    with pytest.raises(ValueError, match=r"cannot be broadcast together: argument 1 \(2,\), argument 2 \(3,\)"):
        fused(np.zeros(2), np.zeros(3), 1)
    with pytest.raises(TypeError, match="float16 is no element type of Heddle"):
        fused(np.zeros(2, np.float16), 1, 1)
    with pytest.raises(OverflowError, match="does not fit int64"):
        fused(np.zeros(2), 1, 2 ** 64)


def test_python_numbers_are_weak():
    x = np.arange(3, dtype=np.int8)
    assert fused(x, 2, 1).dtype == np.int8 and fused(x, 2, 1.5).dtype == np.float64
    assert fused(x.astype(np.float32), 2.5, 1).dtype == np.float32 and fused(x.astype(np.float32), 1j, 1).dtype == np.complex64
    result = fused(2, 3, 4)
    assert type(result) is np.int64 and result == 10
    assert type(fused(2, 3.5, True)) is np.float64 and type(fused(np.int8(100), np.int8(2), 0)) is np.int8


def test_out_and_dtype():
    x = np.arange(4.0)
    out = np.zeros(4)
    assert fused(x, x, 1, out=out) is out and out.tolist() == [1, 2, 5, 10]
    assert fused(x, x, 2, out) is out and out.tolist() == [2, 3, 6, 11]
    assert fused(x, x, x, out=(x,)) is x and x.tolist() == [0, 2, 6, 12]
    assert fused(x, 1, 0, dtype="float32").dtype == np.float32
    assert fused(x, 1, 0, out=np.zeros(4, np.float32)).dtype == np.float32
    with pytest.raises(TypeError, match="out is int32, which a result of float64 is not converted to"):
        fused(x, 1, 0, out=np.zeros(4, np.int32))
    with pytest.raises(ValueError, match="shape|broadcast"):
        fused(x, 1, 0, out=np.zeros(3))
    for wrong in ((), (1,), (1, 2, 3, 4, 5)):
        with pytest.raises(TypeError, match=r"fused\(\) takes 3 arguments, and"):
            fused(*wrong)


def test_a_target_that_is_not_there():
    if not any(t.kind == "gpu" for t in heddle.Target.available()):
        with pytest.raises(heddle.Error, match="GPU"):
            fused([1.0], 2, 3, target="gpu")
    with pytest.raises(ValueError, match="nowhere"):
        fused([1.0], 2, 3, target="nowhere")


def test_it_looks_like_the_function():
    assert fused.__name__ == "fused" and fused.__doc__ == "x y + z" and fused.__wrapped__(2, 3, 4) == 10
    assert (fused.nin, fused.nout, fused.nargs, fused.ntypes, fused.types) == (3, 1, 4, 0, [])
    assert repr(fused) == "<heddle.vectorize 'fused'>" and pickle.loads(pickle.dumps(fused)) is fused
    assert heddle.vectorize(fused) is fused and add.identity == 0


@heddle.vectorize
def with_default(x, by=3, plus=0.5):
    return x * by + plus


def test_defaults_lambdas_and_closures():
    assert with_default(np.arange(3)).tolist() == [0.5, 3.5, 6.5] and with_default(np.arange(3), 2, 0).tolist() == [0, 2, 4]
    square, cube = (heddle.vectorize(lambda x: x * x), heddle.vectorize(lambda x: x * x * x))
    assert square([1, 2, 3]).tolist() == [1, 4, 9] and cube([1, 2, 3]).tolist() == [1, 8, 27]

    def scaled(factor):
        @heddle.vectorize
        def scale(x):
            return x * factor
        return scale

    assert scaled(2)([1, 2]).tolist() == [2, 4] and scaled(0.5)([1, 2]).tolist() == [0.5, 1.0]


def test_what_changes_outside_is_seen(tmp_path):
    module = module_of(tmp_path / "outside.py", "\nSCALE = 2\n\ndef g(x):\n    return x * SCALE\n\n@heddle.vectorize\ndef f(x):\n    return g(x) + abs(x)\n")
    assert module.f([1, 2]).tolist() == [3, 6]
    module.SCALE = 2.5
    assert module.f([1, 2]).tolist() == [3.5, 7.0]
    module.abs = module.math.floor
    assert module.f([-1, 2]).tolist() == [-3.5, 7.0]


def test_threads():
    x = np.arange(1000)
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda n: fused(x, n, np.uint8(1), target="parallel:2"), range(40)))
    for n, result in enumerate(results):
        np.testing.assert_array_equal(result, x * n + 1)


# ------------------------------------------------------------------------------------------------------ signatures


@heddle.vectorize(["int32(int32, int32)", "float64(float64, float64)"], target="serial")
def summed(a, b):
    return a + b


@heddle.vectorize("float32(int64)")
def halved(a):
    return a / 2


def test_the_first_signature_that_fits_is_taken():
    assert summed.types == ["ii->i", "dd->d"] and summed.ntypes == 2 and halved.types == ["l->f"]
    for a, b, want in (("int8", "int16", "int32"), ("uint16", "int32", "int32"), ("int64", "int8", "float64"), ("float32", "bool", "float64")):
        result = summed(numbers(a, (5,)), numbers(b, (5,), 1))
        assert result.dtype == np.dtype(want)
        np.testing.assert_array_equal(result, numbers(a, (5,)).astype(want) + numbers(b, (5,), 1).astype(want))
    assert summed(1, 2).dtype == np.int32 and summed(1, 2.5).dtype == np.float64
    assert halved(np.array([3], np.int8)).dtype == np.float32
    for wrong in (np.zeros(2, np.complex64), 1j):
        with pytest.raises(TypeError, match=r"summed has no signature that \(complex\d*, int64\) can be cast to safely: there are "
                                            r"int32\(int32, int32\), float64\(float64, float64\)"):
            summed(wrong, np.zeros(2, np.int64))


def test_numbas_ways_to_write_them():
    class NumbaSignature:
        return_type = "float64"

        def __str__(self):
            return "(float64, int64) -> float64"

    for signature in ("f8(f8, i8)", "double(double,int_)", ["(float64, int64)"], (np.float64, "int64"), [(float, int)], NumbaSignature(),
                      [NumbaSignature()]):
        f = heddle.vectorize(signature, nopython=True, cache=True, target="cpu")(plain)
        assert f.types == ["dl->d"] and f(1, 2).dtype == np.float64
    for wrong, message in (("float64(float64", "it is written as in"), ("float64(float99, int64)", "'float99' is no element type"),
                           ("float64(float64)", "has 1 arguments, and plain takes 2")):
        with pytest.raises(TypeError, match=message):
            heddle.vectorize(wrong)(plain)
    with pytest.raises(TypeError, match="plain gives complex128, which float64 does not hold: return .real"):
        heddle.vectorize("float64(complex128, int64)")(plain)
    with pytest.raises(TypeError, match=r"`a & b`: '&' takes integers, not float64"):
        heddle.vectorize("float64(float64, float64)")(anded)


def plain(a, b):
    return a * b


def anded(a, b):
    return a & b


@heddle.vectorize
def calls_signatures(x):
    return summed(x, 1) / 2


def test_signatures_hold_for_calls_inside():
    result = calls_signatures(np.array([2 ** 31 - 1], np.int32))
    assert result.dtype == np.float64 and result[0] == -(2 ** 30)


# --------------------------------------------------------------------------------------------- reductions and scans


def folded(f, values):
    """The values, combined from the left by the plain function, and all on the way."""
    with np.errstate(all="ignore"):
        return list(itertools.accumulate(values, f.__wrapped__))


@pytest.mark.parametrize("shape", [(1,), (7,), (1000,), (70000,), (3, 4), (2, 3, 5), (1200, 3), (2, 3000)])
def test_reduce_and_accumulate(shape, where):
    x = np.random.default_rng(2).integers(0, 2 ** 16, shape)
    for axis in [None, *range(len(shape)), -1]:
        lines = [x.ravel()] if axis is None else np.moveaxis(x, axis, -1).reshape(-1, x.shape[axis])
        want = np.array([folded(later, line) for line in lines])
        rest = () if axis is None else np.delete(shape, axis)
        have = later.reduce(x, axis=axis, target=where)
        assert have.dtype == np.int64 and have.shape == tuple(rest)
        np.testing.assert_array_equal(np.ravel(have), want[:, -1])
        if axis is not None:
            running = later.accumulate(x, axis, target=where)
            np.testing.assert_array_equal(np.moveaxis(running, axis, -1).reshape(want.shape), want)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float32", "complex64", "complex128"])
def test_reduce_has_the_type_of_the_elements(dtype, where):
    x = numbers(dtype, (33, 65))
    for axis in (0, 1, None, (0, 1)):
        have, want = add.reduce(x, axis=axis, keepdims=True, target=where), np.add.reduce(x, axis=axis, keepdims=True, dtype=dtype)
        assert have.dtype == want.dtype and have.shape == want.shape
        np.testing.assert_array_equal(have, want)
    have = add.accumulate(x[0], target=where)
    assert have.dtype == x.dtype
    np.testing.assert_array_equal(have, np.add.accumulate(x[0], dtype=dtype))


def test_reduce_as_numpys():
    x = np.arange(12).reshape(3, 4)
    assert add.reduce(x).tolist() == [12, 15, 18, 21] and add.reduce(x, axis=None) == 66 and type(add.reduce(x, None)) is np.int64
    assert add.reduce(x, initial=100).tolist() == [112, 115, 118, 121] and add.reduce(x, axis=(0, -1), initial=1) == 67
    assert add.reduce(x.astype(np.int8), axis=None, dtype="float64") == 66.0
    out = np.zeros(4)
    assert add.reduce(x, out=out) is out and out.tolist() == [12, 15, 18, 21]
    assert add.accumulate(x, 1, out=np.zeros((3, 4), np.float32)).dtype == np.float32
    assert add.reduce([]) == 0 and add.reduce([], initial=3) == 3 and add.reduce(np.zeros((0, 2))).tolist() == [0, 0]
    assert add.reduce(np.zeros((2, 0)), axis=1, keepdims=True).shape == (2, 1) and add.reduce(np.zeros((0, 2)), axis=1).shape == (0,)
    assert add.accumulate([]).shape == (0,) and add.accumulate(np.zeros((0, 2)), 1).shape == (0, 2)
    assert later.reduce(np.array([5]), initial=2 * 256 + 1) == folded(later, [2 * 256 + 1, 5])[-1]
    assert larger.reduce(np.array([1 + 2j, 3 - 1j, 2])) == 3 - 1j
    np.testing.assert_array_equal(add.outer(x, [1, 2]), np.add.outer(x, [1, 2]))
    array = add.reduce(heddle.asarray(x), axis=1)
    assert isinstance(array, heddle.Array) and np.asarray(array).tolist() == [6, 22, 38]
    assert summed.reduce(np.arange(5, dtype=np.int8)).dtype == np.int32 and summed.reduce(np.arange(5)).dtype == np.float64


def test_a_type_that_the_function_keeps_is_found():
    assert averaged.reduce(np.array([1, 2, 3], np.int16), dtype="float32").dtype == np.float32
    assert averaged.reduce(np.array([4, 4, 4], np.int16)).dtype == np.float64


@heddle.vectorize
def averaged(a, b):
    return (a + b) / 2


def test_what_cannot_be_combined_is_refused():
    with pytest.raises(ValueError, match="later.reduce: there are no elements, and no identity: give an initial value"):
        later.reduce(np.zeros(0, int))
    with pytest.raises(TypeError, match="fused\\(\\) takes 3 arguments: a function of two combines elements"):
        fused.reduce([1, 2])
    with pytest.raises(TypeError, match="fused\\(\\) takes 3 arguments: outer is of functions of two"):
        fused.outer([1, 2], [3])
    with pytest.raises(TypeError, match="cannot reduce on a scalar"):
        add.reduce(3)
    with pytest.raises(TypeError, match="cannot accumulate on a scalar"):
        add.accumulate(3)
    with pytest.raises(np.exceptions.AxisError):
        add.reduce([1, 2], axis=1)
    with pytest.raises(np.exceptions.AxisError):
        add.accumulate([1, 2], axis=2)
    with pytest.raises(TypeError, match=r"halved\(\) takes 1 argument:"):
        halved.reduce([1, 2])
    with pytest.raises(TypeError, match="summed has no signature of one type"):
        summed.reduce(np.zeros(3, np.complex64))


# --------------------------------------------------------------------------------------------------------- example


def test_the_example_is_a_plain_loop_on_every_target(where):
    spec = importlib.util.spec_from_file_location("mandelbrot_example", ROOT / "examples/python/mandelbrot.py")
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    width, height = 150, 101
    want = np.zeros((height, width), np.uint8)
    for row, im in enumerate(np.linspace(-1, 1, height)):
        for column, re in enumerate(np.linspace(-2, 1, width)):
            x, y, k = 0.0, 0.0, 0
            while k < 50 and x * x + y * y < 4:
                x, y, k = float(x * x - y * y + re), float(x * y + y * x + im), k + 1
            want[row, column] = k
    have = example.picture(width, height, where)
    assert have.dtype == np.uint8
    np.testing.assert_array_equal(have, want)
