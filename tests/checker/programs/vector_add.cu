// The first program of most courses, as it is written there.

// program
// clean
// prints sum 749750
// prints 1000 elements, max error 0
// program -- 31
// clean
// prints sum 713
// program -- 1000 unguarded
// finds out-of-bounds @store @launch
// program -- 1000 unguarded --schedules
// finds out-of-bounds @store
// prints unknown word --schedules
// program -- 1000 large
// notes failed-program
// prints CUDA error at vector_add.cu:68: invalid configuration argument (cudaErrorInvalidConfiguration)
// program -- 1000 unasked
// finds unchecked-error @launch

#include <cuda_runtime.h>
#include "device_launch_parameters.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#define CHECK(call)                                                                          \
  do {                                                                                       \
    const cudaError_t error = (call);                                                        \
    if (error != cudaSuccess) {                                                              \
      std::cerr << "CUDA error at " << __FILE__ << ":" << __LINE__ << ": "                   \
                << cudaGetErrorString(error) << " (" << cudaGetErrorName(error) << ")" << std::endl; \
      exit(EXIT_FAILURE);                                                                    \
    }                                                                                        \
  } while (0)

__global__ void add(const float *a, const float *b, float *c, int n) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];  // @store
}

int main(int argc, char **argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 1000;
  const std::string mode = argc > 2 ? argv[2] : "";
  if (argc > 3) std::cout << "unknown word " << argv[3] << std::endl;
  const size_t bytes = n * sizeof(float);
  std::vector<float> a(n), b(n), c(n);
  std::mt19937 engine(42);
  std::uniform_real_distribution<float> numbers(0, 1);
  std::generate(a.begin(), a.end(), [&] { return numbers(engine) < 2 ? 0.5f : 0.0f; });
  for (int i = 0; i < n; ++i) b[i] = 1.5f * i;
  float *d_a = NULL, *d_b = NULL, *d_c = NULL;
  CHECK(cudaMalloc((void **)&d_a, bytes));
  CHECK(cudaMalloc((void **)&d_b, bytes));
  CHECK(cudaMalloc((void **)&d_c, bytes));
  CHECK(cudaMemcpy(d_a, a.data(), bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_b, b.data(), bytes, cudaMemcpyHostToDevice));
  dim3 blockDim(mode == "large" || mode == "unasked" ? 2048 : 128);
  dim3 gridDim((n + blockDim.x - 1) / blockDim.x);
  const auto begin = std::chrono::steady_clock::now();
  add<<<gridDim, blockDim>>>(d_a, d_b, d_c, mode == "unguarded" ? n + 1 : n);  // @launch
  if (mode != "unasked") CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  if (elapsed.count() < 0) return 1;
  if (mode == "unasked") return 0;
  CHECK(cudaMemcpy(c.data(), d_c, bytes, cudaMemcpyDeviceToHost));
  double sum = 0, error = 0;
  for (int i = 0; i < n; ++i) {
    sum += c[i];
    error = std::max(error, std::fabs(c[i] - (0.5 + 1.5 * i)));
  }
  std::cout << "sum " << sum << "\n" << n << " elements, max error " << error << std::endl;
  cudaFree(d_a);
  cudaFree(d_b);
  cudaFree(d_c);
}
