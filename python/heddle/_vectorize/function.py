"""The functions that heddle.vectorize returns."""

from __future__ import annotations

import functools
import math
import threading

from typing import Any, Callable

import numpy as np

from .. import _core
from .._arrays import held, like, on_cpu
from .._core import Array, Target
from .signatures import Signature, parsed
from .source import Source, is_current
from .translate import Program
from .types import Type, of_dtype, of_number, promoted

_NUMBERS = (bool, int, float, complex)


class Vectorized:
    """A function of elements, as NumPy's ufuncs are; heddle.vectorize makes it.

    ``f(x, y, out=None, dtype=None, target=None)`` computes it for all elements, whose shapes are broadcast.
    Scalars give a scalar. `out` takes the results, with NumPy's rule "same_kind"; `dtype` is the type that results
    are converted to. ``nin``, ``nargs``, ``types``, ``identity`` are as a ufunc's, and ``__wrapped__`` is the function.
    """

    def __init__(self, function: Callable[..., Any], signatures: list[Any], identity: Any, target: Any):
        self._source = Source(function)
        functools.update_wrapper(self, function)
        self.nin = len(self._source.parameters)
        if self.nin == 0:
            self._source.refuse(self._source.tree, "it takes no argument, and so no elements", shown=function.__name__)
        self.nout, self.nargs, self.signature = 1, self.nin + 1, None
        self.identity = None if identity == "reorderable" else identity
        self._defaults = function.__defaults__ or ()
        self._target = target
        self._compiled: dict[Any, tuple[Any, list[Any], Type]] = {}
        self._lock = threading.RLock()
        self._signatures: list[Signature] = [parsed(s, self.nin, function.__name__) for s in signatures]
        for signature in self._signatures:
            self._kernel(signature.kinds, signature.result)

    @property
    def types(self) -> list[str]:
        """The signatures, as a ufunc has them: "dd->d"."""
        results = [s.result or self._kernel(s.kinds, None)[2] for s in self._signatures]
        return ["".join(np.dtype(k.name).char for k in s.kinds) + "->" + np.dtype(result.name).char
                for s, result in zip(self._signatures, results)]

    @property
    def ntypes(self) -> int:
        return len(self._signatures)

    @property
    def _takes(self) -> str:
        return f"{self.__name__}() takes {self.nin} argument{'s' * (self.nin > 1)}"

    def __repr__(self) -> str:
        return f"<heddle.vectorize '{self.__name__}'>"

    def __reduce__(self) -> str:
        return self.__qualname__

    # ------------------------------------------------------------------------------------------------- kernels

    def _heddle_call(self, given: tuple[Type, ...]) -> tuple[tuple[Type, ...], Type | None]:
        """The types that the function is called with for these, and that of its result where it is declared."""
        if not self._signatures:
            return given, None
        for signature in self._signatures:
            if signature.takes(given):
                return signature.kinds, signature.result
        raise TypeError(f"{self.__name__} has no signature that ({', '.join(map(str, given))}) can be cast to safely: "
                        f"there {'is' if len(self._signatures) == 1 else 'are'} {', '.join(map(str, self._signatures))}")

    def _kernel(self, kinds: tuple[Type, ...], result: Type | None, wraps: bool = False) -> tuple[Any, list[Any], Type]:
        """The kernels for these types, what their translation took from outside, and the type of the result. What is
        wrapped takes and gives the types of the elements alone, to combine them."""
        key = kinds, result, wraps
        found = self._compiled.get(key)
        if found is not None and is_current(found[1]):
            return found
        with self._lock:
            program = Program(self._source)
            name, own = program.function(self.__wrapped__, kinds)
            type = result or Type(own.name)
            if own.is_complex and not type.is_complex:
                raise TypeError(f"{self.__name__} gives {own.name}, which {type} does not hold: return .real, .imag or "
                                "abs() of it")
            text = program.text
            if wraps:
                of_two = _core.converted(f"{name}(a, b)", own.name, type.name)
                text += f"HEDDLE_BOTH {type.code} heddle_of_two({type.code} a, {type.code} b) {{ return {of_two}; }}\n"
                name, own = "heddle_of_two", type
            kernel = _core.Vectorized(text, name, [k.name for k in kinds], own.name, f"vectorize: {self.__name__}")
            self._compiled[key] = kernel, program.used, type
            return self._compiled[key]

    # --------------------------------------------------------------------------------------------------- calls

    def __call__(self, *arguments: Any, out: Any = None, dtype: Any = None, target: Target | str | None = None) -> Any:
        given = list(arguments)
        if len(given) == self.nin + 1 and out is None:
            out = given.pop()
        missing = self.nin - len(given)
        if 0 < missing <= len(self._defaults):
            given += self._defaults[-missing:]
        elif missing != 0:
            raise TypeError(f"{self._takes}, and {len(given)} were given")
        if isinstance(out, tuple) and len(out) == 1:
            out = out[0]
        inputs, kinds = [], []
        for x in given:
            x, kind = _input(x)
            inputs.append(x)
            kinds.append(kind)
        kinds, result = self._heddle_call(tuple(kinds))
        kernel, _, type = self._kernel(kinds, None)
        if dtype is None and result is not None and result != type:
            dtype = result.name
        return kernel.call(inputs, dtype, out, self._target if target is None else target)

    def outer(self, a: Any, b: Any, /, *, out: Any = None, dtype: Any = None, target: Target | str | None = None) -> Any:
        """The function of every element of `a` with every one of `b`: the shape is that of `a`, then that of `b`."""
        if self.nin != 2:
            raise TypeError(f"{self._takes}: outer is of functions of two")
        a, b = _array(a), _array(b)
        return self(like(on_cpu(a).reshape(a.shape + (1,) * len(b.shape)), a), b, out=out, dtype=dtype, target=target)

    # ---------------------------------------------------------------------------------- reductions and scans

    def _combining(self, x: Any, dtype: Any) -> tuple[Any, Type]:
        """The kernels that combine elements, and the type in which they do: that of the elements, or the first that
        the function keeps."""
        if self.nin != 2:
            raise TypeError(f"{self._takes}: a function of two combines elements")
        type = of_dtype(x.dtype) if dtype is None else of_dtype(dtype)
        if self._signatures:
            for s in self._signatures:
                if s.takes((type, type)) and s.kinds[0] == s.kinds[1] and s.result in (None, s.kinds[0]):
                    return self._kernel(s.kinds, s.kinds[0], True)[0], s.kinds[0]
            raise TypeError(f"{self.__name__} has no signature of one type, as in {type}({type}, {type}), that {type} "
                            "can be cast to safely")
        while dtype is None:
            wider = promoted(type, Type(self._kernel((type, type), None)[2].name))
            if wider == type:
                break
            type = wider
        return self._kernel((type, type), type, True)[0], type

    def reduce(self, array: Any, axis: Any = 0, dtype: Any = None, out: Any = None, keepdims: bool = False,
               initial: Any = None, *, target: Target | str | None = None) -> Any:
        """Combines the elements along an axis, several, or with None all, in their order: f(f(a, b), c) and so on.

        The function has to be associative: which neighbours are combined first is not said, but is the same on every
        target. It runs in the type of the elements, or the first that it keeps, or in `dtype`. `initial` comes before
        the elements, or `identity` where there are none. TypeError for a function that does not take two arguments,
        ValueError where there are no elements and neither. n calls of the function.
        """
        x = _array(array)
        kernel, type = self._combining(x, dtype)
        where = self._target if target is None else target
        axes = tuple(range(len(x.shape))) if axis is None else axis if isinstance(axis, tuple) else (axis,)
        if axis == 0 and len(x.shape) == 0:
            raise TypeError("cannot reduce on a scalar")
        np.ones((1,) * len(x.shape)).sum(axis=axes)  # raises NumPy's errors of axes
        lengths = [k % len(x.shape) for k in axes]
        if math.prod(x.shape[k] for k in lengths) == 0:
            first = self.identity if initial is None else initial
            if first is None:
                raise ValueError(f"{self.__name__}.reduce: there are no elements, and no identity: give an initial "
                                 "value")
            shape = tuple(1 if k in lengths else n for k, n in enumerate(x.shape) if keepdims or k not in lengths)
            result = np.full(shape, first, type.name) if shape else np.dtype(type.name).type(first)
            result = like(result, x) if isinstance(x, Array) else result
        else:
            result = kernel.reduce(x, None if axis is None else list(axes), bool(keepdims), where)
            if initial is not None:
                result = kernel.call([np.asarray(initial, type.name), result], None, None, where)
        return result if out is None else _core.store(result, out[0] if isinstance(out, tuple) else out)

    def accumulate(self, array: Any, axis: int = 0, dtype: Any = None, out: Any = None, *,
                   target: Target | str | None = None) -> Any:
        """Running combinations along an axis: a, f(a, b), f(f(a, b), c) and so on.

        The function has to be associative, and runs in the type that `reduce` has. TypeError for a function that does
        not take two arguments, or for a scalar. About 2 n calls of the function.
        """
        x = _array(array)
        kernel, _ = self._combining(x, dtype)
        if len(x.shape) == 0:
            raise TypeError("cannot accumulate on a scalar")
        result = kernel.accumulate(x, axis, self._target if target is None else target)
        return result if out is None else _core.store(result, out[0] if isinstance(out, tuple) else out)


