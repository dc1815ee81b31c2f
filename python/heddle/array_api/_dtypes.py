"""Data types, and what is asked about them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _core
from .._core import Array
from ._places import array_of, is_scalar

bool = np.dtype("bool")
int8, int16, int32, int64 = (np.dtype(f"int{bits}") for bits in (8, 16, 32, 64))
uint8, uint16, uint32, uint64 = (np.dtype(f"uint{bits}") for bits in (8, 16, 32, 64))
float32, float64 = np.dtype("float32"), np.dtype("float64")
complex64, complex128 = np.dtype("complex64"), np.dtype("complex128")

ALL = {"bool": bool, "int8": int8, "int16": int16, "int32": int32, "int64": int64, "uint8": uint8, "uint16": uint16,
       "uint32": uint32, "uint64": uint64, "float32": float32, "float64": float64, "complex64": complex64,
       "complex128": complex128}
KINDS = {"bool": "b", "signed integer": "i", "unsigned integer": "u", "integral": "iu", "real floating": "f",
         "complex floating": "c", "numeric": "iufc"}


def _type_of(x: Any) -> np.dtype[Any]:
    return x.dtype if isinstance(x, Array) else np.dtype(x)


@dataclass(frozen=True)
class finfo_object:
    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: np.dtype[Any]


@dataclass(frozen=True)
class iinfo_object:
    bits: int
    max: int
    min: int
    dtype: np.dtype[Any]


def finfo(type: Any, /) -> finfo_object:
    """The limits of a floating-point type, of an array's type, or of the parts of a complex one: as numpy.finfo.

    ValueError for other types.

    >>> from heddle import array_api as xp
    >>> xp.finfo(xp.float32).bits, xp.finfo(xp.complex128).eps
    (32, 2.220446049250313e-16)
    """
    found = np.finfo(_type_of(type))
    return finfo_object(found.bits, float(found.eps), float(found.max), float(found.min), float(found.smallest_normal),
                        found.dtype)


def iinfo(type: Any, /) -> iinfo_object:
    """The limits of an integer type, or of an array's type, as numpy.iinfo. ValueError for other types.

    >>> from heddle import array_api as xp
    >>> xp.iinfo(xp.int8).max
    127
    """
    found = np.iinfo(_type_of(type))
    return iinfo_object(found.bits, found.max, found.min, found.dtype)


def isdtype(dtype: Any, kind: Any) -> Any:
    """Whether a type is another, or of a kind: "bool", "signed integer", "unsigned integer", "integral",
    "real floating", "complex floating" or "numeric"; or is any of a tuple of both. ValueError for another kind.

    >>> from heddle import array_api as xp
    >>> xp.isdtype(xp.uint8, ("bool", "integral")), xp.isdtype(xp.uint8, xp.int8)
    (True, False)
    """
    if isinstance(kind, tuple):
        return any([isdtype(dtype, one) for one in kind])
    if isinstance(kind, str):
        if kind not in KINDS:
            raise ValueError(f"isdtype: kind is one of {', '.join(KINDS)}, not {kind!r}")
        return np.dtype(dtype).kind in KINDS[kind]
    return np.dtype(dtype) == np.dtype(kind)


def can_cast(from_: Any, to: Any, /) -> Any:
    """Whether a type, or that of an array, becomes another without loss, as numpy.can_cast with casting="safe".

    >>> from heddle import array_api as xp
    >>> xp.can_cast(xp.int32, xp.int64), xp.can_cast(xp.int64, xp.int32)
    (True, False)
    """
    return np.can_cast(_type_of(from_), _type_of(to))


def result_type(*arrays_and_dtypes: Any) -> np.dtype[Any]:
    """The type in which arrays, types and numbers of Python's meet, as numpy.result_type.

    Numbers take the type of the arrays, if it has numbers of their kind. ValueError where there is neither an array
    nor a type.

    >>> from heddle import array_api as xp
    >>> xp.result_type(xp.int8, xp.uint8), xp.result_type(xp.float32, 1.5)
    (dtype('int16'), dtype('float32'))
    """
    if all([is_scalar(x) for x in arrays_and_dtypes]):
        raise ValueError("result_type: an array or a type is needed beside the numbers")
    return np.result_type(*(x if is_scalar(x) else _type_of(x) for x in arrays_and_dtypes))


def astype(x: Array, dtype: Any, /, *, copy: Any = True, device: Any = None) -> Array:
    """The elements in another type, as NumPy's astype, on the same device or another.

    With ``copy=False`` it is `x` itself where nothing changes. TypeError for complex elements in a real type, whose
    imaginary parts would be lost: `real` gives the others.

    >>> from heddle import array_api as xp
    >>> xp.astype(xp.asarray([1.5, -1.5]), xp.int8)
    heddle.Array([ 1, -1], dtype=int8, device='cpu')
    """
    x = array_of(x)
    dtype = np.dtype(dtype)
    if x.dtype.kind == "c" and dtype.kind in "iuf":
        raise TypeError(f"astype: {x.dtype} does not become {dtype}, which has no imaginary parts: take real(x)")
    return _core.asarray(x, dtype, device, True if copy else None)
