"""Kernels of textbooks with random sizes and types, and the faults of each that do harm."""
import numpy as np
from hypothesis import strategies as st

from cuda_programs import Step, small, stored

blocks = st.one_of(st.integers(1, 70), st.sampled_from([31, 32, 33, 64, 96, 128]))
grids = st.integers(1, 4)

HEAD = "__global__ void #K(const #T* x, #U* y, int n) {"
INDEX = "  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;"
LOOP = "for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x)"
BARRIER = {"divergent-barrier", "mismatched-barriers"}


def blocks_for(n, block):
    return (n + block - 1) // block


@st.composite
def grid_stride(draw, name, x, kind_in, kind_out):
    step = Step(name, x, kind_in, kind_out, draw(grids), draw(blocks))
    step.about = f"a grid-stride loop, {step.grid} x {step.block}"
    n, plus = len(x), draw(st.integers(0, 9))
    step.result = stored(small(x) + plus, kind_out)
    step.code(f"""\
{HEAD}
  const int t = threadIdx.x;
  {LOOP}  // @loop
    y[i] = (#U)(small(x[i]) + {plus});  // @load @store
}}""")
    step.fault("an index one too large", {"load": "    y[i] = (#U)(small(x[i + 1]));"}, "out-of-bounds", "load")
    step.fault("a loop that is one too long", {"loop": "  " + LOOP.replace("i < n", "i <= n")}, "out-of-bounds", "load")
    if n > 1 and step.grid * step.block > 1:
        step.fault("a shift in place", {"load": "    { #T* z = (#T*)x; z[i] = z[i + 1 < n ? i + 1 : 0]; y[i] = 0; }"}, "data-race", "load")
    return step


@st.composite
def element_a_thread(draw, name, x, kind_in, kind_out):
    block = draw(blocks)
    step = Step(name, x, kind_in, kind_out, blocks_for(len(x), block), block)
    step.about = f"an element a thread, {step.grid} x {step.block}"
    step.is_element_a_thread = True
    step.result = stored(3 * small(x)[::-1], kind_out)
    step.code(f"""\
{HEAD}
{INDEX}
  if (i < n)  // @guard
    y[n - 1 - i] = (#U)(3 * small(x[i]));  // @load @store
}}""")
    if step.grid * block > len(x):
        step.fault("no bounds check", {"guard": ""}, "out-of-bounds", "load")
        step.fault("a bounds check that is one too lax", {"guard": "  if (i <= n)"}, "out-of-bounds", "load")
    if step.grid * block > 1 and len(x) > 1:
        step.fault("an output that all threads write", {"load": "    y[i] = y[0] = (#U)i;"}, "data-race", "load")
    return step


@st.composite
def halo(draw, name, x, kind_in, kind_out):
    """Sums of three neighbours in a shared tile."""
    block = draw(blocks)
    n = len(x)
    step = Step(name, x, kind_in, kind_out, blocks_for(n, block), block)
    step.about = f"a tile with a halo, {step.grid} x {step.block}"
    step.is_element_a_thread = True
    around = np.pad(small(x), 1)
    step.result = stored(around[:-2] + around[1:-1] + around[2:], kind_out)
    step.code(f"""\
{HEAD}
  __shared__ #U tile[{block} + 2];  // @tile
{INDEX}
  tile[t + 1] = (#U)(i < n ? small(x[i]) : 0);  // @load
  if (t == 0) tile[0] = (#U)(i > 0 ? small(x[i - 1]) : 0);  // @left
  if (t == {block} - 1) tile[{block} + 1] = (#U)(i + 1 < n ? small(x[i + 1]) : 0);  // @right
  __syncthreads();  // @barrier
  if (i < n) y[i] = (#U)(tile[t] + tile[t + 1] + tile[t + 2]);  // @store
}}""")
    if block > 1:
        step.fault("no barrier", {"barrier": ""}, "data-race", "load store")
        step.fault("a barrier that a thread misses", {"barrier": "  if (t > 0) __syncthreads();"}, BARRIER, "barrier")
    if block > 32 and block % 32 == 0 and n >= 32:
        step.fault("a barrier of warps alone", {"barrier": "  __syncwarp();"}, "data-race", "load store")
    step.fault("a tile one too short", {"tile": f"  __shared__ #U tile[{block} + 1];"}, "out-of-bounds", "right")
    step.fault("no left halo", {"left": ""}, "uninitialised-read", "store")
    if n >= block:
        step.fault("an index one too large", {"store": "  if (i < n) y[i] = (#U)(tile[t + 1] + tile[t + 2] + tile[t + 3]);"},
                   "out-of-bounds", "store")
    if n % block != 0:
        step.fault("a barrier in a divergent branch", {"barrier": "  if (i < n) __syncthreads();"}, BARRIER, "barrier")
    return step


