#!/usr/bin/env python3
"""What the command says of itself and of its machine, and of what it cannot do."""
import itertools
import json
import os
import shutil
import subprocess
import unittest

import numpy as np

from checks import HEDDLE, CommandTest, run, samples


class UsageTest(CommandTest):
    def test_wrong_usage(self):
        path = self.save(np.arange(6.0).reshape(2, 3))
        for arguments in (
                [], ["nonsense"], ["reduce"], ["reduce", path, "extra"], ["reduce", path, "--op", "mode"],
                ["reduce", path, "--dtype", "float16"], ["reduce", path, "--axis", 0], ["reduce", path, "--axis", "x"],
                ["reduce", path, "--target", "cloud"], ["reduce", path, "--target", "parallel:0"],
                ["reduce", path, "--target", "parallel:"], ["reduce", path, "--target", "gpu:-1"],
                ["reduce", path, "--target", "serial:2"], ["reduce", path, "--nonsense"], ["scan", path],
                ["scan", path, "-o", self.out, "--op", "mean"], ["info", "extra"]):
            self.assertIn("--help", self.fails(2, *arguments))

    def test_says_what_the_build_lacks(self):
        """In builds without libwebsockets or MPFR."""
        lacking = 0
        for arguments, lack, package, option in (
                # No machine has this address.
                (["view", "--no-open", "--host", "203.0.113.1"], "has no server", "libwebsockets-dev", "-DHEDDLE_VIEW=ON"),
                (["mandelbrot", "--center=0.3,0", "--zoom", "1e30", "--size", "9x6", "-o", self.folder / "x.png"], "takes MPFR", "libmpfr-dev",
                 "-DHEDDLE_MPFR=ON")):
            done = run(*arguments)
            if lack in done.stderr:
                lacking += 1
                self.assertEqual((done.returncode, done.stdout), (1, ""))
                for part in (package, "`make deps`", option):
                    self.assertIn(part, done.stderr)
                self.assertFalse((self.folder / "x.png").exists())
        if lacking == 0:
            self.skipTest("this build lacks nothing")

    def test_numbers_are_written_alike(self):
        x = samples("float32", (40, 50))
        path = self.save(x)
        self.assert_same(self.written("random", "uniform", "--shape", "1e1,2^2", "--seed", "2^40", "--offset", "1.5e3"),
                         self.written("random", "uniform", "--shape", "10,4", "--seed", 2**40, "--offset", 1500), "random")
        for given, plain in ((["histogram", path, "--bins", "2^4"], ["histogram", path, "--bins", "16"]),
                             (["histogram", path, "--bins", "010"], ["histogram", path, "--bins", "10"]),
                             (["fft", path, "--real", "--inverse", "--length", "9.8e1"], ["fft", path, "--real", "--inverse", "--length", "98"]),
                             (["sort", path, "--first", "2^2"], ["sort", path, "--first", "4"]),
                             (["scan", path, "--target", "parallel:2^1"], ["scan", path, "--target", "parallel:2"])):
            self.assert_same(self.written(*given), self.written(*plain), given)
        for given, plain in ((["pi", "--samples", "2^10", "--seed", "1e1"], ["pi", "--samples", 1024, "--seed", 10]),
                             (["life", "--random", "2^5x1e1", "--seed", "1e1", "--generations", "2^3", "--every", "4e0"],
                              ["life", "--random", "32x10", "--seed", 10, "--generations", 8, "--every", 4]),
                             (["laplace", "--size", "2e1x2^4", "--max-iterations", "1e1", "--check-every", "2^1", "--tolerance", 0],
                              ["laplace", "--size", "20x16", "--max-iterations", 10, "--check-every", 2, "--tolerance", 0]),
                             (["lbm", "cavity", "--quiet", "--size", "2^4x1e1", "--steps", "1e1", "--every", "2^1"],
                              ["lbm", "cavity", "--quiet", "--size", "16x10", "--steps", 10, "--every", 2])):
            # The last figure of pi is a rate.
            self.assertEqual(run(*given).stdout.split("\n")[:2], run(*plain).stdout.split("\n")[:2], given)
            self.assertEqual(run(*given).returncode, 0)
        self.assertEqual(run("mandelbrot", "--size", "2^4x1e1", "--iterations", "1e2", "--counts", self.out).returncode, 0)
        self.assertEqual((np.load(self.out).shape, np.load(self.out).max()), ((10, 16), 100))
        self.out.unlink()
        for text in ("1.5", "1e-1", "2^64", "2^", "^2", "2^-1", "1e20", "18446744073709551616", "0x10", "1 000", "-1", "1e", "e1", "."):
            self.assertIn(f"--seed: '{text}' is no", self.fails(2, "pi", f"--seed={text}"))
        # No digit is lost, as a double would lose some.
        self.assertEqual(json.loads(run("pi", "--samples", 9, "--stats", "--seed", "1844674407370955161.5e1").stderr)["seed"], 2**64 - 1)

    def test_unknown_words_are_named(self):
        path = self.save(np.arange(6.0))
        for arguments, message in (
                (["mandelbrot", "--iteratons=5", "-o", "x.png"], "heddle mandelbrot: --iteratons: no such option: did you mean --iterations? (see"),
                (["mandelbrot", "--iteratons", 5], "heddle mandelbrot: --iteratons: no such option: did you mean --iterations? (see"),
                (["sort", "--axs", 0], "heddle sort: --axs: no such option: did you mean --axis? (see"),
                (["histogram", "--weight=x"], "heddle histogram: --weight: no such option: did you mean --weights? (see"),
                (["reduce", path, "--nonsense"], "heddle reduce: --nonsense: no such option (see"),
                (["reduce", path, "-x"], "heddle reduce: -x: no such option (see"),
                (["reduce", path, "other.npy"], "heddle reduce: 'other.npy' is one argument too many (see"),
                (["redcue", path], "heddle: redcue: no such subcommand: did you mean reduce? (see heddle --help)"),
                (["laplac"], "heddle: laplac: no such subcommand: did you mean laplace? (see heddle --help)"),
                (["frobnicate"], "heddle: frobnicate: no such subcommand (see heddle --help)"),
                (["--verison"], "heddle: --verison: no such option: did you mean --version? (see heddle --help)")):
            self.assertTrue(self.fails(2, *arguments).startswith(message), self.fails(2, *arguments))

    def test_targets_say_why_they_are_none(self):
        path = self.save(np.arange(6.0))
        self.assertIn('"0" is no number from 1', self.fails(2, "reduce", path, "--target", "parallel:0"))
        self.assertIn("gpu:ID or auto", self.fails(2, "bench", "reduce", "--target", "cloud"))

    def test_options_without_a_value(self):
        """As of a variable of a script that is not set: nothing begins anew, and nothing is left out."""
        path = self.save(np.arange(6.0))
        state = self.folder / "state"
        for arguments in (["reduce", path, "-o", ""], ["reduce", path, "--output="], ["histogram", path, "-o", self.out, "--edges", ""],
                          ["histogram", path, "-o", self.out, "--weights", ""], ["laplace", "--size", "9x9", "--source", ""],
                          ["lbm", "cavity", "--steps", 1, "--checkpoint", state, "--resume", ""],
                          ["lbm", "cavity", "--steps", 1, "--profile", ""], ["random", "uniform", "--seed", 1, "-o", self.out, "--shape", ""],
                          ["bench", "reduce", "--size", 9, "--json", ""], ["reduce", path, "--target", ""]):
            self.assertIn(f"{str(arguments[-2 if arguments[-1] == '' else -1]).rstrip('=')}", self.fails(2, *arguments))

    def test_axis_out_of_range(self):
        path = self.save(np.zeros((2, 3)))
        for command, axis in itertools.product(("reduce", "scan"), (2, -3, 2**40)):
            message = self.fails(1, command, path, "--axis", axis, "-o", self.out)
            self.assertIn(f"axis {axis}", message)
            self.assertIn("(2, 3)", message)

    def test_bad_files(self):
        good = self.save(np.arange(1000.0)).read_bytes()
        objects = self.folder / "objects.npy"
        np.save(objects, np.array([{}, None]), allow_pickle=True)
        bad = {"truncated.npy": (good[:-9], "truncated"), "header.npy": (good[:40], "byte"),
               "empty.npy": (b"", "empty"), "text.npy": (b"1, 2, 3\n" * 20, "no .npy file"),
               "objects.npy": (objects.read_bytes(), "objects")}
        for name, (content, reason) in bad.items():
            path = self.folder / name
            path.write_bytes(content)
            for command in (["reduce", path], ["reduce", path, "-o", self.out], ["scan", path, "-o", self.out]):
                message = self.fails(1, *command)
                self.assertIn(reason, message)
                self.assertIn(str(path), message)
        self.assertIn("No such file", self.fails(1, "reduce", self.folder / "missing.npy"))
        self.assertIn("directory", self.fails(1, "reduce", self.folder))

    def test_names_do_not_steer_the_terminal(self):
        for status, arguments in ((1, ["reduce", self.folder / "a\x1b[2J\x7f\tb"]),
                                  (2, ["reduce", self.out, "--target", "a\x1b[2J\x7f\tb"])):
            self.assertIn("a\\x1b[2J\\x7f\tb", self.fails(status, *arguments))

    def test_names_with_ends_of_lines_are_shown_in_one_line(self):
        broken = "no\nfile.npy"
        path = self.save(np.ones((2, 3)))
        for status, arguments in ((1, ["reduce", broken]), (1, ["scan", path, "-o", f"nowhere/{broken}"]),
                                  (1, ["life", broken, "--generations", 1]), (1, ["laplace", "--edges", broken]),
                                  (1, ["run", broken, "--kernel", "f", "--grid", 1, "--block", 1]),
                                  (1, ["histogram", path, "-o", self.out, "--edges", broken]),
                                  (2, ["reduce", path, "--op", broken]), (2, ["reduce", path, broken]), (2, [broken])):
            self.assertIn("no\\nfile.npy", self.fails(status, *arguments))

    def test_the_environment_chooses_the_instruction_set(self):
        def found(name, *arguments):
            return run(*arguments, env=dict(os.environ, HEDDLE_SIMD=name))

        widest = self.machine["cpu"]["instruction_set"] if not os.environ.get("HEDDLE_SIMD") else \
            json.loads(found("", "info", "--json").stdout)["cpu"]["instruction_set"]
        order = ["baseline", "avx2", "avx512"]
        present, absent = order[:order.index(widest) + 1], order[order.index(widest) + 1:]
        self.assertEqual(json.loads(found("", "info", "--json").stdout)["cpu"]["instruction_set"], widest)
        x = samples("float32", (1003,))
        path = self.save(x)
        sums = set()
        for name in present:
            self.assertEqual(json.loads(found(name, "info", "--json").stdout)["cpu"]["instruction_set"], name)
            self.assertRegex(found(name, "info").stdout, rf"(?m)^SIMD +{name}$")
            sums.add(found(name, "reduce", path).stdout)
        self.assertEqual(len(sums), 1)
        self.assertAlmostEqual(float(sums.pop()), float(x.sum(dtype=np.float64)), places=2)
        for name in absent + ["AVX2", "sse2", "avx2 "]:
            for arguments in (["info"], ["reduce", path], ["pi", "--samples", 1000], ["life", "--random", "20x10", "--generations", 2]):
                done = found(name, *arguments)
                self.assertEqual((done.returncode, done.stdout), (1, ""), (name, arguments))
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
                self.assertIn(f"HEDDLE_SIMD={name}: this processor and this build have {', '.join(present)}: unset", done.stderr)

    def test_output_that_cannot_be_written(self):
        path = self.save(np.arange(10.0))
        self.fails(1, "scan", path, "-o", self.folder / "missing" / "out.npy")
        self.fails(1, "reduce", path, "--axis", 0, "-o", self.folder)
        # A failure leaves the file that was there as it was.
        self.out.write_bytes(b"precious")
        self.fails(1, "scan", path, "--axis", 7, "-o", self.out)
        self.fails(1, "scan", self.folder / "missing.npy", "-o", self.out)
        self.assertEqual(self.out.read_bytes(), b"precious")
        # It is known before the work, which would last longer than any run may here.
        done = run("reduce", self.sparse_file(1 << 43), "--target", "serial", "-o", self.folder / "missing" / "out.npy")
        self.assertEqual(done.returncode, 1)
        self.assertIn("No such file", done.stderr)

    def test_standard_output_that_cannot_be_written(self):
        path = self.save(np.arange(10.0))
        for arguments in (["reduce", path], ["info", "--json"], ["--help"], ["--version"]):
            with open("/dev/full", "w") as full:
                done = subprocess.run([HEDDLE, *arguments], stdout=full, stderr=subprocess.PIPE, text=True)
            self.assertEqual(done.returncode, 1, arguments)
            self.assertIn("standard output", done.stderr)
            done = subprocess.run(["sh", "-c", '"$@" >&-', "sh", HEDDLE, *arguments], stderr=subprocess.PIPE, text=True)
            self.assertEqual(done.returncode, 1, arguments)
            self.assertIn("standard output", done.stderr)

    def test_failure_to_print_leaves_the_output_as_it_was(self):
        path = self.save(np.arange(10.0))
        self.out.write_bytes(b"precious")
        with open("/dev/full", "w") as full:
            done = subprocess.run([HEDDLE, "reduce", path, "-o", self.out], stdout=full, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(self.out.read_bytes(), b"precious")

    def test_standard_error_that_cannot_be_written(self):
        """The work is done, and the exit status is what it would have been."""
        path = self.save(np.arange(10.0))
        for status, arguments in ((0, ["reduce", path, "--stats"]), (1, ["reduce", self.folder / "missing.npy"]),
                                  (2, ["reduce"])):
            for redirection in ("2>&-", "2>/dev/full"):
                done = subprocess.run(["sh", "-c", f'"$@" {redirection}', "sh", HEDDLE, *arguments],
                                      stdout=subprocess.PIPE)
                self.assertEqual(done.returncode, status, (arguments, redirection))

    def test_target_that_is_not_there(self):
        path = self.save(np.arange(10.0))
        self.fails(1, "reduce", path, "--target", "gpu:99")
        self.assertIn("threads", self.fails(1, "reduce", path, "--target", "parallel:999999"))

    def test_help_and_version(self):
        for arguments in (["--help"], ["reduce", "--help"], ["scan", "--help"], ["info", "--help"],
                          ["bench", "--help"]):
            done = run(*arguments)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("Usage: heddle", done.stdout)
        self.assertRegex(self.printed("--version"), r"^heddle \d+\.\d+\.\d+$")

    def test_stats(self):
        x = samples("int16", 100_000)
        path = self.save(x)
        for command, pattern, dtype in ((["reduce", path], "reduce", "int64"),
                                        (["reduce", path, "--op", "argmin"], "reduce", "int16"),
                                        (["scan", path, "-o", self.out], "scan", "int64")):
            for target in ("serial", "parallel:2", "auto"):
                done = run(*command, "--stats", "--target", target)
                self.assertEqual(done.returncode, 0)
                self.assertEqual(done.stderr.count("\n"), 1)
                stats = json.loads(done.stderr)
                self.assertEqual((stats["pattern"], stats["n"], stats["dtype"]), (pattern, x.size, dtype))
                self.assertIn(stats["target"], [target] if target != "auto" else self.machine["targets"])
                self.assertIsInstance(stats["algorithm"], str)
                self.assertGreater(stats["seconds"], 0)
                self.assertGreater(stats["gb_per_s"], 0)

    def test_small_arrays_stay_on_the_cpu(self):
        done = run("reduce", self.save(np.arange(1000.0)), "--stats")
        self.assertEqual(json.loads(done.stderr)["target"], "serial")

    def test_one_of_several_processes_without_mpi(self):
        path = self.save(np.arange(6.0))
        alone = self.folder / "heddle"  # with no heddle-mpi beside it
        shutil.copy(HEDDLE, alone)
        of_two = {name: value for name, value in os.environ.items() if name != "HEDDLE_RANKS"} | {"PMI_SIZE": "2", "PMI_RANK": "0"}

        def reduce(environment):
            done = subprocess.run([alone, "reduce", path], capture_output=True, text=True, timeout=300, env=environment)
            return done.returncode, done.stdout, done.stderr

        status, printed, told = reduce(of_two)
        self.assertEqual((status, printed, told.count("\n")), (1, "", 1))
        self.assertIn("built without MPI", told)
        self.assertEqual(reduce(of_two | {"HEDDLE_RANKS": "1"}), (0, "15\n", ""))
        self.assertEqual(reduce(of_two | {"PMI_SIZE": "1"}), (0, "15\n", ""))

    def test_info(self):
        self.assertEqual(self.machine["targets"][0], "serial")
        self.assertGreaterEqual(self.machine["cpu"]["cores"], 1)
        self.assertGreater(self.machine["cpu"]["read_bytes_per_second"]["one_core"], 0)
        self.assertIn("oneTBB", self.machine["libraries"])
        self.assertRegex(self.machine["cuda"]["toolkit"] or "0.0", r"^\d+\.\d+$")
        done = run("info")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for target in self.machine["targets"]:
            self.assertIn(target, done.stdout)


if __name__ == "__main__":
    unittest.main()
