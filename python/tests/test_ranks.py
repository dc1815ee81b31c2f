"""Arrays over ranks: alone, and under mpirun."""

import os
import pathlib
import shutil
import subprocess
import sys

import numpy as np
import pytest

import heddle

MPIRUN = shutil.which("mpirun")
WITH_MPI = (pathlib.Path(heddle.__file__).parent / "with_mpi").exists()
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1",
                   OMPI_MCA_btl="self,vader", OMPI_MCA_btl_vader_single_copy_mechanism="none")
under_mpirun = pytest.mark.skipif(MPIRUN is None or not WITH_MPI, reason="built without MPI, or without mpirun")

CHECKS = '''
import sys
import numpy as np
import heddle

folder = sys.argv[1]
all = heddle.ranks()
numbers = np.random.default_rng(1)
for kind in ("float32", "int16", "complex64", "bool"):
    given = numbers.normal(size=(301, 7)) * 9
    x = given.astype(kind)
    d = all.array(x)
    assert d.shape == x.shape and d.dtype == x.dtype and d.ndim == 2 and d.size == x.size
    assert np.array_equal(d.gather(), x)
    assert np.array_equal(np.asarray(d.local), x[d.begins[all.rank]:d.begins[all.rank + 1]])
    assert np.array_equal(all.from_blocks(d.local).gather(), x)

    def same(have, want):
        have = have.gather() if isinstance(have, heddle.DistributedArray) else have
        have, want = np.asarray(have), np.asarray(want)
        assert have.dtype == want.dtype and have.shape == want.shape and have.tobytes() == want.tobytes(), (kind, have, want)

    for f in (heddle.sum, heddle.prod, heddle.any, heddle.all):
        same(f(d), f(x))
        for axis in (0, 1, -1):
            same(f(d, axis=axis), f(x, axis=axis))
    for axis in (None, 0, 1, -1):
        same(heddle.mean(d, axis), heddle.mean(x, axis))
        same(heddle.var(d, axis, ddof=1), heddle.var(x, axis, ddof=1))
        same(heddle.std(d, axis), heddle.std(x, axis))
        assert np.allclose(heddle.std(d).real, np.std(x.astype("complex128")), rtol=1e-6)
    for f in (heddle.cumsum, heddle.cumprod):
        same(f(d), f(x))
        same(f(d, axis=0), f(x, axis=0))
    same(heddle.inclusive_scan(d, axis=1), heddle.inclusive_scan(x, axis=1))
    same(heddle.exclusive_scan(d, initial=1), heddle.exclusive_scan(x, initial=1))
    for axis in (None, 0, 1, -1):
        first = np.take(x, [0], axis) if axis is not None else x.ravel()[:1]
        y = x if axis is not None else x.ravel()
        same(heddle.adjacent_difference(d, axis), np.concatenate([first, np.diff(y, axis=axis or 0)], axis or 0))
    same(heddle.adjacent_difference(d), heddle.adjacent_difference(x))
    same(d.astype("float64") if kind != "complex64" else d, x.astype("float64") if kind != "complex64" else x)
    if kind != "bool":
        same(d + d, x + x)
        same(2 - d, (2 - x).astype(kind))
        same(d * 3, (x * 3).astype(kind))
    if kind != "complex64":
        for f in (heddle.min, heddle.max, heddle.argmin, heddle.argmax):
            same(f(d), f(x))
        same(heddle.sort(d, axis=None), heddle.sort(x, axis=None))
        same(heddle.argsort(d, axis=None), heddle.argsort(x, axis=None))
        same(heddle.unique(d), heddle.unique(x))
        for axis in (None, 0, -1):
            same(heddle.median(d, axis), heddle.median(x, axis))
            same(heddle.quantile(d, np.float64(0.3), axis), heddle.quantile(x, np.float64(0.3), axis))
            for have, want in zip(heddle.quantile(d, [0.1, 0.9], axis), heddle.quantile(x, [0.1, 0.9], axis)):
                same(have, want)
            for largest in (False, True):
                for have, want in zip(heddle.top_k(d, 3, axis, largest=largest), heddle.top_k(x, 3, axis, largest=largest)):
                    same(have, want)
        for bins in (7, [-3.0, 0.0, 1.0, 2.5]):
            for have, want in zip(heddle.histogram(d, bins), heddle.histogram(x, bins)):
                same(have, want)
            same(heddle.histogram(d, bins, weights=d)[0], heddle.histogram(x, bins, weights=x)[0])
    path = f"{folder}/{kind}.npy"
    heddle.cumsum(d, axis=0).write_npy(path)
    same(all.read_npy(path), np.load(path))
    same(np.load(path), heddle.cumsum(x, axis=0))
print(all.size, "ranks", flush=True) if all.rank == 0 else None
'''


