// Code that <nv/target> chooses: of the host, and of a GPU of compute capability 9.0.
// program
// clean
// prints host 0 device 90 2
#include <nv/target>

#include <cstdio>

__host__ __device__ constexpr int capability() {
  NV_DISPATCH_TARGET(NV_PROVIDES_SM_100, (return 100;), NV_PROVIDES_SM_90, (return 90;), NV_IS_DEVICE, (return 1;))
  return 0;
}
__host__ __device__ int side() {
  NV_IF_ELSE_TARGET(NV_IS_DEVICE, (int d = 2; return d;), (return 1;))
}
__global__ void ask(int* x) {
  x[0] = capability();
  NV_IF_TARGET(NV_IS_DEVICE, (x[1] = side();))
}

int main() {
  int *x, h[2];
  cudaMalloc(&x, sizeof h);
  ask<<<1, 1>>>(x);
  cudaMemcpy(h, x, sizeof h, cudaMemcpyDeviceToHost);
  std::printf("host %d device %d %d\n", capability(), h[0], h[1]);
  cudaFree(x);
  return side() - 1;
}
