// Products of matrices by warps: values against plain loops, and who has to come to them.

#include <cuda_bf16.h>
#include <mma.h>
using namespace nvcuda;

/// Small whole numbers, so that every sum is exact; different at each place.
__device__ int entry(int row, int column, int of) {
  return (3 * row + 5 * column + 7 * of + row * column) % 11 - 5;
}

/// One warp multiplies, and compares with sums of its own in double.
template <int M, int N, int K, class T, class Stored, class Sum, class LayoutA, class LayoutB>
__device__ void multiplies_right(wmma::layout_t layout_c) {
  __shared__ alignas(32) Stored a[M * K], b[K * N];
  __shared__ alignas(32) Sum c[M * N], d[M * N];
  constexpr bool a_by_rows = std::is_same_v<LayoutA, wmma::row_major>, b_by_rows = std::is_same_v<LayoutB, wmma::row_major>;
  const int lane = threadIdx.x;
  constexpr int offset = std::is_same_v<Stored, unsigned char> ? 5 : 0;
  for (int i = lane; i < M * K; i += 32) a[a_by_rows ? i : i % K * M + i / K] = static_cast<Stored>(static_cast<float>(entry(i / K, i % K, 1) + offset));
  for (int i = lane; i < K * N; i += 32) b[b_by_rows ? i : i % N * K + i / N] = static_cast<Stored>(static_cast<float>(entry(i / N, i % N, 2) + offset));
  const bool c_by_rows = layout_c == wmma::mem_row_major;
  for (int i = lane; i < M * N; i += 32) c[c_by_rows ? i : i % N * M + i / N] = static_cast<Sum>(static_cast<float>(entry(i / N, i % N, 3)));
  __syncwarp();
  wmma::fragment<wmma::matrix_a, M, N, K, T, LayoutA> fa;
  wmma::fragment<wmma::matrix_b, M, N, K, T, LayoutB> fb;
  wmma::fragment<wmma::accumulator, M, N, K, Sum> fc, fd;
  wmma::load_matrix_sync(fa, a, a_by_rows ? K : M);
  wmma::load_matrix_sync(fb, b, b_by_rows ? N : K);
  wmma::load_matrix_sync(fc, c, c_by_rows ? N : M, layout_c);
  wmma::mma_sync(fd, fa, fb, fc);
  for (int i = 0; i < fd.num_elements; ++i) fd.x[i] = fd.x[i] + fd.x[i];
  wmma::store_matrix_sync(d, fd, N, wmma::mem_row_major);
  __syncwarp();
  for (int i = lane; i < M * N; i += 32) {
    double sum = entry(i / N, i % N, 3);
    for (int j = 0; j < K; ++j) sum += static_cast<double>(entry(i / N, j, 1) + offset) * (entry(j, i % N, 2) + offset);
    assert(static_cast<double>(static_cast<float>(d[i])) == 2 * sum);
  }
}

// check halves --grid 1 --block 32
// clean
__global__ void halves() {
  using row = wmma::row_major;
  using col = wmma::col_major;
  multiplies_right<16, 16, 16, __half, __half, float, row, col>(wmma::mem_row_major);
  multiplies_right<16, 16, 16, __half, __half, float, col, row>(wmma::mem_col_major);
  multiplies_right<32, 8, 16, __half, __half, float, row, row>(wmma::mem_row_major);
  multiplies_right<8, 32, 16, __half, __half, __half, col, col>(wmma::mem_col_major);
}

// check other_types --grid 1 --block 32
// clean
__global__ void other_types() {
  using row = wmma::row_major;
  using col = wmma::col_major;
  multiplies_right<16, 16, 16, __nv_bfloat16, __nv_bfloat16, float, row, col>(wmma::mem_row_major);
  multiplies_right<32, 8, 16, signed char, signed char, int, row, col>(wmma::mem_row_major);
  multiplies_right<16, 16, 16, unsigned char, unsigned char, int, row, row>(wmma::mem_col_major);
  multiplies_right<16, 16, 8, wmma::precision::tf32, float, float, row, col>(wmma::mem_row_major);
  multiplies_right<8, 8, 4, double, double, double, row, col>(wmma::mem_row_major);
}

