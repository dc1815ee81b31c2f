"""Kernels that are made of expressions, in the forms of PyCUDA and of CuPy."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _core
from ._arguments import text as require_text
from ._arrays import held, on_cpu
from ._core import Array, Target
from ._kernels import macros, texts

_CODE = {"bool": "bool", "int8": "signed char", "int16": "short", "int32": "int", "int64": "long long", "uint8": "unsigned char",
         "uint16": "unsigned short", "uint32": "unsigned int", "uint64": "unsigned long long", "float32": "float",
         "float64": "double"}


@dataclass(frozen=True)
class _Parameter:
    name: str
    type: str
    is_const: bool
    is_pointer: bool
    """To all elements, written as PyCUDA's `float *x` or CuPy's `raw T x`."""
    is_raw: bool
    is_reference: bool

    @property
    def is_generic(self) -> bool:
        """Whether the type is that of the argument, as CuPy's T."""
        return len(self.type) == 1 and self.type.isupper()


def _parameters(text: str) -> list[_Parameter]:
    """A list of parameters, such as "const float *x, int n" or "T x, raw float32 y"."""
    result = []
    for one in re.split(r",(?![^<(]*[>)])", text) if require_text("parameters", text).strip() else []:
        found = re.fullmatch(r"(raw\s+)?(.*?[\s*&])(\w+)", re.sub(r"\b__restrict__\b|\b__restrict\b", " ", one).strip(), re.DOTALL)
        if found is None or found[3][0].isdigit():
            raise ValueError(f"parameters '{text}': '{one.strip()}' is not TYPE NAME, such as float x or float *x")
        of, mark, _ = re.fullmatch(r"(.*?)\s*([*&]?)\s*(const)?", found[2].strip(), re.DOTALL).groups()
        words = of.split()
        type = " ".join(word for word in words if word != "const")
        if not type or type[-1] in "*&":
            raise ValueError(f"parameters '{text}': '{one.strip()}' is not TYPE NAME, such as float x or float *x")
        result.append(_Parameter(found[3], _CODE.get(type, type), "const" in words, mark == "*" or bool(found[1]), bool(found[1]),
                                 mark == "&"))
    return result


# Of C and CUDA. Others are declared by the preamble, or by what the compiler is given beside it.
_KNOWN_TYPE = (r"unsigned|signed|char|short|int|long|float|double|bool|void|size_t|ptrdiff_t|u?int(8|16|32|64)_t|"
               r"(u?(char|short|int|long|longlong)|float|double)[1-4]|half2?|__half2?|[A-Z]")


def _require_types(kernel: str, parameters: Sequence[_Parameter], preamble: str, *others: Any) -> None:
    """TypeError for a type that nothing can have declared."""
    if "#" in preamble or any(others):
        return
    for p in parameters:
        if p.type.isidentifier() and not re.fullmatch(_KNOWN_TYPE, p.type) and not re.search(rf"\b{p.type}\b", preamble):
            raise TypeError(f"{kernel}: '{p.type}' of {p.name} is no type that is known, which are {', '.join(_CODE)}, those of "
                            "CUDA C++, T and such, and what the preamble declares")


def _literal(value: Any) -> str:
    """A number, or a text, as an expression of C++."""
    if value is None or isinstance(value, str):
        return require_text("the neutral element", value or "")
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    return {"inf": "INFINITY", "-inf": "-INFINITY", "nan": "NAN"}.get(str(value), str(value))


def _code_of(dtype: Any) -> str:
    name = np.dtype(dtype).name
    if name not in _CODE:
        raise TypeError(f"{name} is no type of an expression, which are {', '.join(_CODE)}")
    return _CODE[name]


# Another variable that is called i, as in `for (int i = 0; …` and in `int k = 0, i = 1;`.
_OTHER_I = re.compile(r"\b(?!return\b|else\b|case\b)[A-Za-z_]\w*\s+i\b|,\s*i\s*[=;]")


def _is_of_own_elements(p: _Parameter, own: re.Pattern[str], code: str) -> bool:
    """Whether of an array each element uses x[i] alone: then it is the element that the code needs, on any target."""
    if _OTHER_I.search(code) or re.search(rf"(?<!\.)\b{p.name}\b", own.sub("", code)):
        return False
    # Of a constant the code has a copy, whose address is another.
    return not (p.is_const and any(use[1] for use in own.finditer(code)))


