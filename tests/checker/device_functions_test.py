#!/usr/bin/env python3
"""Every public device function of CUDA is there or refused by its name: device_functions_test.py [COMPILER FOLDER_OF_HEADERS].

device_functions.txt lists them, under the toolkit's header that declares them. With a compiler and the toolkit's headers those are compared
with the list.
"""
import ctypes
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
DEVICE = HERE.parents[1] / "cuda_on_cpu" / "device"

# What the headers declare for themselves: in no documentation of CUDA.
INTERNAL = re.compile(r"""__internal_ | __nvvm_ | \w+_impl$ | __(i|u|ull|ll|ill|f|d|us|u128|f2|f4)Atomic | __cuda | \w+_ptsz$ | cudaCG
    | __nv_(?!bswap|bfloat|cvt) | __cluster_map_shared_multicast | __float_simpl_ | __cmath_power | __pow_helper | __h(cos|sin)_internal
    | (any|all|ballot|syncthreads_\w+|_U|sizeof)$ | d(add|mul|sub)$ | (int|uint|float|double|ll|ull)2(int|uint|float|double|ll|ull)$
    | cudaMalloc$ | cudaFree$ | \w+_(signed|unsigned)$""", re.X)
# Functions of the host as well: of the device they are none.
OF_THE_HOST = re.compile(r"cuda(?!Grid|Trigger|Graph(?!Launch$)|GetParameterBuffer|LaunchDevice|GetCurrentGraphExec)\w+$")


def table():
    """Names by what becomes of them: supported; refused, as a function; refused, as a header."""
    verdicts = {"supported": [], "refused": [], "header": []}
    for line in (HERE / "device_functions.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            verdict, *names = line.split()
            verdicts[verdict] += names
    return verdicts.values()


def run(words, text):
    return subprocess.run(words, input=text, text=True, capture_output=True)


def of_the_c_library(name):
    return any(hasattr(ctypes.CDLL(library), name) for library in ("libm.so.6", "libc.so.6"))


def language():
    """The command that compiles the device language from standard input."""
    compiler = os.environ.get("CXX") or shutil.which("g++") or "clang++"
    return [compiler, "-std=c++20", "-w", "-isystem", str(DEVICE), "-include", "heddle_device/language.hpp", "-x", "c++", "-"]


def not_supported(names):
    """Those that a kernel cannot name, and those that only the C library's headers know, without a function behind them."""
    headers = "".join(f"#include <{h}>\n" for h in ("cuda_bf16.h", "cuda_fp8.h", "cooperative_groups.h", "cooperative_groups/reduce.h",
                                                    "cooperative_groups/scan.h", "cooperative_groups/memcpy_async.h",
                                                    "cuda_pipeline.h", "cuda_awbarrier_primitives.h"))
    uses = [f"namespace use{i} {{ using ::{name}; }}\n" for i, name in enumerate(names)]
    compiled = run([*language(), "-fsyntax-only"], headers + "#line 1\n" + "".join(uses))
    lines = {int(line) for line in re.findall(r"<stdin>:(\d+):\d+: (?:fatal )?error", compiled.stderr)}
    if compiled.returncode != 0 and not lines:
        sys.exit(compiled.stderr)
    wrong = [names[line - 1] for line in sorted(lines)]
    own = set()
    is_own = False
    for line in run([*language(), "-E"], headers).stdout.splitlines():
        if marker := re.match(r'# \d+ "(.*?)"', line):
            is_own = str(DEVICE) in marker[1]
        elif is_own:
            own |= set(re.findall(r"\w+", line))
    in_std = {"isfinite", "isinf", "isnan", "signbit"}
    return wrong + [n for n in names if n not in own and n.split("::")[-1] not in own | in_std and not of_the_c_library(n)]


def refusals(source):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "k.cu"
        path.write_text(source)
        words = [os.environ["HEDDLE"], "check", str(path), "--kernel", "k", "--grid", "1", "--block", "1"]
        return subprocess.run(words, text=True, capture_output=True).stderr


def in_headers(compiler, folder):
    """Names behind __device__ in the toolkit's headers, each with one of them."""
    headers = ("cuda_runtime.h", "cuda_fp16.h", "cuda_bf16.h", "texture_indirect_functions.h", "surface_indirect_functions.h")
    definitions = ("__CUDACC__", "__CUDA_ARCH__=900", "__CUDACC_VER_MAJOR__=13", "__CUDACC_VER_MINOR__=0", "__NVCC__")
    text = run([compiler, "-std=c++17", "-E", "-I", folder, *(f"-D{d}" for d in definitions), "-x", "c++", "-"],
               "".join(f"#include <{h}>\n" for h in headers)).stdout
    parts = {}
    for line in text.splitlines():
        if marker := re.match(r'# \d+ "(.*?)"', line):
            header = marker[1].removeprefix(folder).strip("/")
        else:
            parts.setdefault(header, []).append(line)
    found = {}
    for header, lines in parts.items():
        if "/" in header and not header.startswith("crt/"):
            continue
        for statement in re.split(r"[;{}]", "\n".join(lines)):
            if "__attribute__((device))" not in statement:
                continue
            declared = re.sub(r"__attribute__\s*\(\(.*?\)\)", "", statement, flags=re.S)
            name = re.search(r"\b([A-Za-z_]\w*)\s*\(", declared)
            if name and "=" not in declared[:name.start()] and "operator" not in declared[:name.end()]:
                found.setdefault(name[1], header)
    return {n: h for n, h in found.items() if not INTERNAL.match(n) and not OF_THE_HOST.match(n)}


def main():
    supported, refused, headers = table()
    wrong = [f"listed as supported, and is not: {n}" for n in not_supported(supported)]
    told = refusals("__global__ void k() {\n" + "".join(f"  {n}(1);\n" for n in refused) + "}\n")
    wrong += [f"listed as refused, and is not: {n}" for n in refused if f": {n}: " not in told]
    told = run([*language(), "-E"], "".join(f"#include <{h}>\n" for h in headers)).stderr
    wrong += [f"listed as a header that is refused, and is not: {h}" for h in headers
              if not re.search(rf"/{re.escape(h)}:\d+:\d+: error: #error \"heddle: .* not supported", told)]
    if len(sys.argv) > 1:
        found = in_headers(*sys.argv[1:])
        wrong += [f"neither listed as supported nor as refused: {n} of {h}" for n, h in found.items()
                  if n not in supported and n not in refused]
        print(f"{len(found)} functions in the toolkit's headers")
        if len(found) < 900:
            wrong.append("the toolkit's headers were not understood")
    print(f"{len(supported)} functions supported, {len(refused)} refused, {len(headers)} headers refused", *wrong, sep="\n")
    return 1 if wrong or not supported or not refused else 0


if __name__ == "__main__":
    sys.exit(main())
