"""CUDA programs of a chain of kernels, whose results NumPy computes, and the faults that can be planted in them."""
import dataclasses
import re

import numpy as np
from hypothesis import strategies as st

TYPES = {"int": "int32", "unsigned": "uint32", "float": "float32", "double": "float64", "short": "int16", "unsigned char": "uint8",
         "long long": "int64"}

PROLOGUE = """\
#include <cstdio>

template <class T>
__device__ int small(T v) {
  return (int)((long long)v & 15);
}
"""


def small(x):
    return x & 15


def stored(x, kind):
    """The integers x as a type stores them."""
    return np.asarray(x, np.int64).astype(TYPES[kind]).astype(np.int64)


@dataclasses.dataclass
class Fault:
    """A mistake: the lines of some labels have other code. A finding of one of the kinds has a place on the line of each label of one
    of the sets in `places`."""
    what: str
    edits: dict
    kinds: set
    places: list


class Step:
    """A kernel of the chain. A label is a word @label in a comment at the end of a line; `load` reads the input, `store` writes the
    output."""

    def __init__(self, name, x, kind_in, kind_out, grid, block):
        self.name, self.x, self.kind_in, self.kind_out, self.grid, self.block = name, x, kind_in, kind_out, grid, block
        self.lines, self.faults = [], []
        self.result = None
        self.shared = "0"        # dynamic shared memory, in bytes
        self.is_zeroed = False   # whether the output is 0 before the launch
        self.reads_all = True
        self.is_element_a_thread = False
        self.about = ""

    def label(self, label):
        return f"{self.name}.{label}"

    def code(self, text):
        """Adds lines; #T and #U are the types of the input and the output, #K is the kernel's name."""
        for name, value in (("#T", self.kind_in), ("#U", self.kind_out), ("#K", self.name)):
            text = text.replace(name, value)
        self.lines += [re.sub(r"@(\w+)", lambda found: "@" + self.label(found[1]), line) for line in text.splitlines()]

    def fault(self, what, edits, kinds, *places):
        kinds = {kinds} if isinstance(kinds, str) else kinds
        edits = {self.label(label): code.replace("#T", self.kind_in).replace("#U", self.kind_out).replace("#K", self.name)
                 for label, code in edits.items()}
        sets = [{self.label(label) for label in names.split()} for names in places]
        self.faults.append(Fault(f"{what} in {self.name}, {self.about}", edits, kinds, sets))

    def shape(self, grid=None):
        return f"<<<{self.grid if grid is None else grid}, {self.block}, {self.shared}"


def labels_of(line):
    return re.findall(r"@([\w.]+)", line.partition("//")[2])


