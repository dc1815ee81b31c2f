#!/usr/bin/env python3
"""Fails when an object compiled for one instruction set offers the linker functions under names that others share.

    instruction_sets_test.py NM OBJECT…

The linker keeps one copy of a weak function. If that copy was compiled for AVX-512 and a caller outside the kernels
gets it, the program stops on older processors. Everything weak in these objects must carry the instruction set in
its name, so the name must occur in one object only and name the set: kernels live in a namespace HEDDLE_ISA.
"""
import re
import subprocess
import sys

nm, objects = sys.argv[1], sys.argv[2:]
assert objects, "no objects"
wrong = []
for path in objects:
    instruction_set = re.search(r"heddle_(?:\w+_)?kernels_(\w+)\.dir", path).group(1)
    listing = subprocess.run([nm, "--defined-only", path], check=True, capture_output=True, text=True).stdout
    for line in listing.splitlines():
        kind, name = line.split()[-2:]
        if kind in "Ww" and instruction_set not in name:
            wrong.append((instruction_set, name))
for instruction_set, name in wrong:
    print(f"{instruction_set}: weak function shared with other code: {name}")
print(f"{len(objects)} objects, {len(wrong)} functions that could replace others")
sys.exit(bool(wrong))
