"""Arrays in and out: addresses, lifetimes, other libraries' protocols, targets, threads."""

import array
import asyncio
import copy
import gc
import os
import pathlib
import pickle
import subprocess
import sys
import threading
import tracemalloc

import numpy as np
import pytest

import heddle
from conftest import TYPES, numbers


def address(x):
    return x.__array_interface__["data"][0]


class Producer:
    """What has DLPack's methods and nothing else, as an array of another library."""

    def __init__(self, x):
        self.x = x

    def __dlpack__(self, **keywords):
        return self.x.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return self.x.__dlpack_device__()


@pytest.mark.parametrize("dtype", TYPES)
def test_asarray_copies_nothing(dtype):
    x = numbers(dtype, (3, 4))
    a = heddle.asarray(x)
    assert (a.shape, a.dtype, a.ndim, a.size, a.nbytes, a.device) == ((3, 4), x.dtype, 2, 12, x.nbytes, "cpu")
    assert address(np.asarray(a)) == address(x)
    assert address(np.from_dlpack(a)) == address(x)
    assert heddle.asarray(a) is a
    np.testing.assert_array_equal(np.asarray(a), x)
    x[0, 0] = 1
    assert np.asarray(a)[0, 0] == 1
    through = heddle.asarray(Producer(x))
    assert address(np.asarray(through)) == address(x)


def test_what_goes_in():
    for x in ([1, 2, 3], (1, 2, 3), range(1, 4), array.array("h", [1, 2, 3]), memoryview(np.array([1, 2, 3])), bytearray(b"\1\2\3")):
        assert int(heddle.sum(x)) == 6
    assert heddle.sum(2.5) == 2.5 and heddle.sum(np.float32(2.5)).dtype == np.float32 and heddle.sum(True) == 1
    assert isinstance(heddle.sum(Producer(np.ones(3))), heddle.Array)
    assert float(heddle.sum(Producer(np.ones((4, 6))[:, ::2]))) == 12
    class Refusing(Producer):
        def __dlpack__(self, **keywords):
            raise BufferError("not this one")

    with pytest.raises(BufferError, match="not this one"):
        heddle.sum(Refusing(np.ones(3)))
    for wrong in ("text", [object()], np.zeros(3, "datetime64[s]"), np.zeros(2, [("a", int)]), np.zeros(3, np.float16), {1: 2},
                  np.ma.masked_array([1, 2], [True, False])):
        with pytest.raises(TypeError):
            heddle.sum(wrong)
    with pytest.raises(ValueError):
        heddle.sum([[1, 2], [3]])


def test_read_only_arrays():
    x = np.arange(4.0)
    x.flags.writeable = False
    assert heddle.sum(x) == 6
    a = heddle.asarray(x)
    assert not np.asarray(a).flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        heddle.cumsum(np.zeros(4), out=a)
    with pytest.raises(BufferError):
        a.__dlpack__()


def test_copies_on_demand():
    x = np.arange(4.0)
    copied = heddle.asarray(x, copy=True)
    assert address(np.asarray(copied)) != address(x)
    assert heddle.asarray(x, "float32").dtype == np.float32
    with pytest.raises(ValueError, match="without a copy"):
        heddle.asarray(x, "float32", copy=False)
    a = heddle.asarray(x)
    assert address(np.asarray(a, copy=True)) != address(x)
    assert np.asarray(a, dtype="int8").dtype == np.int8
    with pytest.raises(ValueError, match="the array cannot be had without a copy"):
        a.__array__("int8", copy=False)
    assert address(a.__array__("float64", copy=False)) == address(x)
    assert address(np.asarray(a.on("serial"))) != address(x)
    assert a.to_device("cpu") is a
    with pytest.raises(ValueError, match="cannot live on"):
        a.on("auto")


def test_outputs_are_written_where_they_are():
    x, out = np.arange(1000.0).reshape(10, 100), np.zeros((10, 100))
    before = address(out)
    tracemalloc.start()
    heddle.cumsum(x, 1, out=out)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert address(out) == before and peak < x.nbytes
    result = heddle.asarray(np.zeros(100))
    assert heddle.sum(x, 0, out=result) is result
    np.testing.assert_array_equal(np.asarray(result), x.sum(0))
    narrow = heddle.asarray(np.zeros(100, np.float32))
    heddle.max(x, 0, out=narrow)
    np.testing.assert_array_equal(np.asarray(narrow), x.max(0))


def test_transposed_arrays_are_not_copied_for_one_axis():
    x = np.random.default_rng(1).random((200, 300))
    for call in (lambda y, k: heddle.sum(y, k), lambda y, k: heddle.max(y, k, keepdims=True), lambda y, k: heddle.argmin(y, k),
                 lambda y, k: heddle.any(y, k), lambda y, k: heddle.var(y, k)):
        for axis in (0, 1, -1):
            tracemalloc.start()
            have = call(x.T, axis)
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            assert peak < x.nbytes / 4
            # The bits of a row are those of the row alone.
            np.testing.assert_array_equal(have, call(np.ascontiguousarray(x.T), axis))


