#!/usr/bin/env python3
"""Usage: with_instruction_set.py SET PROGRAM LISTING: the tests of PROGRAM on one core, with the instruction set SET.

LISTING is a program that fails on an unknown instruction set, and then lists those of this processor and this build. The test is
skipped if SET is absent, and if it is the widest, because all other tests run with that.
"""
import os
import re
import subprocess
import sys

SKIPPED = 77
wanted, program, listing = sys.argv[1:]
refused = subprocess.run([listing], env=dict(os.environ, HEDDLE_SIMD="unknown"), capture_output=True, text=True)
present = re.search(r"this processor and this build have ([a-z0-9, ]+):", refused.stderr)
assert refused.returncode != 0 and present, refused.stderr
present = present[1].split(", ")
if wanted not in present or wanted == present[-1]:
    print(f"skipped: there are {', '.join(present)}, and all other tests run with {present[-1]}")
    sys.exit(SKIPPED)
sys.exit(subprocess.run([program, "--gtest_filter=-*parallel*:*Gpu*:*huge*"], env=dict(os.environ, HEDDLE_SIMD=wanted)).returncode)
