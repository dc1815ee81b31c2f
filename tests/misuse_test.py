#!/usr/bin/env python3
"""Misuse of the patterns does not compile, and the compiler's errors say what is wrong.

misuse_test.py COMPILER INCLUDE_FOLDER
"""
import pathlib
import re
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
    ("hd::inclusive_scan(here, texts);", "inclusive_scan: the elements of an array must be trivially copyable"),
    ("hd::gather(here, texts, ints);", "gather: the elements of an array must be trivially copyable"),
    ("hd::partition(here, texts, [](float) { return true; });",
     "partition: the elements of an array must be trivially copyable"),
    ("hd::transform(here, [](float a) { return a; }, x);", "transform: f comes last: write transform(where, x, y, ..., f)"),
    ("hd::transform_into(here, x, [](float a) { return a; }, x);",
     "transform_into: f comes last: write transform_into(where, out, x, y, ..., f)"),
    ("hd::transform_reduce(here, [](float a) { return a; }, hd::plus{}, x);",
     "transform_reduce: f and the operator come last: write transform_reduce(where, x, y, ..., f, op)"),
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
    ("hd::lower_bound(here, doubles, ints);", "a value is looked for among elements of its own type: convert the values"),
    ("hd::upper_bound(here, ints, x, hd::sort_order::descending);", "a value is looked for among elements of its own type"),
    ("hd::gather(here, x, doubles);", "gather: indices are integers: convert them first"),
    ("hd::gather(here, x, x, hd::axis{0});", "gather: indices are integers: convert them first"),
    ("hd::top_k(here, x);", "top_k: k is missing: write top_k(where, x, k)"),
    ("hd::top_k(here, ints, hd::axis{0});", "top_k: k is missing: write top_k(where, x, k, axis)"),
    ("hd::sort(here, points);", "sort: the elements have no order of their own: give a function"),
    ("hd::sort(here, pairs, hd::axis{0});", "sort: the elements have no order of their own: give a function"),
    ("hd::sort_into(here, points, points);", "sort_into: the elements have no order of their own"),
    ("hd::argsort(here, points);", "argsort: the elements have no order of their own"),
    ("hd::sort_by_key(here, points, x);", "sort_by_key: the elements have no order of their own"),
    ("hd::array<float> narrow(doubles);", "array: the numbers of the range lose values as elements"),
    ("hd::inclusive_scan_into(here, doubles, x);", "a scan writes elements of the type that it reads"),
    ("hd::adjacent_difference_into(here, doubles, x);", "adjacent_difference_into writes elements of the type that it reads"),
    ("hd::adjacent_difference(here, shorts, [](short a) { return a; });", "the operator must take two elements and return one"),
    ("hd::reduce_into(here, doubles, x);", "reduce_into writes elements of the type that it reads: convert with "),
    ("hd::transform_reduce_into(here, x, x, [](float) { return 1.0; }, hd::plus{});",
     "transform_reduce_into: f must return the type of the output's elements"),
    ("hd::segmented_inclusive_scan_into(here, ints, x, sizes);", "a scan writes elements of the type that it reads"),
    ("hd::segmented_inclusive_scan(here, x, shorts);", "offsets are an array of std::size_t"),
    ("hd::segmented_reduce(here, x, ints);", "offsets are an array of std::size_t"),
    ("hd::segmented_reduce_into(here, doubles, x, sizes);",
     "segmented_reduce_into writes elements of the type that it reads"),
    ("hd::sort_into(here, doubles, x);", "sort_into writes elements of the type that it reads"),
    ("hd::gather_into(here, doubles, x, ints);", "gather_into writes elements of the type that it reads"),
    ("hd::scatter(here, doubles, ints, x);", "scatter writes elements of the type of the values"),
    ("hd::exclusive_scan_by_key(here, points, x);", "keys are of a built-in type"),
    ("hd::copy_if(here, x, ints);", "flags are an array of bool"),
    ("hd::stencil(here, x, doubles, hd::periodic{}, [](auto u) { return u(0); });",
     "stencil: the output has the element type of the input"),
    ("std::cout << hd::array<point>(3);", "operator<<: define operator<<(std::ostream&, const T&) for the elements"),
]

