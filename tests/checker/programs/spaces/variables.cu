// Addresses of the device's variables: the host has others than the device.

// program
// clean
// prints 2 3 7 12 4
// program -- argument
// finds out-of-bounds @reads @launches: the address that the host has of weights
// program -- member
// finds out-of-bounds @reads_member: the address that the host has of weights
// program -- copy
// finds invalid-copy @copies: cudaMemcpyToSymbol
// prints error 1
// program -- copy_back
// finds invalid-copy @copies_back: cudaMemcpyFromSymbol
// program -- fill
// finds invalid-copy @fills: cudaGetSymbolAddress
// program -- value
// finds host-access @value
// program --devices 2 -- argument
// finds out-of-bounds @reads @launches: the address that the host has of weights

#include <cstdio>
#include <cstring>
#include <vector>

__constant__ float weights[4];
namespace tables {
__device__ float table[4];
__device__ int counter;
}  // namespace tables
__managed__ int shared_by_all;

struct parameters {
  const float *w;
  int n;
};
__global__ void apply(float *y, const float *w) { y[threadIdx.x] = w[threadIdx.x]; }         // @reads
__global__ void apply_member(float *y, parameters p) { y[threadIdx.x] = p.w[threadIdx.x]; }  // @reads_member
__global__ void tabulate() { tables::table[threadIdx.x] = weights[threadIdx.x] + 1; }
__global__ void add(int *n) { ++*n; }

template <class T>
void upload(T &symbol, const float *from) {
  cudaMemcpyToSymbol(symbol, from, sizeof symbol);
}
/// Variables of a function may have the names of the device's.
float own(const std::vector<float> &weights, int counter) {
  const float table[2] = {weights[1], float(counter)};
  const auto sum = [&](const float *table) { return table[0] + table[1]; };
  return sum(table) + std::vector<float>(weights).size();
}

int main(int count, char **words) {
  const auto is = [&](const char *mode) { return count > 1 && std::strcmp(words[1], mode) == 0; };
  const float h[4] = {1, 2, 3, 4};
  float *y, r[4];
  cudaMalloc(&y, sizeof r);
  upload(weights, h);
  float *w = nullptr;
  int *n;
  cudaGetSymbolAddress((void **)&w, weights);
  cudaGetSymbolAddress(reinterpret_cast<void **>(&n), tables::counter);
  apply<<<1, 4>>>(y, w);
  tabulate<<<1, 4>>>();
  add<<<1, 1>>>(n);
  shared_by_all = 3;
  add<<<1, 1>>>(&shared_by_all);
  cudaDeviceSynchronize();
  cudaMemcpy(r, y, sizeof r, cudaMemcpyDeviceToHost);
  float t[4];
  cudaMemcpyFromSymbol(t, tables::table, sizeof(tables::table));
  if (count == 1) std::printf("%g %g %g %zu %d\n", r[1], t[1], own({1, 4}, 1), sizeof(weights) - 4, shared_by_all);
  if (is("argument")) apply<<<1, 4>>>(y, weights);  // @launches
  if (is("member")) {
    parameters p{weights, 4};
    apply_member<<<1, 4>>>(y, p);
  }
  if (is("copy")) std::printf("error %d\n", cudaMemcpy(tables::table, h, sizeof h, cudaMemcpyHostToDevice));  // @copies
  if (is("copy_back")) cudaMemcpy(r, &tables::table[0], sizeof r, cudaMemcpyDeviceToHost);  // @copies_back
  if (is("fill")) cudaMemset(tables::table, 0, sizeof tables::table);                       // @fills
  if (is("value")) std::printf("%d\n", tables::counter);                                    // @value
  cudaFree(y);
}
