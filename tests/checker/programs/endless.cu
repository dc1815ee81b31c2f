// Programs that are stopped after a time: what was found until then is told.

// program --stop-after 3 -- in_kernel
// finds data-race @races of x
// prints begun
// program --stop-after 3 --budget 1 -- in_kernel
// finds data-race @races of x
// program --stop-after 3 -- in_loop
// finds data-race @races of x
// program --stop-after 3 -- between
// finds data-race @races of x
// program --stop-after 3 --leak-check -- on_host
// finds data-race @races of x
// program --stop-after 1000 -- not_at_all
// finds data-race @races of x
// prints ended
#include <cstdio>
#include <cstring>

__global__ void exchange(int* x) {
  x[threadIdx.x] = x[threadIdx.x ^ 1];  // @races
}
__global__ void fill(int* x, long long times) {
  for (long long i = 0; i < times; ++i) x[blockIdx.x * blockDim.x + threadIdx.x] = static_cast<int>(i);
}
__global__ void wait(int* x, long long times) {
  volatile long long i = 0;
  while (i < times) i = i + 1;
  *x = 0;
}

int main(int, char** words) {
  const auto is = [&](const char* what) { return std::strcmp(words[1], what) == 0; };
  int* x;
  cudaMalloc(&x, 1024 * sizeof(int));
  cudaMemset(x, 0, 1024 * sizeof(int));
  exchange<<<1, 32>>>(x);
  std::puts("begun");
  const long long for_ever = 1LL << 60;
  if (is("in_kernel")) fill<<<4, 256>>>(x, for_ever);
  if (is("in_loop")) wait<<<1, 1>>>(x, for_ever);
  while (is("between")) fill<<<4, 256>>>(x, 10);
  volatile bool goes_on = is("on_host");
  while (goes_on) {
  }
  cudaFree(x);
  std::puts("ended");
  return cudaGetLastError() == cudaSuccess ? 0 : 1;
}
