"""Calls that are made very often take no more memory at the end than after the first of them."""

import gc
import tracemalloc

import numpy as np
import pytest

import heddle

# How often each is called, and what the allocator and the interpreter may take for themselves meanwhile: a leak takes more, as the
# allocator gives no less than 32 bytes.
CALLS, MOST_BYTES = 100_000, 1 << 20
FEWER_CALLS, FEWER_BYTES = 5_000, 1 << 17

x = np.arange(8.0)
out = np.empty(8)
matrix = np.arange(12.0).reshape(3, 4)
offsets = np.array([0, 3, 8])
keys = np.array([1, 1, 2, 2, 2, 3, 3, 3])
array = heddle.asarray(x)


def raised(call):
    try:
        call()
    except (ValueError, TypeError, IndexError):
        return
    raise AssertionError("no error was raised")


ENTRIES = {
    "reduce": lambda: heddle.sum(x),
    "reduce along an axis": lambda: heddle.max(matrix, axis=1),
    "reduce in Fortran's order": lambda: heddle.sum(matrix.T, axis=0),
    "reduce into out": lambda: heddle.sum(matrix, axis=0, out=out[:4]),
    "reduce strided elements": lambda: heddle.sum(matrix[:, ::2]),
    "reduce in another type": lambda: heddle.sum(x, dtype="int32"),
    "reduce a list": lambda: heddle.sum([1, 2, 3]),
    "reduce with where": lambda: heddle.sum(x, where=x > 3),
    "mean": lambda: heddle.mean(x),
    "argmax": lambda: heddle.argmax(x),
    "any": lambda: heddle.any(x),
    "minmax": lambda: heddle.minmax(x),
    "scan": lambda: heddle.cumsum(x),
    "scan into out": lambda: heddle.cumsum(x, out=out),
    "exclusive scan": lambda: heddle.exclusive_scan(x),
    "sort": lambda: heddle.sort(x),
    "argsort": lambda: heddle.argsort(x),
    "top_k": lambda: heddle.top_k(x, 3),
    "quantile": lambda: heddle.quantile(x, [0.25, 0.5]),
    "median": lambda: heddle.median(x),
    "unique": lambda: heddle.unique(x),
    "searchsorted": lambda: heddle.searchsorted(x, 3.5),
    "histogram": lambda: heddle.histogram(x, bins=4),
    "copy_if": lambda: heddle.copy_if(x, x > 3),
    "partition": lambda: heddle.partition(x, x > 3),
    "segmented_reduce": lambda: heddle.segmented_reduce(x, offsets),
    "reduce_by_key": lambda: heddle.reduce_by_key(keys, x),
    "segmented scan": lambda: heddle.segmented_inclusive_scan(x, offsets),
    "scan by key": lambda: heddle.exclusive_scan_by_key(keys, x, out=out),
    "matmul": lambda: heddle.matmul(matrix, x[:4]),
    "fft": lambda: heddle.fft.rfft(x),
    "random": lambda: heddle.random.default_rng(1).random(8),
    "permutation": lambda: heddle.random.default_rng(1).permutation(8),
    "transform": lambda: heddle.transform("a + 1", x),
    "target": lambda: heddle.Target("parallel:2").threads,
    "with target": lambda: entered(),
    "Array of NumPy's": lambda: heddle.asarray(x),
    "Array of its own": lambda: heddle.asarray(x, copy=True),
    "Array converted": lambda: heddle.asarray(x, dtype="float32"),
    "Array summed": lambda: float(heddle.sum(array)),
    "Array sorted": lambda: heddle.sort(array),
    "Array to NumPy": lambda: np.asarray(array),
    "Array as text": lambda: str(array.shape) + str(array.dtype),
    "DLPack out": lambda: np.from_dlpack(array),
    "DLPack in": lambda: heddle.sum(Exporter()),
    "DLPack that nobody takes": lambda: array.__dlpack__(),
    "buffer": lambda: heddle.sum(memoryview(x)),
    "wrong axis": lambda: raised(lambda: heddle.sum(x, axis=1)),
    "wrong type": lambda: raised(lambda: heddle.sort(x.astype(complex))),
    "wrong target": lambda: raised(lambda: heddle.sum(x, target="nowhere")),
    "wrong out": lambda: raised(lambda: heddle.cumsum(x, out=out[:3])),
    "wrong expression": lambda: raised(lambda: heddle.transform("a +", x)),
    "wrong lengths": lambda: raised(lambda: heddle.matmul(matrix, x)),
    "wrong argument": lambda: raised(lambda: heddle.sum(object())),
}
# One of each kind; others are called less often.
OFTEN = {"reduce", "scan", "sort", "transform", "Array of NumPy's", "Array of its own", "DLPack out", "DLPack in", "wrong axis"}


class Exporter:
    """An array of a library that has DLPack and no buffers."""

    def __dlpack__(self, **keywords):
        return x.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return x.__dlpack_device__()


def entered():
    with heddle.target("serial"):
        heddle.sum(x)


def resident_bytes():
    """Of memory that is no file's: those come and go with what else the machine does. Exact, as statm is not."""
    with open("/proc/self/smaps_rollup") as file:
        return sum(int(line.split()[1]) << 10 for line in file if line.startswith("Anonymous:"))


def growth(measure, call, count, most):
    """Bytes that `count` calls leave behind: a leak leaves them every time, and what is kept once does not."""
    for _ in range(3):
        gc.collect()
        before = measure()
        for _ in range(count):
            call()
        gc.collect()
        left = measure() - before
        if left < most:
            break
    return left


@pytest.mark.parametrize("name", ENTRIES)
def test_nothing_stays(name):
    call = ENTRIES[name]
    count, most = (CALLS, MOST_BYTES) if name in OFTEN else (FEWER_CALLS, FEWER_BYTES)
    for _ in range(1000):
        call()
    assert growth(resident_bytes, call, count, most) < most


@pytest.mark.parametrize("name", ENTRIES)
def test_no_object_stays(name):
    for _ in range(10):
        ENTRIES[name]()
    tracemalloc.start()
    try:
        assert growth(lambda: tracemalloc.get_traced_memory()[0], ENTRIES[name], 500, 4000) < 4000
    finally:
        tracemalloc.stop()


def test_large_arrays_are_freed():
    large = np.ones(1 << 20)
    heddle.sort(large)
    before = resident_bytes()
    for _ in range(50):
        heddle.sort(large)
        heddle.asarray(large, copy=True)
        np.asarray(heddle.asarray(large).on("serial"))
    assert resident_bytes() - before < 4 * large.nbytes


def test_what_an_array_holds_is_freed_with_it():
    import weakref

    class Owner(np.ndarray):
        pass

    owner = np.ones(10).view(Owner)
    alive = weakref.ref(owner)
    array = heddle.asarray(owner)
    del owner
    gc.collect()
    view = np.asarray(array)
    assert alive() is not None and view[0] == 1
    del array
    gc.collect()
    assert alive() is not None
    del view
    gc.collect()
    assert alive() is None
