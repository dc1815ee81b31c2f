"""Sorts, searches, selections and segments beside NumPy."""
import bisect

import heddle
import numpy as np
from hypothesis import assume, note, strategies as st

from agreement import bits, is_error, on_targets, outcome, same
from cases import cases
from strategies import ELEMENTS, REAL, TARGETS, TYPES, arrays, axes_of, shapes
from test_reductions import UFUNCS, check_out, is_defined

target = st.sampled_from(TARGETS)
flat = shapes(ELEMENTS, st.just(1))


def order_of(x, axis, descending=False):
    """The places of a stable sort in which NaNs are equal and last, and zeros of both signs equal; first where it descends."""
    flat = x.reshape(-1) if axis is None else x
    ranks = np.unique(flat.astype(x.dtype.newbyteorder("=")), return_inverse=True)[1].reshape(flat.shape)
    return np.argsort(-ranks if descending else ranks, -1 if axis is None else axis, kind="stable")


def has_both_zeros(x):
    return x.dtype.kind == "f" and bool((np.signbit(x) & (x == 0)).any())


@cases(st.data())
def test_sorts(data):
    x = data.draw(arrays(st.sampled_from(REAL)))
    axis = data.draw(axes_of(x.array.ndim, several=False))
    name, where = data.draw(st.sampled_from(["sort", "argsort"])), data.draw(target)
    note(f"{name} of {x} along {axis} on {where}")
    have = on_targets(lambda where: getattr(heddle, name)(x.array, axis, target=where), where)
    x.require_unchanged()
    want = outcome(lambda: getattr(np, name)(x.array, axis, kind="stable"))
    same(have, want)
    if name == "sort" and have.dtype.kind == "f":  # −0 is before 0, and one quiet NaN stands for all
        numbers = have[~np.isnan(have)] if axis is None else np.empty(0)
        elements = x.array[~np.isnan(x.array)]
        assert axis is not None or np.array_equal(np.signbit(numbers), np.sort(np.signbit(elements), None)[::-1])


