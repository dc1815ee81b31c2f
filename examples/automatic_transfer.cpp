// Vectors go to any target by themselves: what is read is brought there, what is written is brought back.
// Change `x` and `y` to hd::array on the target: nothing moves, and results stay where they are made.
// Time both for a large n on a GPU: bringing 4 bytes over takes far longer than adding them up there.
#include "on_each_target.hpp"
#include <heddle/kernel.hpp>
#include <heddle/reduce.hpp>
#include <heddle/transform.hpp>

namespace hd = heddle;
using examples::expect;

void show(const hd::target& where) {
  const std::size_t n = 100'003;
  const std::vector<float> x(n, 3.0f);
  std::vector<float> y(n, 1.0f);

  hd::transform_into(where, y, x, y, hd::plus{});  // x and y go to the target, and y comes back
  expect(y.front() == 4 && y.back() == 4, "a vector holds the sums");

  const hd::elementwise_kernel scale("float x, float a", "x *= a");
  scale(where, y, 0.25f);  // in place: there and back, by blocks and a grid that nobody chose
  expect(y.front() == 1 && y.back() == 1, "a vector is changed in place");

  // Moved once by hand, an array stays for as many calls as one likes.
  const hd::array<float> moved(x, where);
  const hd::array<float> doubled = hd::transform(where, moved, 2.0f, hd::multiplies{});
  const float total = hd::reduce(where, doubled);
  expect(total == 6.0f * n, "the sum of what stayed there");
  std::printf("  %zu floats there and back; the sum of those that stayed is %.0f\n", n,
              static_cast<double>(total));
}

int main(int argc, char** argv) {
  return examples::on_each_target(argc, argv, show);
}
