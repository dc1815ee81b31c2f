"""Processes that are forked after the package was used."""

import multiprocessing
import os
import pathlib
import subprocess
import sys

import pytest

import heddle

FOLDER = str(pathlib.Path(heddle.__file__).parent.parent)


def run_python(code):
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], env=os.environ | {"PYTHONPATH": FOLDER}, capture_output=True, text=True,
                          timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="the system does not fork")
@pytest.mark.parametrize("before", ["pass", "heddle.sum(x, target='parallel:3')", "heddle.transform('a + 1', x)", "heddle.matmul(x[:4], x[:4])"],
                         ids=["unused", "threads", "transform", "matmul"])
def test_a_pool_computes(before):
    assert run_python(
        "import multiprocessing, numpy, heddle\n"
        "x = numpy.arange(300_000.0)\n"
        f"{before}\n"
        "def work(n):\n"
        "    where = ['serial', 'parallel:2', 'parallel:3', 'auto'][n % 4]\n"
        "    y = numpy.flip(x).copy()\n"
        "    return (float(heddle.sum(x + n, target=where)), bool((heddle.sort(y, target=where) == x).all()),\n"
        "            float(heddle.cumsum(x, target=where)[-1]), float(heddle.matmul(x[:4], x[:4])), float(heddle.transform('a + 1', x)[-1]))\n"
        "with multiprocessing.get_context('fork').Pool(2) as pool: have = pool.map(work, range(8))\n"
        "print(have == [(float((x + n).sum()), True, float(x.sum()), 14.0, 300_000.0) for n in range(8)])\n") == "True\n"


def test_the_parent_goes_on():
    assert run_python(
        "import os, numpy, heddle\n"
        "x = numpy.ones(300_000)\n"
        "for _ in range(5):\n"
        "    assert heddle.sum(x, target='parallel:3') == 300_000\n"
        "    pid = os.fork()\n"
        "    if pid == 0: os._exit(0 if heddle.sum(x, target='parallel:3') == 300_000 else 1)\n"
        "    assert heddle.sum(x, target='parallel:3') == 300_000\n"
        "    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0\n"
        "print('done')\n") == "done\n"


def test_a_child_forks_again():
    assert run_python(
        "import os, numpy, heddle\n"
        "x = numpy.ones(300_000)\n"
        "heddle.sum(x, target='parallel:2')\n"
        "def forked(depth):\n"
        "    pid = os.fork()\n"
        "    if pid == 0:\n"
        "        right = heddle.sum(x, target='parallel:2') == 300_000 and (depth == 0 or forked(depth - 1) == 0)\n"
        "        os._exit(0 if right else 1)\n"
        "    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])\n"
        "print(forked(2))\n") == "0\n"


def test_a_child_ends_in_order():
    # As multiprocessing's do not: through the handlers of the interpreter's end.
    assert run_python(
        "import os, sys, numpy, heddle\n"
        "x = numpy.ones(300_000)\n"
        "heddle.sum(x, target='parallel:3')\n"
        "if os.fork() == 0:\n"
        "    print(float(heddle.sum(x, target='parallel:3')))\n"
        "    sys.exit(0)\n"
        "print(os.waitstatus_to_exitcode(os.wait()[1]))\n") == "300000.0\n0\n"


def test_arrays_of_the_parent_are_the_childs():
    assert run_python(
        "import os, numpy, heddle\n"
        "x = heddle.asarray(numpy.arange(1000.0)).on('serial')\n"
        "with heddle.target('parallel:2'):\n"
        "    pid = os.fork()\n"
        "    if pid == 0: os._exit(0 if float(heddle.sum(x)) == 499_500 and heddle._core.current_target().threads == 2 else 1)\n"
        "    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))\n") == "0\n"
