"""python -m heddle runs the command, which the package brings."""

import os
import pathlib
import sys

command = pathlib.Path(__file__).parent / "bin" / "heddle"
if not command.exists():
    sys.exit("heddle: this package was built without the command: build it with HEDDLE_BUILD_CLI=ON")
os.execv(command, ["heddle", *sys.argv[1:]])
