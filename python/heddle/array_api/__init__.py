"""The Python array API standard, version 2024.12, on heddle.Array.

Code that is written for the standard finds this namespace by ``x.__array_namespace__()``. Reductions, scans, sorts, sets,
searches, products and Fourier transforms are Heddle's. Other functions are NumPy's on a CPU; on a GPU element-wise ones
are compiled expressions, and the rest goes through a copy on the CPU.

>>> from heddle import array_api as xp
>>> x = xp.linspace(0, 1, 5)
>>> xp.sum(x * x)
heddle.Array(1.875, dtype=float64, device='cpu')
"""

from math import e, inf, nan, pi

import numpy as _numpy

if not hasattr(_numpy, "unstack"):
    raise ImportError(f"heddle.array_api needs NumPy 2.1 or later, and this is {_numpy.__version__}")

from .. import __version__
from . import fft, linalg
from ._creation import (arange, asarray, empty, empty_like, eye, from_dlpack, full, full_like, linspace, meshgrid, ones,
                        ones_like, tril, triu, zeros, zeros_like)
from ._dtypes import (astype, bool, can_cast, complex64, complex128, finfo, float32, float64, iinfo, int8, int16, int32,
                      int64, isdtype, result_type, uint8, uint16, uint32, uint64)
from ._elementwise import (abs, acos, acosh, add, asin, asinh, atan, atan2, atanh, bitwise_and, bitwise_invert,
                           bitwise_left_shift, bitwise_or, bitwise_right_shift, bitwise_xor, ceil, clip, conj, copysign,
                           cos, cosh, divide, equal, exp, expm1, floor, floor_divide, greater, greater_equal, hypot, imag,
                           isfinite, isinf, isnan, less, less_equal, log, log1p, log2, log10, logaddexp, logical_and,
                           logical_not, logical_or, logical_xor, maximum, minimum, multiply, negative, nextafter,
                           not_equal, positive, pow, real, reciprocal, remainder, round, sign, signbit, sin, sinh, sqrt,
                           square, subtract, tan, tanh, trunc, where)
from ._info import __array_namespace_info__
from ._manipulation import (broadcast_arrays, broadcast_to, concat, diff, expand_dims, flip, matrix_transpose, moveaxis,
                            nonzero, permute_dims, repeat, reshape, roll, squeeze, stack, take, take_along_axis, tile,
                            unstack)
from ._patterns import (all, any, argmax, argmin, argsort, count_nonzero, cumulative_prod, cumulative_sum, matmul, max,
                        mean, min, prod, searchsorted, sort, std, sum, tensordot, unique_all, unique_counts,
                        unique_inverse, unique_values, var, vecdot)

__array_api_version__ = "2024.12"
newaxis = None

__all__ = [name for name in globals() if not name.startswith("_")]
