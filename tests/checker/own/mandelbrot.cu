#include "mandelbrot/gpu_kernels.cuh"

// The kernels of the Mandelbrot set, behind kernels that take plain arguments:
// tests/checker/own_simulations_test.py.

using namespace heddle::mandelbrot::gpu;

#define COUNT(NAME, T)                                                                                      \
  __global__ void first_##NAME(const T* re, const T* im, unsigned width, unsigned height, unsigned first,   \
                               unsigned limit, unsigned tiles, unsigned* counts, unsigned long long* tally, \
                               unsigned* pixels) {                                                          \
    first_iterations<T>(re, im, width, height, first, limit, tiles, counts, {tally, tally + 1, pixels});    \
  }                                                                                                         \
  __global__ void later_##NAME(const T* re, const T* im, unsigned width, unsigned limit, unsigned* counts,  \
                               unsigned long long* tally, unsigned* pixels) {                               \
    later_iterations<T>(re, im, width, limit, counts, {tally, tally + 1, pixels});                          \
  }
COUNT(float, float)
COUNT(double, double)

__global__ void reversed(unsigned* counts, std::size_t width, std::size_t first, std::size_t count,
                         std::size_t sum) {
  copy_reversed(counts, width, first, count, sum);
}
