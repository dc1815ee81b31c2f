"""Checks of CUDA kernels and programs as tests of pytest: a fixture, and the option --heddle-check.

The plugin is loaded where the package is installed. ``--heddle-check`` collects .cu files, as does naming one. Each line of one that is a
comment ``// heddle-check: --kernel NAME --grid X --block X --arg A …`` is a test, with the command's options; so is a
file without such lines that has a ``main``. A test fails with what the checker finds. The ini option
``heddle_check_options`` holds options for every one, such as ``-I include``.

The fixture ``heddle_check`` is heddle.check that fails the test where there are findings.
"""

from __future__ import annotations

import os
import pathlib
import re
import shlex
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import heddle
from heddle._check import run
from heddle._kernels import is_source, texts

_LINE = re.compile(r"^\s*//\s*heddle-check:(.*)$", re.MULTILINE)
_MAIN = re.compile(r"^\s*(?:int|auto)\s+main\s*\(", re.MULTILINE)


class Findings(Exception):
    """The findings of a check."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("heddle").addoption("--heddle-check", action="store_true",
                                        help="collect .cu files: check their kernels and programs on the CPU")
    parser.addini("heddle_check_options", "options of heddle check for every .cu file, as -I include", type="args", default=[])


def pytest_collect_file(file_path: pathlib.Path, parent: pytest.Collector) -> pytest.Collector | None:
    if file_path.suffix == ".cu" and (parent.config.getoption("--heddle-check") or parent.session.isinitpath(file_path)):
        return CudaFile.from_parent(parent, path=file_path)
    return None


class CudaFile(pytest.File):
    """A .cu file, with a test for each line that says how to check it, or for its main."""

    def collect(self) -> Iterator[pytest.Item]:
        source = self.path.read_text(encoding="utf-8", errors="replace")
        lines = [shlex.split(line.group(1)) for line in _LINE.finditer(source)]
        if not lines and _MAIN.search(source):
            lines = [[]]
        names: list[str] = []
        for options in lines:
            kernel = options[options.index("--kernel") + 1] if "--kernel" in options[:-1] else "main"
            name = kernel if kernel not in names else f"{kernel}-{names.count(kernel)}"
            names.append(kernel)
            yield CudaCheck.from_parent(self, name=name, options=options)


class CudaCheck(pytest.Item):
    """One run of the checker."""

    def __init__(self, *, options: list[str], **of_item: Any):
        super().__init__(**of_item)
        self.options = options

    def runtest(self) -> None:
        common = self.config.getini("heddle_check_options")
        # Relative folders and files are those beside the source, and for the ini option those of the project.
        separator = self.options.index("--") if "--" in self.options else len(self.options)
        options = [*self.options[:separator], *_absolute(common, self.config.rootpath), *self.options[separator:]]
        report = run([self.path.name, *options], folder=self.path.parent)
        if report.output:
            self.add_report_section("call", "output", report.output)
        # A program may find by itself that it is wrong.
        if not report.is_clean or report.json.get("status", 0) != 0:
            raise Findings(str(report))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, (Findings, heddle.Error, ValueError)):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[pathlib.Path, None, str]:
        return self.path, None, f"heddle check {self.name}"


def _absolute(options: list[str], folder: pathlib.Path) -> list[str]:
    """Folders of -I, which are relative to a folder."""
    result = list(options)
    for k, option in enumerate(options):
        if k > 0 and options[k - 1] == "-I":
            result[k] = os.fspath(folder / option)
        elif option.startswith("-I") and option != "-I":
            result[k] = "-I" + os.fspath(folder / option[2:])
    return result


@pytest.fixture
def heddle_check(request: pytest.FixtureRequest) -> Callable[..., heddle.Report]:
    """heddle.check, which fails the test with what it finds; paths of sources and headers are relative to its file."""

    def checked(source: str | os.PathLike[str], *arguments: Any, **options: Any) -> heddle.Report:
        __tracebackhide__ = True
        if not is_source(source):
            source = request.path.parent / source
        options["include_dirs"] = [request.path.parent / include for include in texts(options.get("include_dirs"))]
        report = heddle.check(source, *arguments, **options)
        if not report.is_clean:
            pytest.fail(str(report), pytrace=False)
        return report

    return checked
