"""What calls are timed of: Heddle on its targets, and the libraries beside it where they are installed."""

import importlib
import os

import numpy as np

import heddle


class Heddle:
    """On one target; results stay where the elements are."""

    def __init__(self, target):
        self.name, self.target = f"Heddle {target}", target
        self.where = heddle.Target(target)

    def put(self, x):
        return heddle.asarray(x).on(self.target) if self.target.startswith("gpu") else x

    def calls(self, x):
        where = self.target
        return {
            "sum": lambda: heddle.sum(x, target=where),
            "max": lambda: heddle.max(x, target=where),
            "mean": lambda: heddle.mean(x, target=where),
            "argmax": lambda: heddle.argmax(x, target=where),
            "cumsum": lambda: heddle.cumsum(x, target=where),
            "sort": lambda: heddle.sort(x, target=where),
            "argsort": lambda: heddle.argsort(x, target=where),
            "unique": lambda: heddle.unique(x, target=where),
            "rfft": lambda: heddle.fft.rfft(x, target=where),
            "a * 2 + 1": lambda: heddle.transform("a * 2 + 1", x, target=where),
        }

    def wait(self, result):
        self.where.wait()

    def numpy(self, result):
        return np.asarray(result)


class OfNumPy:
    """NumPy, and what has its functions."""

    def __init__(self, module, name):
        self.module, self.name = module, name

    def put(self, x):
        return self.module.asarray(x)

    def calls(self, x):
        m = self.module
        return {
            "sum": lambda: m.sum(x),
            "max": lambda: m.max(x),
            "mean": lambda: m.mean(x),
            "argmax": lambda: m.argmax(x),
            "cumsum": lambda: m.cumsum(x),
            "sort": lambda: m.sort(x),
            "argsort": lambda: m.argsort(x),
            "unique": lambda: m.unique(x),
            "rfft": lambda: m.fft.rfft(x),
            "a * 2 + 1": lambda: x * 2 + 1,
        }

    def wait(self, result):
        pass

    def numpy(self, result):
        return np.asarray(result)


class CuPy(OfNumPy):
    def wait(self, result):
        self.module.cuda.get_current_stream().synchronize()

    def numpy(self, result):
        return self.module.asnumpy(result)


class Jax(OfNumPy):
    def wait(self, result):
        result.block_until_ready()


class Torch:
    def __init__(self, module):
        self.module, self.name = module, "PyTorch"

    def put(self, x):
        return self.module.from_numpy(x).cuda()

    def calls(self, x):
        m = self.module
        return {
            "sum": lambda: m.sum(x),
            "max": lambda: m.max(x),
            "mean": lambda: m.mean(x),
            "argmax": lambda: m.argmax(x),
            "cumsum": lambda: m.cumsum(x, 0),
            "sort": lambda: m.sort(x).values,
            "argsort": lambda: m.argsort(x),
            "unique": lambda: m.unique(x),
            "rfft": lambda: m.fft.rfft(x),
            "a * 2 + 1": lambda: x * 2 + 1,
        }

    def wait(self, result):
        self.module.cuda.synchronize()

    def numpy(self, result):
        return result.cpu().numpy()


def installed(name):
    # JAX takes three quarters of a GPU's memory otherwise, and the others find too little.
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def contenders(names):
    """Those of the groups "CPU" and "GPU" that are named, Heddle first in each."""
    targets = [str(t) for t in heddle.Target.available()]
    groups = {"CPU": [Heddle(t) for t in targets if not t.startswith("gpu")] + [Heddle("auto"), OfNumPy(np, "NumPy")]}
    if "gpu:0" in targets:
        groups["GPU"] = [Heddle("gpu:0")]
        if cupy := installed("cupy"):
            groups["GPU"].append(CuPy(cupy, "CuPy"))
        if torch := installed("torch"):
            groups["GPU"].append(Torch(torch))
        if installed("jax"):
            groups["GPU"].append(Jax(importlib.import_module("jax.numpy"), "JAX"))
    return {name: group for name, group in groups.items() if name in names}