class _Source:
    """Parameters and code, which are compiled for the types of the arguments."""

    def __init__(self, name: str, parameters: Sequence[_Parameter], code: str, preamble: str,
                 make: Callable[[str, str, str, list[str], str], Any]):
        self.name = require_text("the name", name)
        require_text("the expression", code)
        require_text("the preamble", preamble)
        self.parameters = []
        self.preamble = preamble
        self._make = make
        self._compiled: dict[tuple[tuple[str, str], ...], Any] = {}
        for p in parameters:
            own = re.compile(rf"(&\s*)?(?<!\.)\b{p.name}\s*\[\s*i\s*\]")
            if p.is_pointer and not p.is_raw and _is_of_own_elements(p, own, code):
                has_address = any(use[1] for use in own.finditer(code))
                code = own.sub(lambda use: (use[1] or "") + p.name, code)
                p = _Parameter(p.name, p.type, p.is_const, False, False, has_address)
            self.parameters.append(p)
        self.code = code

    def compiled(self, letters: dict[str, np.dtype]) -> Any:
        """The kernel with these types for T and other letters."""
        key = tuple(sorted((letter, dtype.name) for letter, dtype in letters.items()))
        if key not in self._compiled:
            known = {letter: _code_of(dtype) for letter, dtype in letters.items()}
            types = [known.get(p.type, p.type) for p in self.parameters]
            preamble = "".join(f"typedef {code} {letter};\n" for letter, code in known.items()) + self.preamble
            declared, pointers = [], []
            for p, type in zip(self.parameters, types):
                const = "const " if p.is_const else ""
                if p.is_pointer:
                    preamble += f"\ntypedef {const}{type}* heddle_pointer_{p.name};"
                    declared.append(f"const heddle_pointer_{p.name} {p.name}")
                else:
                    declared.append(f"{const}{type}{'&' if p.is_reference else ''} {p.name}")
                pointers.append(const + type if p.is_pointer else "")
            self._compiled[key] = self._make(self.name, ", ".join(declared), self.code, pointers, preamble)
        return self._compiled[key]

    def size(self, arguments: Sequence[Any]) -> int:
        """Elements of the first array."""
        shapes = (x.shape for p, x in zip(self.parameters, arguments) if p.is_pointer and hasattr(x, "shape"))
        return math.prod(next(shapes, (0,)))


def _letters(name: str, parameters: Sequence[_Parameter], arguments: Sequence[Any]) -> dict[str, np.dtype]:
    """The types that the arguments give T and such; numbers of Python's give one where nothing else does."""
    found: dict[str, tuple[np.dtype, str]] = {}
    generic = [(p, x) for p, x in zip(parameters, arguments) if p.is_generic]
    for p, x in generic:
        if not hasattr(x, "dtype"):
            continue
        dtype = np.dtype(x.dtype).newbyteorder("=")
        known, by = found.setdefault(p.type, (dtype, p.name))
        if known != dtype:
            raise TypeError(f"{name}: {p.type} is {known} of {by} and {dtype} of {p.name}")
    for p, x in generic:
        if not hasattr(x, "dtype"):
            found.setdefault(p.type, (np.asarray(x).dtype, p.name))
    return {letter: dtype for letter, (dtype, _) in found.items()}


def _named(kind: str, names: Sequence[str], texts: Sequence[Any], keywords: dict[str, Any]) -> dict[str, Any]:
    """The texts of a kernel by their names, from texts in this order and from keywords."""
    if len(texts) > len(names):
        raise TypeError(f"{kind} takes {', '.join(names)}: {len(names)} texts, and {len(texts)} were given")
    given = {key: value for key, value in keywords.items() if value is not None}
    for key, text in zip(names, texts):
        if key in given:
            raise TypeError(f"{kind}: {key} is given twice")
        given[key] = text
    unknown = [key for key in given if key not in names]
    if unknown:
        raise TypeError(f"{kind}: {unknown[0]} does not go with {names[0]}")
    return given


