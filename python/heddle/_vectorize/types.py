"""Types of values: NumPy's, and those of Python's numbers, which take the type of what they meet."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .. import _core

INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
NAMES = ("bool", *INTEGERS, "float32", "float64", "complex64", "complex128")


class Type(NamedTuple):
    """An element type by NumPy's name, or with `weak` that of a Python number."""

    name: str
    weak: bool = False

    def __str__(self) -> str:
        return {"bool": "bool", "int64": "int", "float64": "float"}.get(self.name, "complex") if self.weak else self.name

    @property
    def is_integer(self) -> bool:
        return self.name in INTEGERS

    @property
    def is_complex(self) -> bool:
        return self.name.startswith("complex")

    @property
    def is_floating(self) -> bool:
        return self.name.startswith("float")

    @property
    def code(self) -> str:
        return _core.code_name(self.name)

    @property
    def zero(self) -> str:
        return f"{self.code}(0, 0)" if self.is_complex else f"({self.code})0"


BOOL, INT, FLOAT, COMPLEX = (Type(name, True) for name in ("bool", "int64", "float64", "complex128"))
_WEAK = (BOOL, INT, FLOAT, COMPLEX)


def of_number(number: Any) -> Type:
    """The type of a Python number."""
    return next(type for kind, type in ((bool, BOOL), (int, INT), (float, FLOAT), (complex, COMPLEX))
                if isinstance(number, kind))


def of_dtype(dtype: Any) -> Type:
    """The type of NumPy's elements; TypeError where Heddle does not have it."""
    name = np.dtype(dtype).name
    if name not in NAMES:
        raise TypeError(f"{name} is no element type of Heddle, which are {', '.join(NAMES)}: convert the array with "
                        "astype")
    return Type(name)


def met(weak: Type, strong: Type) -> Type:
    """The type in which a Python number meets an element, by NEP 50."""
    if weak == BOOL or weak == INT and strong.name != "bool":
        return strong
    if weak == INT:
        return Type("int64")
    if weak == FLOAT:
        return strong if strong.is_floating or strong.is_complex else Type("float64")
    return Type("complex64" if strong.name in ("float32", "complex64") else "complex128")


def promoted(a: Type, b: Type) -> Type:
    """The type of what is of one type here and of another there."""
    if a == b:
        return a
    if a.weak and b.weak:
        return max(a, b, key=_WEAK.index)
    if not a.weak and not b.weak:
        return Type(np.promote_types(a.name, b.name).name)
    weak, strong = (a, b) if a.weak else (b, a)
    if strong.name == "bool" and weak != BOOL:
        return weak
    return met(weak, strong)


def fits(number: Any, type: Type) -> bool:
    """Whether an integer type has an integer; other types have every number."""
    if not type.is_integer or not isinstance(number, int):
        return True
    limits = np.iinfo(type.name)
    return bool(limits.min <= number <= limits.max)


class Value(NamedTuple):
    """Code of a type, or a number that is known."""

    type: Type
    code: str = ""
    number: Any = None
    is_name: bool = False

    @property
    def is_constant(self) -> bool:
        return self.number is not None

    def converted(self, type: Type) -> str:
        """As code of a type, as astype does."""
        if not self.is_constant:
            return _core.converted(self.code, self.type.name, type.name)
        if not fits(self.number, type):
            raise ValueError(f"{self.number} does not fit {type}")
        if type.name == "bool":
            return "true" if self.number else "false"
        if type.is_integer:
            return f"(({type.code}){int(self.number) & (1 << 64) - 1:#x}ull)"
        return _core.operate(type.name, [complex(self.number) if type.is_complex else float(self.number)])[0]


def constant(number: Any) -> Value:
    return Value(of_number(number), number=number)


def same_number(a: Any, b: Any) -> bool:
    """Whether two known numbers are the same, NaN and the sign of 0 included."""
    return a is not None and b is not None and type(a) is type(b) and repr(a) == repr(b)


_KEEPS_INTEGERS = {"divide", "true_divide", "equal", "not_equal", "less", "less_equal", "greater", "greater_equal",
                   "arctan2", "hypot", "copysign"}
_OF_BOOLS = {"bitwise_and", "bitwise_or", "bitwise_xor", "logical_not", "bool_"}


def _given(v: Value, type: Type) -> Any:
    """An operand for the translator of expressions: a number, or code with the name of its type."""
    if not v.is_constant:
        return v.converted(type), type.name
    if v.type != BOOL or type.name != "bool":
        return int(v.number) if v.type == BOOL else v.number
    return "true" if v.number else "false", "bool"


def operate(word: str, *values: Value) -> Value:
    """A function of NumPy's by its name, where Python's numbers are weak."""
    strong = [v.type for v in values if not v.type.weak]
    if not strong:
        keeps_bools = word in _OF_BOOLS and all(v.type == BOOL for v in values)
        types = [v.type if keeps_bools or v.type != BOOL else INT for v in values]
        if word == "power" and values[1].is_constant and types[0] == types[1] == INT and values[1].number < 0:
            types[0] = FLOAT
        return _result(_core.operate(word, [_given(v, t) for v, t in zip(values, types)]), weak=True)
    common = strong[0]
    for other in strong[1:]:
        common = promoted(common, other)
    given = []
    for v in values:
        type = v.type
        if type.weak and type != BOOL and not v.is_constant:
            type = met(type, common)
            if v.type == INT and type.is_integer and word in _KEEPS_INTEGERS:
                type = Type("int64")
        given.append(_given(v, type))
    return _result(_core.operate(word, given), weak=False)


def _result(found: Any, weak: bool) -> Value:
    if not isinstance(found, tuple):
        return constant(found)
    code, name = found
    if not weak:
        return Value(Type(name), code)
    kind = np.dtype(name).kind
    type = {"b": BOOL, "i": INT, "u": INT, "f": FLOAT, "c": COMPLEX}[kind]
    return Value(type, _core.converted(code, name, type.name))


def strengthened(v: Value) -> Value:
    """A Python number as NumPy's scalar of the type that it has alone."""
    type = Type(v.type.name)
    if v.is_constant and v.type == INT and not fits(v.number, type):
        type = Type("uint64")
    return v if not v.type.weak else Value(type, v.converted(type))
