"""Kernels from source, and from expressions."""

from __future__ import annotations

import operator
import os
import re
from collections.abc import Iterable
from typing import Any

import numpy as np

from . import _core
from ._arguments import refuse_pickling, text
from ._arrays import held
from ._core import Target


def texts(values: Any) -> list[str]:
    """One text, or several."""
    if values is None:
        return []
    given = [values] if isinstance(values, (str, os.PathLike)) else values
    return [text("an option of a kernel", os.fspath(value)) for value in given]


def macros(definitions: Any) -> list[str]:
    if isinstance(definitions, dict):
        return [name if value is None else f"{name}={value}" for name, value in definitions.items()]
    return texts(definitions)


def is_source(given: Any) -> bool:
    """Whether a text is a source, and not a path."""
    return isinstance(given, str) and re.search(r"[\n{;#]", given) is not None


def extents(lengths: Any, what: str) -> list[int]:
    """A number, or up to three, as the lengths along x, y and z."""
    given = tuple(lengths) if isinstance(lengths, Iterable) else (lengths,)
    if not 1 <= len(given) <= 3:
        raise ValueError(f"{what} has one to three lengths, and {len(given)} were given")
    result = []
    for length in given:
        try:
            result.append(length.__index__())
        except AttributeError:
            raise TypeError(f"{what} is a whole number or up to three, not {lengths!r}") from None
    if min(result) < 0 or max(result) >= 2**63:
        raise ValueError(f"{what} has a length that no GPU launches: {lengths!r}")
    return result + [1] * (3 - len(result))


class Function:
    """A kernel of a heddle.Module, which launches it: ``f(grid, block)(a, b)``, or ``f(a, b, grid=…, block=…)``.

    `grid` counts the blocks and `block` the threads of one, each a whole number or up to three; `shared` is the bytes
    of dynamic shared memory of a block. CuPy's ``f(grid, block, (a, b), shared_mem=0)`` does the same. Arguments are

    - NumPy arrays and other buffers, heddle.Array, and arrays with ``__dlpack__`` or ``__cuda_array_interface__``,
      where the kernel runs: it gets the address of the elements. What it may write to has to be contiguous in C
      order and writable; what it only reads is copied where it is not.
    - numbers, converted to the type of the parameter; None for a null pointer;
    - structures: scalars of a structured dtype, ctypes.Structure, complex numbers, or a tuple for a float4 and such.

    On a CPU a launch returns when all threads have ended, on a GPU at once. TypeError for another number or type of
    arguments, ValueError for an array that would have to be copied or is elsewhere, and for a grid that no GPU
    launches, heddle.Error for an assertion that fails, and for threads that wait for one another for ever.

    >>> import heddle, numpy
    >>> scale = heddle.Module('''
    ...     __global__ void scale(float* x, float by) { x[threadIdx.x] *= by; }''', target="serial").get_function("scale")
    >>> x = numpy.arange(4, dtype=numpy.float32)
    >>> scale(1, 4)(x, 10)
    >>> scale(x, 2, grid=1, block=4)
    >>> x.tolist()
    [0.0, 20.0, 40.0, 60.0]
    >>> scale.signature
    'scale(float* x, float by)'
    """

    def __init__(self, compiled: Any):
        self._compiled = compiled

    @property
    def signature(self) -> str:
        """The name and the parameters, as far as they are known."""
        return self._compiled.signature

    def __call__(self, *arguments: Any, grid: Any = None, block: Any = None, shared: int | None = None,
                 shared_mem: int = 0) -> Any:
        if block is not None:
            self._launch(1 if grid is None else grid, block, shared or shared_mem, arguments)
            return None
        if grid is not None:
            raise TypeError("a launch with grid needs block too, the threads of a block")
        if not 2 <= len(arguments) <= 4:
            raise TypeError("a kernel is launched as f(grid, block)(arguments…) or f(arguments…, grid=…, block=…)")
        grid, block, *more = arguments
        if more and isinstance(more[0], (tuple, list)):
            self._launch(grid, block, more[1] if len(more) == 2 else shared or shared_mem, more[0])
            return None
        if len(more) == 2:
            raise TypeError("f(grid, block, shared) takes three numbers, and four were given")
        bytes_of_block = more[0] if more else shared or shared_mem
        grid, block = extents(grid, "grid"), extents(block, "block")
        return lambda *arguments: self._launch(grid, block, bytes_of_block, arguments)

    def _launch(self, grid: Any, block: Any, shared: int, arguments: Any) -> None:
        bytes_of_block = operator.index(shared)
        if bytes_of_block < 0:
            raise ValueError(f"shared is a number of bytes, not {shared}")
        self._compiled.launch(extents(grid, "grid"), extents(block, "block"), bytes_of_block, tuple(arguments))

    def __repr__(self) -> str:
        return f"<heddle.Function {self.signature}>"


class Module:
    """CUDA C++ source, compiled for a target: by the system's C++ compiler for a CPU, by NVRTC for a GPU.

    `source` is the text, or the path of a file: text without a line break, brace, semicolon or # is a path. `options`
    are more arguments of the compiler, `definitions` macros, as a dict or as "NAME=VALUE", `include_dirs` folders of
    headers, `std` the language, `name` what messages call the source, and `name_expressions` instances of templates
    that share the module's variables. The target "auto" is the first GPU that kernels can be compiled for, else every
    core. What was compiled is kept, also for the next process.

    heddle.Error where the source cannot be compiled, with the compiler's messages; FileNotFoundError for a path that
    is not there.

    >>> import heddle, numpy
    >>> source = '''
    ...     template <class T> __global__ void add(int n, const T* x, T* y) {
    ...       const int i = blockIdx.x * blockDim.x + threadIdx.x;
    ...       if (i < n) y[i] += x[i];
    ...     }'''
    >>> add = heddle.Module(source, target="parallel:2").get_function("add<double>")
    >>> x, y = numpy.arange(1000.0), numpy.ones(1000)
    >>> add(4, 256)(x.size, x, y)
    >>> bool((y == x + 1).all())
    True
    """

    def __init__(self, source: str | os.PathLike[str], options: Any = (), *, definitions: Any = (), include_dirs: Any = (),
                 std: str = "c++20", name: str = "kernel.cu", name_expressions: Any = (),
                 target: Target | str | None = None):
        is_file = not is_source(source)
        code = text("the source", os.fspath(source))
        if is_file:
            os.stat(code)
        compile = _core.CompileOptions(macros(definitions), texts(include_dirs), text("std", std), texts(options), text("the name", name),
                                       texts(name_expressions))
        self._compiled = _core.CompiledModule(target, code, is_file, compile)

    def __reduce__(self) -> Any:
        refuse_pickling(self, "make it of its source again, which the cache has compiled")

    @property
    def target(self) -> Target:
        """Where its kernels run."""
        return self._compiled.where

    @property
    def was_cached(self) -> bool:
        """Whether everything compiled so far came from the cache."""
        return self._compiled.was_cached

    def get_function(self, name: str) -> Function:
        """A kernel by its name; an instance of a template as "sum<float, 256>", an overload as "sum(float*, int)".

        An instance that `name_expressions` does not list is compiled now. ValueError where no kernel has the name, or
        more than one.
        """
        return Function(self._compiled.function(name))
