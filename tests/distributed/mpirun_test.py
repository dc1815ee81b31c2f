#!/usr/bin/env python3
"""Usage: mpirun_test.py MPIRUN RANKS PROGRAM: the program on so many ranks, and what is told when one of them throws."""

import os
import sys
import tempfile

import mpirun

launcher, ranks, program = sys.argv[1], int(sys.argv[2]), sys.argv[3]

with tempfile.TemporaryDirectory() as folder:
    result = mpirun.run(launcher, ranks, program, folder)
    assert result.returncode == 0, result.stdout + result.stderr
    # Behind it how GPUs are connected, where there are some.
    assert result.stdout.startswith(f"{ranks} ranks agree"), result.stdout

    # Ranks that went on waiting would be ended after minutes, by an exception here.
    result = mpirun.run(launcher, ranks, program, folder, "fail")
    assert result.returncode != 0
    name = "" if ranks == 1 else f"rank {ranks - 1} of {ranks} on {os.uname().nodename}: "
    told = [line for line in result.stderr.splitlines() if line.startswith("heddle: ")]
    assert told == [f"heddle: {name}a cause"], result.stderr

    for _ in range(5):
        result = mpirun.run(launcher, ranks, program, folder, "fail-together")
        assert result.returncode != 0
        told = [line for line in result.stderr.splitlines() if line.startswith("heddle: ")]
        assert len(told) == 1 and told[0].endswith(": a cause"), result.stderr
