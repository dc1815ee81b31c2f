#!/usr/bin/env python3
"""What compiling a kernel starts and reads: compilers, headers, and nothing of the working directory."""
import json
import os
import shutil
import unittest

import numpy as np

from checks import HEDDLE
from kernel_cache import KernelCacheTest


class CompilersTest(KernelCacheTest):
    def test_with_arguments(self):
        for start in ["env", "ccache"]:
            if shutil.which(start):
                environment = {**self.environment, "CXX": f"{start} {self.compiler}", "CCACHE_DIR": str(self.folder / "ccache")}
                self.assertEqual(self.transform(env=environment), "")
                self.assertEqual(self.transform(env=environment, compiles=False), "")
        named = self.folder / "with a blank"
        shutil.copy(self.compiler, named)
        self.assertEqual(self.transform(env={**self.environment, "CXX": str(named)}), "")
        self.assertEqual(self.transform(env={**self.environment, "CXX": "env ./compiler"}, cwd=self.folder), "")
        message = self.fails(1, "transform", "a + 3", self.input, "-o", self.out, env={**self.environment, "CXX": "nothing -O1"})
        self.assertIn("CXX names 'nothing -O1', which is no program", message)
        message = self.fails(1, "transform", "a + 3", self.input, "-o", self.out, env={**self.environment, "CXX": "/bin/false"})
        self.assertIn("cannot be compiled", message)

    def test_names_of_any_bytes(self):
        folder = os.fsencode(self.folder) + b"/\xff"
        os.mkdir(folder)
        with open(folder + b"/seven.cu", "w") as source:
            source.write("__global__ void seven(int* x) { *x = 7; }\n")
        with open(folder + b"/eight.cu", "w") as source:
            source.write('#include "seven.cu"\n__global__ void eight(int* x) { *x = 8; }\n')
        for name, value, said in (("seven", 7, ""), ("eight", 8, "heddle: the name of a file is not UTF-8: the compiled kernel is not kept\n")):
            running = self.start("run", os.fsdecode(folder + b"/" + os.fsencode(name) + b".cu"), "--kernel", name, "--grid", 1, "--block", 1, "--arg",
                                 f"i32[1]=zeros:out={self.out}", "--target", "serial")
            self.assertEqual((running.communicate(timeout=300), running.returncode), (("", said), 0))
            self.assertEqual(np.load(self.out), value)

    def test_relative_folders(self):
        """They are those of the working directory, whose name is not part of what is compiled."""
        for name, value in (("one", 1), ("two", 2)):
            include = self.folder / name / "include"
            include.mkdir(parents=True)
            (include / "value.h").write_text(f"#define VALUE {value}\n")
        source = self.folder / "value.cu"
        source.write_text("#include <value.h>\n__global__ void set(int* x) { *x = VALUE; }\n")
        for compiles, name, value in ((True, "one", 1), (True, "two", 2), (False, "one", 1), (False, "two", 2)):
            running = self.start("run", source, "--kernel", "set", "--grid", 1, "--block", 1, "-I", "include", "--arg",
                                 f"i32[1]=zeros:out={self.out}", "--target", "serial", "--stats", cwd=self.folder / name)
            self.assertEqual(json.loads(running.communicate(timeout=300)[1])["cached"], not compiles)
            self.assertEqual(np.load(self.out), value)
        (self.folder / "one" / "include" / "value.h").write_text("#error this one\n")
        running = self.start("run", source, "--kernel", "set", "--grid", 1, "--block", 1, "-I", "include", "--arg", "i32[1]=zeros",
                             "--target", "serial", cwd=self.folder / "one")
        self.assertIn("\ninclude/value.h:1:2: error: #error this one\n", running.communicate(timeout=300)[1])


