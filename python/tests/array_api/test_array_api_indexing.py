"""Reading and writing elements of heddle.Array by indices, slices and arrays, against NumPy."""

import numpy as np
import pytest

from conftest import TYPES, numbers
from heddle import array_api as xp
from test_array_api import equal

KEYS = [0, -1, 3, slice(None), slice(1, 3), slice(None, None, -1), slice(5, 1, -2), slice(2, 2), ..., None, (), (0, 1), (..., 0), (None, 0),
        (slice(1, None), ..., None), (0, ..., slice(None, None, 2)), (slice(0, 3, 2), 1), (1, 2, 3), (-1, None, slice(1)), (None, ..., None)]
ARRAY_KEYS = [np.array([0, 2, 1, 0]), np.array([[0, -1], [1, 1]]), np.array(2), (np.array([0, 1]), np.array([1, 2])), (np.array([[0], [1]]), 2),
              (slice(None), np.array([3, 0], np.int8)), (..., np.array([], np.int64)), (0, np.array([1, 2], np.uint8), slice(1, 3)),
              np.arange(4 * 5 * 6).reshape(4, 5, 6) % 3 == 0, np.array([True, False, True, True]), np.zeros((4, 5), bool), np.array(True)]
WRONG_KEYS = [4, -5, (0, 0, 0, 0), (..., ...), 1.5, np.array([4]), np.array([True, False]), np.array([0.5]), (0, 9), "x"]


def to_heddle(key):
    if isinstance(key, tuple):
        return tuple(to_heddle(k) for k in key)
    return xp.asarray(key) if isinstance(key, np.ndarray) else key


@pytest.mark.parametrize("dtype", ["bool", "int8", "float32", "complex128"])
def test_getitem_is_a_copy(dtype):
    x = numbers(dtype, (4, 5, 6))
    a = xp.asarray(x)
    for key in KEYS + ARRAY_KEYS:
        have = a[to_heddle(key)]
        equal(have, x[key])
        assert not np.shares_memory(np.asarray(have), x)
    equal(xp.asarray(3.5)[()], np.float64(3.5))
    assert [float(row) for row in xp.asarray([1.0, 2.0])] == [1, 2]
    with pytest.raises(TypeError, match="without axes"):
        iter(xp.asarray(1))


@pytest.mark.parametrize("dtype", TYPES)
def test_setitem_writes_to_the_memory(dtype):
    for key in KEYS + ARRAY_KEYS:
        x = numbers(dtype, (4, 5, 6))
        a, alias = xp.asarray(x, copy=True), None
        alias = np.asarray(a)
        part = numbers(dtype, x[key].shape, 5)
        for value, given in ((part, xp.asarray(part)), (part, part), (True, True), (x.dtype.type(1), x.dtype.type(1))):
            x[key] = value
            a[to_heddle(key)] = given
            np.testing.assert_array_equal(alias, x)


def test_setitem_refuses_what_does_not_fit():
    x = xp.asarray([1, 2, 3])
    for value in (1.5, 2j, xp.asarray(1.0), np.float32(1)):
        with pytest.raises(TypeError, match="does not fit"):
            x[0] = value
    for value, error in ((2**70, OverflowError), (xp.asarray([1, 2]), ValueError), ("text", TypeError), (None, TypeError)):
        with pytest.raises(error):
            x[:] = value
    assert np.asarray(x).tolist() == [1, 2, 3]
    fixed = np.arange(3)
    fixed.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        xp.asarray(fixed)[0] = 1


@pytest.mark.parametrize("key", WRONG_KEYS, ids=str)
def test_wrong_keys_are_index_errors(key):
    a = xp.zeros((4, 5, 6))
    with pytest.raises(IndexError):
        a[to_heddle(key)]
    with pytest.raises(IndexError):
        a[to_heddle(key)] = 1
