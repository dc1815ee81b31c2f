"""Code that simulations share: steps in pieces that Ctrl-C stops between, and progress."""

from __future__ import annotations

import time
from typing import Any, Callable

Progress = Callable[[int, int], Any] | bool | None


class _Enough(Exception):
    """Ends _in_pieces where enough has been done."""


class _Shown:
    """How far work is: for a function that is called with what is done and the total, or for tqdm."""

    def __init__(self, progress: Progress, total: int, unit: str):
        self._total = total
        self._done = 0
        self._bar: Any = None
        if not (progress is None or isinstance(progress, bool) or callable(progress)):
            raise TypeError(f"progress is a function of (done, total), or True for tqdm, not {progress!r}")
        self._function = progress if callable(progress) else None
        if progress is True:
            try:
                from tqdm.auto import tqdm
            except ImportError:
                raise ImportError("progress=True needs tqdm: install it, or give a function of (done, total)") from None
            self._bar = tqdm(total=total, unit=unit)

    def __enter__(self) -> _Shown:
        return self

    def __exit__(self, *raised: object) -> None:
        if self._bar is not None:
            self._bar.close()

    def is_at(self, done: int) -> None:
        if self._bar is not None:
            self._bar.update(done - self._done)
        self._done = done
        if self._function is not None:
            self._function(done, self._total)


def _in_pieces(total: int, first_piece: float, progress: Progress, unit: str, advance: Callable[[int], Any]) -> None:
    """Calls advance(n) with pieces of `total` of about a twentieth of a second: Ctrl-C takes effect between them.

    The first piece lasts less than a second on the slowest machines. `advance` may raise _Enough.
    """
    piece = 1 << max(0, int(max(1.0, first_piece)).bit_length() - 1)
    done = 0
    with _Shown(progress, total, unit) as shown:
        while done < total:
            now = min(piece, total - done)
            began = time.perf_counter()
            advance(now)
            took = time.perf_counter() - began
            done += now
            if took < 0.04 and now == piece:
                piece *= 2
            elif took > 0.1:
                piece = max(1, piece // 2)
            shown.is_at(done)
