"""The page and the charts of what run.py has measured, wholly from its JSON."""

import json
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))

import chart  # noqa: E402 (of bench)
from page import size_text, table, time_text  # noqa: E402 (of bench)

CALLS = ("sum", "max", "mean", "argmax", "cumsum", "sort", "argsort", "unique", "rfft", "a * 2 + 1")
# Of what is read and written an element, for the charts.
BYTES = {"sum": 4, "cumsum": 8}


def merged(all_found):
    """Several runs on one machine, of other sizes or calls, as one."""
    found = all_found[0]
    for other in all_found[1:]:
        if (found["machine"] | {"load": 0}) != (other["machine"] | {"load": 0}):
            raise ValueError("the runs are of different machines or versions")
        found["results"] = found["results"] + other["results"]
    return found


def lines_of(found, group):
    """{(call, n): {contender: result}}, Heddle's targets first and C++ last."""
    rows = {}
    for result in found["results"]:
        if result["group"] == group:
            rows.setdefault((result["call"], result["n"]), {})[result["contender"]] = result
    return rows


def figures(rows, names, key):
    """Rows of a table of one figure, with how many times as fast as the peer Heddle is."""
    found = []
    for (call, n), results in rows.items():
        ours = [r[key] for name, r in results.items() if name.startswith("Heddle") and key in r]
        if not ours:
            continue
        cells = []
        for name in names:
            seconds = results.get(name, {}).get(key)
            is_peer = not name.startswith("Heddle")
            cells.append("" if seconds is None else time_text(seconds) + (f" ({seconds / min(ours):.2f})" if is_peer else ""))
        found.append([f"`{call}`", size_text(n), *cells])
    return found


def charts(found, name):
    """{name of the file: SVG}: the bandwidth of sum and cumsum against the size, on a CPU and on a GPU."""
    panels = []
    for group, processor in (("GPU", "gpu"), ("CPU", "cpu")):
        rows = lines_of(found, group)
        for call, size in BYTES.items():
            lines = {}
            for (of, n), results in rows.items():
                if of == call and n >= 1024:
                    for contender, result in results.items():
                        shown = "Heddle" if contender == "Heddle gpu:0" else contender
                        lines.setdefault(shown, []).append((n, n * size / result["seconds"] / 1e9))
            if lines:
                panels.append((f"{call} of float32 from Python", found["machine"].get(processor, ""),
                               [(contender, False, sorted(points)) for contender, points in lines.items()]))
    return {f"{name}-calls.svg": chart.chart(panels)} if panels else {}


def page_of(found, name=None, pictures=()):
    machine = found["machine"]
    versions = ", ".join(f"{title} {machine[key]}" for key, title in (("cupy", "CuPy"), ("torch", "PyTorch"), ("jax", "JAX")) if key in machine)
    where = f"{machine['cpu']}, {machine['cores']} cores" + (f", and {machine['gpu']}" if "gpu" in machine else "")
    commit = f" of commit {found['commit'][:12]}" if "commit" in found else ""
    lines = ["# Calls from Python" + (f": {name}" if name else ""), "",
             f"Made by `python/benchmarks/run.py` with Python {machine['python']}, NumPy {machine['numpy']}{', ' + versions if versions else ''}, "
             f"Heddle {machine['heddle']}{commit}, on {where}. {machine['load']:.1f} processes ran on average when it began.", "",
             "Elements are float32. Figures are medians; in parentheses is how many times as long as Heddle's best the other takes."
             + (f" All numbers are in [{name}.json]({name}.json)." if name else ""), ""]
    for picture in pictures:
        lines += [f"![Bandwidth of sum and cumsum against size](../pictures/{picture})", ""]
    for group in dict.fromkeys(r["group"] for r in found["results"]):
        rows = lines_of(found, group)
        names = list(dict.fromkeys(name for results in rows.values() for name in results))
        lines += [f"## On a {group}", "", "Calls that follow one another:", "", *table(["Call", "n", *names], figures(rows, names, "seconds"))]
        if group == "GPU":
            for key, title in (("returned", "One call alone, until it returns:"), ("ready", "One call alone, until its result is there:")):
                if cells := figures(rows, names, key):
                    lines += [title, "", *table(["Call", "n", *names], cells)]
    seconds = found["import_seconds"]
    lines += ["## Imports and copies", "",
              f"`import heddle` takes {time_text(seconds['heddle'])} after NumPy, which takes {time_text(seconds['numpy'])}.", ""]
    lines += table(["Elements", "at their address"], [[way, "yes" if is_so else "no"] for way, is_so in found["zero_copies"].items()])
    while lines[-1] == "":
        lines.pop()
    return "\n".join(lines)


def write(found, path):
    """The page, its JSON beside it, and its charts in the folder of pictures."""
    drawn = charts(found, path.stem)
    contents = {path: page_of(found, path.stem, drawn) + "\n", path.with_suffix(".json"): json.dumps(found, indent=1) + "\n"}
    contents |= {path.parent.parent / "pictures" / name: svg for name, svg in drawn.items()}
    for file, text in contents.items():
        file.parent.mkdir(exist_ok=True)
        partial = file.with_name(file.name + ".partial")
        partial.write_text(text)
        os.replace(partial, file)
