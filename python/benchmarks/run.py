#!/usr/bin/env python3
"""Times calls of the Python package beside NumPy, and on a GPU beside CuPy, PyTorch and JAX where they are installed.

    PYTHONPATH=build/default/python python python/benchmarks/run.py [--sizes 8,1024,2^20,2^28] [--calls sum,sort] [--json FILE] [--page FILE]

Contenders take turns, and each figure is the median of its samples; every result is compared with NumPy's. The table goes to standard
output, or to a page.
"""
import argparse
import gc
import importlib
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))

import numpy as np  # noqa: E402

import heddle  # noqa: E402
import page  # noqa: E402 (of bench)

SAMPLE_SECONDS = 1e-3
MOST_SECONDS, LEAST_SAMPLES, MOST_SAMPLES = 1.0, 3, 101
TOLERANCE = 1e-4


class Heddle:
    """On one target; results stay where the elements are."""

    def __init__(self, target):
        self.name, self.target = f"Heddle {target}", target

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

    def wait(self):
        heddle.Target(self.target).wait()

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

    def wait(self):
        pass

    def numpy(self, result):
        return np.asarray(result)


class CuPy(OfNumPy):
    def wait(self):
        self.module.cuda.get_current_stream().synchronize()

    def numpy(self, result):
        return self.module.asnumpy(result)


class Jax(OfNumPy):
    """Its results are not ready when a call returns: each waits for its own."""

    def calls(self, x):
        return {name: (lambda call=call: call().block_until_ready()) for name, call in super().calls(x).items()}


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

    def wait(self):
        self.module.cuda.synchronize()

    def numpy(self, result):
        return result.cpu().numpy()