@st.composite
def transpose(draw, name, x, kind_in, kind_out):
    side, pad = draw(st.sampled_from([1, 2, 4, 8])), draw(st.integers(0, 1))
    columns = draw(st.integers(1, min(len(x), 20)))
    rows = len(x) // columns
    across, down = blocks_for(columns, side), blocks_for(rows, side)
    step = Step(name, x, kind_in, kind_out, f"dim3({across}, {down})", f"dim3({side}, {side})")
    step.about = f"a transpose of {rows} x {columns} in tiles of {side}"
    step.reads_all = rows * columns == len(x)
    step.result = stored(small(x)[:rows * columns].reshape(rows, columns).T.reshape(-1), kind_out)
    read = "tile[threadIdx.x][threadIdx.y{}]"
    step.code(f"""\
{HEAD}
  __shared__ #U tile[{side}][{side} + {pad}];
  const int c = blockIdx.x * {side} + threadIdx.x, r = blockIdx.y * {side} + threadIdx.y;
  if (r < {rows} && c < {columns})  // @guard
    tile[threadIdx.y][threadIdx.x] = (#U)small(x[r * {columns} + c]);  // @load
  __syncthreads();  // @barrier
  const int row = blockIdx.x * {side} + threadIdx.y, column = blockIdx.y * {side} + threadIdx.x;
  if (row < {columns} && column < {rows}) y[row * {rows} + column] = {read.format("")};  // @store
}}""")
    if side > 1 and (rows > 1 or columns > 1):
        step.fault("no barrier", {"barrier": ""}, "data-race", "load store")
    if (down * side - 1) * columns + across * side > len(x):
        step.fault("no bounds check", {"guard": ""}, "out-of-bounds", "load")
    if rows >= side and columns >= side:
        store = f"  if (row < {columns} && column < {rows}) y[row * {rows} + column] = {read.format(' + 1')};"
        step.fault("an index one too large", {"store": store}, "uninitialised-read" if pad else "out-of-bounds", "store")
    if rows % side or columns % side:
        step.fault("a barrier in a divergent branch", {"barrier": f"  if (r < {rows} && c < {columns}) __syncthreads();"}, BARRIER, "barrier")
    return step


@st.composite
def tree(draw, name, x, kind_in, kind_out):
    block, is_dynamic = 1 << draw(st.integers(0, 7)), draw(st.booleans())
    step = Step(name, x, kind_in, kind_out, draw(grids), block)
    step.about = f"a tree reduction, {step.grid} x {block}"
    n, total = len(x), step.grid * block
    step.result = stored([sum(int(small(x[i])) for b in range(block) for i in range(g * block + b, n, total)) for g in range(step.grid)],
                         kind_out)
    if is_dynamic:
        step.shared = f"{block} * sizeof({kind_out})"
    part = "extern __shared__ long long #K_part[]; #U* part = (#U*)#K_part;" if is_dynamic else f"__shared__ #U part[{block}];"
    step.code(f"""\
{HEAD}
  {part}
  const int t = threadIdx.x;
  #U sum = 0;
  {LOOP}
    sum = (#U)(sum + small(x[i]));  // @load
  part[t] = sum;  // @first
  __syncthreads();  // @barrier
  for (int s = {block} / 2; s > 0; s /= 2) {{
    if (t < s) part[t] = (#U)(part[t] + part[t + s]);  // @add
    __syncthreads();  // @levels
  }}
  if (t == 0)  // @one
    y[blockIdx.x] = part[0];  // @store
}}""")
    add = "    if (t < s) {{ part[t] = (#U)(part[t] + part[{}]); {} }}"
    if block > 1:
        step.fault("no first barrier", {"barrier": ""}, "data-race", "first add")
        step.fault("an index one too large", {"add": add.format("t + s + 1", "")}, "out-of-bounds", "add")
        step.fault("a barrier in a divergent branch", {"add": add.format("t + s", "__syncthreads();"), "levels": ""}, BARRIER, "add")
        step.fault("an element that is not written", {"first": "  if (t > 0) part[t] = sum;"}, "uninitialised-read", "add")
        step.fault("an output that all threads write", {"one": "", "store": "  y[blockIdx.x] = (#U)(part[0] + t);"}, "data-race", "store")
    if block > 2:
        step.fault("no barrier between levels", {"levels": ""}, "data-race", "add")
    return step


