"""Products of matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _core
from ._arrays import held, is_on_gpu, like, on_cpu
from ._core import Array, Target


def _with_common_batches(x1: Any, x2: Any) -> tuple[Any, Any]:
    """Stacks of matrices as NumPy broadcasts them, where both have more than one matrix."""
    stacks = [np.shape(x)[:-2] if not hasattr(x, "shape") else tuple(x.shape)[:-2] for x in (x1, x2)]
    if stacks[0] == stacks[1] or not all(stacks):
        return x1, x2
    common = np.broadcast_shapes(*stacks)
    if is_on_gpu(x1) and is_on_gpu(x2):
        from .array_api import _moves

        return tuple(_moves.broadcast(x, common + x.shape[-2:]) for x in (x1, x2))
    arrays = [on_cpu(x) for x in (x1, x2)]
    return tuple(like(np.broadcast_to(x, common + x.shape[-2:]), given) for x, given in zip(arrays, (x1, x2)))


def matmul(x1: Any, x2: Any, /, out: Any = None, *, dtype: Any = None, target: Target | str | None = None) -> Any:
    """The product of matrices, as numpy.matmul: vectors, matrices and stacks of matrices.

    float32, float64, complex64 and complex128 are multiplied by BLAS or cuBLAS, and of two types in that which
    holds both; integers and bool by NumPy, on the CPU. ValueError for shapes that do not fit.

    >>> import heddle
    >>> heddle.matmul([[1.0, 2.0], [3.0, 4.0]], [1.0, 1.0]).tolist()
    [3.0, 7.0]
    """
    x1, x2 = held(x1), held(x2)
    type_wanted = np.dtype(dtype) if dtype is not None else np.result_type(*(
        x.dtype if isinstance(x, Array) or hasattr(x, "__array_interface__") else on_cpu(x).dtype for x in (x1, x2)))
    if type_wanted.kind in "biu":
        product = np.matmul(on_cpu(x1), on_cpu(x2), dtype=dtype)
        if out is not None:
            return _core.store(product, out)
        return like(product, x1 if isinstance(x1, Array) else x2)
    x1, x2 = _with_common_batches(x1, x2)
    return _core.matmul(x1, x2, out, type_wanted, target)