NO_ARRAY = "an argument is no array: write std::span(pointer, size)"
NO_TARGET = "the target comes first: write "

# The arguments of each pattern after the target, with @ for an array of floats.
PATTERNS = {
    "adjacent_difference": "@",
    "adjacent_difference_into": "@, x",
    "all": "@",
    "any": "@, [](float) { return true; }",
    "argmax": "@",
    "argmin": "@, hd::axis{0}",
    "argsort": "@, hd::axis{0}",
    "copy_if": "@, [](float) { return true; }",
    "exclusive_scan": "@, hd::plus{}, 1",
    "exclusive_scan_by_key": "@, x",
    "exclusive_scan_by_key_into": "@, x, x",
    "exclusive_scan_into": "@, x",
    "fft": "@, {0}",
    "fft_into": "@, x",
    "gather": "@, ints",
    "gather_into": "@, x, ints",
    "histogram": "@, {8, 0.0, 1.0}",
    "ifft": "@",
    "ifft_into": "@, x",
    "inclusive_scan": "@",
    "inclusive_scan_by_key": "@, x",
    "inclusive_scan_by_key_into": "@, x, x, hd::plus{}, 1",
    "inclusive_scan_into": "@, x",
    "irfft": "@",
    "irfft_into": "@, x",
    "lower_bound": "@, x",
    "matmul": "@, x",
    "matmul_into": "@, x, x",
    "mean": "@",
    "minmax": "@",
    "median": "@",
    "partition": "@, [](float) { return true; }",
    "quantile": "@, 0.5",
    "reduce": "@, hd::maximum{}",
    "reduce_by_key": "@, x",
    "reduce_into": "@, x",
    "rfft": "@",
    "rfft_into": "@, x",
    "scatter": "@, ints, x",
    "segmented_exclusive_scan": "@, sizes",
    "segmented_exclusive_scan_into": "@, x, sizes",
    "segmented_inclusive_scan": "@, sizes",
    "segmented_inclusive_scan_into": "@, x, sizes, hd::plus{}, 1",
    "segmented_reduce": "@, sizes",
    "segmented_reduce_into": "@, x, sizes",
    "sort": "@, hd::sort_order::descending",
    "sort_by_key": "@, x",
    "sort_into": "@, x",
    "stencil": "@, x, hd::periodic{}, [](auto u) { return u(0); }, 2",
    "top_k": "@, 2, hd::axis{0}",
    "transform": "@, [](float a) { return a; }",
    "transform_into": "@, x, [](float a) { return a; }",
    "transform_reduce": "@, [](float a) { return a; }, hd::plus{}",
    "transform_reduce_into": "@, x, [](float a) { return a; }, hd::plus{}",
    "unique": "@",
    "unique_consecutive": "@",
    "upper_bound": "@, x, std::less<>()",
    "variance": "@, 1",
    "random::exponential_into": "@, hd::random::stream{1}",
    "random::integers_into": "@, hd::random::stream{1}, 0, 6",
    "random::normal_into": "@, hd::random::stream{1}",
    "random::uniform_into": "@, hd::random::stream{1}",
}

# What is no array, in the place of one.
NO_ARRAYS = {
    "a pointer": "x.data()",
    "two iterators": "x.begin(), x.end()",
    "std::vector<bool>": "flags",
    "a list": "list",
}

