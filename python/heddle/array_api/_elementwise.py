"""Element-wise functions: NumPy's on a CPU, compiled expressions on a GPU."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _core
from .._core import Array, Target
from ._places import array_of, is_scalar, made, numpy_of, place_of

# The name of a function, its expression on a GPU, and what it computes. The function on a CPU is NumPy's of that name.
UNARY = {
    "abs": ("abs(a)", "\\|a\\|; of complex elements a real array"),
    "acos": ("arccos(a)", "The angle in [0, pi] that has the cosine a, in radians"),
    "acosh": ("arccosh(a)", "The inverse hyperbolic cosine"),
    "asin": ("arcsin(a)", "The angle in [-pi/2, pi/2] that has the sine a, in radians"),
    "asinh": ("arcsinh(a)", "The inverse hyperbolic sine"),
    "atan": ("arctan(a)", "The angle in (-pi/2, pi/2) that has the tangent a, in radians"),
    "atanh": ("arctanh(a)", "The inverse hyperbolic tangent"),
    "bitwise_invert": ("invert(a)", "Every bit inverted; of bool the negation"),
    "ceil": ("ceil(a)", "The smallest integer that is not less than a"),
    "conj": ("conj(a)", "The complex conjugate"),
    "cos": ("cos(a)", "The cosine of a in radians"),
    "cosh": ("cosh(a)", "The hyperbolic cosine"),
    "exp": ("exp(a)", "e to the power a"),
    "expm1": ("expm1(a)", "exp(a) - 1, exact near 0"),
    "floor": ("floor(a)", "The largest integer that is not greater than a"),
    "imag": ("imag(a)", "The imaginary part"),
    "isfinite": ("isfinite(a)", "Whether a is neither infinite nor NaN"),
    "isinf": ("isinf(a)", "Whether a is infinite"),
    "isnan": ("isnan(a)", "Whether a is NaN"),
    "log": ("log(a)", "The natural logarithm"),
    "log1p": ("log1p(a)", "log(1 + a), exact near 0"),
    "log2": ("log2(a)", "The logarithm to base 2"),
    "log10": ("log10(a)", "The logarithm to base 10"),
    "logical_not": ("logical_not(a)", "Whether a is 0"),
    "negative": ("negative(a)", "-a"),
    "positive": ("positive(a)", "+a"),
    "real": ("real(a)", "The real part"),
    "reciprocal": ("reciprocal(a)", "1 / a"),
    "round": ("round(a)", "The nearest integer, the even one of two"),
    "sign": ("sign(a)", "-1, 0 or 1; of complex elements a / \\|a\\|, and 0 of 0"),
    "signbit": ("signbit(a)", "Whether the sign bit is set, as that of -0.0 is"),
    "sin": ("sin(a)", "The sine of a in radians"),
    "sinh": ("sinh(a)", "The hyperbolic sine"),
    "sqrt": ("sqrt(a)", "The square root"),
    "square": ("square(a)", "a * a"),
    "tan": ("tan(a)", "The tangent of a in radians"),
    "tanh": ("tanh(a)", "The hyperbolic tangent"),
    "trunc": ("trunc(a)", "a rounded towards 0"),
}
BINARY = {
    "add": ("a + b", "a + b"),
    "atan2": ("arctan2(a, b)", "The angle of the point (b, a), in radians"),
    "bitwise_and": ("a & b", "The bits that both have"),
    "bitwise_left_shift": ("a << b", "a shifted left by b bits"),
    "bitwise_or": ("a | b", "The bits that either has"),
    "bitwise_right_shift": ("a >> b", "a shifted right by b bits, with its sign"),
    "bitwise_xor": ("a ^ b", "The bits that one of both has"),
    "copysign": ("copysign(a, b)", "\\|a\\| with the sign of b"),
    "divide": ("a / b", "a / b, of integers in float64"),
    "equal": ("a == b", "Whether a equals b"),
    "floor_divide": ("a // b", "a / b rounded down"),
    "greater": ("a > b", "Whether a is greater than b"),
    "greater_equal": ("a >= b", "Whether a is not less than b"),
    "hypot": ("hypot(a, b)", "The square root of a² + b², without overflow on the way"),
    "less": ("a < b", "Whether a is less than b"),
    "less_equal": ("a <= b", "Whether a is not greater than b"),
    # copysign(a, a) is a in the floating-point type that NumPy computes in; two infinities have no difference.
    "logaddexp": ("where(a == b, copysign(a, a) + 0.6931471805599453, maximum(copysign(a, a), copysign(b, b))"
                  " + log1p(exp(-abs(copysign(a, a) - copysign(b, b)))))", "log(exp(a) + exp(b))"),
    "logical_and": ("logical_and(a, b)", "Whether neither is 0"),
    "logical_or": ("logical_or(a, b)", "Whether one is not 0"),
    "logical_xor": ("logical_xor(a, b)", "Whether just one is not 0"),
    "maximum": ("maximum(a, b)", "The greater of both, NaN where one is"),
    "minimum": ("minimum(a, b)", "The lesser of both, NaN where one is"),
    "multiply": ("a * b", "a * b"),
    "nextafter": (None, "The number next to a in the direction of b"),
    "not_equal": ("a != b", "Whether a differs from b"),
    "pow": ("a ** b", "a to the power b"),
    "remainder": ("a % b", "What is left of a // b, with the sign of b"),
    "subtract": ("a - b", "a - b"),
}
_NEEDS_ORDER = frozenset(("greater", "greater_equal", "less", "less_equal", "maximum", "minimum"))
_COMPARES_EXACTLY = frozenset(("equal", "greater", "greater_equal", "less", "less_equal", "not_equal"))


def scalar_as_array(x: Any, dtype: np.dtype[Any], is_compared: bool = False) -> Any:
    """A number of Python's in the type in which it meets an array of `dtype`. OverflowError where it does not fit."""
    try:
        return np.asarray(x, dtype=np.result_type(dtype, x))
    except OverflowError:
        if is_compared:
            return np.asarray(x)
        raise


