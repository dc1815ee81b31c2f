#include "tests/elements.hpp"
#include "tests/on_targets.hpp"
#include "tests/sizes.hpp"
#include <heddle/linear_algebra.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include <dlfcn.h>
#include <gtest/gtest.h>

namespace hd = heddle;
using namespace heddle::tests;
using hd::matmul_algorithm;

namespace {

/// A GPU machine that programs were taken to may lack it.
bool has_openblas() {
  return dlopen("libopenblas.so.0", RTLD_LAZY) != nullptr;
}

class matmul : public on_targets {
 protected:
  void SetUp() override {
    on_targets::SetUp();
    if (!where.is_gpu() && !has_openblas()) GTEST_SKIP() << "this machine has no OpenBLAS";
  }
};
HD_ON_ALL_TARGETS(matmul);

template <class T>
hd::array<T> random_matrix(const hd::shape& lengths, std::uint64_t seed) {
  hd::array<T> x(lengths);
  for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = random_value<T>(seed * 1'000'003 + i);
  return x;
}

template <class T>
using wide = std::conditional_t<hd::is_complex<T>, std::complex<long double>, long double>;

/// Each element of a product against a sum in long double: off by k · eps · Σ|a||b| at most.
template <class T>
void check_product(const hd::array<T>& have, const hd::matrix_view<T>& a, const hd::matrix_view<T>& b,
                   const std::string& note) {
  using part = decltype(std::abs(T()));
  const hd::array<T> c = have.on(hd::target::serial());
  const std::size_t batches = std::max(a.batches, b.batches);
  ASSERT_EQ(c.size(), batches * a.rows * b.columns) << note;
  const auto at = [](const hd::matrix_view<T>& m, std::size_t batch, std::size_t r, std::size_t k) {
    return m.data[(m.batches == 1 ? 0 : batch * m.batch_stride) + r * m.row_stride + k * m.column_stride];
  };
  for (std::size_t batch = 0; batch < batches; ++batch) {
    for (std::size_t r = 0; r < a.rows; ++r) {
      for (std::size_t j = 0; j < b.columns; ++j) {
        wide<T> sum(0);
        long double magnitude = 0;
        for (std::size_t k = 0; k < a.columns; ++k) {
          const wide<T> x(at(a, batch, r, k)), y(at(b, batch, k, j));
          sum += x * y;
          magnitude += std::abs(x) * std::abs(y);
        }
        const long double bound = (std::sqrt(static_cast<long double>(a.columns)) + 4) *
                                  std::numeric_limits<part>::epsilon() * magnitude;
        const wide<T> got(c.data()[(batch * a.rows + r) * b.columns + j]);
        ASSERT_LE(std::abs(got - sum), bound) << note << ", element " << batch << ' ' << r << ' ' << j;
      }
    }
  }
}

/// Whole numbers of −8 to 8, whose products float has exactly.
template <class T>
hd::array<T> whole_numbers(const hd::shape& lengths, std::uint64_t seed) {
  hd::array<T> x(lengths);
  const auto number = [](std::uint64_t i) { return static_cast<int>(random_bits(i) % 17) - 8; };
  for (std::size_t i = 0; i < x.size(); ++i) {
    using part = decltype(std::abs(T()));
    const std::uint64_t place = seed * 1'000'003 + 2 * i;
    if constexpr (hd::is_complex<T>) {
      x.data()[i] = {static_cast<part>(number(place)), static_cast<part>(number(place + 1))};
    } else {
      x.data()[i] = static_cast<part>(number(place));
    }
  }
  return x;
}

/// m · v, which double has exactly.
template <class T>
std::vector<std::complex<double>> times(const hd::array<T>& m, const std::vector<std::complex<double>>& v) {
  std::vector<std::complex<double>> product(m.shape()[0]);
  for (std::size_t i = 0; i < m.size(); ++i) {
    const std::complex<double> element(m.data()[i]);
    product[i / v.size()] += element * v[i % v.size()];
  }
  return product;
}

/// Whether c is the product of whole numbers, by what both make of columns drawn at random (Freivalds 1977).
template <class T>
bool is_product(const hd::array<T>& have, const hd::array<T>& a, const hd::array<T>& b) {
  std::vector<std::complex<double>> v;
  for (std::size_t k = 0; k < b.shape()[1]; ++k) v.emplace_back(static_cast<double>(random_bits(~k) >> 44));
  return times(have.on(hd::target::serial()), v) == times(a, times(b, v));
}

std::string text_of(std::size_t m, std::size_t k, std::size_t n, matmul_algorithm algorithm) {
  return std::to_string(m) + " x " + std::to_string(k) + " x " + std::to_string(n) + " by " + name(algorithm);
}

struct sides {
  std::size_t m, k, n;
};
/// None, one, tiles of 32 and of 64 and what is one more or less, and long and thin ones.
constexpr sides all_sides[] = {{0, 3, 2},    {3, 0, 2},    {3, 2, 0},    {1, 1, 1},   {1, 7, 1},
                               {2, 3, 4},    {31, 32, 33}, {32, 32, 32}, {33, 1, 65}, {64, 63, 65},
                               {1, 300, 20}, {20, 300, 1}, {50, 130, 37}};

}  // namespace