def _needs(kind: str, names: Sequence[str], given: dict[str, Any]) -> None:
    missing = [key for key in names if given.get(key) is None]
    if missing:
        raise TypeError(f"{kind} needs {', '.join(names)}: there is no {missing[0]}")


def _arguments(given: Sequence[Any], parameters: Sequence[_Parameter]) -> list[Any]:
    """The arguments as arrays and numbers; an array without axes is a number beside others that have some."""
    result = [np.asarray(x) if isinstance(x, (list, tuple)) else held(x) for x in given]
    if any(np.ndim(x) > 0 for x in result):
        for k, (p, x) in enumerate(zip(parameters, result)):
            if isinstance(x, (np.ndarray, Array)) and x.ndim == 0 and not p.is_pointer and not p.is_reference:
                result[k] = np.asarray(on_cpu(x))[()]
    return result


def _options(options: Any, definitions: Any, include_dirs: Any, std: str) -> Any:
    return _core.CompileOptions(macros(definitions), texts(include_dirs), require_text("std", std), texts(options), "", [])


def _elementwise(name: str, parameters: Sequence[_Parameter], operation: str, preamble: str, compile: Any) -> _Source:
    def make(name: str, declared: str, code: str, pointers: list[str], preamble: str) -> Any:
        # The statements do not show what is written by a pointer.
        if any(pointer and not pointer.startswith("const ") for pointer in pointers):
            code += "\n;(void)0"
        return _core.ElementwiseExpression(name, declared, code, pointers, preamble, compile)

    return _Source(name, parameters, operation, preamble, make)


