"""Functions of elements."""

from __future__ import annotations

from typing import Any

from . import _core
from ._arguments import text
from ._core import Target

_LETTERS = "abcdefghjklmnopqrstuvwxyz"


def require_name(name: str) -> None:
    """Of what an expression calls an array."""
    if not (name.isascii() and name.isidentifier()):
        raise ValueError(f"an array cannot be called {name!r}: a name has letters from a to z, digits and _")


def transform(expression: str, *arrays: Any, dtype: Any = None, out: Any = None, target: Target | str | None = None,
              **named: Any) -> Any:
    """An expression of the elements of arrays, one by one, in Python's syntax.

    `arrays` are called a, b, c and so on, without i, which is the element's place in C order; others are named by
    keywords. Operators, functions such as sqrt, where and clip, types and broadcasting are NumPy's: see `heddle
    transform`. The expression is compiled: on a CPU by the system's C++ compiler, which must be there, on a GPU by
    NVRTC; what was compiled is kept, also for the next process. The result has the type that NumPy gives it, or
    `dtype`. ValueError where the expression is wrong, naming the column, and for shapes that do not fit;
    heddle.Error where there is no compiler.

    >>> import heddle
    >>> heddle.transform("a * a + 1", [1, 2, 3]).tolist()
    [2, 5, 10]
    >>> heddle.transform("sqrt(x) + i", x=[4.0, 9.0]).tolist()
    [2.0, 4.0]
    """
    if len(arrays) > len(_LETTERS):
        raise ValueError(f"name more than {len(_LETTERS)} arrays, as in x=array")
    inputs = dict(zip(_LETTERS, arrays))
    for name, array in named.items():
        require_name(name)
        if name in inputs:
            raise ValueError(f"two arrays are called {name}")
        inputs[name] = array
    if not inputs:
        raise ValueError("an expression needs an array")
    return _core.transform(text("the expression", expression), list(inputs), list(inputs.values()), dtype, out, target)
