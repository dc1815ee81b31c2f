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

# A statement, and what the compiler says of it. It says so once for each pair of types, so no two statements have one pair.
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
    ("hd::reduce(here, ints, hd::plus{}, 0.9);", "an integer element would lose the fraction"),
    ("hd::reduce(here, ints, hd::axis{0}, hd::plus{}, 0.9f);", "an integer element would lose the fraction"),
    ("hd::inclusive_scan(here, ints, hd::plus{}, 0.9L);", "an integer element would lose the fraction"),
    ("hd::exclusive_scan(here, shorts, hd::plus{}, 0.9);", "an integer element would lose the fraction"),
    ("hd::transform_reduce(here, shorts, shorts, hd::multiplies{}, hd::plus{}, 0.9f);",
     "an integer element would lose the fraction"),
    ("hd::segmented_reduce(here, shorts, sizes, hd::monoid{[](int a, int b) { return a + b; }, 0.5L});",
     "an integer element would lose the fraction"),
    ("hd::array<long> a{1, 2.5};", "an integer element would lose the fraction"),
    ("hd::array<long> b({2, 3}, 0.5f);", "an integer element would lose the fraction"),
    ("hd::array<long>(3).fill(0.5L);", "an integer element would lose the fraction"),
    ("hd::array<bool>(3).set(0.5, 0);", "an integer element would lose the fraction"),
    ("hd::array<bool> c(3); c[0] = 0.5f;", "an integer element would lose the fraction"),
    ("hd::reduce(here, x, hd::monoid{[](int a, int b) { return a + b; }, 0});",
     "the operator takes a type that loses values of the elements"),
    ("hd::inclusive_scan(here, doubles, [](float a, float b) { return a + b; });",
     "the operator takes a type that loses values of the elements"),
    ("hd::reduce_by_key(here, ints, x, [](int a, int b) { return a + b; });",
     "the operator takes a type that loses values of the elements"),
    ("hd::reduce(here, x, [](float a, float b) { return a + 0.5 * b; });",
     "the operator returns a type that loses values as an element"),
    ("hd::transform(here, x, [](int a) { return a; });", "transform: f takes a type that loses values"),
    ("hd::transform_into(here, ints, x, [](float a) { return a; });",
     "transform_into: f returns a type that loses values as an element of out"),
    ("hd::transform_into(here, ints, x, [](int a) { return a; });", "transform_into: f takes a type that loses"),
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
std::vector<int> ints(3);
std::vector<short> shorts(3);
const std::vector<std::size_t> sizes(3);
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
            self.assertTrue(f"misuse.cpp:{line}:" in done.stderr, f"nothing is said of {statement}")
            self.assertTrue(message in done.stderr, f"{statement} does not lead to: {message}")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
