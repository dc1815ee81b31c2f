// Addresses of functions that the host takes: a kernel cannot call by them.

// program
// clean
// prints 5 6 12 3 1 4
// program -- argument
// finds foreign-address @calls @launches: cudaMemcpyFromSymbol
// program -- member
// finds foreign-address @calls_member: the pointer is the host's
// program -- copied
// finds foreign-address @calls_copied: the pointer is the host's
// program -- of_template
// finds foreign-address @calls @launches_template: the pointer is the host's

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>

using operation = int (*)(int, int);
__host__ __device__ int add(int a, int b) { return a + b; }
__device__ int multiply(int a, int b) { return a * b; }
template <class T>
__host__ __device__ T subtract(T a, T b) { return a - b; }
__host__ __device__ int twice(int a) { return 2 * a; }
__host__ __device__ float twice(float a) { return 2 * a; }

__device__ operation on_device = multiply;
__device__ operation copied;

struct chosen {
  operation of[2];
};
__global__ void combine(int *x, operation f) { *x = f(2, 3); }                // @calls
__global__ void combine_member(int *x, chosen c) { *x = c.of[1](2, 3); }      // @calls_member
__global__ void combine_copied(int *x) { *x = copied(2, 3); }                 // @calls_copied
template <operation F>
__global__ void combine_known(int *x) { *x = F(2, 3); }

int apply(operation f, int a, int b) { return f(a, b); }
/// Members of a class may have it, too.
struct chooser {
  operation multiply = add;
  static int add(int a, int b) { return 10 * a + b; }
  int both() const { return apply(multiply, 1, 2) + apply(&chooser::add, 0, 0); }
};
/// A variable may have a function's name.
int own(int multiply) {
  const auto add = [](int a, int b) { return a - b; };
  return apply(add, 5, multiply);
}

int main(int count, char **words) {
  const auto is = [&](const char *mode) { return count > 1 && std::strcmp(words[1], mode) == 0; };
  int *x, h[2];
  operation f;
  cudaMalloc(&x, sizeof *x);
  combine_known<add><<<1, 1>>>(x);
  cudaMemcpy(&h[0], x, sizeof *x, cudaMemcpyDeviceToHost);
  cudaMemcpyFromSymbol(&f, on_device, sizeof f);
  combine<<<1, 1>>>(x, f);
  cudaMemcpy(&h[1], x, sizeof *x, cudaMemcpyDeviceToHost);
  const std::function<int(int, int)> by_host = &add;
  const operation all[] = {add, subtract<int>};
  int values[] = {7, 5};
  std::transform(values, values + 2, values, static_cast<int (*)(int)>(twice));
  if (count == 1)
    std::printf("%d %d %d %d %d %d\n", h[0], h[1], by_host(7, 5), all[1](5, 2), all[0] == add, own(1) * (values[0] == 14) * (chooser().both() == 12));
  if (is("argument")) combine<<<1, 1>>>(x, add);  // @launches
  if (is("of_template")) combine<<<1, 1>>>(x, subtract<int>);  // @launches_template
  if (is("member")) combine_member<<<1, 1>>>(x, {{add, multiply}});
  if (is("copied")) {
    f = multiply;
    cudaMemcpyToSymbol(copied, &f, sizeof f);
    combine_copied<<<1, 1>>>(x);
  }
  cudaFree(x);
}
