"""Checks of arguments that the extension takes as numbers, texts and paths."""

from __future__ import annotations

import os
from typing import Any, NoReturn

import numpy as np


def whole(what: str, n: Any, least: int = 0, most: int = 2**63 - 1) -> int:
    """A whole number, which may be a float such as 1e8."""
    if hasattr(n, "__index__") or isinstance(n, float) and n.is_integer():
        count = int(n)
        if least <= count <= most:
            return count
    elif not isinstance(n, float):
        raise TypeError(f"{what} is a whole number, not {n!r}")
    raise ValueError(f"{what} is a whole number from {least} " + (f"on, not {n!r}" if isinstance(n, float) or n < least else f"to {most}, not {n!r}"))


def lengths(what: str, shape: Any) -> tuple[int, int]:
    """(rows, columns), of which there are some."""
    given = tuple(shape) if hasattr(shape, "__iter__") and not isinstance(shape, str) else (shape,)
    if len(given) != 2:
        raise TypeError(f"{what} is (rows, columns), not {shape!r}")
    rows, columns = (whole(f"a length of {what}", n, 1) for n in given)
    return rows, columns


def text(what: str, x: Any) -> str:
    if not isinstance(x, str):
        raise TypeError(f"{what} is a text, not {x!r}")
    x.encode()  # what is no Unicode raises UnicodeEncodeError, a ValueError
    return x


def number(what: str, x: Any) -> float:
    if isinstance(x, (str, bytes)) or not (hasattr(x, "__float__") or hasattr(x, "__index__")):
        raise TypeError(f"{what} is a number, not {x!r}")
    return float(x)


def mask(where: Any) -> np.ndarray:
    """The mask of the elements that count."""
    chosen = np.asarray(where)
    if chosen.dtype != np.bool_:
        raise TypeError(f"where is made of bools, not {chosen.dtype}")
    return chosen


def place(path: Any) -> str:
    """The path of a file."""
    name = os.fsdecode(path)
    if "\0" in name:
        raise ValueError(f"a path has no byte 0, as {name!r} has")
    return name


def refuse_pickling(x: object, remedy: str) -> NoReturn:
    raise TypeError(f"a heddle.{type(x).__name__} is not pickled or copied: {remedy}")
