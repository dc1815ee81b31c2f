// The ways to launch a kernel, and what a launch cannot have.

// program -- ways
// clean
// prints 10 20 30 40 50 60 70 80 90
// program -- defaults
// clean
// prints 13 100 2003, bounds 701
// program -- default_race
// finds data-race @default_races
// program -- limits
// clean
// prints grid 9 cudaErrorInvalidConfiguration, block 9, z 9, empty 9, shared 1 invalid argument, bounds 701
// prints allowed 0, too much 1, cooperative 720, not a kernel 98, then 0
// program -- not_asked
// finds unchecked-error @first
// finds unchecked-error @second
// program -- not_cooperative
// finds not-cooperative @grid @plainly
// prints 719 719
// program -- cooperative
// clean
// prints 0 136
// program -- occupancy
// clean
// prints 1024 16 8 256 0 1024 65536
// program -- race
// finds data-race @races @deduced
// program -- asserts
// finds assertion @assertion
// prints 0, 710 device-side assert triggered, 710, 710
// program -- local
// finds out-of-bounds @dereferences
// prints 700

#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <cassert>
#include <cstdio>
#include <cstring>
#include <vector>

namespace cg = cooperative_groups;

__global__ void set(int *x, int value) { x[threadIdx.x] = value; }
namespace shapes {
template <typename T, int Factor>
__global__ void fill(T *x, T value) {
  extern __shared__ unsigned char bytes[];
  T *const shared = reinterpret_cast<T *>(bytes);
  shared[threadIdx.x] = value * Factor;
  __syncthreads();
  x[threadIdx.x] = shared[blockDim.x - 1 - threadIdx.x];
}
}  // namespace shapes
template <class T>
__global__ void deduced(T *x, T value, const int *unused = nullptr) {
  if (unused != nullptr) x[0] = *unused;
  x[threadIdx.x] = value;
}
template <class T>
__global__ void shifts(T *x) {
  if (threadIdx.x < 31) x[threadIdx.x] = x[threadIdx.x + 1];  // @races
}
struct pair {
  int a[20], b;
};
__global__ void takes_structure(int *x, pair p) { x[threadIdx.x] = p.a[19] + p.b; }
__global__ void __launch_bounds__(64) bounded(int *x) { x[threadIdx.x] = 1; }
__global__ void __launch_bounds__(64) defaults(int *x, double by = 3, const int *more = nullptr) {
  x[threadIdx.x] = static_cast<int>(by) + 10 * static_cast<int>(threadIdx.x) + (more != nullptr ? *more : 0);
}
__global__ void default_races(int *x, int at = 3) { x[at] = threadIdx.x; }  // @default_races
__global__ void meets(int *x, int *total) {
  x[blockIdx.x * blockDim.x + threadIdx.x] = blockIdx.x * blockDim.x + threadIdx.x + 1;
  cg::this_grid().sync();  // @grid
  if (threadIdx.x == 0 && blockIdx.x == 0) {
    int sum = 0;
    for (unsigned i = 0; i < blockDim.x * gridDim.x; ++i) sum += x[i];
    *total = sum;
  }
}
__global__ void asserts(int *x) { assert(x == nullptr); }  // @assertion
__global__ void dereferences(const int *p, int *x) { *x = *p; }  // @dereferences

int first(const int *d) {
  int h;
  cudaMemcpy(&h, d, sizeof h, cudaMemcpyDeviceToHost);
  return h;
}

template <class T>
int launched_from_template(T *x) {
  deduced<<<1, 4>>>(x, T(40), NULL);
  shapes::fill<T, 2><<<1, dim3(8), 8 * sizeof(T), 0>>>(x + 1, T(25));
  return first(x) + first(x + 1);
}

void ways(int *x) {
  std::vector<int> results;
  set<<<1, 1>>>(x, 10);
  results.push_back(first(x));
  ::shapes::fill<int, 4><<<dim3(1), 8, 8 * sizeof(int)>>>(x, 5);
  results.push_back(first(x));
  void (*kernels[])(int *, int) = {set, &set};
  kernels[1]<<<1, 2>>>(x, 30);
  results.push_back(first(x));
  int value = launched_from_template(x);
  results.push_back(value - 50);
  results.push_back(first(x + 3));
  int sixty = 60;
  void *arguments[] = {&x, &sixty};
  cudaLaunchKernel((void *)set, dim3(1), dim3(4), arguments, 0, nullptr);
  results.push_back(first(x));
  sixty = 35;
  cudaLaunchKernel((const void *)shapes::fill<int, 2>, dim3(1), dim3(4), arguments, 16, 0);
  results.push_back(first(x));
  cudaLaunchConfig_t how = {};
  how.gridDim = dim3(1);
  how.blockDim = dim3(2);
  cudaLaunchKernelEx(&how, set, x, 80);
  results.push_back(first(x));
  pair p = {};
  p.a[19] = 50;
  p.b = 40;
  takes_structure<<<1, 32>>>(x, p);
  results.push_back(first(x));
  for (size_t i = 0; i < results.size(); ++i) std::printf(i == 0 ? "%d" : " %d", results[i]);
  std::printf("\n");
}

