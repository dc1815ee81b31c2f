"""Discrete Fourier transforms, as numpy.fft: of float32 and complex64 in 32 bits, of other types in 64.

Each function takes NumPy's arguments and ``target``. An array that is shorter than `n` or `s` is filled with zeros,
and a longer one is cut, by NumPy, on the CPU. `norm` is "backward", which divides inverse transforms by the number
of elements, "forward", which divides the others, or "ortho". Axes are along those of an array of any shape.
AxisError for an axis that is not there, ValueError for no elements, TypeError for types that Heddle does not have.
"""

from __future__ import annotations

from math import prod, sqrt
from operator import index
from typing import Any

import numpy as np
from numpy.fft import fftfreq, fftshift, ifftshift, rfftfreq

from . import _core
from ._arrays import held, like, on_cpu
from ._core import Target

__all__ = ["fft", "fft2", "fftfreq", "fftn", "fftshift", "hfft", "ifft", "ifft2", "ifftn", "ifftshift", "ihfft", "irfft",
           "irfft2", "irfftn", "rfft", "rfft2", "rfftfreq", "rfftn"]

_OPPOSITE = {None: "forward", "backward": "forward", "ortho": "ortho", "forward": "backward"}


def _shape(a: Any) -> tuple[int, ...]:
    return tuple(a.shape) if hasattr(a, "shape") else np.shape(a)


def _resized(a: Any, lengths: dict[int, int]) -> Any:
    """Cut, or filled with zeros, along axes."""
    shape = _shape(a)
    if all(shape[axis] == length for axis, length in lengths.items()):
        return a
    x = on_cpu(a)
    for axis, length in lengths.items():
        index = [slice(None)] * x.ndim
        index[axis] = slice(length)
        x = x[tuple(index)]
        if x.shape[axis] < length:
            x = np.pad(x, [(0, length - x.shape[k] if k == axis else 0) for k in range(x.ndim)])
    return like(x, a)


