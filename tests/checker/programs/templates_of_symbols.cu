// Variables of the device that are templates.

// program -- clean
// clean
// prints 2.5 7
// program -- beyond
// finds invalid-copy @beyond
// program -- of_the_host
// finds invalid-copy @of_the_host

#include <cstdio>
#include <cstring>

template <class T>
__constant__ T mask[4];
namespace inner {
template <class T, int N>
__device__ T total[N];
}
template <class T>
T not_on_the_device[4];

template <class T>
__global__ void sums(T* x) {
  x[threadIdx.x] = mask<T>[threadIdx.x];
  if (threadIdx.x == 0) inner::total<T, 2>[1] = mask<T>[2] + mask<T>[3];
}

template <class T>
void run(bool is_beyond) {
  T h[5] = {1, 2, 2.5, 4.5, 5}, total;
  T* x;
  cudaMalloc(&x, 4 * sizeof(T));
  cudaMemcpyToSymbol(mask<T>, h, (is_beyond ? 5 : 4) * sizeof(T));  // @beyond
  sums<<<1, 4>>>(x);
  cudaMemcpy(h, x, 4 * sizeof(T), cudaMemcpyDeviceToHost);
  cudaMemcpyFromSymbol(&total, inner::total<T, 2>, sizeof(T), sizeof(T));
  std::printf("%g %g\n", h[2], total);
  cudaFree(x);
}

int main(int, char** words) {
  float h[4] = {};
  if (std::strcmp(words[1], "of_the_host") == 0) cudaMemcpyToSymbol(not_on_the_device<float>, h, 16);  // @of_the_host
  run<float>(std::strcmp(words[1], "beyond") == 0);
}
