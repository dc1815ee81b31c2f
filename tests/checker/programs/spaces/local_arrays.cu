// Local and shared memory of a kernel that launches another: the other does not reach it.

// program -- global
// clean
// prints 7
// program -- local
// finds foreign-address @launches_local: local memory
// program -- shared
// finds foreign-address @launches_shared: shared memory

#include <cstdio>
#include <cstring>

__device__ int on_device[2] = {5, 6};

__global__ void child(int *p, int *out) {
  p[1] += 1;
  *out = p[1];
}
__global__ void parent(int *out, int which) {
  int mine[2] = {5, 6};
  __shared__ int ours[2];
  mine[threadIdx.x] += *out;
  ours[0] = ours[1] = mine[1];
  if (which == 0) child<<<1, 1>>>(on_device, out);
  if (which == 1) child<<<1, 1>>>(mine, out);  // @launches_local
  if (which == 2) child<<<1, 1>>>(ours, out);  // @launches_shared
}

int main(int, char **words) {
  int *out, h = 0;
  cudaMalloc(&out, sizeof h);
  cudaMemset(out, 0, sizeof h);
  parent<<<1, 1>>>(out, std::strcmp(words[1], "local") == 0 ? 1 : std::strcmp(words[1], "shared") == 0 ? 2 : 0);
  cudaMemcpy(&h, out, sizeof h, cudaMemcpyDeviceToHost);
  std::printf("%d\n", h);
  cudaFree(out);
}