def _transformed(kind: str, a: Any, s: Any, axes: Any, norm: str | None, out: Any, target: Any) -> Any:
    a = held(a)
    shape = _shape(a)
    if axes is None:
        axes = range(len(shape)) if s is None else range(len(shape) - len(s), len(shape))
    axes = [int(axis) for axis in axes]
    if s is not None and len(s) != len(axes):
        raise ValueError("Shape and axes have different lengths.")
    for axis in axes:
        if not -len(shape) <= axis < len(shape):
            raise _axis_error(axis, len(shape))
    axes = [axis % len(shape) for axis in axes]
    if norm not in _OPPOSITE:
        raise ValueError(f"norm is backward, ortho or forward, not {norm!r}")
    if not axes:
        if kind in ("rfft", "irfft"):
            raise IndexError("a transform to or from real numbers has a last axis")
        x = on_cpu(a)
        result = x.astype(np.complex64 if x.dtype in (np.float32, np.complex64) else np.complex128)
        return like(result, a) if out is None else _core.store(result, out)
    given = [-1] * len(axes) if s is None else [-1 if n is None else index(n) for n in s]
    lengths = {axis: shape[axis] if n == -1 else n for axis, n in zip(axes, given)}
    last = axes[-1]
    if kind == "irfft" and given[-1] == -1:
        # It has half of the elements, and one more.
        lengths[last] = 2 * (shape[last] - 1)
    if (least := min(lengths.values())) < 1:
        raise ValueError(f"Invalid number of FFT data points ({least}) specified.")
    if kind == "irfft":
        a = _resized(a, lengths | {last: lengths[last] // 2 + 1})
    else:
        a = _resized(a, lengths)
    count = prod(lengths[axis] for axis in axes)
    inverse = kind in ("ifft", "irfft")
    scale = 1.0
    if norm == "ortho":
        scale = sqrt(count) if inverse else 1 / sqrt(count)
    elif norm == "forward":
        scale = count if inverse else 1 / count
    return _core.fft(kind, a, axes, lengths[last] if kind == "irfft" else 0, scale, out, target)


def _axis_error(axis: int, ndim: int) -> Exception:
    # Before NumPy 1.25 it was in numpy itself.
    place: Any = getattr(np, "exceptions", np)
    error: Exception = place.AxisError(axis, ndim)
    return error


def _along_one(kind: str, a: Any, n: int | None, axis: int, norm: str | None, out: Any, target: Any) -> Any:
    if n is not None and index(n) < 1:
        raise ValueError(f"Invalid number of FFT data points ({n}) specified.")
    return _transformed(kind, a, None if n is None else (n,), (axis,), norm, out, target)


def fft(a: Any, n: int | None = None, axis: int = -1, norm: str | None = None, out: Any = None, *,
        target: Target | str | None = None) -> Any:
    """The transform along one axis, as numpy.fft.fft: y[k] = sum of x[j] exp(-2 pi i j k / n), which is complex.

    >>> import heddle.fft
    >>> heddle.fft.fft([1.0, 2.0, 3.0, 4.0]).round(9).tolist()
    [(10+0j), (-2+2j), (-2+0j), (-2-2j)]
    """
    return _along_one("fft", a, n, axis, norm, out, target)


def ifft(a: Any, n: int | None = None, axis: int = -1, norm: str | None = None, out: Any = None, *,
         target: Target | str | None = None) -> Any:
    """The inverse of fft, divided by n, as numpy.fft.ifft.

    >>> import heddle.fft
    >>> heddle.fft.ifft([10, -2 + 2j, -2, -2 - 2j]).real.round(9).tolist()
    [1.0, 2.0, 3.0, 4.0]
    """
    return _along_one("ifft", a, n, axis, norm, out, target)


def rfft(a: Any, n: int | None = None, axis: int = -1, norm: str | None = None, out: Any = None, *,
         target: Target | str | None = None) -> Any:
    """The first n // 2 + 1 elements of the transform of real elements, as numpy.fft.rfft. TypeError for complex ones.

    >>> import heddle.fft
    >>> heddle.fft.rfft([1.0, 2.0, 3.0, 4.0]).round(9).tolist()
    [(10+0j), (-2+2j), (-2+0j)]
    """
    return _along_one("rfft", a, n, axis, norm, out, target)


def irfft(a: Any, n: int | None = None, axis: int = -1, norm: str | None = None, out: Any = None, *,
          target: Target | str | None = None) -> Any:
    """The inverse of rfft: n real elements, by default 2 (m - 1) of m, as numpy.fft.irfft.

    >>> import heddle.fft
    >>> heddle.fft.irfft([10, -2 + 2j, -2]).round(9).tolist()
    [1.0, 2.0, 3.0, 4.0]
    """
    return _along_one("irfft", a, n, axis, norm, out, target)


def hfft(a: Any, n: int | None = None, axis: int = -1, norm: str | None = None, out: Any = None, *,
         target: Target | str | None = None) -> Any:
    """The transform of elements that go on as their own conjugates, which is real, as numpy.fft.hfft.

    >>> import heddle.fft
    >>> heddle.fft.hfft([1.0, 2.0, 3.0]).round(9).tolist()
    [8.0, -2.0, 0.0, -2.0]
    """
    return irfft(like(np.conj(on_cpu(a)), a), n, axis, _OPPOSITE.get(norm, norm), out, target=target)


def ihfft(a: Any, n: int | None = None, axis: int = -1, norm: str | None = None, out: Any = None, *,
          target: Target | str | None = None) -> Any:
    """The inverse of hfft, as numpy.fft.ihfft.

    >>> import heddle.fft
    >>> heddle.fft.ihfft([8.0, -2.0, 0.0, -2.0]).real.round(9).tolist()
    [1.0, 2.0, 3.0]
    """
    half = rfft(a, n, axis, _OPPOSITE.get(norm, norm), target=target)
    result = like(np.conj(on_cpu(half)), half)
    return result if out is None else _core.store(result, out)


def fftn(a: Any, s: Any = None, axes: Any = None, norm: str | None = None, out: Any = None, *,
         target: Target | str | None = None) -> Any:
    """The transform along several axes, by default all, as numpy.fft.fftn.

    >>> import heddle.fft
    >>> heddle.fft.fftn([[1.0, 2.0], [3.0, 4.0]]).real.tolist()
    [[10.0, -2.0], [-4.0, 0.0]]
    """
    return _transformed("fft", a, s, axes, norm, out, target)


def ifftn(a: Any, s: Any = None, axes: Any = None, norm: str | None = None, out: Any = None, *,
          target: Target | str | None = None) -> Any:
    """The inverse of fftn, as numpy.fft.ifftn.

    >>> import heddle.fft
    >>> heddle.fft.ifftn([[10.0, -2.0], [-4.0, 0.0]]).real.tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """
    return _transformed("ifft", a, s, axes, norm, out, target)


def rfftn(a: Any, s: Any = None, axes: Any = None, norm: str | None = None, out: Any = None, *,
          target: Target | str | None = None) -> Any:
    """rfft along the last of several axes and fft along the others, as numpy.fft.rfftn.

    >>> import heddle.fft
    >>> heddle.fft.rfftn([[1.0, 2.0], [3.0, 4.0]]).real.tolist()
    [[10.0, -2.0], [-4.0, 0.0]]
    """
    return _transformed("rfft", a, s, axes, norm, out, target)


def irfftn(a: Any, s: Any = None, axes: Any = None, norm: str | None = None, out: Any = None, *,
           target: Target | str | None = None) -> Any:
    """The inverse of rfftn, as numpy.fft.irfftn.

    >>> import heddle.fft
    >>> heddle.fft.irfftn([[10.0, -2.0], [-4.0, 0.0]]).tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """
    return _transformed("irfft", a, s, axes, norm, out, target)


def fft2(a: Any, s: Any = None, axes: Any = (-2, -1), norm: str | None = None, out: Any = None, *,
         target: Target | str | None = None) -> Any:
    """fftn along the last two axes, as numpy.fft.fft2.

    >>> import heddle.fft
    >>> heddle.fft.fft2([[1.0, 2.0], [3.0, 4.0]]).real.tolist()
    [[10.0, -2.0], [-4.0, 0.0]]
    """
    return fftn(a, s, axes, norm, out, target=target)


def ifft2(a: Any, s: Any = None, axes: Any = (-2, -1), norm: str | None = None, out: Any = None, *,
          target: Target | str | None = None) -> Any:
    """ifftn along the last two axes, as numpy.fft.ifft2.

    >>> import heddle.fft
    >>> heddle.fft.ifft2([[10.0, -2.0], [-4.0, 0.0]]).real.tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """
    return ifftn(a, s, axes, norm, out, target=target)


def rfft2(a: Any, s: Any = None, axes: Any = (-2, -1), norm: str | None = None, out: Any = None, *,
          target: Target | str | None = None) -> Any:
    """rfftn along the last two axes, as numpy.fft.rfft2.

    >>> import heddle.fft
    >>> heddle.fft.rfft2([[1.0, 2.0], [3.0, 4.0]]).real.tolist()
    [[10.0, -2.0], [-4.0, 0.0]]
    """
    return rfftn(a, s, axes, norm, out, target=target)


def irfft2(a: Any, s: Any = None, axes: Any = (-2, -1), norm: str | None = None, out: Any = None, *,
           target: Target | str | None = None) -> Any:
    """irfftn along the last two axes, as numpy.fft.irfft2.

    >>> import heddle.fft
    >>> heddle.fft.irfft2([[10.0, -2.0], [-4.0, 0.0]]).tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """
    return irfftn(a, s, axes, norm, out, target=target)