class ElementwiseKernel:
    """Statements of CUDA C++ that run for each element of arrays, compiled when they are first called.

    - PyCUDA's form is ``(arguments, operation, name="kernel")``: arrays are pointers, ``z[i]`` is an element. Call it
      with all arguments; it writes into arrays, and returns None.
    - CuPy's form is ``(in_params, out_params, operation, name="kernel")``: a name is an element, ``T`` the type of the
      argument, and ``raw T x`` the pointer to all elements. Call it with the inputs, which are broadcast, and it
      returns new arrays; or with the outputs too.
    - That of C++, ``("float x, float& y", "y = 2 * x")``, is called like PyCUDA's.

    ``i`` is the index of the element and ``n`` their number; `preamble` holds functions for the operation, and the
    other keywords are those of heddle.Module. In a call `target` says where it runs, and `size` how many elements there
    are where all arrays are pointers to all elements, which have to be on the target. TypeError for another number or
    type of arguments, ValueError for shapes that differ or an array that cannot be written in place, heddle.Error
    where the operation cannot be compiled.

    >>> import heddle, numpy
    >>> x, y, z = numpy.arange(4.0), numpy.ones(4), numpy.zeros(4)
    >>> combine = heddle.ElementwiseKernel("double a, const double *x, const double *y, double *z", "z[i] = a * x[i] + y[i]")
    >>> combine(2, x, y, z)
    >>> z.tolist()
    [1.0, 3.0, 5.0, 7.0]
    >>> squared_difference = heddle.ElementwiseKernel("T x, T y", "T z", "z = (x - y) * (x - y)")
    >>> squared_difference(x, 1).tolist()
    [1.0, 0.0, 1.0, 4.0]
    """

    def __init__(self, *texts: str, arguments: str | None = None, in_params: str | None = None, out_params: str | None = None,
                 operation: str | None = None, name: str | None = None, preamble: str = "", options: Any = (),
                 definitions: Any = (), include_dirs: Any = (), std: str = "c++20"):
        # The third text of PyCUDA's form is a name, which no operation is.
        is_of_cupy = in_params is not None or len(texts) > 3 or len(texts) == 3 and not require_text("the third text", texts[2]).isidentifier()
        names = ("in_params", "out_params", "operation") if is_of_cupy else ("arguments", "operation")
        given = _named("ElementwiseKernel", (*names, "name"), texts, {
            "arguments": arguments, "in_params": in_params, "out_params": out_params, "operation": operation, "name": name})
        _needs("ElementwiseKernel", names, given)
        self.name = given.get("name", "kernel")
        self._inputs: int | None = None
        parameters = _parameters(given[names[0]])
        if is_of_cupy:
            self._inputs = len(parameters)
            outputs = _parameters(given["out_params"])
            if not outputs:
                raise ValueError(f"{self.name}: there are no out_params, into which the operation writes")
            parameters += [_Parameter(p.name, p.type, False, p.is_pointer, p.is_raw, not p.is_pointer) for p in outputs]
        _require_types(self.name, parameters, preamble, options, definitions, include_dirs)
        self._source = _elementwise(self.name, parameters, given["operation"], preamble,
                                    _options(options, definitions, include_dirs, std))

    def __call__(self, *arguments: Any, size: int | None = None, target: Target | str | None = None) -> Any:
        given = _arguments(arguments, self._source.parameters)
        parameters = self._source.parameters
        if size is not None and any(np.ndim(x) > 0 and not p.is_pointer for p, x in zip(parameters, given[:self._inputs])):
            raise ValueError(f"{self.name}: size is for kernels whose arrays are all pointers to all elements")
        if self._inputs is None:
            self._run(given, size, target)
            return None
        if len(given) not in (self._inputs, len(parameters)):
            raise TypeError(f"{self.name} takes {self._inputs} inputs, or {len(parameters)} arguments with the outputs, and "
                            f"{len(given)} were given")
        return self._run_on_copies(given, size, target)

    def _run(self, given: list[Any], size: int | None, target: Any) -> None:
        source = self._source
        compiled = source.compiled(_letters(self.name, source.parameters, given))
        compiled.run(tuple(given), target, source.size(given) if size is None else size)

    def _run_on_copies(self, given: list[Any], size: int | None, target: Any) -> Any:
        """Of CuPy's form: broadcasts the inputs, and makes the outputs that are not given."""
        parameters, inputs = self._source.parameters, self._inputs
        is_array = [not p.is_pointer and np.ndim(x) > 0 for p, x in zip(parameters, given)]
        shapes = [x.shape for x, broadcasts in zip(given, is_array) if broadcasts]
        outputs = given[inputs:]
        shape = outputs[0].shape if outputs else (size,) if size is not None and not shapes else np.broadcast_shapes(*shapes)
        if not shapes and not outputs and size is None and any(p.is_pointer for p in parameters):
            raise ValueError(f"{self.name}: size says how many elements there are where all inputs are raw")
        letters = _letters(self.name, parameters, given)
        other = next((x for x in given if isinstance(x, Array)), None)
        for p in parameters[len(given):]:
            if p.is_pointer or p.is_generic and p.type not in letters:
                raise TypeError(f"{self.name}: {p.name} has to be given: " +
                                ("it is raw" if p.is_pointer else f"no input has the type {p.type}"))
            dtype = letters.get(p.type) or next((np.dtype(name) for name, code in _CODE.items() if code == p.type), None)
            if dtype is None:
                raise TypeError(f"{self.name}: {p.name} has to be given: NumPy has no {p.type}")
            made = np.empty(shape, dtype)
            outputs.append(made if other is None else _core.asarray(made, None, other.target, True))
        for k, broadcasts in enumerate(is_array[:inputs]):
            if broadcasts and given[k].shape != shape:
                given[k] = np.broadcast_to(on_cpu(given[k]), shape)
            elif not parameters[k].is_pointer and not broadcasts and isinstance(given[k], (np.ndarray, Array)):
                given[k] = np.asarray(on_cpu(given[k]))[()]
        self._run([*given[:inputs], *outputs], size, target)
        if len(given) == inputs:
            outputs = [x[()] if isinstance(x, np.ndarray) and x.ndim == 0 else x for x in outputs]
        return tuple(outputs) if len(outputs) > 1 else outputs[0]


def _combining(of: Any, name: str, dtype: Any, parameters: Sequence[_Parameter], map_expr: str, combine: str, identity: Any,
               is_commutative: bool, preamble: str, compile: Any) -> _Source:
    require_text("what combines", combine)

    def make(name: str, declared: str, code: str, pointers: list[str], preamble: str) -> Any:
        return of(name, dtype, declared, code, combine, _literal(identity), pointers, is_commutative, preamble, compile)

    return _Source(name, parameters, map_expr, preamble, make)