// check elements --grid 1 --block 32
// clean
__global__ void elements() {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 32, 8, 16, signed char, wmma::row_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
  static_assert(a.num_elements == 16 && b.num_elements == 4 && c.num_elements == 8);
  wmma::fill_fragment(c, 2.5f);
  for (float x : c.x) assert(x == 2.5f);
  assert(wmma::__float_to_tf32(1.0f + 0x1p-11f) == 1.0f + 0x1p-10f);
}

/// C[m][n] by a warp for each tile of 16 x 16.
// check product --grid 2,2 --block 32 --arg f16[1024]=arange --arg f16[1024]=arange --arg f32[1024]
// clean
__global__ void product(const __half* a, const __half* b, float* c) {
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  for (int k = 0; k < 32; k += 16) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> fb;
    wmma::load_matrix_sync(fa, a + 16 * 32 * blockIdx.y + k, 32);
    wmma::load_matrix_sync(fb, b + 32 * k + 16 * blockIdx.x, 32);
    wmma::mma_sync(sum, fa, fb, sum);
  }
  wmma::store_matrix_sync(c + 16 * 32 * blockIdx.y + 16 * blockIdx.x, sum, 32, wmma::mem_row_major);
}

// check overlapping_tiles --grid 2 --block 32 --arg f32[384]
// finds data-race @stored of c
__global__ void overlapping_tiles(float* c) {
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, static_cast<float>(blockIdx.x));
  wmma::store_matrix_sync(c + 8 * 16 * blockIdx.x, sum, 16, wmma::mem_row_major);  // @stored
}

// check stored_before_it_is_read --grid 1 --block 64 --arg f16[256]=zeros
// finds data-race @filled @loaded of s
__global__ void stored_before_it_is_read(const __half* x) {
  __shared__ alignas(32) __half s[256];
  for (int i = threadIdx.x; i < 256; i += 64) s[i] = x[i];  // @filled
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> f;
  wmma::load_matrix_sync(f, s, 16);  // @loaded
}

// check half_a_warp --grid 1 --block 32 --arg f16[256]=zeros
// finds misuse @half_of_it: all 32 lanes
__global__ void half_a_warp(const __half* x) {
  if (threadIdx.x >= 16) return;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> f;
  wmma::load_matrix_sync(f, x, 16);  // @half_of_it
}

// check misaligned --grid 1 --block 32 --arg f16[512]=zeros
// finds misuse @misaligned: multiple of 32 bytes
__global__ void misaligned(const __half* x) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> f;
  wmma::load_matrix_sync(f, x + 8, 16);  // @misaligned
}

// check bytes --grid 1 --block 32 --arg u8[256]=zeros
// clean
// check misaligned_bytes --grid 1 --block 32 --arg u8[512]=zeros
// finds misuse @misaligned_bytes: multiple of 8 bytes
__global__ void bytes(const unsigned char* x) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, unsigned char, wmma::row_major> f;
  wmma::load_matrix_sync(f, x, 16);
}
__global__ void misaligned_bytes(const unsigned char* x) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, unsigned char, wmma::row_major> f;
  wmma::load_matrix_sync(f, x + 8, 16);
  wmma::load_matrix_sync(f, x + 4, 16);  // @misaligned_bytes
}

// check wrong_distance --grid 1 --block 32 --arg f16[512]=zeros
// finds misuse @distance: 8 of half
__global__ void wrong_distance(const __half* x) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> f;
  wmma::load_matrix_sync(f, x, 20);  // @distance
}

// check past_a_matrix --grid 1 --block 32 --arg f32[240]=zeros
// finds out-of-bounds @past of x
__global__ void past_a_matrix(const float* x) {
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> f;
  wmma::load_matrix_sync(f, x, 16, wmma::mem_row_major);  // @past
  assert(f.x[0] == 0);
}
