// <cuda/cmath>, <cuda/bit> and <cuda/type_traits> on the host and in a kernel.
// program
// clean
// prints 4 1024 768 9 3 48 197 2147483648 1
#include <cuda/bit>
#include <cuda/cmath>
#include <cuda/type_traits>

#include <cstdio>

__global__ void numbers(unsigned* x) {
  x[0] = cuda::ceil_div(1000u, 256);
  x[1] = cuda::round_up(1000, 256u);
  x[2] = cuda::round_down(1000u, 256u);
  x[3] = cuda::ilog2(1000);
  x[4] = cuda::ilog10(1000u);
  x[5] = cuda::bitmask<unsigned>(4, 2);
  x[6] = cuda::bitfield_insert(5u, cuda::bitfield_extract(0xc0u, 6, 2), 6, 2);
  x[7] = cuda::bit_reverse(1u);
  x[8] = cuda::is_floating_point_v<__half>;
}
static_assert(cuda::ceil_div(0, 3) == 0 && cuda::bitmask<unsigned char>(0, 8) == 255, "");

int main() {
  unsigned *x, h[9];
  cudaMalloc(&x, sizeof h);
  numbers<<<1, 1>>>(x);
  cudaMemcpy(h, x, sizeof h, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 9; ++i) std::printf(i == 8 ? "%u\n" : "%u ", h[i]);
  cudaFree(x);
}
