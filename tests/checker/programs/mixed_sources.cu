// Sources as large programs have them: variables that are named as libraries name functions, guards of CUDA's headers, the
// standard library in kernels, and files of C++ that include what is of CUDA late.

// program mixed_sources/records.cpp mixed_sources/driver.cpp -- clean
// clean
// prints 45 131072 60 1 2 1
// program mixed_sources/records.cpp mixed_sources/driver.cpp -- races
// finds data-race @adds of total
#include <cublas_v2.h>
#include <cuda.h>
#include <cuda/std/functional>
#include <cuda/std/limits>
#include <cuda/std/type_traits>
#include <curand.h>
#include <nvrtc.h>

#include "mixed_sources/records.hpp"

#include <cstdio>
#include <cstring>

#if !defined(CUBLAS_API_H_) || !defined(CURAND_H_) || !defined(__NVRTC_H__) || !defined(__cuda_cuda_h__)
#error "headers of others ask for these"
#endif

template <class T>
__device__ __forceinline__ T doubled(T x) {
  return x + x;
}
template <>
__device__ __forceinline__ int doubled<int>(int x) {
  return 2 * x;
}

__global__ void add(int* total, const int* x, bool races) {
  static_assert(cuda::std::is_same_v<cuda::std::remove_const_t<const int>, int>);
  static_assert(cuda::std::identity()(3) == 3 && cuda::std::bit_cast<unsigned>(1.0f) == 0x3f800000);
  static_assert(cuda::std::is_same_v<cuda::std::remove_cvref_t<const int&>, cuda::std::type_identity<int>::type>);
  const int sum = cuda::std::plus<int>()(doubled(x[threadIdx.x]), cuda::std::numeric_limits<int>::min() >> 31);
  if (races) {
    *total += sum + 1;  // @adds
  } else {
    atomicAdd(total, sum + 1);
  }
}

int main(int, char** words) {
  CUdevice cuDevice = 1;
  CUmodule cuModules[2] = {};
  CUmodule* cuModule = cuModules;
  const curandStatus_t curandResult = CURAND_STATUS_NOT_INITIALIZED;
  // What the device reads alone may be constant to its owner.
  const int* x;
  int* total;
  cudaMalloc(&x, 4 * sizeof(int));
  cudaMalloc(&total, sizeof(int));
  const int own[] = {6, 7, 8, 9};
  cudaMemcpy(const_cast<int*>(x), own, sizeof own, cudaMemcpyHostToDevice);
  cudaMemset(total, 0, sizeof(int));
  add<<<1, 4>>>(total, x, std::strcmp(words[1], "races") == 0);
  int sum;
  cudaMemcpy(&sum, total, sizeof sum, cudaMemcpyDeviceToHost);
  if (std::strcmp(words[1], "races") != 0)
    std::printf("%d %d %d %d %d %d\n", sum_of_counts(10), widest_texture(), sum, static_cast<int>(cuDevice + (cuModule[1] == nullptr ? 0 : 1)),
                curandResult != CURAND_STATUS_SUCCESS ? 2 : 0, number_of_devices());
}
