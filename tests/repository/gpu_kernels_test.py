"""Each kernel for a GPU is launched under the checker: a source in tests/checker/own names it, so it runs where there is no GPU too."""
import re
import sys
from pathlib import Path

SOURCE = Path(sys.argv[1])
# What a user's program is compiled with, and libraries of CUDA on a CPU.
OTHERS = ("src/jit/",)


def without_comments(text):
    return re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.DOTALL)


def kernels_of(text):
    """Names after __global__, void and __launch_bounds__(…)."""
    for found in re.finditer(r"\b__global__\b", text):
        rest = re.sub(r"^\s*void\b", "", text[found.end():]).lstrip()
        if rest.startswith("__launch_bounds__"):
            depth = 0
            for at in range(rest.index("("), len(rest)):
                depth += {"(": 1, ")": -1}.get(rest[at], 0)
                if depth == 0:
                    rest = rest[at + 1:]
                    break
        yield re.match(r"\s*(?:void\b)?\s*(\w+)\s*\(", rest)[1]


def main():
    kernels = {}
    for folder in ("include", "src", "simulations"):
        for path in sorted((SOURCE / folder).rglob("*")):
            name = str(path.relative_to(SOURCE))
            if path.suffix in (".cuh", ".cu", ".hpp") and not name.startswith(OTHERS):
                for kernel in kernels_of(without_comments(path.read_text())):
                    assert kernel not in kernels, f"{name}: {kernels[kernel]} has a kernel {kernel} too"
                    kernels[kernel] = name
    checked = "".join(without_comments(path.read_text()) for path in (SOURCE / "tests/checker/own").iterdir())
    # The names of the kernels there are their own.
    named = set(re.findall(r"\w+", re.sub(r"__global__ void \w+", "", checked)))
    assert "lookahead_scan" in kernels and len(kernels) > 70, sorted(kernels)
    missing = kernels.keys() - named
    for kernel in sorted(missing):
        print(f"{kernels[kernel]}: no source in tests/checker/own launches {kernel}")
    sys.exit(bool(missing))


main()
