#!/usr/bin/env python3
"""Times calls of the Python package beside NumPy, and on a GPU beside CuPy, PyTorch and JAX where they are installed.

    PYTHONPATH=build/default/python python python/benchmarks/run.py [--sizes 8,1024,2^20,2^28] [--calls sum,sort] [--groups CPU,GPU]
        [--cpp build/default/python/calls] [--json FILE]
    python/benchmarks/run.py --from FILE… --page docs/results/python-NAME.md

Contenders take turns, and each figure is the median of its samples; every result is compared with NumPy's. Calls follow one another,
and what they started is waited for at the end; of one call alone there is the time until it returns, and until its result is there.
--cpp names the program `calls`, which makes the same calls from C++. The table goes to standard output, or to a page with charts.
"""
import argparse
import gc
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import time

import calls_page

# So long that a launch and a wait on top of a sample are no part of its figure.
SAMPLE_SECONDS = 1e-2
# Of a call whose time alone says something else than that of calls in a row.
SHORT_CALL_SECONDS = 1e-3
LEAST_SAMPLES, MOST_SAMPLES = 3, 101
SINGLE_CALLS = 200
TOLERANCE = 1e-4


def seconds_of(call, wait, repeats):
    begin = time.perf_counter()
    for _ in range(repeats):
        result = call()
    wait(result)
    return (time.perf_counter() - begin) / repeats


def samples(calls, most_seconds):
    """Seconds of each, of (call, wait), which take turns."""
    repeats = []
    for call, wait in calls:
        once = max(seconds_of(call, wait, 1), 1e-9)  # the first has been called to be compared
        repeats.append(max(1, round(SAMPLE_SECONDS / once)))
    found = [[] for _ in calls]
    begin = time.perf_counter()
    gc.disable()
    try:
        while len(found[0]) < MOST_SAMPLES and (len(found[0]) < LEAST_SAMPLES or time.perf_counter() - begin < most_seconds):
            for mine, (call, wait), count in zip(found, calls, repeats):
                mine.append(seconds_of(call, wait, count))
    finally:
        gc.enable()
    return found


def single_calls(call, wait):
    """Medians of the seconds until a call alone returns, and until its result is there."""
    returned, ready = [], []
    gc.disable()
    try:
        for _ in range(SINGLE_CALLS):
            begin = time.perf_counter()
            result = call()
            returned.append(time.perf_counter() - begin)
            wait(result)
            ready.append(time.perf_counter() - begin)
    finally:
        gc.enable()
    return statistics.median(returned), statistics.median(ready)


def is_right(name, have, want, x):
    import numpy as np

    if name == "argsort":
        return bool((x[have] == want).all())
    if name == "argmax":
        return x[have] == want
    scale = float(np.abs(want).max()) if np.size(want) else 1
    return np.shape(have) == np.shape(want) and bool(np.allclose(have, want, rtol=TOLERANCE, atol=TOLERANCE * scale))


def answer(name, x):
    """In float64, where that makes a difference."""
    import numpy as np

    wide = x.astype(np.float64)
    return {"sum": wide.sum, "mean": wide.mean, "max": x.max, "argmax": x.max, "cumsum": wide.cumsum, "sort": lambda: np.sort(x),
            "argsort": lambda: np.sort(x), "unique": lambda: np.unique(x), "rfft": lambda: np.fft.rfft(wide),
            "a * 2 + 1": lambda: wide * 2 + 1}[name]()


def measured(size, names, groups, most_seconds, say):
    import numpy as np
    from contenders import Heddle

    x = np.random.default_rng(size).random(size, dtype=np.float32)
    results = []
    for group_name, group in groups.items():
        placed = [(c, c.calls(c.put(x))) for c in group]
        for name in names:
            say(f"{name} of {calls_page.size_text(size)} on a {group_name}")
            want = answer(name, x)
            for contender, calls in placed:
                # NumPy sums float32 in float32: how far it is off is its own affair.
                if not is_right(name, contender.numpy(calls[name]()), want, x) and isinstance(contender, Heddle):
                    sys.exit(f"{contender.name}: {name} of {size} elements is wrong")
            del want
            found = samples([(calls[name], contender.wait) for contender, calls in placed], most_seconds)
            for (contender, calls), all_seconds in zip(placed, found):
                quarters = statistics.quantiles(all_seconds, n=4)
                median = statistics.median(all_seconds)
                result = {"call": name, "n": size, "contender": contender.name, "seconds": median,
                          "spread": (quarters[2] - quarters[0]) / median, "samples": len(all_seconds), "group": group_name}
                if median < SHORT_CALL_SECONDS:
                    result["returned"], result["ready"] = single_calls(calls[name], contender.wait)
                results.append(result)
    return results