# The same in other places, once a pattern and a place.
IN_OTHER_PLACES = [
    "hd::copy_if(here, x, flags);",
    "hd::exclusive_scan_by_key(here, ints, flags);",
    "hd::exclusive_scan_by_key_into(here, x, ints, x.data());",
    "hd::exclusive_scan_into(here, x, x.data());",
    "hd::fft_into(here, x, x.data());",
    "hd::gather(here, x, ints.data());",
    "hd::gather_into(here, x, x, ints.data());",
    "hd::gather_into(here, x, flags, ints);",
    "hd::histogram(here, x, {8, 0.0, 1.0}, x.data());",
    "hd::histogram(here, x, doubles.data());",
    "hd::inclusive_scan_by_key(here, ints, flags);",
    "hd::inclusive_scan_by_key_into(here, x, ints, x.data());",
    "hd::inclusive_scan_into(here, x, x.data());",
    "hd::lower_bound(here, x, x.data());",
    "hd::matmul(here, x, x.data());",
    "hd::partition(here, x, flags);",
    "hd::reduce_by_key(here, ints, flags);",
    "hd::reduce_into(here, x, x.data());",
    "hd::scatter(here, x, ints, x.data());",
    "hd::scatter(here, x, ints.begin(), x);",
    "hd::segmented_exclusive_scan(here, x, sizes.data());",
    "hd::segmented_inclusive_scan(here, x, sizes.data());",
    "hd::segmented_reduce(here, x, sizes.data());",
    "hd::sort_by_key(here, ints, flags);",
    "hd::sort_into(here, x, x.data());",
    "hd::stencil(here, x, x.data(), hd::periodic{}, [](auto u) { return u(0); });",
    "hd::transform(here, x, flags, [](float a, bool b) { return b ? a : 0; });",
    "hd::transform_into(here, x, x.data(), [](float a) { return a; });",
    "hd::transform_reduce(here, x, flags, [](float a, bool b) { return b ? a : 0; }, hd::plus{});",
    "hd::upper_bound(here, x, flags, std::less<>());",
]

# A user's own functions of the names of patterns, which are found though the patterns are found too.
OWN_FUNCTIONS = """\
#include <heddle/heddle.hpp>
#include <list>
#include <span>
#include <vector>
namespace hd = heddle;
namespace user {
struct own {};
struct from_array {
  template <hd::array_like X>
  from_array(const X&) {}
};
int mean(hd::array_view<const float>) { return 1; }
int sort(const from_array&) { return 1; }
int reduce(hd::array_view<const float>, hd::plus, long = 0) { return 1; }
int any(hd::target, const float*, unsigned) { return 1; }
int unique(const hd::target&, const std::vector<bool>&) { return 1; }
int fft(std::vector<hd::pixel_format>) { return 1; }
template <class T>
int transform(const std::list<T>&, long) { return 1; }
template <class T>
int scatter(const T&, const void*) { return 1; }
int all(const own&, const hd::array<float>&) { return 1; }
int test() {
  hd::array<float> x(3);
  float* pointer = x.data();
  return mean(x) + sort(x) + reduce(x, hd::plus(), 2) + any(hd::target::serial(), pointer, 3) +
         unique(hd::target::serial(), std::vector<bool>(3)) + fft(std::vector<hd::pixel_format>(3)) +
         transform(std::list<hd::pixel_format>(3), 3) + scatter(x, pointer) + all(own(), x);
}
}  // namespace user
int main() {
  // What the errors say to write.
  const hd::array<float> x{1, 2, 3};
  const std::vector<bool> flags(3, true);
  const std::list<float> list(3, 1);
  hd::reduce(hd::target::parallel(), std::span(x.data(), 3));
  hd::reduce(hd::target::parallel(), hd::array_view(x.begin(), x.end()));
  hd::reduce(hd::target::parallel(), hd::array(list));
  hd::copy_if(hd::target::parallel(), x, hd::array(flags));
  // A pointer may be a scalar of a function that takes one.
  const float two = 2;
  hd::transform(hd::target::serial(), x, &two, [](float a, const float* b) { return a * *b; });
  return user::test() == 9 ? 0 : 1;
}
"""

PROGRAM = """\
#include <heddle/heddle.hpp>
#include <functional>
#include <iostream>
#include <list>
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
struct point { int x; };
struct pair { int x, y; };
std::vector<point> points(3);
std::vector<pair> pairs(3);
std::vector<std::string> texts(3);
std::vector<bool> flags(3);
std::list<float> list(3);
int main() {
"""


