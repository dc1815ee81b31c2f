// What the device language has: each construct is used where a wrong one would be seen.

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#define SHARED_INTS(name, count) __shared__ int name[count]

// check three_dimensions --grid 2,3,4 --block 2,4,3 --arg i32[576]
// clean
__global__ void three_dimensions(int* x) {
  assert(gridDim.x == 2 && gridDim.y == 3 && gridDim.z == 4);
  assert(blockDim.x == 2 && blockDim.y == 4 && blockDim.z == 3 && warpSize == 32);
  const int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  x[block * 24 + thread] = block * 24 + thread;
}

// check grid_stride --grid 3 --block 32 --arg f32[1000]=arange --arg i32:1000
// clean
__global__ void grid_stride(float* x, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x[i] *= 2;
}

template <class T, int N>
__device__ __forceinline__ T sum_of(const T (&values)[N]) {
  T sum = 0;
#pragma unroll
  for (int i = 0; i < N; ++i) sum += values[i];
  return sum;
}

// check 'templated<float,64>' --grid 2 --block 64 --arg f32[128]=arange
// clean
// check 'templated<double, 32>' --grid 2 --block 32 --arg f64[64]=arange
// clean
// check templated --grid 2 --block 32 --arg f64[64]=arange
// fails kernel templated is a template: name an instance, such as 'templated<float>'
template <class T, int N>
__global__ void templated(T* x) {
  __shared__ T s[N];
  s[threadIdx.x] = x[blockIdx.x * N + threadIdx.x];
  __syncthreads();
  const T both[2] = {s[threadIdx.x], s[N - 1 - threadIdx.x]};
  x[blockIdx.x * N + threadIdx.x] = sum_of(both);
}

template <int N>
__device__ int own_shared(int v) {
  __shared__ int s[N];
  s[threadIdx.x] = v;
  __syncthreads();
  const int other = s[N - 1 - threadIdx.x];
  __syncthreads();
  return other;
}

// check shared_of_instances --grid 1 --block 32 --arg i32[1]
// clean
__global__ void shared_of_instances(int* x) {
  const int a = own_shared<32>(threadIdx.x), b = own_shared<32>(a);
  assert(b == threadIdx.x);
}

extern __shared__ float of_the_file[];
__shared__ int in_the_file[32];

__device__ void fill_from_the_file(float v) {
  of_the_file[threadIdx.x] = v;
  in_the_file[threadIdx.x] = threadIdx.x;
}

// check shared_of_the_file --grid 1 --block 32 --shared 128 --arg f32[32]
// clean
__global__ void shared_of_the_file(float* x) {
  fill_from_the_file(threadIdx.x);
  __syncthreads();
  x[threadIdx.x] = of_the_file[31 - threadIdx.x];
  assert(in_the_file[31 - threadIdx.x] == 31 - threadIdx.x);
}

// check several_in_one_line --grid 1 --block 32 --arg i32[1]
// clean
__global__ void several_in_one_line(int* x) {
  __shared__ int a[32], b[32][2], c, *d;
  __shared__ alignas(16) unsigned char bytes[64];
  volatile __shared__ float f[2];
  __shared__ struct { int p, q; } pairs[32];
  SHARED_INTS(by_macro, 32);
  a[threadIdx.x] = b[threadIdx.x][1] = pairs[threadIdx.x].q = by_macro[threadIdx.x] = threadIdx.x;
  if (threadIdx.x == 0) c = 5, d = a, f[1] = 2;
  __syncthreads();
  const int other = 31 - threadIdx.x;
  assert(a[other] == other && b[other][1] == other && pairs[other].q == other && by_macro[other] == other);
  assert(c == 5 && d[other] == other && f[1] == 2);
  assert(reinterpret_cast<uintptr_t>(bytes) % 16 == 0 && sizeof(bytes) == 64 && sizeof(b) == 256);
}

// check bounded --grid 1 --block 64 --arg i32[64]
// clean
// check bounded --grid 1 --block 128 --arg i32[128]
// fails a block of 128 threads: its __launch_bounds__ allows 64
__global__ void __launch_bounds__(64, 2) bounded(int* __restrict__ x) {
  x[threadIdx.x] = 1;
}

