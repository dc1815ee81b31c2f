#!/usr/bin/env python3
"""heddle where the system gives fewer threads, addresses, memory or processors than the machine has."""
import json
import os
import pathlib
import subprocess
import sys
import unittest

import numpy as np

from checks import CommandTest, run, samples


def work_of(folder):
    """Runs that share out work, by name: what writes an array, and what it is compared with."""
    vector, square = folder / "vector.npy", folder / "square.npy"
    np.save(vector, samples("float64", 300_000, seed=1))
    np.save(square, samples("float64", (300, 300), seed=2))
    return {
        "sort": ("sort", vector),
        "scan": ("scan", vector),
        "fft": ("fft", square),
        "matmul": ("matmul", square, square),
        "histogram": ("histogram", vector),
        "random": ("random", "normal", "--shape", 300_000, "--seed", 3),
        "laplace": ("laplace", "--size", "200x200", "--method", "jacobi", "--max-iterations", 30, "--tolerance", 1e-9),
        "life": ("life", "--random", "512x512", "--generations", 20, "--quiet"),
        "lbm": ("lbm", "cavity", "--size", "128x128", "--steps", 20, "--quiet"),
        "mandelbrot": ("mandelbrot", "--size", "300x200", "--iterations", 50, "--quiet"),
    }


class LimitsTest(CommandTest):
    def setUp(self):
        super().setUp()
        self.work = work_of(self.folder)

    def result(self, name, target, options, without_memory=False):
        """The array that a run writes; None where it says that memory does not suffice, if it may."""
        self.out.unlink(missing_ok=True)
        output = "--counts" if name == "mandelbrot" else "-o"
        done = run(*self.work[name], output, self.out, "--target", target, **options)
        if without_memory and done.returncode == 1:
            self.assertRegex(done.stderr, r"\Aheddle[^\n]*out of memory[^\n]*\n\Z", name)
            self.assertFalse(self.out.exists(), name)
            return None
        self.assertEqual(done.returncode, 0, f"{name} on {target}: {done.stderr}")
        return np.load(self.out)

    def assert_close(self, got, expected, name):
        # OpenBLAS promises no bits.
        if name == "matmul":
            np.testing.assert_allclose(got, expected, rtol=0, atol=1e-10)
        else:
            np.testing.assert_array_equal(got, expected, name)


class FewThreadsTest(LimitsTest):
    def test_that_a_user_may_have(self):
        expected = {name: self.result(name, "serial", {}) for name in self.work}
        self.out.unlink()
        for threads in (1, 6):
            options = self.with_threads(threads)
            for name in self.work:
                self.assert_close(self.result(name, "parallel:8", options), expected[name], name)
        square = np.load(self.folder / "square.npy")
        np.testing.assert_allclose(expected["matmul"], square @ square, rtol=0, atol=1e-10)


    def test_that_check_may_have(self):
        kernel = self.folder / "twice.cu"
        kernel.write_text("__global__ void twice(float* x, int n) {"
                          " int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= 2; }\n")
        arguments = ("check", kernel, "--kernel", "twice", "--grid", 64, "--block", 256, "--arg", "f32[16384]=zeros", "i32:16384",
                     "--target", "parallel:8")
        for threads in (20, 3, 2, 1):  # the first compiles, by processes of its own
            done = run(*arguments, **self.with_threads(threads))
            if threads > 1:
                self.assertEqual(done.returncode, 0, done.stderr)
            else:
                self.assertEqual((done.returncode, done.stderr),
                                 (2, "heddle check: the system gives no thread that watches how long kernels take\n"))
        arguments = ("run", *arguments[1:-1], "serial", "--timeout", 100)
        for threads in (20, 2, 1):
            done = run(*arguments, **self.with_threads(threads))
            if threads > 1:
                self.assertEqual((done.returncode, done.stderr), (0, ""))
            else:
                self.assertEqual(done.returncode, 1)
                self.assertRegex(done.stderr, r"\Aheddle run: the system gives no thread that ends the kernel after --timeout: .*\n\Z")


class FewAddressesTest(LimitsTest):
    def test_for_the_stacks_of_threads(self):
        expected = {name: self.result(name, "serial", {}) for name in self.work}
        options = self.with_addresses(1_000_000 << 10)
        for name in self.work:
            self.assert_close(self.result(name, "parallel:64", options), expected[name], name)

    def test_for_anything(self):
        """The result, or one line that says what is missing; never a signal."""
        expected = {name: self.result(name, "serial", {}) for name in self.work}
        for size in (150_000, 250_000, 300_000, 500_000):
            options = self.with_addresses(size << 10)
            for name in self.work:
                got = self.result(name, "parallel:8", options, without_memory=True)
                if got is not None:
                    self.assert_close(got, expected[name], name)


