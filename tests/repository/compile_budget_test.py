#!/usr/bin/env python3
"""Checks that no file takes too long to compile.

    compile_budget_test.py BUILD BUDGET     BUDGET is tests/repository/compile_budget.txt

cmake/record-cpu-time writes the CPU time of each compilation beside its object. CPU time is what a change alters;
the wall-clock time depends on what else the machine does. An object that came out of ccache has the figure of the last
compilation in this build folder, or none.

The budget is for a machine that compiles REFERENCE in REFERENCE_SECONDS, on every core at once. On a slower one it is larger.
"""
import json
import os
import re
import resource
import subprocess
import sys
import unittest
from pathlib import Path

SECONDS = re.compile(r"(\d+)m([\d.]+)s")
OBJECT = re.compile(r"\s-o\s+(\S+)")
SHOWN = 10
REFERENCE = """
#include <algorithm>
#include <functional>
#include <map>
#include <regex>
#include <string>
#include <vector>
bool is_found(const std::string& text, const std::vector<std::string>& words) {
  std::map<std::string, std::function<bool(const std::string&)>> ways;
  for (const std::string& word : words) ways[word] = [found = std::regex(word)](const std::string& in) { return std::regex_search(in, found); };
  return std::any_of(ways.begin(), ways.end(), [&](const auto& way) { return way.second(text); });
}
"""
REFERENCE_SECONDS = 2.0


def cpu_seconds(times):
    """User and system time of the children, which `times` of a shell prints in its second line."""
    return sum(60 * int(minutes) + float(seconds) for minutes, seconds in SECONDS.findall(times.splitlines()[1]))


def budgets(text):
    """The most seconds of an object, and of each listed one: lines `SECONDS OBJECT`, `#` begins a comment."""
    limits = {}
    for line in text.splitlines():
        fields = line.split("#")[0].split()
        if fields:
            limits[fields[1]] = float(fields[0])
    return limits.pop("every"), limits


def faults(measured, objects, most, listed):
    found = [f"{name}: compiled in {seconds:.1f} s of CPU time, where {listed.get(name, most):.0f} s are the most: "
             "split the file, or use fewer templates (docs/design/compile_times.md)"
             for name, seconds in sorted(measured.items()) if seconds > listed.get(name, most)]
    return found + [f"{name}: has a budget and is not compiled" for name in listed if name not in objects]


def slowness(compiler):
    """CPU time of the reference here over that on the machine of the budget; at least 1."""
    cores = os.cpu_count()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    running = [subprocess.Popen([compiler, "-std=c++20", "-O2", "-x", "c++", "-c", "-o", os.devnull, "-"], stdin=subprocess.PIPE) for _ in range(cores)]
    for process in running:
        process.communicate(REFERENCE.encode())
        if process.returncode != 0:
            sys.exit(f"{compiler} does not compile the reference of {__file__}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / cores
    print(f"the reference takes {seconds:.2f} s of CPU time, and {REFERENCE_SECONDS} s on the machine of the budget")
    return max(1, seconds / REFERENCE_SECONDS)


def main(build, budget):
    most, listed = budgets(budget.read_text())
    compiler = re.search(r"^CMAKE_CXX_COMPILER:\w+=(.+)$", (build / "CMakeCache.txt").read_text(), re.MULTILINE)[1]
    factor = slowness(compiler)
    most, listed = most * factor, {name: seconds * factor for name, seconds in listed.items()}
    commands = json.loads((build / "compile_commands.json").read_text())
    objects = {OBJECT.search(entry["command"])[1] for entry in commands}
    measured = {name: cpu_seconds((build / f"{name}.cpu").read_text())
                for name in objects if (build / f"{name}.cpu").exists()}
    print(f"{len(measured)} of {len(objects)} objects were compiled here, in {sum(measured.values()):.0f} s of CPU time")
    for name in sorted(measured, key=measured.get, reverse=True)[:SHOWN]:
        print(f"{measured[name]:7.1f} s  {name}")
    # Objects that this build leaves out, such as those of a GPU, keep their budgets.
    is_whole = len(measured) == len(objects) and any(name.endswith(".cu.o") for name in objects)
    wrong = faults(measured, objects if is_whole else objects | set(listed), most, listed)
    print("\n".join(wrong))
    return bool(wrong)


class Itself(unittest.TestCase):
    def test_reads_what_a_shell_prints(self):
        self.assertAlmostEqual(cpu_seconds("0m0.01s 0m0.02s\n1m2.500000s 0m0.25s\n"), 62.75)

    def test_finds_what_is_over_its_budget(self):
        most, listed = budgets("45 every\n# why\n60 a.o  # large\n50 gone.o\n")
        found = faults({"a.o": 59, "b.o": 46, "c.o": 44}, {"a.o", "b.o", "c.o"}, most, listed)
        self.assertEqual([line.split(":")[0] for line in found], ["b.o", "gone.o"])


if __name__ == "__main__":
    result = unittest.TextTestRunner(verbosity=0).run(unittest.defaultTestLoader.loadTestsFromTestCase(Itself))
    sys.exit(not result.wasSuccessful() or main(Path(sys.argv[1]), Path(sys.argv[2])))
