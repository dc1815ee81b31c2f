"""Many threads that call at once, with arrays of their own and with the same ones."""

import os
import random
import sys
import sysconfig
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import heddle

THREADS = 8
ROUNDS = 20


def together(work, threads=THREADS):
    """The results of work(0), work(1), …, which begin at the same time."""
    ready = threading.Barrier(threads)

    def begin(number):
        ready.wait(timeout=60)
        return work(number)

    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(begin, range(threads)))


def calls(x):
    """Calls of every kind with what NumPy says of them."""
    order = np.argsort(x, kind="stable")
    return [
        (lambda where: heddle.sum(x, target=where), x.sum()),
        (lambda where: heddle.max(x, axis=0, target=where), x.max(axis=0)),
        (lambda where: heddle.mean(x, target=where), x.mean()),
        (lambda where: heddle.argmin(x, target=where), x.argmin()),
        (lambda where: heddle.cumsum(x, target=where), x.cumsum()),
        (lambda where: heddle.sort(x, target=where), x[order]),
        (lambda where: heddle.argsort(x, target=where), order),
        (lambda where: heddle.unique(x, target=where), np.unique(x)),
        (lambda where: heddle.searchsorted(x[order], x[:100], target=where), np.searchsorted(x[order], x[:100])),
        (lambda where: heddle.histogram(x, bins=16, target=where)[0], np.histogram(x, bins=16)[0]),
        (lambda where: heddle.copy_if(x, x > 0, target=where), x[x > 0]),
        (lambda where: np.asarray(heddle.sort(heddle.asarray(x), target=where)), x[order]),
    ]


def whole_numbers(seed, size=20_000):
    """Whose sums are exact in every order."""
    return np.random.default_rng(seed).integers(-1000, 1000, size).astype(np.float64)


@pytest.mark.parametrize("is_shared", [True, False], ids=["shared", "own"])
def test_calls_at_once(is_shared):
    shared = calls(whole_numbers(0))

    def work(number):
        mine = shared if is_shared else calls(whole_numbers(number))
        turns = random.Random(number)
        for _ in range(ROUNDS):
            call, want = turns.choice(mine)
            np.testing.assert_allclose(call(turns.choice(["serial", "parallel:2", "parallel:3", None])), want, rtol=1e-12)
        return True

    assert together(work) == [True] * THREADS


def test_transforms_at_once():
    # One expression is compiled by the first of them, and the kernel is shared.
    x = whole_numbers(1)

    def work(number):
        for _ in range(ROUNDS):
            assert (heddle.transform("a * 2 + b", x, np.float64(number), target="serial") == x * 2 + number).all()
        return True

    assert together(work) == [True] * THREADS


def test_fourier_transforms_at_once():
    x = whole_numbers(2, 4096)
    want = np.fft.rfft(x)

    def work(number):
        for length in (4096, 1000 + number, 4096):
            np.testing.assert_allclose(heddle.fft.rfft(x, length), np.fft.rfft(x, length), atol=1e-7)
        return np.allclose(heddle.fft.rfft(x), want)

    assert together(work) == [True] * THREADS


def test_products_at_once():
    a = whole_numbers(3, 64 * 48).reshape(64, 48)
    want = a @ a.T

    def work(_):
        return all((heddle.matmul(a, a.T.copy()) == want).all() for _ in range(ROUNDS))

    assert together(work) == [True] * THREADS


def test_one_array_is_read_by_all():
    x = whole_numbers(4)
    array = heddle.asarray(x)

    def work(_):
        for _ in range(ROUNDS):
            assert array.shape == x.shape and array.dtype == x.dtype and array.nbytes == x.nbytes
            assert np.shares_memory(np.asarray(array), x)
            assert np.shares_memory(np.from_dlpack(array), x)
            assert float(heddle.sum(array)) == x.sum()
            assert (np.asarray(array.on("serial")) == x).all()
            assert repr(array).startswith("heddle.Array(")
        return True

    assert together(work) == [True] * THREADS


def test_arrays_are_made_in_one_thread_and_freed_in_another():
    made = together(lambda number: [heddle.asarray(np.full(100, number)).on("serial") for _ in range(100)])
    expected = [100.0 * number for number in range(THREADS)]

    def work(number):
        mine = made[(number + 1) % THREADS]
        total = {float(heddle.sum(x)) for x in mine}
        mine.clear()
        return total

    assert together(work) == [{expected[(number + 1) % THREADS]} for number in range(THREADS)]


def test_each_thread_has_its_target():
    def work(number):
        text = f"parallel:{number + 1}"
        for _ in range(200):
            with heddle.target(text) as where:
                assert str(heddle._core.current_target()) == text and where.threads == number + 1
            assert heddle._core.current_target() == heddle.Target("auto")
        return True

    assert together(work) == [True] * THREADS


def test_errors_at_once():
    x = np.zeros((2, 3))

    def work(_):
        for _ in range(200):
            with pytest.raises(np.exceptions.AxisError):
                heddle.sum(x, axis=2)
            with pytest.raises(TypeError):
                heddle.sort(np.zeros(3, dtype=np.complex128))
            with pytest.raises(ValueError):
                heddle.sum(x, target="nowhere")
        return True

    assert together(work) == [True] * THREADS


def test_a_generator_gives_each_number_once():
    generator = heddle.random.default_rng(5)
    taken = together(lambda _: np.concatenate([generator.random(50) for _ in range(20)]))
    want = heddle.random.default_rng(5).random(THREADS * 1000)
    assert (np.sort(np.concatenate(taken)) == np.sort(want)).all()


def test_a_first_call_from_every_thread():
    # What is set up once a process: targets, kernels of the processor, threads.
    import subprocess

    code = ("import threading, numpy, heddle\nx = numpy.ones(100_000)\nready = threading.Barrier(8)\nfound = []\n"
            "def work():\n    ready.wait()\n    found.append(float(heddle.sum(x, target='parallel:2')))\n"
            "threads = [threading.Thread(target=work) for _ in range(8)]\n[t.start() for t in threads]\n[t.join() for t in threads]\n"
            "print(found == [1e5] * 8)")
    done = subprocess.run([sys.executable, "-c", code], env=os.environ, capture_output=True, text=True, timeout=120)
    assert done.stdout == "True\n", done.stderr


@pytest.mark.skipif(not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="this Python has the GIL")
def test_the_gil_stays_off():
    assert not sys._is_gil_enabled()
