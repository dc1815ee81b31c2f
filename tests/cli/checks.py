"""Runs of the heddle command and arrays to run it on. HEDDLE is the path of the executable; HEDDLE_TEST_TYPES limits the
element types."""
import itertools
import json
import os
import pathlib
import pty
import resource
import select
import signal
import subprocess
import tempfile
import time
import unittest

import numpy as np

from moments import PATIENCE, wait_for_handlers, wait_until, without_alarm

HEDDLE = os.environ["HEDDLE"]

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
REALS = ["float32", "float64"]
COMPLEX = ["complex64", "complex128"]
TYPES = ["bool"] + INTEGERS + REALS + COMPLEX
STARTS_SLOWLY = "HEDDLE_TEST_TYPES" in os.environ  # as under sanitizers
if STARTS_SLOWLY:
    TYPES = [name for name in TYPES if name in os.environ["HEDDLE_TEST_TYPES"].split(",")]
ORDERED = {"min", "max", "argmin", "argmax"}
REDUCE_METHODS = ["atomic", "block-serial", "interleaved", "tree", "two-pass", "shuffle"]
SCAN_METHODS = ["hillis-steele", "blelloch"]


turns = itertools.count()


def some_of(cases):
    """All cases, or one, and the next time the next, where each run takes long: what all of them print is compared elsewhere."""
    cases = list(cases)
    return [cases[next(turns) % len(cases)]] if STARTS_SLOWLY else cases


def run(*arguments, text=True, **options):
    """What `heddle` does with these arguments."""
    return subprocess.run([HEDDLE, *map(str, arguments)], capture_output=True, text=text, timeout=300, **options)


def largest_file(size):
    """Options of run() under which a file has at most this size. The counters of scripts/coverage would be cut too, so they go nowhere."""
    return {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)), "env": os.environ | {"LLVM_PROFILE_FILE": os.devnull}}


def lacks_mpfr():
    """Whether this build draws no deep pictures."""
    return "takes MPFR" in run("mandelbrot", "--size", "1x1", "--center=0,0", "--precision", "deep", "--counts", os.devnull).stderr


def samples(dtype, shape, seed=0, mild=False):
    """Elements of a type: integers of all sizes, real numbers of both signs. Products of mild ones stay near 1."""
    random = np.random.default_rng(seed)
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return random.random(shape) < 0.5
    if dtype.kind in "iu":
        bounds = np.iinfo(dtype)
        values = random.integers(bounds.min, bounds.max, shape, dtype, endpoint=True)
        # Odd factors keep products modulo 2^64 from reaching 0.
        return values | dtype.type(1) if mild else values

    def parts():
        if not mild:
            return random.uniform(-3, 3, shape)
        return np.exp(random.normal(0, 0.3, shape) / max(1, np.sqrt(np.prod(shape)))) * random.choice([-1, 1], shape)

    if dtype.kind == "f":
        return np.asarray(parts()).astype(dtype)
    if mild:
        return np.exp(1j * random.uniform(0, 6, shape)).astype(dtype)
    return (parts() + 1j * parts()).astype(dtype)


def in_other_orders(x):
    """The same array in Fortran order, in the other byte order, and in both."""
    swapped = x.astype(x.dtype.newbyteorder(">"))
    return np.asfortranarray(x), swapped, np.asfortranarray(swapped)


def widened(dtype):
    """The type in which NumPy sums elements of `dtype`."""
    return np.dtype({"b": "int64", "i": "int64", "u": "uint64"}.get(dtype.kind, dtype))


def wide(x):
    """The same numbers in the widest type, for an answer that is not rounded as the tested one is."""
    return x.astype({"f": np.longdouble, "c": np.clongdouble}.get(x.dtype.kind, x.dtype))


def part_type(dtype):
    return np.empty(0, dtype).real.dtype


