"""Pi from random points."""

from __future__ import annotations

from typing import NamedTuple

from . import _core
from ._arguments import whole
from ._core import Target
from ._simulations import Progress, _in_pieces


class PiEstimate(NamedTuple):
    """The result of random points for π: the estimate and its standard error; of `samples` points `inside` are in the disc."""

    value: float
    standard_error: float
    inside: int
    samples: int


def pi(samples: int | float = 10_000_000, *, seed: int = 0, target: Target | str | None = None,
       progress: Progress = None) -> PiEstimate:
    """π from random points of the unit square: four times the share that lies in the quarter disc.

    A seed and a number of samples, which may be 1e8, give the same digits on every target. `progress` is called with
    (done, samples), or True for tqdm. ValueError for no samples, and for a seed that is not from 0 to 2^64 − 1.
    O(samples).

    >>> import heddle
    >>> heddle.pi(1e6, seed=1).value
    3.141712
    """
    count, seed = whole("samples", samples, 1, 2**64 - 1), whole("seed", seed, 0, 2**64 - 1)
    where = _core.current_target() if target is None else target if isinstance(target, Target) else Target(target)
    if where.kind == "auto":
        # A GPU takes a moment to start, in which every core draws so many.
        where = Target("parallel") if count < 1_000_000_000 else Target.best()
    inside = done = 0

    def draw(n: int) -> None:
        nonlocal inside, done
        inside += _core.points_in_disc(seed, done, n, where)
        done += n

    _in_pieces(count, 1 << 22, progress, "samples", draw)
    return PiEstimate(*_core.estimate_of_pi(inside, count), inside, count)
