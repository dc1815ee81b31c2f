// What the host's code does wrong with memory, and how programs end.

// program -- dereferences
// finds host-access @dereferences
// program -- library
// finds host-access @prints
// program -- twice
// finds invalid-free @second_free @first_free @allocated
// prints 1
// program -- middle
// finds invalid-free @middle
// program -- after_fault
// finds out-of-bounds @faults
// prints 700 700
// program -- stranger
// finds invalid-free @stranger
// program -- too_large
// finds invalid-copy @too_large @allocated
// prints 1 cudaErrorInvalidValue
// program -- direction
// finds invalid-copy @direction
// program -- swapped
// finds invalid-copy @swapped
// program -- null
// finds invalid-copy @null
// program -- never_written
// finds uninitialised-read @never_written @allocated
// program -- partly_written
// clean
// program -- copied_on
// finds uninitialised-read @copied_on
// program -- copied_written
// clean
// program -- stale
// finds use-after-free @stale @first_free
// program -- in_class
// finds invalid-copy @in_class
// program -- out_of_memory
// clean
// prints 2 1 16
// program -- exits
// notes failed-program
// prints leaves
// program -- aborts
// finds failed-program @aborts
// program -- throws
// finds failed-program @throws
// program -- segfaults
// finds failed-program @segfaults
// program -- asserts
// finds failed-program @asserts
// program -- divides
// finds failed-program @divides
// program -- device_function
// finds host-access @device_function
// program --leak-check -- static_owner
// clean
// prints freed 0

#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>

__device__ int of_threads() { return atomicAdd(static_cast<int *>(nullptr), 1); }  // @device_function
__global__ void starts(int *x, int n) {
  for (int i = 0; i < n; ++i) x[i] = i;
}

__global__ void faults(float *x) { x[1ll << 40] = 1; }  // @faults

struct owner {
  int *x = nullptr;
  ~owner() {
    if (x != nullptr) std::printf("freed %d\n", cudaFree(x));
  }
  owner() {
    // Before main.
    if (cudaMalloc(&x, 64) != cudaSuccess) std::printf("not allocated\n");
  }
};
static owner first_owner;

template <class T>
class buffer {
 public:
  explicit buffer(size_t n) : n_(n), x_(make(n), cudaFree) {}
  void fill_from(const T *h, size_t n) {
    cudaMemcpy(x_.get(), h, n * sizeof(T), cudaMemcpyHostToDevice);  // @in_class
  }

 private:
  static T *make(size_t n) {
    T *p;
    cudaMalloc(&p, n * sizeof(T));
    return p;
  }
  size_t n_;
  std::unique_ptr<T, decltype(&cudaFree)> x_;
};

__attribute__((noinline)) void writes(int *x) {
  *x = 1;  // @segfaults
}

int main(int, char **argv) {
  const auto is = [&](const char *mode) { return std::strcmp(argv[1], mode) == 0; };
  float h[256] = {};
  volatile int zero = 0;
  int *const nowhere = nullptr;
  float *d, *e;
  cudaMalloc(&d, 256 * sizeof(float));  // @allocated
  if (is("dereferences")) d[7] = 1;  // @dereferences
  if (is("library")) std::fwrite(d, 1, 100, stdout);  // @prints
  if (is("too_large")) {
    const cudaError_t error = cudaMemcpy(d, h, 1025, cudaMemcpyHostToDevice);  // @too_large
    std::printf("%d %s\n", error, cudaGetErrorName(error));
  }
  if (is("direction")) cudaMemcpy(d, h, 1024, cudaMemcpyDeviceToDevice);  // @direction
  if (is("swapped")) cudaMemcpy(h, d, 1024, cudaMemcpyHostToDevice);      // @swapped
  if (is("null")) cudaMemcpy(d, nullptr, 1024, cudaMemcpyHostToDevice);   // @null
  if (is("never_written")) cudaMemcpy(h, d, 1024, cudaMemcpyDeviceToHost);  // @never_written
  if (is("partly_written")) {
    starts<<<1, 1>>>((int *)d, 3);
    cudaMemcpy(h, d, 1024, cudaMemcpyDeviceToHost);
  }
  if (is("copied_on") || is("copied_written")) {
    // Bytes 12 to 911 are written, and come to byte 5.
    cudaMemset((char *)d + 12, 1, 900);
    cudaMalloc(&e, 2048);
    cudaMemcpy((char *)e + 5, (char *)d + 12, 1000, cudaMemcpyDeviceToDevice);
    for (int i = 0; i < 1000; ++i) {
      const bool is_written = i < 900;
      if (is_written != is("copied_written")) continue;
      cudaMemcpy(h, (char *)e + 5 + i, 1, cudaMemcpyDeviceToHost);  // @copied_on
    }
    cudaFree(e);
  }
  if (is("middle")) cudaFree(d + 1);   // @middle
  if (is("after_fault")) {
    // As of allocations that have failed, which set nothing.
    faults<<<1, 1>>>(d);
    const int error = cudaDeviceSynchronize();
    std::printf("%d %d\n", error, cudaFree(h));
  }
  if (is("stranger")) cudaFree(h);     // @stranger
  cudaFree(d);                         // @first_free
  if (is("twice")) std::printf("%d\n", cudaFree(d));                       // @second_free
  if (is("stale")) cudaMemcpy(d, h, 1024, cudaMemcpyHostToDevice);         // @stale
  if (is("in_class")) buffer<float>(100).fill_from(h, 101);
  if (is("out_of_memory")) {
    size_t free, total;
    const int error = cudaMalloc(&e, size_t(1) << 40);
    cudaMemGetInfo(&free, &total);
    cudaGetLastError();
    std::printf("%d %d %zu\n", error, free < total, total >> 30);
  }
  if (is("exits")) {
    std::printf("leaves\n");
    std::exit(3);
  }
  if (is("aborts")) std::abort();                           // @aborts
  if (is("throws")) throw std::runtime_error("not caught");  // @throws
  if (is("segfaults")) writes(nowhere);
  if (is("asserts")) assert(zero == 1);                     // @asserts
  if (is("divides")) std::printf("%d\n", 7 / zero);         // @divides
  if (is("device_function")) of_threads();
}
