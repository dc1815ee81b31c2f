"""The description of the namespace."""

from __future__ import annotations

from typing import Any

from .._core import Target
from ._dtypes import ALL, KINDS, complex128, float64, int64
from ._places import default_device


class Info:
    """The result of `__array_namespace_info__`: capabilities, devices and types.

    >>> from heddle import array_api as xp
    >>> xp.__array_namespace_info__().default_dtypes()["integral"]
    dtype('int64')
    """

    def capabilities(self) -> dict[str, Any]:
        """Masks and results whose shape depends on elements are there; arrays have at most 64 axes, as NumPy's."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self) -> str:
        """The GPU of the enclosing `with heddle.target(…):` or of HEDDLE_TARGET, or else "cpu"."""
        return default_device()

    def devices(self) -> list[str]:
        """ "cpu", and "gpu:0" and so on for each GPU of this machine."""
        return ["cpu", *(f"gpu:{where.device}" for where in Target.available() if where.kind == "gpu")]

    def default_dtypes(self, *, device: Any = None) -> dict[str, Any]:
        """The types of Python's float, complex and int, and of places; the same on every device."""
        return {"real floating": float64, "complex floating": complex128, "integral": int64, "indexing": int64}

    def dtypes(self, *, device: Any = None, kind: str | tuple[str, ...] | None = None) -> dict[str, Any]:
        """The types of a kind of `isdtype`, of several or all, by name; the same on every device.

        ValueError for another kind.
        """
        kinds = tuple(KINDS) if kind is None else (kind,) if isinstance(kind, str) else kind
        for one in kinds:
            if one not in KINDS:
                raise ValueError(f"dtypes: kind is one of {', '.join(KINDS)}, not {one!r}")
        return {name: dtype for name, dtype in ALL.items() if any(dtype.kind in KINDS[one] for one in kinds)}


def __array_namespace_info__() -> Info:
    """The capabilities of the namespace, its devices and its types.

    >>> from heddle import array_api as xp
    >>> xp.__array_namespace_info__().devices()[0]
    'cpu'
    """
    return Info()