def test_arrays_give_arrays():
    x = np.random.default_rng(1).random((4, 5, 6))
    a = heddle.asarray(x)
    for name in ("sum", "prod", "min", "max", "mean", "var", "std", "any", "all"):
        for axis in (None, 1, (0, 2)):
            have = getattr(heddle, name)(a, axis)
            assert isinstance(have, heddle.Array)
            np.testing.assert_allclose(np.asarray(have), getattr(np, name)(x, axis), rtol=1e-12)
    for name in ("sort", "argsort", "cumsum", "cumprod"):
        have = getattr(heddle, name)(a, 1)
        assert isinstance(have, heddle.Array)
        np.testing.assert_allclose(np.asarray(have), getattr(np, name)(x, 1), rtol=1e-12)


def test_other_functions_of_arrays_give_arrays():
    x = np.random.default_rng(1).random((4, 6))
    a, mask = heddle.asarray(x), x > 0.5
    pairs = [(heddle.unique(a), np.unique(x)), (heddle.argmax(a, 0), np.argmax(x, 0)),
             (heddle.sum(a, 1, where=mask), x.sum(1, where=mask)), (heddle.mean(a, 1, where=mask), x.mean(1, where=mask)),
             (heddle.copy_if(a, mask), x[mask]), (heddle.partition(a, mask)[0], np.concatenate([x[mask], x[~mask]])),
             (heddle.histogram(a, 5)[0], np.histogram(x, 5)[0]), (heddle.matmul(a, x.T), x @ x.T),
             (heddle.unique(a, return_counts=True)[1], np.unique(x, return_counts=True)[1]),
             (heddle.searchsorted(heddle.sort(a, None), x), np.searchsorted(np.sort(x, None), x)),
             (heddle.cumulative_sum(a, axis=0, include_initial=True), np.cumulative_sum(x, axis=0, include_initial=True)),
             (heddle.cumsum(heddle.asarray(np.ones(3, np.int8))), np.arange(1, 4)),
             (heddle.segmented_reduce(a, [0, 24]), [x.sum()]), (heddle.reduce(a, "maximum", axis=0), x.max(0)),
             (heddle.exclusive_scan(a), np.append(0, np.cumsum(x))[:-1])]
    for have, want in pairs:
        assert isinstance(have, heddle.Array)
        np.testing.assert_allclose(np.asarray(have).reshape(np.shape(want)), want, rtol=1e-12)


def test_arrays_of_other_libraries_give_arrays():
    x = np.random.default_rng(1).random((4, 6))
    other, mask = Producer(x), x > 0.5
    out = heddle.asarray(other)
    assert heddle.cumsum(np.ones(24), out=heddle.asarray(Producer(np.zeros(24)))).size == 24
    assert out.shape == (4, 6)
    pairs = [(heddle.sum(other, (0, 1)), x.sum()), (heddle.sum(other, 1, where=mask), x.sum(1, where=mask)),
             (heddle.mean(other, 1, where=mask), x.mean(1, where=mask)), (heddle.var(other, 1, ddof=0.5), x.var(1, ddof=0.5)),
             (heddle.std(other), x.std()), (heddle.matmul(other, Producer(np.ascontiguousarray(x.T))), x @ x.T),
             (heddle.histogram(other, 5)[0], np.histogram(x, 5)[0]), (heddle.fft.rfft(other, 7), np.fft.rfft(x, 7)),
             (heddle.unique(other, return_counts=True)[0], np.unique(x)), (heddle.copy_if(other, mask), x[mask]),
             (heddle.cumulative_sum(other, axis=1, include_initial=True), np.cumulative_sum(x, axis=1, include_initial=True))]
    for have, want in pairs:
        assert isinstance(have, heddle.Array)
        np.testing.assert_allclose(np.asarray(have), want, rtol=1e-12)
    fixed = np.arange(3.0)
    fixed.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        heddle.cumsum(np.ones(3), out=heddle.asarray(Producer(fixed)))


def test_numbers_of_an_array():
    a = heddle.asarray(np.array([3]))
    assert (int(a), float(a), complex(a), bool(a), len(a), a.item(), [0, 1, 2, 3][a]) == (3, 3.0, 3, True, 1, 3, 3)
    with pytest.raises(TypeError, match="one element"):
        float(heddle.asarray([1, 2]))
    with pytest.raises(TypeError, match="no length"):
        len(heddle.asarray(1))
    assert repr(a) == "heddle.Array([3], dtype=int64, device='cpu')"
    assert not hasattr(a, "__cuda_array_interface__")
    assert a.__dlpack_device__() == (1, 0)