TEST_P(matmul, of_all_types_by_all_methods) {
  const auto check = [&]<class T>() {
    for (const auto [m, k, n] : all_sides) {
      const hd::array<T> a = random_matrix<T>({m, k}, 1), b = random_matrix<T>({k, n}, 2);
      for (const matmul_algorithm algorithm : hd::matmul_algorithms) {
        const hd::array<T> c = hd::matmul(where, a, b, algorithm);
        ASSERT_EQ(c.shape(), (hd::shape{m, n}));
        check_product<T>(c, hd::impl::view_of_matrix(a), hd::impl::view_of_matrix(b),
                         text_of(m, k, n, algorithm));
      }
    }
  };
  for_each_type<float, std::complex<double>>(check);
  if (!seeks_races) for_each_type<double, std::complex<float>>(check);
}

TEST_P(matmul, of_sides_that_threads_share) {
  for_each_type<float, double, std::complex<float>, std::complex<double>>([&]<class T>() {
    for (const auto [m, k, n] : {sides{150, 160, 170}, sides{7, 660, 700}, sides{430, 700, 11}}) {
      const hd::array<T> a = whole_numbers<T>({m, k}, 1), b = whole_numbers<T>({k, n}, 2);
      hd::array<T> a_columns({k, m}), b_columns({n, k});
      for (std::size_t i = 0; i < a.size(); ++i) a_columns.data()[i % k * m + i / k] = a.data()[i];
      for (std::size_t i = 0; i < b.size(); ++i) b_columns.data()[i % n * k + i / n] = b.data()[i];
      const hd::array<T> c = hd::matmul(where, a, b);
      ASSERT_EQ(c.shape(), (hd::shape{m, n}));
      EXPECT_TRUE(is_product(c, a, b)) << hd::impl::type_name<T>();
      EXPECT_TRUE(is_product(hd::matmul(where, hd::transposed(a_columns), hd::transposed(b_columns)), a, b))
          << hd::impl::type_name<T>() << ", transposed";
    }
  });
}

TEST_P(matmul, of_transposed_and_strided_matrices) {
  for_each_type<float, std::complex<double>>([&]<class T>() {
    const std::size_t m = 67, k = 70, n = 66;  // more than a tile
    const hd::array<T> a = random_matrix<T>({m, k}, 1), b = random_matrix<T>({k, n}, 2),
                       a_columns = random_matrix<T>({k, m}, 3), b_columns = random_matrix<T>({n, k}, 4);
    const auto view = [](const auto& x) { return hd::impl::view_of_matrix(x); };
    // Every second row and every third column of larger ones.
    const hd::array<T> large = random_matrix<T>({2 * k, 3 * k}, 5);
    hd::matrix_view<T> sparse = view(large);
    sparse.rows = m;
    sparse.columns = k;
    sparse.row_stride = 2 * 3 * k;
    sparse.column_stride = 3;
    hd::matrix_view<T> square = sparse, thinned = sparse;
    square.rows = k;
    thinned.rows = k;
    thinned.columns = n;
    const hd::array<T> wide_one = random_matrix<T>({m + 9, k + 11}, 6);
    const hd::matrix_view<T> part = view(wide_one).part(4, 4 + m, 7, 7 + k);
    // Rows that overlap, which BLAS does not take.
    const hd::matrix_view<T> windows{large.data(), m, k, 3, 1};
    for (const matmul_algorithm algorithm : hd::matmul_algorithms) {
      for (const hd::matrix_view<T>& left :
           {view(a), hd::transposed(a_columns), sparse, square, part, windows}) {
        for (const hd::matrix_view<T>& right : {view(b), hd::transposed(b_columns), thinned}) {
          check_product<T>(hd::matmul(where, left, right, algorithm), left, right, name(algorithm));
        }
      }
    }
  });
}

