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

# For type checkers, which see what is written.
__all__ = [
    "abs", "acos", "acosh", "add", "all", "any", "arange", "argmax", "argmin", "argsort", "asarray", "asin", "asinh", "astype",
    "atan", "atan2", "atanh", "bitwise_and", "bitwise_invert", "bitwise_left_shift", "bitwise_or", "bitwise_right_shift",
    "bitwise_xor", "bool", "broadcast_arrays", "broadcast_to", "can_cast", "ceil", "clip", "complex128", "complex64", "concat",
    "conj", "copysign", "cos", "cosh", "count_nonzero", "cumulative_prod", "cumulative_sum", "diff", "divide", "e", "empty",
    "empty_like", "equal", "exp", "expand_dims", "expm1", "eye", "fft", "finfo", "flip", "float32", "float64", "floor",
    "floor_divide", "from_dlpack", "full", "full_like", "greater", "greater_equal", "hypot", "iinfo", "imag", "inf", "int16",
    "int32", "int64", "int8", "isdtype", "isfinite", "isinf", "isnan", "less", "less_equal", "linalg", "linspace", "log",
    "log10", "log1p", "log2", "logaddexp", "logical_and", "logical_not", "logical_or", "logical_xor", "matmul",
    "matrix_transpose", "max", "maximum", "mean", "meshgrid", "min", "minimum", "moveaxis", "multiply", "nan", "negative",
    "newaxis", "nextafter", "nonzero", "not_equal", "ones", "ones_like", "permute_dims", "pi", "positive", "pow", "prod",
    "real", "reciprocal", "remainder", "repeat", "reshape", "result_type", "roll", "round", "searchsorted", "sign", "signbit",
    "sin", "sinh", "sort", "sqrt", "square", "squeeze", "stack", "std", "subtract", "sum", "take", "take_along_axis", "tan",
    "tanh", "tensordot", "tile", "tril", "triu", "trunc", "uint16", "uint32", "uint64", "uint8", "unique_all", "unique_counts",
    "unique_inverse", "unique_values", "unstack", "var", "vecdot", "where", "zeros", "zeros_like",
]
