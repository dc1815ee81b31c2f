// Inline PTX: what its instructions give, that their accesses are watched, and what they order.

// check special_registers --grid 3 --block 96
// clean
__global__ void special_registers() {
  unsigned lane, warp, x, blocks, below, from, all;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  asm volatile("mov.u32 %0, %%warpid;\n\tmov.u32 %1, %%tid.x;" : "=r"(warp), "=r"(x));
  asm("mov.u32 %0, %nctaid.x;" : "=r"(blocks));
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
  asm("mov.u32 %0, %%lanemask_ge;" : "=r"(from));
  assert(lane == threadIdx.x % 32 && warp == threadIdx.x / 32 && x == threadIdx.x && blocks == 3);
  assert(below == (1u << lane) - 1 && (below ^ from) == ~0u);
  asm("{ .reg .u32 le, eq; mov.u32 le, %%lanemask_le; mov.u32 eq, %%lanemask_eq; sub.u32 %0, le, eq; }" : "=r"(all));
  assert(all == below);
  unsigned long long before, after;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(before));
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(after));
  assert(after > before);
}

// check carries --grid 1 --block 32
// clean
__device__ unsigned add_first(unsigned a, unsigned b) {
  unsigned r;
  asm volatile("add.cc.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
  return r;
}
__device__ unsigned add_next(unsigned a, unsigned b) {
  unsigned r;
  asm volatile("addc.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
  return r;
}
__global__ void carries() {
  const unsigned long long a = 0x9234567890abcdefull + threadIdx.x, b = 0xfedcba0987654321ull;
  unsigned r0, r1, r2;
  asm("add.cc.u32 %0, %3, %5;\n\t"
      "addc.cc.u32 %1, %4, %6;\n\t"
      "addc.u32 %2, 0, 0;"
      : "=r"(r0), "=r"(r1), "=r"(r2)
      : "r"(static_cast<unsigned>(a)), "r"(static_cast<unsigned>(a >> 32)), "r"(static_cast<unsigned>(b)), "r"(static_cast<unsigned>(b >> 32)));
  const unsigned __int128 sum = static_cast<unsigned __int128>(a) + b;
  assert(r0 == static_cast<unsigned>(sum) && r1 == static_cast<unsigned>(sum >> 32) && r2 == static_cast<unsigned>(sum >> 64));
  const unsigned low = add_first(~0u, threadIdx.x), high = add_next(5, 6);
  assert(low == threadIdx.x - 1 && high == 11 + (threadIdx.x != 0 ? 1u : 0u));
  asm("sub.cc.u32 %0, %2, %4; subc.u32 %1, %3, %5;" : "=r"(r0), "=r"(r1) : "r"(static_cast<unsigned>(b)), "r"(static_cast<unsigned>(b >> 32)), "r"(static_cast<unsigned>(a)), "r"(static_cast<unsigned>(a >> 32)));
  assert((static_cast<unsigned long long>(r1) << 32 | r0) == b - a);
  unsigned long long p;
  asm("mad.wide.u32 %0, %1, %2, %3;" : "=l"(p) : "r"(0xfffffff0u), "r"(0xffffffffu), "l"(a));
  assert(p == 0xfffffff0ull * 0xffffffffull + a);
  asm("mad.lo.cc.u32 %0, %2, %3, %4; madc.hi.u32 %1, %2, %3, 0;" : "=r"(r0), "=r"(r1) : "r"(0xdeadbeefu), "r"(0xcafef00du), "r"(0xffffffffu));
  assert((static_cast<unsigned long long>(r1) << 32 | r0) == 0xdeadbeefull * 0xcafef00dull + 0xffffffffull);
}

// check predicates_and_loops --grid 1 --block 32 --arg i32[32]
// clean
__global__ void predicates_and_loops(int* x) {
  int n = threadIdx.x, sum, larger;
  asm("{\n"
      "  .reg .pred p, q;\n"
      "  .reg .s32 i, t<2>;  // a counter\n"
      "  mov.s32 i, 0; mov.b32 %0, 0;\n"
      "AGAIN:\n"
      "  setp.gt.s32 p, i, %2;\n"
      "  @p bra DONE;\n"
      "  add.s32 %0, %0, i; add.s32 i, i, 1;\n"
      "  bra.uni AGAIN;\n"
      "DONE:\n"
      "  setp.ge.and.s32 p|q, %2, 16, 1;\n"
      "  @p mov.u32 t0, 7;\n"
      "  @!p mov.u32 t0, -7;\n"
      "  selp.b32 t1, t0, 0, q;\n"
      "  /* t1 is 0 or -7 */ sub.s32 %1, t0, t1;\n"
      "}"
      : "=&r"(sum), "=r"(larger)
      : "r"(n));
  assert(sum == n * (n + 1) / 2 && larger == (n >= 16 ? 7 : 0));
  if (n % 2 == 0) asm volatile("st.global.s32 [%0], %1;" ::"l"(x + n), "r"(sum) : "memory");
  else x[n] = sum;
  asm("ld.global.nc.L1::no_allocate.s32 %0, [%1];" : "=r"(larger) : "l"(x + n));
  assert(larger == sum);
}

// check floats --grid 1 --block 1
// clean
__global__ void floats() {
  float f, g = 1.5f;
  double d;
  int i;
  unsigned short h;
  unsigned u, v;
  unsigned long long l;
  asm("fma.rn.f32 %0, %1, 0f40000000, 0.25;" : "=f"(f) : "f"(g));
  assert(f == 3.25f);
  asm("add.rp.f32 %0, %1, %2;" : "=f"(f) : "f"(1.0f), "f"(1e-20f));
  assert(f == nextafterf(1, 2));
  asm("cvt.rni.s32.f32 %0, %1;" : "=r"(i) : "f"(2.5f));
  assert(i == 2);
  asm("cvt.rzi.u32.f32 %0, %1;" : "=r"(u) : "f"(-3.0f));
  assert(u == 0);
  asm("cvt.rn.f32.f64 %0, %1;" : "=f"(f) : "d"(0.1));
  assert(f == 0.1f);
  asm("cvt.rz.f32.f64 %0, %1;" : "=f"(f) : "d"(0.3));
  assert(f == nextafterf(0.3f, 0));
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(1.0f));
  assert(h == 0x3c00);
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(u) : "f"(1.0f), "f"(-2.0f));
  assert(u == 0x3f80c000u);
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(u) : "f"(1.0f + 0x1p-11f));
  assert(u == 0x3f802000u);
  asm("cvt.s32.s8 %0, %1;" : "=r"(i) : "r"(0x1ff));
  assert(i == -1);
  asm("cvt.sat.u8.s32 %0, %1;" : "=r"(u) : "r"(300));
  assert(u == 255);
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(f) : "f"(NAN), "f"(1.0f));
  assert(f != f);
  asm("max.f64 %0, %1, %2;" : "=d"(d) : "d"(-1.0), "d"(0.5));
  assert(d == 0.5);
  asm("{.reg .f16 a; mov.b16 a, %1; fma.rn.f16 %0, a, a, a;}" : "=h"(h) : "h"(static_cast<unsigned short>(0x4000)));
  assert(h == 0x4600);
  asm("mov.b64 {%0, %1}, %2;" : "=r"(u), "=r"(v) : "l"(0x0123456789abcdefull));
  assert(u == 0x89abcdefu && v == 0x01234567u);
  asm("mov.b64 %0, {%1, %2};" : "=l"(l) : "r"(v), "r"(u));
  assert(l == 0x89abcdef01234567ull);
  asm("add.f16x2 %0, %1, %1;" : "=r"(u) : "r"(0x3c004000u));
  assert(u == 0x40004400u);
}