TEST_P(matmul, of_batches) {
  using T = float;
  const hd::array<T> a = random_matrix<T>({2, 3, 9, 20}, 1), b = random_matrix<T>({2, 3, 20, 11}, 2),
                     single = random_matrix<T>({20, 11}, 3);
  const auto view = [](const hd::array<T>& x, std::size_t batches, std::size_t rows, std::size_t columns) {
    return hd::matrix_view<T>{x.data(), rows, columns, columns, 1, batches, rows * columns, {}};
  };
  for (const matmul_algorithm algorithm : hd::matmul_algorithms) {
    const hd::array<T> c = hd::matmul(where, a, b, algorithm);
    EXPECT_EQ(c.shape(), (hd::shape{2, 3, 9, 11}));
    check_product<T>(c, view(a, 6, 9, 20), view(b, 6, 20, 11), name(algorithm));
    const hd::array<T> d = hd::matmul(where, a, single, algorithm);
    EXPECT_EQ(d.shape(), (hd::shape{2, 3, 9, 11}));
    check_product<T>(d, view(a, 6, 9, 20), view(single, 1, 20, 11), name(algorithm));
    const hd::array<T> e =
        hd::matmul(where, hd::transposed(single), hd::transposed(a.reshaped({6, 9, 20})), algorithm);
    EXPECT_EQ(e.shape(), (hd::shape{6, 11, 9}));
    check_product<T>(e, view(single, 1, 20, 11).transposed(), view(a, 6, 9, 20).transposed(),
                     name(algorithm));
  }
}

TEST_P(matmul, keeps_a_batch_of_one) {
  const hd::array<float> x = random_matrix<float>({1, 3, 4}, 1), w = random_matrix<float>({5, 4}, 2),
                         none({0, 3, 4});
  const auto view = [](const hd::array<float>& m) { return hd::impl::view_of_matrix(m); };
  const auto check = [&](const hd::array<float>& c, const char* note) {
    EXPECT_EQ(c.shape(), (hd::shape{1, 3, 5})) << note;
    check_product<float>(c, view(x), view(w).transposed(), note);
  };
  check(hd::matmul(where, x, hd::transposed(w)), "array");
  check(hd::matmul(where, view(x), hd::transposed(w)), "view");
  check(hd::matmul(where, view(x).part(0, 3, 0, 4), hd::transposed(w)), "part");
  EXPECT_EQ(hd::matmul(where, w, hd::transposed(x)).shape(), (hd::shape{1, 5, 3}));
  EXPECT_EQ(hd::matmul(where, hd::transposed(x), x).shape(), (hd::shape{1, 4, 4}));
  EXPECT_EQ(hd::matmul(where, none, hd::transposed(w)).shape(), (hd::shape{0, 3, 5}));
  hd::array<float> known({1, 3, 5});
  hd::matmul_into(where, known, x, hd::transposed(w));
  check(known, "into");
}

