"""Signatures as Numba writes them: "float64(float64, int32)"."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np

from .types import BOOL, COMPLEX, FLOAT, INT, Type, of_dtype

# Numba's names of types that have other names in NumPy.
_NUMBAS = {"boolean": "bool", "bool_": "bool", "b1": "bool", "int_": "int64", "uint": "uint64", "float_": "float64",
           "double": "float64", "f": "float32", "d": "float64", "complex_": "complex128", "byte": "uint8",
           "char": "int8", "uchar": "uint8", "short": "int16", "ushort": "uint16", "longlong": "int64", "ulonglong": "uint64",
           "intp": "int64", "uintp": "uint64"}


class Signature(NamedTuple):
    """Types of arguments, and of the result, where it is given."""

    kinds: tuple[Type, ...]
    result: Type | None

    def takes(self, given: tuple[Type, ...]) -> bool:
        """Whether the arguments can be cast safely: Python's numbers to types of their kind or a later one."""
        return all(_casts(a, b) for a, b in zip(given, self.kinds))

    def __str__(self) -> str:
        return f"{self.result or ''}({', '.join(map(str, self.kinds))})"


def _casts(given: Type, to: Type) -> bool:
    if not given.weak:
        return bool(np.can_cast(given.name, to.name))
    order = {BOOL: "biufc", INT: "iufc", FLOAT: "fc", COMPLEX: "c"}[given]
    return np.dtype(to.name).kind in order


def _type(text: str, whole: str) -> Type:
    try:
        return of_dtype(_NUMBAS.get(text, text))
    except TypeError:
        raise TypeError(f"signature '{whole}': '{text}' is no element type: write one such as float64") from None


def parsed(signature: Any, parameters: int, name: str) -> Signature:
    """A signature from its text, or from a tuple of types; Numba's own objects have the text."""
    if isinstance(signature, tuple) and not hasattr(signature, "return_type"):
        kinds, result = tuple(of_dtype(t) for t in signature), None
    else:
        text = "".join(str(signature).split())
        found = re.fullmatch(r"(\w*)\(([\w,]*)\)(?:->(\w+))?", text)
        if not found or found[1] and found[3]:
            raise TypeError(f"signature '{signature}': it is written as in \"float64(float64, int32)\"")
        returned = found[1] or found[3]
        kinds = tuple(_type(t, text) for t in found[2].split(",") if t)
        result = _type(returned, text) if returned else None
    if len(kinds) != parameters:
        raise TypeError(f"signature '{signature}' has {len(kinds)} arguments, and {name} takes {parameters}")
    return Signature(kinds, result)