// check vectors_and_hints --grid 1 --block 32 --arg u32[128]=arange --arg u32[128]
// clean
__global__ void vectors_and_hints(const unsigned* x, unsigned* y) {
  uint4 v;
  asm volatile("ld.global.cs.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(x + 4 * threadIdx.x));
  assert(v.x == 4 * threadIdx.x && v.w == v.x + 3);
  asm volatile("st.global.L1::evict_last.v2.u32 [%0+8], {%1, %2};" ::"l"(y + 4 * threadIdx.x), "r"(v.z), "r"(v.w) : "memory");
  asm volatile("prefetch.global.L2 [%0];" ::"l"(x));
  assert(y[4 * threadIdx.x + 2] == v.z);
}

// check misaligned_vector --grid 1 --block 1 --arg u32[8]=arange
// finds misaligned-access @misaligned
__global__ void misaligned_vector(const unsigned* x) {
  uint2 v;
  asm volatile("ld.global.v2.u32 {%0, %1}, [%2];" : "=r"(v.x), "=r"(v.y) : "l"(x + 1));  // @misaligned
}

// check past_the_end --grid 1 --block 32 --arg u32[31]=arange
// finds out-of-bounds @past of x: x[31]
__global__ void past_the_end(const unsigned* x) {
  unsigned v;
  asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(x + threadIdx.x));  // @past
}

