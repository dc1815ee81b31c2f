#!/usr/bin/env python3
"""Misuse of the patterns does not compile, and the compiler's errors say what is wrong.

misuse_test.py COMPILER INCLUDE_FOLDER
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

COMPILER, INCLUDE = sys.argv[1:3]

# A statement, and what the compiler says of it.
MISUSES = [
    ("hd::reduce(here, x, 1.0f);", "the operator must take two elements and return one"),
    ("hd::reduce(here, x, hd::minus{});", "minus is not associative"),
    ("hd::reduce(here, texts);", "elements must be trivially copyable"),
    ("hd::transform(here, x, 2, hd::multiplies{});", "transform(where, x, y"),
    ("hd::transform(here, x, [](float) {});", "transform: f must return elements"),
    ("hd::transform(here, x, [](float) { return std::string(); });", "transform: f must return elements"),
    ("hd::transform(here, 1.0f, [](float a) { return a; });", "needs at least one array"),
    ("hd::transform_into(here, x, x, [](float, float) { return 1.0f; });", "transform_into(where, out, x, y"),
    ("hd::transform_into(here, x, x, [](float) {});", "transform_into(where, out, x, y"),
    ("hd::transform_reduce(here, x, [](float) {}, hd::plus{});", "transform_reduce: f must return elements"),
    ("hd::transform_reduce(here, x, [](float, float) { return 1; }, hd::plus{});", "transform_reduce(where, x, y"),
    ("hd::transform_into(here, fixed, x, [](float a) { return a; });", "the output of a pattern must not be const"),
    ("hd::inclusive_scan_into(here, doubles, x);", "a scan writes elements of the type that it reads"),
]

PROGRAM = """\
#include <heddle/heddle.hpp>
#include <string>
#include <vector>
namespace hd = heddle;
const hd::target here;
std::vector<float> x(3);
const std::vector<float> fixed(3);
std::vector<double> doubles(3);
std::vector<std::string> texts(3);
int main() {
"""


class MisuseTest(unittest.TestCase):
    def test_messages(self):
        """All in one program, for one reading of the headers: the errors about a statement name its line."""
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "misuse.cpp"
            program.write_text(PROGRAM + "".join(statement + "\n" for statement, _ in MISUSES) + "}\n")
            command = [COMPILER, "-std=c++20", "-fsyntax-only", f"-I{INCLUDE}", program]
            if "clang" in subprocess.run([COMPILER, "--version"], capture_output=True, text=True).stdout:
                command.append("-ferror-limit=0")
            done = subprocess.run(command, capture_output=True, text=True)
        self.assertNotEqual(done.returncode, 0)
        first = PROGRAM.count("\n") + 1
        for line, (statement, message) in enumerate(MISUSES, first):
            self.assertIn(f"misuse.cpp:{line}:", done.stderr, statement)
            self.assertIn(message, done.stderr, statement)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
