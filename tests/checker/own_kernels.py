"""Launches of Heddle's own kernels under heddle check, for the tests own_*_test.py.

The sources in the folder own put each kernel behind one that takes plain arguments; a launch that is not clean is a
failure, and what a launch leaves in its arrays comes back.
"""
import os
import pathlib
import subprocess
import tempfile

import numpy as np

HEDDLE = os.environ["HEDDLE"]
HERE = pathlib.Path(__file__).parent
TOP = HERE.parent.parent
NAMES = {"bool": "bool", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64", "uint8": "u8", "uint16": "u16",
         "uint32": "u32", "uint64": "u64", "float16": "f16", "float32": "f32", "float64": "f64"}

folder = tempfile.TemporaryDirectory()
environment = dict(os.environ, XDG_CACHE_HOME=os.environ.get("HEDDLE_TEST_CACHE", folder.name))
launches = 0


class Unwritten:
    """An array that nothing was written to: reading it is a finding."""

    def __init__(self, kind, size):
        self.dtype, self.size = np.dtype(kind), size


def n(value):
    """A number of elements, as kernels take it."""
    return np.uint64(value)


def spelt(argument, i):
    if isinstance(argument, Unwritten):
        return f"{NAMES[argument.dtype.name]}[{argument.size}]:out={folder.name}/{i}.npy"
    if isinstance(argument, np.ndarray):
        np.save(f"{folder.name}/{i}.npy", argument.ravel())
        return f"{NAMES[argument.dtype.name]}[]={folder.name}/{i}.npy:out={folder.name}/{i}.npy"
    value = argument if isinstance(argument, np.generic) else np.bool_(argument)
    return f"{NAMES[value.dtype.name]}:{str(value).lower() if value.dtype == bool else value}"


def launch(source, kernel, grid, block, *arguments, shared=0, schedules=3):
    """The arrays among the arguments, in order, as the kernel leaves them."""
    global launches
    launches += 1
    command = [HEDDLE, "check", f"{source}.cu", "--kernel", kernel, "--grid", str(grid), "--block", str(block),
               "--std", "c++20", "-I", TOP / "include", "-I", TOP / "simulations", "-I", TOP / "src", "--shared", str(shared),
               "--schedules", str(schedules)]
    for i, argument in enumerate(arguments):
        command += ["--arg", spelt(argument, i)]
    done = subprocess.run(command, cwd=HERE / "own", capture_output=True, text=True, timeout=300, env=environment)
    if done.returncode != 0:
        raise AssertionError(f"{source}.cu: {kernel}<<<{grid}, {block}>>>: status {done.returncode}\n"
                             f"{done.stdout[:4000]}{done.stderr[:4000]}")
    return [np.load(f"{folder.name}/{i}.npy") for i, a in enumerate(arguments) if isinstance(a, (np.ndarray, Unwritten))]


def blocks_of(elements, block):
    return -(-elements // block)