// check race_of_stores --grid 1 --block 64 --arg u32[1]
// finds data-race @race_store of x
__global__ void race_of_stores(unsigned* x) {
  asm volatile("st.global.u32 [%0], %1;" ::"l"(x), "r"(threadIdx.x) : "memory");  // @race_store
}

// check atomics --grid 2 --block 64 --arg u32[2]=zeros --arg f32[1]=zeros
// clean
__global__ void atomics(unsigned* x, float* f) {
  unsigned before;
  asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(before) : "l"(x), "r"(1) : "memory");
  assert(before < 128);
  asm volatile("red.relaxed.gpu.global.max.u32 [%0+4], %1;" ::"l"(x), "r"(threadIdx.x) : "memory");
  asm volatile("red.global.add.f32 [%0], %1;" ::"l"(f), "f"(1.0f) : "memory");
}

// check message --grid 2 --block 1 --arg i32[1] --arg u32[1]=zeros
// clean
__global__ void message(int* data, unsigned* flag) {
  if (blockIdx.x == 0) {
    *data = 42;
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(flag), "r"(1) : "memory");
  } else {
    unsigned seen;
    do asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
    while (seen == 0);
    assert(*data == 42);
  }
}

// check message_without_order --grid 2 --block 1 --arg i32[1] --arg u32[1]=zeros
// finds data-race @put @got of data
__global__ void message_without_order(int* data, unsigned* flag) {
  if (blockIdx.x == 0) {
    *data = 42;  // @put
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(flag), "r"(1) : "memory");
  } else {
    unsigned seen;
    do asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
    while (seen == 0);
    assert(*data == 42);  // @got
  }
}

// check warp_functions --grid 1 --block 64
// clean
__global__ void warp_functions() {
  const unsigned lane = threadIdx.x % 32;
  unsigned v, active;
  int valid;
  asm volatile("shfl.sync.idx.b32 %0, %1, 5, 0x1f, 0xffffffff;" : "=r"(v) : "r"(threadIdx.x));
  assert(v == threadIdx.x - lane + 5);
  asm volatile("{ .reg .pred p; shfl.sync.up.b32 %0|p, %2, 3, 0, -1; selp.b32 %1, 1, 0, p; }" : "=r"(v), "=r"(valid) : "r"(threadIdx.x));
  assert(valid == (lane >= 3 ? 1 : 0) && v == threadIdx.x - (lane >= 3 ? 3 : 0));
  // Segments of 8 lanes.
  asm volatile("{ .reg .pred p; shfl.sync.down.b32 %0|p, %2, 2, 0x181f, 0xffffffff; selp.b32 %1, 1, 0, p; }" : "=r"(v), "=r"(valid) : "r"(lane));
  assert(valid == (lane % 8 < 6 ? 1 : 0) && v == lane + (valid ? 2 : 0));
  asm volatile("shfl.sync.bfly.b32 %0, %1, 1, 0x1f, 0xffffffff;" : "=r"(v) : "r"(lane));
  assert(v == (lane ^ 1));
  asm volatile("{ .reg .pred p; setp.lt.u32 p, %1, 4; vote.sync.ballot.b32 %0, p, 0xffffffff; }" : "=r"(v) : "r"(lane));
  assert(v == 15);
  asm volatile("match.any.sync.b32 %0, %1, 0xffffffff;" : "=r"(v) : "r"(lane / 16));
  assert(v == (lane < 16 ? 0xffffu : 0xffff0000u));
  asm volatile("redux.sync.add.s32 %0, %1, 0xffffffff;" : "=r"(v) : "r"(lane));
  assert(v == 496);
  asm volatile("activemask.b32 %0;" : "=r"(active));
  assert(active >> lane & 1);
}

