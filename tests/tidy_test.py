#!/usr/bin/env python3
"""scripts/tidy looks at what has changed since it was clean, and at nothing else.

tidy_test.py SOURCE_FOLDER CXX_COMPILER
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE, COMPILER = sys.argv[1:3]

# Finds fault with files that say so, in themselves or in the header.
CLANG_TIDY = """#!/bin/sh
case "$1" in --version) echo "version ${VERSION:-1}"; exit 0;; esac
for file; do :; done
echo "$file" >> "$LOG"
if cat "$file" "$(dirname "$file")/a.hpp" | grep -q wrong; then echo "$file:1:1: error: it is wrong [check]"; exit 1; fi
"""


class TidyTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve()
        for name in ("src", "tests", "scripts", "build"):
            (self.root / name).mkdir()
        shutil.copy(f"{SOURCE}/scripts/tidy", self.root / "scripts")
        (self.root / ".clang-tidy").write_text("Checks: '*'\n")
        (self.root / "src/a.hpp").write_text("#pragma once\n")
        self.clang_tidy = self.root / "clang-tidy"
        self.clang_tidy.write_text(CLANG_TIDY)
        self.clang_tidy.chmod(0o755)
        self.commands = []
        for name in ("src/a.cpp", "src/b.cpp", "tests/c.cpp"):
            (self.root / name).write_text('#include "a.hpp"\n' if name == "src/a.cpp" else "\n")
            self.commands.append({"directory": str(self.root / "build"), "file": str(self.root / name),
                                  "command": f"{COMPILER} -o x.o -c {self.root / name}"})
        (self.root / "build/compile_commands.json").write_text(json.dumps(self.commands))

    def looked_at(self, status=0, **variables):
        """The names of the files that a run looks at."""
        log = self.root / "log"
        log.write_text("")
        done = subprocess.run([sys.executable, "scripts/tidy", "build", "--clang-tidy", self.clang_tidy], cwd=self.root,
                              env=os.environ | {"LOG": str(log), "XDG_CACHE_HOME": str(self.root / "cache")} | variables,
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.output = done.stdout
        return sorted(pathlib.Path(line).name for line in log.read_text().splitlines())

    def test_what_was_clean_is_looked_at_again_when_what_it_reads_changes(self):
        self.assertEqual(self.looked_at(), ["a.cpp", "b.cpp"])
        self.assertEqual(self.looked_at(), [])
        (self.root / "src/a.hpp").write_text("#pragma once\n// a comment, as NOLINT is\n")
        self.assertEqual(self.looked_at(), ["a.cpp"])
        (self.root / "src/a.hpp").write_text("#pragma once\n")
        self.assertEqual(self.looked_at(), [])
        self.assertEqual(self.looked_at(VERSION="2"), ["a.cpp", "b.cpp"])
        (self.root / ".clang-tidy").write_text("Checks: '-*'\n")
        self.assertEqual(self.looked_at(), ["a.cpp", "b.cpp"])
        self.commands[1]["command"] += " -DB"
        (self.root / "build/compile_commands.json").write_text(json.dumps(self.commands))
        self.assertEqual(self.looked_at(), ["b.cpp"])

    def test_a_finding_fails_and_is_said_until_it_is_mended(self):
        (self.root / "src/b.cpp").write_text("// wrong\n")
        for expected in (["a.cpp", "b.cpp"], ["b.cpp"]):
            self.assertEqual(self.looked_at(status=1), expected)
            self.assertIn("b.cpp:1:1: error: it is wrong [check]\n", self.output)
        (self.root / "src/b.cpp").write_text("// right\n")
        self.assertEqual(self.looked_at(), ["b.cpp"])

    def test_what_does_not_compile_is_never_taken_for_clean(self):
        (self.root / "src/b.cpp").write_text('#include "missing.hpp"\n')
        self.assertEqual(self.looked_at(), ["a.cpp", "b.cpp"])
        self.assertEqual(self.looked_at(), ["b.cpp"])

    def test_the_cache_has_a_limit(self):
        cache = self.root / "cache/heddle-tidy"
        cache.mkdir(parents=True)
        for i in range(4010):
            (cache / str(i)).touch()
            os.utime(cache / str(i), (i, i))
        self.looked_at()
        kept = {entry.name for entry in cache.iterdir()}
        self.assertEqual((len(kept), "4009" in kept, "0" in kept), (4000, True, False))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
