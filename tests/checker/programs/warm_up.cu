// A launch on what nothing has written is worth knowing; it is a mistake unless it only warms up.

// program -- warms_up
// notes uninitialised-read @doubles
// program -- forgets
// finds uninitialised-read @doubles
// program -- follows_a_failure
// finds unchecked-error @fails: a block of 4096 threads
// notes uninitialised-read @doubles

#include <cstring>

__global__ void doubles(const float* x, float* y) {
  y[threadIdx.x] = 2 * x[threadIdx.x];  // @doubles
}
__global__ void fill(float* x) {
  x[threadIdx.x] = 1;
}

int main(int, char** words) {
  const auto is = [&](const char* mode) { return std::strcmp(words[1], mode) == 0; };
  float h[32] = {}, *x, *y;
  cudaMalloc(&x, sizeof h);
  cudaMalloc(&y, sizeof h);
  if (is("follows_a_failure")) fill<<<1, 4096>>>(x);  // @fails
  doubles<<<1, 32>>>(x, y);
  if (is("warms_up")) {
    cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice);
    doubles<<<1, 32>>>(x, y);
  }
  cudaMemcpy(h, y, sizeof h, cudaMemcpyDeviceToHost);
}
