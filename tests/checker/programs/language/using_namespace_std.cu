// CUDA's headers behind names of the standard library that a program has made its own.
// program
// clean
#include <bits/stdc++.h>
using namespace std;
#include <cooperative_groups.h>
#include <cub/cub.cuh>
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda.h>
#include <cuda/barrier>
#include <cuda/functional>
#include <cuda/pipeline>
#include <cuda_bf16.h>
#include <cuda_fp8.h>
#include <cufft.h>
#include <curand_kernel.h>
#include <cusolverDn.h>
#include <cusolverRf.h>
#include <cusolverSp.h>
#include <cusparse.h>
#include <mma.h>
#include <nvrtc.h>
#include <thrust/device_vector.h>
__global__ void one(int* x) { *x = 1; }
const char* name(cudaEmulationMantissaControl c) {
  return c == CUDA_EMULATION_MANTISSA_CONTROL_DYNAMIC ? "dynamic" : "fixed";
}
int main() {
  int* x;
  cudaMalloc(&x, sizeof *x);
  one<<<1, 1>>>(x);
  cudaFree(x);
  return name(CUDA_EMULATION_MANTISSA_CONTROL_FIXED)[0] - 'f';
}
