"""What makes a result right beside NumPy's."""
import warnings

import numpy as np

import heddle

ERRORS = (np.exceptions.AxisError, TypeError, ValueError, IndexError, OverflowError)


def outcome(call):
    """The result, or the error."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return call()
        except ERRORS as error:
            return error


def is_error(have, want):
    """Whether both are errors of one kind; an error alone is raised."""
    if isinstance(want, Exception):
        kind = next(kind for kind in ERRORS if isinstance(want, kind))
        assert isinstance(have, kind), f"{have!r} instead of {want!r}"
        return True
    if isinstance(have, Exception):
        raise have
    return False


def same_form(have, want):
    assert type(have) is type(want), f"{type(have)} instead of {type(want)}"
    assert have.dtype == want.dtype and have.shape == want.shape, f"{have.dtype}{have.shape}, not {want.dtype}{want.shape}"


def same(have, want):
    """The class, type, shape and numbers of NumPy's result, or its kind of error. NaNs are equal, and so are zeros."""
    if is_error(have, want):
        return
    same_form(have, want)
    np.testing.assert_array_equal(have, want)


def bits(x):
    return (x.dtype, x.shape, np.ascontiguousarray(x).tobytes())


def on_targets(call, target):
    """The result of one core, which another target must have to the last bit."""
    have = outcome(lambda: call("serial"))
    other = outcome(lambda: call(target))
    if isinstance(have, Exception) or isinstance(other, Exception):
        assert type(have) is type(other), f"serial {have!r}, {target} {other!r}"
        return have
    for a, b in zip(*(x if isinstance(x, tuple) else (x,) for x in (have, other))):
        assert bits(np.asarray(a)) == bits(np.asarray(b)), f"serial and {target} differ: {a!r} {b!r}"
    return have


def parts(x):
    return (x.real, x.imag) if np.iscomplexobj(x) else (x,)


def wide(x):
    return x.astype(np.longdouble)


def near_sums(have, x, combine, count, narrow=None):
    """Whether floating-point sums are within what any order of additions may give.

    `combine` sums an array in whatever groups; `count` bounds the additions of a group.
    """
    x = np.asarray(x)
    eps = np.finfo(have.dtype).eps
    largest = float(np.finfo(have.dtype if narrow is None else narrow).max)
    for got, part in zip(parts(np.asarray(have)), parts(x)):
        with np.errstate(all="ignore"):
            exact = np.asarray(combine(wide(part)))
            finite = np.where(np.isfinite(part), wide(part), 0)
            total = np.asarray(combine(np.abs(finite)))
        certain = total < largest / 2
        got = np.broadcast_to(got, exact.shape)
        np.testing.assert_array_equal(np.isnan(got)[certain], np.isnan(exact)[certain])
        infinite = certain & np.isinf(exact)
        np.testing.assert_array_equal(got[infinite], exact[infinite])
        held = certain & np.isfinite(exact)
        with np.errstate(all="ignore"):
            error = np.abs(wide(got) - exact)
            bound = eps * (count + 2) * total + np.finfo(have.dtype).smallest_subnormal
        wrong = held & ~(error <= bound)
        assert not wrong.any(), f"{got[wrong][:4]} instead of {exact[wrong][:4]}, further than {bound[wrong][:4]}"


def holds(result_type, out_type):
    return np.can_cast(result_type, out_type, "same_kind")


def into_out(call, result, out, target, inputs=()):
    """A call with `out` writes the result, converted once, and nothing else; or raises TypeError and writes nothing."""
    before = out.array.copy()
    have = outcome(lambda: call(out.array, target))
    out.require_red_zone()
    if not holds(result.dtype, out.array.dtype):
        assert isinstance(have, TypeError), f"{have!r} instead of TypeError for {result.dtype} into {out}"
        assert bits(out.array) == bits(before)
        return False
    if isinstance(have, Exception):
        raise have
    assert have is out.array
    for x in inputs:
        x.require_unchanged()
    return True


def names_target(function, *arguments, **keywords):
    return lambda target: getattr(heddle, function)(*arguments, target=target, **keywords)