// check vectors --grid 1 --block 8 --arg f32[32]=arange --arg i32[16]=arange --arg u8[32]=arange
// clean
__global__ void vectors(float4* f, int2* i, uchar4* u) {
  const int t = threadIdx.x;
  float4 v = f[t];
  v.w += v.x;
  f[t] = make_float4(v.y, v.z, v.w, 1);
  assert(f[t].z == 8 * t + 3);
  assert(i[t].x == 2 * t && i[t].y == 2 * t + 1);
  const uchar4 c = u[t];
  assert(c.x + c.y + c.z + c.w == 16 * t + 6);
  assert(sizeof(float3) == 12 && sizeof(double2) == 16 && alignof(float4) == 16 && alignof(short4) == 8);
  const dim3 d(3, 2);
  assert(d.x * d.y * d.z == 6);
}

// check mathematics --grid 1 --block 1 --arg f32[1]=zeros
// clean
__global__ void mathematics(const float* zero) {
  const float one = 1 + zero[0];
  assert(fabsf(rsqrtf(4 * one) - 0.5f) < 1e-6f && sqrtf(9 * one) == 3 && sqrt(16.0 * one) == 4);
  assert(fabsf(__sinf(one) - sinf(one)) < 1e-6f && fabsf(__expf(one) - 2.7182818f) < 1e-5f);
  assert(fabsf(sinpif(0.5f * one) - 1) < 1e-6f && cbrtf(27 * one) == 3 && fabs(exp2(3 * one) - 8) < 1e-6);
  assert(max(3, 5) == 5 && min(2.5f, one) == 1 && max(1u, 7u) == 7 && min(-1ll, 4ll) == -1 && max(0.5, 2.0) == 2);
  assert(fmaf(2, 3, one) == 7 && __fmul_rn(3, one) == 3 && fdividef(6, 3 * one) == 2 && __saturatef(5 * one) == 1);
  assert(__popc(0xff) == 8 && __popcll(~0ull) == 64 && __clz(1) == 31 && __clz(0) == 32 && __clzll(1) == 63);
  assert(__ffs(8) == 4 && __ffs(0) == 0 && __brev(1) == 0x80000000 && __brevll(1) == 1ull << 63);
  assert(__byte_perm(0x03020100, 0x07060504, 0x7531) == 0x07050301);
  assert(__funnelshift_l(0x80000000, 1, 1) == 3 && __funnelshift_r(0x80000000, 1, 31) == 3);
  assert(__mulhi(1 << 30, 8) == 2 && __umulhi(1u << 31, 4) == 2 && __umul64hi(1ull << 63, 4) == 2 && __mul24(3, 4) == 12);
  assert(__float_as_int(1.0f) == 0x3f800000 && __int_as_float(0x40000000) == 2 && __double_as_longlong(1.0) == 0x3ff0000000000000);
  assert(__float2int_rn(2.5f * one) == 2 && __float2int_rz(-2.5f) == -2 && __float2int_ru(2.1f) == 3 && __float2int_rd(-2.1f) == -3);
  assert(__double2int_rz(1e20) == 2147483647 && __float2uint_rz(-5) == 0);
  assert(isnan(NAN) && isinf(INFINITY) && !isfinite(INFINITY) && signbit(-0.0f));
  assert(__sad(3, 8, 1) == 6 && __dp4a(0x01020304, 0x01010101, 5) == 15);
  assert(__dp4a(0xff020304u, 0x01010101u, 5u) == 269 && __dp4a(static_cast<int>(0xff020304), 0x01010101, 5) == 13);
  assert(__dp2a_lo(0x8000ffffu, 0x07050201u, 1u) == 131072 && __dp2a_hi(0x80000001u, 0x03020100u, 0u) == 98306);
  assert(__dp2a_lo(static_cast<int>(0x8000ffff), 0x0201, 1) == -65536 && __dp4a(make_uchar4(1, 2, 3, 4), make_uchar4(1, 1, 1, 1), 0u) == 10);
}

// check halves --grid 1 --block 32 --arg f16[32]=arange --arg f16[64]=arange
// clean
__global__ void halves(__half* h, half2* p) {
  const int t = threadIdx.x;
  assert(__half2float(h[t]) == t);
  h[t] = __hfma(h[t], __float2half(2.0f), __float2half(0.5f));
  assert(__half2float(h[t]) == 2 * t + 0.5f);
  p[t] = __hadd2(p[t], __float2half2_rn(1.0f));
  assert(__low2float(p[t]) == 2 * t + 1 && __high2float(p[t]) == 2 * t + 2);
  assert(__hgt(h[t], __float2half(0.0f)) && __half2float(__float2half(1e-7f)) > 0 && __half2float(__float2half(1.0f / 3)) == 0.333251953125f);
  assert(__half_as_ushort(__float2half(65519.0f)) == 0x7bff && __hisnan(__float2half(NAN)) && __half2float(__float2half(70000.0f)) == INFINITY);
}

