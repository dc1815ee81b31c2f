"""Which folder may use which, by what their sources include and name: docs/design/README.md#the-house.

Programs stand on the public headers alone, a backend knows no other, and nothing below the API knows what is above it.
"""
import re
import sys
from pathlib import Path

SOURCE = Path(sys.argv[1])
ENDINGS = {".hpp", ".cpp", ".cu", ".cuh"}
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)
PRIVATE_NAME = re.compile(r"\b(?:impl|detail)::\w+")

PROGRAMS = ["cli", "expressions", "simulations", "demo", "examples", "bench", "python", "viewer"]
# What a folder may not include, beside what PROGRAMS may not: beginnings of paths.
FORBIDDEN = {
    "include/heddle/impl/cpu": ["heddle/impl/gpu/"],
    "include/heddle/impl/gpu": ["heddle/impl/cpu/"],
    "src/cpu": ["gpu/", "heddle/impl/gpu/"],
    "src/gpu": ["cpu/", "heddle/impl/cpu/"],
    "include": ["cli/", "expressions/", "simulations/", "checker/"],
    "src": ["cli/", "expressions/", "simulations/", "checker/", "life/", "laplace/", "lattice_boltzmann/", "mandelbrot/", "monte_carlo/"],
    "expressions": ["cli/", "simulations/", "checker/"],
    "simulations": ["cli/", "expressions/", "checker/", "viewer/"],
    "checker": ["cli/", "expressions/", "simulations/", "viewer/"],
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


def headers_of_library():
    """Paths by which sources of src include each other's headers."""
    folder = SOURCE / "src"
    return {str(p.relative_to(folder)) for p in folder.rglob("*") if p.suffix in (".hpp", ".cuh")}


def private_uses(path, of_library):
    """What a program's source uses that is not public: names and headers."""
    text = without_comments(path.read_text())
    # A header of src/ may have the name of one beside the source.
    headers = [name for name in INCLUDE.findall(text)
               if name.startswith("heddle/impl/") or (name in of_library and not (path.parent / name).exists())]
    return sorted(set(headers + PRIVATE_NAME.findall(text)))


def main():
    wrong = []
    of_library = headers_of_library()
    for folder in PROGRAMS:
        for path in sources(folder):
            name = path.relative_to(SOURCE)
            wrong += [f"{name}: uses {what}, which is private" for what in private_uses(path, of_library)]
    for folder, beginnings in FORBIDDEN.items():
        for path in sources(folder):
            name = path.relative_to(SOURCE)
            for header in includes(path):
                if header.startswith(tuple(beginnings)):
                    wrong.append(f"{name}: includes {header}, which {folder} may not")
    checks_itself(of_library)
    for fault in wrong:
        print(fault)
    sys.exit(bool(wrong))


def checks_itself(of_library):
    """The test sees what it is for."""
    assert "gpu/gpu.hpp" in of_library
    assert PRIVATE_NAME.findall("heddle::impl::fail(x); impl::y") == ["impl::fail", "impl::y"]
    assert INCLUDE.findall('#include <heddle/impl/order.hpp>\n# include "gpu/gpu.hpp"') == [
        "heddle/impl/order.hpp", "gpu/gpu.hpp"]
    assert without_comments("a // impl::b\nc /* impl::d\n */ e") == "a \nc  e"


main()
