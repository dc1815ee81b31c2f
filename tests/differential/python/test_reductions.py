"""Reductions and scans beside NumPy."""
import itertools
import math

import heddle
import numpy as np
from hypothesis import assume, note, strategies as st

from agreement import bits, into_out, is_error, near_sums, on_targets, outcome, same, same_form
from cases import cases
from strategies import REAL, TARGETS, TYPES, arrays, axes_of, outs, shapes

UFUNCS = {"add": np.add, "multiply": np.multiply, "minimum": np.minimum, "maximum": np.maximum, "logical_and": np.logical_and,
          "logical_or": np.logical_or, "logical_xor": np.logical_xor, "bit_and": np.bitwise_and, "bit_or": np.bitwise_or,
          "bit_xor": np.bitwise_xor}
target = st.sampled_from(TARGETS)
OUT_TYPES = TYPES


def is_defined(op, dtype):
    kind = np.dtype(dtype).kind
    return kind in "biu" or op in ("add", "multiply") or (kind == "f" and not op.startswith("bit"))


def drawn_reduction(data, names, **more):
    """(x, axis, keywords) of a call of one of these names."""
    name = data.draw(st.sampled_from(names))
    x = data.draw(arrays(**more))
    axis = data.draw(axes_of(x.array.ndim, several=not name.startswith("arg")))
    keepdims = data.draw(st.booleans())
    note(f"{name} of {x} along {axis}, keepdims {keepdims}")
    return name, x, axis, keepdims


def check_out(data, call, result, x, where):
    """The same call with an `out`: its elements are those of the result, converted once where it has the result's type."""
    out = data.draw(outs(result.shape, data.draw(st.sampled_from([result.dtype.newbyteorder("="), *map(np.dtype, OUT_TYPES)]))))
    note(f"into {out} on {where}")
    if into_out(call, result, out, where, [x]) and out.array.dtype.newbyteorder("=") == result.dtype:
        assert bits(out.array.astype(result.dtype)) == bits(np.asarray(result)), f"{out.array!r} in out, {result!r} without"


@cases(st.data())
def test_exact_reductions(data):
    """Those whose results do not depend on an order."""
    names = ["min", "max", "any", "all", "argmin", "argmax"]
    name, x, axis, keepdims = drawn_reduction(data, names)
    assume(name in ("any", "all") or x.array.dtype.kind != "c")
    keywords = {"keepdims": keepdims}
    if name in ("min", "max"):
        if data.draw(st.booleans()):
            keywords["initial"] = data.draw(st.sampled_from([0, 1]))
        if data.draw(st.integers(0, 5)) == 5:
            keywords["where"] = data.draw(arrays("bool", x.array.shape)).array
    note(f"{keywords}")
    where = data.draw(target)
    have = on_targets(lambda where: getattr(heddle, name)(x.array, axis, target=where, **keywords), where)
    x.require_unchanged()
    same(have, outcome(lambda: getattr(np, name)(x.array, axis, **keywords)))
    if not isinstance(have, Exception) and not name.startswith("arg"):
        check_out(data, lambda out, where: getattr(heddle, name)(x.array, axis, out=out, target=where, **keywords), have, x, where)


@cases(st.data())
def test_minmax(data):
    _, x, axis, keepdims = drawn_reduction(data, ["minmax"], dtypes=st.sampled_from(REAL))
    have = on_targets(lambda where: heddle.minmax(x.array, axis, keepdims=keepdims, target=where), data.draw(target))
    x.require_unchanged()
    want = outcome(lambda: (np.min(x.array, axis, keepdims=keepdims), np.max(x.array, axis, keepdims=keepdims)))
    if not is_error(have, want):
        same(have[0], want[0])
        same(have[1], want[1])


def count_along(x, axis):
    axes = range(x.ndim) if axis is None else [axis] if isinstance(axis, int) else axis
    return math.prod(x.shape[k] for k in axes)


