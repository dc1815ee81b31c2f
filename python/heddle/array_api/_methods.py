"""The methods of heddle.Array that the standard has: operators, indexing and properties."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import numpy as np

from .. import _core
from .._core import Array
from . import _elementwise as elementwise
from ._manipulation import matrix_transpose, permute_dims
from ._moves import Selection
from ._patterns import matmul
from ._places import array_of, is_scalar, made, numpy_of, place_of

VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12")
_UNARY = {"abs": elementwise.abs, "neg": elementwise.negative, "pos": elementwise.positive,
          "invert": elementwise.bitwise_invert}
_COMPARISONS = {"eq": elementwise.equal, "ne": elementwise.not_equal, "lt": elementwise.less,
                "le": elementwise.less_equal, "gt": elementwise.greater, "ge": elementwise.greater_equal}
_ARITHMETIC = {"add": elementwise.add, "sub": elementwise.subtract, "mul": elementwise.multiply,
               "truediv": elementwise.divide, "floordiv": elementwise.floor_divide, "mod": elementwise.remainder,
               "pow": elementwise.pow, "and": elementwise.bitwise_and, "or": elementwise.bitwise_or,
               "xor": elementwise.bitwise_xor, "lshift": elementwise.bitwise_left_shift,
               "rshift": elementwise.bitwise_right_shift, "matmul": matmul}
_OPERANDS = (Array, int, float, complex, np.ndarray, np.generic)


def _no_operand(other: Any) -> Any:
    # They would be repeated as often as an integer without axes says.
    if isinstance(other, (list, tuple, str, bytes, bytearray)):
        raise TypeError(f"a heddle.Array and a {type(other).__name__} have no common operators: asarray makes an array of numbers")
    return NotImplemented


def _compared(function: Callable[..., Array]) -> Callable[..., Any]:
    def method(self: Array, other: Any, /) -> Any:
        return function(self, other) if isinstance(other, _OPERANDS) else NotImplemented
    return method


def _forward(function: Callable[..., Array]) -> Callable[..., Any]:
    def method(self: Array, other: Any, /) -> Any:
        return function(self, other) if isinstance(other, _OPERANDS) else _no_operand(other)
    return method


def _reflected(function: Callable[..., Array]) -> Callable[..., Any]:
    def method(self: Array, other: Any, /) -> Any:
        return function(other, self) if isinstance(other, _OPERANDS) else _no_operand(other)
    return method


def _in_place(function: Callable[..., Array]) -> Callable[..., Any]:
    def method(self: Array, other: Any, /) -> Any:
        if not isinstance(other, _OPERANDS):
            return NotImplemented
        # A result of another shape, or of a type that this one does not hold, is an error.
        return _core.store(function(self, other), self)
    return method


def _unary(function: Callable[..., Array]) -> Callable[..., Array]:
    def method(self: Array, /) -> Array:
        return function(self)
    return method


def _key_of(x: Array, key: Any) -> Any:
    """The key, whose arrays have to be on the same device: ValueError."""
    place_of(x, *(key if isinstance(key, tuple) else (key,)))
    return key


def _on_cpu(key: Any) -> Any:
    """A key as NumPy takes it."""
    if isinstance(key, tuple):
        return tuple([numpy_of(k) if isinstance(k, Array) else k for k in key])
    return numpy_of(key) if isinstance(key, Array) else key


def _getitem(self: Array, key: Any, /) -> Array:
    """Elements at integers, slices, `...` and None, by a mask, or at places in arrays, as NumPy's: always a copy.

    IndexError for places that are not there.
    """
    key = _key_of(self, key)
    if place_of(self) is not None:
        return Selection(self, key).get()
    return made(numpy_of(self)[_on_cpu(key)])


def _kind(x: Any) -> int:
    """Of which kind numbers are: a later one holds those before it."""
    if is_scalar(x):
        return (bool, int, float, complex).index(next(t for t in (bool, int, float, complex) if isinstance(x, t)))
    return {"b": 0, "i": 1, "u": 1, "f": 2, "c": 3}[x.dtype.kind]


def _setitem(self: Array, key: Any, value: Any, /) -> None:
    """Sets the elements that a key of `__getitem__` takes, to a number or to an array that is broadcast.

    Where a key names an element several times, a GPU keeps any of its values. TypeError for numbers of a kind that
    the elements do not hold, as floats for integers; IndexError for places that are not there; ValueError for a shape that does not fit and for an array that is read-only.
    """
    if not is_scalar(value):
        value = array_of(value)
    if _kind(value) > _kind(self):
        raise TypeError(f"{getattr(value, 'dtype', type(value).__name__)} does not fit in elements of {self.dtype}")
    place, key = place_of(self, value), _key_of(self, key)
    if place is not None:
        if not isinstance(value, Array):
            value = _core.asarray(np.asarray(value, self.dtype), None, place, None)
        return Selection(self, key).set(_core.asarray(value, self.dtype, None, None))
    elements = numpy_of(self)
    elements[_on_cpu(key)] = numpy_of(value) if isinstance(value, Array) else value


def _iter(self: Array) -> Iterator[Array]:
    if self.ndim == 0:
        raise TypeError("an array without axes has no slices to go over")
    return (_getitem(self, i) for i in range(len(self)))


def _transposed(self: Array) -> Array:
    """The matrix transposed, as a copy. ValueError unless there are two axes."""
    if self.ndim != 2:
        raise ValueError(f"T is of an array with two axes, not of shape {self.shape}: use mT or permute_dims")
    return permute_dims(self, (1, 0))


def _array_namespace(self: Array, /, *, api_version: str | None = None) -> ModuleType:
    """heddle.array_api, for a version of the standard that it keeps to. ValueError for another."""
    if api_version is not None and api_version not in VERSIONS:
        raise ValueError(f"api_version is one of {', '.join(VERSIONS)}, not {api_version!r}")
    from heddle import array_api

    return array_api


def attach(array_class: Any) -> None:
    """Gives heddle.Array its methods."""
    methods: dict[str, Any] = {"getitem": _getitem, "setitem": _setitem, "iter": _iter, "array_namespace": _array_namespace}
    for name, function in _UNARY.items():
        methods[name] = _unary(function)
    for name, function in _COMPARISONS.items():
        methods[name] = _compared(function)
    for name, function in _ARITHMETIC.items():
        methods[name] = _forward(function)
        methods["r" + name] = _reflected(function)
        methods["i" + name] = _in_place(function)
    for name, method in methods.items():
        method.__name__ = f"__{name}__"
        method.__qualname__ = f"Array.__{name}__"
        setattr(array_class, f"__{name}__", method)
    array_class.T = property(_transposed)
    array_class.mT = property(matrix_transpose, doc="Each matrix of a stack transposed, as a copy.")
