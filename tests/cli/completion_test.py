#!/usr/bin/env python3
"""The scripts that complete words in a shell, run in those shells that there are, and the man page."""
import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import time
import unittest

import numpy as np

from checks import HEDDLE, CommandTest, run
from moments import PATIENCE

OPERATORS = re.search(r"--op OP +([a-z|]+)", run("reduce", "--help").stdout)[1].split("|")
NAMES_A_FILE = re.compile(r"npy|FILE|MASK|\bOUT\b|\.svg|\.png|\.cu|^F$")


def subcommands():
    return re.findall(r"^  ([a-z]+) ", run("--help").stdout.partition("Subcommands:")[2], re.MULTILINE)


def commands():
    """The words of each command that has options of its own."""
    return [[name] for name in subcommands()] + [["view", simulation] for simulation in ("life", "mandelbrot", "laplace", "lbm")]


def options_of(*command):
    """Its options as --help shows them: their names, and what stands behind them."""
    text = run(*command, "--help").stdout.partition("Options:")[2]
    found = {}
    for names, value in re.findall(r"^  (-\S+)(?: ((?!Needs|Excludes)\S+(?: [A-Z.\[][^ :\n]*(?= |$))*))?(?= |$)", text, re.MULTILINE):
        for name in names.split(","):
            found[name] = value
    return found


