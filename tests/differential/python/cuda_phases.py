"""A kernel of random phases on two arrays with a barrier, a __syncwarp or nothing between two of them, and a model of who races."""
import dataclasses
import math

import numpy as np
from hypothesis import strategies as st

from cuda_kernels import HEAD, INDEX, blocks, blocks_for
from cuda_programs import Step, small, stored

NOTHING, WARP, BLOCK = 0, 1, 2
SEPARATORS = ["", "  __syncwarp();", "  __syncthreads();"]


@dataclasses.dataclass
class Places:
    """Which element a thread takes: its text and its value for each thread."""
    text: str
    of: np.ndarray


@st.composite
def permutations(draw, block):
    """A place of its own for each thread."""
    t = np.arange(block)
    kind = draw(st.sampled_from(["own", "turned", "xor"]))
    if kind == "turned":
        factor = draw(st.sampled_from([p for p in range(1, min(block, 8) + 1) if math.gcd(p, block) == 1]))
        plus = draw(st.integers(0, block - 1))
        return Places(f"(t * {factor} + {plus}) % {block}", (t * factor + plus) % block)
    bits = (block & -block).bit_length() - 1  # a block is a multiple of 2^bits
    if kind == "xor" and bits > 0:
        mask = draw(st.integers(1, (1 << bits) - 1))
        return Places(f"t ^ {mask}", t ^ mask)
    return Places("t", t)


@dataclasses.dataclass
class Phase:
    """Threads of `mask` write array `to` at `places` what they make of array `source` at `sources`, or add to it by atomic functions."""
    condition: str
    mask: np.ndarray
    to: str
    places: Places
    source: str
    sources: Places
    plus: int
    is_atomic: bool

    def code(self):
        there = f"{self.to}[{self.places.text}]"
        if self.is_atomic:
            return f"  {self.condition}atomicAdd(&{there}, {self.plus});"
        return f"  {self.condition}{there} = {self.source}[{self.sources.text}] + {self.plus};"

    def plain_code(self):
        return f"  {self.condition}{self.to}[{self.places.text}] += {self.plus};"

    def accesses(self):
        """(array, element, thread, how) with how one of read, write and atomic."""
        for t in np.flatnonzero(self.mask):
            if self.is_atomic:
                yield self.to, int(self.places.of[t]), int(t), "atomic"
            else:
                yield self.source, int(self.sources.of[t]), int(t), "read"
                yield self.to, int(self.places.of[t]), int(t), "write"

    def run(self, arrays):
        active = np.flatnonzero(self.mask)
        if self.is_atomic:
            np.add.at(arrays[self.to], self.places.of[active], self.plus)
        else:
            arrays[self.to][self.places.of[active]] = arrays[self.source][self.sources.of[active]] + self.plus


@st.composite
def phases(draw, block):
    t = np.arange(block)
    condition, mask = draw(st.sampled_from([("", t >= 0), ("if (t % 2 == 0) ", t % 2 == 0), ("if (t % 3 == 1) ", t % 3 == 1),
                                            ("if (t < 7) ", t < 7), ("if (t == 0) ", t == 0), ("if (t >= 32) ", t >= 32)]))
    to, source = draw(st.sampled_from(["ab", "ba", "aa", "bb"]))
    plus = draw(st.integers(1, 3))  # the compiler removes additions of 0
    if draw(st.integers(0, 3)) == 3:
        few = draw(st.integers(1, block))
        return Phase(condition, mask, to, Places(f"t % {few}", t % few), to, Places("t", t), plus, True)
    places = draw(permutations(block))
    if to == source:
        sources = places  # a thread changes an element
    elif draw(st.integers(0, 3)) == 3:
        one = draw(st.integers(0, block - 1))
        sources = Places(str(one), np.full(block, one))
    else:
        sources = draw(permutations(block))
    return Phase(condition, mask, to, places, source, sources, plus, False)


def conflicts(all_accesses):
    """{(p, q): {is_in_one_warp: whether one of them is a read}} of accesses of phases p < q by different threads that need an order."""
    by_element = {}
    for p, accesses in enumerate(all_accesses):
        for array, element, thread, how in accesses:
            by_element.setdefault((array, element), []).append((p, thread, how))
    found = {}
    for accesses in by_element.values():
        for p, u, first in accesses:
            for q, v, second in accesses:
                if p < q and u != v and {first, second} not in ({"read"}, {"atomic"}):
                    pair = found.setdefault((p, q), {})
                    in_warp = u // 32 == v // 32
                    pair[in_warp] = pair.get(in_warp, False) or {first, second} != {"write"}
    return found


def races(found, separators):
    """The pairs of phases that race, and whether one of the accesses reads: writes may be of one value."""
    racing = {}
    for (p, q), kinds in found.items():
        between = max(separators[p:q])
        reads = [reads for in_warp, reads in kinds.items() if between == NOTHING or (between == WARP and not in_warp)]
        if reads:
            racing[p, q] = any(reads)
    return racing


