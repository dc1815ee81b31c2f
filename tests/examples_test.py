#!/usr/bin/env python3
"""Runs one example, or checks what all of them have in common.

    examples_test.py README.md                     the table lists each program below its folder once; a program has at most
                                                   80 lines and opens with three lines of comment
    examples_test.py README.md PROGRAM TARGET      the program exits with 0 on the target and prints what the table says,
                                                   where "..." stands for anything; exit status 77 where there is no GPU
"""
import pathlib
import re
import subprocess
import sys

LARGEST, COMMENT = 80, 3
SKIPPED = 77
ROW = re.compile(r"^\|[^|]*\|[^|]*\| \[([\w.]+)\]\(([\w./]+)\) \| `([^`]*)` \|$")


def rows_of(readme):
    """What each program of the table prints."""
    rows = {}
    for number, line in enumerate(readme.read_text().splitlines(), 1):
        row = ROW.match(line)
        if line.startswith("|") and "](" in line and not row:
            sys.exit(f"{readme}:{number}: not a row | row | idea | [file](file) | `what it prints` |")
        if row:
            name, link, prints = row.groups()
            if name != pathlib.Path(link).name or link in rows:
                sys.exit(f"{readme}:{number}: {name} leads to {link}, or is there twice")
            rows[link] = prints
    return rows


def wrong_with_files(readme):
    rows = rows_of(readme)
    programs = {str(path.relative_to(readme.parent)): path for path in readme.parent.rglob("*") if path.suffix in (".cpp", ".cu")}
    wrong = [f"{name} is not in the table" for name in sorted(programs.keys() - rows.keys())]
    wrong += [f"{name} is in the table and not in the folder" for name in sorted(rows.keys() - programs.keys())]
    for name, path in sorted(programs.items()):
        lines = path.read_text().splitlines()
        if len(lines) > LARGEST:
            wrong.append(f"{name} has {len(lines)} lines; at most {LARGEST}")
        comment = next((k for k, line in enumerate(lines) if not line.startswith("// ")), len(lines))
        if comment != COMMENT:
            wrong.append(f"{name} opens with {comment} lines of comment, not {COMMENT}")
    return wrong


def run(readme, program, target):
    name = pathlib.Path(program).name
    prints = [text for file, text in rows_of(readme).items() if pathlib.Path(file).stem == name]
    if len(prints) != 1:
        sys.exit(f"{name} is {len(prints)} times in the table")
    command = [program, "--target", target] if target else [program]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
    if done.returncode == 1 and target.startswith("gpu") and re.search(r"has no GPU", done.stderr):
        print(done.stderr, end="")
        sys.exit(SKIPPED)
    print(done.stdout + done.stderr, end="")
    if done.returncode != 0:
        sys.exit(f"{name} on {target}: exit status {done.returncode}")
    wanted = ".*".join(re.escape(part) for part in prints[0].split("..."))
    if not re.search(wanted, done.stdout):
        sys.exit(f"{name} on {target} does not print: {prints[0]}")


readme = pathlib.Path(sys.argv[1])
if len(sys.argv) == 2:
    wrong = wrong_with_files(readme)
    print("\n".join(wrong))
    sys.exit(bool(wrong))
run(readme, sys.argv[2], sys.argv[3])
