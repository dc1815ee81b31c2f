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

PROGRAMS = ["cli", "simulations", "examples", "bench"]
# What a folder may not include, beside what PROGRAMS may not: beginnings of paths.
FORBIDDEN = {
    "include/heddle/impl/cpu": ["heddle/impl/gpu/"],
    "include/heddle/impl/gpu": ["heddle/impl/cpu/"],
    "src/cpu": ["gpu/", "heddle/impl/gpu/"],
    "src/gpu": ["cpu/", "heddle/impl/cpu/"],
    "include": ["cli/", "simulations/", "checker/"],
    "src": ["cli/", "simulations/", "checker/", "life/", "laplace/", "lattice_boltzmann/", "mandelbrot/", "monte_carlo/"],
    "simulations": ["cli/", "checker/"],
    "checker": ["cli/", "simulations/"],
    "examples": ["cli/", "simulations/", "checker/"],
}
# A file of PROGRAMS, and the private names and headers that it still uses.
EXCEPTIONS = {
    "cli/fft.cpp": ["impl::fft_kind", "impl::fft_task", "impl::library_fft", "impl::task_of"],
    "cli/histogram.cpp": ["impl::bin_edges", "impl::edges_of", "impl::fail_weights", "impl::function", "impl::library_histogram", "impl::library_weighted_histogram"],
    "cli/matmul.cpp": ["impl::library_matmul", "impl::matmul_target", "impl::matrix_type", "impl::product_shape", "impl::shape_of_product"],
    "cli/quantiles.cpp": ["impl::library_sort"],
    "cli/reduce.cpp": ["impl::arg_along", "impl::arg_of_all", "impl::function", "impl::library_reduce", "impl::library_reduce_by", "impl::library_wide_sums"],
    "cli/scan.cpp": ["impl::function", "impl::library_scan", "impl::library_scan_by"],
    "cli/sort.cpp": ["impl::fail_top", "impl::library_argsort", "impl::library_sort", "impl::library_top", "impl::library_values_at"],
}
# A file, and what it includes though its folder may not.
CROSSINGS = {}


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
            name = str(path.relative_to(SOURCE))
            allowed = EXCEPTIONS.get(name, [])
            used = private_uses(path, of_library)
            wrong += [f"{name}: uses {what}, which is private" for what in used if what not in allowed]
            wrong += [f"{name}: uses {what} no more: take it from EXCEPTIONS" for what in allowed if what not in used]
    for folder, beginnings in FORBIDDEN.items():
        for path in sources(folder):
            name = str(path.relative_to(SOURCE))
            for header in includes(path):
                if header.startswith(tuple(beginnings)) and header not in CROSSINGS.get(name, []):
                    wrong.append(f"{name}: includes {header}, which {folder} may not")
    for name in EXCEPTIONS | CROSSINGS:
        if not (SOURCE / name).exists():
            wrong.append(f"{name}: is an exception, and is not there")
    checks_itself(of_library)
    print(*wrong, sep="\n")
    sys.exit(bool(wrong))


def checks_itself(of_library):
    """The test sees what it is for."""
    assert "gpu/gpu.hpp" in of_library
    assert PRIVATE_NAME.findall("heddle::impl::fail(x); impl::y") == ["impl::fail", "impl::y"]
    assert INCLUDE.findall('#include <heddle/impl/order.hpp>\n# include "gpu/gpu.hpp"') == [
        "heddle/impl/order.hpp", "gpu/gpu.hpp"]
    assert without_comments("a // impl::b\nc /* impl::d\n */ e") == "a \nc  e"


main()
