#!/usr/bin/env python3
"""A wheel of the Python package, in a new virtual environment, without a compiler on the PATH.

    python3 tests/wheel_test.py WHEEL
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import zipfile

CALLS = """
import numpy, heddle
x = numpy.random.default_rng(1).random(300_000)
for where in ("serial", "parallel:2"):
    assert heddle.sum(x > 0.5, target=where) == (x > 0.5).sum()
    assert (heddle.cumsum(x > 0.5, target=where) == (x > 0.5).cumsum()).all()
    assert (heddle.sort(x, target=where) == numpy.sort(x)).all()
    assert numpy.allclose(heddle.fft.rfft(x, target=where), numpy.fft.rfft(x))
assert heddle.random.default_rng(1).random() == heddle.random.default_rng(1).random()
shared = numpy.from_dlpack(heddle.asarray(x))
assert numpy.shares_memory(shared, x)
try:
    heddle.transform("a + 1", x)
except heddle.Error as e:
    assert "compiler" in str(e), e
else:
    raise AssertionError("an expression was compiled without a compiler")
print(heddle.__version__)
"""


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.scratch.cleanup)
        cls.folder = pathlib.Path(cls.scratch.name).resolve()
        subprocess.run([sys.executable, "-m", "venv", cls.folder / "environment"], check=True)
        cls.bin = cls.folder / "environment/bin"
        subprocess.run([cls.bin / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary", ":all:", wheel],
                       check=True)
        with zipfile.ZipFile(wheel) as archive:
            cls.names = archive.namelist()
        cls.libraries = [pathlib.PurePath(n).name for n in cls.names if ".libs/" in n]

    def python(self, *arguments):
        """Its output, with nothing of this machine's on the PATH."""
        words = {k: v for k, v in os.environ.items() if k not in ("CXX", "LD_LIBRARY_PATH", "PYTHONPATH", "HEDDLE_TARGET")}
        done = subprocess.run([self.bin / "python", *arguments], capture_output=True, text=True, cwd=self.folder, timeout=300,
                              env={**words, "PATH": str(self.bin), "HOME": str(self.folder), "XDG_CACHE_HOME": str(self.folder)})
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def assert_are_its_own(self, files):
        """Of the libraries in the wheel none is the system's, and those that are used are there."""
        stems = {re.match(r"\w+", name)[0] for name in self.libraries}
        used = {file: re.match(r"\w+", pathlib.PurePath(file).name)[0] for file in files}
        self.assertIn("libtbb", used.values())
        for file, stem in used.items():
            if stem in stems:
                self.assertTrue(pathlib.Path(file).resolve().is_relative_to(self.folder), file)

    def test_calls(self):
        self.assertIn(f"-{self.python('-c', CALLS).strip()}-", pathlib.Path(wheel).name)

    def test_libraries_of_the_extension(self):
        mapped = self.python("-c", "import heddle; heddle.sum([1.0]); print(open('/proc/self/maps').read())")
        self.assert_are_its_own(set(re.findall(r"/\S+\.so\S*$", mapped, re.MULTILINE)))

    def test_the_command(self):
        self.assertIn(pathlib.Path(wheel).name.split("-")[1], self.python("-m", "heddle", "--version"))
        self.assertIn("serial", self.python("-m", "heddle", "info"))

    def test_libraries_of_the_command(self):
        (command,) = (self.folder / "environment/lib").glob("python*/site-packages/heddle/bin/heddle")
        traced = subprocess.run([command], env={"LD_TRACE_LOADED_OBJECTS": "1"}, capture_output=True, text=True, check=True)
        self.assert_are_its_own(re.findall(r"=> (/\S+)", traced.stdout))

    def test_nothing_names_where_it_was_built(self):
        source = os.fsencode(pathlib.Path(__file__).resolve().parent.parent)
        with zipfile.ZipFile(wheel) as archive:
            self.assertEqual([name for name in self.names if source in archive.read(name)], [])

    def test_licences(self):
        licences = {pathlib.PurePath(n).name for n in self.names if ".dist-info/licenses/" in n}
        self.assertIn("LICENSE", licences)
        self.assertGreater(len(licences), 1)

    def test_metadata(self):
        self.assertRegex(pathlib.Path(wheel).name, r"^heddle-[0-9.]+-(cp311-cp311|cp312-abi3|cp3[0-9]+-cp3[0-9]+t)-manylinux_2_[0-9]+_\w+\.whl$")
        self.assertIn("heddle/py.typed", self.names)
        self.assertIn("heddle/_core.pyi", self.names)


if __name__ == "__main__":
    wheel = os.path.abspath(sys.argv.pop(1))
    unittest.main()
