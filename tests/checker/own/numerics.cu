#include "monte_carlo/gpu_kernels.cuh"
#include "patterns/fft/scale.cuh"
#include "patterns/linear_algebra/gpu.cuh"
#include "patterns/random/gpu.cuh"

// The kernels of random numbers, of points of pi, of matrix products and of the scaling of Fourier
// transforms, behind kernels that take plain arguments: tests/checker/own_patterns_test.py.

using namespace heddle;
using namespace heddle::gpu;
using std::size_t;

#define RANDOM(NAME, T, ...)                                                                          \
  __global__ void random_##NAME(std::uint64_t seed, std::uint64_t offset, size_t count, bool vectors, \
                                T* out) {                                                             \
    make_random(__VA_ARGS__, {seed, offset}, count, vectors, out);                                    \
  }
RANDOM(words, std::uint32_t, plain_words<std::uint32_t, random::distribution::bits>{})
RANDOM(long_words, std::uint64_t, plain_words<std::uint64_t, random::distribution::permutation>{})
RANDOM(uniform, double, uniform_of<double>{impl::single_rounding::uniform_range<double>(-1, 3)})
RANDOM(normal, float, normal_of<float>{10, 2})
RANDOM(long_normal, double, normal_of<double>{10, 2})
RANDOM(exponential, float, exponential_of<float>{3})
RANDOM(bytes, std::uint8_t, integers_of<std::uint8_t, std::uint32_t>{seed, 5, random::integer_range(200)})
RANDOM(integers, std::uint32_t,
       integers_of<std::uint32_t, std::uint32_t>{seed, 7, random::integer_range(3u << 30)})
RANDOM(long_integers, std::uint64_t,
       integers_of<std::uint64_t, std::uint64_t>{seed, 7, random::integer_range(3ull << 62)})

__global__ void points(std::uint64_t seed, std::uint64_t first, std::uint64_t count,
                       unsigned long long* inside) {
  monte_carlo::gpu::count_points(seed, first, count, inside);
}

/// `numbers` are rows, columns, and the strides of rows, columns and batches.
template <class T>
__device__ matrix<T> matrix_from(const void* data, const size_t* numbers) {
  return {static_cast<const T*>(data), numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]};
}
#define PRODUCT(NAME, T, STORED)                                                                         \
  __global__ void naive_##NAME(const STORED* a, const size_t* of_a, const STORED* b, const size_t* of_b, \
                               size_t batches, STORED* c) {                                              \
    naive<T>(matrix_from<T>(a, of_a), matrix_from<T>(b, of_b), batches, reinterpret_cast<T*>(c));        \
  }                                                                                                      \
  __global__ void tiled_##NAME(const STORED* a, const size_t* of_a, const STORED* b, const size_t* of_b, \
                               size_t batches, STORED* c) {                                              \
    tiled<T>(matrix_from<T>(a, of_a), matrix_from<T>(b, of_b), batches, reinterpret_cast<T*>(c));        \
  }                                                                                                      \
  __global__ void pack_##NAME(const STORED* a, const size_t* of_a, size_t batches, STORED* out) {        \
    pack_matrices<T>(matrix_from<T>(a, of_a), batches, reinterpret_cast<T*>(out));                       \
  }
PRODUCT(float, float, float)
PRODUCT(half, __half, unsigned short)
PRODUCT(complex, complex_double, double)

__global__ void scale_floats(float* x, size_t count, float factor) {
  scale(x, count, factor);
}
__global__ void scale_doubles(double* x, size_t count, double factor) {
  scale(x, count, factor);
}