@cases(st.data())
def test_sums(data):
    """Sums of integers and of whole numbers are NumPy's; others are within what any order gives."""
    _, x, axis, keepdims = drawn_reduction(data, ["sum"])
    keywords = {"keepdims": keepdims}
    initial = data.draw(st.sampled_from([None, 0, 3]))
    if initial is not None:
        keywords["initial"] = initial
    if data.draw(st.integers(0, 3)) == 3:
        wanted = np.dtype(data.draw(st.sampled_from(TYPES)))
        assume(x.exact or wanted.kind == x.array.dtype.kind or x.array.dtype.kind in "biu")
        if x.array.dtype.kind in "fc" and wanted.kind in "iu":  # others are clamped: documented
            bounds = np.iinfo(wanted)
            assume(np.all((x.array.real >= bounds.min) & (x.array.real <= bounds.max)))
        keywords["dtype"] = wanted
    note(f"{keywords}")
    where = data.draw(target)

    def call(out, where):
        return heddle.sum(x.array, axis, out=out, target=where, **keywords)

    have = on_targets(lambda where: call(None, where), where)
    x.require_unchanged()
    want = outcome(lambda: np.sum(x.array, axis, **keywords))
    if is_error(have, want):
        return
    same_form(have, want)
    if have.dtype.kind in "biu" or x.exact and x.array.size < 500:
        np.testing.assert_array_equal(have, want)
    else:
        elements = x.array.astype(have.dtype)
        near_sums(have, elements, lambda part: np.sum(part, axis, keepdims=keepdims) + (np.real(initial or 0) if part is not None else 0),
                  count_along(x.array, axis)) if not np.iscomplexobj(have) or not initial else None
    if "dtype" not in keywords:
        check_out(data, call, have, x, where)


@cases(st.data())
def test_products(data):
    _, x, axis, keepdims = drawn_reduction(data, ["prod"], kinds=["small", "bits", "zeros"], special=False)
    have = on_targets(lambda where: heddle.prod(x.array, axis, keepdims=keepdims, target=where), data.draw(target))
    x.require_unchanged()
    want = outcome(lambda: np.prod(x.array, axis, keepdims=keepdims))
    if is_error(have, want):
        return
    same_form(have, want)
    if have.dtype.kind in "biu" or x.exact and count_along(x.array, axis) < 14:
        np.testing.assert_array_equal(have, want)


@cases(st.data())
def test_means(data):
    """Of numbers whose squares are finite, within rounding of float64 and of the result; others by whether they are finite."""
    name, x, axis, keepdims = drawn_reduction(data, ["mean", "var", "std"], kinds=["small", "normal", "zeros", "rising"], special=False)
    keywords = {"keepdims": keepdims}
    if name != "mean" and data.draw(st.booleans()):
        keywords["ddof"] = data.draw(st.sampled_from([1, 2, 0.5]))
    if data.draw(st.integers(0, 5)) == 5:
        keywords["where"] = data.draw(arrays("bool", x.array.shape)).array
    note(f"{keywords}")
    where = data.draw(target)
    have = on_targets(lambda where: getattr(heddle, name)(x.array, axis, target=where, **keywords), where)
    x.require_unchanged()
    as_wide = x.array.astype(np.clongdouble if x.array.dtype.kind == "c" else np.longdouble)
    want = outcome(lambda: getattr(np, name)(as_wide, axis, **keywords))
    if is_error(have, want):
        return
    of_type = outcome(lambda: getattr(np, name)(x.array[tuple(slice(0, 1) for _ in x.array.shape)])).dtype
    assert have.dtype == of_type and have.shape == want.shape, f"{have.dtype}{have.shape}, not {of_type}{want.shape}"
    eps = np.finfo(have.dtype).eps
    scale = np.max(np.abs(as_wide), initial=0).astype(float)
    rounding = 1e-13 * max(scale, 1) ** (1 if name == "mean" else 2)
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(have, want, rtol=4 * eps, atol=np.sqrt(rounding) if name == "std" else rounding)


