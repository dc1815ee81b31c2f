#include "launch.h"

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

struct config {
  int n;
  float* restrict data;
};

static int check(cudaError_t error, const char* what) {
  if (error != cudaSuccess) fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  return error == cudaSuccess;
}

int main(int argc, char** argv) {
  struct config c = {.n = 4, .data = NULL};
  /* Names that C++ keeps for itself. */
  int new = 3, class = argc > 1 ? 1 : 0;
  float* h = malloc((c.n + 1) * sizeof(float));
  struct cudaDeviceProp properties;
  enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost;
  check(cudaGetDeviceProperties(&properties, 0), "properties");
  check(cudaMalloc((void**)&c.data, c.n * sizeof(float)), "malloc");
  launch(c.data, c.n);
  check(cudaMemcpy(h, c.data, (c.n + class) * sizeof(float), kind), "copy");
  printf("%g %d %d\n", h[new], properties.major, class);
  cudaFree(c.data);
  free(h);
  return 0;
}
