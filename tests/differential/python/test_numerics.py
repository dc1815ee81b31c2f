"""Histograms, products of matrices, transforms and stencils beside NumPy."""
import itertools
import shutil

import heddle
import heddle.fft
import numpy as np
import pytest
from hypothesis import assume, note, strategies as st

from agreement import into_out, is_error, on_targets, outcome, same, same_form
from cases import cases
from strategies import ELEMENTS, REAL, TARGETS, TYPES, arrays, axes_of, outs, shapes

target = st.sampled_from(TARGETS)
FLOATING = ["float32", "float64", "complex64", "complex128"]
ACCURACY = {"float32": 1e-4, "complex64": 1e-4, "float64": 1e-10, "complex128": 1e-10}
finite = {"kinds": ["small", "zeros", "normal", "rising"], "special": False}


@cases(st.data())
def test_histograms(data):
    x = data.draw(arrays(st.sampled_from(REAL), shape=shapes(ELEMENTS, st.integers(0, 3))))
    keywords = {}
    if data.draw(st.booleans()):
        bins = data.draw(st.one_of(st.integers(1, 40), st.sampled_from([4095, 4096, 4097, 65535, 65537])))
        if data.draw(st.booleans()):
            keywords["range"] = data.draw(st.sampled_from([(0, 1), (-2, 3), (-0.5, 0.1), (2, 2), (0.0, 1e30)]))
    else:
        kind = data.draw(st.sampled_from([float, "float32", "int64"]))
        few = data.draw(st.lists(st.integers(-9, 9), min_size=2, max_size=30))
        bins = np.sort(np.array(few, kind) / (1 if kind == "int64" else 4)).astype(kind)
    if data.draw(st.integers(0, 3)) == 3:
        keywords["weights"] = data.draw(arrays(st.sampled_from(["int32", "float64", "float32"]), x.array.shape, kinds=["small"], special=False)).array
    where = data.draw(target)
    note(f"histogram of {x}, bins {bins!r} {keywords} on {where}")
    have = on_targets(lambda where: heddle.histogram(x.array, bins, **keywords, target=where), where)
    x.require_unchanged()
    want = outcome(lambda: np.histogram(x.array, bins, **keywords))
    if not is_error(have, want):
        same(have[1], want[1])
        same(have[0], want[0])


@cases(st.data())
def test_products_of_matrices(data):
    rows, inner, columns = (data.draw(st.one_of(st.integers(0, 5), st.integers(0, 90))) for _ in range(3))
    stacks = data.draw(st.sampled_from([((), ()), ((), ()), ((2,), ()), ((), (3,)), ((3,), (3,)), ((2, 1), (3,)), ((0,), (0,))]))
    a_shape, b_shape = stacks[0] + (rows, inner), stacks[1] + (inner, columns)
    if data.draw(st.integers(0, 3)) == 3:
        a_shape = (inner,)
    if data.draw(st.integers(0, 3)) == 3:
        b_shape = (inner,)
    if data.draw(st.integers(0, 9)) == 9:
        b_shape = b_shape[:-1] + (b_shape[-1] + 1,)
    a = data.draw(arrays(st.sampled_from(TYPES), a_shape, kinds=["small", "zeros"], special=False))
    b = data.draw(arrays(st.sampled_from(TYPES), b_shape, kinds=["small", "zeros"], special=False))
    where = data.draw(target)
    note(f"matmul of {a} and {b} on {where}")
    have = outcome(lambda: heddle.matmul(a.array, b.array, target=where))
    a.require_unchanged()
    b.require_unchanged()
    want = outcome(lambda: np.matmul(a.array, b.array))
    same(have, want)
    if isinstance(have, Exception):
        return
    out = data.draw(outs(have.shape, data.draw(st.sampled_from(TYPES))))
    note(f"into {out}")
    if into_out(lambda out, where: heddle.matmul(a.array, b.array, out=out, target=where), have, out, where, [a, b]):
        with np.errstate(all="ignore"):
            np.testing.assert_array_equal(out.array, have.astype(out.array.dtype))