@cases(st.data())
def test_top_k(data):
    x = data.draw(arrays(st.sampled_from(REAL), shape=shapes(ELEMENTS // 4, st.integers(1, 4))))
    axis = data.draw(axes_of(x.array.ndim, several=False))
    length = x.array.size if axis is None else x.array.shape[axis]
    k = data.draw(st.one_of(st.integers(0, min(length, 20)), st.integers(0, length)))
    largest, where = data.draw(st.booleans()), data.draw(target)
    note(f"top_k of {x}, {k} along {axis}, largest {largest}, {where}")
    have = on_targets(lambda where: heddle.top_k(x.array, k, axis, largest=largest, target=where), where)
    x.require_unchanged()
    if isinstance(have, Exception):
        raise have
    elements, along = (x.array.reshape(-1), 0) if axis is None else (x.array, axis)
    places = np.take(order_of(x.array, axis, largest), range(k), along)
    assert have[0].dtype == x.array.dtype and have[1].dtype == np.int64
    np.testing.assert_array_equal(have[1], places)
    np.testing.assert_array_equal(have[0], np.take_along_axis(elements, places, along))


@cases(st.data())
def test_quantiles(data):
    x = data.draw(arrays(st.sampled_from(REAL)))
    axis, keepdims = data.draw(axes_of(x.array.ndim)), data.draw(st.booleans())
    q = data.draw(st.one_of(st.floats(0, 1), st.lists(st.floats(0, 1), min_size=1, max_size=3)))
    where = data.draw(target)
    note(f"quantiles {q} of {x} along {axis} on {where}")
    assume(x.array.size > 0 and np.isfinite(x.array).all())
    have = on_targets(lambda where: heddle.quantile(x.array, q, axis, keepdims=keepdims, target=where), where)
    x.require_unchanged()
    if isinstance(have, Exception):
        raise have
    elements = x.array.astype(np.float64)
    largest = np.max(np.abs(elements))
    assume(largest < 1e300)
    want = np.quantile(elements, q, axis=axis, keepdims=keepdims)
    assert np.shape(have) == np.shape(want)
    np.testing.assert_allclose(have, want, rtol=0, atol=largest * (1e-6 if have.dtype == np.float32 else 1e-14) + 1e-44)


@cases(st.data())
def test_unique(data):
    x = data.draw(arrays(st.sampled_from(REAL)))
    keywords = dict(zip(("return_index", "return_inverse", "return_counts"), data.draw(st.tuples(*[st.booleans()] * 3))))
    where = data.draw(target)
    note(f"unique of {x} {keywords} on {where}")
    have = on_targets(lambda where: heddle.unique(x.array, **keywords, target=where), where)
    x.require_unchanged()
    want = outcome(lambda: np.unique(x.array, **keywords))
    if is_error(have, want):
        return
    if not any(keywords.values()):
        same(have, want)
        return
    assert len(have) == len(want)
    for kind, a, b in zip(["values"] + [key for key, given in keywords.items() if given], have, want):
        if kind == "return_index" and has_both_zeros(x.array):
            np.testing.assert_array_equal(x.array.reshape(-1)[a], x.array.reshape(-1)[b])
        else:
            same(a, b)


@cases(st.data())
def test_searchsorted(data):
    a = data.draw(arrays(st.sampled_from(REAL), shape=flat))
    v = data.draw(arrays(st.sampled_from(REAL), shape=shapes(ELEMENTS // 20)))
    side, where = data.draw(st.sampled_from(["left", "right"])), data.draw(target)
    a.array[...] = np.sort(a.array)
    a.before = a.buffer.copy()
    note(f"searchsorted in {a} of {v}, {side}, {where}")
    have = on_targets(lambda where: heddle.searchsorted(a.array, v.array, side, target=where), where)
    a.require_unchanged()
    v.require_unchanged()
    kinds = {a.array.dtype.kind, v.array.dtype.kind}
    if kinds == {"i", "u"} and np.promote_types(a.array.dtype, v.array.dtype).kind == "f":  # exact: documented
        by = bisect.bisect_left if side == "left" else bisect.bisect_right
        numbers = a.array.tolist()
        want = np.array([by(numbers, int(x)) for x in v.array.reshape(-1)], np.int64).reshape(v.array.shape)[()]
        np.testing.assert_array_equal(have, want)
        return
    same(have, outcome(lambda: np.searchsorted(a.array, v.array, side)))


@cases(st.data())
def test_selections(data):
    x = data.draw(arrays())
    flags = data.draw(arrays("bool", x.array.shape, kinds=["bits", "zeros", "small"], special=False))
    where = data.draw(target)
    note(f"of {x} by {flags} on {where}")
    chosen = on_targets(lambda where: heddle.copy_if(x.array, flags.array, target=where), where)
    if isinstance(chosen, Exception):
        raise chosen
    assert bits(chosen) == bits(x.array[flags.array])
    elements, count = heddle.partition(x.array, flags.array, target=where)
    assert count == np.count_nonzero(flags.array)
    assert bits(elements) == bits(np.concatenate([x.array[flags.array], x.array[~flags.array]]).astype(x.array.dtype))
    x.require_unchanged()
    flags.require_unchanged()


def drawn_values(data, dtype, shape):
    kinds = ["small", "bits", "rising"] if np.dtype(dtype).kind in "biu" else ["small", "zeros"]
    return data.draw(arrays(dtype, shape, kinds=kinds, special=False))


def drawn_operator(data):
    """An operator and a type of elements whose results do not depend on an order."""
    op = data.draw(st.sampled_from([op for op in UFUNCS if not op.startswith("logical")]))
    dtype = data.draw(st.sampled_from([dtype for dtype in TYPES if is_defined(op, dtype)]))
    assume(op != "multiply" or np.dtype(dtype).kind in "biu")
    return op, dtype


def drawn_offsets(data, n):
    few = data.draw(st.lists(st.integers(0, n), min_size=1, max_size=8))
    if data.draw(st.booleans()):
        step = data.draw(st.integers(1, 70))
        few += list(range(min(few), n, step))
    return np.array(sorted(few), data.draw(st.sampled_from(["int64", "uint32", "int32", "uint64"])))


def accumulated(f, part, dtype, first, exclusive):
    if first is not None:
        part = np.concatenate([np.full(1, first, dtype), part])
    if part.size == 0:
        return part
    results = f.accumulate(part, dtype=dtype)
    return results if first is None else results[:-1] if exclusive else results[1:]


@cases(st.data())
def test_segments(data):
    op, dtype = drawn_operator(data)
    x = drawn_values(data, dtype, flat)
    n = x.array.size
    offsets = drawn_offsets(data, n)
    where = data.draw(target)
    note(f"{op} of {x} in segments {offsets.dtype} {offsets[:20]}, {offsets.size} in all, {where}")
    native = x.array.astype(dtype)
    have = on_targets(lambda where: heddle.segmented_reduce(x.array, offsets, op, target=where), where)
    assert have.dtype == dtype and have.shape == (offsets.size - 1,)
    pairs = [(int(a), int(b)) for a, b in zip(offsets, offsets[1:])]
    full = [k for k, (a, b) in enumerate(pairs) if b > a]
    want = [UFUNCS[op].reduce(native[pairs[k][0]:pairs[k][1]], dtype=dtype) for k in full]
    np.testing.assert_array_equal(have[full], np.array(want, dtype))
    exclusive, initial = data.draw(st.booleans()), data.draw(st.sampled_from([None, 1]))
    initial = 1 if exclusive else initial
    note(f"scan, exclusive {exclusive}, initial {initial}")

    def call(out, where):
        function = heddle.segmented_exclusive_scan if exclusive else heddle.segmented_inclusive_scan
        return function(x.array, offsets, op, initial=initial, out=out, target=where)

    have = on_targets(lambda where: call(None, where), where)
    ends = [0, *map(int, offsets), n]
    parts = [accumulated(UFUNCS[op], native[a:b], dtype, initial, exclusive) for a, b in zip(ends, ends[1:])]
    np.testing.assert_array_equal(have, np.concatenate([np.empty(0, dtype), *parts]))
    x.require_unchanged()
    check_out(data, call, have, x, where)


@cases(st.data())
def test_runs_of_keys(data):
    op, dtype = drawn_operator(data)
    keys = data.draw(arrays(st.sampled_from(REAL), shape=flat, kinds=["rising", "small", "zeros", "bits"]))
    n = keys.array.size
    values = drawn_values(data, dtype, (n,))
    where = data.draw(target)
    note(f"{op} of {values} by {keys} on {where}")
    have = on_targets(lambda where: heddle.reduce_by_key(keys.array, values.array, op, target=where), where)
    if isinstance(have, Exception):
        raise have
    native = values.array.astype(dtype)
    a, b = keys.array[1:], keys.array[:-1]
    starts = np.flatnonzero(np.append(np.ones(min(n, 1), bool), (a != b) & ~((a != a) & (b != b))))
    np.testing.assert_array_equal(have[0], keys.array[starts])
    assert have[0].dtype == keys.array.dtype and have[1].dtype == dtype
    parts = np.split(native, starts[1:]) if n else []
    np.testing.assert_array_equal(have[1], np.array([UFUNCS[op].reduce(part, dtype=dtype) for part in parts], dtype))
    exclusive = data.draw(st.booleans())
    initial = 1 if exclusive else data.draw(st.sampled_from([None, 1]))

    def call(out, where):
        function = heddle.exclusive_scan_by_key if exclusive else heddle.inclusive_scan_by_key
        return function(keys.array, values.array, op, initial=initial, out=out, target=where)

    scanned = on_targets(lambda where: call(None, where), where)
    want = [accumulated(UFUNCS[op], part, dtype, initial, exclusive) for part in parts]
    np.testing.assert_array_equal(scanned, np.concatenate([np.empty(0, dtype), *want]))
    keys.require_unchanged()
    values.require_unchanged()
    check_out(data, call, scanned, values, where)
