#!/usr/bin/env python3
"""Standard input and output as files: `-`, and paths of open descriptors."""
import io
import os
import signal
import subprocess
import tempfile
import unittest

import numpy as np

from checks import HEDDLE, STARTS_SLOWLY, CommandTest, run, samples, some_of

GLIDER = "x = 3, y = 3, rule = B3/S23\nbo$2bo$3o!\n"
DESCRIPTORS = ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"]


def npy_bytes(x):
    file = io.BytesIO()
    np.save(file, x)
    return file.getvalue()


def array_in(content):
    file = io.BytesIO(content)
    x = np.load(file)
    assert not file.read(), "bytes follow the array"
    return x


class StreamsTest(CommandTest):
    def through(self, *arguments, input=b"", status=0, **options):
        """Standard output and standard error of a run that reads a pipe and writes to one."""
        done = run(*arguments, text=False, input=input, cwd=self.folder, **options)
        self.assertEqual(done.returncode, status, (arguments, done.stderr))
        self.assertFalse((self.folder / "-").exists(), arguments)
        return done.stdout, done.stderr.decode()

    def test_arrays_through_pipes(self):
        x = samples("float64", (20, 30), seed=1)
        self.save(np.arange(0.0, 4.0), "edges.npy")
        self.save(x, "x.npy")
        content = npy_bytes(x)
        for arguments, expected in ((["scan", "-"], x.cumsum()), (["sort", "-", "--axis", 0], np.sort(x, axis=0)),
                                    (["reduce", "-", "--op", "max", "--axis", 1], x.max(axis=1)),
                                    (["reduce", "-", "--op", "max"], x.max()),
                                    (["histogram", "-", "--edges", "edges.npy"], np.histogram(x, np.arange(0.0, 4.0))[0]),
                                    (["histogram", "x.npy", "--range", "0", "1", "--weights", "-"],
                                     np.histogram(x, range=(0, 1), weights=x)[0]),
                                    (["matmul", "x.npy", "-"], None), (["fft", "-"], None)):
            if arguments[0] == "matmul":
                content_now, expected = npy_bytes(x.T), x @ x.T
            elif arguments[0] == "fft":
                content_now, expected = content, np.fft.fft(x)
            else:
                content_now = content
            out, err = self.through(*arguments, "-o", "-", "--target", "serial", input=content_now)
            self.assertEqual(err, "", arguments)
            np.testing.assert_allclose(array_in(out), expected, rtol=1e-9, atol=1e-9, err_msg=str(arguments))
        out, _ = self.through("random", "integers", "--shape", "1000", "--seed", 3, "-o", "-")
        self.assertEqual(self.through("reduce", "-", "--op", "max", input=out)[0], f"{array_in(out).max()}\n".encode())

    @unittest.skipIf(STARTS_SLOWLY, "expressions are compiled without the sanitizers")
    def test_expressions_and_kernels_through_pipes(self):
        x = samples("int32", 1000, seed=2)
        self.save(x, "x.npy")
        for words in (["a + 1", "-"], ["x + 1", "x=-"], ["b + a - a + 1", "x.npy", "-"]):
            out, err = self.through("transform", *words, "-o", "-", input=npy_bytes(x))
            np.testing.assert_array_equal(array_in(out), x + 1, str(words))
            self.assertEqual(err, "")
        kernel = b"""#include <cstdio>
__global__ void add(int* x, int n) {
  if (threadIdx.x == 0) printf("hello\\n");
  for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] += 1;
}
"""
        launch = ["--kernel", "add", "--grid", 1, "--block", 32, "--target", "serial"]
        (self.folder / "add.cu").write_bytes(kernel)
        out, err = self.through("run", "add.cu", *launch, "--arg", "i32[]=-:out=-", "--arg", "i32:1000", input=npy_bytes(x))
        np.testing.assert_array_equal(array_in(out), x + 1)
        self.assertEqual(err, "hello\n")
        out, err = self.through("run", "-", *launch, "--arg", "i32[]=x.npy:out=y.npy", "--arg", "i32:1000", input=kernel)
        np.testing.assert_array_equal(np.load(self.folder / "y.npy"), x + 1)
        self.assertEqual((out, err), (b"hello\n", ""))
        out, err = self.through("check", "-", *launch, "--arg", "i32[1000]=zeros:out=-", "--arg", "i32:1000", input=kernel)
        np.testing.assert_array_equal(array_in(out), np.ones(1000, "int32"))
        self.assertIn("standard input", err)
        for gpu in self.gpus:
            out, err = self.through("run", "add.cu", *launch[:-1], gpu, "--arg", "i32[]=x.npy:out=-", "--arg", "i32:1000")
            np.testing.assert_array_equal(array_in(out), x + 1)
            self.assertEqual(err, "hello\n")
        # As Ubuntu's compilers are, which define it themselves: printf is another function then.
        compiler = self.folder / "fortified"
        compiler.write_text('#!/bin/sh\nexec g++ -D_FORTIFY_SOURCE=2 "$@"\n')
        compiler.chmod(0o755)
        for command in ("run", "check"):
            out, err = self.through(command, "-", *launch, "--arg", "i32[1000]=zeros:out=-", "--arg", "i32:1000", input=kernel,
                                    env=os.environ | {"CXX": str(compiler)})
            np.testing.assert_array_equal(array_in(out), np.ones(1000, "int32"))
            self.assertTrue(err.startswith("hello\n"), err)
        _, err = self.through("run", "-", *launch, "--arg", "i32:1", status=1, input=b"__global__ void add(int n) { n = }\n")
        self.assertRegex(err, "standard input:1:")

    def test_what_is_printed_goes_to_standard_error(self):
        """Data alone is in the stream, whatever the path that names it, and what it is redirected to."""
        (self.folder / "glider.rle").write_text(GLIDER)
        for arguments, line in ((["laplace", "--size", "9x5"], "iterations"),
                                (["lbm", "cavity", "--size", "8x8", "--steps", 4, "--quiet"], "steps 4"),
                                (["life", "glider.rle", "--generations", 4, "--size", "8x8", "--every", 2], "generation 4"),
                                (["mandelbrot", "--size", "30x20"], "")):
            first = None
            for path in some_of(DESCRIPTORS):
                out, err = self.through(*arguments, "-o", path)
                self.assertIn(line, err)
                if line:
                    self.assertNotIn(line.encode(), out)
                with tempfile.TemporaryFile() as file:
                    file.write(b"before ")
                    file.flush()
                    done = subprocess.run([HEDDLE, *map(str, arguments), "-o", path], stdout=file, stderr=subprocess.PIPE, cwd=self.folder)
                    self.assertIn(line.encode(), done.stderr)
                    file.seek(0)
                    self.assertEqual(file.read(), b"before " + out, (arguments, path))
                first = first or out
                self.assertEqual(out, first)
        u = array_in(self.through("laplace", "--size", "9x5", "-o", "-")[0])
        self.assertEqual(u.shape, (5, 9))
        # Without data in the stream it has the lines.
        self.assertIn(b"iterations", self.through("laplace", "--size", "9x5")[0])

    def test_other_files_of_a_run(self):
        for option in ("--profile", "--checkpoint", "--forces"):
            case = ["lbm", "cylinder", "--size", "50x10", "--steps", 20, "--quiet"]
            out, err = self.through(*case, option, "-")
            self.assertIn("steps 20", err)
            self.through(*case, option, "file")
            self.assertEqual(out, (self.folder / "file").read_bytes())
        self.through("lbm", "cavity", "--size", "8x8", "--steps", 3, "--checkpoint", "state")
        state = (self.folder / "state").read_bytes()
        self.through("lbm", "cavity", "--resume", "-", "--steps", 2, "--checkpoint", "piped", input=state)
        self.through("lbm", "cavity", "--resume", "state", "--steps", 2, "--checkpoint", "named")
        self.assertEqual((self.folder / "piped").read_bytes(), (self.folder / "named").read_bytes())
        _, err = self.through("lbm", "cavity", "--resume", "-", input=state[:-9], status=1)
        self.assertIn("standard input: not a whole checkpoint", err)
        out, err = self.through("mandelbrot", "--size", "30x20", "--counts", "-")
        self.assertEqual(array_in(out).shape, (20, 30))
        out, err = self.through("bench", "reduce", "--size", 9, "--target", "serial", "--seconds", "0.001", "--json", "-")
        self.assertTrue(out.startswith(b"{") and out.endswith(b"}\n"))
        self.assertIn("median", err)

    def test_patterns_and_pictures_are_read(self):
        out, _ = self.through("life", "-", "--generations", 4, "-o", "-", input=GLIDER.encode())
        self.assertIn(b"bo$2bo$3o!", out)
        mask = np.zeros((20, 30), "uint8")
        mask[8:12, 8:12] = 1
        self.save(mask, "mask.npy")
        flow = ["lbm", "free", "--steps", 5, "--quiet", "-o", "u.npy", "--obstacles"]
        self.through(*flow, "mask.npy")
        expected = np.load(self.folder / "u.npy")
        self.through(*flow, "-", input=npy_bytes(mask))
        np.testing.assert_array_equal(np.load(self.folder / "u.npy"), expected)
        self.through("life", "--random", "30x20", "--seed", 1, "--density", 0.9, "--generations", 0, "-o", "mask.png")
        self.through(*flow, "mask.png")
        expected = np.load(self.folder / "u.npy")
        self.through(*flow, "-", input=(self.folder / "mask.png").read_bytes())
        np.testing.assert_array_equal(np.load(self.folder / "u.npy"), expected)
        edges = samples("float32", (6, 7), seed=5)
        out, _ = self.through("laplace", "--edges", "-", "-o", "-", input=npy_bytes(edges))
        self.assertEqual((array_in(out).shape, array_in(out).dtype), ((6, 7), np.float32))

    def test_named_pipes_and_process_substitution(self):
        """What can be read once and written once is."""
        u = samples("float32", (6, 7), seed=5)
        self.save(u, "edges.npy")
        self.save(np.eye(20, 30, 5), "mask.npy")
        self.through("laplace", "--edges", "edges.npy", "-o", "expected.npy")
        self.through("lbm", "cavity", "--size", "8x8", "--steps", 3, "--checkpoint", "state")
        os.mkfifo(self.folder / "in")
        os.mkfifo(self.folder / "out")
        for command, compared in (
                ('cat edges.npy > in & "$@" laplace --edges in -o out --format npy & cat out > got.npy; wait', "expected.npy"),
                ('"$@" laplace --edges <(cat edges.npy) -o >(cat > got.npy; echo done > out) & cat out; wait', "expected.npy"),
                ('"$@" lbm cavity --resume <(cat state) --steps 0 --checkpoint out & cat out > got.npy; wait', "state"),
                ('cat state > in & "$@" lbm cavity --resume in --steps 0 --checkpoint got.npy; wait', "state"),
                ('"$@" lbm free --obstacles <(cat mask.npy) --steps 1 -o got.npy; "$@" lbm free --obstacles mask.npy --steps 1 -o flow.npy',
                 "flow.npy")):
            done = subprocess.run(["bash", "-c", command, "bash", HEDDLE], cwd=self.folder, capture_output=True, timeout=60)
            self.assertEqual((self.folder / "got.npy").read_bytes(), (self.folder / compared).read_bytes(), (command, done.stderr))

    def test_formats_without_an_ending(self):
        """--format goes before the ending of a name, and names the format where it has none."""
        magic = {"npy": b"\x93NUMPY", "png": b"\x89PNG", "vti": b"<?xml", "gif": b"GIF89a", "rle": b"#CXRLE", "cells": b"!Gener"}
        for command, formats in ((["laplace", "--size", "9x9"], ["npy", "png", "vti"]),
                                 (["lbm", "cavity", "--size", "8x8", "--steps", 2], ["npy", "vti", "png", "gif"]),
                                 (["mandelbrot", "--size", "9x9"], ["png"]),
                                 (["life", "--random", "9x9", "--generations", 1], ["rle", "cells", "npy", "png", "gif"])):
            for path in some_of(("-", "/dev/stdout")):
                self.assertTrue(self.through(*command, "-o", path)[0].startswith(magic[formats[0]]))
            for name in some_of(formats):
                out, _ = self.through(*command, "-o", "-", "--format", name)
                self.assertTrue(out.startswith(magic[name]), (command, name))
                for path in ("plain", "other.npy"):
                    self.through(*command, "-o", path, "--format", name)
                    self.assertTrue((self.folder / path).read_bytes().startswith(magic[name]), (command, name, path))
            self.assertIn("--format", self.fails(2, *command, "-o", "plain.txt"))
            self.assertIn("not in", self.fails(2, *command, "-o", "plain", "--format", "jpeg"))
            self.assertIn("--output", self.fails(2, *command, "--format", formats[-1]))

    def test_messages_name_the_stream(self):
        for command in (["reduce", "-"], ["sort", "-", "-o", "x.npy"], ["laplace", "--edges", "-"], ["life", "-", "--generations", 1]):
            _, err = self.through(*command, status=1)
            self.assertIn("standard input: ", err)
            self.assertNotIn("/dev/", err)
        _, err = self.through("reduce", "-", "--axis", 5, "-o", "x.npy", status=1, input=npy_bytes(np.zeros(3)))
        self.assertNotIn("/dev/", err)
        with open("/dev/full", "w") as full:
            done = subprocess.run([HEDDLE, "random", "uniform", "--shape", "9", "--seed", "1", "-o", "-"], stdout=full, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"standard output: cannot write: No space left", done.stderr)

    def test_one_stream_has_one_use(self):
        x = npy_bytes(np.eye(3))
        for command in (["matmul", "-", "-", "-o", "x.npy"], ["matmul", "-", "/dev/stdin", "-o", "x.npy"],
                        ["histogram", "-", "--weights", "-", "-o", "x.npy"]):
            _, err = self.through(*command, status=2, input=x)
            self.assertIn("standard input", err)
        for command in (["mandelbrot", "-o", "-", "--counts", "-"], ["lbm", "cavity", "-o", "-", "--checkpoint", "/dev/fd/1"]):
            _, err = self.through(*command, status=2)
            self.assertIn("standard output", err)

    def test_a_file_may_be_called_so(self):
        self.save(np.arange(5.0), "x.npy")
        (self.folder / "x.npy").rename(self.folder / "-")
        done = run("reduce", "./-", cwd=self.folder)
        self.assertEqual((done.stdout, done.stderr), ("10\n", ""))

    def test_input_from_where_the_stream_stands(self):
        """What was read before stays read, also of a file."""
        with tempfile.TemporaryFile() as file:
            file.write(b"12345678" + npy_bytes(np.arange(5.0)))
            file.flush()
            os.lseek(file.fileno(), 8, os.SEEK_SET)
            done = run("reduce", "-", stdin=file)
        self.assertEqual((done.stdout, done.stderr), ("10\n", ""))

    def test_output_that_nobody_reads(self):
        """Ends quietly, as of every command that SIGPIPE ends."""
        writing = subprocess.Popen([HEDDLE, "random", "uniform", "--shape", "1e8", "--seed", "1", "-o", "-"], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, preexec_fn=lambda: signal.signal(signal.SIGPIPE, signal.SIG_DFL))
        self.assertTrue(writing.stdout.read(10).startswith(b"\x93NUMPY"))
        writing.stdout.close()
        self.assertEqual(writing.stderr.read(), b"")
        writing.stderr.close()
        self.assertEqual(writing.wait(timeout=300), -signal.SIGPIPE)


if __name__ == "__main__":
    unittest.main()
