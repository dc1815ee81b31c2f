"""python -m heddle runs the command, which the package brings."""

import os
import pathlib
import sys

from . import _cuda

command = pathlib.Path(__file__).parent / "bin" / "heddle"
if not command.exists():
    sys.exit("heddle: this package was built without the command: build it with HEDDLE_BUILD_CLI=ON")
for folder in _cuda.folders()[:1]:
    os.environ.setdefault("CUDA_PATH", folder)
os.execv(command, ["heddle", *sys.argv[1:]])
