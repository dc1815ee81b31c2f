"""The checker of CUDA kernels and programs."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._arrays import on_cpu
from ._core import Target
from ._kernels import extents, is_source, macros, texts
from ._targets import Error

_TYPES = {"bool": "bool", "float16": "f16", "float32": "f32", "float64": "f64",
          **{f"{sign}int{bits}": f"{sign or 'i'}{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)}}


@dataclass(frozen=True)
class Place:
    """Where a finding is: what a thread, or the host, does at a line."""

    what: str
    """The action there, such as "writes"."""
    file: str
    line: int
    """From 1; 0 where it is not known."""
    function: str
    thread: tuple[int, int, int] | None
    """None on the host."""
    block: tuple[int, int, int] | None


@dataclass(frozen=True)
class Finding:
    """One fault that a check found; printed as the command prints it.

    `kind` is a name as "data-race", `message` the headline, `places` what several threads do, each a place with
    `what`, `file`, `line`, `function`, `thread` and `block`; `file`, `line`, `kernel`, `thread` and `block` are
    those of the first. `variable` describes the array, `count` says how often in all schedules. `level` is "error",
    "warning" or "note".

    >>> import heddle
    >>> report = heddle.check('''
    ... __global__ void shift(int* x) {
    ...   x[threadIdx.x] = x[threadIdx.x + 1];
    ... }''', "shift", grid=1, block=64, args=["i32[65]=zeros"])
    >>> finding = report.findings[0]
    >>> finding.kind, finding.file, finding.line, finding.kernel, sorted(place.what for place in finding.places)
    ('data-race', 'kernel.cu', 3, 'shift', ['reads', 'writes'])
    """

    kind: str
    message: str
    places: tuple[Place, ...]
    detail: str
    count: int
    schedule: int
    variable: dict[str, Any] | None
    kernel: str
    level: str
    text: str

    @property
    def file(self) -> str:
        """Of the first place; empty where none is known."""
        return self.places[0].file if self.places else ""

    @property
    def line(self) -> int:
        """Of the first place, from 1; 0 where it is not known."""
        return self.places[0].line if self.places else 0

    @property
    def thread(self) -> tuple[int, int, int] | None:
        """Of the first place; None on the host."""
        return self.places[0].thread if self.places else None

    @property
    def block(self) -> tuple[int, int, int] | None:
        """Of the first place; None on the host."""
        return self.places[0].block if self.places else None

    @property
    def threads(self) -> tuple[tuple[int, int, int], ...]:
        """The threads of all places."""
        return tuple(place.thread for place in self.places if place.thread is not None)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Report:
    """The findings of a check; printed as the command prints it, and a sequence of findings.

    `is_clean` says that there are none, but for what `fail_on` lets pass. `json` is all that the command says, as a dict; with ``profile=True`` it has the
    profiles, which are not printed.

    >>> import heddle
    >>> report = heddle.check("__global__ void fill(int* x) { x[threadIdx.x] = 1; }", "fill", grid=1, block=64,
    ...                       args=["i32[64]"])
    >>> report.is_clean, len(report), report.json["schedules"]
    (True, 0, 3)
    """

    findings: tuple[Finding, ...]
    json: dict[str, Any]
    output: str
    """The standard output and error of a program."""

    @property
    def is_clean(self) -> bool:
        """Whether no finding is as severe as `fail_on`, and the program has used the device."""
        return self.json["verdict"] == "clean"

    def __len__(self) -> int:
        return len(self.findings)

    def __bool__(self) -> bool:
        raise TypeError("a report is neither true nor false: ask for is_clean, or for len(report)")

    def __getitem__(self, place: int) -> Finding:
        return self.findings[place]

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __str__(self) -> str:
        return "".join(f"{finding}\n\n" for finding in self) + self.json["summary"]


def _scalar_text(value: Any) -> str:
    return "true" if value is True else "false" if value is False else repr(value)


def _argument(value: Any, number: int, folder: str) -> str:
    """An argument as the command takes it; arrays go through files."""
    if isinstance(value, str):
        return value
    if isinstance(value, (bool, int, float, complex)) and not isinstance(value, np.generic):
        raise TypeError(f"argument {number} is {value!r}: the kernel takes a number of an exact type, as "
                        f"numpy.int32({value!r}), or a text, as 'i32:{value!r}'")
    array = on_cpu(value)
    if array.dtype.name not in _TYPES:
        raise TypeError(f"argument {number} has elements of {array.dtype}, which the checker does not take: give it as a "
                        "text, as 'i32:7,f32:0.5'")
    kind = _TYPES[array.dtype.name]
    if isinstance(value, np.generic):
        return f"{kind}:{_scalar_text(value.item())}"
    file = os.path.join(folder, f"{number}.npy")
    as_saved = array.dtype.newbyteorder("=") if kind != "f16" else np.dtype(np.float32)
    np.save(file, np.ascontiguousarray(array, dtype=as_saved))
    return f"{kind}[]={file}"


def _finding(found: dict[str, Any], kernel: str | None) -> Finding:
    places = tuple(Place(place["what"], place["file"], place["line"], place["function"],
                         tuple(place["thread"]) if "thread" in place else None,
                         tuple(place["block"]) if "block" in place else None) for place in found["places"])
    return Finding(found["kind"], found["message"], places, found.get("detail", ""), found["count"], found["schedule"],
                   found.get("variable"), kernel or (places[0].function if places else ""), found["level"],
                   found["text"].rstrip("\n"))


def run(words: list[str], folder: str | os.PathLike[str] | None = None, junit: str | os.PathLike[str] | None = None) -> Report:
    """`heddle check` with these words, in a folder."""
    command = pathlib.Path(__file__).parent / "bin" / "heddle"
    if not command.exists():
        raise Error("this package was built without the command, which checks: build it with HEDDLE_BUILD_CLI=ON")
    to_file = ["--junit", os.path.abspath(junit)] if junit is not None else []
    ran = subprocess.run([command, "check", "--json", *to_file, *words], cwd=folder, capture_output=True, encoding="utf-8", errors="replace")
    if not ran.stdout.startswith("{"):
        raise ValueError(ran.stderr.strip())
    said = json.loads(ran.stdout)
    if said["verdict"] == "error":
        raise Error(said["error"])
    return Report(tuple(_finding(found, said.get("kernel")) for found in said["findings"]), said, ran.stderr)


def check(source: str | os.PathLike[str], kernel: str | None = None, *, grid: Any = None, block: Any = None, shared: int = 0,
          args: Any = (), definitions: Any = (), include_dirs: Any = (), std: str | None = None, seed: int = 0,
          schedules: int = 3, legacy_warps: bool = False, leak_check: bool = False, devices: int = 1, timeout: float = 60,
          profile: bool = False, fail_on: str = "warning", junit: str | os.PathLike[str] | None = None,
          target: Target | str | None = None) -> Report:
    """Runs a CUDA kernel, or a whole program, on the CPU, and finds its races and other mistakes, as `heddle check`.

    `source` is the path of a file, or the text of one, as for heddle.Module; a text is checked in a folder of its own.
    With `kernel` it is launched with `grid` blocks of `block` threads, each a number or up to three, and with `args`:
    NumPy's arrays and scalars, of which the kernel gets copies, or texts of the command's, as "f32[256]=random:1".
    Without it, `main` is run with `args`, which are texts. The other keywords are the options of the command: orders
    of threads that are tried (`schedules`, `seed`, `legacy_warps`), seconds for a kernel that does not end (`timeout`),
    memory that is not freed (`leak_check`), how many devices a program finds (`devices`), what memory accesses cost (`profile`), the least level that is no longer clean (`fail_on`), a file for CI
    (`junit`).

    Returns a heddle.Report. heddle.Error where the check could not run, with what the compiler says; ValueError for
    options that the command does not take; FileNotFoundError for a path that is not there.

    >>> import heddle, numpy
    >>> source = '''
    ... __global__ void step(const float* x, float* y, int n) {
    ...   const int i = blockIdx.x * blockDim.x + threadIdx.x;
    ...   if (i > n) return;
    ...   y[i] = x[i];
    ... }'''
    >>> x = numpy.ones(100, dtype=numpy.float32)
    >>> report = heddle.check(source, "step", grid=2, block=64, args=[x, "f32[100]", numpy.int32(100)])
    >>> [(finding.kind, finding.line) for finding in report]
    [('out-of-bounds', 5)]
    >>> print(report)   # doctest: +ELLIPSIS
    kernel.cu:5: out of bounds: ... [out-of-bounds]
      thread (36,0,0) of block (1,0,0) ...
    """
    with tempfile.TemporaryDirectory(prefix="heddle-") as folder:
        is_text = is_source(source)
        path = os.fspath(source)
        if is_text:
            path = "kernel.cu" if kernel is not None else "program.cu"
            pathlib.Path(folder, path).write_text(source, encoding="utf-8")
        else:
            os.stat(path)
        words = [path, "--seed", str(seed), "--schedules", str(schedules), "--timeout", str(timeout),
                 "--fail-on", fail_on]
        if kernel is not None:
            if grid is None or block is None:
                raise TypeError("a kernel is checked with grid= and block=")
            words += ["--kernel", kernel, "--shared", str(shared)]
            for name, lengths in (("grid", grid), ("block", block)):
                words += [f"--{name}", ",".join(map(str, extents(lengths, name)))]
            words += [word for number, value in enumerate(args, 1) for word in ("--arg", _argument(value, number, folder))]
        elif grid is not None or block is not None or shared:
            raise TypeError("grid, block and shared are of a kernel: name it")
        words += [word for include in texts(include_dirs) for word in ("-I", os.path.abspath(include))]
        words += [word for macro in macros(definitions) for word in ("-D", macro)]
        words += ["--std", std] if std is not None else []
        words += ["--devices", str(devices)] if devices != 1 else []
        words += ["--target", str(target)] if target is not None else []
        words += [option for option, is_on in (("--legacy-warps", legacy_warps), ("--leak-check", leak_check),
                                               ("--profile", profile)) if is_on]
        words += ["--", *map(str, args)] if kernel is None else []
        return run(words, folder if is_text else None, junit)