class CommandTest(unittest.TestCase):
    """One folder a test, the machine as `heddle info` describes it, and runs that succeed or fail as they must."""

    @classmethod
    def setUpClass(cls):
        cls.machine = json.loads(run("info", "--json").stdout)
        cls.gpus = [gpu["target"] for gpu in cls.machine["gpus"]]

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.out = self.folder / "out.npy"

    def save(self, x, name="in.npy"):
        path = self.folder / name
        np.save(path, x)
        return path

    def sparse_file(self, elements):
        """A file of so many zeros that takes no room on the disk and lasts a while to reduce."""
        path = self.folder / "sparse.npy"
        np.lib.format.open_memmap(path, "w+", "int8", (elements,)).flush()
        return path

    def with_addresses(self, size):
        """Options for runs that have so many bytes of addresses; skips the test where the command itself needs more."""
        options = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_AS, (size, size))}
        if run("info", **options).returncode != 0:
            self.skipTest("the command itself needs more addresses: it has a GPU or is sanitized")
        return options

    def with_threads(self, threads):
        """Options for runs as a user who has so many threads; skips the test where there is no such user."""
        self.folder.chmod(0o777)
        nobody = 30000 + os.getpid() % 30000  # threads of tests that run beside this one do not count

        def limit():
            if os.getuid() == 0:
                os.setgroups([])
                os.setgid(nobody)
                os.setuid(nobody)
            resource.setrlimit(resource.RLIMIT_NPROC, (threads, threads))

        # What looks for leaks at the end needs a thread of its own.
        options = {"preexec_fn": limit, "env": {**os.environ, "HOME": str(self.folder), "ASAN_OPTIONS": "detect_leaks=0"}}
        if run("--version", **options).returncode != 0:
            self.skipTest("the command cannot be run by a user without rights, or with few threads")
        return options

    def printed(self, *arguments, **options):
        """The one line that a successful run prints."""
        done = run(*arguments, **options)
        self.assertEqual((done.returncode, done.stderr), (0, ""), arguments)
        self.assertTrue(done.stdout.endswith("\n") and done.stdout.count("\n") == 1, done.stdout)
        return done.stdout[:-1]

    def written(self, *arguments, **options):
        """The array that a successful run writes, printing nothing."""
        self.out.unlink(missing_ok=True)
        done = run(*arguments, "-o", self.out, **options)
        self.assertEqual((done.returncode, done.stderr, done.stdout), (0, "", ""), arguments)
        self.assertEqual(sorted(p.name for p in self.folder.iterdir() if p.suffix != ".npy"), [])
        return np.load(self.out)

    def fails(self, status, *arguments, **options):
        """The message of a run that fails with this exit status, one line that names the command; nothing is left."""
        before = {p: p.read_bytes() for p in self.folder.iterdir() if p.is_file()}
        done = run(*arguments, **options)
        self.assertEqual((done.returncode, done.stdout), (status, ""), f"{arguments}: {done.stderr}")
        self.assertRegex(done.stderr, r"\Aheddle[^\n]*: [^\n]+\n\Z")
        self.assertEqual({p: p.read_bytes() for p in self.folder.iterdir() if p.is_file()}, before, arguments)
        return done.stderr

    def assert_same(self, got, expected, note):
        """The same type, shape and bits, but for the bits of NaNs."""
        expected = np.asarray(expected)
        self.assertEqual((got.dtype, got.shape), (expected.dtype, expected.shape), note)
        np.testing.assert_array_equal(got, expected, str(note))
        if got.dtype.kind == "f":
            numbers = ~np.isnan(expected)
            np.testing.assert_array_equal(np.signbit(got)[numbers], np.signbit(expected)[numbers], str(note))

    def assert_within(self, got, expected, bound, note):
        error = np.abs(wide(np.asarray(got)) - expected)
        self.assertTrue(np.all(error <= bound), f"{note}: off by {error}, where {bound} is allowed")

    def check_progress(self, *arguments, rate):
        """A line that comes after a while and is erased at the end; none with --quiet, none when it is no terminal."""
        for flags, wanted in (([], True), (["--quiet"], False)):
            terminal, end = pty.openpty()
            running = subprocess.Popen([HEDDLE, *map(str, arguments), *flags], stdout=subprocess.DEVNULL, stderr=end, preexec_fn=without_alarm)
            self.addCleanup(running.kill)
            os.close(end)
            shown = b""

            def read():
                nonlocal shown
                if select.select([terminal], [], [], 0.1)[0]:
                    shown += os.read(terminal, 4096)

            wait_for_handlers(running)
            if wanted:
                wait_until(lambda: shown, running, read)
            else:
                # As long as it takes the other run to show something, or longer.
                began = time.monotonic()
                wait_until(lambda: shown or time.monotonic() > began + 1.5, running, read)
            running.send_signal(signal.SIGTERM)
            running.communicate(timeout=PATIENCE)
            self.assertEqual(running.returncode, 128 + signal.SIGTERM)
            while True:
                try:
                    shown += os.read(terminal, 4096)
                except OSError:  # the other end is closed
                    break
            os.close(terminal)
            stopped = f"heddle {arguments[0]}: interrupted\r\n".encode()
            if wanted:
                self.assertRegex(shown, rb"%  " + rate)
                self.assertTrue(shown.endswith(b"\r\x1b[K" + stopped), shown)
            else:
                self.assertEqual(shown, stopped)
