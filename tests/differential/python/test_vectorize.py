"""heddle.vectorize of random functions beside the plain functions, element by element."""
import importlib.util
import itertools
import pathlib
import shutil
import tempfile

import heddle
import numpy as np
import pytest
from hypothesis import note, strategies as st

from agreement import on_targets
from cases import cases
from strategies import TARGETS, arrays

pytestmark = pytest.mark.skipif(not (shutil.which("g++") or shutil.which("clang++")), reason="there is no compiler")
COMPARISONS = ["<", "<=", ">", ">=", "==", "!="]
numbered = itertools.count()


def numbers(kind):
    return st.sampled_from(["1", "2", "3", "7"] + ["0.5", "1.25"] * (kind == "f"))


@st.composite
def strong(draw, kind, depth):
    """An expression that has the type of x."""
    form = draw(st.integers(0, 5 if depth else 0))
    if form == 0:
        return draw(st.sampled_from("abxy"))
    left, right = draw(strong(kind, depth - 1)), draw(strong(kind, depth - 1))
    if form == 1:
        return f"({left} {draw(st.sampled_from(['+', '-', '*', '//', '%'] + (['/'] if kind == 'f' else ['&', '|', '^'])))} {right})"
    if form == 2:
        return f"({left} {draw(st.sampled_from(['+', '-', '*', '//', '%']))} {draw(numbers(kind))})"
    if form == 3:
        return f"{draw(st.sampled_from(['abs', '-', '+']))}({left})"
    if form == 4:
        return f"{draw(st.sampled_from(['min', 'max']))}({left}, {right})"
    return f"({left} if {draw(conditions(kind))} else {right})"


@st.composite
def conditions(draw, kind, depth=1):
    form = draw(st.integers(0, 3))
    if form == 1:
        return f"(count % 3 {draw(st.sampled_from(COMPARISONS))} 1)"
    if form == 2 and depth:
        return f"({draw(conditions(kind, depth - 1))} {draw(st.sampled_from(['and', 'or']))} {draw(conditions(kind, depth - 1))})"
    if form == 3:
        return f"(not {draw(strong(kind, 1))})"
    return f"({draw(strong(kind, 1))} {draw(st.sampled_from(COMPARISONS))} {draw(strong(kind, 1))})"


def indented(lines):
    return ["    " + line for line in lines]


@st.composite
def statements(draw, kind, depth, in_loop):
    form = draw(st.integers(0, 4 if depth else 1))
    name = draw(st.sampled_from("ab"))
    if form == 0:
        return [f"{name} = {draw(strong(kind, 2))}"]
    if form == 1:
        return [draw(st.sampled_from(["a, b = b, a", "count = (count * 3 + 1) % 101", f"{name} = {name} + count % 7", f"{name} -= x"]))]
    if form == 2:
        lines = [f"if {draw(conditions(kind))}:", *indented(draw(blocks(kind, depth - 1, in_loop)))]
        if draw(st.booleans()):
            lines += ["else:", *indented(draw(blocks(kind, depth - 1, in_loop)))]
        return lines
    if form == 3:
        if in_loop:
            return [f"if {draw(conditions(kind))}:", "    count += 1", f"    {draw(st.sampled_from(['break', 'continue', 'return a']))}"]
        return [f"if {draw(conditions(kind))}:", "    return b"]
    k = f"k{next(numbered)}"
    return [f"for {k} in range({draw(st.sampled_from(['3', '1, 4', '5, 0, -2', 'count % 4']))}):",
            *indented(draw(blocks(kind, depth - 1, True))), f"    count += {k}"]


@st.composite
def blocks(draw, kind, depth, in_loop):
    return [line for lines in draw(st.lists(statements(kind, depth, in_loop), min_size=1, max_size=3)) for line in lines]


@st.composite
def functions(draw, kind):
    return ["def f(x, y):", *indented(["a, b, count = x, y, 0", *draw(blocks(kind, 2, False)), f"return {draw(strong(kind, 2))}"])]


def module_of(text, dtype):
    """A module whose source is a file, which is read when the function is translated for a type."""
    name = f"random_function_{next(numbered)}"
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / f"{name}.py"
        path.write_text(text)
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        module.vectorized = heddle.vectorize(module.f)
        module.vectorized(*[np.empty(0, dtype)] * 2, target="serial")
        yield module


def each(function, x, y):
    """Python's results, None where it raises an error."""
    results = []
    with np.errstate(all="ignore"):
        for pair in zip(x, y):
            try:
                results.append(function(*pair))
            except (ZeroDivisionError, OverflowError, ValueError):
                results.append(None)
    return results


@cases(st.data(), slow=True)
def test_random_functions(data):
    dtype = data.draw(st.sampled_from(["int8", "int32", "int64", "uint8", "uint32", "uint64", "float32", "float64"]))
    text = "\n".join(data.draw(functions(np.dtype(dtype).kind))) + "\n"
    x, y = (data.draw(arrays(dtype, (40,), kinds=["small", "bits", "normal", "rising"])) for _ in range(2))
    where = data.draw(st.sampled_from(TARGETS))
    note(f"{text}of {x} and {y} on {where}")
    for module in module_of(text, dtype):
        have = on_targets(lambda where: module.vectorized(x.array, y.array, target=where), where)
        if isinstance(have, Exception):
            raise have
        native = [v.array.astype(dtype) for v in (x, y)]
        want = each(module.f, *native)
        x.require_unchanged()
        y.require_unchanged()
        kept = [k for k, value in enumerate(want) if value is not None]
        assert have.dtype == dtype
        with np.errstate(all="ignore"):
            expected = np.array([np.asarray(want[k]).astype(dtype) for k in kept], dtype)
        np.testing.assert_array_equal(have[kept], expected)


COMBINATIONS = {"a + b": np.add, "min(a, b)": np.minimum, "a if a > b else b": np.maximum, "a ^ b": np.bitwise_xor, "a & b": np.bitwise_and,
                "a * b": np.multiply}
MADE = {}


def combination(text, dtype):
    """One vectorized function of a text and a type, so that it is compiled once."""
    if (text, dtype) not in MADE:
        for module in module_of(f"def f(a, b):\n    return {text}\n", dtype):
            MADE[text, dtype] = module.vectorized
    return MADE[text, dtype]


@cases(st.data(), slow=True)
def test_reductions_and_scans(data):
    text = data.draw(st.sampled_from(list(COMBINATIONS)))
    dtype = data.draw(st.sampled_from(["int32", "uint64"]))
    x = data.draw(arrays(dtype, kinds=["small", "bits"], special=False))
    if x.array.ndim == 0 or x.array.size == 0:
        return
    axis = data.draw(st.integers(-x.array.ndim, x.array.ndim - 1))
    keepdims, where = data.draw(st.booleans()), data.draw(st.sampled_from(TARGETS))
    function, ufunc, native = combination(text, dtype), COMBINATIONS[text], x.array.astype(dtype)
    note(f"{text} of {x} along {axis}, keepdims {keepdims}, on {where}")
    have = on_targets(lambda where: function.reduce(x.array, axis, keepdims=keepdims, target=where), where)
    np.testing.assert_array_equal(have, ufunc.reduce(native, axis, dtype=dtype, keepdims=keepdims))
    have = on_targets(lambda where: function.accumulate(x.array, axis, target=where), where)
    np.testing.assert_array_equal(have, ufunc.accumulate(native, axis, dtype=dtype))
    x.require_unchanged()