// check prints --grid 1 --block 2 --arg i32[2]=arange
// prints thread 0 has 0
// prints thread 1 has 1
// prints hello
__global__ void prints(const int* x) {
  printf("thread %d has %d\n", threadIdx.x, x[threadIdx.x]);
  if (threadIdx.x == 1) printf("hello\n");
}

// check clocks --grid 1 --block 2 --arg i32[2]
// clean
__global__ void clocks(int* x) {
  const long long begin = clock64();
  __nanosleep(100);
  while (clock64() - begin < 1000) {
  }
  x[threadIdx.x] = clock() > 0;
}

// check read_only_loads --grid 1 --block 32 --arg f32[32]=arange --arg f32[128]=arange --arg f32[32]
// clean
__global__ void read_only_loads(const float* __restrict__ x, const float4* v, float* y) {
  y[threadIdx.x] = __ldg(&x[threadIdx.x]) + __ldcs(x + threadIdx.x) + __ldg(v + threadIdx.x).w;
}

// check takes_a_functor --grid 1 --block 32 --arg i32[32]=arange
// clean
struct twice {
  int by = 2;
  __host__ __device__ int operator()(int v) const { return by * v; }
};
template <class F>
__device__ void apply(int* x, F f) {
  x[threadIdx.x] = f(x[threadIdx.x]);
}
__global__ void takes_a_functor(int* x) {
  apply(x, twice());
  apply(x, [] __device__(int v) { return v + 1; });
  assert(x[threadIdx.x] == 2 * threadIdx.x + 1);
}

namespace cg = cooperative_groups;

// check tiles --grid 1 --block 64 --arg i32[64]=arange
// clean
__global__ void tiles(int* x) {
  const cg::thread_block block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<8>(block);
  const int t = block.thread_rank();
  assert(tile.size() == 8 && tile.thread_rank() == t % 8 && tile.meta_group_rank() == t / 8 && tile.meta_group_size() == 8);
  assert(tile.shfl(t, 3) == t / 8 * 8 + 3 && tile.shfl_xor(t, 1) == (t ^ 1));
  assert(tile.shfl_down(t, 1) == (t % 8 == 7 ? t : t + 1) && tile.shfl_up(t, 1) == (t % 8 == 0 ? t : t - 1));
  assert(tile.ballot(t % 2 == 0) == 0x55 && tile.any(t % 8 == 7) && !tile.all(t % 8 == 7));
  assert(cg::reduce(tile, t % 8, cg::plus<int>()) == 28 && cg::reduce(tile, t, cg::greater<int>()) == t / 8 * 8 + 7);
  assert(cg::inclusive_scan(tile, 1) == t % 8 + 1 && cg::exclusive_scan(tile, 1) == t % 8);
  x[t] = 1;
  tile.sync();
  assert(x[t ^ 7] == 1);
  block.sync();
  assert(x[63 - t] == 1);
}

// check tile_too_small --grid 1 --block 32 --arg i32[32]=arange
// finds data-race @tile_writes @tile_reads
__global__ void tile_too_small(int* x) {
  const auto tile = cg::tiled_partition<4>(cg::this_thread_block());
  x[threadIdx.x] = 1;  // @tile_writes
  tile.sync();
  const int other = x[threadIdx.x ^ 7];  // @tile_reads
  tile.sync();
  if (other == 77) x[threadIdx.x] = 2;
}

// check coalesced --grid 1 --block 32 --arg i32[32]=arange
// clean
__global__ void coalesced(int* x) {
  if (threadIdx.x % 3 == 0) {
    const auto together = cg::coalesced_threads();
    assert(together.size() == 11 && together.thread_rank() == threadIdx.x / 3);
    assert(together.shfl(threadIdx.x, 2) == 6 && together.shfl_down(threadIdx.x, 1) == (threadIdx.x == 30 ? 30 : threadIdx.x + 3));
    assert(together.ballot(threadIdx.x < 9) == 7);
  }
}

// check partitions --grid 1 --block 32 --arg i32[32]=arange
// clean
__global__ void partitions(int* x) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const auto same = cg::labeled_partition(warp, threadIdx.x % 4);
  assert(same.size() == 8 && same.thread_rank() == threadIdx.x / 4);
  const auto odd = cg::binary_partition(warp, threadIdx.x % 2 == 1);
  assert(odd.size() == 16);
}