// check wrong_mask --grid 1 --block 32
// finds warp-mask @not_named
__global__ void wrong_mask() {
  unsigned v;
  if (threadIdx.x >= 16)
    asm volatile("vote.sync.ballot.b32 %0, 1, 0xffff;" : "=r"(v));  // @not_named
}

// check barriers --grid 1 --block 128 --arg i32[128]
// clean
__global__ void barriers(int* x) {
  __shared__ int s[128];
  s[threadIdx.x] = threadIdx.x;
  asm volatile("bar.sync 0;" ::: "memory");
  assert(s[127 - threadIdx.x] == static_cast<int>(127 - threadIdx.x));
  __syncthreads();
  // The first two warps make, the others take.
  if (threadIdx.x < 64) {
    s[threadIdx.x] = 3;
    asm volatile("bar.arrive %0, %1;" ::"n"(1), "r"(128) : "memory");
  } else {
    asm volatile("barrier.sync 1, 128;" ::: "memory");
    x[threadIdx.x] = s[threadIdx.x - 64];
    assert(x[threadIdx.x] == 3);
  }
  asm volatile("bar.warp.sync 0xffffffff;");
}

// check taken_too_early --grid 1 --block 64
// finds data-race @made @taken of s
__global__ void taken_too_early() {
  __shared__ int s[32];
  if (threadIdx.x < 32) {
    asm volatile("bar.arrive 1, 64;" ::: "memory");
    s[threadIdx.x] = 3;  // @made
  } else {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    assert(s[threadIdx.x - 32] >= 0);  // @taken
  }
}

// check shared_addresses --grid 2 --block 32 --shared 128
// clean
__global__ void shared_addresses() {
  __shared__ alignas(16) float s[64];
  extern __shared__ unsigned dynamic[];
  unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(s)), v;
  unsigned long long wide;
  asm volatile("st.shared.f32 [%0], %1;" ::"r"(address + 4 * threadIdx.x), "f"(2.0f * threadIdx.x) : "memory");
  asm volatile("{ .reg .u64 a; cvta.to.shared.u64 a, %1; cvt.u32.u64 %0, a; }" : "=r"(v) : "l"(dynamic));
  asm volatile("st.shared::cta.u32 [%0], %1;" ::"r"(v + 4 * threadIdx.x), "r"(threadIdx.x) : "memory");
  __syncthreads();
  assert(s[threadIdx.x ^ 1] == 2.0f * (threadIdx.x ^ 1) && dynamic[31 - threadIdx.x] == 31 - threadIdx.x);
  asm("cvta.shared.u64 %0, %1;" : "=l"(wide) : "l"(static_cast<unsigned long long>(address)));
  assert(reinterpret_cast<float*>(wide) == s);
}

// check past_shared --grid 1 --block 32
// finds out-of-bounds @past_shared of s
__global__ void past_shared() {
  __shared__ unsigned s[32];
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(s));
  asm volatile("st.shared.u32 [%0+4], %1;" ::"r"(address + 4 * threadIdx.x), "r"(1) : "memory");  // @past_shared
}

