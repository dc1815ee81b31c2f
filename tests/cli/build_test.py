#!/usr/bin/env python3
"""Programs that builds make: heddle-nvcc in nvcc's place, and lists of compile commands."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

HEDDLE = pathlib.Path(os.environ["HEDDLE"])
NVCC = HEDDLE.parent / "heddle-nvcc"
FILES = pathlib.Path(__file__).parent.parent / "checker" / "programs"


class Build(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.work = pathlib.Path(self.folder.name)
        shutil.copytree(FILES / "several_files", self.work / "several_files")
        for name in ("several_files.cu", "relocatable_code.cu"):
            shutil.copy(FILES / name, self.work)
        self.environment = {**os.environ, "XDG_CACHE_HOME": os.environ.get("HEDDLE_TEST_CACHE", str(self.work / "cache"))}
        self.environment.pop("HEDDLE_CHECK_OPTIONS", None)

    def run_words(self, *words, options=None):
        environment = dict(self.environment, **({"HEDDLE_CHECK_OPTIONS": options} if options else {}))
        return subprocess.run([str(w) for w in words], cwd=self.work, env=environment, capture_output=True, text=True, timeout=300)

    def build(self, *words):
        done = self.run_words(NVCC, *words)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_objects_are_linked_into_a_program_that_checks_itself(self):
        self.build("-O3", "-std=c++14", "-arch=sm_90", "--expt-relaxed-constexpr", "-c", "several_files.cu", "-o", "main.o")
        self.build("-Xcompiler", "-Wall,-O2", "-DMOST_THREADS=128", "-MD", "-MF", "add.d", "-c", "several_files/add.cu")
        self.assertRegex((self.work / "add.d").read_text(), r"^add\.o:[^:]*several_files/parts\.hpp")
        self.build("-c", "several_files/free.cpp", "several_files/fill.c")
        self.build("-lib", "add.o", "free.o", "fill.o", "-o", "libparts.a")
        self.build("main.o", "-L.", "-lparts", "-lcudart", "-lcublas", "-o", "whole")
        clean = self.run_words("./whole")
        self.assertEqual((clean.returncode, clean.stdout), (0, "sum 14850\n"))
        self.assertIn("./whole: clean (2 launches", clean.stderr)
        races = self.run_words(self.work / "whole", "races")
        self.assertEqual(races.returncode, 1)
        self.assertIn("several_files/add.cu:16: data race on sum", races.stderr)
        told = self.run_words("./whole", "races", options="--error-exitcode 7 --report 'its report'")
        self.assertEqual((told.returncode, told.stderr), (7, ""))
        self.assertIn("data race on sum", (self.work / "its report").read_text())

    def test_options_say_how_many_devices_there_are(self):
        (self.work / "count.cu").write_text("#include <cstdio>\n"
                                            'int main() { int n; cudaGetDeviceCount(&n); std::printf("%d\\n", n); }\n')
        self.build("count.cu", "-o", "count")
        self.assertEqual(self.run_words("./count").stdout, "1\n")
        self.assertEqual(self.run_words("./count", options="--devices 3").stdout, "3\n")

    def test_sources_become_a_program_at_once(self):
        self.build("-dc", "relocatable_code.cu", "-o", "a.o")
        self.build("-rdc=true", "a.o", "several_files/linked.cu", "-o", "whole")
        self.assertEqual(self.run_words("./whole").stdout, "count 192\n")
        # As CMake and make link code of the device, too.
        self.build("-dlink", "a.o", "-o", "device.o")
        self.build("a.o", "device.o", "several_files/linked.cu", "-rdc=true", "-o", "whole")
        self.assertIn("out of bounds: x[64]", self.run_words("./whole", "overrun").stderr)

    @unittest.skipIf(shutil.which("cmake") is None, "there is no CMake")
    def test_cmake_builds_with_it(self):
        (self.work / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.18)\nproject(builds LANGUAGES CXX CUDA)\n"
            "find_package(CUDAToolkit 11.5 REQUIRED)\n"
            "add_executable(whole relocatable_code.cu several_files/linked.cu)\n"
            "target_link_libraries(whole PRIVATE CUDA::cudart_static CUDA::cublas CUDA::cuda_driver)\n"
            "set_target_properties(whole PROPERTIES CUDA_SEPARABLE_COMPILATION ON)\n")
        for words in (["-B", "built", f"-DCMAKE_CUDA_COMPILER={NVCC}"], ["--build", "built"]):
            done = self.run_words("cmake", *words)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        done = self.run_words("built/whole", "overrun")
        self.assertEqual((done.returncode, done.stdout), (1, "count 192\n"))
        self.assertIn("relocatable_code.cu:15: out of bounds: x[64]", done.stderr)

    def test_what_it_cannot_make_is_refused(self):
        for words, said in ((["-ptx", "several_files.cu"], "-ptx: code of a GPU is not made"),
                            (["-shared", "several_files.cu"], "-shared: shared libraries are not made"),
                            (["--unheard-of", "several_files.cu"], "the option --unheard-of is not known"),
                            (["-o"], "-o has no value"), ([], "no files are named"),
                            (["-c", "several_files.cu", "main.cu", "-o", "all.o"], "-o with -c and several sources"),
                            (["-E", "several_files.cu"], "preprocessing alone is not supported"),
                            (["-c", "missing.cu"], "missing.cu: cannot be read"),
                            (["several_files/linked.cu", "-o", "whole"], "heddle_module_main")):
            done = self.run_words(NVCC, *words)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertIn(said, done.stderr)
            self.assertTrue(done.stderr.startswith("heddle-nvcc: "))
        self.assertIn("release 13.0", self.run_words(NVCC, "--version").stdout)

    def test_what_is_no_such_program_is_refused(self):
        (self.work / "whole").write_text("#!/bin/sh\n")
        done = self.run_words(HEDDLE, "--run-built-program", "whole")
        self.assertEqual(done.returncode, 2)
        self.assertIn("whole: not a program that heddle-nvcc has built", done.stderr)

    def test_targets_of_a_list_of_compile_commands(self):
        commands = "several_files/compile_commands.json"
        races = self.run_words(HEDDLE, "check", "--compile-commands", commands, "whole", "--", "races")
        self.assertEqual(races.returncode, 1)
        self.assertIn("several_files/add.cu:16: data race on sum", races.stderr)
        missing = self.run_words(HEDDLE, "check", "--compile-commands", commands, "whole,part")
        self.assertEqual(missing.returncode, 2)
        self.assertIn("no target part is compiled there, but whole", missing.stderr)
        (self.work / "none.json").write_text("{")
        wrong = self.run_words(HEDDLE, "check", "--compile-commands", "none.json", "whole")
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("none.json: not a list of compile commands", wrong.stderr)


if __name__ == "__main__":
    unittest.main()
