#include "mandelbrot/gpu_kernels.cuh"
#include "mandelbrot/kernels.hpp"
#include <heddle/array.hpp>
#include <heddle/for_each_index.hpp>
#include <heddle/support/launch.cuh>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace heddle::mandelbrot::gpu {
namespace {

using heddle::gpu::check;
using heddle::gpu::current_device;

template <class T>
void count_points(const target& where, const T* re, const T* im, std::size_t width, std::size_t height,
                  std::uint32_t limit, std::uint32_t* counts) {
  const current_device on(where);
  int multiprocessors = 0, blocks = 0;
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, where.device()),
        "cudaDeviceGetAttribute");
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, later_iterations<T>, threads, 0),
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  const unsigned resident = static_cast<unsigned>(multiprocessors * std::max(blocks, 1));
  // The numbers of pixels that wait take memory: rows are taken in parts that need no more than this.
  constexpr std::size_t most_pixels = std::size_t{1} << 26;
  const std::size_t rows_at_once = std::clamp<std::size_t>(most_pixels / width, 1, height);
  const std::uint32_t first = limit <= one_pass_limit ? limit : first_pass_iterations;
  const bool later_too = first < limit;
  const memory numbers(later_too ? rows_at_once * width * sizeof(std::uint32_t) : 0, where);
  const memory tallies(later_too ? 2 * sizeof(unsigned long long) : 0, where);
  auto* const tally = static_cast<unsigned long long*>(tallies.data());
  const long_points later{tally, tally + 1, static_cast<std::uint32_t*>(numbers.data())};
  for (std::size_t row = 0; row < height; row += rows_at_once) {
    const std::size_t rows = std::min(rows_at_once, height - row);
    const auto columns = static_cast<std::uint32_t>(width);
    // Several pieces a warp, where there are as many.
    const std::size_t tiles = rows * width / (tile_columns * tile_rows * std::size_t{resident} * warps * 4);
    if (later_too) check(cudaMemsetAsync(tally, 0, tallies.bytes(), where.stream()), "cudaMemsetAsync");
    first_iterations<<<resident, threads, 0, where.stream()>>>(
        re, im + row, columns, static_cast<std::uint32_t>(rows), first, limit,
        static_cast<std::uint32_t>(std::clamp<std::size_t>(tiles, 1, most_tiles)), counts + row * width,
        later);
    check(cudaGetLastError(), "launch of first_iterations");
    if (!later_too) continue;
    later_iterations<<<resident, threads, 0, where.stream()>>>(re, im + row, columns, limit,
                                                               counts + row * width, later);
    check(cudaGetLastError(), "launch of later_iterations");
  }
}

}  // namespace

void count(const target& where, const float* re, const float* im, std::size_t width, std::size_t height,
           std::uint32_t limit, std::uint32_t* counts) {
  count_points(where, re, im, width, height, limit, counts);
}
void count(const target& where, const double* re, const double* im, std::size_t width, std::size_t height,
           std::uint32_t limit, std::uint32_t* counts) {
  count_points(where, re, im, width, height, limit, counts);
}

void count_near(const target& where, const reference_view& reference, const double* re, const double* im,
                std::size_t width, std::size_t height, std::uint32_t limit, std::uint32_t* counts,
                double* beyond) {
  for_each_index(where, extent{height, width}, [=] HD_FN(std::size_t y, std::size_t x) {
    const std::size_t i = y * width + x;
    counts[i] = escape_count_near(reference, re[x], im[y], limit, beyond == nullptr ? nullptr : beyond + i);
  });
}

void copy_mirrored(const target& where, std::uint32_t* counts, std::size_t width, const mirrored_rows& rows) {
  const current_device on(where);
  const unsigned grid = heddle::gpu::grid_for(rows.count * width, threads * 8);
  copy_reversed<<<grid, threads, 0, where.stream()>>>(counts, width, rows.first, rows.count, rows.sum);
  check(cudaGetLastError(), "launch of copy_reversed");
}

}  // namespace heddle::mandelbrot::gpu
