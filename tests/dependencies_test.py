#!/usr/bin/env python3
"""`make demo`, `make test` and `make deps` install the packages that are missing, as root or by sudo, or name the command that does.
Nothing else installs any.

dependencies_test.py SOURCE_FOLDER CMAKE CXX_COMPILER
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

SOURCE, CMAKE, COMPILER = sys.argv[1:4]
SCRIPT = f"{SOURCE}/scripts/install-dependencies"
BUILDS = ["build", "configure", "install", "tidy"]
SYSTEMS = {"debian-12": 'ID=debian\nVERSION_ID="12"\n', "debian-13": 'ID=debian\nVERSION_ID="13"\n',
           "ubuntu-24.04": 'ID=ubuntu\nID_LIKE=debian\nVERSION_ID="24.04"\n', "fedora": "ID=fedora\nVERSION_ID=42\n",
           "mint": 'ID=linuxmint\nID_LIKE="ubuntu debian"\n', "arch": 'ID=arch\nPRETTY_NAME="Arch Linux"\n'}


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
        self.log = self.folder / "log"
        self.log.touch()

    def program(self, name, lines):
        """Puts a program before those of the system."""
        path = self.folder / name
        path.write_text("#!/bin/sh\n" + lines)
        path.chmod(0o755)

    def machine(self, system, user, lacks):
        """A machine whose programs write to the log what would be installed. The user is root, admin (sudo asks for no password),
        asked (sudo asks for one), or alone (there is no sudo)."""
        (self.folder / "os-release").write_text(SYSTEMS[system])
        self.program("dpkg-query", f"""missing=0
for word; do
  case $word in
    -*) ;;
    {"|".join(lacks) or "-"}) missing=1 ;;
    *) echo "$word installed" ;;
  esac