// check grid_group --grid 3 --block 32 --arg i32[96]
// clean
__global__ void grid_group(int* x) {
  const auto grid = cg::this_grid();
  assert(grid.num_threads() == 96 && grid.num_blocks() == 3);
  x[grid.thread_rank()] = grid.block_rank();
  grid.sync();
  assert(x[95 - grid.thread_rank()] == 2 - grid.block_rank());
}

// check early_exit_of_blocks --grid 4 --block 32 --arg i32[128]=zeros --arg i32:100
// clean
__global__ void early_exit_of_blocks(int* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  x[i] = i;
}

// check too_much_shared --grid 1 --block 1 --arg i32[3]=zeros
// fails too_much_shared uses 65536 bytes of static shared memory: a block can have at most 49152
__global__ void too_much_shared(int* x) {
  __shared__ int s[16384];
  s[0] = 1;
  x[0] = s[0];
}

__device__ const float coefficients[] = {1, 2, 4, 8};
__constant__ const int offsets[2][3] = {{0, 1, 2}, {3, 4, 5}};
__device__ constexpr double quarter = 0.25;

// check const_tables --grid 1 --block 8 --arg f32[8]
// clean
__global__ void const_tables(float* x) {
  const int t = threadIdx.x;
  x[t] = coefficients[t % 4] * offsets[t % 2][t % 3] + quarter;
  if (t == 3) assert(x[t] == 8 * 3 + 0.25f);
}

// check past_a_const_table --grid 1 --block 5 --arg f32[5]
// finds out-of-bounds @past_a_table
__global__ void past_a_const_table(float* x) {
  x[threadIdx.x] = coefficients[threadIdx.x];  // @past_a_table
}

// check macros_of_headers --grid 1 --block 256 --arg u8[256]=arange --arg i32[256]
// clean
#include <limits.h>
__global__ void macros_of_headers(const unsigned char* x, int* count) {
  __shared__ int seen[UCHAR_MAX + 1];
  seen[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&seen[x[threadIdx.x]], 1);
  __syncthreads();
  count[threadIdx.x] = seen[threadIdx.x];
  assert(sizeof seen == 1024);
}

// check line_after_a_macro --grid 1 --block 2 --arg i32[1]
// notes data-race @after_a_macro
__global__ void line_after_a_macro(int* x) {
  __shared__ int s[UCHAR_MAX
                   + 1];
  s[threadIdx.x] = 0;
  x[0] = s[threadIdx.x];  // @after_a_macro
}

struct __align__(16) aligned_pair { float a, b; };

// check aligned_shared --grid 1 --block 32 --shared 1024 --arg f32[128]=arange --arg f32[128]
// clean
__device__ __align__(16) float aligned_of_module[128];
__global__ void aligned_shared(const float4* x, float4* y) {
  extern __shared__ __align__(16) unsigned char dynamic_bytes[];
  __shared__ __align__(16) float before[128];
  __align__(16) __shared__ float first[128];
  __shared__ float __align__(16) after[128];
  __shared__ alignas(8 * 2) float plain[128];
  __shared__ aligned_pair pairs[32];
  const int t = threadIdx.x;
  float4* const copy = reinterpret_cast<float4*>(dynamic_bytes);
  copy[t] = x[t];
  reinterpret_cast<float4*>(before)[t] = copy[t];
  reinterpret_cast<float4*>(first)[t] = reinterpret_cast<float4*>(before)[t];
  reinterpret_cast<float4*>(after)[t] = reinterpret_cast<float4*>(first)[t];
  reinterpret_cast<float4*>(plain)[t] = reinterpret_cast<float4*>(after)[t];
  reinterpret_cast<float4*>(aligned_of_module)[t] = reinterpret_cast<float4*>(plain)[t];
  pairs[t].a = 1;
  y[t] = reinterpret_cast<float4*>(aligned_of_module)[t];
}

template <class T, int N>
__global__ void __launch_bounds__(2 * N, 1) bounded_template(T* x) {
  x[threadIdx.x] = N;
}
template __global__ void bounded_template<float, 32>(float*);

// check bounded_template<float,32> --grid 1 --block 64 --arg f32[64]
// clean
// check bounded_template<float,32> --grid 1 --block 65 --arg f32[65]
// fails allows 64

// check bounded_by_an_expression --grid 1 --block 256 --arg i32[256]
// clean
// check bounded_by_an_expression --grid 1 --block 257 --arg i32[257]
// fails allows 256
__global__ void __launch_bounds__(4 * (32 + 32)) bounded_by_an_expression(int* x) {
  x[threadIdx.x] = 0;
}

