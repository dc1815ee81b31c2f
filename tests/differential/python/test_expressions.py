"""Expressions of heddle.transform beside Python's eval of the same text on NumPy's arrays."""
import re
import shutil

import heddle
import numpy as np
import pytest
from hypothesis import assume, note, strategies as st

from agreement import bits, into_out, on_targets, outcome
from cases import cases
from strategies import REAL, TARGETS, TYPES, arrays, outs, shapes

pytestmark = pytest.mark.skipif(not (shutil.which("g++") or shutil.which("clang++")), reason="there is no compiler")


class Undefined(Exception):
    """NumPy has a float16 here, or a conversion that C leaves open: Heddle's result is another."""


def defined(function):
    def checked(*arguments):
        result = function(*arguments)
        if np.asarray(result).dtype == np.float16:
            raise Undefined
        return result
    return checked


def converted(name):
    def convert(x):
        x = np.asarray(x)
        if np.dtype(name).kind in "iu" and x.dtype.kind in "fc" or np.dtype(name).kind == "f" and x.dtype.kind == "c":
            raise Undefined
        return x.astype(name)[()]
    return convert


# Those with one right result. Others are the outermost function of an expression.
UNARY = ["square", "sqrt", "floor", "ceil", "trunc", "rint", "sign", "signbit", "isnan", "isinf", "isfinite", "abs", "logical_not"]
BINARY = ["minimum", "maximum", "fmin", "fmax", "copysign", "heaviside", "logical_and", "logical_or", "logical_xor", "bitwise_and",
          "add", "subtract", "multiply", "divide", "floor_divide", "less", "greater_equal", "equal", "fmod", "gcd", "lcm"]
OPERATORS = ["+", "-", "*", "/", "//", "%", "<", "<=", ">", ">=", "==", "!=", "&", "|", "^", "<<", ">>"]
INEXACT = ["exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "cbrt", "sin", "cos", "tan", "arctan", "arcsinh", "sinh", "tanh",
           "deg2rad", "arcsin"]
LITERALS = ["0", "1", "2", "7", "100", "300", "-1", "-5", "0.5", "1.5", "-2.25", "1e300"]


def namespace():
    found = {name: defined(getattr(np, name)) for name in [*UNARY, *BINARY, *INEXACT, "where", "clip", "real", "imag", "conj"]}
    found.update({name: converted(name) for name in TYPES})
    return found


def of(*parts):
    """A strategy of expressions from a format and strategies of its parts."""
    form, *inner = parts
    return st.tuples(*inner).map(lambda texts: form.format(*texts))


def larger(inner):
    """Each operation has an operand that is no literal: those of literals alone are Python's."""
    return st.one_of(
        of("({} {} {})", inner, st.sampled_from(OPERATORS), inner),
        of("({} {} {})", inner, st.sampled_from(OPERATORS), st.sampled_from(LITERALS)),
        of("({} {} {})", st.sampled_from(LITERALS), st.sampled_from(OPERATORS), inner),
        of("{}({})", st.sampled_from([*UNARY, *TYPES]), inner),
        of("{}({}, {})", st.sampled_from(BINARY), inner, inner),
        of("where({}, {}, {})", inner, inner, inner),
        of("clip({}, {}, {})", inner, st.sampled_from(["-3", "0", "1"]), st.sampled_from(["1", "5", "100"])),
        of("({}{})", st.sampled_from(["-", "~", "+"]), inner),
        of("({} ** 2)", inner))


expressions = st.recursive(st.sampled_from(["a", "b", "c", "a", "b", "i"]), larger, max_leaves=10)


@st.composite
def broadcast_operands(draw, types, **more):
    """Arrays a, b and c whose shapes are broadcast to the first's."""
    shape = draw(shapes(3000, st.integers(0, 3)))
    operands = []
    for dtype in types:
        axes = draw(st.integers(0, len(shape))) if operands else 0
        own = tuple(n if draw(st.integers(0, 3)) else 1 for n in shape[axes:]) if operands else shape
        operands.append(draw(arrays(dtype, own, **more)))
    return operands


def evaluated(text, operands):
    """Python's result, or the error of NumPy or Python."""
    named = dict(zip("abc", (x.array.astype(x.array.dtype.newbyteorder("="))[()] for x in operands)))
    shape = np.broadcast_shapes(*(x.array.shape for x in operands))
    named["i"] = np.arange(int(np.prod(shape, dtype=int))).reshape(shape)[()]
    return outcome(lambda: eval(text, namespace(), named))  # noqa: S307


def names_of(text):
    return sorted(set(re.findall(r"\b[abc]\b", text)))


def drawn_call(data, text, operands, where):
    """Heddle's result of the arrays that the text names, on one core and on this target."""
    used = {name: operands["abc".index(name)] for name in "abc"[:len(operands)]}
    note(f"{text} of {used} on {where}")

    def call(out, where):
        return heddle.transform(text, out=out, target=where, **{name: x.array for name, x in used.items()})

    have = on_targets(lambda where: call(None, where), where)
    for x in operands:
        x.require_unchanged()
    return call, have


