"""Data-parallel patterns on one core, every core or a GPU, chosen at run time.

Functions have NumPy's names, keywords and meaning, and take one more keyword, ``target``: "serial", "parallel",
"parallel:8", "gpu", "gpu:1", "auto" or a heddle.Target. Without it a function runs on the target of the enclosing
``with heddle.target(…):``, or on that which the environment variable HEDDLE_TARGET names, or on "auto".

>>> import heddle, numpy
>>> x = numpy.array([3.0, 1.0, 2.0])
>>> float(heddle.sum(x))
6.0
>>> with heddle.target("serial"):
...     print(heddle.cumsum(x))
[3. 4. 6.]

NumPy arrays go in without a copy where they are contiguous, and results are NumPy's. Arrays on a GPU, of whatever
library, stay there, and results are heddle.Array.
"""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING

import numpy as _numpy

from . import _extension

_extension.load()

from . import _core, _cuda
from ._targets import Error, target

_core.use(_numpy, Error, target._current)
for _folder in _cuda.folders():
    _core.add_cuda_folder(_folder)

from ._core import Array, DistributedArray, Ranks, Target
from ._arrays import asarray
from ._order import argsort, searchsorted, sort, top_k, unique
from ._products import matmul
from ._ranks import ranks
from ._reductions import all, any, argmax, argmin, max, min, minmax, prod, reduce, sum
from ._scans import adjacent_difference, cumprod, cumsum, cumulative_prod, cumulative_sum, exclusive_scan, inclusive_scan
from ._selection import (copy_if, exclusive_scan_by_key, inclusive_scan_by_key, partition, reduce_by_key, segmented_exclusive_scan,
                         segmented_inclusive_scan, segmented_reduce)
from ._statistics import histogram, mean, median, quantile, std, var
from ._transform import transform

if _TYPE_CHECKING:
    from . import array_api, fft, random
    from ._check import Finding, Report, check
    from ._expression_kernels import ElementwiseKernel, ExclusiveScanKernel, InclusiveScanKernel, ReductionKernel
    from ._kernels import Function, Module
    from ._laplace import Laplace
    from ._lattice_boltzmann import LatticeBoltzmann
    from ._life import Life
    from ._mandelbrot import mandelbrot, mandelbrot_picture
    from ._pi import pi
    from ._pictures import Animation, Picture
    from ._stencil import stencil
    from ._vectorize import vectorize

# The rest is imported when it is first used: most programs use little of it, and it takes longer than what is above.
_LATER_MODULES = ("array_api", "fft", "random")
_LATER = {name: module for module, names in {
    "_check": ("Finding", "Report", "check"),
    "_expression_kernels": ("ElementwiseKernel", "ExclusiveScanKernel", "InclusiveScanKernel", "ReductionKernel"),
    "_kernels": ("Function", "Module"),
    "_laplace": ("Laplace",),
    "_lattice_boltzmann": ("LatticeBoltzmann",),
    "_life": ("Life",),
    "_mandelbrot": ("mandelbrot", "mandelbrot_picture"),
    "_pi": ("pi",),
    "_pictures": ("Animation", "Picture"),
    "_stencil": ("stencil",),
    "_vectorize": ("vectorize",),
}.items() for name in names}

__version__ = _core.version


def __getattr__(name: str) -> object:
    if name in _LATER_MODULES:
        return _import_module(f"heddle.{name}")
    if name not in _LATER:
        raise AttributeError(f"module 'heddle' has no attribute {name!r}")
    globals()[name] = found = getattr(_import_module(f"heddle.{_LATER[name]}"), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER, *_LATER_MODULES})


__all__ = [
    "Animation", "Array", "DistributedArray", "ElementwiseKernel", "Error", "ExclusiveScanKernel", "Finding", "Function", "InclusiveScanKernel",
    "Laplace", "LatticeBoltzmann", "Life", "Module", "Picture", "Ranks", "ReductionKernel", "Report", "Target", "adjacent_difference", "all", "any",
    "argmax", "argmin", "argsort", "asarray", "check", "copy_if", "cumprod", "cumsum", "cumulative_prod", "cumulative_sum",
    "exclusive_scan", "exclusive_scan_by_key", "fft", "histogram", "inclusive_scan", "inclusive_scan_by_key", "mandelbrot",
    "mandelbrot_picture", "matmul", "max", "mean", "median", "min", "minmax", "partition", "pi", "prod", "quantile", "random", "ranks", "reduce",
    "reduce_by_key", "searchsorted", "segmented_exclusive_scan", "segmented_inclusive_scan", "segmented_reduce", "sort", "std", "stencil",
    "sum", "target", "top_k", "transform", "unique", "var", "vectorize",
]
