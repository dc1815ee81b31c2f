"""The page and the charts of a machine, wholly from the JSON that scripts/benchmark writes."""

import math

import chart

MOST_LINES = 250
FLAT = ("reduce", "scan", "transform")
CEILING = {"reduce": "read", "scan": "copy", "transform": "copy"}


def size_text(n):
    return f"2^{n.bit_length() - 1}" if n >= 1024 and n & (n - 1) == 0 else f"{n}"


def time_text(seconds):
    for unit, factor in (("ns", 1e9), ("µs", 1e6), ("ms", 1e3)):
        if seconds * factor < 999.5:
            break
    else:
        unit, factor = "s", 1
    value = seconds * factor
    digits = max(0, 2 - math.floor(math.log10(value))) if value > 0 else 0
    return f"{value:.{digits}f} {unit}"


def rate(result):
    return result["bytes"] / result["seconds"] / 1e9


def rate_text(value):
    return f"{value:.0f}" if value >= 10 else f"{value:.2g}"


def flops_text(rate):
    return f"{rate / 1e12:.3g} TFLOP/s" if rate >= 1e12 else f"{rate / 1e9:.3g} GFLOP/s"


def scaled_text(value):
    """As a multiple of a power of a thousand: 33.4e12."""
    power = 0 if value < 1000 else 3 * int(math.log10(value) // 3)
    return f"{value / 10**power:.3g}" + (f"e{power}" if power else "")


def table(head, rows):
    return ["| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head)] + rows] + [""]


class Results:
    """The measurements, by contender: [{pattern, variant, target, dtype, n, …}]."""

    def __init__(self, all_results):
        self.groups = {}
        for one in all_results:
            key = (one["pattern"], one["variant"], one["target"], one["dtype"], one["n"])
            self.groups.setdefault(key, []).append(one)
        self.targets = list(dict.fromkeys(one["target"] for one in all_results))

    def targets_of(self, found):
        """Those that have some of these results, in the order of all."""
        return [target for target in self.targets if any(key[2] == target for key, _ in found)]

    def of(self, *patterns):
        """(key, group) of patterns, in the order in which they were measured."""
        return [(key, group) for key, group in self.groups.items() if key[0] in patterns]


def ours(group):
    return next((one for one in group if one["kind"] == "ours"), None)


def ceiling(group):
    return next((one for one in group if one["kind"] == "ceiling"), None)


def fraction_text(group, one):
    top = ceiling(group)
    return f"{rate(one) / rate(top):.2f}" if top else ""


def flat_sections(results):
    lines = []
    what = {"reduce": "The sum of n `float`s.", "scan": "The inclusive running sum of n `float`s."}
    for pattern in ("reduce", "scan"):
        sized = [(key, group) for key, group in results.of(pattern) if key[1] == "sum" and key[3] == "float32"]
        if not sized:
            continue
        lines += [f"## {pattern}", "", what[pattern]
                  + f" The ceiling is a {CEILING[pattern]} of the same elements in the same run.", ""]
        for target in results.targets:
            here = [(key, group) for key, group in sized if key[2] == target]
            if not here:
                continue
            # A reduction is measured beside a copy too, which is no peer.
            peers = list(dict.fromkeys(one["contender"] for _, group in here for one in group
                                       if one["kind"] == "peer" and one["contender"] != "copy"))
            on_gpu = target.startswith("gpu")
            head = [f"n on {target}", "Heddle", "GB/s", f"of {CEILING[pattern]}", *peers]
            rows = []
            for key, group in here:
                times = {one["contender"]: one["seconds"] for one in group}
                mine = ours(group)
                rows.append([size_text(key[4]), time_text(mine["seconds"]), rate_text(rate(mine)),
                             fraction_text(group, mine),
                             *(time_text(times[peer]) if peer in times else "" for peer in peers)])
                if on_gpu:
                    rows[-1].append(time_text(mine["call_seconds"]))
            lines += table(head + (["one whole call"] if on_gpu else []), rows)
    return lines


def type_section(results):
    largest = {}
    for (pattern, variant, target, dtype, n), _ in results.of(*FLAT):
        largest[pattern, target] = max(n, largest.get((pattern, target), 0))
    rows = []
    for target in results.targets:
        for dtype in dict.fromkeys(key[3] for key, _ in results.of(*FLAT) if key[2] == target):
            cells = []
            for pattern in FLAT:
                group = next((group for key, group in results.of(pattern)
                              if key[2:] == (target, dtype, largest.get((pattern, target)))), None)
                if group is None:
                    cells += ["", ""]
                    continue
                peers = [one for one in group if one["kind"] == "peer" and one["contender"] != "copy"]
                best = max(peers, key=rate, default=None)
                cells += [fraction_text(group, ours(group)),
                          f'{fraction_text(group, best)} {best["contender"]}' if best else ""]
            rows.append([target, dtype, *cells])
    if not rows:
        return []
    sizes = dict.fromkeys(f"{size_text(n)} on {target}" for (_, target), n in largest.items())
    if len(set(largest.values())) == 1:
        sizes = [size_text(next(iter(largest.values())))]
    return ["## By type", "", f"Sums, running sums and x + 1 of {', '.join(sizes)} elements, as fractions of the ceiling: "
            "Heddle, and the fastest peer.", "",
            *table(["Target", "Type", "reduce", "peer", "scan", "peer", "transform", "peer"], rows)]


def axes_section(results):
    found = results.of("axes")
    if not found:
        return []
    copies = {(key[2], key[3]): rate(group[0]) for key, group in found if key[1] == "copy"}
    lines = ["## Rows and columns", "",
             "Sums and running sums along an axis, as fractions of a copy's bandwidth. Rows and columns of each length "
             "fill one array; the last columns of the table have so many columns side by side.", ""]
    lengths = list(dict.fromkeys(key[4] for key, _ in found if key[1] in ("reduce rows", "scan rows")))
    few = list(dict.fromkeys(key[1].split(" ", 1)[1] for key, _ in found if key[1].endswith(" columns")
                             and key[1].split()[1] != "columns"))
    rows = []
    for target, dtype in copies:
        by = {(key[1], key[4]): rate(group[0]) / copies[target, dtype] for key, group in found
              if key[2:4] == (target, dtype)}
        side_by_side = {variant: value for (variant, _), value in by.items()}
        for operation in ("reduce rows", "scan rows", "reduce columns", "scan columns"):
            cells = [f"{by[operation, length]:.2f}" if (operation, length) in by else "" for length in lengths]
            verb, kind = operation.split()
            for count in few:
                variant = f"{verb} {count}"
                known = kind == "columns" and variant in side_by_side
                cells.append(f"{side_by_side[variant]:.2f}" if known else "")
            rows.append([target, dtype, operation, *cells])
    return lines + table(["Target", "Type", "", *map(str, lengths), *(f"{c}" for c in few)], rows)


def cell_text(group, n_text):
    """Time, rate, fraction of the ceiling, and how much longer peers take."""
    mine = ours(group)
    parts = [n_text + time_text(mine["seconds"])]
    if mine["operations"]:
        parts.append(flops_text(mine["operations"] / mine["seconds"]))
    elif ceiling(group):
        parts.append(fraction_text(group, mine))
    else:
        parts.append(f"{rate_text(rate(mine))} GB/s")
    for one in group:
        if one["kind"] == "peer":
            parts.append(f'{one["contender"]} {one["seconds"] / mine["seconds"]:.2f}×'
                         + (" (another result)" if one.get("wrong") else ""))
    return ", ".join(parts)


def pattern_section(results, title, note, patterns):
    found = results.of(*patterns)
    if not found:
        return []
    targets, several_sizes = results.targets_of(found), {}
    for (pattern, variant, target, dtype, n), _ in found:
        several_sizes.setdefault((pattern, variant, dtype), {}).setdefault(target, []).append(n)
    rows = {}
    for (pattern, variant, target, dtype, n), group in found:
        sizes = several_sizes[pattern, variant, dtype]
        if all(len(ns) == 1 for ns in sizes.values()):
            # One size a target, which need not be the same for all.
            same = len({ns[0] for ns in sizes.values()}) == 1
            key, prefix = (pattern, variant, dtype, n if same else 0), "" if same else f"{size_text(n)}: "
        else:
            key, prefix = (pattern, variant, dtype, n), ""
        rows.setdefault(key, {})[target] = cell_text(group, prefix)
    body = []
    for (pattern, variant, dtype, n), cells in rows.items():
        label = pattern + (f", {variant}" if variant else "")
        body.append([label, dtype, size_text(n) if n else "", *(cells.get(target, "") for target in targets)])
    return [f"## {title}", "", note, "", *table(["", "Type", "n", *targets], body)]


SECTIONS = [
    ("Sorts", "Time, fraction of a copy, and how many times as long peers take.", ("sort",)),
    ("Patterns", "Time, fraction of a copy (of a read for what only reads) or GB/s, and how many times as long peers take.",
     ("segmented_reduce", "segmented_scan", "gather", "scatter", "lower_bound", "top_k", "histogram", "copy_if",
      "unique_consecutive", "mean", "variance", "minmax", "argmax")),
    ("Random numbers", "Time, fraction of filling as much memory, and how many times as long cuRAND takes.", ("random",)),
    ("Products of matrices", "Time, rate, and how many times as long the library called directly takes.", ("matmul",)),
    ("Fourier transforms", "Time, rate at 5 n log2 n operations, and how many times as long cuFFT called directly takes.", ("fft",)),
    ("User-defined operators", "Time and fraction of a copy; n elements fill the same memory.",
     ("reduce, user-defined operator", "scan, user-defined operator")),
]


def simulation_section(results):
    found = results.of("simulation", "mandelbrot")
    if not found:
        return []
    targets, rows = results.targets_of(found), {}
    for (pattern, variant, target, dtype, n), group in found:
        mine = ours(group)
        label = f"`heddle {variant}`" if pattern == "simulation" else f"Mandelbrot {variant}"
        cell = time_text(mine["seconds"])
        if "rate" in mine:
            cell += f', {scaled_text(mine["rate"])} {mine["unit"]}'
        for one in group:
            if one["kind"] == "peer":
                cell += f', {one["contender"]} {one["seconds"] / mine["seconds"]:.1f}×'
        rows.setdefault(label, {})[target] = cell
    body = [[label, *(cells.get(target, "") for target in targets)] for label, cells in rows.items()]
    return ["## Simulations", "", "The time of the work alone, and its rate; how many times as long the textbook's "
            "kernel takes.", "", *table(["", *targets], body)]


def machine_table(data):
    machine = data["machine"]
    gpus = "; ".join(machine["gpus"]) or "none"
    dirty = " with uncommitted changes" if data["dirty"] else ""
    rows = [["Commit", f'{data["commit"][:12]}{dirty}, {data["date"]}'],
            ["CPU", f'{machine["cpu"]}, {machine["cores"]} cores, {machine["instruction_set"]}'],
            ["GPU", gpus + (f', driver {machine["driver"]}' if machine["driver"] else "")],
            ["Built by", machine["compiler"] + (f', CUDA {machine["cuda"]}' if machine["cuda"] else "")],
            ["Load", machine["load"]]]
    return table(["", data["name"]], rows)


def charts(data):
    """{name of the file: SVG}: a chart for reduce and one for scan."""
    results, drawn = Results(data["results"]), {}
    for pattern in ("reduce", "scan"):
        panels = []
        for target in results.targets:
            lines = {}
            for key, group in results.of(pattern):
                if key[1:4] != ("sum", target, "float32"):
                    continue
                for one in group:
                    if one["kind"] == "peer" and one["contender"] == "copy":
                        continue
                    is_ceiling = one["kind"] == "ceiling"
                    line = lines.setdefault(one["contender"], (is_ceiling, []))
                    line[1].append((key[4], rate(one)))
            if lines:
                name = data["machine"]["gpus"][0] if target.startswith("gpu") else data["machine"]["cpu"]
                panels.append((f"{pattern} of float32 on {target}", name,
                               [(name + (" (ceiling)" if is_ceiling else ""), is_ceiling, sorted(points))
                                for name, (is_ceiling, points) in lines.items()]))
        if panels:
            drawn[f'{data["name"]}-{pattern}.svg'] = chart.chart(panels)
    return drawn


def page(data, pictures):
    """The text of the page; `pictures` are the names of its charts."""
    results = Results(data["results"])
    scope = " with `--quick`: few sizes, short times" if data["quick"] else ""
    lines = [f'# Results: {data["name"]}', "",
             f'Made by `scripts/benchmark --machine {data["name"]}`{scope}. Figures are medians; every result of Heddle\'s '
             "was compared with an independent answer. `heddle bench` rotates buffers out of the cache for reduce, scan "
             "and transform; other patterns repeat calls on one array. GPU times of reduce, scan and transform are from "
             f'event to event. All numbers are in [{data["name"]}.json]({data["name"]}.json).', ""]
    lines += machine_table(data)
    for name in pictures:
        pattern = name.rsplit("-", 1)[1].removesuffix(".svg")
        lines += [f"![Bandwidth of {pattern} against size, beside its peers and the ceiling](../pictures/{name})", ""]
    lines += flat_sections(results) + type_section(results) + axes_section(results)
    for title, note, patterns in SECTIONS:
        lines += pattern_section(results, title, note, patterns)
    lines += simulation_section(results)
    if data["failures"]:
        lines += ["## Not measured", "", *(f"- {name}: {why}" for name, why in data["failures"].items()), ""]
    while lines[-1] == "":
        lines.pop()
    if len(lines) > MOST_LINES:
        raise ValueError(f"the page has {len(lines)} lines, more than {MOST_LINES}: measure fewer targets")
    return "\n".join(lines) + "\n"