class Program:
    """The chain of steps behind an input; what host code does wrong is drawn here, too."""

    def __init__(self, start, kind, steps, streams, managed):
        self.start, self.steps, self.streams, self.managed = start, steps, streams and len(steps) > 1, managed and not streams
        self.kinds = [kind] + [step.kind_out for step in steps]
        self.values = [start] + [step.result for step in steps]
        self.lines = PROLOGUE.splitlines()
        for step in steps:
            self.lines += [""] + step.lines
        self.kernel_faults, self.host_faults = [fault for step in steps for fault in step.faults], []
        self.host()
        self.plant_in_host()

    def bytes(self, number, more=0):
        return f"{len(self.values[number]) + more} * sizeof({self.kinds[number]})"

    def is_managed(self, number):
        return self.managed and number == len(self.steps)

    def launch(self, number, grid=None):
        step = self.steps[number - 1]
        stream = f", s[{number % 2}]" if self.streams else ""
        return f"  {step.name}{step.shape(grid)}{stream}>>>(a{number - 1}, a{number}, {len(step.x)});"

    def copy_to_host(self, number, more=0):
        return f"  cudaMemcpy(h{number}, a{number}, {self.bytes(number, more)}, cudaMemcpyDeviceToHost);"

    def host(self):
        add = self.lines.append
        add("")
        for k, kind in enumerate(self.kinds):
            add(f"static {kind} h{k}[{len(self.values[k]) + 8}];")
        add("int main() {")
        add(f"  const unsigned char start[] = {{{', '.join(str(value) for value in self.start)}}};")
        add(f"  for (int i = 0; i < {len(self.start)}; ++i) h0[i] = ({self.kinds[0]})start[i];")
        for k, kind in enumerate(self.kinds):
            add(f"  {kind}* a{k};")
            add(f"  cudaMalloc{'Managed' if self.is_managed(k) else ''}(&a{k}, {self.bytes(k)});")
        add(f"  cudaMemcpy(a0, h0, {self.bytes(0)}, cudaMemcpyHostToDevice);  // @upload")
        if self.streams:
            add("  cudaStream_t s[2];")
            add("  cudaEvent_t done;")
            add("  for (int i = 0; i < 2; ++i) cudaStreamCreateWithFlags(&s[i], cudaStreamNonBlocking);")
            add("  cudaEventCreateWithFlags(&done, cudaEventDisableTiming);")
            add("  cudaDeviceSynchronize();")
        for k, step in enumerate(self.steps, 1):
            add(f"  // @before{k}")
            if step.is_zeroed:
                add(f"  cudaMemset{'Async' if self.streams else ''}(a{k}, 0, {self.bytes(k)}{f', s[{k % 2}]' if self.streams else ''});"
                    f"  // @zero{k}")
            add(f"{self.launch(k)}  // @launch{k}")
            if self.streams and k < len(self.steps):
                add(f"  cudaEventRecord(done, s[{k % 2}]);")
                add(f"  cudaStreamWaitEvent(s[{(k + 1) % 2}], done, 0);  // @wait{k}")
        add("  cudaDeviceSynchronize();  // @synchronise")
        for k in range(len(self.steps), 0, -1):
            if not self.is_managed(k):
                add(f"{self.copy_to_host(k)}  // @download{k}")
            source = f"a{k}" if self.is_managed(k) else f"h{k}"
            add(f"  for (int i = 0; i < {len(self.values[k])}; ++i) printf(\"%lld \", (long long){source}[i]);"
                f"{f'  // @download{k}' if self.is_managed(k) else ''}")
            add("  printf(\"\\n\");")
        for k in range(len(self.kinds)):
            add(f"  cudaFree(a{k});  // @free{k}")
        add("}")

    def plant(self, what, edits, kinds, *places):
        self.host_faults.append(Fault(what + " by the host", edits, {kinds}, [set(names.split()) for names in places]))

    def read_next(self, k):
        """The label of what first reads the output of step k."""
        return self.steps[k].label("load") if k < len(self.steps) else f"download{k}"

    def plant_in_host(self):
        n = len(self.start)
        first = self.steps[0].label("load")
        upload = "  cudaMemcpy(a0, h0, {}, cudaMemcpyHostToDevice);"
        self.plant("an element too many copied", {"upload": upload.format(self.bytes(0, 1))}, "invalid-copy", "upload")
        if n > 1 and self.steps[0].reads_all:
            self.plant("an element too few copied", {"upload": upload.format(self.bytes(0, -1))}, "uninitialised-read", first)
        for k, step in enumerate(self.steps, 1):
            load, after = step.label("load"), self.read_next(k)
            if not self.is_managed(k):
                self.plant("an element too many copied back", {f"download{k}": self.copy_to_host(k, 1)}, "invalid-copy", f"download{k}")
            self.plant("memory freed before a launch", {f"before{k}": f"  cudaFree(a{k - 1});", f"free{k - 1}": ""}, "use-after-free",
                       f"{load} before{k}")
            self.plant("memory freed twice", {f"free{k}": f"  cudaFree(a{k}); cudaFree(a{k});"}, "invalid-free", f"free{k}")
            if step.is_zeroed:
                self.plant("an array that is not zeroed", {f"zero{k}": ""}, "uninitialised-read", step.label("store"))
                zeroed = [f"zero{k} {after}"]
            else:
                zeroed = []
                self.plant("a launch left out", {f"launch{k}": ""}, "uninitialised-read", after)
            if step.is_element_a_thread and step.grid > 1 and (k == len(self.steps) or self.steps[k].reads_all):
                self.plant("a block too few", {f"launch{k}": self.launch(k, step.grid - 1)}, "uninitialised-read", after)
            if self.streams and k < len(self.steps):
                self.plant("a stream that does not wait", {f"wait{k}": ""}, "data-race", f"{step.label('store')} {after}", *zeroed)
        if self.managed:
            self.plant("a host that does not wait", {"synchronise": ""}, "missing-synchronisation", f"download{len(self.steps)}")

    def text(self, fault=None):
        """The source and the number of each label's line."""
        written, numbers = [], {}
        edits = fault.edits if fault else {}
        for line in self.lines:
            labels = labels_of(line)
            for label in labels:
                assert label not in numbers, f"{label} is on two lines"
                numbers[label] = len(written) + 1
                if label in edits:
                    line = f"{edits[label]}  // {' '.join('@' + name for name in labels)}"
            written.append(line)
        assert edits.keys() <= numbers.keys(), f"no line has {edits.keys() - numbers.keys()}"
        return "\n".join(written) + "\n", numbers

    def printed(self):
        return [list(map(int, self.values[k])) for k in range(len(self.steps), 0, -1)]


@st.composite
def programs(draw, kernels, most_steps=5, most_elements=400):
    """Up to so many kernels, each on the output of the one before."""
    n = draw(st.one_of(st.integers(1, 8), st.integers(1, most_elements), st.sampled_from([31, 32, 33, 63, 64, 65, 96, 128, 129])))
    x = np.random.default_rng(draw(st.integers(0, 255))).integers(0, 16, n)
    kind = draw(st.sampled_from(sorted(TYPES)))
    start, start_kind, steps = x, kind, []
    for k in range(1, draw(st.integers(1, most_steps)) + 1):
        kind_out = draw(st.sampled_from(sorted(TYPES)))
        step = draw(draw(st.sampled_from(kernels))(f"k{k}", x, kind, kind_out))
        steps.append(step)
        x, kind = step.result, step.kind_out
    return Program(start, start_kind, steps, draw(st.booleans()), draw(st.booleans()))