class HiddenHeadersTest(KernelCacheTest):
    """A header that comes to be found in place of another counts as a change of that."""

    def test_they_are_noticed(self):
        """In a folder that options or the environment name, and beside what includes the header."""
        folders = {name: self.folder / name for name in ("include", "path", "last")}
        for folder in folders.values():
            folder.mkdir()
        source = self.folder / "sources" / "value.cu"
        source.parent.mkdir()
        source.write_text('#include "outer.h"\n__global__ void set(int* x) { *x = VALUE; }\n')
        (folders["path"] / "outer.h").write_text('#include "value.h"\n')
        environment = {**self.environment, "CPATH": str(folders["path"]), "CPLUS_INCLUDE_PATH": str(folders["last"])}
        # From the folder that is searched last to that of what includes the header.
        for value, name in enumerate(("last", "include", "path")):
            (folders[name] / "value.h").write_text(f"#define VALUE {value}\n")
            for is_cached in (False, True):
                running = self.start("run", source, "--kernel", "set", "--grid", 1, "--block", 1, "-I", folders["include"], "--arg",
                                     f"i32[1]=zeros:out={self.out}", "--target", "serial", "--stats", env=environment)
                errors = running.communicate(timeout=300)[1]
                self.assertEqual(running.returncode, 0, errors)
                self.assertEqual((np.load(self.out)[0], json.loads(errors)["cached"]), (value, is_cached))


class WorkingFolderTest(KernelCacheTest):
    """Nothing is read from the folder that the command is started in."""

    def setUp(self):
        super().setUp()
        self.planted = self.folder / "planted"
        self.planted.mkdir()
        # The command itself may need these libraries; its loader reads an empty entry as the working directory.
        libraries = [folder for folder in self.environment.pop("LD_LIBRARY_PATH", "").split(":") if folder]
        if libraries:
            self.environment["LD_LIBRARY_PATH"] = ":".join(libraries)
        self.ran = self.folder / "ran"

    def plant_program(self, name):
        program = self.planted / name
        program.write_text(f"#!/bin/sh\necho {name} >> {self.ran}\nexit 1\n")
        program.chmod(0o755)

    def check(self, **changes):
        environment = {k: v for k, v in {**self.environment, "CXX": "", **changes}.items() if v or k != "CXX"}
        self.assertEqual(self.transform(cwd=self.planted, env=environment), "")
        self.assertFalse(self.ran.exists(), self.ran.read_text() if self.ran.exists() else "")
        shutil.rmtree(self.cache)

    def test_headers_of_the_device_language(self):
        for place in ("", "share/heddle/device"):
            header = self.planted / place / "heddle_device" / "language.hpp"
            header.parent.mkdir(parents=True)
            header.write_text("#error planted\n")
        self.check()
        # Found by a search of PATH, the command is called by a name that says nothing of where it is.
        self.start("transform", "a + 1", self.input, "-o", self.out, command="heddle", cwd=self.planted,
                   executable=HEDDLE).communicate(timeout=300)
        np.testing.assert_array_equal(np.load(self.out), np.arange(5) + 1.0)

    def test_programs(self):
        for name in ("g++", "clang++", "c++", "as", "ld", "collect2", "cc1plus"):
            self.plant_program(name)
        for path in (":/usr/bin:/bin", "/usr/bin:/bin:", "/usr/bin::/bin", ".:/usr/bin:/bin"):
            self.check(PATH=path)
        if shutil.which("clang++"):
            self.check(PATH=":/usr/bin:/bin", CXX="clang++")

    def test_libraries(self):
        for name in ("libgcc_s.so.1", "libm.so.6", "libstdc++.so", "libc.so.6", "crti.o"):
            (self.planted / name).write_text("planted\n")
        (self.planted / "limits.h").write_text("#error planted\n")
        self.check()
        lists = ("CPATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH", "COMPILER_PATH")
        for begin, end in (("", ""), ("", ":"), (":/usr/include:", ""), ("", ":/usr/include:")):
            # With what is there, which the compiler may need.
            self.check(**{name: begin + self.environment.get(name, "") + end for name in lists})


if __name__ == "__main__":
    unittest.main()