@cases(st.data())
def test_transforms(data):
    name = data.draw(st.sampled_from(["fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "fftn", "ifftn", "rfftn", "irfftn"]))
    x = data.draw(arrays(shape=shapes(20000, st.integers(1, 3)), **finite))
    keywords = {"norm": data.draw(st.sampled_from([None, "ortho", "forward", "backward"]))}
    if name.endswith("n"):
        if data.draw(st.booleans()):
            keywords["axes"] = data.draw(st.lists(st.integers(0, x.array.ndim - 1), unique=True, min_size=1))
    else:
        keywords["axis"] = data.draw(st.integers(-x.array.ndim, x.array.ndim - 1))
        if data.draw(st.booleans()):
            keywords["n"] = data.draw(st.integers(0, 300))
    assume(not (name in ("rfft", "ihfft", "rfftn") and x.array.dtype.kind == "c"))
    assume(x.array.size > 0 or name not in ("irfft", "hfft", "irfftn"))  # NumPy returns memory as it finds it
    where = data.draw(target)
    note(f"{name} of {x} {keywords} on {where}")
    have = on_targets(lambda where: getattr(heddle.fft, name)(x.array, target=where, **keywords), where)
    x.require_unchanged()
    want = outcome(lambda: getattr(np.fft, name)(x.array, **keywords))
    if is_error(have, want):
        return
    same_form(have, want)
    as_wide = x.array.astype("complex128" if x.array.dtype.kind == "c" else "float64")
    exact = outcome(lambda: getattr(np.fft, name)(as_wide, **keywords))
    scale = np.max(np.abs(exact), initial=0) + np.finfo(have.dtype).tiny
    assert np.max(np.abs(have - exact), initial=0) <= 0.1 * ACCURACY[have.dtype.name] * scale


MODES = {"periodic": "wrap", "fixed": "constant", "clamp": "edge", "reflect": "reflect", "symmetric": "symmetric"}


def weighed(x, weights, boundary, value):
    """The sum of products with the cells around each, in C order, from a padded copy."""
    reach = [n // 2 for n in weights.shape]
    padded = np.pad(x, [(n, n) for n in reach], MODES[boundary], **({"constant_values": value} if boundary == "fixed" else {}))
    total = None
    for place in itertools.product(*map(range, weights.shape)):
        if weights[place] != 0:
            term = float(weights[place]) * padded[tuple(slice(k, k + n) for k, n in zip(place, x.shape))]
            total = term if total is None else total + term
    return np.zeros_like(x) if total is None else total.astype(x.dtype)


@pytest.mark.skipif(not (shutil.which("g++") or shutil.which("clang++")), reason="there is no compiler")
@cases(st.data(), slow=True)
def test_stencils(data):
    """A compilation a function: one set of weights on several arrays."""
    axes = data.draw(st.integers(1, 3))
    lengths = data.draw(st.tuples(*[st.sampled_from([1, 3, 5])] * axes))
    places = data.draw(st.lists(st.tuples(*[st.integers(0, n - 1) for n in lengths]), min_size=1, max_size=4))
    weights = np.zeros(lengths)
    for k, place in enumerate(places):
        weights[place] = (-0.5, 1, 0.25, 2)[k]
    dtype = data.draw(st.sampled_from(["float32", "float64"]))
    for _ in range(6):
        x = data.draw(arrays(dtype, shape=shapes(20000, st.just(axes)), kinds=["small", "zeros", "normal"], special=False))
        boundary, steps, value = data.draw(st.sampled_from(list(MODES))), data.draw(st.integers(0, 3)), data.draw(st.sampled_from([0, 0.5]))
        where = data.draw(target)
        note(f"{weights.tolist()} on {x}, {boundary}, value {value}, {steps} steps, {where}")
        have = on_targets(lambda where: heddle.stencil(weights, x.array, boundary, value=value, steps=steps, target=where), where)
        x.require_unchanged()
        if isinstance(have, Exception):
            raise have
        want = x.array.astype(dtype)
        for _ in range(steps if want.size else 0):
            want = weighed(want, weights, boundary, value)
        assert have.dtype == dtype and have.shape == want.shape
        np.testing.assert_array_equal(have, want)