def by_expression(name: str, operands: tuple[Any, ...], target: Target | str) -> Array:
    """A function of the tables by its expression, compiled for a target."""
    expression = (UNARY if name in UNARY else BINARY)[name][0]
    common = np.result_type(*(x.dtype for x in operands if isinstance(x, Array)))
    inputs = [x if isinstance(x, Array) else scalar_as_array(x, common, name in _COMPARES_EXACTLY) for x in operands]
    try:
        result: Array = _core.transform(expression, ["a", "b"][:len(inputs)], inputs, None, None, target)
    except ValueError as e:
        # The expression is right, so that what it says of a column is about types.
        said = re.search(r", column \d+: (.*)", str(e))
        if said is None:
            raise
        raise TypeError(f"{name} of {' and '.join(str(x.dtype) for x in inputs)}: {said[1]}") from e
    return result


def by_numpy(function: Any, *operands: Any) -> Any:
    """A function of NumPy's, in float32 where it would compute in float16."""
    result = function(*operands)
    if result.dtype == np.float16:
        return function(*(x.astype(np.float32) if isinstance(x, np.ndarray) and x.itemsize == 1 else x for x in operands))
    return result


def operands_of(name: str, *given: Any) -> tuple[Any, ...]:
    """Arrays and numbers of Python's, of which one is an array. TypeError for others."""
    operands = tuple([x if isinstance(x, Array) or is_scalar(x) else array_of(x) for x in given])
    if all([is_scalar(x) for x in operands]):
        raise TypeError(f"{name}: one argument has to be a heddle.Array, and all are numbers of Python's")
    return operands


def _described(function: Callable[..., Array], name: str, form: str, what: str) -> Callable[..., Array]:
    function.__name__ = function.__qualname__ = name
    function.__module__ = "heddle.array_api"
    function.__doc__ = f"""{what}, for each element, as numpy.{name}.

    {form} The result has the broadcast shape, and is on the device of the arrays. TypeError for types that the
    function is not defined on, ValueError for shapes that do not fit and for arrays on different devices.
    """
    return function


def _unary(name: str) -> Callable[..., Array]:
    of_numpy = getattr(np, name)

    def function(x: Array, /) -> Array:
        x = array_of(x)
        place = place_of(x)
        if place is not None:
            return by_expression(name, (x,), place)
        return made(by_numpy(of_numpy, numpy_of(x)))

    return _described(function, name, "`a` is an array.", UNARY[name][1])


def _binary(name: str) -> Callable[..., Array]:
    of_numpy = getattr(np, name)
    has_expression, needs_order = BINARY[name][0] is not None, name in _NEEDS_ORDER

    def function(x1: Any, x2: Any, /) -> Array:
        operands = operands_of(name, x1, x2)
        place = place_of(*operands)
        if place is not None and has_expression:
            return by_expression(name, operands, place)
        elements = [numpy_of(x) if isinstance(x, Array) else x for x in operands]
        if needs_order and any([np.iscomplexobj(x) for x in elements]):
            raise TypeError(f"{name}: complex numbers have no order")
        return made(by_numpy(of_numpy, *elements), place)

    return _described(function, name, "`a` and `b` are arrays, or one is a number of Python's, which takes the type of\n"
                      "    the other.", BINARY[name][1])


