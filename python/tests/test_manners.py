"""What a package may expect of another one in its process."""

import gc
import os
import pathlib
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import heddle

FOLDER = str(pathlib.Path(heddle.__file__).parent.parent)
x = np.random.default_rng(1).random(2_000_000)
LONG_CALLS = {
    "sum": lambda: heddle.sum(x, target="serial"),
    "max along an axis": lambda: heddle.max(x.reshape(1000, 2000), axis=0, target="serial"),
    "cumsum": lambda: heddle.cumsum(x, target="serial"),
    "sort": lambda: heddle.sort(x, target="serial"),
    "argsort": lambda: heddle.argsort(x, target="serial"),
    "unique": lambda: heddle.unique(x, target="serial"),
    "fft": lambda: heddle.fft.rfft(x, target="serial"),
    "mean": lambda: heddle.mean(x, target="serial"),
    "argmax": lambda: heddle.argmax(x, target="serial"),
    "copy_if": lambda: heddle.copy_if(x, x > 0.5, target="serial"),
    "random": lambda: heddle.random.default_rng(1).random(2_000_000, target="serial"),
    "astype": lambda: heddle.asarray(x, dtype="float32"),
    "Array": lambda: heddle.asarray(x).on("serial"),
    "transform": lambda: heddle.transform("sqrt(a)", x, target="serial"),
}


def run_python(code, **environment):
    done = subprocess.run([sys.executable, "-c", code], env=os.environ | {"PYTHONPATH": FOLDER} | environment, capture_output=True, text=True,
                          timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("name", LONG_CALLS)
def test_another_thread_runs_during_a_call(name):
    # It takes the GIL by itself only after an hour, so that it runs when the call gives the GIL away and not else.
    call = LONG_CALLS[name]
    call()
    seen, begun, over = [], threading.Event(), threading.Event()

    def watch():
        begun.wait()
        while not over.is_set():
            seen.append(inside[0])
            time.sleep(0)

    inside = [False]
    before = sys.getswitchinterval()
    thread = threading.Thread(target=watch)
    thread.start()
    sys.setswitchinterval(3600)
    try:
        begun.set()
        # Whether the other thread gets a processor during the call is up to the system: again until it does.
        last = time.monotonic() + 200
        while time.monotonic() < last:
            inside[0] = True
            call()
            inside[0] = False
            if True in seen:
                break
    finally:
        sys.setswitchinterval(before)
        over.set()
        thread.join()
    assert True in seen


def test_importing_changes_nothing():
    assert run_python(
        "import locale, os, signal, sys, threading, warnings\nimport numpy\n"
        "def state():\n"
        "    return (dict(os.environ), os.getcwd(), os.umask(os.umask(0)), locale.setlocale(locale.LC_ALL), threading.active_count(),\n"
        "            len(os.listdir('/proc/self/task')), [signal.getsignal(n) for n in range(1, 32)], sys.getswitchinterval(),\n"
        "            numpy.geterr(), list(sys.path), len(warnings.filters), sys.getrecursionlimit(), os.sched_getaffinity(0))\n"
        "before = state()\nimport heddle\nprint(state() == before)\n") == "True\n"


def test_importing_prints_nothing_and_starts_nothing():
    have = subprocess.run([sys.executable, "-W", "error", "-X", "dev", "-c", "import heddle"], env=os.environ | {"PYTHONPATH": FOLDER},
                          capture_output=True, text=True, timeout=300)
    assert (have.returncode, have.stdout, have.stderr) == (0, "", "")


def test_importing_brings_no_other_package():
    have = run_python("import sys, numpy\nbefore = set(sys.modules)\nimport heddle\n"
                      "print(sorted({name.split('.')[0] for name in set(sys.modules) - before} - set(sys.stdlib_module_names) - {'numpy'}))")
    assert have == "['heddle']\n"


def test_the_rounding_of_a_process_is_left():
    # Nor are denormal numbers flushed.
    assert run_python("import numpy, heddle\nfor where in ('serial', 'parallel:2'):\n"
                      "    heddle.sum(numpy.ones(100_000), target=where); heddle.fft.fft(numpy.ones(1000), target=where)\n"
                      "    heddle.sort(numpy.ones(100_000), target=where)\n"
                      "print(float(numpy.float64(5e-324) * numpy.float64(1)), float(numpy.float64(1) / numpy.float64(3)) == 1 / 3)") == "5e-324 True\n"


def test_importing_again_is_the_same_package():
    assert run_python("import importlib, numpy, heddle\nfor _ in range(3): importlib.reload(heddle)\n"
                      "with heddle.target('parallel:2'): print(heddle._core.current_target())\n"
                      "print(float(heddle.sum(numpy.ones(3))))") == "parallel:2\n3.0\n"


def test_the_end_of_a_process_while_threads_call():
    assert run_python("import threading, time, numpy, heddle\nx = numpy.ones(200_000)\n"
                      "called = set()\n"
                      "def work(n):\n    while True:\n        heddle.sum(x, target='parallel:2')\n        called.add(n)\n"
                      "for n in range(3): threading.Thread(target=work, args=[n], daemon=True).start()\n"
                      "while len(called) < 3: time.sleep(0.01)\nprint('end')") == "end\n"


def test_arrays_at_the_end_of_a_process():
    have = subprocess.run([sys.executable, "-X", "dev", "-c",
                           "import numpy, heddle\nkept = heddle.asarray(numpy.ones(3)).on('serial')\nview = numpy.asarray(kept)\n"
                           "class Cycle: pass\nc = Cycle(); c.me = c; c.array = kept; c.target = heddle.Target('serial')\n"],
                          env=os.environ | {"PYTHONPATH": FOLDER}, capture_output=True, text=True, timeout=300)
    assert (have.returncode, have.stdout, have.stderr) == (0, "", "")


def test_a_cycle_through_an_array_is_collected():
    import weakref

    class Owner(np.ndarray):
        pass

    owner = np.ones(4).view(Owner)
    owner.kept = heddle.asarray(owner)
    alive = weakref.ref(owner)
    del owner
    gc.collect()
    assert alive() is None
