"""Ctrl-C: SIGINT, as a terminal sends it, while a call runs in another process.

No test asserts a time. A call that lasts far longer than its limit here, and is not stopped, fails by that limit.
"""

import os
import signal
import subprocess
import sys
import textwrap

import pytest

# What a child runs: it says when the call begins, and what has become of it.
PROGRAM = """
import os, signal, sys, threading
import numpy as np
import heddle

{setup}
heddle.sum(np.zeros(1 << 20), target="parallel:2")
try:
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    while True:
        {call}
except KeyboardInterrupt:
    print("interrupted")
{after}
"""


def run(setup, call, after=""):
    program = PROGRAM.format(setup=textwrap.dedent(setup), call=call, after=textwrap.dedent(after))
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120,
                           preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler), env=os.environ)
    assert ended.returncode == 0, ended.stderr
    lines = ended.stdout.splitlines()
    assert lines[0] == "interrupted"
    return lines[1:]


# Each takes hours, so that only a stop between steps ends it.
@pytest.mark.parametrize("make, call, state", [
    ("sim = heddle.Life.random((1024, 1024), target={!r})", "sim.step(10**12)", "sim.generation"),
    ("sim = heddle.Life.random((64, 64), target={!r})", "sim.period(10**12)", "sim.generation"),
    ("sim = heddle.LatticeBoltzmann('cavity', shape=(256, 256), target={!r})", "sim.step(10**10)", "sim.steps"),
    ("sim = heddle.LatticeBoltzmann('cavity', shape=(256, 256), target={!r})", "sim.until_steady(0.0)", "sim.steps"),
    ("sim = heddle.Laplace.sine((512, 512), method='jacobi', target={!r})", "sim.step(10**10)", "sim.iterations"),
    ("sim = heddle.Laplace.sine((512, 512), method='jacobi', target={!r})", "sim.solve(0, max_iterations=10**10)", "sim.iterations"),
], ids=["life", "period", "flow", "steady", "laplace", "solve"])
@pytest.mark.parametrize("target", ["serial", "parallel:2"])
def test_simulations_stop_between_steps(make, call, state, target):
    setup = "sim = None\n" + make.format(target)
    # What has been done stays, and it goes on from there.
    after = f"done = {state}; sim.step(1); print(done > 0, {state} == done + 1)"
    assert run(setup, call, after) == ["True True"]


@pytest.mark.parametrize("target", ["serial", "parallel:2"])
def test_functions_stop_between_pieces(target):
    assert run("", f"heddle.pi(1e15, target={target!r})") == []
    assert run("", f"heddle.mandelbrot(20000, 20000, iterations=10**9, view=(-1.8, -1.7, -0.03, 0.03), target={target!r})") == []


# These write to an array that is there already; each is called again and again, and none of its calls ends after the signal.
PATTERNS = {
    "cumsum": ("x = np.ones(1 << 26, np.float32); out = np.zeros(1 << 26, np.float32)", "heddle.cumsum(x, out=out, target={!r})"),
    "sort": ("x = np.random.default_rng(0).integers(0, 2**60, 1 << 25)", "heddle.sort(x, target={!r})"),
    "sum": ("x = np.ones(1 << 26, np.int8)", "heddle.sum(x, target={!r})"),
    "histogram": ("x = np.random.default_rng(0).random(1 << 25, np.float32)", "heddle.histogram(x, 100, target={!r})"),
    "matmul": ("x = np.ones((1500, 1500), np.float32)", "heddle.matmul(x, x, target={!r})"),
}


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("target", ["serial", "parallel:2"])
def test_patterns_are_interrupted_and_work_afterwards(pattern, target):
    setup, call = PATTERNS[pattern]
    after = f"print(float(heddle.sum(np.ones(1 << 21), target={target!r})), heddle.cumsum(np.ones(1 << 20), target={target!r})[-1])"
    assert run(setup, call.format(target), after) == ["2097152.0 1048576.0"]


SLOW = """
@heddle.vectorize
def slow(x):
    k = 0
    while k < 3000000 + x:
        k += 1 + k % 2
    return k
x = np.arange(200000)
slow(x[:1], target="serial")
"""


@pytest.mark.parametrize("target", ["serial", "parallel:2"])
def test_functions_of_slow_elements_are_interrupted(target, tmp_path):
    """Each element takes milliseconds, and the call many minutes."""
    (tmp_path / "slow.py").write_text("import heddle, numpy as np" + SLOW)
    setup = f"sys.path.insert(0, {str(tmp_path)!r}); from slow import slow, x"
    assert run(setup, f"slow(x, target={target!r}); print('ended')") == []


def test_a_sort_is_left_in_the_middle():
    """One sort that is called once: it ends by the exception alone, as its result would be printed."""
    assert run("x = np.random.default_rng(0).integers(0, 2**60, 1 << 26)",
               "heddle.sort(x, target='parallel:2'); print('sorted')") == []


def test_other_threads_go_on():
    """The signal is the main thread's: a call of another one ends with its result."""
    setup = """
    x = np.ones(1 << 22)
    found = []
    other = threading.Thread(target=lambda: found.append([float(heddle.cumsum(x, target="parallel:2")[-1]) for _ in range(8)]))
    other.start()
    """
    assert run(setup, "heddle.sort(x, target='serial')", "other.join(); print(found == [[2.0**22] * 8])") == ["True"]


def test_a_handler_of_ones_own_runs_during_a_call():
    setup = """
    class Stop(Exception): pass
    def stop(*_): raise Stop
    signal.signal(signal.SIGINT, stop)
    """
    program = PROGRAM.replace("KeyboardInterrupt", "Stop").format(setup=textwrap.dedent(setup), call="heddle.random.default_rng(1).normal(size=1 << 24)", after="")
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert (ended.returncode, ended.stdout) == (0, "interrupted\n"), ended.stderr


def test_files_are_whole_or_not_there(tmp_path):
    path = str(tmp_path / "large.gif")
    setup = f"""
    frames = np.random.default_rng(0).integers(0, 2, (20, 300, 300), np.uint8)
    frames = np.broadcast_to(frames, (100, 20, 300, 300)).reshape(-1, 300, 300)
    animation = heddle.Animation(frames, [[0, 0, 0], [255, 255, 255]])
    """
    assert run(setup.replace("[[0", "np.array([[0").replace("255]]", "255]], np.uint8)"),
               f"animation.save({path!r}); print('saved')", "print(os.listdir(" + repr(str(tmp_path)) + "))") == ["[]"]
