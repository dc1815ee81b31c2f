"""heddle check on CUDA programs that are made here: clean ones, whose output NumPy computes, and the same with one fault."""
import functools
import json
import os
import pathlib
import subprocess
import tempfile

import heddle
import pytest
from hypothesis import note, strategies as st

from cases import cases
from cuda_kernels import KERNELS
from cuda_phases import random_phases
from cuda_programs import programs

COMMAND = os.environ.get("HEDDLE") or str(pathlib.Path(heddle.__file__).parent / "bin" / "heddle")
pytestmark = pytest.mark.skipif(not pathlib.Path(COMMAND).exists(), reason="this build has no command")


@functools.cache
def folder():
    kept = tempfile.TemporaryDirectory()
    folder.kept = kept
    return pathlib.Path(kept.name)


def checked(text):
    """The findings, and what the program prints."""
    (folder() / "program.cu").write_text(text)
    report = folder() / "report.json"
    report.unlink(missing_ok=True)
    done = subprocess.run([COMMAND, "check", "program.cu", "--json", "--report", report, "--timeout", "20"], cwd=folder(),
                          capture_output=True, text=True, timeout=300)
    assert report.exists() and done.returncode in (0, 1), f"status {done.returncode}: {done.stderr or done.stdout}"
    told = json.loads(report.read_text())
    return done.returncode, told, done.stdout


def lines_of(finding):
    return {place["line"] for place in finding["places"]}


def words(findings, text):
    lines = text.splitlines()
    return "\n".join([f"{finding['level']} {finding['kind']}: {finding['message']}: "
                      + "; ".join(f"{line}: {lines[line - 1].strip()}" for line in sorted(lines_of(finding))) for finding in findings])


def region_of(fault, numbers):
    """The lines of the kernels in which a fault is, and of what the host does."""
    names = {label.partition(".")[0] for places in fault.places for label in places} | {label.partition(".")[0] for label in fault.edits}
    return {line for label, line in numbers.items() if label.partition(".")[0] in names}


# A fault may also leave memory unwritten, or make later calls return an error. These findings may stand on other lines.
CONSEQUENCES = {"uninitialised-read", "unchecked-error", "failed-program"}


def check_clean(program):
    text, _ = program.text()
    status, told, printed = checked(text)
    assert status == 0 and told["findings"] == [], f"a clean program:\n{words(told['findings'], text)}\n{text}"
    have = [[int(number) for number in line.split()] for line in printed.splitlines()]
    assert have == program.printed(), f"printed:\n{have}\nnot:\n{program.printed()}\n{text}"


def check_fault(program, fault):
    text, numbers = program.text(fault)
    _, told, _ = checked(text)
    findings = told["findings"]
    wanted = [{numbers[label] for label in places} for places in fault.places]
    assert any(finding["kind"] in fault.kinds and finding["level"] == "error" and any(lines <= lines_of(finding) for lines in wanted)
               for finding in findings), \
        f"{fault.what}: no {' or '.join(sorted(fault.kinds))} on lines {wanted}:\n{words(findings, text)}\n{text}"
    region = region_of(fault, numbers)
    others = [finding for finding in findings if finding["kind"] not in CONSEQUENCES and not lines_of(finding) & region]
    assert others == [], f"{fault.what}: what has nothing to do with it is found:\n{words(others, text)}\n{text}"


def check_program(data, kernels):
    program = data.draw(programs(kernels))
    note("; ".join(step.about for step in program.steps))
    check_clean(program)
    faults = program.kernel_faults if program.kernel_faults and data.draw(st.integers(0, 3)) < 3 else program.host_faults
    fault = data.draw(st.sampled_from(faults))
    note(fault.what)
    check_fault(program, fault)


@cases(st.data(), slow=True)
def test_kernels_of_textbooks(data):
    check_program(data, KERNELS)


@cases(st.data(), slow=True)
def test_random_phases(data):
    """A barrier is missing exactly where a model of the accesses says so."""
    check_program(data, [random_phases])
