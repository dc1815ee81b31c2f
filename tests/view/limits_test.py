#!/usr/bin/env python3
"""heddle view where something is scarce or comes at a bad time: signals while it measures, descriptors, names that are no UTF-8. HEDDLE is
the path of the executable."""
import json
import os
import pathlib
import re
import resource
import shlex
import signal
import socket
import subprocess
import tempfile
import time
import unittest

from connection import PATIENCE, Client, Server, skip_without_server

HEDDLE = os.environ["HEDDLE"]
WINDOW = {"x": "0", "y": "0", "scale": 1, "width": 64, "height": 64}


class LimitsTest(unittest.TestCase):
    def setUp(self):
        """A cache that is empty: each server measures what a copy reaches."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.kept = self.folder / "heddle" / "copy-bandwidths.json"

    def serve(self, *words, **options):
        server = Server(*words, environment=os.environ | {"XDG_CACHE_HOME": str(self.folder)}, **options)
        self.addCleanup(server.__exit__)
        return server

    def greeted(self, server):
        client = Client(server)
        self.addCleanup(client.close)
        client.ask("window", **WINDOW)
        client.said("hello")
        return client

    def known(self, client):
        """The first ceiling that it is told."""
        client.ask("play")
        return client.frame(lambda header: header["ceiling"] > 0)[0]["ceiling"]


class MeasurementTest(LimitsTest):
    def test_a_signal_ends_it_at_any_time(self):
        until = {"at its address": lambda client: None, "at a frame": lambda client: client.frame(),
                 "as it plays": lambda client: client.ask("play"),
                 "at a rate": lambda client: (client.ask("play"), client.frame(lambda header: header["steps_per_second"] > 0))}
        for simulation in (["life", "--random", "64x64"], ["lbm", "cavity", "--size", "64x64"]):
            for by in (signal.SIGTERM, signal.SIGINT):
                for when, reach in until.items():
                    self.kept.unlink(missing_ok=True)
                    server = self.serve(*simulation)
                    reach(self.greeted(server) if when != "at its address" else None)
                    server.process.send_signal(by)
                    said = server.process.communicate(timeout=PATIENCE)[1]
                    self.assertEqual((server.process.returncode, said), (0, ""), (simulation, by, when))

    def test_the_measurement_is_small_and_kept(self):
        server = self.serve("life", "--random", "64x64")
        ceiling = self.known(self.greeted(server))
        status = pathlib.Path(f"/proc/{server.process.pid}/status").read_text()
        self.assertLess(int(re.search(r"VmHWM:\s+(\d+) kB", status).group(1)), 600 << 10)
        self.assertEqual(server.interrupt(), (0, ""))
        kept = json.loads(self.kept.read_text())
        self.assertEqual(list(kept["copies"].values()), [ceiling])
        # The next one takes what is there.
        kept["copies"] = {name: 123e9 for name in kept["copies"]}
        self.kept.write_text(json.dumps(kept))
        self.assertEqual(self.known(self.greeted(self.serve("life", "--random", "64x64"))), 123e9)


def limited_to(files):
    """For a child: no more descriptors than these."""
    return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))


class DescriptorsTest(LimitsTest):
    def test_without_descriptors_it_says_so_or_serves(self):
        refusals = 0
        for files in range(4, 17):
            process = subprocess.Popen([HEDDLE, "view", "life", "--random", "16x16", "--no-open", "--port", "0"], stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, text=True, preexec_fn=limited_to(files))
            with process:
                address = process.stdout.readline()
                if address:
                    port = int(re.fullmatch(r"http://127\.0\.0\.1:(\d+)/\n", address).group(1))
                    self.assertGreater(port, 0)
                    with socket.create_connection(("127.0.0.1", port), PATIENCE) as asking:
                        asking.sendall(f"GET /icon.svg HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
                        self.assertIn(b"200", asking.recv(1000))
                    process.terminate()
                said = process.communicate(timeout=PATIENCE)[1]
                if not address:
                    refusals += 1
                    self.assertEqual((process.returncode, said.count("\n")), (1, 1), (files, said))
                    self.assertRegex(said, "Too many open files", files)
                else:
                    self.assertEqual((process.returncode, said), (0, ""), files)
        self.assertGreater(refusals, 0)

    def test_waits_when_all_descriptors_are_taken(self):
        server = self.serve("life", "--random", "16x16", preexec_fn=limited_to(24))
        client = self.greeted(server)
        self.known(client)
        client.ask("pause")
        client.frame(lambda header: not header["playing"])
        others = [socket.create_connection(("127.0.0.1", server.port), PATIENCE) for _ in range(60)]
        for one in others:
            self.addCleanup(one.close)
        # Others look as before.
        for _ in range(20):
            client.ask("command")
            client.said("command")
        # It sleeps, which a server that spins never does.
        asleep, ends = 0, time.monotonic() + PATIENCE
        while asleep < 20:
            state = pathlib.Path(f"/proc/{server.process.pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
            asleep = asleep + 1 if state == "S" else 0
            self.assertLess(time.monotonic(), ends, "the server does not sleep")
        for one in others:
            one.close()
        self.greeted(server)
        self.assertEqual(server.interrupt(), (0, ""))


class ThreadsTest(LimitsTest):
    def test_without_threads_it_says_so_or_serves(self):
        self.folder.chmod(0o777)
        nobody = 30000 + os.getpid() % 30000  # threads of others do not count

        def limited(threads):
            if os.getuid() == 0:
                os.setgroups([])
                os.setgid(nobody)
                os.setuid(nobody)
            resource.setrlimit(resource.RLIMIT_NPROC, (threads, threads))

        environment = os.environ | {"HOME": str(self.folder), "XDG_CACHE_HOME": str(self.folder), "ASAN_OPTIONS": "detect_leaks=0"}
        if subprocess.run([HEDDLE, "--version"], preexec_fn=lambda: limited(1), env=environment, capture_output=True).returncode != 0:
            self.skipTest("the command cannot be run by a user without rights")
        for threads in (1, 2, 3, 4):
            process = subprocess.Popen([HEDDLE, "view", "life", "--random", "16x16", "--no-open", "--port", "0"], stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, text=True, preexec_fn=lambda: limited(threads), env=environment)
            with process:
                address = process.stdout.readline()
                if threads > 1:
                    self.assertTrue(address.startswith("http://127.0.0.1:"), threads)
                    process.terminate()
                said = process.communicate(timeout=PATIENCE)[1]
            if threads > 1:
                self.assertEqual((process.returncode, said), (0, ""), threads)
            else:
                self.assertEqual((process.returncode, address), (1, ""))
                self.assertRegex(said, r"\Aheddle view: the system gives no thread for the simulation: .*: raise the limits .*\n\Z")


class NamesTest(LimitsTest):
    def test_a_name_that_is_no_utf8_is_shown_and_quoted(self):
        name = os.fsencode(self.folder) + b"/\xff it's \xc3\xa4\n.rle"
        with open(name, "wb") as file:
            file.write(b"x = 3, y = 3\nbo$2bo$3o!\n")
        server = self.serve("life", name)
        client = self.greeted(server)
        client.ask("command")
        command = client.said("command")["text"]
        self.assertNotIn("\n", command)
        self.assertTrue(command.startswith("heddle life "), command)
        # bash reads the name again.
        words = subprocess.run(["bash", "-c", f"printf '%s\\0' {command}"], capture_output=True, check=True).stdout.split(b"\0")
        self.assertIn(name, words)
        self.assertEqual(server.interrupt(), (0, ""))
        # A name of letters stays as it is.
        plain = self.folder / "ä b.rle"
        plain.write_text("bo$2bo$3o!\n")
        client = self.greeted(self.serve("life", plain))
        client.ask("command")
        self.assertIn(str(plain), shlex.split(client.said("command")["text"]))


if __name__ == "__main__":
    skip_without_server()
    unittest.main()
