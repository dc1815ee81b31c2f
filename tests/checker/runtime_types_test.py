#!/usr/bin/env python3
"""The numbers that the checker's CUDA runtime gives errors, attributes and flags, and the sizes of its vector types, against the
toolkit's own headers: runtime_types_test.py COMPILER FOLDER_OF_HEADERS.
"""
import pathlib
import re
import subprocess
import sys

DEVICE = pathlib.Path(__file__).resolve().parents[2] / "cuda_on_cpu" / "device" / "heddle_device"
HEADERS = ("host/types.hpp", "host/graph_types.hpp", "host/pools.hpp", "host/advice.hpp", "driver/types.hpp", "rtc/rtc.hpp")


def numbers(text):
    """Names and values of enumerators and macros."""
    for name, value in re.findall(r"^  X\((cuda\w+), (\d+), ", text, re.M):
        yield name, value
    for name, value in re.findall(r"^  X\((\w+), (\d+), ", text, re.M):
        if not name.startswith(("cuda", "CUDA_", "NVRTC_")):
            yield f"cudaDevAttr{name}", value
    for name, value in re.findall(r"^  X\(((?:CUDA|NVRTC)_\w+), (\d+)[,)]", text, re.M):
        yield name, value
    for name, value in re.findall(r"\b((?:cuda|CU_)\w+) = (\d+)", text):
        yield name, value
    for name, value in re.findall(r"^#define ((?:cuda|CU_)\w+) (\d+u?|\(-\d+\))$", text, re.M):
        yield name, value


def assertions():
    for name, value in (pair for header in HEADERS for pair in numbers((DEVICE / header).read_text())):
        yield f'static_assert(static_cast<long long>({name}) == static_cast<long long>({value}), "{name}");'
    for name, size in re.findall(r"^HEDDLE_VECTOR\((\w+), .*, (\d)\)$", (DEVICE / "vector_types.hpp").read_text(), re.M):
        for count, alignment in ((1, int(size)), (2, 2 * int(size)), (3, int(size)), (4, min(4 * int(size), 16))):
            yield f"static_assert(alignof({name}{count}) == {alignment} && sizeof({name}{count}) == {int(size) * count});"


def main():
    compiler, headers = sys.argv[1:]
    # NVRTC is a package of its own.
    has_nvrtc = (pathlib.Path(headers) / "nvrtc.h").exists()
    lines = [line for line in assertions() if has_nvrtc or "NVRTC_" not in line]
    source = "#include <cuda.h>\n#include <cuda_runtime_api.h>\n" + "#include <nvrtc.h>\n" * has_nvrtc + "\n".join(lines) + "\n"
    done = subprocess.run([compiler, "-x", "c++", "-std=c++17", "-w", "-fsyntax-only", "-I", headers, "-"], input=source, text=True, capture_output=True)
    print(f"{len(lines)} compared\n{done.stderr}", end="")
    return 0 if len(lines) > 150 and done.returncode == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
