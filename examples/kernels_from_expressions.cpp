// A kernel from a line: element-wise, a reduction or a scan, of an expression, compiled as the program runs.
// Change the expressions; functions that they call stand in a preamble. The compiler names mistakes.
// A name that is assigned to is written and must be an array; a name that is only read may be a number.
#include "on_each_target.hpp"
#include <heddle/kernel.hpp>

#include <algorithm>
#include <cmath>

namespace hd = heddle;
using examples::expect;

void show(const hd::target& where) {
  const std::size_t n = 5000;
  std::vector<double> x(n), y(n);
  for (std::size_t i = 0; i < n; ++i) {
    x[i] = static_cast<double>(i % 10);
    y[i] = static_cast<double>(i % 7) - 3;
  }
  const hd::elementwise_kernel clip("double x, double low, double high, double out",
                                    "out = clamped(x, low, high)", {.preamble = R"(
      __device__ double clamped(double x, double low, double high) { return min(max(x, low), high); })"});
  std::vector<double> clipped(n);
  clip(where, x, 2.0, 6.0, clipped);

  const hd::reduction_kernel<double> dot("double x, double y", "x * y", "a + b", "0");
  const hd::reduction_kernel<double> farthest("double x, double y", "fabs(x - y)", "max(a, b)", "0");
  const hd::scan_kernel<double> highest("double y", "y", "max(a, b)", "-INFINITY");
  const std::vector<double> so_far = highest(where, y).to_vector();

  double sum = 0, distance = 0, high = y[0];
  for (std::size_t i = 0; i < n; ++i) {
    sum += x[i] * y[i];
    distance = std::max(distance, std::abs(x[i] - y[i]));
    high = std::max(high, y[i]);
    expect(clipped[i] == std::clamp(x[i], 2.0, 6.0) && so_far[i] == high, "element " + std::to_string(i));
  }
  expect(dot(where, x, y) == sum && farthest(where, x, y) == distance,
         "whole numbers, so that no order matters");
  std::printf("  dot product %g, largest difference %g, highest so far %g\n", sum, distance, so_far.back());
}

int main(int argc, char** argv) {
  return examples::on_each_target(argc, argv, show);
}