def from_cpp(program, sizes, names):
    """What the program `calls` finds."""
    done = subprocess.run([program, ",".join(map(str, sizes)), ",".join(names)], capture_output=True, text=True, check=True)
    return [json.loads(line) | {"contender": "C++", "group": "GPU"} for line in done.stdout.splitlines()]


def import_seconds(count=15):
    """Of the package, where NumPy is imported already, and of NumPy."""
    code = ("import time\na = time.perf_counter()\nimport numpy\nb = time.perf_counter()\nimport heddle\nc = time.perf_counter()\n"
            "print(c - b, b - a)")
    both = [tuple(map(float, subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()))
            for _ in range(count)]
    return {"heddle": statistics.median(b[0] for b in both), "numpy": statistics.median(b[1] for b in both)}


def zero_copies():
    """Whether elements stay at their address, by which way they go."""
    import heddle
    import numpy as np
    from contenders import installed

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


def size_from(text):
    base, _, power = text.partition("^")
    return int(base) ** int(power) if power else int(base)


def machine():
    import heddle
    import numpy as np
    from contenders import installed

    cpu = next((line.split(": ")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), platform.processor())
    found = {"cpu": cpu, "cores": len(os.sched_getaffinity(0)), "python": platform.python_version(), "numpy": np.__version__,
             "heddle": heddle.__version__, "load": os.getloadavg()[0]}
    if any(t.kind == "gpu" for t in heddle.Target.available()):
        try:
            said = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"], capture_output=True, text=True)
            found["gpu"], found["driver"] = said.stdout.splitlines()[0].split(", ")
        except (OSError, IndexError, ValueError):
            found["gpu"] = "a GPU"
        found |= {name: module.__version__ for name in ("cupy", "torch", "jax") if (module := installed(name))}
    return found


def measure(arguments):
    from contenders import contenders

    found = {"machine": machine()}
    if arguments.commit:
        found["commit"] = arguments.commit
    groups = contenders(arguments.groups)
    found["results"] = [r for size in arguments.sizes
                        for r in measured(size, arguments.calls, groups, arguments.seconds, lambda text: print(text, file=sys.stderr))]
    if arguments.cpp:
        found["results"] += from_cpp(arguments.cpp, arguments.sizes, arguments.calls)
    found["import_seconds"] = import_seconds()
    found["zero_copies"] = zero_copies()
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=lambda text: [size_from(s) for s in text.split(",")], default=[8, 1024, 1 << 20, 1 << 28])
    parser.add_argument("--calls", type=lambda text: text.split(","), default=list(calls_page.CALLS), help=", ".join(calls_page.CALLS))
    parser.add_argument("--groups", type=lambda text: text.split(","), default=["CPU", "GPU"], help="CPU, GPU")
    parser.add_argument("--seconds", type=float, default=1.0, help="that the samples of a call take together at most (1)")
    parser.add_argument("--cpp", metavar="PROGRAM")
    parser.add_argument("--commit", help="what the package was built of, for the page")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--from", type=pathlib.Path, nargs="+", dest="files", metavar="FILE")
    parser.add_argument("--page", type=pathlib.Path)
    arguments = parser.parse_args()
    if wrong := set(arguments.calls) - set(calls_page.CALLS):
        parser.error(f"no call is {', '.join(sorted(wrong))}: there are {', '.join(calls_page.CALLS)}")
    if arguments.files:
        found = calls_page.merged([json.loads(file.read_text()) for file in arguments.files])
    else:
        found = measure(arguments)
    if arguments.json:
        arguments.json.write_text(json.dumps(found, indent=1) + "\n")
    if arguments.page:
        calls_page.write(found, arguments.page)
    else:
        print(calls_page.page_of(found))


if __name__ == "__main__":
    main()