def test_dlpack_names_a_device():
    x = np.arange(4.0)
    a = heddle.asarray(x)

    class On(Producer):
        """NumPy asks for a device only where it knows of it."""

        def __dlpack__(self, **keywords):
            return self.x.__dlpack__(**{"dl_device": (1, 0), **keywords})

    assert address(np.from_dlpack(On(a))) == address(x)
    with pytest.raises(BufferError, match="dl_device is neither a CPU nor a GPU of CUDA's"):
        a.__dlpack__(dl_device=(4, 0))
    with pytest.raises(BufferError, match="the array is on serial, and copy is False"):
        a.__dlpack__(dl_device=(2, 0), copy=False)


@pytest.mark.parametrize("dtype", TYPES)
def test_pickles(dtype):
    x = numbers(dtype, (3, 0, 2)) if dtype == "int8" else numbers(dtype, (3, 4))
    for again in (pickle.loads(pickle.dumps(heddle.asarray(x))), copy.deepcopy(heddle.asarray(x))):
        assert isinstance(again, heddle.Array) and again.dtype == x.dtype
        np.testing.assert_array_equal(np.asarray(again), x)
    assert pickle.loads(pickle.dumps(heddle.Target("parallel:2"))) == heddle.Target("parallel:2")


def test_elements_live_as_long_as_they_are_seen():
    def views():
        sums = heddle.asarray(np.arange(1000.0), copy=True)
        yield np.asarray(sums)
        yield np.from_dlpack(sums)
        yield np.asarray(heddle.asarray(np.arange(1000.0)))
        yield heddle.cumsum(np.arange(1000, dtype=np.int16)) * 0 + np.arange(1000)
        yield heddle.argsort(np.arange(1000))

    all_views = list(views())
    gc.collect()
    filler = [np.full(1000, 7.0) for _ in range(100)]
    for view in all_views:
        np.testing.assert_array_equal(view, np.arange(1000))
    del filler


def test_errors_leak_nothing():
    x = np.ones(5)
    for _ in range(100):
        with pytest.raises(ValueError):
            heddle.sum(x, axis=3)
    count = sys.getrefcount(x)
    for _ in range(100):
        with pytest.raises(ValueError):
            heddle.sum(x, axis=0, out=np.zeros(7))
    assert sys.getrefcount(x) == count


