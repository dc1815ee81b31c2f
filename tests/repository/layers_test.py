"""Checks which folder uses which, by the headers that sources include and the names that they use: docs/design/README.md#the-house.

Programs use only public headers, a backend uses no other backend, and a lower layer uses no higher layer.
"""
import re
import sys
from pathlib import Path

SOURCE = Path(sys.argv[1])
# Within the folder of a pattern, a backend's files are named for it, and what nvcc reads is for a GPU.
PATTERNS = ["include/heddle/impl/patterns", "src/patterns"]
BACKEND = re.compile(r"(?:^|/)(cpu|gpu)(?=[/._])")
ENDINGS = {".hpp", ".cpp", ".cu", ".cuh"}
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)
PRIVATE_NAME = re.compile(r"\b(?:impl|detail)::\w+")

PROGRAMS = ["cli", "expressions", "simulations", "demo", "examples", "bench", "python", "viewer"]
# What a folder may not include, beside what PROGRAMS may not: beginnings of paths.
FORBIDDEN = {
    "include/heddle/impl/core": ["heddle/impl/patterns/", "heddle/impl/gpu/", "heddle/impl/distributed/", "heddle/impl/kernels/"],
    "include/heddle/impl/gpu": ["heddle/impl/patterns/", "heddle/impl/distributed/", "heddle/impl/kernels/"],
    "include/heddle/impl/kernels": ["heddle/impl/patterns/", "heddle/impl/gpu/", "heddle/impl/distributed/"],
    "include/heddle/impl/distributed": ["heddle/impl/patterns/", "heddle/impl/gpu/", "heddle/impl/kernels/"],
    "src/core": ["cpu/", "gpu/", "patterns/", "distributed/", "kernels/", "cuda_on_cpu/"],
    "src/array": ["cpu/", "gpu/", "patterns/", "distributed/", "kernels/", "cuda_on_cpu/"],
    "src/io": ["cpu/", "gpu/", "patterns/", "distributed/", "kernels/", "cuda_on_cpu/"],
    "src/target": ["cpu/", "gpu/", "patterns/", "distributed/", "kernels/", "cuda_on_cpu/"],
    "src/cpu": ["gpu/", "patterns/", "distributed/", "kernels/", "cuda_on_cpu/"],
    "src/gpu": ["cpu/", "patterns/", "distributed/", "kernels/", "cuda_on_cpu/"],
    "src/patterns": ["distributed/", "kernels/", "cuda_on_cpu/"],
    "src/distributed": ["kernels/", "cuda_on_cpu/"],
    "src/kernels": ["cpu/", "patterns/", "distributed/"],
    "cuda_on_cpu": ["cpu/", "gpu/", "patterns/", "distributed/", "kernels/", "cli/", "expressions/", "simulations/", "checker/", "viewer/"],
    "include": ["cli/", "expressions/", "simulations/", "checker/", "cuda_on_cpu/"],
    "src": ["cli/", "expressions/", "simulations/", "checker/", "life/", "laplace/", "lattice_boltzmann/", "mandelbrot/", "monte_carlo/"],
    "expressions": ["cli/", "simulations/", "checker/"],
    "simulations": ["cli/", "expressions/", "checker/", "viewer/"],
    "checker": ["cli/", "expressions/", "simulations/", "viewer/"],
    "checker/engine": ["checker/build/", "checker/host/", "checker/program/"],
    "checker/host": ["checker/build/", "checker/program/"],
    "checker/build": ["checker/program/", "checker/report/"],
    "viewer": ["cli/", "expressions/", "checker/"],
    "demo": ["cli/", "expressions/", "simulations/", "checker/"],
    "examples": ["cli/", "expressions/", "simulations/", "checker/"],
    "python": ["cli/", "checker/"],
}


def sources(folder):
    return sorted(p for p in (SOURCE / folder).rglob("*") if p.suffix in ENDINGS)


def without_comments(text):
    return re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.DOTALL)


def includes(path):
    return INCLUDE.findall(without_comments(path.read_text()))


def other_backends(path):
    """The headers of another backend that a file of one includes."""
    own = ["gpu"] if path.suffix in (".cu", ".cuh") else BACKEND.findall(str(path.relative_to(SOURCE)))
    return [header for header in includes(path) if own and {*BACKEND.findall(header)} - {*own}]


def headers_of_library():
    """Paths by which sources of src and cuda_on_cpu include each other's headers."""
    return {str(p.relative_to(base)) for base, folder in ((SOURCE / "src", "."), (SOURCE, "cuda_on_cpu"))
            for p in (base / folder).rglob("*") if p.suffix in (".hpp", ".cuh")}


def private_uses(path, of_library):
    """What a program's source uses that is not public: names and headers."""
    text = without_comments(path.read_text())
    # A header of src/ may have the name of one beside the source.
    headers = [name for name in INCLUDE.findall(text)
               if name.startswith("heddle/impl/") or (name in of_library and not (path.parent / name).exists())]
    return sorted(set(headers + PRIVATE_NAME.findall(text)))


def main():
    of_library = headers_of_library()
    checks_itself(of_library)
    found = set()
    for folder in PROGRAMS:
        for path in sources(folder):
            found |= {(path.relative_to(SOURCE), what) for what in private_uses(path, of_library)}
    for folder, beginnings in FORBIDDEN.items():
        for path in sources(folder):
            found |= {(path.relative_to(SOURCE), header) for header in includes(path) if header.startswith(tuple(beginnings))}
    for folder in PATTERNS:
        for path in sources(folder):
            found |= {(path.relative_to(SOURCE), header) for header in other_backends(path)}
    for path, what in sorted(found):
        print(f"{path} {what}: this folder may not use that header or name")
    sys.exit(bool(found))


def checks_itself(of_library):
    """The test sees what it is for."""
    assert all((SOURCE / folder).is_dir() for folder in [*PROGRAMS, *FORBIDDEN])
    assert "gpu/entry.hpp" in of_library
    assert PRIVATE_NAME.findall("heddle::impl::fail(x); impl::y") == ["impl::fail", "impl::y"]
    assert INCLUDE.findall('#include <heddle/error.hpp>\n# include "gpu/entry.hpp"') == ["heddle/error.hpp", "gpu/entry.hpp"]
    assert BACKEND.findall("src/patterns/scan/gpu_bits.cu") == BACKEND.findall("heddle/impl/gpu/arch/launch.cuh") == ["gpu"]
    assert without_comments("a // impl::b\nc /* impl::d\n */ e") == "a \nc  e"


main()
