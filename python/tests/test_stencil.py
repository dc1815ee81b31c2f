"""Stencils against numpy.pad and shifted slices. Each that is new takes a compiler a second, so that one has several sizes."""

import itertools
import shutil

import numpy as np
import pytest

import heddle
from conftest import layouts, numbers

pytestmark = pytest.mark.skipif(not (shutil.which("g++") or shutil.which("clang++")), reason="there is no compiler")

MODES = {"periodic": "wrap", "fixed": "constant", "clamp": "edge", "reflect": "reflect", "symmetric": "symmetric"}
# Extents below the reach, and those at which pieces of rows end.
SHAPES = {1: [(1,), (2,), (5,), (4097,), (9000,)], 2: [(1, 1), (2, 3), (7, 1), (40, 33), (3, 4099)], 3: [(1, 1, 1), (2, 1, 3), (5, 6, 7), (12, 3, 40)]}


class around:
    """u of an expression: u(row, column) is the array shifted so, by NumPy."""

    def __init__(self, x, boundary, value=0, reach=3):
        options = {"constant_values": value} if boundary == "fixed" else {}
        self.padded = np.pad(x, reach, MODES[boundary], **options)
        self.shape, self.reach = x.shape, reach

    def __call__(self, *offset):
        return self.padded[tuple(slice(self.reach + o, self.reach + o + n) for o, n in zip(offset, self.shape))]


