#include "parts.hpp"

void fill(int* x, int n) {
  /* A name that C++ keeps for itself. */
  int new;
  for (new = 0; new < n; ++new) x[new] = new;
}

/* As C calls the runtime without its headers. */
int cudaSetDevice(int device);
int cudaMalloc(void** where, unsigned long bytes);
int cudaMemcpy(void* to, const void* from, unsigned long bytes, int kind);
int cudaFree(void* what);

int copy_to_device(const int* x, int n, int more) {
  void* there;
  int error = cudaSetDevice(0);
  if (error == 0) error = cudaMalloc(&there, n * sizeof(int));
  if (error == 0) error = cudaMemcpy(there, x, (n + more) * sizeof(int), 1);
  return error == 0 ? cudaFree(there) : error;
}