@cases(st.data(), slow=True)
def test_exact_expressions(data):
    """A compilation an expression: several sets of arrays of its types."""
    text = data.draw(expressions)
    assume(names_of(text))
    types = data.draw(st.lists(st.sampled_from(REAL), min_size=3, max_size=3))
    for _ in range(4):
        operands = data.draw(broadcast_operands(types))
        where = data.draw(st.sampled_from(TARGETS))
        try:
            want = evaluated(text, operands)
        except Undefined:
            assume(False)
        call, have = drawn_call(data, text, operands, where)
        if isinstance(want, Exception):
            assert isinstance(have, (ValueError, TypeError)), f"{have!r} instead of {want!r}"
            return
        if isinstance(have, Exception):
            raise have
        want = np.broadcast_to(want, np.broadcast_shapes(*(x.array.shape for x in operands)))
        assert have.dtype == want.dtype and have.shape == want.shape, f"{have.dtype}{have.shape}, not {want.dtype}{want.shape}"
        np.testing.assert_array_equal(have, want)
        out = data.draw(outs(have.shape, data.draw(st.sampled_from([have.dtype, *map(np.dtype, REAL)]))))
        note(f"into {out}")
        if into_out(call, have, out, where, operands) and out.array.dtype.newbyteorder("=") == have.dtype:
            assert bits(out.array.astype(have.dtype)) == bits(np.asarray(have))


@cases(st.data(), slow=True)
def test_functions_that_round(data):
    """The outermost function is within a few units in the last place; its argument is exact."""
    names = data.draw(st.lists(st.sampled_from(INEXACT), min_size=1, max_size=4, unique=True))
    dtype = data.draw(st.sampled_from(["int16", "int32", "uint64", "float32", "float64"]))
    x = data.draw(arrays(dtype, shapes(2000, st.integers(1, 2))))
    column = np.arange(len(names))
    where = data.draw(st.sampled_from(TARGETS))
    text = f"{names[-1]}(a)"
    for k, name in enumerate(names[:-1]):
        text = f"where(k == {k}, {name}(a), {text})"
    note(f"{text} of {x} on {where}")
    column = column.reshape(-1, *[1] * x.array.ndim)
    have = on_targets(lambda where: heddle.transform(text, x.array, k=column, target=where), where)
    if isinstance(have, Exception):
        raise have
    with np.errstate(all="ignore"):
        native = x.array.astype(dtype)
        type_wanted = np.sqrt(native).dtype
        order = [names[-1], *names[:-1]]
        for k, name in enumerate(names):
            name = names[k] if k < len(names) - 1 else names[-1]
            want = getattr(np, name)(native.astype(type_wanted).astype(np.longdouble)).astype(type_wanted)
            assert have.dtype == type_wanted
            np.testing.assert_array_max_ulp(*(np.nan_to_num(part, nan=0.0, posinf=1, neginf=-1) for part in (have[k], want)), maxulp=6)
            np.testing.assert_array_equal(np.isfinite(have[k]), np.isfinite(want), f"{name}, {order}")


complex_expressions = st.recursive(st.sampled_from(["a", "b"]), lambda inner: st.one_of(
    of("({} {} {})", inner, st.sampled_from(["+", "-", "*", "==", "!="]), inner),
    of("({} {} {})", inner, st.sampled_from(["+", "-", "*"]), st.sampled_from(["2", "0.5", "-1"])),
    of("{}({})", st.sampled_from(["real", "imag", "conj", "complex64", "complex128"]), inner),
    of("where({}, {}, {})", inner, inner, inner), of("(-{})", inner)), max_leaves=5)


@cases(st.data(), slow=True)
def test_complex_expressions(data):
    text = data.draw(complex_expressions)
    types = [data.draw(st.sampled_from(["complex64", "complex128"])), data.draw(st.sampled_from(TYPES))]
    for _ in range(3):
        operands = data.draw(broadcast_operands(types, kinds=["small", "zeros"], special=False))
        try:
            want = evaluated(text, operands)
        except Undefined:
            assume(False)
        _, have = drawn_call(data, text, operands, data.draw(st.sampled_from(TARGETS)))
        if isinstance(want, Exception):
            assert isinstance(have, (ValueError, TypeError)), f"{have!r} instead of {want!r}"
            return
        if isinstance(have, Exception):
            raise have
        want = np.broadcast_to(want, np.broadcast_shapes(*(x.array.shape for x in operands)))
        assert have.dtype == want.dtype and have.shape == want.shape, f"{have.dtype}{have.shape}, not {want.dtype}{want.shape}"
        np.testing.assert_array_equal(have, want)


@cases(st.text(alphabet="abci0123.+-*/%<>=!&|^~(), e?:xwhersqt\n\"'\\", max_size=30))
def test_texts_that_are_no_expressions(text):
    """An expression of a and b, or one line that says what is wrong. Arrays without elements need no compiler."""
    try:
        heddle.transform(text, np.empty(0), b=np.empty(0, np.int32), target="serial")
    except (ValueError, TypeError) as error:
        assert str(error) and "\n" not in str(error).replace(text, ""), repr(str(error))