def weighed(x, weights, boundary, value=0):
    u = around(x, boundary, value, max(weights.shape) // 2)
    total = None
    for place in itertools.product(*map(range, weights.shape)):
        if weights[place] != 0:
            term = weights[place] * u(*(k - n // 2 for k, n in zip(place, weights.shape)))
            total = term if total is None else total + term
    return total.astype(x.dtype)


@pytest.mark.parametrize("boundary", MODES)
@pytest.mark.parametrize("axes", [1, 2, 3])
def test_weights(axes, boundary, where):
    generator = np.random.default_rng(axes)
    weights = np.round(generator.random({1: (7,), 2: (5, 3), 3: (3, 1, 5)}[axes]) - 0.5, 3)
    weights.flat[1] = 0
    for shape in SHAPES[axes]:
        x = generator.random(shape)
        want = x
        for steps in range(4):
            np.testing.assert_array_equal(heddle.stencil(weights, x, boundary, value=0.25, steps=steps, target=where), want)
            want = weighed(want, weights, boundary, 0.25)


@pytest.mark.parametrize("boundary", MODES)
def test_expressions(boundary, where):
    expression = "where(u(0, -3) > u(2, 1), u(0,0), 2 * u(-1, +1)) - u( 0 , 2 )"
    for shape in SHAPES[2]:
        x = np.random.default_rng(0).random(shape, np.float32)
        u = around(x, boundary)
        want = np.where(u(0, -3) > u(2, 1), u(0, 0), 2 * u(-1, 1)) - u(0, 2)
        have = heddle.stencil(expression, x, boundary, target=where)
        assert have.dtype == np.float32
        np.testing.assert_array_equal(have, want)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int64", "float64", "complex64"])
def test_types(dtype):
    for _, x in layouts(numbers(dtype, (6, 9))):
        u = around(x, "clamp")
        have = heddle.stencil("u(-1, 0) * u(0, 1) + u(0, 0)", x, "clamp", target="serial")
        assert have.dtype == dtype
        np.testing.assert_array_equal(have, u(-1, 0) * u(0, 1) + u(0, 0))


def test_dirichlet_keeps_as_many_cells_as_the_largest_offset(where):
    for shape in [(3, 3), (4, 9), (5, 5), (30, 41)]:
        x = np.random.default_rng(0).random(shape)
        want = x.copy()
        for steps in range(3):
            np.testing.assert_array_equal(heddle.stencil("u(0, -2) + u(1, 0) / 2", x, "dirichlet", steps=steps, target=where), want)
            before = want.copy()
            want[2:-2, 2:-2] = before[2:-2, :-4] + before[3:-1, 2:-2] / 2


def test_a_cell_knows_its_index(where):
    x = np.zeros((3, 4, 5), np.int64)
    plane, row, column = np.indices(x.shape)
    have = heddle.stencil("u(0, 0, 0) + 100 * plane + 10 * row + column + 1000 * i", x, target=where)
    np.testing.assert_array_equal(have, 100 * plane + 10 * row + column + 1000 * np.arange(60).reshape(x.shape))
    row, column = np.indices((8, 9))
    u = np.random.default_rng(0).random((8, 9))
    red = heddle.stencil("where((row + column) % 2 == 0, 0.25 * (u(-1, 0) + u(1, 0) + u(0, -1) + u(0, 1)), u(0, 0))", u, "clamp", target=where)
    a = around(u, "clamp")
    np.testing.assert_array_equal(red, np.where((row + column) % 2 == 0, 0.25 * (a(-1, 0) + a(1, 0) + a(0, -1) + a(0, 1)), u))


def test_other_arrays_are_read_at_the_cell(where):
    x, f = np.random.default_rng(0).random((2, 20, 31))
    c = np.float32(0.5)
    u = around(x, "reflect")
    have = heddle.stencil("c * u(0, 1) - f", x, "reflect", f=f, c=c, target=where)
    np.testing.assert_array_equal(have, c * u(0, 1) - f)
    have = heddle.stencil("u(0, 0) * g", x, g=np.asfortranarray(f).astype(">f8"), target=where)
    np.testing.assert_array_equal(have, x * f)


def test_life_is_a_stencil(where):
    cells = np.random.default_rng(0).integers(0, 2, (60, 70), np.uint8)
    around_it = " + ".join(f"u({i}, {j})" for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0))
    have = heddle.stencil(f"({around_it}) == 3 or u(0, 0) == 1 and ({around_it}) == 2", cells, steps=25, target=where)
    np.testing.assert_array_equal(have, heddle.Life(cells).step(25).cells)


def test_jacobis_sweeps_are_a_stencil(where):
    start = heddle.Laplace.sine((40, 40), method="jacobi")
    have = heddle.stencil("0.25 * (u(0, -1) + u(0, 1)) + 0.25 * (u(-1, 0) + u(1, 0))", start.solution, "dirichlet", steps=30, target=where)
    np.testing.assert_allclose(have, start.step(30).solution, rtol=1e-12)


def test_dtype_out_and_arrays():
    x = np.arange(6)
    np.testing.assert_array_equal(heddle.stencil("0.5 * u(1)", x, dtype="float32"), np.roll(x, -1).astype(np.float32) / 2)
    np.testing.assert_array_equal(heddle.stencil("0.5 * u(1)", x), np.roll(x, -1) // 2)
    out = np.zeros(6)
    assert heddle.stencil("u(1)", x, out=out) is out and out.tolist() == [1, 2, 3, 4, 5, 0]
    assert heddle.stencil("u(1)", x, steps=2, out=x) is x and x.tolist() == [2, 3, 4, 5, 0, 1]
    array = heddle.stencil("u(1)", heddle.asarray(x))
    assert isinstance(array, heddle.Array) and np.asarray(array).tolist() == [3, 4, 5, 0, 1, 2]
    copy = heddle.stencil("u(1)", x, steps=0)
    assert copy.tolist() == x.tolist() and not np.shares_memory(copy, x)
    for empty in (np.zeros(0), np.zeros((0, 3)), np.zeros((3, 0))):
        assert heddle.stencil("u(" + ", ".join("1" * empty.ndim) + ")", empty, steps=3).shape == empty.shape
    assert heddle.stencil([0.0, 0, 0], np.ones(3)).tolist() == [0, 0, 0]


def test_what_is_wrong_is_named():
    x = np.zeros((4, 5))
    for call, error, text in ((lambda: heddle.stencil("u(1)", x), ValueError, "1 offsets, where the array has 2"),
                              (lambda: heddle.stencil("u(1, 1) + q", x), ValueError, "'q'.*row, column"),
                              (lambda: heddle.stencil("u(row, 1)", x), ValueError, "'?u"),
                              (lambda: heddle.stencil("u(1, 1) +", x), ValueError, "column"),
                              (lambda: heddle.stencil("u(1, 1)", x, "wrap"), ValueError, "periodic, fixed, clamp"),
                              (lambda: heddle.stencil("1.0", np.float64(3)), ValueError, "0 axes"),
                              (lambda: heddle.stencil("1.0", np.zeros((1, 1, 1, 1))), ValueError, "4 axes"),
                              (lambda: heddle.stencil("u(0, 0) + f", x, f=np.zeros(5)), ValueError, r"f has shape \(5,\)"),
                              (lambda: heddle.stencil("u(0, 0) + row", x, row=x), ValueError, "row"),
                              (lambda: heddle.stencil(np.ones((2, 3)), x), ValueError, "odd"),
                              (lambda: heddle.stencil(np.ones(3), x), ValueError, "1 offsets"),
                              (lambda: heddle.stencil([0.5, 0, 0.5], np.arange(3)), TypeError, "give a dtype"),
                              (lambda: heddle.stencil("u(0, 0)", x, steps=-1), ValueError, "steps"),
                              (lambda: heddle.stencil("u(0, 0)", x, out=np.zeros(3)), ValueError, "out has shape")):
        with pytest.raises(error, match=text):
            call()
