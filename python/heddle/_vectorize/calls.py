"""Calls inside translated functions: of Python's builtins, math, cmath and NumPy."""

from __future__ import annotations

import builtins
import cmath
import math
from typing import Any, Callable, NamedTuple

import numpy as np

from .. import _core
from .types import BOOL, COMPLEX, FLOAT, INT, NAMES, Type, Value, constant, operate, promoted, strengthened


class Refused(Exception):
    """A mistake in a call, without the place."""


def _code(v: Value, type: Type) -> Value:
    return Value(type, v.converted(type))


def _numbers(values: tuple[Value, ...], message: str) -> None:
    if any(v.type.is_complex for v in values):
        raise Refused(message)


# ------------------------------------------------------------------------------------------------------- math

_SAME_NAME = ("sqrt", "cbrt", "exp", "exp2", "expm1", "log2", "log10", "log1p", "sin", "cos", "tan", "asin", "acos",
              "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "fabs", "atan2", "hypot", "copysign", "fmod",
              "pow", "degrees", "radians", "isnan", "isinf", "isfinite", "log")
# Of the device language, by their names there.
_OWN_CODE = {"erf": ("erf", 1), "erfc": ("erfc", 1), "gamma": ("tgamma", 1), "lgamma": ("lgamma", 1),
             "remainder": ("remainder", 2), "nextafter": ("nextafter", 2), "fma": ("fma", 3)}
_WHOLE = ("floor", "ceil", "trunc")
_DIVISORS = ("gcd", "lcm")
_COMPLEX = ("sqrt", "exp", "log", "log10", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh",
            "acosh", "atanh", "isnan", "isinf", "isfinite", "phase")


def _whole(word: str, v: Value) -> Value:
    """floor, ceil, trunc and round: Python's integers."""
    if v.type.is_integer or v.type.name == "bool":
        return _code(v, INT)
    return Value(INT, _core.converted(operate(word, _code(v, Type(v.type.name))).code, v.type.name, "int64"))


def of_math(name: str, values: tuple[Value, ...]) -> Value:
    """A function of the module math: of and with Python's numbers, so in float64."""
    _numbers(values, "math takes real numbers: use cmath")
    if name in _WHOLE:
        return _whole(name, values[0])
    if name in _DIVISORS:
        if not all(v.type.is_integer or v.type.name == "bool" for v in values):
            raise Refused("it takes integers")
        result = values[0]
        for v in values[1:]:
            result = operate(name, _code(result, INT), _code(v, INT))
        return operate("abs", _code(result, INT))
    reals = [_code(v, FLOAT) for v in values]
    if name in _OWN_CODE:
        function, count = _OWN_CODE[name]
        if len(reals) != count:
            raise Refused(f"it takes {count} argument{'s' * (count > 1)}")
        return Value(FLOAT, f"{function}({', '.join(v.code for v in reals)})")
    if name == "log" and len(reals) == 2:
        return operate("divide", operate("log", reals[0]), operate("log", reals[1]))
    if name in _SAME_NAME:
        return operate(name, *reals)
    supported = sorted((*_SAME_NAME, *_OWN_CODE, *_WHOLE, *_DIVISORS))
    raise Refused(f"math.{name} is not supported: there are {', '.join(supported)}")


def of_cmath(name: str, values: tuple[Value, ...]) -> Value:
    """A function of the module cmath: of and with Python's numbers, so in complex128."""
    if name == "rect" and len(values) == 2:
        r, phi = (_code(v, FLOAT) for v in values)
        parts = (operate("multiply", r, operate(part, phi)).code for part in ("cos", "sin"))
        return Value(COMPLEX, f"{COMPLEX.code}({', '.join(parts)})")
    all_complex = [_code(v, COMPLEX) for v in values]
    if name == "log" and len(values) == 2:
        return operate("divide", operate("log", all_complex[0]), operate("log", all_complex[1]))
    if name in _COMPLEX:
        return operate("angle" if name == "phase" else name, *all_complex)
    raise Refused(f"cmath.{name} is not supported: there are {', '.join(_COMPLEX)}, rect")


# -------------------------------------------------------------------------------------------------- builtins