def side_by_side(separators, p, labels):
    """The labels of phases between the barriers around separator p, where accesses of a thread may become one: the compiler removes a
    write before another write, and a read that repeats another. Then one of the lines is told. None where something stands everywhere."""
    first, last = p, p + 1
    while first > 0 and separators[first - 1] != BLOCK:
        first -= 1
    while last < len(separators) and separators[last] != BLOCK:
        last += 1
    return labels[first:last + 1] if NOTHING in separators[first:last] else []


def races_within(phase):
    """Whether plain code instead of an atomic function races."""
    active = phase.places.of[phase.mask]
    return len(np.unique(active)) < len(active)


@st.composite
def random_phases(draw, name, x, kind_in, kind_out):
    block = draw(blocks)
    n = len(x)
    step = Step(name, x, kind_in, kind_out, blocks_for(n, block), block)
    step.is_element_a_thread = True
    chain = draw(st.lists(phases(block), min_size=1, max_size=5))
    last, memory = draw(permutations(block)), draw(st.sampled_from(["shared", "dynamic", "global"]))

    def accesses(active):
        """The first phase fills both arrays; in the last one so many threads read them."""
        return ([[(array, t, t, "write") for array in "ab" for t in range(block)]] + [list(phase.accesses()) for phase in chain]
                + [[("a", int(last.of[t]), t, "read") for t in range(active)] + [("b", t, t, "read") for t in range(active)]])

    found = {}
    for active in {min(n, block), n - (step.grid - 1) * block}:
        for pair, kinds in conflicts(accesses(active)).items():
            for in_warp, reads in kinds.items():
                found.setdefault(pair, {})[in_warp] = found.get(pair, {}).get(in_warp, False) or reads
    has_whole_warps = block % 32 == 0
    separators = [draw(st.sampled_from([NOTHING, WARP, BLOCK] if has_whole_warps else [NOTHING, BLOCK])) for _ in range(len(chain) + 1)]
    while racing := races(found, separators):
        p, q = min(racing)
        at = draw(st.integers(p, q - 1))
        separators[at] = WARP if has_whole_warps and separators[at] == NOTHING and draw(st.booleans()) else BLOCK

    results = []
    for first in range(0, n, block):
        arrays = {"a": np.zeros(block, np.int64), "b": np.arange(block)}
        arrays["a"][:min(block, n - first)] = small(x[first:first + block])
        for phase in chain:
            phase.run(arrays)
        results.append((arrays["a"][last.of] + arrays["b"])[:n - first])
    step.result = stored(np.concatenate(results), kind_out)
    step.about = f"phases in {memory} memory, {step.grid} x {block}, {separators}"

    declared = {"shared": f"  __shared__ int a[{block}], b[{block}];",
                "dynamic": f"  extern __shared__ int #K_ab[]; int *a = #K_ab, *b = #K_ab + {block};",
                "global": f"  int *a = #K_a + blockIdx.x * {block}, *b = #K_b + blockIdx.x * {block};"}[memory]
    if memory == "dynamic":
        step.shared = f"{2 * block} * sizeof(int)"
    if memory == "global":
        step.code(f"__device__ int #K_a[{step.grid * block}], #K_b[{step.grid * block}];")
    lines = [HEAD, INDEX, declared, "  a[t] = i < n ? small(x[i]) : 0; b[t] = t;  // @load"]
    for p, phase in enumerate(chain, 1):
        lines += [f"{SEPARATORS[separators[p - 1]]}  // @between{p}", f"{phase.code()}  // @phase{p}"]
    lines += [f"{SEPARATORS[separators[-1]]}  // @between{len(chain) + 1}", f"  if (i < n) y[i] = (#U)(a[{last.text}] + b[t]);  // @store", "}"]
    step.code("\n".join(lines))

    labels = ["load", *(f"phase{p}" for p in range(1, len(chain) + 1)), "store"]
    for p in range(len(separators)):
        for weaker in range(separators[p]):
            if weaker == WARP and not has_whole_warps:
                continue
            tried = separators[:p] + [weaker] + separators[p + 1:]
            racing = [pair for pair, reads in races(found, tried).items() if reads]
            if racing:
                step.fault(f"{'a __syncwarp' if weaker else 'nothing'} before phase {p + 1}", {f"between{p + 1}": SEPARATORS[weaker]},
                           "data-race", *(f"{labels[a]} {labels[b]}" for a, b in racing), *side_by_side(tried, p, labels))
    for p, phase in enumerate(chain, 1):
        if phase.is_atomic and races_within(phase):
            step.fault(f"phase {p} without an atomic function", {f"phase{p}": phase.plain_code()}, "data-race", f"phase{p}")
    return step
