"""Ctrl-C: SIGINT, as a terminal sends it, while a call runs in another process.

No test asserts a time. A call that lasts far longer than its limit here, and is not stopped, fails by that limit.
"""

import signal
import subprocess
import sys
import textwrap

import pytest

# What a child runs: it is interrupted during the call, once `ready` says so, and says what has become of it.
PROGRAM = """
import os, signal, sys, threading, time
import numpy as np
import heddle

def interrupt():
    begun.wait()
    while not ({ready}):
        time.sleep(0.01)
    os.kill(os.getpid(), signal.SIGINT)

{setup}
begun = threading.Event()
threading.Thread(target=interrupt).start()
# The thread goes on when the call gives the GIL away, and not before.
sys.setswitchinterval(3600)
try:
    begun.set()
    while True:
        {call}
except {error}:
    print("interrupted")
{after}
"""


def run(setup, call, after="", ready="True", error="KeyboardInterrupt"):
    program = PROGRAM.format(setup=textwrap.dedent(setup), call=call, after=textwrap.dedent(after), ready=ready, error=error)
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=240,
                           preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
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
    ("sim, seen = heddle.Laplace.sine((512, 512), method='jacobi', target={!r}), [0]",
     "sim.solve(0, max_iterations=10**10, progress=lambda done, _: seen.append(done))", "sim.iterations"),
], ids=["life", "period", "flow", "steady", "laplace", "solve"])
def test_simulations_stop_between_steps(make, call, state):
    # What has been done stays, and it goes on from there.
    after = f"done = {state}; sim.step(1); print(done > 0, {state} == done + 1)"
    # While it solves, the state is not to be had but by the progress.
    ready = "seen[-1] > 0" if "seen" in make else f"{state} > 0"
    assert run(make.format("parallel:2"), call, after, ready=ready) == ["True True"]


@pytest.mark.parametrize("target", ["serial", "parallel:2"])
def test_functions_stop_between_pieces(target):
    assert run("", f"heddle.pi(1e15, target={target!r})") == []
    assert run("", f"heddle.mandelbrot(3000, 3000, iterations=10**9, view=(-1.8, -1.7, -0.03, 0.03), target={target!r})") == []


PATTERNS = {
    "sort": ("x = np.random.default_rng(0).integers(0, 2**60, 1 << 22)", "heddle.sort(x, target={!r})"),
    "sum": ("x = np.ones(1 << 24, np.int8)", "heddle.sum(x, target={!r})"),
    "histogram": ("x = np.random.default_rng(0).random(1 << 22, np.float32)", "heddle.histogram(x, 100, target={!r})"),
    "matmul": ("x = np.ones((700, 700), np.float32)", "heddle.matmul(x, x, target={!r})"),
}


@pytest.mark.parametrize("pattern", PATTERNS)
def test_patterns_work_after_an_interruption(pattern):
    setup, call = PATTERNS[pattern]
    after = "print(float(heddle.sum(np.ones(1 << 21), target='parallel:2')), heddle.cumsum(np.ones(1 << 20), target='parallel:2')[-1])"
    assert run(setup, call.format("parallel:2"), after) == ["2097152.0 1048576.0"]


@pytest.mark.parametrize("target", ["serial", "parallel:2"])
def test_a_scan_is_left_in_the_middle(target):
    """The signal comes between two pieces, once the first one is written: the end is as it was."""
    program = f"""
import signal
import numpy as np
import heddle

class Stop(Exception): pass
def stop(*_): raise Stop
signal.signal(signal.SIGUSR1, stop)

x, out = np.ones(1 << 22), np.zeros(1 << 22)
def is_in_the_middle():
    return out[0] != -1 and out[-1] == -1
def stop_in_the_middle():
    if is_in_the_middle(): signal.raise_signal(signal.SIGUSR1)
heddle._core.call_at_checks(stop_in_the_middle)
def is_left_in_the_middle():
    out[:] = -1
    try:
        heddle.cumsum(x, out=out, target={target!r})
    except Stop:
        return is_in_the_middle()
    return False
# Of two threads, the other one may write all the rest before this one is asked: then again.
tries = 1
while not is_left_in_the_middle(): tries += 1
heddle._core.call_at_checks(None)
print(tries == 1 or {target!r} != "serial")
print(heddle.cumsum(x, target={target!r})[-1] == x.size)
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=240)
    assert (ended.returncode, ended.stdout) == (0, "True\nTrue\n"), ended.stderr


SLOW = """
import heddle, numpy as np

@heddle.vectorize
def slow(x):
    # The first elements are quick.
    k = 0
    while k < 3000000 + x and x > 10000:
        k += 1 + k % 2
    return k

@heddle.vectorize
def slow_maximum(a, b):
    k = 0
    while k < 300000 + min(a, 1):
        k += 1 + k % 2
    return max(a, b) + k - 300001

x = np.arange(1 << 23)
slow(x[:1], target="serial")
slow_maximum.reduce(x[:2], target="serial")
slow_maximum.accumulate(x[:2], target="serial")
"""


@pytest.mark.parametrize("target", ["serial", "parallel:2"])
@pytest.mark.parametrize("call", ["slow(x, target={!r})", "slow_maximum.reduce(x, target={!r})", "slow_maximum.accumulate(x, target={!r})"],
                         ids=["elements", "reduce", "accumulate"])
def test_functions_of_slow_elements_are_interrupted(call, target, tmp_path):
    """Each element takes a part of a millisecond or more, and the call far longer than the limit."""
    (tmp_path / "slow.py").write_text(SLOW)
    setup = f"sys.path.insert(0, {str(tmp_path)!r}); from slow import slow, slow_maximum, x"
    assert run(setup, call.format(target) + "; print('ended')") == []


def test_other_threads_go_on():
    """The signal is the main thread's: a call of another one ends with its result."""
    setup = """
    x = np.ones(1 << 21)
    found = []
    other = threading.Thread(target=lambda: found.append([float(heddle.cumsum(x, target="parallel:2")[-1]) for _ in range(8)]))
    other.start()
    """
    assert run(setup, "heddle.sort(x, target='serial')", "other.join(); print(found == [[2.0**21] * 8])") == ["True"]


def test_a_handler_of_ones_own_runs_during_a_call():
    setup = """
    class Stop(Exception): pass
    def stop(*_): raise Stop
    signal.signal(signal.SIGINT, stop)
    """
    assert run(setup, "heddle.random.default_rng(1).normal(size=1 << 20)", error="Stop") == []


def test_files_are_whole_or_as_they_were(tmp_path):
    path = str(tmp_path / "large.gif")
    setup = f"""
    frames = np.random.default_rng(0).integers(0, 2, (20, 300, 300), np.uint8)
    frames = np.broadcast_to(frames, (50, 20, 300, 300)).reshape(-1, 300, 300)
    black_and_white = np.array([[0, 0, 0], [255, 255, 255]], np.uint8)
    heddle.Animation(frames[:2], black_and_white).save({path!r})
    animation = heddle.Animation(frames, black_and_white)
    before = open({path!r}, "rb").read()
    """
    after = f"""
    now = open({path!r}, "rb").read()
    print(os.listdir({str(tmp_path)!r}), now == before or now.count(b"\\x21\\xf9\\x04") >= 1000 and now[-1:] == b";")
    """
    assert run(setup, f"animation.save({path!r})", after) == ["['large.gif'] True"]