abs, acos, acosh, asin, asinh, atan, atanh = map(_unary, ("abs", "acos", "acosh", "asin", "asinh", "atan", "atanh"))
bitwise_invert, ceil, conj, cos, cosh = map(_unary, ("bitwise_invert", "ceil", "conj", "cos", "cosh"))
exp, expm1, floor, imag = map(_unary, ("exp", "expm1", "floor", "imag"))
isfinite, isinf, isnan = map(_unary, ("isfinite", "isinf", "isnan"))
log, log1p, log2, log10, logical_not = map(_unary, ("log", "log1p", "log2", "log10", "logical_not"))
negative, positive, real, reciprocal, round = map(_unary, ("negative", "positive", "real", "reciprocal", "round"))
sign, signbit, sin, sinh, sqrt, square = map(_unary, ("sign", "signbit", "sin", "sinh", "sqrt", "square"))
tan, tanh, trunc = map(_unary, ("tan", "tanh", "trunc"))

add, atan2, copysign, divide, equal = map(_binary, ("add", "atan2", "copysign", "divide", "equal"))
bitwise_and, bitwise_or, bitwise_xor = map(_binary, ("bitwise_and", "bitwise_or", "bitwise_xor"))
bitwise_left_shift, bitwise_right_shift = map(_binary, ("bitwise_left_shift", "bitwise_right_shift"))
floor_divide, greater, greater_equal, hypot = map(_binary, ("floor_divide", "greater", "greater_equal", "hypot"))
less, less_equal, logaddexp = map(_binary, ("less", "less_equal", "logaddexp"))
logical_and, logical_or, logical_xor = map(_binary, ("logical_and", "logical_or", "logical_xor"))
maximum, minimum, multiply, nextafter = map(_binary, ("maximum", "minimum", "multiply", "nextafter"))
not_equal, pow, remainder, subtract = map(_binary, ("not_equal", "pow", "remainder", "subtract"))


def clip(x: Array, /, min: Any = None, max: Any = None) -> Array:
    """The elements, or the bound beyond which they lie: min(max(x, min), max), as numpy.clip.

    The bounds are arrays, whose shapes are broadcast with that of `x`, numbers, or None for none. The type is that of
    `x`, and bounds that it does not hold are a TypeError, as 0.5 is for integers. Where a bound or an element is NaN,
    so is the result.

    >>> from heddle import array_api as xp
    >>> xp.clip(xp.asarray([1, 5, 9]), 2, 6)
    heddle.Array([2, 5, 6], dtype=int64, device='cpu')
    """
    x = array_of(x)
    bounds = [b if b is None or is_scalar(b) else array_of(b) for b in (min, max)]
    for bound in bounds:
        if bound is not None and np.result_type(x.dtype, bound.dtype if isinstance(bound, Array) else bound) != x.dtype:
            raise TypeError(f"clip: a bound of {getattr(bound, 'dtype', type(bound).__name__)} does not fit {x.dtype}")
    place = place_of(x, *bounds)
    if place is None:
        return made(np.clip(numpy_of(x), *[numpy_of(b) if isinstance(b, Array) else b for b in bounds]))
    result = x if min is None else maximum(x, bounds[0])
    result = result if max is None else minimum(result, bounds[1])
    return result.on(place) if result is x else result


def where(condition: Array, x1: Any, x2: Any, /) -> Array:
    """The elements of `x1` where `condition` is true, and of `x2` elsewhere, as numpy.where.

    One of `x1` and `x2` may be a number of Python's, which takes the type of the other. The shapes are broadcast.

    >>> from heddle import array_api as xp
    >>> xp.where(xp.asarray([True, False]), xp.asarray([1, 2]), 0)
    heddle.Array([1, 0], dtype=int64, device='cpu')
    """
    condition = array_of(condition)
    operands = operands_of("where", x1, x2)
    common = np.result_type(*(x.dtype for x in operands if isinstance(x, Array)))
    inputs = [x if isinstance(x, Array) else scalar_as_array(x, common) for x in operands]
    place = place_of(condition, *inputs)
    if place is not None:
        result: Array = _core.transform("where(a, b, c)", ["a", "b", "c"], [condition, *inputs], None, None, place)
        return result
    return made(np.where(numpy_of(condition).astype(bool), *map(np.asarray, inputs)))
