#!/usr/bin/env python3
"""Usage: command_over_ranks_test.py MPIRUN HEDDLE: the command under mpirun prints and writes what it does alone, bit for bit, and
says once why it cannot."""
import contextlib
import itertools
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import numpy as np

import mpirun

LAUNCHER, HEDDLE = sys.argv[1:3]
RANKS = (2, 3, 4, 7)
MOSTLY = (2, 3, 2, 4, 2, 3, 2, 7)
HOST = os.uname().nodename
# What mpirun adds about the processes that it ended is its own.
OWN = "heddle"


def lines_of(result):
    return [line for line in result.stderr.splitlines() if line.startswith(OWN)]


class OverRanksTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        random = np.random.default_rng(1)
        arrays = {"floats": random.normal(size=100_003).astype("f4"),
                  "shorts": random.integers(-5, 100, (300, 257)).astype("i2"),
                  "complexes": (random.normal(size=(40, 51)) + 1j * random.normal(size=(40, 51))).astype("c8"),
                  "fortran": np.asfortranarray(random.normal(size=(77, 33))),
                  "swapped": random.normal(size=1_001).astype(">f8"),
                  "flags": random.random(999) < 0.5,
                  "few": np.array([2.5, -1, 7]), "none": np.zeros((0, 4)), "one": np.array(3.5)}
        # Fewer columns than ranks, with equal elements and a NaN; and three axes.
        arrays["tall"] = random.integers(0, 50, (501, 3)).astype("f4")
        arrays["tall"][300, 1] = np.nan
        arrays["zeros"] = random.choice([0.0, -0.0, 1.0], (60, 9))
        arrays["cube"] = random.normal(size=(11, 6, 5)).astype("f4")
        arrays["nan"] = arrays["floats"].copy()
        arrays["nan"][70_000] = np.nan
        arrays |= {"wide": random.normal(size=(33, 200)), "other": random.normal(size=(3, 70)), "right": random.normal(size=(5, 4)),
                   "cubes": random.normal(size=(11, 5, 7))}
        for name, x in arrays.items():
            np.save(cls.folder / f"{name}.npy", x)

    def alone(self, *words):
        return subprocess.run([HEDDLE, *words], capture_output=True, text=True, cwd=self.folder, timeout=60)

    def over(self, ranks, *words, **options):
        return mpirun.run(LAUNCHER, ranks, HEDDLE, *words, cwd=self.folder, timeout=250, **options)

    def same(self, ranks, *words, outputs=("out.npy",)):
        """Runs both, and compares what they print and the bytes of the files."""
        made = []
        for run in (self.alone, lambda *w: self.over(ranks, *w)):
            for name in outputs:
                (self.folder / name).unlink(missing_ok=True)
            result = run(*words)
            self.assertEqual(result.returncode, 0, (ranks, words, result.stderr))
            made.append((result.stdout, [(self.folder / n).read_bytes() if (self.folder / n).exists() else None for n in outputs]))
        self.assertEqual(made[0], made[1], (ranks, words))

    def test_files_are_those_of_one_process(self):
        commands = [
            "reduce floats.npy", "scan floats.npy -o out.npy", "sort floats.npy -o out.npy", "random normal --shape 70001 --seed 3 -o out.npy",
            "reduce shorts.npy --op mean", "reduce nan.npy --op median", "reduce floats.npy --op percentile --percentile 0,12.5,99",
            "reduce shorts.npy --op std --ddof 1", "reduce floats.npy --op var -o out.npy", "reduce nan.npy --op argmin",
            "reduce shorts.npy --op argmax", "reduce complexes.npy --op prod", "reduce flags.npy", "reduce flags.npy --op all",
            "reduce few.npy --op min", "reduce none.npy", "reduce one.npy", "reduce swapped.npy --dtype float32",
            "reduce shorts.npy --axis 0 -o out.npy", "reduce fortran.npy --axis 1 --op max -o out.npy",
            "reduce complexes.npy --axis -1 --op mean -o out.npy", "reduce shorts.npy --axis 0 --op any -o out.npy",
            "reduce floats.npy --axis 0 -o out.npy", "reduce none.npy --axis 0 -o out.npy",
            "reduce shorts.npy --axis 0 --op argmax -o out.npy", "reduce tall.npy --axis 1 --op argmin -o out.npy",
            "reduce complexes.npy --axis 0 --op std -o out.npy", "reduce fortran.npy --axis 1 --op var --ddof 1 -o out.npy",
            "reduce tall.npy --axis 0 --op median -o out.npy", "reduce shorts.npy --axis 1 --op median -o out.npy",
            "reduce shorts.npy --axis 0 --op percentile --percentile 0,12.5,99 -o out.npy",
            "reduce cube.npy --axis 1 --op percentile --percentile 33,90 -o out.npy",
            "sort tall.npy --axis 0 -o out.npy", "sort shorts.npy --axis 1 --descending --indices -o out.npy",
            "sort shorts.npy --axis 0 --first 3 --indices -o out.npy", "sort cube.npy --axis 1 --first 2 -o out.npy",
            "sort zeros.npy --axis 0 --first 9 -o out.npy", "sort zeros.npy --axis 1 --descending --first 4 -o out.npy",
            "sort tall.npy --axis 0 --descending --first 7 -o out.npy", "sort tall.npy --first 300 --descending --indices -o out.npy",
            "scan shorts.npy --exclusive --init 5 -o out.npy", "scan fortran.npy --axis 0 -o out.npy",
            "scan complexes.npy --axis 1 --op prod -o out.npy", "scan nan.npy --op max -o out.npy", "scan none.npy -o out.npy",
            "scan shorts.npy --op difference -o out.npy", "scan fortran.npy --op difference --axis 0 -o out.npy",
            "scan tall.npy --op difference --axis 1 -o out.npy", "scan few.npy --op difference -o out.npy",
            "sort shorts.npy --descending -o out.npy", "sort shorts.npy --indices -o out.npy", "sort nan.npy --first 20 -o out.npy",
            "sort shorts.npy --first 3 --indices -o out.npy", "sort few.npy -o out.npy",
            "transform a*sqrt(abs(b))+i floats.npy b=nan.npy -o out.npy", "transform a+b shorts.npy one.npy -o out.npy",
            "transform a*2 one.npy -o out.npy", "histogram floats.npy --write-edges edges.npy -o out.npy",
            "histogram shorts.npy --range 0 50 --bins 7 -o out.npy", "histogram floats.npy --edges sorted.npy -o out.npy",
            "histogram floats.npy --bins 40 --weights nan.npy --write-edges edges.npy -o out.npy",
            "histogram shorts.npy --range 0 50 --weights shorts.npy -o out.npy", "histogram few.npy --weights few.npy -o out.npy",
            "matmul fortran.npy wide.npy --algorithm tiled -o out.npy", "matmul tall.npy few.npy --algorithm naive -o out.npy",
            "matmul few.npy other.npy --algorithm naive -o out.npy", "matmul few.npy few.npy --algorithm naive -o out.npy",
            "matmul cube.npy right.npy --algorithm naive -o out.npy", "matmul cube.npy cubes.npy --algorithm tiled -o out.npy",
            "random integers --shape 300,17 --seed 3 --high 90 --dtype int8 -o out.npy", "random permutation --shape 5003 --seed 3 -o out.npy"]
        np.save(self.folder / "sorted.npy", np.linspace(-2, 2, 9))
        lengths = np.load(self.folder / "fortran.npy").shape
        np.save(self.folder / "held.npy", np.arange(np.prod(lengths)).reshape(lengths) % 7 == 0)
        ranks = itertools.cycle(MOSTLY)
        for command in commands:
            self.same(next(ranks), *command.split(), outputs=("out.npy", "edges.npy"))
        # The headline, for every number of ranks.
        for n in RANKS:
            self.same(n, "scan", "floats.npy", "-o", "out.npy")
        # Simulations.
        for command in ("life --random 200x150 --seed 5 --generations 70 --every 30 -o out.npy",
                        "life --random 50x40 --topology infinite --generations 41 -o out.rle",
                        "life --random 40x30 --topology plane --generations 20 --every 5 -o out.gif"):
            self.same(next(ranks), *command.split(), outputs=("out.npy", "out.rle", "out.gif"))
        for command in ("laplace --size 65x49 -o out.npy", "laplace --size 40x33 --method jacobi --max-iterations 60 --dtype float32 -o out.png",
                        "laplace --edges fortran.npy --method red-black --max-iterations 30 -o out.vti",
                        "laplace --edges fortran.npy --held held.npy --max-iterations 5 -o out.npy",
                        "laplace --edges fortran.npy --held held.npy --method jacobi --max-iterations 20 -o out.npy",
                        "mandelbrot --size 90x70 --counts out.npy -o out.png",
                        "lbm cavity --size 40x30 --steps 50 --quiet --profile out.csv -o out.npy",
                        "lbm cylinder --size 60x31 --steps 40 --every 20 --quiet --forces out.csv --field vorticity -o out.gif",
                        "lbm taylor-green --size 24x24 --steps 30 --quiet --checkpoint out.state -o out.vti"):
            self.same(next(ranks), *command.split(), outputs=("out.npy", "out.png", "out.vti", "out.gif", "out.csv", "out.state"))
        alone, several = self.alone("pi", "--samples", "1e6"), self.over(3, "pi", "--samples", "1e6")
        self.assertEqual(alone.stdout.splitlines()[:2], several.stdout.splitlines()[:2])

    def test_targets_are_those_of_each_rank(self):
        for target in ("serial", "parallel", "parallel:2"):
            self.same(2, "reduce", "floats.npy", "--target", target)

    def test_the_first_rank_speaks(self):
        result = self.over(3, "reduce", "floats.npy", "--stats")
        self.assertEqual(len(result.stdout.splitlines()), 1)
        self.assertEqual(len([line for line in result.stderr.splitlines() if line.startswith("{")]), 1, result.stderr)
        self.assertEqual(self.over(3, "--version").stdout, self.alone("--version").stdout)

    def test_what_all_do_wrong_is_told_once_and_as_by_one(self):
        for words in ("reduce absent.npy", "reduce floats.npy --bad", "sort complexes.npy -o out.npy", "reduce none.npy --op max",
                      "scan floats.npy --dtype int7 -o out.npy", "bad"):
            one, several = self.alone(*words.split()), self.over(3, *words.split())
            self.assertEqual(several.returncode, one.returncode, words)
            self.assertEqual(lines_of(several), one.stderr.splitlines(), words)

    def test_what_makes_no_sense_over_ranks_is_refused_by_name(self):
        for words, wanted in {"fft few.npy -o out.npy": "fft: it works in one process",
                              "reduce - --op sum": "standard input goes to one rank alone",
                              "reduce floats.npy --algorithm tree": "--algorithm: over ranks",
                              "scan floats.npy --algorithm blelloch -o out.npy": "--algorithm: over ranks"}.items():
            result = self.over(2, *words.split())
            self.assertEqual(result.returncode, 2, (words, result.stderr))
            self.assertEqual(len(lines_of(result)), 1, result.stderr)
            self.assertIn(wanted, result.stderr)
            self.assertFalse((self.folder / "out.npy").exists())

    def script(self, text):
        """Two ranks of a shell script, where $OMPI_COMM_WORLD_RANK is the number."""
        return mpirun.run(LAUNCHER, 2, "sh", "-c", text, cwd=self.folder, timeout=250)

    def test_ranks_that_differ_are_told_before_anything_starts(self):
        result = self.script(f"exec {HEDDLE} reduce $([ $OMPI_COMM_WORLD_RANK = 0 ] && echo floats.npy || echo nan.npy)")
        self.assertEqual(lines_of(result), [f"heddle: ranks have different arguments: rank 0 on {HOST} 'reduce floats.npy', "
                                            f"rank 1 on {HOST} 'reduce nan.npy'"])
        part = "mkdir -p of$OMPI_COMM_WORLD_RANK; cd of$OMPI_COMM_WORLD_RANK; "
        result = self.script(part + f"[ $OMPI_COMM_WORLD_RANK = 1 ] || cp ../floats.npy own.npy; exec {HEDDLE} reduce own.npy")
        self.assertIn(f"own.npy: it is not the same file for all ranks: rank 0 on {HOST}: 400140 bytes", result.stderr)
        self.assertIn(f"rank 1 on {HOST}: No such file", result.stderr)
        result = self.script(part + f"cp ../$([ $OMPI_COMM_WORLD_RANK = 1 ] && echo nan || echo shorts).npy own.npy; exec {HEDDLE} reduce own.npy")
        self.assertIn("not the same file for all ranks", result.stderr)
        copy = self.folder / "copy"
        copy.mkdir()
        # Another build: the same program, whose linker would have called it otherwise.
        program = (pathlib.Path(HEDDLE).parent / "heddle-mpi").read_bytes()
        identity = subprocess.run(["readelf", "-n", HEDDLE + "-mpi"], capture_output=True, text=True).stdout
        identity = bytes.fromhex(identity.split("Build ID: ")[1].split()[0])
        (copy / "heddle-mpi").write_bytes(program.replace(identity, bytes(len(identity))))
        (copy / "heddle-mpi").chmod(0o755)
        result = self.script(f"[ $OMPI_COMM_WORLD_RANK = 0 ] && exec {HEDDLE} reduce floats.npy; exec copy/heddle-mpi reduce floats.npy")
        self.assertEqual(lines_of(result), [f"heddle: rank 1 on {HOST} runs another build of Heddle than rank 0 on {HOST}"])

    def test_a_rank_that_fails_ends_all(self):
        """Without memory on one rank, after they began together."""
        np.lib.format.open_memmap(self.folder / "large.npy", "w+", "f4", (40_000_000,)).flush()
        result = self.script(f"[ $OMPI_COMM_WORLD_RANK = 1 ] && ulimit -v 600000; exec {HEDDLE} sort large.npy --target serial -o out.npy")
        self.assertNotEqual(result.returncode, 0)
        self.assertEqual(len(lines_of(result)), 1, result.stderr)
        self.assertIn(f"heddle: rank 1 of 2 on {HOST}: sort: ", result.stderr)
        self.assertIn("memory", result.stderr)
        self.assertFalse((self.folder / "out.npy").exists())

    def test_ranks_that_fail_together_are_told_once(self):
        """After they began, however slowly they end."""
        np.lib.format.open_memmap(self.folder / "larger.npy", "w+", "f4", (160_000_000,)).flush()
        for _ in range(5):
            result = mpirun.run(LAUNCHER, 4, "sh", "-c", f"ulimit -v 600000; exec {HEDDLE} sort larger.npy --target serial -o out.npy",
                                cwd=self.folder, timeout=120)
            self.assertNotEqual(result.returncode, 0)
            self.assertEqual(len(lines_of(result)), 1, result.stderr)
            self.assertIn("memory", result.stderr)

    def test_a_rank_that_is_killed_leaves_the_old_file(self):
        np.lib.format.open_memmap(self.folder / "large.npy", "w+", "f4", (40_000_000,)).flush()
        (self.folder / "out.npy").write_bytes(b"old")
        pids = {self.folder / "pid0", self.folder / "pid1"}
        before = set(self.folder.iterdir()) | pids

        def until(happened, run):
            while not happened() and run.poll() is None:
                time.sleep(0.001)

        def killed(rank, wait):
            """Whether the rank was killed before the run had ended, at the end of `wait`, which may come too late."""
            for pid in pids:
                pid.unlink(missing_ok=True)
            run = mpirun.start(LAUNCHER, 2, "sh", "-c", f"echo $$ > pid$OMPI_COMM_WORLD_RANK; exec {HEDDLE} sort large.npy -o out.npy", cwd=self.folder)
            until(lambda: all(pid.exists() and pid.read_text() for pid in pids), run)
            wait(run)
            with contextlib.suppress(ProcessLookupError):  # it has ended
                os.kill(int((self.folder / f"pid{rank}").read_text()), signal.SIGKILL)
            run.communicate(timeout=200)
            if run.returncode == 0:
                (self.folder / "out.npy").write_bytes(b"old")
                return False
            self.assertEqual((self.folder / "out.npy").read_bytes(), b"old")
            self.assertEqual(set(self.folder.iterdir()) - before, set())
            return True

        def writes(rank):
            """Whether it has the new file open, which has no name yet, or one of its own where the file system must name it."""
            own = str(self.folder.resolve())
            files = []
            with contextlib.suppress(FileNotFoundError, PermissionError, ProcessLookupError):  # it has ended
                files = list(pathlib.Path(f"/proc/{(self.folder / f'pid{rank}').read_text().strip()}/fd").iterdir())
            for file in files:
                with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # closed meanwhile
                    if (opened := os.readlink(file)).startswith(own) and opened != f"{own}/large.npy":
                        return True
            return False

        # While the new file is written, as the ranks start, and while they sort.
        while not killed(0, lambda run: until(lambda: writes(0), run)):
            pass
        while not killed(0, lambda run: None):
            pass
        pause = 0.5
        while not killed(1, lambda run: time.sleep(pause)):
            pause /= 2

    LONG = ("lbm", "cavity", "--size", "32x24", "--steps", "100000000", "--quiet", "--checkpoint", "state")

    def started(self, *words, patience=1):
        """Two ranks of a long run, whose process numbers and messages are in files, once they have written a state. So many seconds
        Open MPI waits for what was asked to end, whether that takes less or not. Meanwhile it reads nothing, so that a rank which
        prints much would stand still; and what they say it may lose."""
        (self.folder / "state").unlink(missing_ok=True)
        run = mpirun.start(LAUNCHER, 2, "--mca", "odls_base_sigkill_timeout", str(patience), "sh", "-c",
                           f"echo $$ > pid$OMPI_COMM_WORLD_RANK; exec {HEDDLE} {' '.join(words)} > /dev/null 2> told$OMPI_COMM_WORLD_RANK", cwd=self.folder)
        while not (self.folder / "state").exists() and run.poll() is None:
            time.sleep(0.05)
        return run

    def resumed(self):
        """The number of steps of the state, which must be whole."""
        result = self.alone("lbm", "cavity", "--resume", "state", "--steps", "0", "--quiet")
        self.assertEqual(result.returncode, 0, result.stderr)
        return int(result.stdout.split()[1])

    def test_one_ctrl_c_writes_the_last_state(self):
        run = self.started(*self.LONG, "--every", "20", patience=15)
        first = self.resumed()
        run.send_signal(signal.SIGINT)
        _, told = run.communicate(timeout=200)
        told += "".join((self.folder / f"told{rank}").read_text() for rank in (0, 1))
        self.assertEqual([line for line in told.splitlines() if line.startswith(OWN)], ["heddle lbm: interrupted"], told)
        last = self.resumed()
        self.assertGreaterEqual(last, first)
        # The state of all ranks, as one process has it after as many steps.
        (self.folder / "state").rename(self.folder / "of_ranks")
        self.alone("lbm", "cavity", "--size", "32x24", "--steps", str(last), "--quiet", "--checkpoint", "state")
        self.assertEqual((self.folder / "of_ranks").read_bytes(), (self.folder / "state").read_bytes())

    def test_a_rank_killed_while_states_are_written_leaves_a_whole_one(self):
        for rank in (0, 1):
            run = self.started(*self.LONG, "--every", "4")
            os.kill(int((self.folder / f"pid{rank}").read_text()), signal.SIGKILL)
            run.communicate(timeout=200)
            self.assertEqual(self.resumed() % 4, 0)

    def test_info_lists_the_ranks(self):
        described = json.loads(self.over(3, "info", "--json").stdout)
        self.assertEqual([rank["rank"] for rank in described["ranks"]], [0, 1, 2])
        self.assertEqual({rank["host"] for rank in described["ranks"]}, {HOST})
        self.assertGreater(described["exchange"]["bytes_per_second"], 0)
        text = self.over(2, "info").stdout
        self.assertRegex(text, f"rank 1 +(serial|parallel:\\d+|gpu:\\d+) on {HOST}\n")
        self.assertIn("8 bytes to both neighbours in", text)

    def test_efficiencies_are_measured_and_drawn(self):
        script = pathlib.Path(__file__).parent.parent.parent / "scripts/benchmark-ranks"
        if shutil.which("gnuplot") is None:
            self.skipTest("no gnuplot")
        result = subprocess.run([sys.executable, script, "--command", HEDDLE, "--size", "2^16", "--seconds", "1e-3", "2", self.folder / "drawn"],
                                capture_output=True, text=True, timeout=250, env=dict(mpirun.ENVIRONMENT, MPIRUN=LAUNCHER))
        self.assertEqual(result.returncode, 0, result.stderr)
        found = json.loads((self.folder / "drawn/scaling.json").read_text())["results"]
        named = {(r["what"], r["scaling"], r["ranks"]) for r in found}
        for what, n in itertools.product(("reduce", "inclusive_scan", "sort", "laplace jacobi", "life", "lbm cavity", "pi"), (1, 2)):
            self.assertLessEqual({(what, "strong", n), (what, "weak", n)}, named)
        self.assertTrue(all(r["seconds"] > 0 for r in found))
        picture = (self.folder / "drawn/scaling.svg").read_text()
        self.assertIn("</svg>", picture)
        self.assertIn("lbm cavity", picture)
        result = self.over(2, "bench", "reduce")
        self.assertEqual((result.returncode, len(lines_of(result))), (2, 1), result.stderr)
        self.assertIn("--ranks", result.stderr)

    def test_one_that_was_asked_to_be_alone_is(self):
        result = self.script(f"HEDDLE_RANKS=1 exec {HEDDLE} reduce few.npy")
        self.assertEqual(result.stdout, "8.5\n8.5\n")

    def test_the_command_starts_without_mpi(self):
        libraries = subprocess.run(["ldd", HEDDLE], capture_output=True, text=True).stdout
        self.assertNotIn("libmpi", libraries)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
