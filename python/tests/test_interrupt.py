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
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
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
