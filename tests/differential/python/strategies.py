"""Random element types, shapes, elements and layouts of arrays in memory."""
import functools
import math
import pathlib
import re

import numpy as np
from hypothesis import strategies as st

from cases import ELEMENTS

REAL = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64"]
TYPES = [*REAL, "complex64", "complex128"]
TARGETS = ["parallel:2", "parallel:3"]
RED = 0xA5
RED_BYTES = 64
MOST_BYTES = 8 << 20  # of a buffer; steps are 1 beyond


@functools.cache
def thresholds():
    """The sizes of thresholds.hpp that choose a way through the code, usual and low ones, in elements of up to 16 bytes."""
    header = pathlib.Path(__file__).resolve().parents[3] / "include/heddle/impl/core/thresholds.hpp"
    found = set()
    for name, size in re.findall(r"^\s*\.(\w+) = ([^,]+),$", header.read_text(), re.M):
        shift = re.fullmatch(r"std::size_t\{(\d+)\} << (\d+)", size)
        value = int(shift[1]) << int(shift[2]) if shift else 1 << int(size) if name.endswith("_level") else int(size)
        found.update(value // width for width in (1, 2, 4, 8, 16) if name.endswith("_bytes") or width == 1)
    assert len(found) > 10, f"{header} has another form"
    return sorted(found - {0})


@functools.cache
def lengths(most=ELEMENTS):
    """0, 1, few, any by the logarithm, and next to thresholds, their doubles and triples."""
    edges = sorted({times * edge + off for edge in thresholds() for times in (1, 2, 3) for off in (-1, 0, 1)})
    edges = [edge for edge in edges if 3 < edge <= most]
    found = [st.integers(0, min(3, most)), st.integers(0, min(40, most))]
    if edges:
        found.append(st.sampled_from(edges))
    if most > 40:
        by_logarithm = st.integers(5, most.bit_length() - 1)
        found.append(by_logarithm.flatmap(lambda b: st.integers(1 << b, min(most, (2 << b) - 1))))
    return st.one_of(*found)


@st.composite
def shapes(draw, most=ELEMENTS, axes=st.integers(0, 5)):
    shape, room = [], most
    for _ in range(draw(axes)):
        shape.append(draw(lengths(max(room, 1))))
        room //= max(shape[-1], 1)
    return tuple(shape[::-1] if draw(st.booleans()) else shape)


def extremes(dtype):
    """Special values of a type."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return [False, True]
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        return [0, 1, info.max, info.min, info.max - 1, info.min + 1, 2**(dtype.itemsize * 4)]
    if dtype.kind == "c":
        return [complex(0, -0.0), complex(np.nan, 0), complex(0, np.inf), complex(-np.inf, np.nan)]
    info = np.finfo(dtype)
    return [-0.0, np.nan, np.inf, -np.inf, info.max, info.min, info.tiny, info.smallest_subnormal, -info.smallest_subnormal, 1 + info.eps]


def generated(kind, seed, dtype, n):
    dtype, rng = np.dtype(dtype), np.random.default_rng(seed)
    if kind == "zeros":
        return np.zeros(n, dtype)
    if kind == "bits":
        if dtype.kind == "b":
            return rng.integers(0, 2, n).astype(bool)
        return np.frombuffer(rng.bytes(n * dtype.itemsize), dtype)
    if kind == "normal" and dtype.kind in "fc":
        def parts():
            return rng.standard_normal(n) * np.exp2(rng.integers(-8, 9, n))
        return (parts() + 1j * parts() if dtype.kind == "c" else parts()).astype(dtype)
    if kind == "rising":
        return (np.arange(n) // 3 % (100 if dtype.itemsize == 1 else 30000)).astype(dtype)
    least = -3 if dtype.kind in "ifc" else 0
    numbers = rng.integers(least, 4, n)
    return (numbers + 1j * rng.integers(-1, 2, n) if dtype.kind == "c" else numbers).astype(dtype)


class Drawn:
    """An array in a buffer of its own whose other bytes are red. `exact`: its elements are small whole numbers."""

    def __init__(self, array, buffer, about, exact=False):
        self.array, self.buffer, self.about, self.exact = array, buffer, about, exact
        self.before = buffer.copy()

    def __repr__(self):
        return self.about

    def other_bytes(self):
        """Whether bytes of the buffer that are no elements of the array are as they were."""
        is_element = np.zeros_like(self.buffer)
        x = self.array
        start = x.__array_interface__["data"][0] - self.buffer.__array_interface__["data"][0]
        elements = np.ndarray(x.shape, f"V{x.itemsize}", is_element, start, x.strides)
        elements[...] = np.void(b"\xff" * x.itemsize)
        return np.array_equal(self.buffer[is_element == 0], self.before[is_element == 0])

    def require_unchanged(self):
        assert np.array_equal(self.buffer, self.before), f"the input {self} was changed"

    def require_red_zone(self):
        assert self.other_bytes(), f"bytes around the output {self} were changed"


@st.composite
def layouts(draw, shape, dtype, broadcast=True, plain=False):
    """(array, buffer, words): an array of that shape, of any strides, alignment and byte order."""
    dtype = np.dtype(dtype)
    if not plain and dtype.itemsize > 1 and draw(st.integers(0, 4)) == 4:
        dtype = dtype.newbyteorder()
    axes = len(shape)
    order = list(range(axes))[::-1]
    steps, offset = [1] * axes, 0
    kind = "C" if plain else draw(st.sampled_from(["C", "C", "F", "strided", "permuted", "shifted"] + ["broadcast"] * broadcast))
    if kind == "F":
        order.reverse()
    if kind == "permuted":
        order = draw(st.permutations(order))
    if kind in ("strided", "permuted"):
        steps = draw(st.lists(st.sampled_from([1, 2, 3, -1, -2]), min_size=axes, max_size=axes))
    if kind == "broadcast":
        steps = draw(st.lists(st.sampled_from([1, 0]), min_size=axes, max_size=axes))
    if kind in ("shifted", "permuted"):
        offset = draw(st.integers(0, 17))
    strides, apart, first = [0] * axes, dtype.itemsize, 0
    for axis in order:
        if apart * abs(steps[axis]) * shape[axis] > MOST_BYTES and steps[axis]:
            steps[axis] = 1 if steps[axis] > 0 else -1
        strides[axis] = apart * steps[axis]
        reach = apart * abs(steps[axis]) * max(shape[axis] - 1, 0)
        first += reach if steps[axis] < 0 else 0
        apart = apart * max(abs(steps[axis]), 1) * (max(shape[axis], 1) if steps[axis] else 1)
    buffer = np.full(apart + offset + 2 * RED_BYTES, RED, np.uint8)
    array = np.ndarray(shape, dtype, buffer, RED_BYTES + offset + first, strides)
    words = f"{dtype.str}{shape} {kind}" + (f" strides {tuple(strides)}" if kind not in ("C", "F") else "") + (f" +{offset}" if offset else "")
    return array, buffer, words


KINDS = ["small", "zeros", "normal", "bits", "rising"]


@st.composite
def arrays(draw, dtypes=st.sampled_from(TYPES), shape=None, kinds=KINDS, special=True, broadcast=True, plain=False):
    shape = draw(shapes()) if shape is None else draw(shape) if isinstance(shape, st.SearchStrategy) else shape
    dtype = draw(dtypes) if isinstance(dtypes, st.SearchStrategy) else dtypes
    array, buffer, words = draw(layouts(shape, dtype, broadcast, plain))
    kind, seed = draw(st.sampled_from(kinds)), draw(st.integers(0, 255))
    n = math.prod(shape)
    numbers = generated(kind, seed, dtype, n)
    if numbers.dtype == bool:
        numbers = numbers.copy()
    overlay = []
    if special and n > 0:
        values = extremes(dtype)
        overlay = draw(st.lists(st.tuples(st.integers(0, n - 1), st.sampled_from(values)), max_size=4))
        if overlay:
            numbers = numbers.copy()
            for place, value in overlay:
                numbers[place] = np.array(value).astype(numbers.dtype)
    array[...] = numbers.reshape(shape)
    if overlay:
        words += f" with {overlay}"
    return Drawn(array, buffer, f"{kind}({seed}) {words}", kind in ("small", "zeros", "rising") and not overlay)


@st.composite
def axes_of(draw, ndim, several=True):
    """None, an axis from either end, or several."""
    if ndim == 0 or draw(st.booleans()):
        return None if ndim or not several else draw(st.sampled_from([None, ()]))
    if not several or draw(st.booleans()):
        return draw(st.integers(-ndim, ndim - 1))
    chosen = draw(st.lists(st.integers(0, ndim - 1), unique=True, max_size=ndim))
    return tuple(axis - ndim if draw(st.booleans()) else axis for axis in chosen)


@st.composite
def outs(draw, shape, dtype):
    """An output of that shape: any layout without broadcasting, and bytes around it that must not change."""
    array, buffer, words = draw(layouts(shape, dtype, broadcast=False))
    return Drawn(array, buffer, "out " + words)
