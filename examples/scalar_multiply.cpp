// The simplest map: every element of an array times one number, which goes with all of them.
// Change the element type, or the operator: plus, minus, minimum, maximum, bit_and, … are built in.
// Make T(3) a 3.0 among int64: the compiler says that a built-in function takes two arguments of one type.
#include "on_each_target.hpp"
#include <heddle/transform.hpp>

#include <cstdint>
#include <numeric>

namespace hd = heddle;

template <class T>
void triple(const hd::target& where, const char* type) {
  std::vector<T> x(1000);
  std::iota(x.begin(), x.end(), T(-500));
  const hd::array<T> y = hd::transform(where, x, T(3), hd::multiplies{});
  const std::vector<T> tripled = y.to_vector();
  for (std::size_t i = 0; i < x.size(); ++i)
    examples::expect(tripled[i] == x[i] * 3, std::string("3 x, ") + type);
  std::printf("  3 x of 1000 %s: from %g to %g\n", type, double(tripled.front()), double(tripled.back()));
}

void show(const hd::target& where) {
  triple<std::int64_t>(where, "int64");
  triple<float>(where, "float32");
  triple<double>(where, "float64");
}

int main(int argc, char** argv) {
  return examples::on_each_target(argc, argv, show);
}