def _array(x: Any) -> Any:
    x = held(x)
    return x if isinstance(x, (np.ndarray, np.generic, Array)) else np.asarray(x)


def _input(x: Any) -> tuple[Any, Type]:
    """An argument as an array, and its type: Python's numbers are weak."""
    if type(x) in _NUMBERS:
        kind = of_number(x)
        if kind.name == "int64" and not -(1 << 63) <= x < 1 << 63:
            raise OverflowError(f"{x} does not fit int64: pass numpy.uint64(…)")
        return np.asarray(x, kind.name), kind
    x = _array(x)
    return x, of_dtype(x.dtype)


def vectorize(function_or_signatures: Any = None, /, *, identity: Any = None, target: Target | str | None = None,
              nopython: bool = True, cache: bool = True) -> Any:
    """Makes a function of elements, which broadcasts as NumPy's ufuncs do, of a Python function of numbers.

    The function is translated from its source and compiled for the target of a call, once for each tuple of element
    types; what was compiled is kept, also for the next process. It has arithmetic, comparisons, ``and``, ``or``,
    ``not``, ``if``, ``while``, ``for … in range(…)``, local variables, functions of math, cmath and NumPy, and calls
    of other functions. Types are NumPy's, as if each call had NumPy's scalars. What is not supported is a TypeError
    with the file, the line and the remedy, before anything is compiled.

    ``@vectorize`` takes any types, ``@vectorize("float64(float64, float64)")`` or a list of signatures those alone:
    the first that the arguments can be cast to safely. `identity` is what `reduce` gives of no elements. `target` is
    that of calls which name none. `nopython` and `cache` are for Numba's users: both are always so.

    >>> import heddle
    >>> @heddle.vectorize
    ... def collatz(n):
    ...     steps = 0
    ...     while n > 1:
    ...         n = n // 2 if n % 2 == 0 else 3 * n + 1
    ...         steps += 1
    ...     return steps
    >>> collatz([1, 6, 27]).tolist()
    [0, 8, 111]
    """
    # Numba's words for two of them.
    named = {"cpu": "serial", "cuda": "gpu"}.get(target, target) if isinstance(target, str) else target
    given = function_or_signatures
    if isinstance(given, Vectorized):
        return given
    if isinstance(given, tuple) and not any("(" in str(s) for s in given) and given or isinstance(given, str) or \
            hasattr(given, "return_type"):
        given = [given]
    if given is None or isinstance(given, (list, tuple)):
        return lambda function: Vectorized(function, list(given or ()), identity, named)
    return Vectorized(given, [], identity, named)
