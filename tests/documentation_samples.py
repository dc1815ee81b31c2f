#!/usr/bin/env python3
"""Compiles and runs every code sample of README.md and of the pages of docs/.

    ```cpp   a block with a main() is a program; one that starts with #include and has none is compiled only; any other
             block becomes the body of a main() in which <heddle/heddle.hpp> and <heddle/textbook.hpp> are included
             and hd is heddle
    ```cpp continued   the same, after the lines of the block before it on the page
    ```cuda  likewise, compiled by nvcc where there is a toolkit
    ```console         lines that start with "$ heddle" or "$ python3" are run and must exit with 0, or with what a
             following "$ echo $?" shows; output lines shown must match, "..." standing for anything

Samples of a page run in one folder, in the order in which they stand. The folder of a page of docs/ holds samples.npy (1000
float32) and matrix.npy (20 x 30 float64). The folder of README.md is empty at first, and a program of README.md that cannot write
its file prints one line and exits with 1. A sample that names gpu( or "gpu is run only where there is a GPU. A command that needs
a library which this build lacks is passed over.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

import numpy as np

BEFORE_BODIES = """\
#include <heddle/heddle.hpp>
#include <heddle/textbook.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <iostream>
#include <numeric>
#include <span>
#include <sstream>
#include <string>
#include <vector>

namespace hd = heddle;
"""

PROJECT = """\
cmake_minimum_required(VERSION 3.25)
project(documentation_samples LANGUAGES {languages})
find_package(heddle REQUIRED)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${{CMAKE_BINARY_DIR}}/programs")
add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Werror;-Wno-unused;-Wno-unused-parameter>")
"""

ENDINGS = {"cpp": ".cpp", "cuda": ".cu"}
FENCE = re.compile(r"^[ ]*```(.*)$")
BLOCKS_RUN = ("cpp", "cuda", "console")
FIRST_PAGE = pathlib.Path("README.md")


class Sample:
    """One block: where it stands, what its fence says and its lines."""

    def __init__(self, page, line, words, lines):
        self.page, self.line, self.words, self.lines = page, line, words, lines
        self.name = re.sub(r"\W", "_", str(page)) + f"_{line}"

    @property
    def place(self):
        return f"{self.page}:{self.line}"

    @property
    def text(self):
        return "\n".join(self.lines)

    @property
    def is_program(self):
        return re.search(r"\bint\s+main\s*\(", self.text) is not None

    @property
    def is_compiled_only(self):
        return not self.is_program and self.text.lstrip().startswith("#include")

    @property
    def needs_gpu(self):
        return "gpu(" in self.text or '"gpu' in self.text

    @property
    def is_body(self):
        return not self.is_program and not self.is_compiled_only

    @property
    def text_with_place(self):
        return f'#line {self.line + 1} "{self.page}"\n{self.text}\n'


def samples_of(root, page):
    samples, block, start, words = [], None, 0, []
    for number, line in enumerate((root / page).read_text().splitlines(), 1):
        fence = FENCE.match(line)
        if block is None and fence:
            block, start, words = [], number, fence.group(1).split()
        elif block is not None and fence:
            if words and words[0] in BLOCKS_RUN:
                if "continued" in words:
                    before = [s for s in samples if s.words[0] == words[0]]
                    if not before:
                        sys.exit(f"{page}:{start}: continued, but nothing is before it")
                    block = before[-1].lines + block
                samples.append(Sample(page, start, words, block))
            block = None
        elif block is not None:
            block.append(line)
    if block is not None:
        sys.exit(f"{page}:{start}: this block has no end")
    return samples


def program_of(bodies):
    """One program of many blocks, because headers take most of the time: its argument names the block that it runs."""
    functions = "".join(f"int {body.name}() {{\n{body.text_with_place}return 0;\n}}\n" for body in bodies)
    calls = "".join(f'  if (name == "{body.name}") return {body.name}();\n' for body in bodies)
    return f"""{BEFORE_BODIES}
{functions}
int main(int, char** words) try {{
  const std::string name = words[1];
{calls}  return 2;
}} catch (const std::exception& e) {{
  std::cerr << e.what() << '\\n';
  return 1;
}}
"""


def write_if_changed(path, text):
    """Leaves what has not changed with its old time, so that it is not compiled again."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def build(samples, arguments, work):
    """Compiles all samples in one project and returns whether that worked."""
    folder = work / "project"
    folder.mkdir(parents=True, exist_ok=True)
    project = PROJECT.format(languages="CXX CUDA" if arguments.cuda else "CXX")
    for language, ending in ENDINGS.items():
        of_language = [sample for sample in samples if sample.words[0] == language]
        sources = {sample.name: sample.text_with_place for sample in of_language if not sample.is_body}
        bodies = [sample for sample in of_language if sample.is_body]
        if bodies:
            sources[f"bodies_{language}"] = program_of(bodies)
        for name, source in sources.items():
            write_if_changed(folder / (name + ending), source)
            compiled_only = any(sample.name == name and sample.is_compiled_only for sample in of_language)
            kind = f"add_library({name} OBJECT" if compiled_only else f"add_executable({name}"
            library = "heddle::distributed" if "<heddle/distributed.hpp>" in source else "heddle::heddle"
            project += f"{kind} {name}{ending})\ntarget_link_libraries({name} PRIVATE {library})\n"
    write_if_changed(folder / "CMakeLists.txt", project)
    configure = [arguments.cmake, "-S", folder, "-B", work / "build", "-G", "Ninja",
                 "-DHEDDLE_ALLOW_UNOPTIMISED=ON",  # what is not optimised compiles in less time
                 f"-Dheddle_DIR={arguments.heddle}", f"-DCMAKE_CXX_COMPILER={arguments.cxx}"]
    if arguments.cuda:
        configure += [f"-DCMAKE_CUDA_COMPILER={arguments.cuda}",
                      f"-DCMAKE_CUDA_FLAGS={arguments.cuda_flags}",
                      f"-DCMAKE_CUDA_ARCHITECTURES={arguments.architectures}"]
    subprocess.run(configure, check=True, stdout=subprocess.DEVNULL)
    return subprocess.run([arguments.cmake, "--build", work / "build", "--", "-k", "0"]).returncode == 0