@cases(st.data())
def test_reduce_by_operator(data):
    op, dtype = data.draw(st.sampled_from(list(UFUNCS))), data.draw(st.sampled_from(TYPES))
    x = data.draw(arrays(dtype, kinds=["small", "bits", "rising"] if np.dtype(dtype).kind in "biu" else ["zeros", "small"], special=False))
    axis, keepdims = data.draw(axes_of(x.array.ndim)), data.draw(st.booleans())
    where = data.draw(target)
    note(f"{op} of {x} along {axis}, keepdims {keepdims}, {where}")
    have = on_targets(lambda where: heddle.reduce(x.array, op, axis=axis, keepdims=keepdims, target=where), where)
    x.require_unchanged()
    if not is_defined(op, dtype):
        assert isinstance(have, TypeError), have
        return
    native = x.array.astype(dtype)
    forced = {} if op.startswith("logical") else {"dtype": dtype}
    want = outcome(lambda: UFUNCS[op].reduce(native, axis=axis, keepdims=keepdims, **forced))
    if is_error(have, want):
        return
    assert have.dtype == dtype and have.shape == want.shape
    if np.dtype(dtype).kind in "biu" or op != "multiply" or count_along(native, axis) < 14:
        np.testing.assert_array_equal(have, np.asarray(want).astype(dtype))


def accumulated(op, x, axis, first, exclusive):
    """The scan of NumPy's ufunc along an axis, behind a first operand."""
    if first is not None:
        x = np.concatenate([np.full([*x.shape[:axis], 1, *x.shape[axis + 1:]], first, x.dtype), x], axis)
    forced = {"dtype": x.dtype}
    if op.startswith("logical"):
        x, forced = x.astype(bool), {}
    results = UFUNCS[op].accumulate(x, axis, **forced).astype(forced.get("dtype", bool))
    if first is None:
        return results
    kept = [slice(None)] * x.ndim
    kept[axis] = slice(0, -1) if exclusive else slice(1, None)
    return results[tuple(kept)]


@cases(st.data())
def test_scans_by_operator(data):
    op = data.draw(st.sampled_from([op for op in UFUNCS if not op.startswith("logical")]))
    dtype = data.draw(st.sampled_from([dtype for dtype in TYPES if is_defined(op, dtype)]))
    is_integer = np.dtype(dtype).kind in "biu"
    kinds = ["small", "bits", "rising"] if is_integer else ["zeros"] if op == "multiply" else ["zeros", "small"]
    x = data.draw(arrays(dtype, kinds=kinds, special=False))
    axis = data.draw(axes_of(x.array.ndim, several=False))
    exclusive = data.draw(st.booleans())
    initial = 1 if exclusive else data.draw(st.sampled_from([None, 1]))
    where = data.draw(target)
    note(f"{op} of {x} along {axis}, exclusive {exclusive}, initial {initial}, {where}")

    def call(out, where):
        function = heddle.exclusive_scan if exclusive else heddle.inclusive_scan
        return function(x.array, op, axis=axis, initial=initial, out=out, target=where)

    have = on_targets(lambda where: call(None, where), where)
    x.require_unchanged()
    if isinstance(have, Exception):
        raise have
    flat = x.array.astype(dtype)
    flat = flat.reshape(-1) if axis is None else flat
    want = accumulated(op, flat, 0 if axis is None else axis % flat.ndim, initial, exclusive)
    assert have.dtype == dtype and have.shape == want.shape, f"{have.dtype}{have.shape}, not {dtype}{want.shape}"
    np.testing.assert_array_equal(have, want.astype(dtype))
    check_out(data, call, have, x, where)


