#include "tests/elements.hpp"
#include "tests/on_targets.hpp"
#include <heddle/linear_algebra.hpp>

#include <cmath>
#include <cstdint>

#include <gtest/gtest.h>

namespace hd = heddle;
using namespace heddle::tests;

namespace {

class matmul_of_halves : public on_targets {};
HD_ON_ALL_TARGETS(matmul_of_halves);

template <class T>
hd::array<T> random_matrix(std::size_t rows, std::size_t columns, std::uint64_t seed) {
  hd::array<T> x({rows, columns});
  for (std::size_t i = 0; i < x.size(); ++i)
    x.data()[i] = T(static_cast<float>(random_real(seed * 1'000'003 + i)));
  return x;
}

/// Sums in float, rounded once: `eps` is that of the elements.
template <class T>
void check(const hd::target& where, float eps) {
  for (const std::size_t n : {1, 31, 64, 97}) {
    const std::size_t m = n + 2, k = 2 * n + 1;
    const hd::array<T> a = random_matrix<T>(m, k, 1), b = random_matrix<T>(k, n, 2);
    for (const hd::matmul_algorithm algorithm : hd::matmul_algorithms) {
      const hd::array<T> c = hd::matmul(where, a, b, algorithm).on(hd::target::serial());
      for (std::size_t r = 0; r < m; ++r) {
        for (std::size_t j = 0; j < n; ++j) {
          double sum = 0, magnitude = 0;
          for (std::size_t i = 0; i < k; ++i) {
            const double product = static_cast<double>(static_cast<float>(a.data()[r * k + i])) *
                                   static_cast<double>(static_cast<float>(b.data()[i * n + j]));
            sum += product;
            magnitude += std::abs(product);
          }
          const double got = static_cast<float>(c.data()[r * n + j]);
          ASSERT_LE(std::abs(got - sum), 0.5 * eps * std::abs(sum) + 1e-6 * magnitude)
              << hd::name(algorithm) << ' ' << m << ' ' << k << ' ' << n;
        }
      }
    }
  }
}

/// Sums of half as many fours as there are products, and then of as many less: 0, but for sums in a type that
/// these are too large for.
template <class T>
void check_cancellation(const hd::target& where) {
  const std::size_t sides = 16, k = 65'536;
  hd::array<T> a({sides, k}), b({k, sides});
  a.fill(T(2.0f));
  for (std::size_t i = 0; i < b.size(); ++i) b.data()[i] = T(i < b.size() / 2 ? 2.0f : -2.0f);
  const hd::array<T> single = hd::matmul(where, a, b),
                     batch = hd::matmul(where, a.reshaped({2, sides / 2, k}), b);
  for (const hd::array<T>* const c : {&single, &batch}) {
    for (const T element : c->to_vector()) ASSERT_EQ(static_cast<float>(element), 0.0f);
  }
}

}  // namespace

TEST_P(matmul_of_halves, are_summed_in_float_where_terms_cancel) {
  check_cancellation<__half>(where);
  check_cancellation<__nv_bfloat16>(where);
}

TEST_P(matmul_of_halves, are_summed_in_float) {
  check<__half>(where, 0x1p-10f);
  check<__nv_bfloat16>(where, 0x1p-7f);
}
