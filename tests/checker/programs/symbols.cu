// Variables of the device: copies to and from them, their addresses, and the host's mistakes with them.

// program
// clean
// prints 10 23 3 16 6
// program -- reads
// finds host-access @reads
// program -- writes
// finds host-access @writes
// program -- beyond
// finds invalid-copy @beyond
// prints 1
// program -- none
// finds invalid-copy @none
// prints 13
// program -- constant
// finds out-of-bounds @constant

#include <cstdio>
#include <cstring>

__constant__ float coefficients[4];
__device__ int counter = 3;
__device__ float2 pairs[2];
float of_the_host[4] = {1, 2, 3, 4};

__global__ void evaluate(float *y) {
  const float x = threadIdx.x;
  y[threadIdx.x] = coefficients[0] + x * (coefficients[1] + x * (coefficients[2] + x * coefficients[3]));
  atomicAdd(&counter, 5);
  if (threadIdx.x < 2) pairs[threadIdx.x].x = 3;
}
__global__ void changes_constant() {
  const_cast<float *>(coefficients)[threadIdx.x] = 1;  // @constant
}

int main(int argc, char **argv) {
  const auto is = [&](const char *mode) { return argc > 1 && std::strcmp(argv[1], mode) == 0; };
  float *y, result[4];
  cudaMalloc(&y, 4 * sizeof(float));
  cudaMemcpyToSymbol(coefficients, of_the_host, 2 * sizeof(float));
  cudaMemcpyToSymbol(coefficients, of_the_host + 2, 2 * sizeof(float), 2 * sizeof(float));
  evaluate<<<1, 1>>>(y);
  evaluate<<<1, 4>>>(y);
  cudaMemcpy(result, y, sizeof result, cudaMemcpyDeviceToHost);
  int count = 0;
  cudaMemcpyFromSymbol(&count, counter, sizeof count);
  float2 pair;
  void *address;
  size_t bytes;
  cudaGetSymbolAddress(&address, pairs);
  cudaGetSymbolSize(&bytes, pairs);
  cudaMemcpy(&pair, address, sizeof pair, cudaMemcpyDeviceToHost);
  int more = count - 22;
  cudaMemcpyToSymbolAsync(counter, &more, sizeof more, 0, cudaMemcpyHostToDevice, 0);
  cudaMemcpyFromSymbolAsync(&more, counter, sizeof more);
  if (argc == 1) std::printf("%g %d %g %zu %d\n", result[1], count - 5, pair.x, bytes, more);
  if (is("reads")) std::printf("%d\n", counter);  // @reads
  if (is("writes")) pairs[1].y = 3;               // @writes
  if (is("beyond")) std::printf("%d\n", cudaMemcpyToSymbol(coefficients, of_the_host, 16, 8));  // @beyond
  if (is("none")) std::printf("%d\n", cudaMemcpyToSymbol(of_the_host, result, 16));             // @none
  if (is("constant")) changes_constant<<<1, 1>>>();
  cudaFree(y);
}