def own_name(name):
    """Without its namespace."""
    return name.rpartition(":")[2]


def compiled(text, standard="-std=c++20"):
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "misuse.cpp"
        program.write_text(text)
        command = [COMPILER, standard, "-fsyntax-only", f"-I{INCLUDE}", program]
        if "clang" in subprocess.run([COMPILER, "--version"], capture_output=True, text=True).stdout:
            command.append("-ferror-limit=0")
        return subprocess.run(command, capture_output=True, text=True)


class MisuseTest(unittest.TestCase):
    def check(self, misuses):
        """All in one program, for one reading of the headers: the errors about a statement name its line."""
        done = compiled(PROGRAM + "".join(statement + "\n" for statement, _ in misuses) + "}\n")
        self.assertNotEqual(done.returncode, 0)
        first = PROGRAM.count("\n") + 1
        for line, (statement, message) in enumerate(misuses, first):
            self.assertTrue(f"misuse.cpp:{line}:" in done.stderr, f"nothing is said of {statement}")
            self.assertTrue(message in done.stderr, f"{statement} does not lead to: {message}")
        return done.stderr

    def check_one_error_each(self, misuses):
        errors = [line for line in self.check(misuses).splitlines() if "error:" in line]
        self.assertEqual(len(errors), len(misuses), "\n".join(errors))

    def test_messages(self):
        self.check_one_error_each(MISUSES)

    def test_an_older_standard(self):
        """The first error names the standard, and the compiler stops after it."""
        headers = sorted((pathlib.Path(INCLUDE) / "heddle").glob("*.hpp"))
        for header in (h for h in headers if h.name != "mpi.hpp"):
            done = compiled(f"#include <heddle/{header.name}>\nint main() {{}}\n", "-std=c++17")
            errors = [line for line in done.stderr.splitlines() if "error:" in line]
            self.assertEqual(len(errors), 2, done.stderr)
            self.assertIn("Heddle needs C++20: compile with -std=c++20", errors[0])

    def test_forgotten_target(self):
        self.check_one_error_each([
            (f"hd::{name}({arguments.replace('@', 'x')});", f"{own_name(name)}: {NO_TARGET}{own_name(name)}(")
            for name, arguments in PATTERNS.items()
        ] + [("hd::for_each_index(hd::extent{3}, [](std::size_t) {});", f"for_each_index: {NO_TARGET}")])

    def test_what_is_no_array(self):
        for kind, given in NO_ARRAYS.items():
            with self.subTest(kind):
                self.check_one_error_each([(f"hd::{name}(here, {arguments.replace('@', given)});",
                                            f"{own_name(name)}: {NO_ARRAY}") for name, arguments in PATTERNS.items()])

    def test_what_is_no_array_in_other_places(self):
        self.check_one_error_each([(statement, f"{statement[4:statement.index('(')]}: {NO_ARRAY}")
                                   for statement in IN_OTHER_PLACES])

    def test_results_of_what_does_not_compile(self):
        self.check_one_error_each([("const float sum = hd::reduce(x);", f"reduce: {NO_TARGET}"),
                                   ("hd::array<float> sorted = hd::sort(here, x.data());", f"sort: {NO_ARRAY}"),
                                   ("std::vector<float> y = hd::transform(here, x.data(), x.data() + 3, "
                                    "[](float a) { return a; });", f"transform: {NO_ARRAY}")])

    def test_every_pattern_explains_itself(self):
        explained = set()
        for header in (pathlib.Path(INCLUDE) / "heddle").glob("*.hpp"):
            explained |= set(re.findall(r"^HD_EXPLAIN_MISUSE\((\w+)\)$", header.read_text(), re.MULTILINE))
        self.assertEqual(explained, {own_name(name) for name in PATTERNS} | {"for_each_index"})

    def test_own_functions_come_first(self):
        done = compiled(OWN_FUNCTIONS)
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
