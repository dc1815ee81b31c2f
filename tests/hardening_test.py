#!/usr/bin/env python3
"""What the release build promises of each program: docs/guide/install.md#protection.

    hardening_test.py READELF PROGRAM…

Functions with arrays on the stack check that the caller's part of the stack is whole, and the addresses of functions are read-only
before main begins.
"""
import subprocess
import sys

readelf, programs = sys.argv[1], sys.argv[2:]
assert programs, "no programs"


def shown(option, program):
    return subprocess.run([readelf, "--wide", option, program], check=True, capture_output=True, text=True).stdout


wrong = []
for program in programs:
    dynamic = shown("--dynamic", program)
    for has, what in [("__stack_chk_fail" in shown("--symbols", program), "-fstack-protector-strong"),
                      ("GNU_RELRO" in shown("--program-headers", program), "-z relro"),
                      ("BIND_NOW" in dynamic or "Flags: NOW" in dynamic, "-z now")]:
        if not has:
            wrong.append(f"{program} was not built with {what}")
print("\n".join(wrong) or f"{len(programs)} programs")
sys.exit(bool(wrong))