@st.composite
def hillis_steele(draw, name, x, kind_in, kind_out):
    """Sums of all elements before, within a block."""
    block, is_dynamic = draw(blocks), draw(st.booleans())
    n = len(x)
    step = Step(name, x, kind_in, kind_out, blocks_for(n, block), block)
    step.about = f"a scan by Hillis and Steele, {step.grid} x {block}"
    step.is_element_a_thread = True
    step.result = stored(np.concatenate([np.cumsum(small(x)[first:first + block]) for first in range(0, n, block)]), kind_out)
    if is_dynamic:
        step.shared = f"{block} * sizeof({kind_out})"
    part = "extern __shared__ long long #K_part[]; #U* a = (#U*)#K_part;" if is_dynamic else f"__shared__ #U a[{block}];"
    step.code(f"""\
{HEAD}
  {part}
{INDEX}
  a[t] = (#U)(i < n ? small(x[i]) : 0);  // @load
  __syncthreads();  // @barrier
  for (int d = 1; d < {block}; d *= 2) {{
    #U before = t >= d ? a[t - d] : (#U)0;  // @read
    __syncthreads();  // @middle
    a[t] = (#U)(a[t] + before);  // @add
    __syncthreads();  // @levels
  }}
  if (i < n) y[i] = a[t];  // @store
}}""")
    if block > 1:
        step.fault("no first barrier", {"barrier": ""}, "data-race", "load read")
        step.fault("no barrier after reading", {"middle": ""}, "data-race", "read add")
        step.fault("an index that is too small", {"read": "    #U before = t >= d ? a[t - d - 1] : (#U)0;"}, "out-of-bounds", "read")
        step.fault("a barrier in a divergent branch", {"middle": "    if (t >= d) __syncthreads();"}, BARRIER, "middle")
    if block > 2:
        step.fault("no barrier between levels", {"levels": ""}, "data-race", "read add")
    return step


@st.composite
def histogram(draw, name, x, kind_in, kind_out):
    bins = draw(st.integers(1, 17))
    kind_out = draw(st.sampled_from(["int", "unsigned"]))
    step = Step(name, x, kind_in, kind_out, draw(grids), draw(blocks))
    step.about = f"a histogram of {bins} bins, {step.grid} x {step.block}"
    step.is_zeroed = True
    into = small(x) % bins
    step.result = np.bincount(into, minlength=bins).astype(np.int64)
    clears = "for (int b = t; b < {}; b += blockDim.x)"
    step.code(f"""\
{HEAD}
  __shared__ #U bins[{bins}];
  const int t = threadIdx.x;
  {clears.format(bins)} bins[b] = 0;  // @clear
  __syncthreads();  // @first
  {LOOP}
    atomicAdd(&bins[small(x[i]) % {bins}], (#U)1);  // @load
  __syncthreads();  // @second
  {clears.format(bins)} atomicAdd(&y[b], bins[b]);  // @store
}}""")
    thread = np.arange(len(x)) % (step.grid * step.block)
    of_block, t = thread // step.block, thread % step.block
    if np.any(into % step.block != t):
        step.fault("no barrier after clearing", {"first": ""}, "data-race", "clear load")
        step.fault("no barrier after counting", {"second": ""}, "data-race", "load store")
    pairs = {}
    for b, bin_, one in zip(of_block, into, t):
        pairs.setdefault((b, bin_), set()).add(one)
    if any(len(threads) > 1 for threads in pairs.values()):
        step.fault("a count that is not atomic", {"load": f"    bins[small(x[i]) % {bins}] += 1;"}, "data-race", "load")
    if step.grid > 1:
        step.fault("a sum that is not atomic", {"store": f"  {clears.format(bins)} y[b] += bins[b];"}, "data-race", "store")
    if np.any(small(x) % (bins + 1) == bins):
        step.fault("a bin too many", {"load": f"    atomicAdd(&bins[small(x[i]) % {bins + 1}], (#U)1);"}, "out-of-bounds", "load")
    step.fault("a bin too many to clear", {"clear": f"  {clears.format(bins + 1)} bins[b] = 0;"}, "out-of-bounds", "clear")
    return step


