#!/usr/bin/env python3
"""What is kept of a compiled kernel between runs, and where."""
import hashlib
import json
import os
import resource
import shutil
import signal
import struct
import subprocess
import time
import unittest

import numpy as np

from checks import HEDDLE
from kernel_cache import KernelCacheTest

OTHER_USER = 65534  # nobody
is_root = os.geteuid() == 0


class EntriesTest(KernelCacheTest):
    """What is kept is loaded when it is what was kept, and the user's."""

    def damaged(self, change):
        """What the next run says after a change to what is kept; the one after it is as always."""
        if not self.cache.exists():
            self.transform()
        change()
        errors = self.transform()
        self.assertEqual(self.transform(compiles=False), "")
        return errors

    def check_message(self, errors, reason):
        self.assertRegex(errors, rf"\Aheddle: {self.kernels}/\w+(\.json|-\w+\.so): {reason}: the kernel is compiled anew\n\Z")

    def test_is_kept(self):
        self.assertEqual(self.transform(), "")
        self.assertEqual([p.suffix for p in sorted(self.kernels.iterdir())], [".so", ".json"])
        for folder in (self.kernels, self.kernels.parent):
            self.assertEqual(folder.stat().st_mode & 0o777, 0o700)
        for file in self.kernels.iterdir():
            self.assertEqual(file.stat().st_mode & 0o777, 0o600)
        self.assertEqual(self.transform(compiles=False), "")
        # The working directory is not asked for.
        self.assertEqual(self.transform(compiles=False, cwd="/"), "")

    def test_damaged_code(self):
        def flip():
            code, = self.kept(".so")
            content = bytearray(code.read_bytes())
            content[len(content) // 2] ^= 1
            code.write_bytes(content)

        def fill():
            code, = self.kept(".so")
            code.write_bytes(b"x" * code.stat().st_size)

        for change in (flip, fill, lambda: os.truncate(self.kept(".so")[0], 1000)):
            self.check_message(self.damaged(change), "the digest of its code is another")
        self.assertEqual(self.damaged(lambda: self.kept(".so")[0].unlink()), "")

    def test_damaged_descriptions(self):
        for content in (b"", b"{}", b"[1, 2", b"\xff" * 100, b"null"):
            self.check_message(self.damaged(lambda: self.kept(".json")[0].write_bytes(content)), "it describes no kernel")

        def change():
            description, = self.kept(".json")
            description.write_text(description.read_text().replace("subscripts", "subscriptz"))

        self.check_message(self.damaged(change), "its digest is another")

    def test_folders_in_place_of_entries(self):
        def change(ending):
            entry, = self.kept(ending)
            entry.unlink()
            entry.mkdir()

        for ending in (".json", ".so"):
            self.check_message(self.damaged(lambda: change(ending)), "it is no file")

    def test_code_of_another_place(self):
        """Its digests are right, and it is not in the folder."""
        def digest(text):
            return hashlib.sha256(struct.pack("<Q", len(text)) + text).hexdigest()

        def change():
            description, = self.kept(".json")
            code, = self.kept(".so")
            elsewhere = shutil.copy(code, self.folder / "elsewhere.so")
            entry = json.loads(description.read_text())["entry"]
            self.assertEqual(entry["code"], digest(code.read_bytes()))
            entry["made"] = str(elsewhere)
            text = json.dumps(entry, separators=(",", ":"), sort_keys=True, ensure_ascii=False)
            description.write_text(json.dumps({"digest": digest(text.encode()), "entry": entry}))

        self.check_message(self.damaged(change), "it names a file of another place")

    def test_files_of_others(self):
        for ending in (".json", ".so"):
            self.check_message(self.damaged(lambda: self.kept(ending)[0].chmod(0o622)), "other users can write to it")
            if is_root:
                self.check_message(self.damaged(lambda: os.chown(self.kept(ending)[0], OTHER_USER, -1)), f"it belongs to user {OTHER_USER}")

            def link():
                file, = self.kept(ending)
                file.symlink_to(shutil.move(file, self.folder / "linked"))

            self.check_message(self.damaged(link), "it is a link")


class FoldersTest(KernelCacheTest):
    """Folders of others are not used: what is compiled is then kept in a folder of the process."""

    def setUp(self):
        super().setUp()
        self.temporary = self.folder / "temporary"
        self.temporary.mkdir()
        self.environment["TMPDIR"] = str(self.temporary)

    def check_is_refused(self, folder, reason):
        before = sorted(folder.rglob("*")) if folder.is_dir() else []
        self.assertRegex(self.transform(), rf"\Aheddle: {folder}: {reason}: kernels are kept in {self.temporary}/heddle-{os.geteuid()}-\w+ "
                                           r"until this process ends\n\Z")
        self.assertEqual(sorted(folder.rglob("*")) if folder.is_dir() else [], before)
        self.assertEqual([p for p in self.temporary.iterdir() if p != folder], [])

    @unittest.skipUnless(is_root, "only root gives files to others")
    def test_folders_of_others(self):
        self.transform()
        for folder in (self.kernels, self.kernels.parent):
            os.chown(folder, OTHER_USER, -1)
            self.check_is_refused(folder, rf"it belongs to user {OTHER_USER} \(set XDG_CACHE_HOME\)")
            os.chown(folder, os.geteuid(), -1)
        self.assertEqual(self.transform(compiles=False), "")

    def test_links(self):
        self.transform()
        elsewhere = self.folder / "elsewhere"
        for folder in (self.kernels, self.kernels.parent):
            folder.rename(elsewhere)
            folder.symlink_to(elsewhere)
            self.check_is_refused(folder, r"it is no folder \(remove it, or set XDG_CACHE_HOME\)")
            folder.unlink()
            elsewhere.rename(folder)

    def test_others_can_write(self):
        """Such a folder is closed to them."""
        self.transform()
        self.kernels.chmod(0o777)
        self.kernels.parent.chmod(0o755)
        self.assertEqual(self.transform(compiles=False), "")
        self.assertEqual({p.stat().st_mode & 0o777 for p in (self.kernels, self.kernels.parent)}, {0o700})

    def test_folders_that_others_can_replace(self):
        self.cache.mkdir()
        for mode in (0o777, 0o775, 0o757):
            self.cache.chmod(mode)
            self.check_is_refused(self.cache, r"other users can replace what is in it \(chmod go-w\)")
        if is_root:
            for mode in (0o755, 0o1777):
                self.cache.chmod(mode)
                os.chown(self.cache, OTHER_USER, -1)
                self.check_is_refused(self.cache, rf"it belongs to user {OTHER_USER}, who can replace what is in it \(set XDG_CACHE_HOME\)")
            os.chown(self.cache, os.geteuid(), -1)
        for compiles, mode in ((True, 0o1777), (False, 0o1775), (False, 0o755)):
            self.cache.chmod(mode)
            self.assertEqual(self.transform(compiles=compiles), "")

    def test_folder_that_cannot_be_made(self):
        self.cache.mkdir()
        self.kernels.parent.write_text("a file\n")
        self.check_is_refused(self.kernels.parent, r"it is no folder \(remove it, or set XDG_CACHE_HOME\)")

    def as_other_user(self):
        """Options for runs as another user, who can read what the tests have made."""
        if not is_root:
            self.skipTest("only root can be another user")
        self.folder.chmod(0o755)
        self.out = self.temporary / "out.npy"
        options = {"preexec_fn": lambda: (os.setgroups([]), os.setgid(OTHER_USER), os.setuid(OTHER_USER))}
        try:
            subprocess.run([HEDDLE, "--version"], check=True, capture_output=True, **options)
        except (OSError, subprocess.CalledProcessError):
            self.skipTest("another user cannot run the command where it is")
        self.temporary.chmod(0o1777)
        self.started.write_text("")
        self.started.chmod(0o666)
        return options

    def test_folder_that_cannot_be_written(self):
        options = self.as_other_user()
        self.cache.mkdir()
        os.chown(self.cache, OTHER_USER, OTHER_USER)
        del self.environment["CXX"]
        self.assertEqual(self.transform(**options), "")
        self.kernels.chmod(0o500)
        self.assertEqual(self.transform(**options), "")  # what is there is read
        self.assertRegex(self.transform("a + 2", **options), rf"\Aheddle: {self.kernels}: no folder can be made in it: Permission denied: kernels "
                                                             rf"are kept in {self.temporary}/\S+ until this process ends\n\Z")
        self.kernels.chmod(0o700)

    def test_no_home(self):
        """Then the folder has a name that others know."""
        del self.environment["XDG_CACHE_HOME"]
        own = self.temporary / f"heddle-{os.geteuid()}"
        self.assertEqual(self.transform(), "")
        self.assertEqual(self.transform(compiles=False), "")
        self.assertEqual(own.stat().st_mode & 0o777, 0o700)
        if is_root:
            os.chown(own, OTHER_USER, -1)
            self.check_is_refused(own, rf"it belongs to user {OTHER_USER} \(set XDG_CACHE_HOME\)")
            os.chown(own, os.geteuid(), -1)
        shutil.rmtree(own)
        planted = self.folder / "planted"
        planted.mkdir()
        own.symlink_to(planted)
        self.check_is_refused(own, r"it is no folder \(remove it, or set XDG_CACHE_HOME\)")
        self.assertEqual(list(planted.iterdir()), [])

    def test_no_temporary_folder(self):
        missing = self.folder / "missing"
        self.environment["TMPDIR"] = str(missing)
        self.assertEqual(self.transform(), "")
        del self.environment["XDG_CACHE_HOME"]
        message = self.fails(1, "transform", "a + 1", self.input, "-o", self.out, env=self.environment)
        self.assertEqual(message, f"heddle transform: no temporary file can be made: {missing} is no folder: TMPDIR must name one\n")

    def test_names_of_two_lines(self):
        """An error is one line all the same."""
        name = self.folder / "two\nlines"
        name.write_text("a file\n")
        self.environment["XDG_CACHE_HOME"] = str(name)
        self.assertRegex(self.transform(), rf"\Aheddle: {self.folder}/two\\nlines: Not a directory: kernels are kept in {self.temporary}/\S+ until "
                                           r"this process ends\n\Z")
        message = self.fails(1, "cache", env=self.environment)
        self.assertEqual(message, f"heddle cache: {self.folder}/two\\nlines: Not a directory\n")
        del self.environment["XDG_CACHE_HOME"]
        for variable, said in (("TMPDIR", "no temporary file can be made: {} is no folder: TMPDIR must name one"), ("CXX", "CXX names '{}', which is no program")):
            message = self.fails(1, "transform", "a + 1.5", self.input, "-o", self.out, env={**self.environment, variable: str(name)})
            self.assertEqual(message, "heddle transform: " + said.format(f"{self.folder}/two\\nlines") + "\n")

    @unittest.skipUnless(is_root, "only root gives files to others")
    def test_headers_of_others(self):
        """In a folder such as /tmp others make folders beside a program's."""
        program = self.folder / "bin" / "heddle"
        program.parent.mkdir()
        shutil.copy(HEDDLE, program)
        header = self.folder / "share" / "heddle" / "device" / "heddle_device" / "language.hpp"
        header.parent.mkdir(parents=True)
        header.write_text("#error planted\n")
        os.chown(self.folder / "share", OTHER_USER, -1)
        self.assertEqual(self.transform(command=program), "")
        os.chown(self.folder / "share", os.geteuid(), -1)
        self.assertIn("planted", self.start_transform("a + 2", command=program).communicate(timeout=300)[1])

    def test_measured_bandwidths(self):
        """They are kept by the same rules, and measured where they cannot be kept."""
        kept = self.cache / "heddle" / "bandwidths.json"
        before = self.shown_machine()
        self.assertEqual(kept.stat().st_mode & 0o777, 0o600)
        self.assertEqual(self.shown_machine(), before)
        kept.chmod(0o666)
        self.shown_machine()
        self.assertEqual(kept.stat().st_mode & 0o777, 0o600)
        if is_root:
            content = kept.read_bytes()
            os.chown(kept.parent, OTHER_USER, -1)
            self.shown_machine()
            self.assertEqual(kept.read_bytes(), content)
            os.chown(kept.parent, os.geteuid(), -1)

    def shown_machine(self):
        running = self.start("info", "--json")
        printed, errors = running.communicate(timeout=300)
        self.assertEqual((running.returncode, errors), (0, ""))
        return json.loads(printed)["cpu"]["read_bytes_per_second"]


class UseTest(KernelCacheTest):
    """The size of the cache, what is left of killed runs, and several processes at once."""

    def test_limit(self):
        names = [f"a + {k}" for k in range(1, 5)]
        for name in names:
            self.transform(name)
        shown = self.shown()
        self.assertEqual((shown["folder"], shown["entries"], shown["limit_bytes"]), (str(self.kernels), 4, 2**30))
        self.assertEqual(shown["bytes"], sum(p.stat().st_size for p in self.kernels.iterdir()))
        self.transform(names[0], compiles=False)
        # Room for two and a half.
        each = shown["bytes"] / 4
        shown = self.shown("--size", int(2.5 * each))
        self.assertEqual((shown["entries"], shown["limit_bytes"]), (2, int(2.5 * each)))
        self.assertLessEqual(shown["bytes"], 2.5 * each)
        self.transform(names[0], compiles=False)
        self.transform(names[3], compiles=False)
        self.transform(names[1])
        self.assertEqual(self.shown()["entries"], 2)
        self.transform(names[0])
        self.assertEqual(self.shown(HEDDLE_CACHE_SIZE="1.5KiB")["limit_bytes"], 1536)
        self.assertEqual(self.transform("a + 9", env={**self.environment, "HEDDLE_CACHE_SIZE": "0"}), "")
        self.assertEqual(self.shown()["entries"], 0)
        self.transform("a + 9")
        self.assertEqual(self.shown("--clear"), {"folder": str(self.kernels), "entries": 0, "bytes": 0, "limit_bytes": int(2.5 * each)})
        limit, = self.kernels.iterdir()
        for damage in (lambda: limit.write_text("many\n"), lambda: limit.chmod(0o666)):
            damage()
            errors = self.transform("a + 8")
            self.assertRegex(errors, rf"\Aheddle: {limit}: [^\n]*: the cache has {2**30} bytes: set its limit by heddle cache --size\n\Z")
            self.shown("--size", "1MiB", "--clear")
            self.assertEqual(self.transform("a + 8"), "")
            self.shown("--clear")
        self.transform("a + 8")
        self.started.unlink()
        for expression in ("a + 8", "a + 7"):  # of which the first is kept
            message = self.fails(1, "transform", expression, self.input, "-o", self.out, "--target", "serial",
                                 env={**self.environment, "HEDDLE_CACHE_SIZE": "much"})
            self.assertFalse(self.started.exists())
            self.assertIn("HEDDLE_CACHE_SIZE: 'much' is no whole number of bytes", message)

    def test_sizes(self):
        for text, size in (("2GiB", 2**31), ("500MB", 500e6), ("1.5K", 1536), ("1.001KB", 1001), ("0.0009765625KiB", 1), ("0", 0),
                           ("1e6", 1e6), ("1.5e1KB", 15000), ("2^30", 2**30), ("2^2KiB", 4096), ("12B", 12), ("9007199254740993", 2**53 + 1),
                           (f"{2**63 - 1}", 2**63 - 1), ("3TiB", 3 * 2**40)):
            self.assertEqual(self.shown("--size", text)["limit_bytes"], size)
            self.assertEqual(self.shown(HEDDLE_CACHE_SIZE=text)["limit_bytes"], size)
        for text in ("x", "-1", "1Gi", "2 GiB", "1e30", "nan", "GiB", "1.5", "0.5", "1.0001KB", "0.1KiB", "1K2", "2^63", "8388608TiB", "."):
            self.fails(2, "cache", f"--size={text}", env=self.environment)
            message = self.fails(1, "cache", env={**self.environment, "HEDDLE_CACHE_SIZE": text})
            self.assertEqual(message, f"heddle cache: HEDDLE_CACHE_SIZE: '{text}' is no whole number of bytes, such as 1000000, 2^20, 500MB or 2GiB\n")
        self.fails(2, "cache", "--size=", env=self.environment)
        printed = self.start("cache").communicate(timeout=300)[0]
        self.assertEqual(printed, f"folder   {self.kernels}\nentries  0\nbytes    0 (0.0 KiB)\nlimit    {3 * 2**40} (3072.0 GiB)\n")

    def test_leftovers_of_killed_runs(self):
        """A compiler that does not end is killed with what started it."""
        ready = self.folder / "ready"
        self.compiler.write_text(f"#!/bin/sh\ntouch {ready}\nexec sleep 3600\n")
        stuck = self.start_transform(start_new_session=True)
        self.addCleanup(stuck.communicate)
        self.addCleanup(stuck.kill)
        while not ready.exists():
            self.assertIsNone(stuck.poll())
            time.sleep(0.01)
        folders = [p for p in self.kernels.iterdir() if p.is_dir()]
        self.assertEqual(len(folders), 1)
        environment = {k: v for k, v in self.environment.items() if k != "CXX"}
        self.assertEqual(self.transform(env=environment), "")
        self.shown("--clear")
        self.assertTrue(folders[0].exists())
        os.killpg(stuck.pid, signal.SIGKILL)
        stuck.wait()
        self.assertTrue(folders[0].exists())
        self.assertEqual(self.transform(env=environment), "")
        self.assertFalse(folders[0].exists())

    def test_few_descriptors(self):
        """Where a folder is made and cannot be opened, the command ends, and leaves no folder."""
        for most in range(5, 13):
            def limit(most=most):
                resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))

            running = self.start_transform(preexec_fn=limit)
            self.addCleanup(running.kill)
            running.communicate(timeout=300)
            if self.kernels.exists():
                self.assertEqual([p for p in self.kernels.iterdir() if p.is_dir()], [])

    def test_it_is_removed_while_compilers_run(self):
        """Before or after any of the compiler's runs: what was lost is compiled again elsewhere."""
        runs = self.folder / "runs"
        for number in (1, 2, 3):
            for before in (True, False):
                remove = f'[ $n = {number} ] && rm -rf "{self.cache}"'
                self.compiler.write_text(f"#!/bin/sh\necho >> {self.started}\necho >> {runs}\nn=$(wc -l < {runs})\n"
                                         + (f'{remove}\nexec g++ "$@"\n' if before else f'g++ "$@"\ns=$?\n{remove}\nexit $s\n'))
                runs.unlink(missing_ok=True)
                self.assertEqual(self.transform(f"a + {number}"), "")
                self.assertGreater(len(runs.read_text().splitlines()), 3)
                self.assertEqual(self.transform(f"a + {number}", compiles=False), "")
                self.assertEqual([p.suffix for p in sorted(self.kernels.iterdir())], [".so", ".json"])
                shutil.rmtree(self.cache)
        # A source that is wrong is compiled once.
        runs.unlink()
        self.compiler.write_text(f'#!/bin/sh\necho >> {runs}\nexec g++ "$@"\n')
        source = self.folder / "wrong.cu"
        source.write_text("__global__ void k(int* x) { *x = y; }\n")
        done = self.start("run", source, "--kernel", "k", "--grid", 1, "--block", 1, "--arg", "i32[1]=zeros", "--target", "serial")
        self.assertIn("'y' was not declared", done.communicate(timeout=300)[1])
        self.assertLessEqual(len(runs.read_text().splitlines()), 2)

    def test_its_folder_is_told_whatever_its_name(self):
        folder = os.fsdecode(os.fsencode(self.folder) + b"/\xff")
        self.assertEqual(self.shown(XDG_CACHE_HOME=folder)["folder"], f"{self.folder}/\ufffd/heddle/kernels")

    def test_processes_clear_and_fill_it_at_once(self):
        for _ in range(2):
            outputs = [self.folder / f"{k}.npy" for k in range(3)]
            running = [self.start("transform", "a * 3", self.input, "-o", out, "--target", "serial") for out in outputs]
            while any(process.poll() is None for process in running):
                self.shown("--clear")
            for out, process in zip(outputs, running):
                self.assertEqual((process.communicate(timeout=300), process.returncode), (("", ""), 0))
                np.testing.assert_array_equal(np.load(out), np.arange(5) * 3.0)


if __name__ == "__main__":
    unittest.main()