def test_threads_at_once():
    x = np.random.default_rng(1).random(200_000)
    want, wrong = heddle.sum(x, target="serial"), []

    def work(where):
        with heddle.target(where):
            for _ in range(50):
                if heddle.sum(x) != want or heddle.cumsum(x[:100])[-1] != heddle.cumsum(x[:100], target="serial")[-1]:
                    wrong.append(where)

    threads = [threading.Thread(target=work, args=(where,)) for where in ("serial", "parallel:2", "auto", "parallel:3")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_targets():
    serial, two = heddle.Target("serial"), heddle.Target("parallel:2")
    assert (serial.kind, two.kind, two.threads, str(two), repr(two)) == ("serial", "parallel", 2, "parallel:2", "heddle.Target('parallel:2')")
    assert two == heddle.Target("parallel:2") and two != serial and len({two, heddle.Target("parallel:2")}) == 1
    assert serial in heddle.Target.available()
    for wrong in ("cuda", "parallel:0", "parallel:x", "gpu:-1"):
        with pytest.raises(ValueError):
            heddle.sum([1], target=wrong)
        with pytest.raises(ValueError):
            heddle.target(wrong)
    with pytest.raises(TypeError, match="heddle.Target"):
        heddle.sum([1], target=3)
    with pytest.raises(ValueError, match="only a GPU has streams"):
        heddle.Target("serial", stream=1)


def test_a_gpu_that_is_not_there_is_an_error_of_heddles():
    if any(where.kind == "gpu" for where in heddle.Target.available()):
        pytest.skip("there is a GPU")
    with pytest.raises(heddle.Error, match="GPU"):
        heddle.sum([1], target="gpu")


def test_the_enclosing_target_is_that_of_the_task():
    seen = heddle._core.current_target
    with heddle.target("parallel:2") as where:
        assert seen() == where
        with heddle.target(heddle.Target("serial")):
            assert seen() == heddle.Target("serial")
        assert seen() == where
        other = []
        thread = threading.Thread(target=lambda: other.append(seen()))
        thread.start()
        thread.join()
        assert other == [heddle.Target("auto")]

    async def task(text, all_are_in):
        with heddle.target(text):
            await all_are_in.wait()
            return str(seen())

    async def both():
        all_are_in = asyncio.Event()
        tasks = [asyncio.create_task(task(text, all_are_in)) for text in ("serial", "parallel:3")]
        await asyncio.sleep(0)
        all_are_in.set()
        return await asyncio.gather(*tasks)

    assert asyncio.run(both()) == ["serial", "parallel:3"]


def test_one_target_object_is_entered_by_several():
    again, wrong = heddle.target("parallel:2"), []

    def work():
        for _ in range(2000):
            with again as where:
                if heddle._core.current_target() != where:
                    wrong.append(where)
            if heddle._core.current_target() != heddle.Target("auto"):
                wrong.append("left")

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    again = heddle.target("serial")
    with again, again:
        assert heddle._core.current_target() == heddle.Target("serial")
    assert heddle._core.current_target() == heddle.Target("auto")


def run_python(code, **environment):
    return subprocess.run([sys.executable, "-c", code], env=os.environ | environment, capture_output=True, text=True, timeout=60)


def test_the_environment_names_a_target():
    code = "import heddle; print(heddle._core.current_target())"
    assert run_python(code, HEDDLE_TARGET="parallel:2").stdout == "parallel:2\n"
    assert run_python(code, HEDDLE_TARGET="").stdout == "auto\n"
    wrong = run_python(code, HEDDLE_TARGET="fast")
    assert 'ValueError: target "fast": use serial' in wrong.stderr


def test_memory_that_is_not_there():
    code = ("import os, resource, numpy, heddle\nx = numpy.ones(20_000_000)\n"
            "used = int(open('/proc/self/statm').read().split()[0]) * os.sysconf('SC_PAGE_SIZE')\n"
            "resource.setrlimit(resource.RLIMIT_AS, (used + (100 << 20),) * 2)\n"
            "try:\n    heddle.argsort(x, target='serial')\n"
            "except MemoryError as e:\n    print(e)")
    done = run_python(code)
    assert done.stdout.startswith("argsort: 20000000 ") and "out of memory" in done.stdout, done.stdout + done.stderr


def test_the_package_runs_as_the_command():
    command = pathlib.Path(heddle.__file__).parent / "bin" / "heddle"
    done = subprocess.run([sys.executable, "-m", "heddle", "--version"], capture_output=True, text=True, timeout=60)
    if command.exists():
        assert (done.returncode, heddle.__version__ in done.stdout) == (0, True), done.stderr
    else:
        assert done.returncode == 1 and "HEDDLE_BUILD_CLI=ON" in done.stderr


def test_help_and_signatures():
    import inspect

    for name in heddle.__all__:
        thing = getattr(heddle, name)
        if inspect.isfunction(thing):
            parameters = inspect.signature(thing).parameters
            assert name in ("asarray", "check", "vectorize") or "target" in parameters
            original = getattr(np, name, None)
            if callable(original) and name not in ("matmul", "asarray", "partition", "vectorize"):
                # Of NumPy 2.5 and later.
                names = [n for n in inspect.signature(original).parameters if n != "descending"]
                assert names == [n for n in parameters if n != "target"], name


def test_copy_is_refused_where_it_is_not_to_be_made():
    x = np.arange(6.0)
    assert np.shares_memory(np.asarray(heddle.asarray(x, copy=False)), x)
    for y in (x[::2], x.astype(">f8"), np.frombuffer(bytearray(17), np.uint8)[1:].view(np.float64)):
        with pytest.raises(ValueError, match="without a copy"):
            heddle.asarray(y, copy=False)


def test_an_array_without_axes_is_formatted_as_a_number():
    total = heddle.sum(heddle.asarray([1.0, 2.5]))
    assert f"{total:.2f}" == "3.50" and f"{heddle.sum(heddle.asarray([1, 2])):>4d}" == "   3"
    x = heddle.asarray([1.0, 2.0])
    assert f"{x}" == str(x)
    with pytest.raises(TypeError, match="without axes"):
        f"{x:.2f}"


def test_sequences_are_not_repeated_by_an_array():
    two = heddle.asarray(2)
    for sequence in ([1, 2], (1, 2), "a", b"a"):
        for product in (lambda: two * sequence, lambda: sequence * two):
            with pytest.raises(TypeError, match="asarray"):
                product()
    assert two not in [[1, 2]]


@pytest.mark.parametrize("name", ["GPU", "cpu", "gpu:x", "Serial"])
def test_a_target_that_is_misspelt_is_a_wrong_value(name):
    with pytest.raises(ValueError, match="target"):
        heddle.sum([1], target=name)


@pytest.mark.parametrize("where", [None, "x", np.array([1, 0, 1, 0])])
@pytest.mark.parametrize("function", ["sum", "mean", "var", "any"])
def test_where_is_made_of_bools(function, where):
    with pytest.raises(TypeError, match="bool"):
        getattr(heddle, function)(np.arange(4.0), where=where)