@st.composite
def shuffles(draw, name, x, kind_in, kind_out):
    block, way = 32 * draw(st.integers(1, 3)), draw(st.sampled_from(["down", "xor"]))
    n = len(x)
    step = Step(name, x, kind_in, kind_out, blocks_for(n, block), block)
    step.about = f"sums of warps by shuffles, {step.grid} x {block}"
    step.result = stored(np.add.reduceat(small(x), np.arange(0, n, 32)), kind_out)
    wide = "int" if kind_out in ("short", "unsigned char") else kind_out
    step.code(f"""\
{HEAD}
{INDEX}
  {wide} v = ({wide})(i < n ? small(x[i]) : 0);  // @load
  for (int d = 16; d > 0; d /= 2)  // @loop
    v += __shfl_{way}_sync(0xffffffffu, v, d);  // @shuffle
  __syncwarp();
  if (t % 32 == 0 && i < n) y[i / 32] = (#U)v;  // @store
}}""")
    missing = {"warp-mask", "absent-lane"}
    if n % 32 != 0:
        step.fault("a shuffle in a divergent branch", {"loop": "  if (i < n) for (int d = 16; d > 0; d /= 2)"}, missing, "shuffle")
    step.fault("a shuffle that half of the warp misses", {"loop": "  if (t % 32 < 16) for (int d = 16; d > 0; d /= 2)"}, missing, "shuffle")
    step.fault("a mask without the last lane", {"shuffle": f"    v += __shfl_{way}_sync(0x7fffffffu, v, d);"}, missing, "shuffle")
    return step


@st.composite
def warp_synchronous(draw, name, x, kind_in, kind_out):
    """Each element of 32 becomes their sum, in shared memory of a warp."""
    block = 32 * draw(st.integers(1, 3))
    n = len(x)
    step = Step(name, x, kind_in, kind_out, blocks_for(n, block), block)
    step.about = f"sums of warps in shared memory, {step.grid} x {block}"
    step.is_element_a_thread = True
    step.result = stored(np.repeat(np.add.reduceat(small(x), np.arange(0, n, 32)), 32)[:n], kind_out)
    step.code(f"""\
{HEAD}
  __shared__ #U a[{block}];
{INDEX}
  a[t] = (#U)(i < n ? small(x[i]) : 0);  // @load
  __syncwarp();  // @first
  for (int d = 1; d < 32; d *= 2) {{
    #U other = a[t ^ d];  // @read
    __syncwarp();  // @middle
    a[t] = (#U)(a[t] + other);  // @add
    __syncwarp();  // @levels
  }}
  if (i < n) y[i] = a[t];  // @store
}}""")
    step.fault("no first __syncwarp", {"first": ""}, "data-race", "load read")
    step.fault("no __syncwarp after reading", {"middle": ""}, "data-race", "read add")
    step.fault("no __syncwarp between levels", {"levels": ""}, "data-race", "read add")
    step.fault("a __syncwarp of half a warp", {"middle": "    if (t % 32 < 16) __syncwarp();"}, {"warp-mask", "data-race"},
               "middle", "read add")
    if block > 32:
        step.fault("a partner in another warp", {"read": "    #U other = a[(t ^ 32) < blockDim.x ? t ^ d ^ 32 : t ^ d];"}, "data-race",
                   "read add")
    return step


@st.composite
def last_block(draw, name, x, kind_in, kind_out):
    """The block that ends last adds up what all have found."""
    step = Step(name, x, kind_in, kind_out, draw(grids), draw(blocks))
    step.about = f"a sum by the last block, {step.grid} x {step.block}"
    n = len(x)
    step.result = stored([small(x).sum()], kind_out)
    step.code(f"""\
__device__ unsigned #K_ticket;
__device__ int #K_parts[{step.grid}];
{HEAD}
  __shared__ bool is_last;
  __shared__ int sum;
  const int t = threadIdx.x;
  if (t == 0) sum = 0;  // @clear
  __syncthreads();  // @first
  {LOOP}
    atomicAdd(&sum, small(x[i]));  // @load
  __syncthreads();  // @second
  if (t == 0) {{
    #K_parts[blockIdx.x] = sum;  // @part
    __threadfence();  // @fence
    is_last = atomicAdd(&#K_ticket, 1u) == gridDim.x - 1;  // @ticket
  }}
  __syncthreads();  // @third
  if (!is_last || t > 0) return;  // @ask
  int total = 0;
  for (unsigned b = 0; b < gridDim.x; ++b) total += #K_parts[b];  // @add
  y[0] = (#U)total;  // @store
}}""")
    if step.block > 1 and n > 1:
        step.fault("no barrier after clearing", {"first": ""}, "data-race", "clear load")
        step.fault("no barrier after adding", {"second": ""}, "data-race", "load part")
        step.fault("a sum that is not atomic", {"load": "    sum += small(x[i]);"}, "data-race", "load")
    if step.block > 1:
        step.fault("no barrier after the ticket", {"third": ""}, "data-race", "ticket ask")
    if step.grid > 1:
        step.fault("no fence", {"fence": ""}, "data-race", "part add")
        step.fault("a ticket that is not atomic", {"ticket": "    is_last = #K_ticket++ == gridDim.x - 1;"}, "data-race", "ticket")
    return step


KERNELS = [grid_stride, element_a_thread, halo, transpose, tree, hillis_steele, histogram, shuffles, warp_synchronous, last_block]
