#!/usr/bin/env python3
"""Building installs nothing and asks no root: what is missing is named in one line, with the remedy. `make deps` installs.

dependencies_test.py SOURCE_FOLDER CMAKE CXX_COMPILER
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE, CMAKE, COMPILER = sys.argv[1:4]
SCRIPT = f"{SOURCE}/scripts/install-dependencies"
BUILDS = ["build", "configure", "demo", "test", "install", "tidy"]


def commands_of(*goals, **variables):
    """What make would run for these goals."""
    environment = {name: value for name, value in os.environ.items() if name not in ("CI", "MAKEFLAGS", "MAKELEVEL")}
    done = subprocess.run(["make", "--dry-run", *goals], cwd=SOURCE, capture_output=True, text=True, timeout=60,
                          env=environment | variables)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


class DependenciesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def program(self, name, lines):
        """Puts a program before those of the system. What it prints goes to the log, as what is installed does."""
        path = self.folder / name
        path.write_text("#!/bin/sh\n" + lines)
        path.chmod(0o755)

    def script(self, *words, path=None):
        environment = os.environ | {"PATH": path or f"{self.folder}:{os.environ['PATH']}"}
        return subprocess.run(["/bin/bash", SCRIPT, *words], capture_output=True, text=True, timeout=60, env=environment)

    def lacks_fmt(self):
        """A Debian system without libfmt-dev, whose apt-get and sudo write down what they are asked."""
        self.program("dpkg-query", 'for last; do :; done\n[ "$last" = libfmt-dev ] || echo installed\n')
        for name in ("apt-get", "sudo"):
            self.program(name, f'echo {name} "$@" >> {self.folder}/log\n')

    def test_building_installs_nothing(self):
        for ci in ("", "true"):
            for goal in BUILDS:
                for line in commands_of(goal, CI=ci):
                    self.assertNotIn("sudo", line)
                    self.assertNotIn("apt-get", line)
                    self.assertTrue("install-dependencies" not in line or "--check" in line, (goal, line))

    def test_make_deps_installs(self):
        self.assertEqual(commands_of("deps"), ["scripts/install-dependencies "])
        self.assertEqual(commands_of("deps", CI="true"), ["scripts/install-dependencies --ci"])
        self.lacks_fmt()
        done = self.script()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex((self.folder / "log").read_text(), r"(apt-get|sudo) .*install .* libfmt-dev\n")

    def test_a_check_names_what_is_missing_and_installs_nothing(self):
        self.lacks_fmt()
        for words, remedy in ((["--check"], "make deps"), (["--check", "--ci"], "make deps CI=true")):
            done = self.script(*words)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertEqual(done.stderr, f"Debian packages that are missing: libfmt-dev: `{remedy}` installs them, as root\n")
        self.assertFalse((self.folder / "log").exists())

    def test_a_check_takes_other_systems_as_they_are(self):
        done = self.script("--check", path=str(self.folder))
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_cmake_names_all_that_is_missing_in_one_line(self):
        done = subprocess.run([CMAKE, "-S", SOURCE, "-B", str(self.folder / "build"), f"-DCMAKE_CXX_COMPILER={COMPILER}",
                               "-DHEDDLE_CUDA=OFF", "-DCMAKE_DISABLE_FIND_PACKAGE_fmt=ON", "-DCMAKE_DISABLE_FIND_PACKAGE_GIF=ON",
                               "-DCMAKE_DISABLE_FIND_PACKAGE_CLI11=ON"], capture_output=True, text=True, timeout=120)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(" Heddle: missing, by the names of Debian's packages: libfmt-dev libgif-dev libcli11-dev: "
                      "`make deps` installs them, as root\n", done.stderr)
        self.assertEqual(done.stderr.count("CMake Error"), 1, done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
