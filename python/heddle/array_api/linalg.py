"""The extension of linear algebra: matmul is Heddle's, and the rest NumPy's, on the CPU.

Matrices are the last two axes of arrays of any shape. float32 and complex64 are computed in 32 bits, other types in 64.
Arrays on a GPU are copied to the CPU, and results back. numpy.linalg.LinAlgError for a matrix that has no result.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._core import Array
from ._manipulation import matrix_transpose
from ._patterns import matmul, tensordot, vecdot
from ._places import array_of, made, numpy_of, place_of, through_numpy

__all__ = ["cholesky", "cross", "det", "diagonal", "eigh", "eigvalsh", "inv", "matmul", "matrix_norm", "matrix_power",
           "matrix_rank", "matrix_transpose", "outer", "pinv", "qr", "slogdet", "solve", "svd", "svdvals", "tensordot",
           "trace", "vecdot", "vector_norm"]


class EighResult(NamedTuple):
    eigenvalues: Array
    eigenvectors: Array


class QRResult(NamedTuple):
    Q: Array
    R: Array


class SlogdetResult(NamedTuple):
    sign: Array
    logabsdet: Array


class SVDResult(NamedTuple):
    U: Array
    S: Array
    Vh: Array


def _parts(function: Any, x: Any, *arguments: Any, **keywords: Any) -> list[Array]:
    x = array_of(x)
    place = place_of(x)
    return [made(part, place) for part in function(numpy_of(x), *arguments, **keywords)]


def _of_two(function: Any, x1: Any, x2: Any, **keywords: Any) -> Array:
    x1, x2 = array_of(x1), array_of(x2)
    return made(function(numpy_of(x1), numpy_of(x2), **keywords), place_of(x1, x2))


def cholesky(x: Array, /, *, upper: bool = False) -> Array:
    """The triangular L with L Lᴴ = x, or with `upper` the U with Uᴴ U = x, of Hermitian positive definite matrices.

    >>> from heddle import array_api as xp
    >>> xp.linalg.cholesky(xp.asarray([[4., 2.], [2., 5.]]))
    heddle.Array([[2., 0.],
                  [1., 2.]], dtype=float64, device='cpu')
    """
    return through_numpy(np.linalg.cholesky, x, upper=upper)


def cross(x1: Array, x2: Array, /, *, axis: int = -1) -> Array:
    """The cross products of vectors of three elements along an axis. ValueError for another length.

    >>> from heddle import array_api as xp
    >>> xp.linalg.cross(xp.asarray([1, 0, 0]), xp.asarray([0, 1, 0]))
    heddle.Array([0, 0, 1], dtype=int64, device='cpu')
    """
    return _of_two(np.linalg.cross, x1, x2, axis=axis)


def det(x: Array, /) -> Array:
    """The determinants of square matrices.

    >>> from heddle import array_api as xp
    >>> float(xp.linalg.det(xp.asarray([[2., 0.], [0., 3.]])))
    6.0
    """
    return through_numpy(np.linalg.det, x)


def diagonal(x: Array, /, *, offset: int = 0) -> Array:
    """The diagonals of matrices, the `offset`-th above the main one.

    >>> from heddle import array_api as xp
    >>> xp.linalg.diagonal(xp.asarray([[1, 2], [3, 4]]))
    heddle.Array([1, 4], dtype=int64, device='cpu')
    """
    return through_numpy(np.linalg.diagonal, x, offset=offset)


def eigh(x: Array, /) -> EighResult:
    """The eigenvalues of Hermitian matrices, which rise, and the eigenvectors as columns. The lower triangle is read.

    >>> from heddle import array_api as xp
    >>> xp.linalg.eigh(xp.asarray([[2., 0.], [0., 1.]])).eigenvalues
    heddle.Array([1., 2.], dtype=float64, device='cpu')
    """
    return EighResult(*_parts(np.linalg.eigh, x))


def eigvalsh(x: Array, /) -> Array:
    """The eigenvalues of Hermitian matrices, which rise.

    >>> from heddle import array_api as xp
    >>> xp.linalg.eigvalsh(xp.asarray([[2., 0.], [0., 1.]]))
    heddle.Array([1., 2.], dtype=float64, device='cpu')
    """
    return through_numpy(np.linalg.eigvalsh, x)


def inv(x: Array, /) -> Array:
    """The inverses of square matrices.

    >>> from heddle import array_api as xp
    >>> xp.linalg.inv(xp.asarray([[2., 0.], [0., 4.]]))
    heddle.Array([[0.5 , 0.  ],
                  [0.  , 0.25]], dtype=float64, device='cpu')
    """
    return through_numpy(np.linalg.inv, x)


def matrix_norm(x: Array, /, *, keepdims: bool = False, ord: Any = "fro") -> Array:
    """The norms of matrices: "fro", "nuc", 1, 2, inf, or the negative of one of these, as numpy.linalg.matrix_norm.

    >>> from heddle import array_api as xp
    >>> xp.linalg.matrix_norm(xp.asarray([[3., 0.], [0., 4.]]))
    heddle.Array(5., dtype=float64, device='cpu')
    """
    return through_numpy(np.linalg.matrix_norm, x, keepdims=keepdims, ord=ord)


def matrix_power(x: Array, n: int, /) -> Array:
    """Square matrices to a power, which may be negative.

    >>> from heddle import array_api as xp
    >>> xp.linalg.matrix_power(xp.asarray([[1, 1], [0, 1]]), 3)
    heddle.Array([[1, 3],
                  [0, 1]], dtype=int64, device='cpu')
    """
    return through_numpy(np.linalg.matrix_power, x, n)


def _tolerance(rtol: Any) -> Any:
    return numpy_of(rtol) if isinstance(rtol, Array) else rtol


def matrix_rank(x: Array, /, *, rtol: Any = None) -> Array:
    """The ranks of matrices: how many singular values are greater than `rtol` times the greatest.

    >>> from heddle import array_api as xp
    >>> xp.linalg.matrix_rank(xp.ones((2, 2)))
    heddle.Array(1, dtype=int64, device='cpu')
    """
    x = array_of(x)
    if x.ndim < 2:
        raise ValueError(f"matrix_rank: a matrix has two axes at least, not the shape {x.shape}")
    return through_numpy(np.linalg.matrix_rank, x, rtol=_tolerance(rtol))


def outer(x1: Array, x2: Array, /) -> Array:
    """The products of each element of one vector with each of another.

    >>> from heddle import array_api as xp
    >>> xp.linalg.outer(xp.asarray([1, 2]), xp.asarray([3, 4]))
    heddle.Array([[3, 4],
                  [6, 8]], dtype=int64, device='cpu')
    """
    return _of_two(np.linalg.outer, x1, x2)


def pinv(x: Array, /, *, rtol: Any = None) -> Array:
    """The pseudo-inverses of matrices, without singular values below `rtol` times the greatest.

    >>> from heddle import array_api as xp
    >>> xp.linalg.pinv(xp.asarray([[2., 0.], [0., 0.]]))
    heddle.Array([[0.5, 0. ],
                  [0. , 0. ]], dtype=float64, device='cpu')
    """
    x = array_of(x)
    if rtol is None and x.dtype.kind in "fc" and x.ndim >= 2:
        # The default of the standard, where NumPy's is 1e-15 for every type.
        rtol = float(np.finfo(x.dtype).eps) * max(x.shape[-2:])
    return through_numpy(np.linalg.pinv, x, rtol=_tolerance(rtol))


def qr(x: Array, /, *, mode: str = "reduced") -> QRResult:
    """Q with orthonormal columns and R upper triangular, with Q R = x; `mode` is "reduced" or "complete".

    >>> from heddle import array_api as xp
    >>> xp.linalg.qr(xp.ones((3, 2))).Q.shape
    (3, 2)
    """
    if mode not in ("reduced", "complete"):
        raise ValueError(f"qr: mode is reduced or complete, not {mode!r}")
    return QRResult(*_parts(np.linalg.qr, x, mode))


def slogdet(x: Array, /) -> SlogdetResult:
    """The signs of determinants, and the logarithms of their absolute values.

    >>> from heddle import array_api as xp
    >>> float(xp.linalg.slogdet(xp.asarray([[-1., 0.], [0., 1.]])).sign)
    -1.0
    """
    return SlogdetResult(*_parts(np.linalg.slogdet, x))


def solve(x1: Array, x2: Array, /) -> Array:
    """The y with x1 y = x2, for square matrices x1; x2 is a vector if it has one axis, and else matrices.

    >>> from heddle import array_api as xp
    >>> xp.linalg.solve(xp.asarray([[2., 0.], [0., 4.]]), xp.asarray([2., 2.]))
    heddle.Array([1. , 0.5], dtype=float64, device='cpu')
    """
    return _of_two(np.linalg.solve, x1, x2)


def svd(x: Array, /, *, full_matrices: bool = True) -> SVDResult:
    """U, S and Vᴴ with U diag(S) Vᴴ = x; the singular values S fall.

    >>> from heddle import array_api as xp
    >>> xp.linalg.svd(xp.asarray([[2., 0.], [0., 3.]])).S
    heddle.Array([3., 2.], dtype=float64, device='cpu')
    """
    return SVDResult(*_parts(np.linalg.svd, x, full_matrices=full_matrices))


def svdvals(x: Array, /) -> Array:
    """The singular values of matrices, which fall.

    >>> from heddle import array_api as xp
    >>> xp.linalg.svdvals(xp.asarray([[2., 0.], [0., 3.]]))
    heddle.Array([3., 2.], dtype=float64, device='cpu')
    """
    return through_numpy(np.linalg.svdvals, x)


def trace(x: Array, /, *, offset: int = 0, dtype: Any = None) -> Array:
    """The sums of diagonals, of integers in 64 bits.

    >>> from heddle import array_api as xp
    >>> xp.linalg.trace(xp.asarray([[1, 2], [3, 4]]))
    heddle.Array(5, dtype=int64, device='cpu')
    """
    return through_numpy(np.linalg.trace, x, offset=offset, dtype=dtype)


def vector_norm(x: Array, /, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> Array:
    """The norms of the vectors along one axis, several or all: of any order, as numpy.linalg.vector_norm.

    >>> from heddle import array_api as xp
    >>> xp.linalg.vector_norm(xp.asarray([3., 4.]))
    heddle.Array(5., dtype=float64, device='cpu')
    """
    return through_numpy(np.linalg.vector_norm, x, axis=axis, keepdims=keepdims, ord=ord)