def own_cgroups():
    """Folders of cgroups of this process and of those around them, by the controllers of v1, or "" for v2."""
    paths = {}
    for line in pathlib.Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        for controller in controllers.split(","):
            paths[controller] = path
    folders = {}
    for line in pathlib.Path("/proc/self/mountinfo").read_text().splitlines():
        mount, _, described = line.partition(" - ")
        kind, _, options = described.split(" ", 2)
        if kind not in ("cgroup", "cgroup2"):
            continue
        for controller in [""] if kind == "cgroup2" else options.split(","):
            if controller not in paths or mount.split()[3] != "/":
                continue
            own = pathlib.Path(mount.split()[4] + paths[controller])
            folders[controller] = [own, *(p for p in own.parents if p.is_relative_to(mount.split()[4]))]
    return folders


class CgroupTest(LimitsTest):
    def in_cgroup(self, controller, files):
        """Options for runs in a new cgroup with these files, of which v1 and v2 have others; skips the test where none can be made."""
        folders = own_cgroups()
        for version in (controller, ""):
            for around in folders.get(version, []):
                made = around / f"heddle-test-{os.getpid()}-{len(self.made)}"
                try:
                    made.mkdir()
                except OSError:
                    continue
                self.made.append(made)
                try:
                    for name, text in files["v1" if version else "v2"].items():
                        (made / name).write_text(text)
                except OSError:
                    continue
                return {"preexec_fn": lambda: (made / "cgroup.procs").write_text("0")}
        self.skipTest(f"no cgroup with a limit of {controller} can be made here")

    def setUp(self):
        super().setUp()
        self.made = []
        self.addCleanup(lambda: [made.rmdir() for made in self.made])

    def with_memory(self, mib):
        size = str(mib << 20)
        return self.in_cgroup("memory", {"v1": {"memory.limit_in_bytes": size}, "v2": {"memory.max": size}})

    def test_memory(self):
        """What does not fit is refused before it is begun; nothing is ended by the system."""
        big = self.save(samples("float64", 8_000_000, seed=4), "big.npy")
        limited = r": out of memory \(needs \d+\.\d MiB; the cgroup of this process allows \d+\.\d MiB, of which \d+\.\d MiB are free\)\n"
        options = self.with_memory(100)
        for arguments in (("sort", big, "-o", self.out, "--target", "parallel:8"),
                          ("fft", big, "-o", self.out, "--target", "parallel:2"),
                          ("matmul", big, big, "-o", self.out),
                          ("histogram", big, "--bins", 10**8, "-o", self.out),
                          ("lbm", "cavity", "--size", "2000x2000", "--steps", 1, "--quiet"),
                          ("laplace", "--size", "3000x3000", "--method", "jacobi", "--max-iterations", 1),
                          ("life", "--random", "32768x32768", "--generations", 1, "--quiet"),
                          ("life", "--random", "8000x8000", "--algorithm", "per-cell", "--generations", 1, "--quiet")):
            self.assertRegex(self.fails(1, *arguments, **options), limited, arguments)
        # Each of the threads has room for what it works in, but not all of them at once.
        self.assertRegex(self.fails(1, "histogram", big, "--bins", 2_500_000, "-o", self.out, "--target", "parallel:8",
                                    **self.with_memory(110)), limited)
        columns = self.save(np.load(big).reshape(200_000, 40), "columns.npy")
        self.assertRegex(self.fails(1, "fft", columns, "--axes", 0, "-o", self.out, "--target", "parallel:8",
                                    **self.with_memory(300)), limited)
        # What needs little at a time, and what fits.
        self.assertEqual(self.printed("reduce", big, "--op", "max", **options), self.printed("reduce", big, "--op", "max"))
        small = self.save(samples("float64", 1_000_000, seed=5), "small.npy")
        np.testing.assert_array_equal(self.written("sort", small, **options), np.sort(np.load(small)))

    def test_pages_of_files_are_free(self):
        big = self.save(samples("float64", 8_000_000, seed=6), "big.npy")
        options = self.with_memory(200)
        fill = [sys.executable, "-c", f"open({str(big)!r}, 'rb').read(); open({str(self.folder / 'other.npy')!r}, 'wb').write(bytes(60 << 20))"]
        subprocess.run(fill, check=True, **options)
        np.testing.assert_array_equal(self.written("scan", big, "--op", "max", **options), np.maximum.accumulate(np.load(big)))

    def test_processors(self):
        cores = len(os.sched_getaffinity(0))
        for quota, threads in ((50_000, 1), (100_000, 1), (110_000, 2), (10_000_000, 100)):
            options = self.in_cgroup("cpu", {"v1": {"cpu.cfs_quota_us": str(quota)}, "v2": {"cpu.max": f"{quota} 100000"}})
            found = json.loads(run("info", "--json", **options).stdout)
            self.assertEqual(found["cpu"]["cores"], min(threads, cores), quota)
            stats = run("random", "normal", "--shape", 10**6, "--seed", 1, "-o", self.out, "--target", "parallel", "--stats", **options)
            self.assertIn(f'"parallel:{min(threads, cores)}"', stats.stderr)

    def test_few_threads(self):
        options = self.in_cgroup("pids", {"v1": {"pids.max": "6"}, "v2": {"pids.max": "6"}})
        for name in self.work:
            expected = self.result(name, "serial", {})
            self.assert_close(self.result(name, "parallel:64", options), expected, name)


if __name__ == "__main__":
    unittest.main()