def _conversion(type: Type) -> Callable[..., Value]:
    def convert(*values: Value) -> Value:
        if len(values) != 1:
            raise Refused("it takes one argument")
        v = values[0]
        if v.type.is_complex and not type.is_complex:
            raise Refused("a complex number is no real one: take .real, .imag or abs()")
        return _code(v, type)
    return convert


def _bool(*values: Value) -> Value:
    if len(values) != 1:
        raise Refused("it takes one argument")
    return _code(values[0], BOOL)


def _complex(*values: Value) -> Value:
    if len(values) == 1:
        return _code(values[0], COMPLEX)
    _numbers(values, "the parts are real numbers")
    if len(values) != 2:
        raise Refused("it takes a real and an imaginary part")
    return Value(COMPLEX, f"{COMPLEX.code}({values[0].converted(FLOAT)}, {values[1].converted(FLOAT)})")


def _round(*values: Value) -> Value:
    if len(values) != 1:
        raise Refused("digits are not supported: round(x * 100) / 100 has two of them")
    _numbers(values, "complex numbers are not rounded: round the parts")
    return _whole("rint", values[0])


def _power(*values: Value) -> Value:
    if len(values) != 2:
        raise Refused("it takes two arguments: write pow(a, b) % m")
    return operate("power", *values)


def _abs(*values: Value) -> Value:
    if len(values) != 1:
        raise Refused("it takes one argument")
    return operate("abs", *values)


BUILTINS: dict[Any, Callable[..., Value]] = {
    abs: _abs, int: _conversion(INT), float: _conversion(FLOAT), bool: _bool, complex: _complex, round: _round,
    pow: _power,
}


# ----------------------------------------------------------------------------------------------------- NumPy

# Of an element, and no ufuncs.
_NUMPY = ("where", "clip", "round", "real", "imag", "angle")


def of_numpy(name: str, values: tuple[Value, ...]) -> Value:
    """A function of NumPy's, or one of its types: a scalar of NumPy's."""
    if name in NAMES or name == "bool_":
        name = "bool" if name == "bool_" else name
        if len(values) != 1:
            raise Refused("it takes one argument")
        return _code(values[0], Type(name))
    if name == "where" and len(values) == 3:
        type = promoted(values[1].type, values[2].type)
        test = values[0].converted(BOOL)
        return strengthened(Value(type, f"({test} ? {values[1].converted(type)} : {values[2].converted(type)})"))
    return strengthened(operate(name, *values))


class Callee(NamedTuple):
    """A function that is not translated, and how it computes known and other numbers."""

    name: str
    of: Callable[..., Value]
    of_constants: Callable[..., Any] | None = None


def callee(what: Any) -> Callee | None:
    """The translation of a call of a static object, if the object is one of these."""
    try:
        if what in BUILTINS:
            return Callee(what.__name__, BUILTINS[what], what)
    except TypeError:
        return None
    module = getattr(what, "__module__", None)
    name = getattr(what, "__name__", "")
    if module == "math" and getattr(math, name, None) is what:
        return Callee(name, lambda *values: of_math(name, values), what)
    if module == "cmath" and getattr(cmath, name, None) is what:
        return Callee(name, lambda *values: of_cmath(name, values), what)
    is_type = isinstance(what, type) and issubclass(what, np.generic)
    if is_type or isinstance(what, np.ufunc) or name in _NUMPY and getattr(np, name, None) is what:
        if is_type:
            name = np.dtype(what).name
        return Callee(name, lambda *values: of_numpy(name, values))
    return None


def extremum(is_min: bool, values: list[Value], kept: Callable[[Value], Value]) -> Value:
    """Python's min or max: the first of the smallest or largest, as comparisons find it. `kept` names a value."""
    if len(values) < 2:
        raise Refused("it takes two numbers or more")
    _numbers(tuple(values), "complex numbers have no order")
    best = kept(values[0])
    for v in values[1:]:
        other = kept(v)
        if best.is_constant and other.is_constant:
            best = constant((builtins.min if is_min else builtins.max)(best.number, other.number))
            continue
        type = promoted(best.type, other.type)
        takes = operate("less" if is_min else "greater", other, best)
        test = takes.converted(BOOL)
        best = kept(Value(type, f"({test} ? {other.converted(type)} : {best.converted(type)})"))
    return best
