// Adding arrays element by element, in one dimension or two, and a function of as many arrays as one likes.
// Change `rows` and `columns` to anything above 0: no size has to be a multiple of a block.
// Give the arrays different shapes: the error names both.
#include "on_each_target.hpp"
#include <heddle/kernel.hpp>
#include <heddle/transform.hpp>

#include <numeric>

namespace hd = heddle;
using examples::expect;

void show(const hd::target& where) {
  const std::size_t rows = 37, columns = 53, n = rows * columns;
  hd::array<double> a({rows, columns}), b({rows, columns});
  std::iota(a.data(), a.data() + n, 0.0);
  std::iota(b.data(), b.data() + n, 1000.0);

  const hd::array<double> sum = hd::transform(where, a, b, hd::plus{});  // keeps the two dimensions
  expect(sum.shape() == hd::shape{rows, columns}, "a sum has the shape of what is added");
  const std::vector<double> sums = sum.to_vector();
  for (std::size_t i = 0; i < n; ++i) expect(sums[i] == 1000.0 + 2.0 * double(i), "a + b");

  // Any number of inputs, any of them scalars, from source: it runs on a GPU from this plain .cpp.
  const hd::elementwise_kernel combine("double a, double b, double c, float scale, double out",
                                       "out = scale * (a + b) - c");
  hd::array<double> out({rows, columns}, where);
  combine(where, a, b, sum, 2.0f, out);
  expect(out.to_vector() == sums, "2 (a + b) - (a + b) = a + b");
  std::printf("  %zu x %zu: the last sum is %g\n", rows, columns, out.back());
}

int main(int argc, char** argv) {
  return examples::on_each_target(argc, argv, show);
}
