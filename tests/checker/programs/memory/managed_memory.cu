// Unified memory: cudaMallocManaged, __managed__, and who may touch it when.

// program --leak-check -- waits
// clean
// prints 2 9 5
// program -- unwaited_read
// finds missing-synchronisation @reads_x @scale
// program -- unwaited_write
// finds missing-synchronisation @writes_x @scale
// program -- reads_what_is_read
// clean
// program -- writes_what_is_read
// finds missing-synchronisation @writes_y @sum
// program -- other_part
// clean
// program -- managed_variable
// finds missing-synchronisation @reads_total @sum
// program -- beyond
// finds out-of-bounds @beyond
// program -- before
// finds uninitialised-read @before
// program -- unwritten
// finds uninitialised-read @by of y 300 times
// program -- twice_unwritten
// finds uninitialised-read @first_look of z 2 times
// finds uninitialised-read @second_look of z 1 times
// finds uninitialised-read @copies_z of z 1 times
// finds uninitialised-read @sum_of_z of z 12 times
// finds uninitialised-read @by of z 30 times
// program -- read_from_a_file
// clean
// program -- freed
// finds use-after-free @freed @frees_x
// program -- freed_in_kernel
// finds use-after-free @by @frees_y
// program -- freed_by_the_c_library
// finds invalid-free @by_free @allocates_x: x (int[100]) is freed by cudaFree
// program -- deleted
// finds invalid-free @by_delete: pinned (float[10]) is freed by cudaFreeHost
// finds invalid-free @by_unique_ptr: on_device (double[10]) is freed by cudaFree
// program --leak-check -- leaks
// finds leak @allocates_x
// program -- leaks
// clean

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

__managed__ int total = 0;

__global__ void scale(int *x, int by, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= by;  // @by
}
__global__ void sum(const int *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&total, x[i]);
}
__global__ void sum_of_four(const int *x) {
  atomicAdd(&total, x[threadIdx.x]);  // @sum_of_z
}

int main(int, char **argv) {
  const auto is = [&](const char *mode) { return std::strcmp(argv[1], mode) == 0; };
  const int n = 100;
  int *x, *y;
  cudaMallocManaged(&x, n * sizeof(int));  // @allocates_x
  cudaMallocManaged((void **)&y, n * sizeof *y, cudaMemAttachGlobal);
  if (is("before") && x[7] == 1) std::puts("?");  // @before
  for (int i = 0; i < n; ++i) x[i] = 1;
  if (!is("unwritten")) std::memset(y, 0, n * sizeof(int));
  cudaMemAdvise(x, n * sizeof(int), cudaMemAdviseSetPreferredLocation, 0);
  cudaMemPrefetchAsync(x, n * sizeof(int), 0);
  if (is("freed_in_kernel")) cudaFree(y);         // @frees_y
  scale<<<1, 128>>>(x, 2, is("other_part") ? 50 : n);  // @scale
  if (is("unwritten") || is("freed_in_kernel")) scale<<<1, 128>>>(y, 2, n);
  if (is("unwaited_read")) std::printf("%d\n", x[3]);  // @reads_x
  if (is("unwaited_write")) x[n - 1] = 5;              // @writes_x
  if (is("other_part")) std::printf("%d\n", x[50]);
  cudaDeviceSynchronize();
  if (!is("freed_in_kernel")) y[3] = x[3];
  sum<<<1, 128>>>(y, is("freed_in_kernel") ? 0 : 4);  // @sum
  if (is("reads_what_is_read")) std::printf("%d\n", y[3]);
  if (is("writes_what_is_read")) y[3] = 0;                      // @writes_y
  if (is("managed_variable")) std::printf("%d\n", total);  // @reads_total
  cudaStreamSynchronize(0);
  total += 7;
  if (is("beyond")) std::printf("%d\n", x[n]);  // @beyond
  if (is("waits")) std::printf("%d %d %d\n", x[0], total, x[1] + 3);
  if (is("twice_unwritten")) {
    int *z, copy[4] = {};
    cudaMallocManaged(&z, n * sizeof(int));
    for (int i = 0; i < 2; ++i) copy[i] = z[i];  // @first_look
    copy[2] = z[1];                              // @second_look
    std::memcpy(copy, z, sizeof copy);           // @copies_z
    sum_of_four<<<1, 4>>>(z);
    scale<<<1, 16>>>(z, 2, 10);
    cudaDeviceSynchronize();
    std::printf("%d\n", z[9] + copy[3]);
    cudaFree(z);
  }
  if (is("read_from_a_file")) {
    // By the C library, which is not watched.
    unsigned char *z;
    cudaMallocManaged(&z, 6000);
    std::FILE *file = std::fopen(__FILE__, "rb");
    const size_t count = std::fread(z, 1, 1000, file);
    std::fclose(file);
    int sum = 0;
    for (size_t i = 0; i < count; ++i) sum += z[i];
    std::printf("%d\n", sum != 0);
    cudaFree(z);
  }
  if (is("freed_by_the_c_library")) {
    void *const own = std::malloc(10);
    std::free(own);
    std::free(x);  // @by_free
  }
  if (is("deleted")) {
    float *pinned;
    double *on_device;
    cudaMallocHost(&pinned, 10 * sizeof(float));
    cudaMalloc(&on_device, 10 * sizeof(double));
    std::vector<int> own(10);
    delete[] pinned;                                   // @by_delete
    std::unique_ptr<double> owner(on_device);
    owner.reset();  // @by_unique_ptr
  }
  if (!is("leaks")) cudaFree(x);               // @frees_x
  if (is("freed")) std::printf("%d\n", x[0]);  // @freed
  if (!is("freed_in_kernel")) cudaFree(y);
  if (is("leaks")) cudaFree(nullptr);
}