class ReductionKernel:
    """A reduction of elements by an expression of a and b, of what another expression maps them to.

    - PyCUDA's form is ``(dtype_out, neutral, reduce_expr, map_expr=None, arguments=None, name="reduce_kernel")``;
      without a `map_expr` it is called with one array of `dtype_out`.
    - CuPy's form is ``(in_params, out_params, map_expr, reduce_expr, post_map_expr, identity, name="reduce_kernel")``,
      of all elements; `reduce_type` is the type of a and b.

    A call returns a NumPy scalar. The elements keep their order, and the result has the same bits on every target:
    see reduce. `is_commutative` allows a faster order where b may come before a. The other keywords and the errors are
    those of heddle.ElementwiseKernel; no elements give `neutral`, or ValueError without one.

    >>> import heddle, numpy
    >>> dot = heddle.ReductionKernel(numpy.float64, neutral="0", reduce_expr="a + b", map_expr="x[i] * y[i]",
    ...                              arguments="const double *x, const double *y")
    >>> float(dot(numpy.arange(4.0), numpy.full(4, 2.0)))
    12.0
    >>> norm = heddle.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "norm")
    >>> float(norm(numpy.array([3.0, 4.0])))
    5.0
    """

    def __init__(self, *texts: Any, dtype_out: Any = None, neutral: Any = None, reduce_expr: str | None = None,
                 map_expr: str | None = None, arguments: str | None = None, in_params: str | None = None,
                 out_params: str | None = None, post_map_expr: str | None = None, identity: Any = None, name: str | None = None,
                 reduce_type: Any = None, is_commutative: bool = False, preamble: str = "", options: Any = (),
                 definitions: Any = (), include_dirs: Any = (), std: str = "c++20"):
        # The first text of CuPy's form has a type and a name.
        is_of_cupy = in_params is not None or bool(texts) and isinstance(texts[0], str) and len(texts[0].split()) > 1
        names = ["dtype_out", "neutral", "reduce_expr", "map_expr", "arguments", "name"]
        if is_of_cupy:
            names = ["in_params", "out_params", "map_expr", "reduce_expr", "post_map_expr", "identity", "name", "reduce_type"]
        given = _named("ReductionKernel", names, texts, {
            "dtype_out": dtype_out, "neutral": neutral, "reduce_expr": reduce_expr, "map_expr": map_expr, "arguments": arguments,
            "in_params": in_params, "out_params": out_params, "post_map_expr": post_map_expr, "identity": identity, "name": name,
            "reduce_type": reduce_type})
        self.name = given.get("name", "reduce_kernel")
        self._post: tuple[_Parameter, str] | None = None
        if is_of_cupy:
            _needs("ReductionKernel", ("in_params", "out_params", "map_expr", "reduce_expr"), given)
            outputs = _parameters(given["out_params"])
            if len(outputs) != 1:
                raise ValueError(f"{self.name}: a reduction has one of out_params, not {len(outputs)}")
            self._parameters, self._map = _parameters(given["in_params"]), given["map_expr"]
            self._type, self._neutral = given.get("reduce_type", outputs[0].type), given.get("identity")
            post = given.get("post_map_expr")
            if post and re.sub(r"[\s;]", "", post) != f"{outputs[0].name}=a":
                self._post = outputs[0], post
        else:
            _needs("ReductionKernel", ("dtype_out", "reduce_expr"), given)
            self._type, self._neutral = np.dtype(given["dtype_out"]), given.get("neutral")
            self._parameters = _parameters(given.get("arguments") or f"const {_code_of(self._type)} *x")
            self._map = given.get("map_expr") or f"{self._parameters[0].name}[i]"
        _require_types(self.name, self._parameters, preamble, options, definitions, include_dirs)
        self._combine, self._is_commutative = given["reduce_expr"], is_commutative
        self._preamble, self._options = preamble, _options(options, definitions, include_dirs, std)
        self._sources: dict[str, _Source] = {}
        self._posts: dict[str, _Source] = {}

    def __call__(self, *arguments: Any, target: Target | str | None = None) -> Any:
        given = _arguments(arguments, self._parameters)
        letters = _letters(self.name, self._parameters, given)
        dtype = _dtype_of(self._type, letters, self.name)
        if dtype.name not in self._sources:
            self._sources[dtype.name] = _combining(_core.ReductionExpression, self.name, dtype, self._parameters, self._map, self._combine,
                                                   self._neutral, self._is_commutative, self._preamble, self._options)
        source = self._sources[dtype.name]
        value = source.compiled(letters).run(tuple(given), target, source.size(given))
        if self._post is None:
            return value
        to, operation = self._post
        out = np.empty(1, _dtype_of(to.type, letters, self.name))
        if dtype.name not in self._posts:
            parameters = [_Parameter("a", _code_of(dtype), False, False, False, False),
                          _Parameter(to.name, to.type, False, False, False, True)]
            self._posts[dtype.name] = _elementwise(self.name, parameters, operation, self._preamble, self._options)
        self._posts[dtype.name].compiled(letters).run((value, out), "serial", 1)
        return out[0]


