// Matrices of warps in inline PTX, against loops over the same numbers.

#include <cuda_bf16.h>
#include <cuda_fp16.h>

/// Small numbers, of which sums of products are exact in every type.
__device__ int element_a(int row, int k) { return (3 * row + 5 * k) % 7 - 3; }
__device__ int element_b(int k, int column) { return (2 * k + 7 * column) % 5 - 2; }
__device__ int element_c(int row, int column) { return row - 2 * column; }
__device__ int expected(int row, int column, int length) {
  int sum = element_c(row, column);
  for (int k = 0; k < length; ++k) sum += element_a(row, k) * element_b(k, column);
  return sum;
}
__device__ unsigned shared_address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

// check half_in_float --grid 1 --block 64
// clean
__global__ void half_in_float() {
  __shared__ __align__(16) __half all_a[2][16][16], all_b[2][8][16];
  auto& a = all_a[threadIdx.x / 32];
  auto& b = all_b[threadIdx.x / 32];
  const int lane = threadIdx.x % 32, group = lane / 4, pair = lane % 4 * 2;
  for (int i = lane; i < 256; i += 32) a[i / 16][i % 16] = __float2half(element_a(i / 16, i % 16));
  for (int i = lane; i < 128; i += 32) b[i / 16][i % 16] = __float2half(element_b(i % 16, i / 16));
  __syncwarp();
  unsigned x[4], y[2];
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
               : "r"(shared_address(&a[lane % 16][lane / 16 * 8])));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
               : "=r"(y[0]), "=r"(y[1])
               : "r"(shared_address(&b[lane % 8][lane / 8 % 2 * 8])));
  float d[4], c[4];
  for (int i = 0; i < 4; ++i) c[i] = element_c(group + i / 2 * 8, pair + i % 2);
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"
      : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
      : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]), "f"(c[0]), "f"(c[1]), "f"(c[2]), "f"(c[3]));
  for (int i = 0; i < 4; ++i) assert(d[i] == expected(group + i / 2 * 8, pair + i % 2, 16));
}

/// Two numbers of 16 bits in a register.
template <class T>
__device__ unsigned packed(T low, T high) {
  unsigned short bits[2];
  memcpy(&bits[0], &low, 2);
  memcpy(&bits[1], &high, 2);
  return bits[0] | static_cast<unsigned>(bits[1]) << 16;
}

// check half_in_half --grid 1 --block 32
// clean
__global__ void half_in_half() {
  const int group = threadIdx.x / 4, pair = threadIdx.x % 4 * 2;
  const auto of_a = [&](int row) {
    return packed(__float2half(element_a(row, pair)), __float2half(element_a(row, pair + 1)));
  };
  const unsigned y = packed(__float2half(element_b(pair, group)), __float2half(element_b(pair + 1, group)));
  unsigned c[2], d[2];
  for (int i = 0; i < 2; ++i)
    c[i] = packed(__float2half(element_c(group + 8 * i, pair)), __float2half(element_c(group + 8 * i, pair + 1)));
  asm("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3}, {%4}, {%5, %6};"
      : "=r"(d[0]), "=r"(d[1])
      : "r"(of_a(group)), "r"(of_a(group + 8)), "r"(y), "r"(c[0]), "r"(c[1]));
  for (int i = 0; i < 2; ++i) {
    const int row = group + 8 * i;
    assert(d[i] == packed(__float2half(expected(row, pair, 8)), __float2half(expected(row, pair + 1, 8))));
  }
}

