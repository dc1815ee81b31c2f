#!/usr/bin/env python3
"""heddle check against the verdicts that the kernels and the programs of a corpus carry.

A source's comments hold command lines and what they find:

    // check KERNEL FLAGS...
    // program FLAGS... -- ARGUMENTS...    the whole file as a program
    // finds KIND @label @label...    a finding of that kind, with a place on the line of each label; one line each.
                                      Behind the labels may stand, in this order, `of NAME`, the variable that it is about;
                                      `N times`; and `: TEXT`, which its message or what is said of it contains
    // notes KIND ...                 the same of a note, for which no check fails
    // clean                          nothing is found
    // fails TEXT                     it cannot be run, and says so with this text
    // prints TEXT                    a line of standard output; of a program, whatever is found

A label is a word @label in a comment at the end of a line. Every finding must be expected and every expectation found.
Precision and recall are counted over findings: those found that were expected, and those expected that were found.
"""
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

HEDDLE = os.environ["HEDDLE"]
HERE = pathlib.Path(__file__).parent
# Other folders below these hold parts of programs.
FOLDERS = [HERE / name for name in ("kernels", "programs", "programs/cccl", "programs/language", "programs/libraries", "programs/memory", "programs/spaces", "programs/streams")]


FINDS = re.compile(r"(?P<kind>[\w-]+)(?P<labels>( @\w+)*)( of (?P<variable>.+?))?( (?P<count>\d+) times)?(: (?P<text>.+))?")


class Expected:
    def __init__(self, is_note, kind, lines, variable, count, text):
        self.is_note = is_note
        self.kind, self.lines, self.variable, self.count, self.text = kind, lines, variable, count, text

    def __str__(self):
        return f"{'note: ' if self.is_note else ''}{self.kind} on lines {sorted(self.lines)} of {self.variable}, {self.count} times: {self.text}"

    def fits(self, finding):
        return (self.kind == finding["kind"] and self.is_note == (finding["level"] == "note")
                and self.lines <= {p["line"] for p in finding["places"]}
                and (self.variable is None or finding.get("variable", {}).get("name") == self.variable)
                and (self.count is None or int(self.count) == finding["count"])
                and (self.text is None or self.text in finding["message"] + "\n" + finding.get("detail", "")))


class Case:
    def __init__(self, source, line, is_program, command):
        self.source, self.line, self.is_program, self.command = source, line, is_program, command
        self.finds, self.clean, self.fails, self.prints = [], False, None, []


def cases_of(source):
    text = source.read_text().splitlines()
    labels = {}
    for number, line in enumerate(text, 1):
        code, comment, notes = line.partition("//")
        if code.strip() and comment:
            for label in re.findall(r"@\w+", notes):
                if label in labels:
                    sys.exit(f"{source}:{number}: label {label} is on line {labels[label]} already")
                labels[label] = number
    cases = []
    for number, line in enumerate(text, 1):
        words = re.match(r"// (check|program|finds|notes|clean|fails|prints)\b ?(.*)", line)
        if not words:
            continue
        what, rest = words.groups()
        if what in ("check", "program"):
            cases.append(Case(source, number, what == "program", shlex.split(rest)))
        elif what in ("finds", "notes"):
            parts = FINDS.fullmatch(rest)
            if not parts:
                sys.exit(f"{source}:{number}: not understood: {rest}")
            lines = {labels[name] for name in parts["labels"].split()}
            cases[-1].finds.append(Expected(what == "notes", parts["kind"], lines, parts["variable"], parts["count"], parts["text"]))
        elif what == "clean":
            cases[-1].clean = True
        elif what == "fails":
            cases[-1].fails = rest
        else:
            cases[-1].prints.append(rest)
    return cases


def run(case):
    """What is wrong with the verdict, and how many findings were right, unexpected and missing."""
    # What a program prints goes to standard error beside JSON; what a kernel prints does not go beside it.
    json_flag = ["--json"] if case.is_program or not case.prints else []
    kernel = [] if case.is_program else ["--kernel"]
    result = subprocess.run([HEDDLE, "check", case.source.name, *json_flag, *kernel, *case.command],
                            cwd=case.source.parent, capture_output=True, text=True, timeout=120)
    if case.fails is not None:
        right = result.returncode == 2 and case.fails in result.stderr
        return ([] if right else [f"status {result.returncode}: {result.stderr.strip()}"]), 0, 0, 0
    printed = result.stderr if case.is_program else result.stdout
    not_printed = [f"not printed: {text}" for text in case.prints if text not in printed.splitlines()]
    if case.prints and not case.is_program:
        wrong = not_printed
        if result.returncode != 0:
            wrong.append(f"status {result.returncode}: {result.stdout}{result.stderr}")
        return wrong, 0, 0, 0
    if not result.stdout.startswith("{") or '"verdict":"error"' in result.stdout:
        lines = result.stderr.strip().splitlines()[:4]
        return [f"status {result.returncode}: {line}" for line in lines or [""]], 0, 0, len(case.finds)
    report = json.loads(result.stdout)
    findings = report["findings"]
    wrong, right, unexpected, missing = not_printed, 0, 0, 0
    for f in findings:
        if any(e.fits(f) for e in case.finds):
            right += 1
        else:
            unexpected += 1
            lines = sorted({p["line"] for p in f["places"]})
            wrong.append(f"unexpected: {f['level']}: {f['kind']} on lines {lines}, {f['count']} times: {f['message']}; {f.get('detail', '')}")
    for e in case.finds:
        if not any(e.fits(f) for f in findings):
            missing += 1
            wrong.append(f"missing: {e}")
    status = 1 if any(f["level"] != "note" for f in findings) else report.get("status", 0) or 3 * (report["verdict"] == "nothing-checked")
    if result.returncode != status:
        wrong.append(f"status {result.returncode} with {len(findings)} findings")
    if not case.clean and not case.finds:
        wrong.append("the case expects nothing")
    return wrong, right, unexpected, missing


def main():
    wanted = {*sys.argv[1:]}
    everything = [s for folder in FOLDERS for s in sorted(folder.glob("*.cu"))]
    sources = [s for s in everything if not wanted or wanted & {s.stem, *s.relative_to(HERE).parts}]
    cases = [case for source in sources for case in cases_of(source)]
    right = unexpected = missing = failed = 0
    with tempfile.TemporaryDirectory() as cache:
        os.environ["XDG_CACHE_HOME"] = os.environ.get("HEDDLE_TEST_CACHE", cache)
        for case in cases:
            wrong, r, u, m = run(case)
            right, unexpected, missing = right + r, unexpected + u, missing + m
            if wrong:
                failed += 1
                print(f"{case.source.name}:{case.line}: {shlex.join(case.command)}")
                for line in wrong:
                    print(f"    {line}")
    kernels = len({(case.source, case.command[0]) for case in cases if not case.is_program})
    programs = len({case.source for case in cases if case.is_program})
    precision = right / (right + unexpected) if right + unexpected else 1
    recall = right / (right + missing) if right + missing else 1
    print(f"{kernels} kernels, {programs} programs, {len(cases)} verdicts, {failed} wrong; {right + missing} findings expected: "
          f"precision {precision:.3f}, recall {recall:.3f}")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
