// Names and parameters of kernels: namespaces, overloads, instances of templates, and arguments.

#include <cuda_fp16.h>

namespace spaces {
namespace {

// check spaces::hidden --grid 1 --block 32 --arg i32[32]
// clean
// check hidden --grid 1 --block 32 --arg i32[32]
// clean
static __global__ void hidden(int* x) {
  x[threadIdx.x] = 1;
}

}  // namespace
}  // namespace spaces

// check nobody --grid 1 --block 32
// fails no kernel is called 'nobody': the file has

// check every_number --grid 1 --block 1 --arg bool:true --arg i8:-3 --arg u8:200 --arg i16:-300 --arg u16:60000 --arg i32:-7 --arg u32:0xffffffff --arg i64:-9 --arg u64:18446744073709551615 --arg f32:0.5 --arg f64:-1e300 --arg f16:1.5
// clean
__global__ void every_number(bool b, signed char c, unsigned char d, short e, unsigned short f, int g, unsigned h, long long i, unsigned long long j, float k, double l, __half m) {
  assert(b && c == -3 && d == 200 && e == -300 && f == 60000 && g == -7 && h == 0xffffffffu && i == -9);
  assert(j == ~0ull && k == 0.5f && l == -1e300 && __half2float(m) == 1.5f);
}

// check no_arguments --grid 1 --block 1
// clean
// check no_arguments --grid 1 --block 1 --arg i32:3
// fails no_arguments takes 0 arguments, and 1 was given
// check no_arguments --grid 1 --block 1025
// fails a block of 1025 threads: it can have at most 1024
__global__ void no_arguments() {}

// check wrong_types --grid 1 --block 1 --arg f32[3]=zeros --arg i32:1
// fails argument 1 (counts): the kernel takes a pointer to i32, and an array of f32 was given
// check wrong_types --grid 1 --block 1 --arg i32[3]=zeros --arg f32:1
// fails argument 2 (n): the kernel takes i32, and f32 was given
__global__ void wrong_types(int* counts, int n) {
  if (n > 0) counts[0] = n;
}

// A kernel may have the name of a function of the C library.
// check div --grid 1 --block 4 --arg i32[4]=zeros --arg i32:4
// clean
// check exp --grid 1 --block 4 --arg f32[4]=arange
// clean
__global__ void div(int* x, int n) {
  if (threadIdx.x < n) x[threadIdx.x] = 1;
}
__global__ void exp(float* x) {
  x[threadIdx.x] = exp(x[threadIdx.x]);
}

// check 'overloaded(int*, float)' --grid 1 --block 4 --arg i32[4]=zeros --arg f32:4
// clean
// check overloads::overloaded(overloads::number*) --grid 1 --block 4 --arg f64[4]=zeros
// fails no kernel is 'overloads::overloaded(overloads::number*)': there is overloads::overloaded(number*)
// check overloads::overloaded --grid 1 --block 4 --arg f64[4]=zeros
// clean
// check 'overloads::overloaded(number *)' --grid 1 --block 4 --arg f64[4]=zeros
// clean
// check 'overloaded<int>(int*, int)' --grid 1 --block 4 --arg i32[4]=zeros --arg i32:4
// clean
// check overloaded --grid 1 --block 4 --arg i32[4]=zeros --arg f32:4
// fails several kernels are called 'overloaded': name one with its parameters: overloaded(int*, float), overloads::overloaded(number*)
__global__ void overloaded(int* x, float a);
__global__ void overloaded(int* __restrict__ x, const float a) {
  x[threadIdx.x] = static_cast<int>(a);
}
template <class T>
__global__ void overloaded(T* x, int n) {
  if (threadIdx.x < n) x[threadIdx.x] = n;
}
namespace overloads {
using number = double;
__global__ void overloaded(number* x) {
  x[threadIdx.x] = 1;
}
}  // namespace overloads

