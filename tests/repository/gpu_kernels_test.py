"""Checks that a source in tests/checker/own calls each GPU kernel, so that the kernel is tested without a GPU too."""
import re
import sys
from pathlib import Path

SOURCE = Path(sys.argv[1])
# Headers for users' kernels, and CUDA's libraries on a CPU: no kernels of Heddle.


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
        name = re.match(r"\s*(?:void\b)?\s*(\w+)\s*\(", rest)
        assert name and not name[1].startswith("__"), f"the name of this kernel is not found: {rest[:80]}"
        yield name[1]


def main():
    kernels = {}
    for folder in ("include", "src", "simulations"):
        for path in sorted((SOURCE / folder).rglob("*")):
            name = str(path.relative_to(SOURCE))
            if path.suffix in (".cuh", ".cu", ".hpp"):
                for kernel in kernels_of(without_comments(path.read_text())):
                    assert kernel not in kernels, f"{name}: {kernels[kernel]} has a kernel {kernel} too"
                    kernels[kernel] = name
    checked = "\n".join(without_comments(path.read_text()) for path in (SOURCE / "tests/checker/own").iterdir())
    # A kernel is called, or is an argument of a macro that calls it. The names of the kernels there and of headers do not count.
    calls = re.sub(r"__global__ void \w+|^\s*#\s*include[^\n]*", "", checked, flags=re.MULTILINE)
    named = set(re.findall(r"\b(\w+)\s*[<(]", calls)) | set(re.findall(r"\b[A-Z_]+\(\w+, (\w+),", calls))
    assert "lookahead_scan" in kernels and len(kernels) > 70, sorted(kernels)
    missing = kernels.keys() - named
    for kernel in sorted(missing):
        print(f"{kernels[kernel]}: no source in tests/checker/own calls {kernel}")
    sys.exit(bool(missing))


main()
