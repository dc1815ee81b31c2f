// Programs that load libraries of kernels by the runtime API. The first argument says what is done.

// program -- right
// clean
// prints 2 4 6 1
// prints 10 16 5
// program --devices 2 -- of_each_device
// clean
// prints 6 10
// program -- file
// finds out-of-bounds @launches_file of x
// prints 6 14
// program -- race
// finds data-race @adds @launches of x
// program -- wrong_calls
// clean
// prints 301 500 500 500 400 101
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>

__device__ int offset = 4;
__managed__ int scale[4];
extern "C" __global__ void add_offset(int *x, int by) {
  x[threadIdx.x % 32] += by + offset;  // @adds
}
extern "C" __global__ void add_dynamically(int *x) {
  extern __shared__ int part[];
  part[threadIdx.x] = scale[0];
  x[threadIdx.x] += part[threadIdx.x];
}

// What a GPU would be given: the program's own kernels stand for it.
constexpr char image[] = ".version 9.0\n.target sm_90\n";
constexpr int n = 32;

cudaLibrary_t own() {
  cudaLibrary_t library = nullptr;
  cudaLibraryLoadData(&library, image, nullptr, nullptr, 0, nullptr, nullptr, 0);
  return library;
}
int *zeros() {
  int *x;
  cudaMalloc(&x, n * sizeof(int));
  cudaMemset(x, 0, n * sizeof(int));
  return x;
}
int first_of(const int *x) {
  int result = -1;
  cudaMemcpy(&result, x, sizeof result, cudaMemcpyDeviceToHost);
  return result;
}
void launch(cudaKernel_t kernel, int *x, int by, int threads = n) {
  void *arguments[] = {&x, &by};
  cudaLaunchKernel(kernel, 1, threads, arguments);  // @launches
}

void right(cudaLibrary_t library, cudaKernel_t add) {
  unsigned count = 0;
  cudaKernel_t kernels[2] = {}, same = nullptr;
  cudaLibraryGetKernelCount(&count, library);
  cudaLibraryEnumerateKernels(kernels, 2, library);
  cudaGetKernel(&same, add_offset);
  int *const x = zeros(), *global, *managed;
  size_t bytes, managed_bytes;
  cudaLibraryGetGlobal(reinterpret_cast<void **>(&global), &bytes, library, "offset");
  cudaLibraryGetManaged(reinterpret_cast<void **>(&managed), &managed_bytes, library, "scale");
  launch(add, x, 2);
  std::printf("%u %zu %d %d\n", count, bytes, first_of(x), (kernels[0] == add || kernels[1] == add) && same == add);
  const int more = 2;
  cudaMemcpy(global, &more, sizeof more, cudaMemcpyHostToDevice);
  launch(add, x, 2);
  const int second = first_of(x);
  managed[0] = 5;
  cudaKernel_t dynamic;
  cudaLibraryGetKernel(&dynamic, library, "add_dynamically");
  cudaKernelSetAttributeForDevice(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000, 0);
  int *const y = zeros();
  void *arguments[] = {const_cast<int **>(&y)};
  cudaLaunchKernel(dynamic, 1, n, arguments, 100000);
  std::printf("%d %zu %d\n", second, managed_bytes, first_of(y));
  cudaFree(x);
  cudaFree(y);
}

void of_each_device(cudaLibrary_t library, cudaKernel_t add) {
  int results[2];
  for (int d = 0; d < 2; ++d) {
    cudaSetDevice(d);
    int *const x = zeros(), *global;
    const int start = 4 * (d + 1);
    cudaLibraryGetGlobal(reinterpret_cast<void **>(&global), nullptr, library, "offset");
    cudaMemcpy(global, &start, sizeof start, cudaMemcpyHostToDevice);
    launch(add, x, 2);
    results[d] = first_of(x);
    cudaFree(x);
  }
  std::printf("%d %d\n", results[0], results[1]);
}

void of_a_file() {
  cudaLibrary_t of_file;
  cudaKernel_t kernel;
  if (cudaLibraryLoadFromFile(&of_file, "modules/scale64.ptx", nullptr, nullptr, 0, nullptr, nullptr, 0) != cudaSuccess) return;
  cudaLibraryGetKernel(&kernel, of_file, "scale");
  int *x;
  const int numbers[] = {3, 7};
  cudaMalloc(&x, sizeof numbers);
  cudaMemcpy(x, numbers, sizeof numbers, cudaMemcpyHostToDevice);
  int last = 2;
  void *arguments[] = {&x, &last};
  cudaLaunchKernel(kernel, 1, n, arguments);  // @launches_file
  int results[2];
  cudaMemcpy(results, x, sizeof results, cudaMemcpyDeviceToHost);
  std::printf("%d %d\n", results[0], results[1]);
  cudaFree(x);
  cudaLibraryUnload(of_file);
}

int main(int, char **words) {
  const auto is = [&](const char *mode) { return std::strcmp(words[1], mode) == 0; };
  const cudaLibrary_t library = own();
  cudaKernel_t add = nullptr;
  cudaLibraryGetKernel(&add, library, "add_offset");
  if (is("right")) right(library, add);
  if (is("of_each_device")) of_each_device(library, add);
  if (is("file")) of_a_file();
  if (is("race")) {
    int *const x = zeros();
    launch(add, x, 1, 2 * n);
    cudaDeviceSynchronize();
    cudaFree(x);
  }
  if (is("wrong_calls")) {
    cudaLibrary_t none = nullptr;
    cudaKernel_t no_kernel;
    void *where;
    const int no_file = cudaLibraryLoadFromFile(&none, "modules/none_at_all.ptx", nullptr, nullptr, 0, nullptr, nullptr, 0);
    const int no_variable = cudaLibraryGetGlobal(&where, nullptr, library, "none"), last = cudaGetLastError();
    const int not_managed = cudaLibraryGetManaged(&where, nullptr, library, "offset");
    const int no_library = cudaLibraryGetKernel(&no_kernel, none, "add_offset");
    const int no_device = cudaKernelSetAttributeForDevice(add, cudaFuncAttributeMaxDynamicSharedMemorySize, 1, 1);
    std::printf("%d %d %d %d %d %d\n", no_file, no_variable, last, not_managed, no_library, no_device);
    cudaGetLastError();
  }
  cudaLibraryUnload(library);
}