TEST_P(matmul, of_vectors) {
  const hd::array<double> a = random_matrix<double>({5, 7}, 1), x = random_matrix<double>({7}, 2),
                          y = random_matrix<double>({5}, 3);
  const auto ax = hd::matmul(where, a, x), ya = hd::matmul(where, y, a), xx = hd::matmul(where, x, x);
  EXPECT_EQ(ax.shape(), hd::shape{5});
  EXPECT_EQ(ya.shape(), hd::shape{7});
  EXPECT_EQ(xx.shape(), hd::shape{});
  const hd::matrix_view<double> in = hd::impl::view_of_matrix(a);
  const auto column = [](const hd::array<double>& v) {
    return hd::matrix_view<double>{v.data(), v.size(), 1, 1, 1};
  };
  const auto row = [](const hd::array<double>& v) {
    return hd::matrix_view<double>{v.data(), 1, v.size(), v.size(), 1};
  };
  check_product<double>(ax, in, column(x), "ax");
  check_product<double>(ya, row(y), in, "ya");
  check_product<double>(xx, row(x), column(x), "xx");
}

TEST_P(matmul, of_what_is_on_the_target) {
  const hd::array<float> a = random_matrix<float>({40, 50}, 1), b = random_matrix<float>({50, 60}, 2);
  const hd::array<float> there_a = a.on(where), there_b = b.on(where);
  const auto view = [](const hd::array<float>& x) { return hd::impl::view_of_matrix(x); };
  check_product<float>(hd::matmul(where, there_a, there_b), view(a), view(b), "there");
  check_product<float>(hd::matmul(where, hd::transposed(there_b), hd::transposed(there_a)),
                       view(b).transposed(), view(a).transposed(), "there, transposed");
}

TEST_P(matmul, into_what_there_is) {
  const hd::array<double> a = random_matrix<double>({13, 20}, 1), b = random_matrix<double>({20, 7}, 2);
  for (const hd::target& place : {hd::target::serial(), where}) {
    hd::array<double> c({13, 7}, place);
    hd::matmul_into(where, c, a, b);
    EXPECT_TRUE(same_elements(c, hd::matmul(where, a, b)));
  }
  hd::array<double> c({7, 13});
  const auto message = message_of([&] { hd::matmul_into(where, c, a, b); });
  EXPECT_NE(message.find("(7, 13), where the product has (13, 7)"), std::string::npos) << message;
}

TEST_P(matmul, refuses_an_output_that_overlaps_an_operand) {
  hd::array<double> all = random_matrix<double>({300}, 1).on(where);
  const auto matrix = [&](std::size_t first) { return all.slice(first, first + 100).reshaped({10, 10}); };
  const auto message = [&](auto c, const auto& a, const auto& b) {
    return message_of([&] { hd::matmul_into(where, c, a, b); });
  };
  for (const std::size_t first : {0, 1, 99, 101, 150, 199}) {
    EXPECT_NE(message(matrix(first), matrix(0), matrix(100)).find("the output overlaps an input"),
              std::string::npos)
        << first;
  }
  EXPECT_EQ(message(matrix(200), matrix(0), matrix(100)), "no error");
  EXPECT_EQ(message(matrix(0), matrix(100), matrix(200)), "no error");
  // A part of a matrix reaches to its last element, and no further.
  const auto part = hd::impl::view_of_matrix(matrix(0)).part(0, 5, 0, 5);
  const auto small = [&](std::size_t first) { return all.slice(first, first + 25).reshaped({5, 5}); };
  EXPECT_NE(message(small(44), part, part), "no error");
  EXPECT_EQ(message(small(45), part, part), "no error");
}

TEST_P(matmul, names_both_shapes) {
  const hd::array<float> a({2, 3}), b({4, 5}), c({7, 2, 3}), d({6, 3, 5});
  const auto message = message_of([&] { hd::matmul(where, a, b); });
  EXPECT_NE(message.find("(2, 3) and (4, 5)"), std::string::npos) << message;
  EXPECT_NE(message_of([&] { hd::matmul(where, c, d); }).find("batches"), std::string::npos);
  EXPECT_NE(message_of([&] { hd::matmul(where, hd::transposed(a), b); }).find("(3, 2) and (4, 5)"),
            std::string::npos);
}