// check 'conditional<(4 > 3), 1 << (2 + 1)>' --grid 1 --block 1 --arg i32[1]=zeros
// clean
template <bool Condition, int N>
__global__ void conditional(int* x) {
  *x = N;
  assert(Condition && N == 8);
}

// Parameters without names, and declarations without names of parameters.
// check unnamed_parameters --grid 1 --block 1 --arg u64:1 --arg u64:2 --arg u64:3 --arg i32:4 --arg f32:5 --arg i32[1]=zeros
// clean
// check declared_before --grid 1 --block 1 --arg u64:1 --arg u64:2 --arg i32:3 --arg i32[1]=zeros
// clean
// check shared_name --grid 1 --block 4 --arg i32[4]=zeros --arg i64:4
// clean
// check bounded_by_a_shift --grid 1 --block 16 --arg i32[16]=zeros
// clean
namespace elsewhere {
struct whole {
  int value;
};
using real = float;
__global__ void defined_outside(real* x);
}  // namespace elsewhere
struct befriends {
  friend __global__ void shared_name(int*, long long);
};
__global__ void unnamed_parameters(std::size_t, unsigned long, unsigned long long, elsewhere::whole, elsewhere::real,
                                   int* const) {}
__global__ void declared_before(std::size_t, unsigned long long, struct elsewhere::whole, int* = nullptr);
__global__ void declared_before(std::size_t n, unsigned long long count, struct elsewhere::whole w, int* x) {
  *x = 1;
  assert(n == 1 && count == 2 && w.value == 3);
}
__device__ int shared_name(const int* x) {
  return *x;
}
__global__ void shared_name(int* x, long long) {
  x[threadIdx.x] = shared_name(x + threadIdx.x);
}
__global__ void __launch_bounds__(1 << 4) bounded_by_a_shift(int* x) {
  __shared__ int s[1 << 4];
  s[threadIdx.x] = 1;
  x[threadIdx.x] = s[threadIdx.x];
}

// check elsewhere::defined_outside --grid 1 --block 1 --arg f32[1]
// clean
__global__ void elsewhere::defined_outside(elsewhere::real* x) {
  *x = 1;
}

// Two namespaces of the same name, one of them inside an unnamed namespace.
// check within::below_unnamed --grid 1 --block 1 --arg i32[1]=zeros
// clean
// check within::below_named --grid 1 --block 1 --arg i32[1]=zeros
// clean
namespace {
namespace within {
__global__ void below_unnamed(int* x) {
  *x = 1;
}
}  // namespace within
}  // namespace
namespace within {
__global__ void below_named(int* x) {
  *x = 1;
}
}  // namespace within

// A kernel and a member of a namespace in a using-directive have the same name.
// check also_elsewhere --grid 1 --block 1 --arg i32[1]=zeros
// clean
// check linked_as_in_c --grid 1 --block 1 --arg i32[1]=zeros
// clean
namespace used {
constexpr int also_elsewhere = 1, linked_as_in_c = 2;
}
using namespace used;
__global__ void also_elsewhere(int* x) {
  *x = used::also_elsewhere;
}
extern "C" {
__global__ void linked_as_in_c(int* x) {
  *x = used::linked_as_in_c;
}
}

using signed_number = int;
__global__ void declared_in_other_words(float const* x, unsigned n, signed_number);
template <class T>
__global__ void declared_with_another_name(T* x, int = 2);

// check declared_in_other_words --grid 1 --block 4 --arg f32[4]=arange --arg u32:4 --arg i32:1
// clean
// check declared_with_another_name<float> --grid 1 --block 4 --arg f32[4]=arange --arg i32:1
// clean
__global__ void declared_in_other_words(const float* x, unsigned int n, int offset) {
  assert(x[threadIdx.x % n] == threadIdx.x && offset == 1);
}
template <class U>
__global__ void declared_with_another_name(U* x, int factor) {
  x[threadIdx.x] *= factor;
}