@cases(st.data())
def test_running_sums(data):
    name = data.draw(st.sampled_from(["cumsum", "cumulative_sum", "cumprod", "cumulative_prod"]))
    is_product = name.endswith("prod")
    x = data.draw(arrays(kinds=["zeros"] if is_product else ["small", "bits", "normal", "rising"], special=True))
    axis = data.draw(axes_of(x.array.ndim, several=False))
    keywords = {"axis": axis}
    if name.startswith("cumulative"):
        keywords["include_initial"] = data.draw(st.booleans())
    where = data.draw(target)
    note(f"{name} of {x} {keywords} on {where}")

    def call(out, where):
        return getattr(heddle, name)(x.array, out=out, target=where, **keywords)

    have = on_targets(lambda where: call(None, where), where)
    x.require_unchanged()
    want = outcome(lambda: getattr(np, name)(x.array, **keywords))
    if is_error(have, want):
        return
    same_form(have, want)
    if have.dtype.kind in "biu":
        np.testing.assert_array_equal(have, want)
    elif not is_product:
        near_sums(have, x.array.astype(have.dtype), lambda part: getattr(np, name)(part, **keywords), x.array.size)
    check_out(data, call, have, x, where)


@cases(st.data())
def test_an_out_that_overlaps_the_input(data):
    """Any two views of one buffer: the result is that of an output of its own."""
    name = data.draw(st.sampled_from(["cumsum", "sort_free_sum", "max", "add_scan"]))
    dtype = data.draw(st.sampled_from(["int8", "int64", "float32", "float64"]))
    n = data.draw(st.integers(1, 3000))
    buffer = np.random.default_rng(n).integers(-3, 4, 4 * n + 8).astype(dtype)
    steps = [data.draw(st.sampled_from([1, -1, 2, 3])) for _ in range(2)]
    firsts = [data.draw(st.integers(0, n)) for _ in range(2)]

    def view(of, k):
        part = of[firsts[k]:][:n * abs(steps[k])][::steps[k]]
        return part[:n]

    x, out = view(buffer, 0), view(buffer, 1)
    if name in ("max", "sort_free_sum"):
        rows = data.draw(st.sampled_from([r for r in range(1, 6) if n % r == 0]))
        x, out = x.reshape(rows, -1) if x.flags.c_contiguous else x[None, :], out[: n // rows]
        if x.shape[0] == 1:
            out = view(buffer, 1)
    functions = {"cumsum": lambda x, out, where: heddle.cumsum(x, dtype=dtype, out=out, target=where),
                 "add_scan": lambda x, out, where: heddle.exclusive_scan(x, out=out, target=where),
                 "max": lambda x, out, where: heddle.max(x, 0, out=out, target=where),
                 "sort_free_sum": lambda x, out, where: heddle.sum(x, 0, dtype=dtype, out=out, target=where)}
    where = data.draw(st.sampled_from(["serial", *TARGETS]))
    note(f"{name} of {dtype} {x.shape} strides {x.strides} from {firsts[0]} into strides {out.strides} from {firsts[1]} on {where}")
    want = functions[name](x.copy(), None, "serial")
    whole = buffer.copy()
    view(whole, 1)[: out.size] = want
    assert functions[name](x, out, where) is out
    np.testing.assert_array_equal(buffer, whole)


@cases(st.data())
def test_arguments_that_are_wrong(data):
    """The kind of error is NumPy's."""
    name = data.draw(st.sampled_from(["sum", "max", "any", "argmax", "cumsum", "sort", "argsort", "mean"]))
    x = data.draw(arrays(shape=shapes(60), special=False))
    axis = data.draw(st.one_of(st.integers(-7, 7), st.tuples(st.integers(-4, 4), st.integers(-4, 4)), st.sampled_from([True, 1.0, "0", (0.5,)])))
    assume(x.array.dtype.kind != "c" or name in ("sum", "any", "cumsum", "mean"))
    note(f"{name} of {x} along {axis!r}")
    want = outcome(lambda: getattr(np, name)(x.array, axis))
    have = outcome(lambda: getattr(heddle, name)(x.array, axis, target="serial"))
    if isinstance(axis, bool):
        assert isinstance(have, TypeError)
    elif not is_error(have, want):
        assert np.shape(have) == np.shape(want)
