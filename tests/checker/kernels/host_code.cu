// Kernels of a file that has the host's part, too: it compiles, and only the kernels are run.

#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

#define CHECK(call)                                                             \
  do {                                                                          \
    const cudaError_t status = (call);                                          \
    if (status != cudaSuccess) {                                                \
      std::printf("%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status)); \
      return 1;                                                                 \
    }                                                                           \
  } while (false)

// check scale --grid 2 --block 32 --arg f32[64]=arange --arg f32:2 --arg i32:64
// clean
__global__ void scale(float* x, float by, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= by;
}

// check 'fill<int>' --grid 2 --block 32 --arg i32[64] --arg i32:3
// clean
namespace detail {
template <class T>
__global__ void fill(T* x, T value) {
  x[blockIdx.x * blockDim.x + threadIdx.x] = value;
}
}  // namespace detail

// check shifts --grid 1 --block 64 --arg f32[64]=arange
// finds data-race @shifts
__global__ void shifts(float* x) {
  if (threadIdx.x < 63) x[threadIdx.x] = x[threadIdx.x + 1];  // @shifts
}

// Names of a program's own that begin as those of what is refused do, or are used for something else.
// check sampled --grid 1 --block 4 --arg f32[4]=arange
// clean
__device__ float tex2D_bilinear(const float* x, int i) {
  return x[i];
}
__device__ void surf2Dwrite_clamped(float v, float* x, int i) {
  x[i] = v;
}
struct image {
  __device__ const float* texture(const float* x) const { return x; }
  void barrier_wait() {}
};
__global__ void sampled(float* x) {
  surf2Dwrite_clamped(tex2D_bilinear(image().texture(x), threadIdx.x), x, threadIdx.x);
}

int main() {
  image().barrier_wait();
  const int n = 64;
  std::vector<float> host(n, 1.0f);
  float* x = nullptr;
  CHECK(cudaMalloc(&x, n * sizeof(float)));
  CHECK(cudaMemcpy(x, host.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  scale<<<(n + 31) / 32, 32>>>(x, 2.0f, n);
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  detail::fill<float><<<dim3(2), dim3(32), 0, stream>>>(x, 1.0f);
  detail::fill<<<2, 32>>>(x, 1.0f);
  shifts<<<1, n, n * sizeof(float)>>>(x);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(x));
  return 0;
}
