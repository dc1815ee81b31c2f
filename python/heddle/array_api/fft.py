"""The extension of Fourier transforms: heddle.fft with the signatures of the standard.

Elements are float32 and complex64, or float64 and complex128. `norm` is "backward", "forward" or "ortho".
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import fft as _transforms
from .._core import Array
from ._places import created, through_heddle, through_numpy

__all__ = ["fft", "fftfreq", "fftn", "fftshift", "hfft", "ifft", "ifftn", "ifftshift", "ihfft", "irfft", "irfftn", "rfft",
           "rfftfreq", "rfftn"]


def fft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Array:
    """heddle.fft.fft.

    >>> from heddle import array_api as xp
    >>> xp.real(xp.fft.fft(xp.asarray([1., 2., 3., 4.])))
    heddle.Array([10., -2., -2., -2.], dtype=float64, device='cpu')
    """
    return through_heddle(_transforms.fft, x, n, axis, norm)


def ifft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Array:
    """heddle.fft.ifft.

    >>> from heddle import array_api as xp
    >>> xp.real(xp.fft.ifft(xp.asarray([4., 0.])))
    heddle.Array([2., 2.], dtype=float64, device='cpu')
    """
    return through_heddle(_transforms.ifft, x, n, axis, norm)


def fftn(x: Array, /, *, s: Any = None, axes: Any = None, norm: str = "backward") -> Array:
    """heddle.fft.fftn.

    >>> from heddle import array_api as xp
    >>> xp.real(xp.fft.fftn(xp.ones((2, 2))))
    heddle.Array([[4., 0.],
                  [0., 0.]], dtype=float64, device='cpu')
    """
    return through_heddle(_transforms.fftn, x, s, axes, norm)


def ifftn(x: Array, /, *, s: Any = None, axes: Any = None, norm: str = "backward") -> Array:
    """heddle.fft.ifftn.

    >>> from heddle import array_api as xp
    >>> xp.real(xp.fft.ifftn(xp.ones((2, 2))))
    heddle.Array([[1., 0.],
                  [0., 0.]], dtype=float64, device='cpu')
    """
    return through_heddle(_transforms.ifftn, x, s, axes, norm)


def rfft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Array:
    """heddle.fft.rfft.

    >>> from heddle import array_api as xp
    >>> xp.real(xp.fft.rfft(xp.asarray([1., 2., 3., 4.])))
    heddle.Array([10., -2., -2.], dtype=float64, device='cpu')
    """
    return through_heddle(_transforms.rfft, x, n, axis, norm)


def irfft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Array:
    """heddle.fft.irfft.

    >>> from heddle import array_api as xp
    >>> xp.fft.irfft(xp.asarray([4., 0., 0.]))
    heddle.Array([1., 1., 1., 1.], dtype=float64, device='cpu')
    """
    return through_heddle(_transforms.irfft, x, n, axis, norm)


def rfftn(x: Array, /, *, s: Any = None, axes: Any = None, norm: str = "backward") -> Array:
    """heddle.fft.rfftn.

    >>> from heddle import array_api as xp
    >>> xp.fft.rfftn(xp.ones((2, 4))).shape
    (2, 3)
    """
    return through_heddle(_transforms.rfftn, x, s, axes, norm)


def irfftn(x: Array, /, *, s: Any = None, axes: Any = None, norm: str = "backward") -> Array:
    """heddle.fft.irfftn.

    >>> from heddle import array_api as xp
    >>> xp.fft.irfftn(xp.ones((2, 3))).shape
    (2, 4)
    """
    return through_heddle(_transforms.irfftn, x, s, axes, norm)


def hfft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Array:
    """heddle.fft.hfft.

    >>> from heddle import array_api as xp
    >>> xp.fft.hfft(xp.asarray([1., 1.]))
    heddle.Array([2., 0.], dtype=float64, device='cpu')
    """
    return through_heddle(_transforms.hfft, x, n, axis, norm)


def ihfft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Array:
    """heddle.fft.ihfft.

    >>> from heddle import array_api as xp
    >>> xp.real(xp.fft.ihfft(xp.asarray([2., 0.])))
    heddle.Array([1., 1.], dtype=float64, device='cpu')
    """
    return through_heddle(_transforms.ihfft, x, n, axis, norm)


def fftfreq(n: int, /, *, d: float = 1.0, dtype: Any = None, device: Any = None) -> Array:
    """The frequencies of the elements of `fft`, for samples at distances `d`, float64 by default, as numpy.fft.fftfreq.

    >>> from heddle import array_api as xp
    >>> xp.fft.fftfreq(4)
    heddle.Array([ 0.  ,  0.25, -0.5 , -0.25], dtype=float64, device='cpu')
    """
    return created(np.fft.fftfreq(n, d).astype(np.float64 if dtype is None else dtype), device)


def rfftfreq(n: int, /, *, d: float = 1.0, dtype: Any = None, device: Any = None) -> Array:
    """The frequencies of the elements of `rfft`, as numpy.fft.rfftfreq.

    >>> from heddle import array_api as xp
    >>> xp.fft.rfftfreq(4)
    heddle.Array([0.  , 0.25, 0.5 ], dtype=float64, device='cpu')
    """
    return created(np.fft.rfftfreq(n, d).astype(np.float64 if dtype is None else dtype), device)


def fftshift(x: Array, /, *, axes: Any = None) -> Array:
    """The element of frequency 0 moved to the middle, as numpy.fft.fftshift.

    >>> from heddle import array_api as xp
    >>> xp.fft.fftshift(xp.asarray([0, 1, -2, -1]))
    heddle.Array([-2, -1,  0,  1], dtype=int64, device='cpu')
    """
    return through_numpy(np.fft.fftshift, x, axes)


def ifftshift(x: Array, /, *, axes: Any = None) -> Array:
    """The inverse of fftshift.

    >>> from heddle import array_api as xp
    >>> xp.fft.ifftshift(xp.asarray([-2, -1, 0, 1]))
    heddle.Array([ 0,  1, -2, -1], dtype=int64, device='cpu')
    """
    return through_numpy(np.fft.ifftshift, x, axes)
