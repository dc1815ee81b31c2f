"""NVIDIA's packages, by folders that stand in for them."""

import os
import pathlib
import subprocess
import sys

import heddle

FOLDER = str(pathlib.Path(heddle.__file__).parent.parent)


def folders_with(*places):
    code = "import heddle._cuda\nprint(*heddle._cuda.folders(), sep='\\n')"
    done = subprocess.run([sys.executable, "-c", code], env=os.environ | {"PYTHONPATH": os.pathsep.join([*map(str, places), FOLDER])},
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_packages_of_every_place_are_found(tmp_path):
    here, there = tmp_path / "here", tmp_path / "there"
    for folder in (here / "nvidia/cu13/lib", there / "nvidia/cublas/lib", there / "nvidia/cuda_nvrtc/lib", there / "nvidia/notes/include"):
        folder.mkdir(parents=True)
    assert folders_with(here, there) == [str(here / "nvidia/cu13"), str(there / "nvidia/cublas"), str(there / "nvidia/cuda_nvrtc")]


def test_a_package_of_that_name_that_is_another(tmp_path):
    (tmp_path / "nvidia.py").write_text("raise AssertionError('it was imported')")
    assert folders_with(tmp_path) == []


def test_no_package():
    assert folders_with() == heddle._cuda.folders()


def test_the_command_takes_the_first(tmp_path):
    # In place of the command a script that says what it was told.
    package = tmp_path / "heddle"
    (package / "bin").mkdir(parents=True)
    source = pathlib.Path(heddle.__file__).parent
    for name in ("_cuda.py", "__main__.py"):
        (package / name).write_text((source / name).read_text())
    (package / "__init__.py").write_text("")
    command = package / "bin/heddle"
    command.write_text("#!/bin/sh\necho \"$CUDA_PATH $*\"\n")
    command.chmod(0o755)
    (tmp_path / "nvidia/cu13/lib").mkdir(parents=True)

    def said(**more):
        environment = {k: v for k, v in os.environ.items() if k != "CUDA_PATH"} | {"PYTHONPATH": str(tmp_path)} | more
        return subprocess.run([sys.executable, "-m", "heddle", "info"], env=environment, cwd=tmp_path, capture_output=True,
                              text=True, timeout=60).stdout

    assert said() == f"{tmp_path / 'nvidia/cu13'} info\n"
    assert said(CUDA_PATH="/opt/mine") == "/opt/mine info\n"
