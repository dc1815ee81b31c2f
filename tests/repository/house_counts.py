#!/usr/bin/env python3
"""Prints how the house is divided: python3 tests/repository/house_counts.py ROOT. Nothing is checked; layers_test.py and sizes_test.py do that."""
import collections
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(sys.argv[1])
HERE = pathlib.Path(__file__).parent
FILES = [pathlib.Path(name) for name in
         subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()]
CODE = {".cpp", ".hpp", ".cu", ".cuh", ".h"}
PATTERN = "top_k"


def text(path):
    return (ROOT / path).read_text(errors="ignore")


def lines(folder):
    return sum(text(path).count("\n") for path in FILES if path.is_relative_to(folder) and path.suffix in CODE)


def exceptions(name, kind):
    return sum(bool(re.search(kind, line)) for line in (HERE / name).read_text().splitlines())


headers = [path for path in FILES if path.parent in map(pathlib.Path, ("include/heddle", "include/heddle/io")) and path.suffix in CODE]
moved = [path for path in headers if "// Moved to <" in text(path)]
support = [path for path in FILES if path.is_relative_to("include/heddle/support")]
naming = [path for path in FILES if re.search(rf"\b{PATTERN}\b", text(path)) and not path.is_relative_to("docs/results") and path.suffix not in (".json", ".svg")]
named = [path for path in FILES if PATTERN in str(path)]
folders = collections.Counter(path.parent for path in FILES if path.suffix in CODE | {".py"})
fullest, most = folders.most_common(1)[0]

print(f"{len(headers) - len(moved)} public headers, {len(support)} under support/, {len(moved)} old places of those")
print(f"{len(naming)} files name {PATTERN}; {len(named)} are its own, in {len({path.parent for path in named})} folders")
print(f"{lines('src')} lines of src/, {lines('cuda_on_cpu')} of cuda_on_cpu/, {lines('checker')} of checker/")
print(f"{sum(text(path).count('checker') for path in FILES if path.is_relative_to('cuda_on_cpu'))} times the word checker in cuda_on_cpu/")
print(f"{most} files in the fullest folder, {fullest}; {sum(count > 40 for count in folders.values())} folders with more than 40")
print(f"{exceptions('sizes_exceptions.txt', r'^[0-9]+ lines of [^ ]+$')} files over 500 lines, "
      f"{exceptions('sizes_exceptions.txt', r'^[0-9]+ lines of [^ ]+ ')} functions over 80")