// check bfloat16 --grid 1 --block 32
// clean
__global__ void bfloat16() {
  const int group = threadIdx.x / 4, pair = threadIdx.x % 4 * 2;
  const auto of_a = [&](int row) {
    return packed(__float2bfloat16(element_a(row, pair)), __float2bfloat16(element_a(row, pair + 1)));
  };
  const unsigned y = packed(__float2bfloat16(element_b(pair, group)), __float2bfloat16(element_b(pair + 1, group)));
  float d[4];
  for (int i = 0; i < 4; ++i) d[i] = element_c(group + i / 2 * 8, pair + i % 2);
  asm("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(of_a(group)), "r"(of_a(group + 8)), "r"(y));
  for (int i = 0; i < 4; ++i) assert(d[i] == expected(group + i / 2 * 8, pair + i % 2, 8));
}

// check tf32 --grid 1 --block 32
// clean
__global__ void tf32() {
  const int group = threadIdx.x / 4, in_group = threadIdx.x % 4, pair = in_group * 2;
  unsigned a[4], b[2];
  // The last bits do not count.
  for (int i = 0; i < 4; ++i) a[i] = __float_as_uint(element_a(group + i % 2 * 8, in_group + i / 2 * 4)) | (i * 5u);
  for (int i = 0; i < 2; ++i) b[i] = __float_as_uint(element_b(in_group + 4 * i, group));
  float d[4];
  for (int i = 0; i < 4; ++i) d[i] = element_c(group + i / 2 * 8, pair + i % 2);
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  for (int i = 0; i < 4; ++i) assert(d[i] == expected(group + i / 2 * 8, pair + i % 2, 8));
}

// check bytes --grid 1 --block 32
// clean
__global__ void bytes() {
  const int group = threadIdx.x / 4, first = threadIdx.x % 4 * 4, pair = threadIdx.x % 4 * 2;
  unsigned a[4] = {}, b[2] = {};
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) a[i] |= (element_a(group + i % 2 * 8, i / 2 * 16 + first + j) & 255u) << (8 * j);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 4; ++j) b[i] |= (element_b(i * 16 + first + j, group) & 255u) << (8 * j);
  int c[4], d[4], e[4];
  for (int i = 0; i < 4; ++i) c[i] = element_c(group + i / 2 * 8, pair + i % 2);
  asm("mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"
      : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]));
  asm("mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %8, %9, %10};"
      : "=r"(e[0]), "=r"(e[1]), "=r"(e[2]), "=r"(e[3])
      : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]));
  for (int i = 0; i < 4; ++i) {
    assert(d[i] == expected(group + i / 2 * 8, pair + i % 2, 32));
    assert(e[i] == expected(group + i / 2 * 8, pair + i % 2, 16));
  }
}

// check doubles --grid 1 --block 32
// clean
__global__ void doubles() {
  const int group = threadIdx.x / 4, in_group = threadIdx.x % 4, pair = in_group * 2;
  const double a = element_a(group, in_group), b = element_b(in_group, group);
  double c[2] = {static_cast<double>(element_c(group, pair)), static_cast<double>(element_c(group, pair + 1))}, d[2];
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%4, %5};"
      : "=d"(d[0]), "=d"(d[1])
      : "d"(a), "d"(b), "d"(c[0]), "d"(c[1]));
  for (int i = 0; i < 2; ++i) assert(d[i] == expected(group, pair + i, 4));
}

// check transposed_and_back --grid 1 --block 32
// clean
__global__ void transposed_and_back() {
  __shared__ __align__(16) unsigned short from[8][8], to[8][8], back[8][8];
  const int lane = threadIdx.x;
  for (int i = lane; i < 64; i += 32) from[i / 8][i % 8] = i;
  __syncwarp();
  unsigned x;
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];" : "=r"(x) : "r"(shared_address(from[lane % 8])));
  assert((x & 0xffff) == lane % 4 * 2 * 8 + lane / 4 && x >> 16 == (lane % 4 * 2 + 1) * 8 + lane / 4);
  asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(shared_address(to[lane % 8])), "r"(x) : "memory");
  asm volatile("stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%0], {%1};" ::"r"(shared_address(back[lane % 8])), "r"(x)
               : "memory");
  __syncwarp();
  for (int i = lane; i < 64; i += 32) assert(to[i / 8][i % 8] == i % 8 * 8 + i / 8 && back[i / 8][i % 8] == i);
}

// check loads_what_others_write --grid 1 --block 32
// finds data-race @writes_rows @loads_rows of rows
__global__ void loads_what_others_write() {
  __shared__ __align__(16) __half rows[8][8];
  for (int i = threadIdx.x; i < 64; i += 32) rows[i / 8][i % 8] = __float2half(i);  // @writes_rows
  unsigned x;
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(x) : "r"(shared_address(rows[threadIdx.x % 8])));  // @loads_rows
}

// check misaligned_rows --grid 1 --block 32
// finds misuse @misaligned_row: ldmatrix: the address of a row has to be a multiple of 16 bytes
__global__ void misaligned_rows() {
  __shared__ __align__(16) __half rows[9][8];
  for (int i = threadIdx.x; i < 72; i += 32) rows[i / 8][i % 8] = __float2half(i);
  __syncwarp();
  unsigned x;
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(x) : "r"(shared_address(&rows[threadIdx.x % 8][1])));  // @misaligned_row
}

// check half_a_warp --grid 1 --block 16
// finds misuse @half_multiplies: mma: all 32 lanes of a warp multiply together
__global__ void half_a_warp() {
  double d[2];
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%4, %5};"  // @half_multiplies
      : "=d"(d[0]), "=d"(d[1])
      : "d"(1.0), "d"(1.0), "d"(1.0), "d"(1.0));
}