// check copies --grid 1 --block 32 --arg f32[256]=arange --arg f32[128]
// clean
__global__ void copies(const float* x, float* y) {
  __shared__ alignas(16) float s[2][128];
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(&s[0][4 * threadIdx.x]));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n cp.async.commit_group;" ::"r"(to), "l"(x + 4 * threadIdx.x));
  asm volatile("cp.async.ca.shared.global.L2::128B [%0], [%1], %2, %3;" ::"r"(to + 512), "l"(x + 128 + 4 * threadIdx.x), "n"(16), "r"(8));
  asm volatile("cp.async.commit_group;");
  asm volatile("cp.async.wait_group %0;" ::"n"(1));
  __syncthreads();
  y[threadIdx.x] = s[0][127 - threadIdx.x];
  assert(y[threadIdx.x] == 127 - threadIdx.x);
  asm volatile("cp.async.wait_all;");
  __syncthreads();
  const float* last = s[1] + 4 * (31 - threadIdx.x);
  assert(last[1] == 128 + 4 * (31 - threadIdx.x) + 1 && last[2] == 0 && last[3] == 0);
}

// check copies_not_awaited --grid 1 --block 64 --arg f32[64]=arange --arg f32[64]
// finds data-race @begun @used of s
__global__ void copies_not_awaited(const float* x, float* y) {
  __shared__ float s[64];
  s[threadIdx.x] = 0;
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(&s[threadIdx.x]));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(x + threadIdx.x));  // @begun
  asm volatile("cp.async.commit_group;");
  __syncthreads();
  y[threadIdx.x] = s[63 - threadIdx.x];  // @used
  asm volatile("cp.async.wait_group 0;");
}

// check copies_into_a_misaligned_place --grid 1 --block 1 --arg f32[64]=arange
// finds misaligned-access @copied of s
__global__ void copies_into_a_misaligned_place(const float* x) {
  __shared__ alignas(16) float s[8];
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(&s[1]));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(x));  // @copied
}

// check barriers_in_memory --grid 1 --block 64 --arg f32[128]=arange
// clean
__global__ void barriers_in_memory(const float* x) {
  __shared__ alignas(16) float s[128];
  __shared__ unsigned long long word;
  const unsigned barrier = static_cast<unsigned>(__cvta_generic_to_shared(&word)), to = static_cast<unsigned>(__cvta_generic_to_shared(s));
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(64) : "memory");
  __syncthreads();
  for (unsigned parity = 0; parity < 2; ++parity) {
    if (threadIdx.x == 0) {
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "n"(512) : "memory");
      asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to), "l"(x), "r"(512), "r"(barrier) : "memory");
    } else {
      unsigned long long state;
      asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1];" : "=l"(state) : "r"(barrier) : "memory");
    }
    asm volatile(
        "{\n .reg .pred done;\nWAIT:\n mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n @done bra DONE;\n bra WAIT;\nDONE:\n}" ::"r"(barrier), "r"(parity) : "memory");
    assert(s[127 - threadIdx.x] == 127 - threadIdx.x);
    __syncthreads();
  }
}

// check bulk_copy_not_awaited --grid 1 --block 32 --arg f32[32]=arange
// finds data-race @in_bulk @too_early of s
__global__ void bulk_copy_not_awaited(const float* x) {
  __shared__ alignas(16) float s[32];
  __shared__ unsigned long long word;
  const unsigned barrier = static_cast<unsigned>(__cvta_generic_to_shared(&word)), to = static_cast<unsigned>(__cvta_generic_to_shared(s));
  s[threadIdx.x] = 0;
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(barrier) : "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 128;" ::"r"(barrier) : "memory");
    asm volatile("cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%0], [%1], 128, [%2];" ::"r"(to), "l"(x), "r"(barrier) : "memory");  // @in_bulk
  }
  assert(s[31 - threadIdx.x] >= 0);  // @too_early
}