done
exit $missing
""")
        self.program("rpm", f'for last; do :; done\ncase $last in {"|".join(lacks) or "-"}) exit 1 ;; esac\n')
        self.program("id", f"echo {0 if user == 'root' else 1000}\n")
        for name in ("apt-get", "dnf"):
            self.program(name, f'echo {name} "$@" >> {self.log}\n')
        password = "exit 1" if user == "asked" else 'shift; [ "$1" = true ] || "$@"'
        self.program("sudo", f'echo sudo "$@" >> {self.log}\nif [ "$1" = -n ]; then {password}; else "$@"; fi\n')
        if user == "alone":
            (self.folder / "sudo").unlink()

    def script(self, *words):
        # Only what the script calls, and no sudo of the system's.
        for name in ("grep", "env", "cat"):
            if not (self.folder / name).exists():
                (self.folder / name).symlink_to(f"/usr/bin/{name}" if pathlib.Path(f"/usr/bin/{name}").exists() else f"/bin/{name}")
        environment = {"PATH": str(self.folder), "HEDDLE_OS_RELEASE": str(self.folder / "os-release")}
        return subprocess.run(["/bin/bash", SCRIPT, *words], capture_output=True, text=True, timeout=60, env=environment)

    def test_only_the_two_commands_and_deps_install(self):
        for ci in ("", "true"):
            for goal in BUILDS:
                for line in commands_of(goal, CI=ci):
                    self.assertTrue("install-dependencies" not in line or "--check" in line, (goal, line))
        self.assertEqual(commands_of("demo")[0], "scripts/install-dependencies --demo")
        self.assertEqual(commands_of("test")[0].split(), ["scripts/install-dependencies"])
        self.assertEqual(commands_of("test", CI="true")[0], "scripts/install-dependencies --ci")
        self.assertEqual(commands_of("deps")[0].split(), ["scripts/install-dependencies", "--ask"])
        self.assertEqual(commands_of("deps", CI="true"), ["scripts/install-dependencies --ask --ci"])

    def test_kernels_for_a_gpu_are_asked_for(self):
        for goal in ("demo", "test", "build"):
            for variable, option in (([], None), (["GPU=1"], "-DHEDDLE_CUDA=ON"), (["GPU=0"], "-DHEDDLE_CUDA=OFF")):
                lines = [line for line in commands_of(goal, *variable) if line.startswith("cmake --preset")]
                self.assertEqual(len(lines), 1, lines)
                self.assertEqual([word for word in lines[0].split() if "HEDDLE_CUDA" in word], [option] if option else [])
        # A variable of the environment is somebody else's.
        self.assertFalse(any("HEDDLE_CUDA" in line for line in commands_of("build", GPU="1")))

    def test_root_installs(self):
        self.machine("debian-12", "root", ["libfmt-dev", "libgtest-dev"])
        done = self.script()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(self.log.read_text(), "apt-get install --yes --no-install-recommends libfmt-dev libgtest-dev\n")

    def test_sudo_without_a_password_installs(self):
        self.machine("debian-13", "admin", ["libfmt-dev"])
        done = self.script()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("\napt-get install --yes --no-install-recommends libfmt-dev\n", self.log.read_text())

    def test_who_may_not_install_is_told_the_command(self):
        for user, words, command in (("asked", [], "make deps"), ("asked", ["--ci"], "make deps CI=true"),
                                     ("alone", [], "su -c 'make deps'")):
            self.machine("debian-12", user, ["libfmt-dev"])
            done = self.script(*words)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertEqual(done.stderr, f"Heddle needs packages that are not installed: libfmt-dev\nThis command installs them: {command}\n")
            self.assertNotIn("install", self.log.read_text())

    def test_make_deps_lets_sudo_ask(self):
        self.machine("debian-12", "asked", ["libfmt-dev"])
        self.assertEqual(self.script("--ask").returncode, 0)
        self.assertIn("\napt-get install --yes --no-install-recommends libfmt-dev\n", "\n" + self.log.read_text())

    def test_the_demo_needs_few(self):
        self.machine("debian-12", "root", ["libfmt-dev", "libgtest-dev", "chromium"])
        self.script("--demo")
        self.assertIn("libfmt-dev\n", self.log.read_text())
        self.assertNotIn("libgtest-dev", self.log.read_text())

    def test_each_system_is_told_its_own_names(self):
        for system, lacks, installed in (
                ("ubuntu-24.04", ["g++", "chromium-browser"], "apt-get install --yes --no-install-recommends g++ chromium-browser"),
                ("mint", ["g++", "chromium-browser"], "apt-get install --yes --no-install-recommends g++ chromium-browser"),
                ("debian-13", ["libclang-rt-dev", "chromium"], "apt-get install --yes --no-install-recommends libclang-rt-dev chromium"),
                ("fedora", ["gcc-c++", "json-devel"], "dnf install --assumeyes --setopt=install_weak_deps=False gcc-c++ json-devel")):
            self.log.write_text("")
            self.machine(system, "root", lacks)
            self.assertEqual(self.script("--ci").returncode, 0)
            self.assertEqual(self.log.read_text(), installed + "\n", system)

    def test_another_system_is_taken_as_it_is(self):
        self.machine("arch", "alone", [])
        done = self.script("--check")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        done = self.script()
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertRegex(done.stderr, "^Heddle does not know the names of packages on Arch Linux.*: g[+][+] .*libgtest-dev.*\n$")

    def test_a_check_installs_nothing(self):
        self.machine("debian-12", "root", ["libfmt-dev"])
        done = self.script("--check")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertEqual(done.stderr, "Heddle needs packages that are not installed: libfmt-dev\nThis command installs them: make deps\n")
        self.assertEqual(self.log.read_text(), "")

    def configure(self, *options):
        return subprocess.run([CMAKE, "-S", SOURCE, "-B", str(self.folder / "build"), f"-DCMAKE_CXX_COMPILER={COMPILER}", *options],
                              capture_output=True, text=True, timeout=120)

    def test_cmake_names_all_that_is_missing_in_one_line(self):
        done = self.configure("-DHEDDLE_CUDA=OFF", "-DCMAKE_DISABLE_FIND_PACKAGE_fmt=ON", "-DCMAKE_DISABLE_FIND_PACKAGE_GIF=ON",
                              "-DCMAKE_DISABLE_FIND_PACKAGE_CLI11=ON")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(" Heddle: missing, by the names of Debian's packages: libfmt-dev libgif-dev libcli11-dev: "
                      "`make deps` installs them\n", done.stderr)
        self.assertEqual(done.stderr.count("CMake Error"), 1, done.stderr)

    def test_without_a_gpu_its_kernels_are_left_out_in_one_line(self):
        # An nvcc that runs is there, and nvidia-smi finds no GPU.
        self.program("nvcc", "exit 0\n")
        self.program("nvidia-smi", "exit 9\n")
        with unittest.mock.patch.dict(os.environ, PATH=f"{self.folder}:{os.environ['PATH']}", CUDA_HOME=str(self.folder)):
            done = self.configure("-DHEDDLE_DEMO=ON")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([line for line in done.stdout.splitlines() if "Heddle" in line],
                         ["-- Heddle: no GPU found: kernels for a GPU are not compiled (HEDDLE_CUDA=ON, or make GPU=1, compiles them)"])

    def test_asking_for_kernels_without_a_compiler_is_an_error(self):
        self.program("nvcc", "exit 1\n")
        with unittest.mock.patch.dict(os.environ, PATH=f"{self.folder}:{os.environ['PATH']}", CUDA_HOME=str(self.folder)):
            done = self.configure("-DHEDDLE_DEMO=ON", "-DHEDDLE_CUDA=ON")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(" Heddle: HEDDLE_CUDA is ON and no CUDA compiler is found: install the CUDA toolkit", done.stderr)
        self.assertEqual(done.stderr.count("CMake Error"), 1, done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
