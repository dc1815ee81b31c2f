// Functions that both sides call, halves, headers of a course, and a driver that only includes them.

// program -I include -D SCALE=3 --std c++17
// clean
// prints 12 2.5 9.0 1 6.5 Heddle checker (CPU) 9 1 32
// program -I include
// fails on_both_sides.cu:20:

#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math_constants.h>

#include "both_sides.h"

#include <cstdio>
#include <iostream>

using namespace std;

__constant__ int scale = SCALE;

struct particle {
  float3 at, speed;
  __host__ __device__ void move(float dt) {
    at.x += dt * speed.x;
    at.y += dt * speed.y;
  }
};

__global__ void moves(particle *p, float dt) { p[threadIdx.x].move(dt); }
__global__ void halves(__half *x) { x[threadIdx.x] = __hadd(x[threadIdx.x], __float2half(0.5f)); }
__global__ void scales(int *x) { x[threadIdx.x] = times(x[threadIdx.x], scale); }
__global__ void minima(float *x) { x[threadIdx.x] = max(min(x[threadIdx.x], 6.5f), -CUDART_INF_F); }

int main() {
  int n = 4, x[4] = {4, 4, 4, 4}, *d_x;
  cudaMalloc(&d_x, sizeof x);
  cudaMemcpy(d_x, x, sizeof x, cudaMemcpyHostToDevice);
  scales<<<1, n>>>(d_x);
  cudaMemcpy(x, d_x, sizeof x, cudaMemcpyDeviceToHost);
  particle p[2] = {{{1, 2, 3}, {1, 1, 1}}, {{0, 0, 0}, {2, 2, 2}}}, *d_p;
  cudaMalloc((void **)&d_p, sizeof p);
  cudaMemcpy(d_p, p, sizeof p, cudaMemcpyHostToDevice);
  moves<<<1, 2>>>(d_p, 1.0f);
  cudaMemcpy(p, d_p, sizeof p, cudaMemcpyDeviceToHost);
  p[0].move(0.5f);
  __half h[2] = {__float2half(2.0f), __float2half(8.5f)}, *d_h;
  cudaMalloc(&d_h, sizeof h);
  cudaMemcpy(d_h, h, sizeof h, cudaMemcpyHostToDevice);
  halves<<<1, 2>>>(d_h);
  cudaMemcpy(h, d_h, sizeof h, cudaMemcpyDeviceToHost);
  float y = 100, *d_y;
  cudaMalloc(&d_y, sizeof y);
  cudaMemcpy(d_y, &y, sizeof y, cudaMemcpyHostToDevice);
  minima<<<1, 1>>>(d_y);
  cudaMemcpy(&y, d_y, sizeof y, cudaMemcpyDeviceToHost);
  cudaDeviceProp properties;
  cudaGetDeviceProperties(&properties, 0);
  int major, count;
  cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0);
  cudaGetDeviceCount(&count);
  printf("%d %g %.1f %d %g %s %d %d %d\n", x[3], p[0].at.x, __half2float(h[1]), max(n, 1) == times(n, 1), y,
         properties.name, major, count, properties.warpSize);
  cudaFree(d_x), cudaFree(d_p), cudaFree(d_h), cudaFree(d_y);
  return EXIT_SUCCESS;
}