def installed(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def contenders():
    """By what they run on, Heddle first."""
    targets = [str(t) for t in heddle.Target.available()]
    of_cpu = [Heddle(t) for t in targets if not t.startswith("gpu")] + [Heddle("auto"), OfNumPy(np, "NumPy")]
    if "gpu:0" not in targets:
        return [of_cpu]
    of_gpu = [Heddle("gpu:0")]
    if cupy := installed("cupy"):
        of_gpu.append(CuPy(cupy, "CuPy"))
    if torch := installed("torch"):
        of_gpu.append(Torch(torch))
    if installed("jax"):
        of_gpu.append(Jax(importlib.import_module("jax.numpy"), "JAX"))
    return [of_cpu, of_gpu]


def seconds_of(call, wait, repeats):
    begin = time.perf_counter()
    for _ in range(repeats):
        call()
    wait()
    return (time.perf_counter() - begin) / repeats


def samples(calls):
    """Seconds of each, of (call, wait), which take turns."""
    repeats = []
    for call, wait in calls:
        once = max(seconds_of(call, wait, 1), 1e-9)  # the first has been called to be compared
        repeats.append(max(1, round(SAMPLE_SECONDS / once)))
    found = [[] for _ in calls]
    begin = time.perf_counter()
    gc.disable()
    try:
        while len(found[0]) < MOST_SAMPLES and (len(found[0]) < LEAST_SAMPLES or time.perf_counter() - begin < MOST_SECONDS):
            for mine, (call, wait), count in zip(found, calls, repeats):
                mine.append(seconds_of(call, wait, count))
    finally:
        gc.enable()
    return found


def is_right(name, have, want, x):
    if name == "argsort":
        return bool((x[have] == want).all())
    if name == "argmax":
        return x[have] == want
    scale = float(np.abs(want).max()) if np.size(want) else 1
    return np.shape(have) == np.shape(want) and bool(np.allclose(have, want, rtol=TOLERANCE, atol=TOLERANCE * scale))


def answer(name, x):
    """In float64, where that makes a difference."""
    wide = x.astype(np.float64)
    return {"sum": wide.sum, "mean": wide.mean, "max": x.max, "argmax": x.max, "cumsum": wide.cumsum, "sort": lambda: np.sort(x),
            "argsort": lambda: np.sort(x), "unique": lambda: np.unique(x), "rfft": lambda: np.fft.rfft(wide),
            "a * 2 + 1": lambda: wide * 2 + 1}[name]()


def measured(size, names, groups, say):
    x = np.random.default_rng(size).random(size, dtype=np.float32)
    results = []
    for group in groups:
        placed = [(c, c.calls(c.put(x))) for c in group]
        for name in names:
            say(f"{name} of {page.size_text(size)}")
            want = answer(name, x)
            for contender, calls in placed:
                # NumPy sums float32 in float32: how far it is off is its own affair.
                if not is_right(name, contender.numpy(calls[name]()), want, x) and isinstance(contender, Heddle):
                    sys.exit(f"{contender.name}: {name} of {size} elements is wrong")
            del want
            found = samples([(calls[name], contender.wait) for contender, calls in placed])
            for (contender, _), all_seconds in zip(placed, found):
                quarters = statistics.quantiles(all_seconds, n=4)
                median = statistics.median(all_seconds)
                results.append({"call": name, "n": size, "contender": contender.name, "seconds": median,
                                "spread": (quarters[2] - quarters[0]) / median, "samples": len(all_seconds), "group": group[-1].name})
    return results


def import_seconds(count=15):
    """Of the package, where NumPy is imported already, and of NumPy."""
    code = ("import time\na = time.perf_counter()\nimport numpy\nb = time.perf_counter()\nimport heddle\nc = time.perf_counter()\n"
            "print(c - b, b - a)")
    both = [tuple(map(float, subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()))
            for _ in range(count)]
    return {"heddle": statistics.median(b[0] for b in both), "numpy": statistics.median(b[1] for b in both)}


def zero_copies():
    """Whether elements stay at their address, by which way they go."""
    x = np.arange(1000.0)
    array = heddle.asarray(x)
    found = {
        "NumPy to heddle.Array": np.asarray(array).ctypes.data == x.ctypes.data,
        "heddle.Array to NumPy by DLPack": np.from_dlpack(array).ctypes.data == x.ctypes.data,
        "memoryview to heddle.Array": np.asarray(heddle.asarray(memoryview(x))).ctypes.data == x.ctypes.data,
        "out of cumsum": heddle.cumsum(x, out=x).ctypes.data == x.ctypes.data,
    }
    if torch := installed("torch"):
        tensor = torch.arange(1000.0)
        found["PyTorch to heddle.Array and back"] = torch.from_dlpack(heddle.asarray(tensor)).data_ptr() == tensor.data_ptr()
    if "gpu:0" in [str(t) for t in heddle.Target.available()]:
        if torch and torch.cuda.is_available():
            tensor = torch.arange(1000.0, device="cuda")
            found["PyTorch on a GPU and back"] = torch.from_dlpack(heddle.asarray(tensor)).data_ptr() == tensor.data_ptr()
        if cupy := installed("cupy"):
            elements = cupy.arange(1000.0)
            found["CuPy and back"] = cupy.from_dlpack(heddle.asarray(elements)).data.ptr == elements.data.ptr
    return found


def page_of(all_found):
    machine = all_found["machine"]
    lines = ["# Calls from Python", "",
             f"Made by `python/benchmarks/run.py` with Python {machine['python']}, NumPy {machine['numpy']}, Heddle {machine['heddle']} on "
             f"{machine['cpu']}, {machine['cores']} cores, with {machine['load']:.1f} processes running on average when it began. Elements "
             "are float32. Figures are medians; in parentheses is how many times as fast Heddle is.", ""]
    for group in dict.fromkeys(r["group"] for r in all_found["results"]):
        mine = [r for r in all_found["results"] if r["group"] == group]
        names = list(dict.fromkeys(r["contender"] for r in mine))
        peers = [name for name in names if not name.startswith("Heddle")]
        rows = []
        for key in dict.fromkeys((r["call"], r["n"]) for r in mine):
            seconds = {r["contender"]: r["seconds"] for r in mine if (r["call"], r["n"]) == key}
            best = min(s for name, s in seconds.items() if name.startswith("Heddle"))
            cells = [page.time_text(seconds[name]) + (f" ({seconds[name] / best:.2f})" if name in peers else "") for name in names]
            rows.append([f"`{key[0]}`", page.size_text(key[1]), *cells])
        lines += page.table(["Call", "n", *names], rows)
    seconds = all_found["import_seconds"]
    lines += [f"`import heddle` takes {page.time_text(seconds['heddle'])} after NumPy, which takes {page.time_text(seconds['numpy'])}.", ""]
    lines += page.table(["Elements", "at their address"], [[way, "yes" if is_so else "no"] for way, is_so in all_found["zero_copies"].items()])
    return "\n".join(lines)


def size_from(text):
    base, _, power = text.partition("^")
    return int(base) ** int(power) if power else int(base)


def main():
    every = list(OfNumPy(np, "").calls(np.zeros(1)))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=lambda text: [size_from(s) for s in text.split(",")], default=[8, 1024, 1 << 20, 1 << 28])
    parser.add_argument("--calls", type=lambda text: text.split(","), default=every, help=", ".join(every))
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--page", type=pathlib.Path)
    arguments = parser.parse_args()
    if wrong := set(arguments.calls) - set(every):
        parser.error(f"no call is {', '.join(sorted(wrong))}: there are {', '.join(every)}")

    load = os.getloadavg()[0]
    cpu = next((line.split(": ")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), platform.processor())
    found = {"machine": {"cpu": cpu, "cores": len(os.sched_getaffinity(0)), "python": platform.python_version(), "numpy": np.__version__,
                         "heddle": heddle.__version__, "load": load}}
    groups = contenders()
    found["results"] = [r for size in arguments.sizes
                        for r in measured(size, arguments.calls, groups, lambda text: print(text, file=sys.stderr))]
    found["import_seconds"] = import_seconds()
    found["zero_copies"] = zero_copies()
    if arguments.json:
        arguments.json.write_text(json.dumps(found, indent=1) + "\n")
    if arguments.page:
        arguments.page.write_text(page_of(found) + "\n")
    else:
        print(page_of(found))


if __name__ == "__main__":
    main()
