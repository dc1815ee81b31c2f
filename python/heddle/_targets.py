"""The target that calls run on where they name none."""

from contextvars import ContextVar

from . import _core


class Error(RuntimeError):
    """What fails for no fault of the arguments: a GPU that is not there, a driver, a compiler."""


class target:
    """The target of every call in a ``with`` block that names none, in this thread or task.

    `where` is a heddle.Target or its text. ValueError for another text, heddle.Error for a GPU that is not there.

    >>> import heddle
    >>> with heddle.target("parallel:2"):
    ...     total = heddle.sum([1, 2, 3])
    >>> int(total)
    6
    """

    _current = ContextVar("heddle.target")

    def __init__(self, where: "_core.Target | str"):
        self._where = where if isinstance(where, _core.Target) else _core.Target(where)
        self._tokens = []

    def __enter__(self) -> "_core.Target":
        self._tokens.append(target._current.set(self._where))
        return self._where

    def __exit__(self, *raised: object) -> None:
        target._current.reset(self._tokens.pop())
