#pragma once

#include "mandelbrot/perturbation.hpp"
#include <heddle/target.hpp>

#include <cstddef>
#include <cstdint>

/// How a picture is counted: on a CPU compiled once for each instruction set, on a GPU where there is a CUDA
/// toolkit.
namespace heddle::mandelbrot {

/// Counts of the points (re[x], im[y]) to counts[y · width + x].
template <class T>
using count_kernel = void (*)(const T* re, const T* im, std::size_t width, std::size_t height,
                              std::uint32_t limit, std::uint32_t* counts);

/// Counts of the pixels first, … last − 1 in the order of rows, of points near a reference: pixel (x, y) is
/// (re[x], im[y]) from it, in units. `beyond` may be null.
using near_kernel = void (*)(const reference_view& reference, const double* re, const double* im,
                             std::size_t width, std::size_t first, std::size_t last, std::uint32_t limit,
                             std::uint32_t* counts, double* beyond);

struct count_kernels {
  count_kernel<float> in_float;
  count_kernel<double> in_double;
  near_kernel near_reference;
};

/// Those for this processor.
const count_kernels& kernels();

count_kernels baseline_counts();
#if defined(HEDDLE_X86_KERNELS)
count_kernels avx2_counts();
count_kernels avx512_counts();
#endif

/// Rows whose imaginary parts are those of others with the other sign, and whose counts are theirs: row y in
/// first, … first + count − 1 has those of row sum − y.
struct mirrored_rows {
  std::size_t first = 0, count = 0, sum = 0;
};

namespace gpu {

/// The same on a GPU: all in the memory of `where`.
void count(const target& where, const float* re, const float* im, std::size_t width, std::size_t height,
           std::uint32_t limit, std::uint32_t* counts);
void count(const target& where, const double* re, const double* im, std::size_t width, std::size_t height,
           std::uint32_t limit, std::uint32_t* counts);
void count_near(const target& where, const reference_view& reference, const double* re, const double* im,
                std::size_t width, std::size_t height, std::uint32_t limit, std::uint32_t* counts,
                double* beyond);
void copy_mirrored(const target& where, std::uint32_t* counts, std::size_t width, const mirrored_rows& rows);

}  // namespace gpu
}  // namespace heddle::mandelbrot