/// The numbers of 16 bits from +0 to infinity, in the order of their bits, from what a format says of them.
std::vector<double> numbers_of_16_bits(int fraction_bits, int bias) {
  std::vector<double> all;
  const int last_exponent = (1 << (15 - fraction_bits)) - 1;
  for (int exponent = 0; exponent < last_exponent; ++exponent) {
    for (int fraction = 0; fraction < 1 << fraction_bits; ++fraction) {
      const double one = exponent == 0 ? 0 : 1;
      all.push_back(std::ldexp(one + std::ldexp(fraction, -fraction_bits), std::max(exponent, 1) - bias));
    }
  }
  all.push_back(std::ldexp(1.0, last_exponent - bias));  // where infinity is, as rounding sees it
  return all;
}

/// The bits of the nearest of them, the even ones where two are as near.
std::uint16_t nearest(const std::vector<double>& numbers, double x) {
  const auto above = std::lower_bound(numbers.begin(), numbers.end(), std::abs(x));
  auto place = std::min<std::size_t>(static_cast<std::size_t>(above - numbers.begin()), numbers.size() - 1);
  if (place > 0) {
    const double up = numbers[place] - std::abs(x), down = std::abs(x) - numbers[place - 1];
    if (down < up || (down == up && place % 2 == 1)) --place;
  }
  return static_cast<std::uint16_t>(place | (std::signbit(x) ? 0x8000 : 0));
}

class matmul_of_16_bits : public matmul {};
HD_ON_CPU_TARGETS(matmul_of_16_bits);

TEST_P(matmul_of_16_bits, rounds_products_to_the_nearest) {
  struct format {
    hd::impl::matrix_type type;
    int fraction_bits, bias;
  };
  for (const auto& [type, fraction_bits, bias] :
       {format{hd::impl::matrix_type::float16, 10, 15}, format{hd::impl::matrix_type::bfloat16, 7, 127}}) {
    const std::vector<double> numbers = numbers_of_16_bits(fraction_bits, bias);
    // All numbers, as a column, by a row of a few, whose products a float holds or rounds alike.
    const std::size_t finite = numbers.size() - 1;
    const std::vector<double> factors{1, -1, 0.5, 1.5, 3, 1 + std::ldexp(1.0, -fraction_bits)};
    std::vector<std::uint16_t> column(2 * finite), row, c(column.size() * factors.size());
    for (std::size_t i = 0; i < column.size(); ++i)
      column[i] = static_cast<std::uint16_t>(i < finite ? i : (i - finite) | 0x8000);
    for (const double factor : factors) row.push_back(nearest(numbers, factor));
    const hd::impl::matrix_operand a{column.data(), column.size(), 1, 1, 1, 1, 0, {}},
        b{row.data(), 1, row.size(), row.size(), 1, 1, 0, {}};
    for (const matmul_algorithm algorithm : hd::matmul_algorithms) {
      hd::impl::library_matmul(type, a, b, c.data(), where, algorithm);
      for (std::size_t i = 0; i < c.size(); ++i) {
        const double x = (i / row.size() < finite ? 1 : -1) * numbers[i / row.size() % finite];
        const auto product = static_cast<float>(x * factors[i % row.size()]);
        // A sum of products begins with +0, so that a product of -0 may be either zero.
        const std::uint16_t want = nearest(numbers, product), mask = product == 0 ? 0x7fff : 0xffff;
        ASSERT_EQ(c[i] & mask, want & mask) << name(algorithm) << ' ' << x << ' ' << factors[i % row.size()];
      }
    }
    // NaN and infinity stay what they are.
    const auto infinity = static_cast<std::uint16_t>(finite);
    const std::uint16_t special[] = {infinity, static_cast<std::uint16_t>(infinity + 1)};
    const hd::impl::matrix_operand s{special, 2, 1, 1, 1, 1, 0, {}}, one{row.data(), 1, 1, 1, 1, 1, 0, {}};
    hd::impl::library_matmul(type, s, one, c.data(), where, matmul_algorithm::blas);
    EXPECT_EQ(c[0], infinity);
    EXPECT_GT(c[1] & 0x7fff, infinity);
  }
}

