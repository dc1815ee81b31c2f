"""The target that calls run on where they name none."""

from contextvars import ContextVar
from typing import Any

from . import _core


class Error(RuntimeError):
    """A failure that is no fault of the arguments: a GPU that is not there, a driver, a compiler."""


class target:
    """The target of every call in a ``with`` block that names none, in this thread or task.

    `where` is a heddle.Target or its text. ValueError for another text, heddle.Error for a GPU that is not there.

    >>> import heddle
    >>> with heddle.target("parallel:2"):
    ...     total = heddle.sum([1, 2, 3])
    >>> int(total)
    6
    """

    # The target, and what was there before it: one object may be entered by several threads and tasks at once.
    _current: ContextVar[Any] = ContextVar("heddle.target", default=None)

    def __init__(self, where: "_core.Target | str"):
        self._where = where if isinstance(where, _core.Target) else _core.Target(where)

    def __enter__(self) -> "_core.Target":
        target._current.set((self._where, target._current.get()))
        return self._where

    def __exit__(self, *raised: object) -> None:
        target._current.set(target._current.get()[1])