// check one_of_a_group --grid 1 --block 64 --arg i32[2]=zeros
// clean
__global__ void one_of_a_group(int* x) {
  const auto block = cooperative_groups::this_thread_block();
  const auto warp = cooperative_groups::tiled_partition<32>(block);
  cooperative_groups::invoke_one(block, [=] { x[0] = 7; });
  assert(cooperative_groups::invoke_one_broadcast(warp, [=] { return atomicAdd(x + 1, 1); }) < 2);
  block.sync();
  assert(x[0] == 7 && x[1] == 2);
}

// check wide_shifts --grid 1 --block 1 --arg u32[8] --arg u32:0xff --arg i32:32 --arg i32:-1
// finds wide-shift @left_of_32 3 times
// finds wide-shift @right_of_32
// finds wide-shift @right_of_64
// finds wide-shift @shifts_itself
__global__ void wide_shifts(unsigned* out, unsigned x, int n, int minus_one) {
  const unsigned left = x << n;  // @left_of_32
  const int right = minus_one >> n;  // @right_of_32
  const unsigned long long wide = 0x8000000000000000ull >> (n + n);  // @right_of_64
  unsigned own = x;
  own <<= n + 1;  // @shifts_itself
  assert(left == 0 && right == -1 && wide == 0 && own == 0);
  out[0] = left + right + wide + own;
}

template <class T>
struct boxed {
  T value;
};
template <int N>
__device__ boxed<boxed<int>> shifted(boxed<boxed<int>> x) {
  x.value.value >>= N;
  return x;
}

// check narrow_shifts --grid 1 --block 32 --arg i32[32]=arange --arg i32:3
// clean
__global__ void narrow_shifts(int* x, int n) {
  const int t = threadIdx.x, last = 31;
  boxed<boxed<int>> b = shifted<(1 << 2) - 1>({{t << n}});
  const unsigned long long one = 1;
  assert(b.value.value == t);
  assert((one << t + 32) >> 32 == 1u << t && (0xffu >> n << n) == 0xf8);
  assert(((t < last >> 1) ? 1 : 0) == (t < 15));
  unsigned char byte = 0x81;
  byte <<= n;
  assert(byte == 8 && (-9 >> n) == -2);
  constexpr int size = 1 << 3;
  int local[size >> 1] = {};
  enum { flag = 1 << size };
  x[t] = local[t % 4] + (flag >> t);
}

template <int N>
struct sums {
  float of[N];
  template <bool Negates>
  __device__ void store(float* out) const {
    out[threadIdx.x] = Negates ? -of[threadIdx.x] : of[threadIdx.x];  // @out_of_the_sums
  }
  static __device__ void run(float* x) {
    __shared__ sums<N> s, *kept;
    s.of[threadIdx.x] = x[threadIdx.x];  // @into_the_sums
    if (threadIdx.x == 0) kept = &s;
    __syncthreads();
    s.store<true>(x);
    kept->template store<false>(x);
  }
};

// check 'dependent_shared<32>' --grid 1 --block 32 --arg f32[32]=arange
// clean
// check 'dependent_shared<16>' --grid 1 --block 32 --arg f32[32]=arange
// finds out-of-bounds @into_the_sums
// finds out-of-bounds @out_of_the_sums
template <int N>
__global__ void dependent_shared(float* x) {
  sums<N>::run(x);
}

// Names that CUDA has taken back are the source's.
__device__ float4 __shfl_down(float4 v, unsigned by) {
  v.x = __shfl_down_sync(0xffffffff, v.x, by);
  return v;
}

// check own_shuffle --grid 1 --block 32 --arg f32[128]=arange
// clean
__global__ void own_shuffle(float4* x) {
  const float before = x[threadIdx.x].x;
  const float4 v = __shfl_down(x[threadIdx.x], 1);
  if (threadIdx.x < 31) assert(v.x == before + 4);
  x[threadIdx.x] = v;
}

struct reference_to {
  int count;
};

// check counts_by_reference --grid 2 --block 32 --arg i32[1]=zeros
// clean
__global__ void counts_by_reference(reference_to& r) {
  atomicAdd(&r.count, 1);
}

// check loses_by_reference --grid 2 --block 32 --arg i32[1]=zeros
// finds data-race @by_reference
__global__ void loses_by_reference(reference_to& r) {
  ++r.count;  // @by_reference
}
