"""A cache of kernels for each test, and a compiler that notes its starts, for cache_test.py and cache_compilers_test.py."""
import json
import os
import subprocess

import numpy as np

from checks import HEDDLE, CommandTest


class KernelCacheTest(CommandTest):
    """Each test has a cache of its own, which is empty, and a compiler that notes when it is started."""

    def setUp(self):
        super().setUp()
        self.cache = self.folder / "cache"
        self.kernels = self.cache / "heddle" / "kernels"
        self.input = self.save(np.arange(5.0))
        self.started = self.folder / "started"
        self.compiler = self.folder / "compiler"
        self.compiler.write_text(f"#!/bin/sh\necho >> {self.started}\nexec g++ \"$@\"\n")
        self.compiler.chmod(0o755)
        left_out = ("TMPDIR", "HEDDLE_CACHE_SIZE", "HOME")
        self.environment = {k: v for k, v in os.environ.items() if k not in left_out}
        self.environment.update(XDG_CACHE_HOME=str(self.cache), CXX=str(self.compiler))

    def start(self, *arguments, command=HEDDLE, **options):
        options = {"env": self.environment, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, **options}
        return subprocess.Popen([command, *map(str, arguments)], **options)

    def start_transform(self, expression="a + 1", **options):
        return self.start("transform", expression, self.input, "-o", self.out, "--target", "serial", **options)

    def transform(self, expression="a + 1", compiles=True, **options):
        """What is printed while an expression is evaluated on 0, 1, 2, 3, 4, which starts a compiler or does not."""
        self.out.unlink(missing_ok=True)
        self.started.unlink(missing_ok=True)
        running = self.start_transform(expression, **options)
        printed, errors = running.communicate(timeout=300)
        self.assertEqual((running.returncode, printed), (0, ""), errors)
        np.testing.assert_array_equal(np.load(self.out), eval(expression, {"a": np.arange(5.0)}))
        if str(self.compiler) in options.get("env", self.environment).get("CXX", ""):
            self.assertEqual(self.started.exists(), compiles)
        return errors

    def shown(self, *options, **changes):
        """The output of `heddle cache`."""
        return json.loads(self.start("cache", "--json", *options, env={**self.environment, **changes}).communicate(timeout=300)[0])

    def kept(self, ending):
        return sorted(p for p in self.kernels.iterdir() if p.suffix == ending)
