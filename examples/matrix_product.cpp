// Matrix products: by a thread an element, by tiles that stay near the processor, by the vendor's library.
// Change the sizes: no tile has to divide them. Time n = 2048: the three are far apart.
// Make `inner` of the second matrix another number: the error names both shapes.
#include "on_each_target.hpp"
#include <heddle/linear_algebra.hpp>
#include <heddle/random.hpp>

#include <cmath>

namespace hd = heddle;

void show(const hd::target& where) {
  const std::size_t rows = 67, inner = 83, columns = 45;
  const hd::array<float> a = hd::random::uniform(where, {rows, inner}, {.seed = 1}, -1, 1);
  const hd::array<float> b = hd::random::uniform(where, {inner, columns}, {.seed = 2}, -1, 1);
  const std::vector<float> x = a.to_vector(), y = b.to_vector();

  for (const hd::matmul_algorithm algorithm : hd::matmul_algorithms) {
    const std::vector<float> c = hd::matmul(where, a, b, algorithm).to_vector();
    double largest_error = 0;
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t k = 0; k < columns; ++k) {
        double sum = 0, magnitude = 0;
        for (std::size_t i = 0; i < inner; ++i) {
          const double product = double(x[r * inner + i]) * double(y[i * columns + k]);
          sum += product;
          magnitude += std::abs(product);
        }
        const double error = std::abs(sum - double(c[r * columns + k]));
        examples::expect(error <= inner * 0x1p-24 * magnitude, "the product to the rounding of its sums");
        largest_error = std::max(largest_error, error);
      }
    }
    std::printf("  %-6s (%zu x %zu) (%zu x %zu): largest error %.1e\n", hd::name(algorithm), rows, inner,
                inner, columns, largest_error);
  }
  // A transposed matrix is read where it stands.
  const hd::array<float> gram = hd::matmul(where, hd::transposed(a), a);
  examples::expect(gram.shape() == hd::shape{inner, inner} && gram(3, 5) - gram(5, 3) < 1e-5f,
                   "a symmetric product");
}

int main(int argc, char** argv) {
  return examples::on_each_target(argc, argv, show);
}