def run(ranks, script, *arguments):
    command = [MPIRUN, "-n", str(ranks), sys.executable, "-c", script, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT, timeout=120)


def test_one_rank(tmp_path):
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("OMPI_", "PMI"))}
    result = subprocess.run([sys.executable, "-c", CHECKS, tmp_path], capture_output=True, text=True, env=environment, timeout=120)
    assert result.returncode == 0, result.stderr
    assert result.stdout == "1 ranks\n"


@under_mpirun
@pytest.mark.parametrize("ranks", [2, 3])
def test_several_ranks(ranks, tmp_path):
    result = run(ranks, CHECKS, tmp_path)
    assert result.returncode == 0, result.stderr
    assert result.stdout == f"{ranks} ranks\n"


@under_mpirun
def test_an_exception_on_one_rank_ends_all():
    # Else the others wait for it until the time of `run` is over.
    result = run(3, "import heddle\nall = heddle.ranks()\nif all.rank == 1: raise ValueError('a cause')\nall.barrier()")
    assert result.returncode != 0
    lines = [line for line in result.stderr.splitlines() if line.startswith("heddle: ")]
    assert lines == [f"heddle: rank 1 of 3 on {os.uname().nodename}: ValueError: a cause"], result.stderr


@under_mpirun
def test_communicators_of_mpi4py():
    """A communicator of some processes, in another order, beside messages of mpi4py's own."""
    script = """
from mpi4py import MPI
import heddle, numpy
world = MPI.COMM_WORLD
part = world.Split(world.rank % 2, -world.rank)
all = heddle.ranks(part)
assert (all.size, all.rank) == (part.size, part.rank)
x = all.array(numpy.arange(1001.0))
assert heddle.sum(x) == 500500
assert world.allreduce(part.rank == 0) == min(2, world.size)
in_order = heddle.sort(x).gather()
assert numpy.array_equal(part.bcast(in_order if part.rank == 0 else None), numpy.arange(1001.0))
assert numpy.array_equal(numpy.concatenate(part.allgather(numpy.asarray(x.local))), numpy.arange(1001.0))
assert heddle.ranks(world).size == world.size and heddle.ranks(MPI.COMM_SELF).size == 1
try:
    heddle.ranks(3)
except TypeError:
    print("all is well", flush=True)
"""
    for ranks in (1, 3, 4):
        result = run(ranks, script)
        assert result.returncode == 0, result.stderr
        assert result.stdout.count("all is well") == ranks


def test_what_is_missing_is_named():
    script = "import os, heddle\nos.environ['OMPI_COMM_WORLD_SIZE'] = '2'\nheddle.ranks()"
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("OMPI_", "PMI"))}
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment, timeout=60)
    assert result.returncode != 0
    assert "built without MPI" in result.stderr, result.stderr


def test_misuse():
    x = heddle.ranks().array(np.arange(12.0).reshape(3, 4))
    for call in (lambda: heddle.sort(x), lambda: heddle.sum(x, keepdims=True), lambda: heddle.argmin(x, axis=0),
                 lambda: heddle.adjacent_difference(x, out=np.empty((3, 4))),
                 lambda: heddle.sum(x, out=np.empty(())), lambda: heddle.unique(x, return_counts=True),
                 lambda: heddle.histogram(x, weights=np.ones((3, 4))), lambda: x + [1, 2],
                 lambda: heddle.median(x, keepdims=True), lambda: heddle.quantile(x, [[0.5]])):
        with pytest.raises(TypeError):
            call()
    with pytest.raises((ValueError, IndexError)):
        heddle.sum(x, axis=5)
    with pytest.raises((ValueError, heddle.Error)):
        x.redistributed([0, 7])
    for k, axis in ((13, None), (4, 0), (-1, None), (1, 2)):
        with pytest.raises((ValueError, IndexError, heddle.Error)):
            heddle.top_k(x, k, axis)
