// The Mandelbrot set: how soon z -> z² + c leaves the disc of radius 2, by one function on every target.
// Change `width`, `height`, `limit` or the corner: 1536 x 1024 pixels and 50 iterations are usual.
// Neighbours take different numbers of turns, so warps diverge at the edge. `heddle mandelbrot` is faster.
#include "../on_each_target.hpp"
#include <heddle/array.hpp>
#include <heddle/for_each_index.hpp>

#include <complex>
#include <cstdint>

namespace hd = heddle;

/// The iteration at which |z|² ≥ 4, or the limit.
HD_FN int escape(float x, float y, int limit) {
  float re = 0, im = 0;
  int iteration = 0;
  for (; iteration < limit && re * re + im * im < 4; ++iteration) {
    const float next = re * re - im * im + x;
    im = 2 * re * im + y;
    re = next;
  }
  return iteration;
}

void show(const hd::target& where) {
  const std::size_t width = 384, height = 256;
  const int limit = 50;
  const float left = -2, top = 1, step = 3.0f / width;
  hd::array<std::uint8_t> picture({height, width}, where);
  const auto pixel = picture.access<2>();
  hd::for_each_index(where, hd::extent{height, width}, [=] HD_FN(std::size_t row, std::size_t column) {
    pixel(row, column) = static_cast<std::uint8_t>(
        escape(left + step * static_cast<float>(column), top - step * static_cast<float>(row), limit));
  });

  const std::vector<std::uint8_t> found = picture.to_vector();
  for (std::size_t i = 0; i < found.size(); i += 7) {
    const std::complex<float> c(left + step * static_cast<float>(i % width),
                                top - step * static_cast<float>(i / width));
    int iteration = 0;
    for (std::complex<float> z = 0; iteration < limit && std::norm(z) < 4; ++iteration) z = z * z + c;
    examples::expect(found[i] == iteration, "pixel " + std::to_string(i) + " by complex numbers");
  }
  for (std::size_t row = 8; row < height; row += 16) {
    std::string line;
    for (std::size_t column = 0; column < width; column += 6) {
      const int iteration = found[row * width + column];
      line += " .:-=+*%@"[iteration == limit ? 8 : std::min(iteration / 2, 7)];
    }
    std::printf("  %s\n", line.c_str());
  }
}

int main(int argc, char** argv) {
  return examples::on_each_target(argc, argv, show);
}
