#include "patterns/statistics/gpu.cuh"
#include <heddle/impl/patterns/reduce/gpu/reduce.cuh>
#include <heddle/impl/patterns/transform/gpu.cuh>

// What mean, variance, any and all read and write, behind kernels that take plain arguments:
// tests/checker/own_patterns_test.py.

using namespace heddle;
using namespace heddle::gpu;
using std::size_t;

template <class T>
order::tiling __device__ tiles_of(axis_lines all) {
  return {all, order::tile<T, plus>, warp_size};
}

#define WIDE(NAME, T)                                                                  \
  __global__ void wide_##NAME(const T* x, size_t outer, size_t length, double* sums) { \
    using sum = impl::sum_type<T>;                                                     \
    reduce_rows<sum>(wide_at<T>{x}, plus(), tiles_of<sum>({outer, length, 1}),         \
                     reinterpret_cast<sum*>(sums));                                    \
  }
WIDE(halves, short)
WIDE(floats, float)
__global__ void wide_complex(const float* x, size_t outer, size_t length, double* sums) {
  using element = std::complex<float>;
  using sum = impl::sum_type<element>;
  reduce_rows<sum>(wide_at<element>{reinterpret_cast<const element*>(x)}, plus(),
                   tiles_of<sum>({outer, length, 1}), reinterpret_cast<sum*>(sums));
}

// `behind` more entries of the slowest axis, which are not there, have places counted in 64 bits.
#define DEVIATIONS(NAME, T, PART)                                                                            \
  __global__ void deviations_##NAME(const PART* x, size_t outer, size_t length, size_t inner, size_t behind, \
                                    const double* centres, double* sums) {                                   \
    const squared_deviation_at<T> at{reinterpret_cast<const T*>(x),                                          \
                                     reinterpret_cast<const impl::sum_type<T>*>(centres),                    \
                                     {outer + behind, length, inner}};                                       \
    if (inner == 1) {                                                                                        \
      reduce_rows<double>(at, plus(), tiles_of<double>({outer, length, 1}), sums);                           \
    } else {                                                                                                 \
      reduce_columns<8, true, double>(at, plus(), {{outer, length, inner}, 1024, inner, 3, 0, 5}, sums);     \
    }                                                                                                        \
  }
DEVIATIONS(bytes, unsigned char, unsigned char)
DEVIATIONS(doubles, double, double)
DEVIATIONS(complex, std::complex<float>, float)

// Rows that a thread takes as it takes columns.
__global__ void short_rows(const float* x, size_t outer, size_t length, const double* centres, double* sums) {
  const axis_lines all{outer, length, 1};
  const squared_deviation_at<float> at{x, centres, all};
  if (length <= 8) {
    reduce_columns<8, true, double>(at, plus(), {all, 1024, 1, 0, 0, 8}, sums);
  } else {
    const unsigned log2_groups = length <= 16 ? 0 : 1;
    reduce_columns<16, false, double>(at, plus(), {all, 1024, 1, 0, log2_groups, 8}, sums);
  }
}

__global__ void quotients(const double* sums, double divisor, size_t n, float* out) {
  transform_elements_of<float, 1>(quotient_at<float>{sums, divisor}, n, out);
}
__global__ void nonzero(const unsigned* x, size_t n, bool* out) {
  transform_elements_of<bool, 1>(is_nonzero_at<unsigned>{x}, n, out);
}