class CompletionTest(CommandTest):
    def setUp(self):
        super().setUp()
        np.save(self.folder / "first.npy", np.arange(3.0))
        np.save(self.folder / "two words.npy", np.arange(3.0))
        (self.folder / "folder").mkdir()
        self.scripts = {}
        for shell in ("bash", "zsh", "fish"):
            self.scripts[shell] = self.folder / f"script.{shell}"
            self.scripts[shell].write_text(run("completion", shell).stdout)

    def in_bash(self, *words):
        """What bash offers for the last of the words, which are split as bash splits them."""
        parts = [part for word in words for part in re.split("(=)", word) if part or word == ""]
        program = ('source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _heddle; '
                   '[[ ${#COMPREPLY[@]} == 0 ]] || printf "%s\\n" "${COMPREPLY[@]}"')
        done = subprocess.run(["bash", "--norc", "-c", program, "bash", self.scripts["bash"], "heddle", *parts],
                              capture_output=True, text=True, cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""), words)
        return sorted(done.stdout.splitlines())

    def test_bash(self):
        files = sorted(p.name for p in self.folder.iterdir())
        self.assertEqual(self.in_bash(""), sorted(subcommands()))
        self.assertEqual(self.in_bash("ma"), ["mandelbrot", "manual", "matmul"])
        self.assertEqual(self.in_bash("--v"), ["--version"])
        self.assertEqual(self.in_bash("reduce", "x.npy", "--op", ""), sorted(OPERATORS))
        self.assertEqual(self.in_bash("reduce", "--op", "m"), ["max", "mean", "median", "min"])
        self.assertEqual(self.in_bash("reduce", "--op=m"), ["max", "mean", "median", "min"])
        self.assertEqual(self.in_bash("reduce", "--op="), sorted(OPERATORS))
        self.assertEqual(self.in_bash("sort", "--target", ""), ["auto", "gpu", "parallel", "serial"])
        self.assertEqual(self.in_bash("sort", "--dtype", "uint1"), ["uint16"])
        self.assertEqual(self.in_bash("sort", "--desc"), ["--descending"])
        self.assertEqual(self.in_bash("reduce", "f"), ["first.npy", "folder"])
        self.assertEqual(self.in_bash("reduce", ""), files)
        self.assertEqual(self.in_bash("reduce", "two"), ["two words.npy"])
        self.assertEqual(self.in_bash("lbm", "c"), ["cavity", "channel", "cylinder"])
        self.assertEqual(self.in_bash("lbm", "cavity", "--resume", "fir"), ["first.npy"])
        self.assertEqual(self.in_bash("laplace", "--format", ""), ["npy", "png", "vti"])
        self.assertEqual(self.in_bash("view", ""), ["laplace", "lbm", "life", "mandelbrot"])
        self.assertEqual(self.in_bash("view", "--port", "0", "lbm", "ca"), ["cavity"])
        self.assertEqual(self.in_bash("view", "laplace", "--method", "m"), ["multigrid"])
        self.assertEqual(self.in_bash("view", "mandelbrot", ""), [])
        self.assertEqual(self.in_bash("view", "life", "fir"), ["first.npy"])
        self.assertEqual(self.in_bash("completion", ""), ["bash", "fish", "zsh"])
        self.assertEqual(self.in_bash("run", "k.cu", "-I", ""), ["folder"])
        self.assertEqual(self.in_bash("pi", "--samples", ""), [])
        self.assertEqual(self.in_bash("frobnicate", ""), [])

    def test_each_option_is_completed(self):
        """Names of options, and files where one takes a file: no definition is without what the scripts need."""
        files = sorted(p.name for p in self.folder.iterdir())
        zsh, fish = self.scripts["zsh"].read_text(), self.scripts["fish"].read_text()
        for words in commands():
            options, command = options_of(*words), ":".join(words)
            self.assertIn("--help", options)
            self.assertEqual(self.in_bash(*words, "-"), sorted(options))
            for name, value in options.items():
                if value and NAMES_A_FILE.search(value) and name not in ("--format", "--field"):
                    self.assertEqual(self.in_bash(*words, name, ""), files, (command, name))
                dashes = "-s" if len(name) == 2 else "-l"
                self.assertRegex(fish, rf"= {command}' .*{dashes} {name.lstrip('-')}\b")
            self.assertIn(f"        {command})\n", zsh)

    @unittest.skipUnless(shutil.which("fish"), "there is no fish")
    def test_fish(self):
        def offered(text):
            done = subprocess.run(["fish", "--no-config", "-c", f"source {self.scripts['fish']}; complete -C '{text}'"],
                                  capture_output=True, text=True, cwd=self.folder, env=dict(os.environ, HOME=str(self.folder)))
            self.assertEqual(done.stderr, "", text)
            return sorted(line.split("\t")[0] for line in done.stdout.splitlines())

        self.assertEqual(offered("heddle ma"), ["mandelbrot", "manual", "matmul"])
        self.assertEqual(offered("heddle reduce --op m"), ["max", "mean", "median", "min"])
        self.assertEqual(offered("heddle sort --desc"), ["--descending"])
        self.assertEqual(offered("heddle reduce fir"), ["first.npy"])
        self.assertEqual(offered("heddle view l"), ["laplace", "lbm", "life"])
        self.assertEqual(offered("heddle view lbm ca"), ["cavity"])
        self.assertEqual(offered("heddle view laplace --method m"), ["multigrid"])
        self.assertEqual(offered("heddle lbm c"), ["cavity", "channel", "cylinder"])
        self.assertIn("first.npy", offered("heddle sort -o fir"))
        self.assertEqual(offered("heddle pi --samples "), [])

    @unittest.skipUnless(shutil.which("zsh"), "there is no zsh")
    def test_zsh(self):
        environment = dict(os.environ, ZDOTDIR=str(self.folder), HOME=str(self.folder), TERM="dumb")
        process, terminal = pty.fork()
        if process == 0:
            os.chdir(self.folder)
            os.execvpe("zsh", ["zsh", "-f", "-i"], environment)
        self.addCleanup(os.waitpid, process, 0)
        self.addCleanup(os.close, terminal)

        text = ""

        def shown(typed, wanted):
            """Types, and waits until the terminal shows what is wanted, after what it showed before."""
            nonlocal text
            os.write(terminal, typed.encode())
            give_up = time.monotonic() + PATIENCE
            while wanted not in text and time.monotonic() < give_up:
                if select.select([terminal], [], [], 0.1)[0]:
                    text += os.read(terminal, 4096).decode(errors="replace")
            self.assertIn(wanted, text, typed)
            text = text.partition(wanted)[2]

        shown(f"autoload -U compinit; compinit -u -D; source {self.scripts['zsh']}; PS1='rea''dy> '\n", "ready> ")
        # A word that is completed is written out; Ctrl-U takes the line away.
        for typed, wanted in (("heddle mandel\t", "mandelbrot "), ("heddle reduce --op me\t", "mean "),
                              ("heddle sort --desc\t", "--descending "), ("heddle reduce fir\t", "first.npy "),
                              ("heddle sort -o fir\t", "first.npy "), ("heddle lbm cyl\t", "cylinder "),
                              ("heddle view lap\t", "laplace "), ("heddle view lbm cyl\t", "cylinder "),
                              ("heddle view laplace --method mul\t", "multigrid ")):
            shown(typed, wanted)
            os.write(terminal, b"\x15")
        os.write(terminal, b"exit\n")

    def test_the_scripts_are_made_whole_or_not_at_all(self):
        out = self.folder / "made"
        self.assertEqual(run("completion", "bash", "-o", out).stdout, "")
        self.assertEqual(out.read_text(), self.scripts["bash"].read_text())
        self.assertIn("not in", self.fails(2, "completion", "tcsh"))
        self.fails(1, "manual", "-o", self.folder / "missing" / "heddle.1")

    def test_man_page(self):
        page = self.folder / "heddle.1"
        self.assertEqual(run("manual", "-o", page).returncode, 0)
        text = page.read_text()
        self.assertEqual(text, run("manual").stdout)
        plain = re.sub(r"\\f[BIR]", "", text).replace("\\-", "-")
        for words in commands():
            command = " ".join(words)
            section = plain.partition(f".SS heddle {command}")[2].partition("\n.SS ")[0]
            # What all of heddle view takes is said once.
            options = {name: value for name, value in options_of(*words).items() if len(words) == 1 or name not in options_of("view")}
            for name, value in options.items():
                self.assertRegex(section, rf"{re.escape(name)}(, --[a-z-]+)?{re.escape(f' {value}' if value else '')}\n", command)
        if shutil.which("groff"):
            done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z", page], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
        if shutil.which("mandoc"):
            done = subprocess.run(["mandoc", "-T", "lint", "-W", "error", page], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_what_the_build_made_is_the_same(self):
        made = pathlib.Path(HEDDLE).parent.parent / "share"
        if not made.is_dir():
            self.skipTest("the command is not in a build folder")
        for shell, name in (("bash", "heddle.bash"), ("zsh", "_heddle"), ("fish", "heddle.fish")):
            self.assertEqual((made / name).read_text(), self.scripts[shell].read_text())
        self.assertEqual((made / "heddle.1").read_text(), run("manual").stdout)


if __name__ == "__main__":
    unittest.main()