def run(command, folder, environment):
    done = subprocess.run(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=300)
    return done.returncode, done.stdout


def matches(shown, printed):
    """Whether the lines shown stand for what was printed; "..." stands for anything, alone for any lines."""
    pattern = "".join(r"(.*\n)*" if line.strip() == "..." else
                      ".*".join(re.escape(part) for part in line.rstrip().split("...")) + r"[ \t]*\n" for line in shown)
    return re.fullmatch(pattern, printed if printed.endswith("\n") or not printed else printed + "\n") is not None


def commands_of(sample):
    """The block's commands, each with the lines shown after it."""
    commands = []
    for line in sample.lines:
        if commands and commands[-1][0].endswith("\\") and not commands[-1][1]:
            commands[-1][0] = commands[-1][0][:-1] + line.strip().removeprefix("> ")
        elif line.startswith("$ "):
            commands.append([line[2:], []])
        elif commands:
            commands[-1][1].append(line)
    for command in commands:
        while command[1] and not command[1][-1].strip():
            command[1].pop()
    return commands


def run_console(sample, folder, environment):
    """Runs the block's commands and returns what was wrong, a line each."""
    wrong = []
    commands = commands_of(sample)
    for (command, shown), (following, status_shown) in zip(commands, commands[1:] + [["", []]]):
        if not re.match(r"(heddle|python3)\b", command):
            continue
        status, printed = run(["bash", "-c", command], folder, environment)
        wanted = int(status_shown[0]) if following.strip() == "echo $?" else 0
        if "which this build of Heddle has not" in printed:
            continue
        if status != wanted:
            wrong.append(f"{sample.place}: $ {command}\nexit status {status}, not {wanted}; it printed\n{printed}")
        elif shown and not matches(shown, printed):
            shown = "\n".join(shown)
            wrong.append(f"{sample.place}: $ {command}\nshown:\n{shown}\nprinted:\n{printed}")
    return wrong


def check_error_of_program(sample, program, folder, environment):
    """Runs a program whose file cannot be written, and returns what was wrong: its error is one line, and it exits with 1."""
    written = re.search(r'write_npy\("([^"]+)"', sample.text)
    if not written:
        return []
    shutil.rmtree(folder, ignore_errors=True)
    (folder / written.group(1)).mkdir(parents=True)
    status, printed = run([program, sample.name], folder, environment)
    if status == 1 and printed.count("\n") == 1 and written.group(1) in printed:
        return []
    return [f"{sample.place}: where {written.group(1)} cannot be written: exit status {status}, not 1 with one line; "
            f"it printed\n{printed}"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cmake", required=True)
    parser.add_argument("--cxx", required=True)
    parser.add_argument("--cuda", default="")
    parser.add_argument("--architectures", default="90")
    parser.add_argument("--cuda-flags", default="")
    parser.add_argument("--heddle", required=True, help="folder of heddleConfig.cmake")
    parser.add_argument("--command", required=True, type=pathlib.Path, help="the heddle command")
    parser.add_argument("--work", required=True, type=pathlib.Path, help="a folder of this test's own")
    parser.add_argument("root", type=pathlib.Path, help="the repository")
    arguments = parser.parse_args()

    pages = [FIRST_PAGE] + sorted(p.relative_to(arguments.root) for p in arguments.root.glob("docs/**/*.md"))
    samples = [sample for page in pages for sample in samples_of(arguments.root, page)]
    if not samples:
        sys.exit("no code samples found")
    compiled = [s for s in samples if s.words[0] == "cpp" or (s.words[0] == "cuda" and arguments.cuda)]
    wrong = []
    if not build(compiled, arguments, arguments.work):
        wrong.append("not every sample compiles: see above")

    gpu = shutil.which("nvidia-smi") and subprocess.run(["nvidia-smi", "-L"], capture_output=True).returncode == 0
    environment = dict(os.environ, PATH=f"{arguments.command.parent}:/usr/bin:{os.environ['PATH']}")
    ran = 0
    for page in pages:
        folder = arguments.work / "run" / re.sub(r"\W", "_", str(page))
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        if page != FIRST_PAGE:
            numbers = np.random.default_rng(2)
            np.save(folder / "samples.npy", numbers.standard_normal(1000, dtype=np.float32))
            np.save(folder / "matrix.npy", numbers.standard_normal((20, 30)))
        for sample in [s for s in samples if s.page == page]:
            if sample.words[0] == "console":
                wrong += run_console(sample, folder, environment)
                ran += 1
            elif sample in compiled and not sample.is_compiled_only and (gpu or not sample.needs_gpu):
                name = f"bodies_{sample.words[0]}" if sample.is_body else sample.name
                program = arguments.work / "build/programs" / name
                if program.exists():
                    status, printed = run([program, sample.name], folder, environment)
                    ran += 1
                    if status != 0:
                        wrong.append(f"{sample.place}: exit status {status}; it printed\n{printed}")
                    if page == FIRST_PAGE:
                        wrong += check_error_of_program(sample, program, arguments.work / "run/error", environment)

    for message in wrong:
        print(message)
    print(f"{len(samples)} samples: {len(compiled)} compiled, {ran} run, {len(wrong)} wrong")
    sys.exit(bool(wrong))


main()