TEST_P(matmul_of_16_bits, of_transposed_batches) {
  // Small whole numbers are what they are in bfloat16: the upper half of a float.
  const std::size_t batches = 3, m = 9, k = 20, n = 11;
  const auto bits = [](int x) {
    return static_cast<std::uint16_t>(__builtin_bit_cast(std::uint32_t, static_cast<float>(x)) >> 16);
  };
  const auto of_a = [](std::size_t i) { return static_cast<int>(i * 7 % 5) - 2; };
  const auto of_b = [](std::size_t i) { return static_cast<int>(i * 5 % 3) - 1; };
  std::vector<std::uint16_t> a(batches * m * k), b(n * k), c(batches * m * n);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = bits(of_a(i));
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = bits(of_b(i));
  const hd::impl::matrix_operand left{a.data(), m, k, k, 1, batches, m * k, {}},
      right{b.data(), k, n, 1, k, 1, 0, {}};  // n rows of k, transposed
  for (const matmul_algorithm algorithm : hd::matmul_algorithms) {
    hd::impl::library_matmul(hd::impl::matrix_type::bfloat16, left, right, c.data(), where, algorithm);
    for (std::size_t i = 0; i < c.size(); ++i) {
      int sum = 0;
      for (std::size_t x = 0; x < k; ++x) sum += of_a(i / n * k + x) * of_b(i % n * k + x);
      ASSERT_EQ(c[i], bits(sum)) << name(algorithm) << ' ' << i;
    }
  }
}

TEST(matmul_algorithms, have_three_names) {
  EXPECT_EQ(message_of([] { hd::parse_matmul_algorithm("fast"); }),
            "algorithm \"fast\": use blas, naive or tiled");
}

TEST(matmul_threads, share_rows_and_columns) {
  if (!has_openblas()) GTEST_SKIP() << "this machine has no OpenBLAS";
  const hd::array<float> a = random_matrix<float>({205, 190}, 1), b = random_matrix<float>({190, 230}, 2);
  const auto left = hd::impl::view_of_matrix(a), right = hd::impl::view_of_matrix(b);
  for (const int threads : {4, 6, 8})
    check_product<float>(hd::matmul(hd::target::parallel(threads), a, b), left, right,
                         std::to_string(threads) + " threads");
}

TEST(matmul_threads, of_several_callers_do_not_meet) {
  if (!has_openblas()) GTEST_SKIP() << "this machine has no OpenBLAS";
  // With different numbers of threads at once, for sides that are shared out.
  const hd::array<double> a = whole_numbers<double>({150, 160}, 1), b = whole_numbers<double>({160, 170}, 2);
  const hd::array<double> product = hd::matmul(hd::target::serial(), a, b);  // of whole numbers: exact
  ASSERT_TRUE(is_product(product, a, b));
  std::vector<std::thread> callers;
  std::vector<std::string> errors(4);
  for (std::size_t caller = 0; caller < errors.size(); ++caller) {
    callers.emplace_back([&, caller] {
      const hd::target where = caller % 2 == 0 ? hd::target::serial() : hd::target::parallel(2);
      for (int turn = 0; turn < 20; ++turn) {
        if (!same_elements(hd::matmul(where, a, b), product)) errors[caller] = "another product";
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(errors, std::vector<std::string>(4));
}

TEST(matmul_threads, are_not_those_of_openblas) {
  void* const openblas = dlopen("libopenblas.so.0", RTLD_LAZY);
  if (openblas == nullptr) GTEST_SKIP() << "this machine has no OpenBLAS";
  const auto set = reinterpret_cast<void (*)(int)>(dlsym(openblas, "openblas_set_num_threads"));
  const auto get = reinterpret_cast<int (*)()>(dlsym(openblas, "openblas_get_num_threads"));
  ASSERT_TRUE(set != nullptr && get != nullptr);
  const int before = get();
  // A program that uses OpenBLAS itself has as many as it had.
  for (const int threads : {1, 2}) {
    set(threads);
    const hd::array<double> a = whole_numbers<double>({150, 160}, 1),
                            b = whole_numbers<double>({160, 170}, 2);
    EXPECT_TRUE(is_product(hd::matmul(hd::target::parallel(3), a, b), a, b));
    EXPECT_EQ(get(), threads);
  }
  set(before);
}