void default_arguments(int *x) {
  defaults<<<1, 32>>>(x);
  const int of_second = first(x + 1);
  defaults<<<1, 1>>>(x + 2, 100);
  defaults<<<1, 1>>>(x + 3, 7, x + 1);
  defaults<<<1, 1>>>(x);
  const int all = first(x) + 100 * first(x + 3);
  defaults<<<1, 65>>>(x);
  std::printf("%d %d %d, bounds %d\n", of_second, first(x + 2), all, (int)cudaGetLastError());
}

void limits(int *x) {
  const auto error_of = [](auto launch) {
    launch();
    return (int)cudaGetLastError();
  };
  const int grid = error_of([&] { set<<<dim3(1, 70000), 1>>>(x, 1); });
  const int block = error_of([&] { set<<<1, 1025>>>(x, 1); });
  const int z = error_of([&] { set<<<1, dim3(1, 1, 65)>>>(x, 1); });
  const int empty = error_of([&] { set<<<0, 1>>>(x, 1); });
  const int shared = error_of([&] { shapes::fill<float, 1><<<1, 1, 50000>>>((float *)x, 1.0f); });
  const int bounds = error_of([&] { bounded<<<1, 65>>>(x); });
  std::printf("grid %d %s, block %d, z %d, empty %d, shared %d %s, bounds %d\n", grid,
              cudaGetErrorName((cudaError_t)grid), block, z, empty, shared, cudaGetErrorString((cudaError_t)shared),
              bounds);
  cudaFuncSetAttribute(shapes::fill<float, 1>, cudaFuncAttributeMaxDynamicSharedMemorySize, 60000);
  const int allowed = error_of([&] { shapes::fill<float, 1><<<1, 1, 50000>>>((float *)x, 1.0f); });
  const int too_much = cudaFuncSetAttribute((void *)set, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20);
  void *arguments[] = {&x, &x};
  const int cooperative = cudaLaunchCooperativeKernel(meets, dim3(1000), dim3(1024), arguments);
  const int unknown = cudaLaunchKernel((const void *)&x, dim3(1), dim3(1), arguments, 0, 0);
  cudaGetLastError();
  std::printf("allowed %d, too much %d, cooperative %d, not a kernel %d, then %d\n", allowed, too_much, cooperative,
              unknown, cudaDeviceSynchronize());
}

void occupancy() {
  int least_grid, block, blocks, none;
  cudaOccupancyMaxPotentialBlockSize(&least_grid, &block, set, 0, 0);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, shapes::fill<int, 2>, 256, 0);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&none, bounded, 128, 0);
  cudaFuncAttributes of_set;
  cudaFuncGetAttributes(&of_set, set);
  cudaDeviceProp properties;
  cudaGetDeviceProperties(&properties, 0);
  int limited;
  cudaOccupancyMaxPotentialBlockSize(&none, &limited, (void (*)(int *, int))set, 0, 256);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&none, bounded, 128, 0);
  std::printf("%d %d %d %d %d %d %zu\n", block, least_grid, blocks, limited, none, of_set.maxThreadsPerBlock,
              properties.totalConstMem);
}

int main(int, char **argv) {
  const auto is = [&](const char *mode) { return std::strcmp(argv[1], mode) == 0; };
  int *x;
  cudaMalloc(&x, 4096);
  if (is("ways")) {
    ways(x);
  } else if (is("defaults")) {
    default_arguments(x);
  } else if (is("default_race")) {
    default_races<<<1, 32>>>(x);
  } else if (is("limits")) {
    limits(x);
  } else if (is("not_asked")) {
    set<<<1, 1025>>>(x, 1);    // @first
    set<<<0, 1>>>(x, 1);       // @second
    cudaDeviceSynchronize();
  } else if (is("not_cooperative")) {
    meets<<<2, 8>>>(x, x + 100);  // @plainly
    const int error = cudaDeviceSynchronize();
    std::printf("%d %d\n", error, cudaGetLastError());
    return 0;
  } else if (is("cooperative")) {
    int *total = x + 100;
    void *arguments[] = {&x, &total};
    const int error = cudaLaunchCooperativeKernel((void *)meets, 2, 8, arguments, 0, 0);
    std::printf("%d %d\n", error, first(total));
  } else if (is("occupancy")) {
    occupancy();
  } else if (is("race")) {
    cudaMemset(x, 0, 4096);
    shifts<<<1, 32>>>(x);  // @deduced
  } else if (is("asserts")) {
    asserts<<<1, 1>>>(x);
    const int peeked = 0;
    const cudaError_t error = cudaDeviceSynchronize();
    int *y;
    std::printf("%d, %d %s, %d, ", peeked, error, cudaGetErrorString(error), cudaMalloc(&y, 4));
    std::printf("%d\n", cudaGetLastError());
    return 0;
  } else if (is("local")) {
    int local = 3;
    dereferences<<<1, 1>>>(&local, x);
    std::printf("%d\n", cudaDeviceSynchronize());
    return 0;
  }
  cudaFree(x);
}
