#!/usr/bin/env python3
"""Programs of the corpus that compare CUDA's libraries with plain loops, compiled by nvcc against the toolkit's own: libraries_on_gpu.py [NAME...]

What holds under heddle check holds on a GPU then. Status 77 where there is no nvcc or no GPU.
"""
import collections
import pathlib
import shutil
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).parent / "programs"
PROGRAMS = {"cublas": ["cublas"], "cublas_factors": ["cublas"], "cublaslt": ["cublas", "cublasLt"], "cufft": ["cufft"], "curand": ["curand"],
            "curand_sequences": ["curand"], "cusolver": ["cusolver"], "cusolver_sparse": ["cusolver", "cusparse"], "cusparse": ["cusparse"],
            "cusparse_incomplete": ["cusparse"], "driver_arrays": ["cuda"], "thrust": []}
# They make calls that NVIDIA's refuse: see docs/reference/checker/libraries.md. Only by name.
DIFFERENT = {"cublaslt", "cusolver_sparse", "cusparse"}


def told(output):
    """Each line once, with how often it came."""
    return "\n".join(f"  {line}" if count == 1 else f"  {line} ({count} times)" for line, count in collections.Counter(output.splitlines()).items() if line)


def main():
    if shutil.which("nvcc") is None or shutil.which("nvidia-smi") is None or subprocess.run(["nvidia-smi", "-L"], capture_output=True).returncode != 0:
        print("skipped: nvcc and a GPU are needed")
        return 77
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        for name in sys.argv[1:] or [name for name in PROGRAMS if name not in DIFFERENT]:
            program = pathlib.Path(folder) / name
            compiled = subprocess.run(["nvcc", "-std=c++20", "-w", "--extended-lambda", "-arch=native", "-o", str(program), str(next(FOLDER.rglob(f"{name}.cu"))),
                                       *(f"-l{library}" for library in PROGRAMS[name])], capture_output=True, text=True)
            if compiled.returncode != 0:
                wrong.append(f"{name}: not compiled: {compiled.stderr[:2000]}")
                continue
            # By lines, so that what it printed before a crash is seen.
            done = subprocess.run(["stdbuf", "-oL", str(program)], capture_output=True, text=True, timeout=600)
            if done.returncode != 0 or "failures: 0" not in done.stdout.splitlines():
                wrong.append(f"{name}: status {done.returncode}\n{told(done.stdout)}\n{told(done.stderr)}")
    print(f"{len(wrong)} wrong", *wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
