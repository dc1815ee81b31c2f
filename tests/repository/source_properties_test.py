#!/usr/bin/env python3
"""Each file whose properties a CMakeLists.txt sets exists: CMake itself accepts any name.

    source_properties_test.py ROOT     ROOT is the repository
"""
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else ".").resolve()
SETS_PROPERTIES = re.compile(r"\bset_source_files_properties\s*\(([^)]*?)\bPROPERTIES\b|\bset_property\s*\(\s*SOURCE\b([^)]*?)\b(?:APPEND|PROPERTY)\b")
WORD = re.compile(r'"[^"]*"|[^\s"]+')


def scripts():
    return [path for pattern in ("CMakeLists.txt", "*.cmake") for path in sorted(ROOT.rglob(pattern))
            if "build" not in path.relative_to(ROOT).parts]


def files_named(text):
    """The names of files whose properties the text of a script sets. Lists of sources are left out: their files are compiled."""
    text = re.sub(r"#[^\n]*", "", text)
    words = [word.strip('"') for found in SETS_PROPERTIES.findall(text) for word in WORD.findall("".join(found))]
    words = [re.sub(r"\$\{(PROJECT|CMAKE)_SOURCE_DIR\}", str(ROOT), word) for word in words]
    return [word for word in words if "$" not in word]


def absent(script):
    return [name for name in files_named(script.read_text()) if not (script.parent / name).exists()]


class SourceProperties(unittest.TestCase):
    def test_files_exist(self):
        wrong = [f"{script.relative_to(ROOT)}: {name}" for script in scripts() for name in absent(script)]
        self.assertEqual(wrong, [], "these files do not exist, so that their properties have no effect")

    def test_names_are_found(self):
        self.assertIn("patterns/cpu_kernels.cpp", files_named((ROOT / "src/CMakeLists.txt").read_text()))
        self.assertEqual(files_named('set_source_files_properties(a.cpp "b.cpp" ${list} PROPERTIES X y)\n'
                                     "set_property(SOURCE c.cpp\n  d.cpp APPEND PROPERTY X y) # set_property(SOURCE e PROPERTY X y)"),
                         ["a.cpp", "b.cpp", "c.cpp", "d.cpp"])


if __name__ == "__main__":
    unittest.main()
