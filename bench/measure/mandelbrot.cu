// The textbook's Mandelbrot kernel, a thread a pixel, beside Heddle's.
#include "mandelbrot/mandelbrot.hpp"
#include "session.hpp"
#include <heddle/error.hpp>
#include <heddle/machine.hpp>

#include <cstdint>
#include <string>

namespace heddle::measure {
namespace {

using enum role;

/// How many steps a point takes to leave the disc of radius 2.
HD_FN std::uint32_t textbook_count(float re, float im, std::uint32_t limit) {
  float x = 0, y = 0;
  std::uint32_t i = 0;
  for (; i < limit; ++i) {
    const float next = x * x - y * y + re;
    y = 2 * (x * y) + im;
    x = next;
    if (x * x + y * y >= 4) break;
  }
  return i;
}

struct view {
  float xmin, xmax, ymin, ymax;
  std::uint32_t width, height, limit;

  HD_FN std::uint32_t count(std::uint32_t row, std::uint32_t column) const {
    return textbook_count(xmin + static_cast<float>(column) * (xmax - xmin) / static_cast<float>(width),
                          ymin + static_cast<float>(row) * (ymax - ymin) / static_cast<float>(height), limit);
  }
};

#if defined(__CUDACC__)
__global__ void textbook(view of, std::uint32_t* counts) {
  const std::uint32_t row = blockIdx.y * blockDim.y + threadIdx.y;
  const std::uint32_t column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < of.height && column < of.width)
    counts[std::size_t{row} * of.width + column] = of.count(row, column);
}
#endif

}  // namespace

void measure_mandelbrot(const session& with) {
  const target& where = with.where;
  constexpr std::uint32_t limit = 1000;
  for (std::uint32_t side : {512u, 8192u}) {
    if (side > 512 && (with.quick || !where.is_gpu())) continue;
    while (sizeof(std::uint32_t) * side * side > with.most_bytes) side /= 2;
    mandelbrot::picture what;
    what.width = what.height = side;
    what.iterations = limit;
    const view of{static_cast<float>(what.view.xmin),
                  static_cast<float>(what.view.xmax),
                  static_cast<float>(what.view.ymin),
                  static_cast<float>(what.view.ymax),
                  side,
                  side,
                  limit};
    const std::size_t pixels = std::size_t{side} * side;
    std::vector<std::uint32_t> expected(pixels);
    const auto on_one_core = [&] {
      for (std::uint32_t row = 0; row < side; ++row) {
        for (std::uint32_t column = 0; column < side; ++column) {
          expected[std::size_t{row} * side + column] = of.count(row, column);
        }
      }
    };
    array<std::uint32_t> counts(pixels, where);
    const mandelbrot::escape_counter counter(what, where);
    contender loop{"textbook", peer, on_one_core, nullptr};
#if defined(__CUDACC__)
    if (where.is_gpu()) {
      array<std::uint32_t> slow(pixels, where);
      textbook<<<dim3((side + 31) / 32, (side + 7) / 8), dim3(32, 8), 0, where.stream()>>>(of, slow.data());
      expected = slow.to_vector();
      loop.call = [&, out = counts.data()] {
        textbook<<<dim3((side + 31) / 32, (side + 7) / 8), dim3(32, 8), 0, where.stream()>>>(of, out);
      };
    }
#endif
    if (!where.is_gpu()) on_one_core();
    contenders all = {{"Heddle", ours, [&] { counter.count(0, side, counts.data()); },
                       [&] { return counts.to_vector() == expected; }}};
    if (where.is_gpu() || where.threads() == 1) all.push_back(loop);
    const std::string square = std::to_string(side) + "×" + std::to_string(side);
    with.compare({"mandelbrot", square + ", limit " + std::to_string(limit), "float32", pixels,
                  4.0 * static_cast<double>(pixels)},
                 all);
  }
}

}  // namespace heddle::measure