def _dtype_of(type: Any, letters: dict[str, np.dtype], name: str) -> np.dtype:
    """The dtype that a type of C++, of NumPy, or a letter stands for."""
    if isinstance(type, str):
        if type in letters:
            return letters[type]
        of_code = next((dtype for dtype, code in _CODE.items() if code == type), None)
        if of_code is not None:
            return np.dtype(of_code)
        if len(type) == 1 and type.isupper():
            raise TypeError(f"{name}: no input has the type {type}")
    return np.dtype(type)


class _ScanKernel:
    _is_exclusive = False

    def __init__(self, dtype: Any, scan_expr: str, neutral: Any = None, name_prefix: str = "scan", options: Any = (),
                 preamble: str = "", *, definitions: Any = (), include_dirs: Any = (), std: str = "c++20"):
        if self._is_exclusive and neutral is None:
            raise ValueError("an exclusive scan begins with the neutral element: give one")
        self.name = name_prefix
        self.dtype = np.dtype(dtype)
        parameters = _parameters(f"const {_code_of(dtype)} x")
        self._expression = _combining(_core.ScanExpression, name_prefix, self.dtype, parameters, "x", scan_expr, neutral, False, preamble,
                                      _options(options, definitions, include_dirs, std)).compiled({})

    def __call__(self, input_ary: Any, output_ary: Any = None, *, target: Target | str | None = None) -> Any:
        is_new = isinstance(output_ary, str)
        if is_new and output_ary != "new":
            raise ValueError(f"output_ary is an array, None or \"new\", not {output_ary!r}")
        result = self._expression.run((held(input_ary),), target, self._is_exclusive)
        if is_new:
            return result
        out = input_ary if output_ary is None else output_ary
        _core.store(result, held(out))
        return out


class InclusiveScanKernel(_ScanKernel):
    """A scan by an expression of a and b: element k becomes the combination of elements 0 to k, as PyCUDA's.

    The arrays have the type `dtype`. ``k(x)`` writes into x itself, ``k(x, y)`` into y, and ``k(x, "new")`` into a new
    array; each returns what was written to. The order of combination depends on the number of elements alone, so that
    the bits are the same on every target. The other arguments and the errors are those of heddle.ElementwiseKernel.

    >>> import heddle, numpy
    >>> largest = heddle.InclusiveScanKernel(numpy.int32, "a > b ? a : b")
    >>> x = numpy.array([3, 1, 4, 1, 5], dtype=numpy.int32)
    >>> largest(x, "new").tolist(), largest(x) is x, x.tolist()
    ([3, 3, 4, 4, 5], True, [3, 3, 4, 4, 5])
    """


class ExclusiveScanKernel(_ScanKernel):
    """A scan by an expression of a and b: element k becomes the combination of `neutral` and elements 0 to k - 1.

    Otherwise as heddle.InclusiveScanKernel.

    >>> import heddle, numpy
    >>> sums = heddle.ExclusiveScanKernel(numpy.int64, "a + b", 0)
    >>> sums(numpy.array([3, 1, 4, 1, 5]), "new").tolist()
    [0, 3, 4, 8, 9]
    """

    _is_exclusive = True
