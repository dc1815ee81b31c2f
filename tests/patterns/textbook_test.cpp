#include "tests/elements.hpp"
#include "tests/looped_scan.hpp"
#include "tests/on_targets.hpp"
#include "tests/sizes.hpp"
#include "tests/textbook_checks.hpp"
#include <heddle/for_each_index.hpp>
#include <heddle/machine.hpp>
#include <heddle/textbook.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

namespace hd = heddle;
using namespace heddle::tests;
using hd::reduce_algorithm, hd::scan_algorithm;

namespace {

class textbook : public on_targets {};
HD_ON_ALL_TARGETS(textbook);

/// Operators that a host compiler compiled: a GPU does not have them. Those that nvcc compiles are in
/// textbook_on_gpu_test.cu.
class textbook_by_users_operator : public on_targets {};
HD_ON_CPU_TARGETS(textbook_by_users_operator);

/// Whether tests are told to take so few elements that each launch must last very long, as under racecheck:
/// then one size of each kind does, and one type of each width beside a type with every operator.
bool takes_few_cases() {
  return largest_size() < 10'000;
}
template <class T, class Op>
bool takes_case() {
  return !takes_few_cases() || std::is_same_v<T, std::int32_t> ||
         (is_one_of<Op, hd::plus> && is_one_of<T, std::int8_t, std::uint16_t, std::uint64_t>) ||
         (is_one_of<Op, hd::logical_and> && is_one_of<T, std::complex<double>>);
}
std::vector<std::size_t> exact_sizes() {
  return takes_few_cases() ? std::vector<std::size_t>{1, 2, 33, 257, 1024, 1025, 4097} : textbook_sizes();
}

/// Rungs whose grouping is fixed by the number of elements, and the same on every target.
bool has_fixed_order(reduce_algorithm algorithm) {
  return algorithm != reduce_algorithm::atomic && algorithm != reduce_algorithm::tree;
}

template <class T, class Op>
T reduced(const hd::array<T>& x) {
  const auto seen = [](T value) { return hd::impl::is_logical<Op> ? T(value != T(0)) : value; };
  T sum = seen(x.data()[0]);
  for (std::size_t i = 1; i < x.size(); ++i) sum = plainly<Op>(sum, seen(x.data()[i]));
  return sum;
}

/// Every method of the library for one operator on one type; not a template, which compiles 100 times slower.
void check_library_reduce(const hd::target& where, hd::runtime_op op, hd::dtype type, const void* x,
                          std::size_t n, const void* want) {
  const std::size_t bytes = hd::size_of(type);
  const hd::memory there(n * bytes, where), result(bytes, where);
  hd::copy(there.data(), where, x, hd::target(), n * bytes);
  for (const reduce_algorithm algorithm : hd::reduce_algorithms) {
    hd::impl::library_reduce_by(algorithm, op, type, there.data(), n, result.data(), where);
    std::vector<std::byte> have(bytes);
    hd::copy(have.data(), hd::target(), result.data(), where, bytes);
    ASSERT_EQ(std::memcmp(have.data(), want, bytes), 0)
        << hd::name(type) << ", " << hd::name(op) << ", " << hd::name(algorithm) << ", n = " << n;
  }
}

/// The scans likewise, into another array and in place.
void check_library_scan(const hd::target& where, hd::runtime_op op, hd::dtype type, bool exclusive,
                        const void* x, std::size_t n, const void* init, const void* want) {
  const std::size_t bytes = n * hd::size_of(type);
  const hd::memory there(bytes, where), out(bytes, where);
  for (const scan_algorithm algorithm : hd::scan_algorithms) {
    hd::copy(there.data(), where, x, hd::target(), bytes);
    for (void* const to : {out.data(), there.data()}) {
      hd::impl::library_scan_by(algorithm, op, type, exclusive, there.data(), n, init, to, where);
      std::vector<std::byte> have(bytes);
      hd::copy(have.data(), hd::target(), to, where, bytes);
      ASSERT_EQ(std::memcmp(have.data(), want, bytes), 0)
          << hd::name(type) << ", " << hd::name(op) << ", " << hd::name(algorithm) << ", n = " << n
          << (exclusive ? ", exclusive" : ", inclusive") << (init != nullptr ? ", with init" : "")
          << (to == there.data() ? ", in place" : "");
    }
  }
}

template <class T>
using part_of = decltype(std::abs(T()));

/// Parts of the numbers of x, as long double.
template <class T>
std::vector<std::vector<long double>> parts_of(const hd::array<T>& x) {
  constexpr std::size_t parts = hd::is_complex<T> ? 2 : 1;
  std::vector<std::vector<long double>> all(parts);
  for (std::size_t i = 0; i < parts * x.size(); ++i)
    all[i % parts].push_back(reinterpret_cast<const part_of<T>*>(x.data())[i]);
  return all;
}

/// Roundings that look random: as far as a walk of that many steps gets, times the sum of magnitudes.
template <class T>
long double bound(std::size_t steps, long double magnitude) {
  return (4 + std::sqrt(static_cast<long double>(steps))) * std::numeric_limits<part_of<T>>::epsilon() *
         magnitude;
}

}  // namespace

TEST(textbook_names, are_read_as_they_are_written) {
  for (const reduce_algorithm algorithm : hd::reduce_algorithms)
    EXPECT_EQ(hd::parse_reduce_algorithm(hd::name(algorithm)), algorithm);
  for (const scan_algorithm algorithm : hd::scan_algorithms)
    EXPECT_EQ(hd::parse_scan_algorithm(hd::name(algorithm)), algorithm);
  EXPECT_EQ(hd::parse_reduce_algorithm("two-pass"), reduce_algorithm::two_pass);
  EXPECT_EQ(hd::parse_scan_algorithm("hillis-steele"), scan_algorithm::hillis_steele);
  EXPECT_EQ(message_of([] { hd::parse_reduce_algorithm("blelloch"); }),
            "'blelloch' is no algorithm of reduce (single-pass, atomic, block-serial, interleaved, tree, "
            "two-pass, shuffle are)");
  EXPECT_EQ(message_of([] { hd::parse_scan_algorithm("Blelloch"); }),
            "'Blelloch' is no algorithm of scan (single-pass, hillis-steele, blelloch are)");
}

TEST(textbook_cost, is_what_the_formulas_give) {
  using cost = hd::algorithm_cost;
  constexpr std::size_t n = 1'000'000, blocks = 3907, s = 4;
  EXPECT_EQ(hd::cost_of(reduce_algorithm::atomic, n, s), (cost{n - 1, n - 1, 2, (3 * n - 1) * s}));
  EXPECT_EQ(hd::cost_of(reduce_algorithm::block_serial, n, s),
            (cost{n - 1, 255 + 255 + 15, 3, (n + 2 * blocks + 2 * 16 + 1) * s}));
  EXPECT_EQ(hd::cost_of(reduce_algorithm::interleaved, n, s),
            (cost{n - 1, 8 + 8 + 4, 3, (n + 2 * blocks + 2 * 16 + 1) * s}));
  EXPECT_EQ(hd::cost_of(reduce_algorithm::shuffle, n, s), hd::cost_of(reduce_algorithm::interleaved, n, s));
  EXPECT_EQ(hd::cost_of(reduce_algorithm::tree, n, s),
            (cost{n - 1, 8 + blocks - 1, 2, (n + 2 * blocks - 1) * s}));
  EXPECT_EQ(hd::cost_of(reduce_algorithm::tree, n, s, false),
            hd::cost_of(reduce_algorithm::interleaved, n, s));
  EXPECT_EQ(hd::cost_of(reduce_algorithm::two_pass, n, s),
            (cost{blocks * 255 + 4095, 8 + 15 + 8, 2, (n + 2 * blocks + 1) * s}));
  EXPECT_EQ(hd::cost_of(scan_algorithm::hillis_steele, n, s),
            (cost{20 * n - 0xfffff, 20, 20, (60 * n - 0xfffff) * s}));
  EXPECT_EQ(hd::cost_of(scan_algorithm::hillis_steele, 1024, s),
            (cost{10 * 1024 - 1023, 10, 1, 2 * 1024 * s}));
  EXPECT_EQ(hd::cost_of(scan_algorithm::blelloch, n, s),
            (cost{2 * 0xfffff, 39, 43, (3 * n + 8 * 0x100000 - 4) * s}));
  for (const reduce_algorithm algorithm : hd::reduce_algorithms) {
    if (algorithm == reduce_algorithm::single_pass) continue;
    EXPECT_EQ(hd::cost_of(algorithm, 0, s), cost{}) << hd::name(algorithm);
  }
  for (const scan_algorithm algorithm : hd::scan_algorithms) {
    if (algorithm == scan_algorithm::single_pass) continue;
    EXPECT_EQ(hd::cost_of(algorithm, 0, s), cost{}) << hd::name(algorithm);
  }
}

TEST(textbook_cost, is_not_given_for_the_default) {
  for (const std::size_t n : {0, 1, 1000}) {
    EXPECT_EQ(message_of([&] { hd::cost_of(reduce_algorithm::single_pass, n, 4); }),
              "cost_of: single-pass is tuned to each target and has no one cost: docs/reference/reduce.md "
              "says what it "
              "does; ask for the cost of another algorithm");
    EXPECT_EQ(message_of([&] { hd::cost_of(scan_algorithm::single_pass, n, 4); }),
              "cost_of: single-pass is tuned to each target and has no one cost: docs/reference/scan.md says "
              "what it "
              "does; ask for the cost of another algorithm");
  }
}

TEST_P(textbook, reduces_by_exact_operators_as_a_loop_does) {
  for_each_dtype([&]<class T>() {
    for_each_operator<T>([&]<class Op>() {
      if constexpr (is_exact<T, Op>) {
        if (!takes_case<T, Op>()) return;
        for (const std::size_t n : exact_sizes()) {
          const hd::array<T> x = operands<T, Op>(n);
          const T want = reduced<T, Op>(x);
          check_library_reduce(where, hd::impl::function_of<Op>, hd::dtype_of<T>, x.data(), n, &want);
        }
      }
    });
  });
}

TEST_P(textbook, reduces_many_elements) {
  std::set<std::size_t> sizes{std::min<std::size_t>(65'537, largest_size())};
  if (!seeks_races) {
    for (const std::size_t n : {65'535, 1'000'003, 10'000'000}) sizes.insert(std::min(n, largest_size()));
  }
  for (const std::size_t n : sizes) {
    const hd::array<std::uint32_t> x = operands<std::uint32_t, hd::plus>(n), there = x.on(where);
    const std::uint32_t want = reduced<std::uint32_t, hd::plus>(x);
    for (const reduce_algorithm algorithm : hd::reduce_algorithms) {
      EXPECT_EQ(hd::reduce(where, there, hd::plus{}, algorithm), want)
          << hd::name(algorithm) << ", n = " << n;
      EXPECT_EQ(hd::reduce(where, x, hd::plus{}, 5, algorithm), want + 5) << hd::name(algorithm);
    }
  }
}

TEST_P(textbook, rounds_sums_within_the_bound_of_its_longest_chain) {
  for_each_type<float, double, std::complex<float>, std::complex<double>>([&]<class T>() {
    for (const std::size_t n : {1, 2, 33, 257, 1000, 4097, 70'001}) {
      if ((takes_few_cases() && n > largest_size()) || (seeks_races && n > 5000)) continue;
      const hd::array<T> x = operands<T, hd::plus>(n), there = x.on(where);
      const auto parts = parts_of(x);
      for (const reduce_algorithm algorithm : hd::reduce_algorithms) {
        const T have = hd::reduce(where, there, hd::plus{}, algorithm);
        const bool is_textbook = algorithm != reduce_algorithm::single_pass;
        const std::size_t steps =
            is_textbook ? std::max<std::size_t>(hd::cost_of(algorithm, n, sizeof(T)).steps, 50) : 50;
        for (std::size_t p = 0; p < parts.size(); ++p) {
          long double sum = 0, magnitude = 0;
          for (const long double value : parts[p]) sum += value, magnitude += std::abs(value);
          EXPECT_LE(std::abs(reinterpret_cast<const part_of<T>*>(&have)[p] - sum), bound<T>(steps, magnitude))
              << hd::impl::type_name<T>() << ", " << hd::name(algorithm) << ", n = " << n;
        }
        if (has_fixed_order(algorithm)) {
          // A fixed order has the same bits again, and on every target.
          ASSERT_TRUE(same_bits(hd::reduce(where, there, hd::plus{}, algorithm), have))
              << hd::name(algorithm);
          ASSERT_TRUE(same_bits(hd::reduce(hd::target::serial(), x, hd::plus{}, algorithm), have))
              << hd::impl::type_name<T>() << ", " << hd::name(algorithm) << ", n = " << n;
        }
      }
    }
  });
}

TEST_P(textbook, rounds_products_within_the_bound) {
  for_each_type<float, double, std::complex<float>, std::complex<double>>([&]<class T>() {
    using wide = std::conditional_t<hd::is_complex<T>, std::complex<long double>, long double>;
    for (const std::size_t n : {1, 2, 33, 257, 1000, 4097}) {
      const hd::array<T> x = operands<T, hd::multiplies>(n);
      wide want = 1;
      for (std::size_t i = 0; i < n; ++i) want *= wide(x.data()[i]);
      for (const reduce_algorithm algorithm : hd::reduce_algorithms) {
        const T have = hd::reduce(where, x, hd::multiplies{}, algorithm);
        EXPECT_LE(std::abs(wide(have) - want), bound<T>(n, std::abs(want)))
            << hd::impl::type_name<T>() << ", " << hd::name(algorithm) << ", n = " << n;
      }
    }
  });
}

TEST_P(textbook, scans_by_exact_operators_as_a_loop_does) {
  for_each_dtype([&]<class T>() {
    for_each_operator<T>([&]<class Op>() {
      if constexpr (is_exact<T, Op>) {
        if (!takes_case<T, Op>()) return;
        for (const std::size_t n : exact_sizes()) {
          const hd::array<T> x = operands<T, Op>(n);
          const T given = operand<T, Op>(n / 3 + 7, n + 50);
          for (unsigned v = 0; v < 4; ++v) {
            const variant how(v);
            const hd::array<T> want = looped_by<T, Op>(x, how, given);
            // As inclusive_scan and exclusive_scan call the library.
            const T init = how.has_init ? hd::impl::lift<Op>(given) : hd::impl::identity_of<Op, T>(Op{});
            check_library_scan(where, hd::impl::function_of<Op>, hd::dtype_of<T>, how.exclusive, x.data(), n,
                               how.has_init || how.exclusive ? &init : nullptr, want.data());
          }
        }
      }
    });
  });
}

TEST_P(textbook, scans_many_elements) {
  for (std::size_t n : {std::size_t{65'537}, std::size_t{1'000'003}}) {
    if (seeks_races && n > largest_size()) continue;
    n = std::min(n, largest_size());
    const hd::array<std::uint32_t> x = operands<std::uint32_t, hd::plus>(n);
    const hd::array<std::uint32_t> want = looped_by<std::uint32_t, hd::plus>(x, variant(0), 0);
    for (const scan_algorithm algorithm : hd::scan_algorithms) {
      EXPECT_TRUE(same_elements(hd::inclusive_scan(where, x, hd::plus{}, algorithm), want))
          << hd::name(algorithm);
      hd::array<std::uint32_t> exclusive = x.on(where);
      hd::exclusive_scan_into(where, exclusive, exclusive, hd::plus{}, 7, algorithm);
      EXPECT_TRUE(same_elements(exclusive, looped_by<std::uint32_t, hd::plus>(x, variant(3), 7)))
          << hd::name(algorithm);
    }
  }
}

TEST_P(textbook, rounds_sums_of_scans_within_the_bound) {
  for_each_type<float, double, std::complex<float>, std::complex<double>>([&]<class T>() {
    for (const std::size_t n : {1, 33, 1000, 1024, 1025, 4097, 70'001}) {
      if ((takes_few_cases() && n > largest_size()) || (seeks_races && n > 5000)) continue;
      const hd::array<T> x = operands<T, hd::plus>(n);
      const auto parts = parts_of(x);
      for (const scan_algorithm algorithm : hd::scan_algorithms) {
        const hd::array<T> have = hd::inclusive_scan(where, x, hd::plus{}, algorithm);
        const hd::array<T> on_cpu = have.on(hd::target::serial());
        const auto scanned = parts_of(on_cpu);
        for (std::size_t p = 0; p < parts.size(); ++p) {
          long double sum = 0, magnitude = 0;
          for (std::size_t i = 0; i < n; ++i) {
            sum += parts[p][i];
            magnitude += std::abs(parts[p][i]);
            ASSERT_LE(std::abs(scanned[p][i] - sum), bound<T>(50, magnitude))
                << hd::impl::type_name<T>() << ", " << hd::name(algorithm) << ", n = " << n << ", element "
                << i;
          }
        }
        ASSERT_TRUE(same_elements(hd::inclusive_scan(where, x, hd::plus{}, algorithm), have))
            << hd::name(algorithm);
        if (algorithm == scan_algorithm::single_pass) continue;
        ASSERT_TRUE(same_elements(hd::inclusive_scan(hd::target::serial(), x, hd::plus{}, algorithm), have))
            << hd::impl::type_name<T>() << ", " << hd::name(algorithm) << ", n = " << n;
      }
    }
  });
}

TEST_P(textbook, propagates_nan_and_returns_the_plain_one) {
  std::vector<float> x(1000, 1.0f);
  x[700] = -std::numeric_limits<float>::quiet_NaN();
  for (const reduce_algorithm algorithm : hd::reduce_algorithms) {
    EXPECT_TRUE(
        same_bits(hd::reduce(where, x, hd::minimum{}, algorithm), std::numeric_limits<float>::quiet_NaN()));
    EXPECT_TRUE(
        same_bits(hd::reduce(where, x, hd::plus{}, algorithm), std::numeric_limits<float>::quiet_NaN()));
  }
  for (const scan_algorithm algorithm : hd::scan_algorithms) {
    const auto largest = hd::inclusive_scan(where, x, hd::maximum{}, algorithm).to_vector();
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(std::isnan(largest[i]), i >= 700) << i;
  }
}

TEST_P(textbook, combines_nothing_as_the_default_does) {
  const hd::array<float> nothing(0);
  for (const reduce_algorithm algorithm : hd::reduce_algorithms) {
    EXPECT_EQ(hd::reduce(where, nothing, hd::plus{}, algorithm), 0);
    EXPECT_EQ(hd::reduce(where, nothing, hd::multiplies{}, 3, algorithm), 3);
    EXPECT_EQ(message_of([&] { hd::reduce(where, nothing, hd::minimum{}, algorithm); }),
              "reduce: 0 float32: there are no elements, and the operator has no identity to return: give an "
              "initial value");
  }
  for (const scan_algorithm algorithm : hd::scan_algorithms) {
    EXPECT_EQ(hd::inclusive_scan(where, nothing, hd::plus{}, algorithm).size(), 0u);
    EXPECT_EQ(hd::exclusive_scan(where, nothing, hd::plus{}, 3.0f, algorithm).size(), 0u);
  }
}

TEST_P(textbook, takes_arrays_of_any_shape_flat) {
  hd::array<int> x({3, 4, 5});
  for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = static_cast<int>(i);
  for (const reduce_algorithm algorithm : hd::reduce_algorithms)
    EXPECT_EQ(hd::reduce(where, x, hd::plus{}, algorithm), 1770);
  for (const scan_algorithm algorithm : hd::scan_algorithms) {
    const hd::array<int> sums = hd::inclusive_scan(where, x, hd::plus{}, algorithm);
    EXPECT_EQ(sums.shape(), x.shape());
    EXPECT_EQ(sums.back(), 1770);
  }
}

TEST_P(textbook, counts_beyond_32_bits) {
  constexpr std::size_t n = (std::size_t{1} << 32) + 3;
  if (!where.is_gpu()) GTEST_SKIP() << "a GPU has room and time for them";
  if (largest_size() < n) GTEST_SKIP() << "HEDDLE_TEST_LARGEST is less than " << n;
  // Every index has an element of its own: none can stand for another.
  hd::array<std::uint8_t> x(n);
  hd::for_each_index(hd::target::parallel(), hd::extent{n}, [values = x.data()](std::size_t i) {
    values[i] = static_cast<std::uint8_t>(random_bits(i) % 255 + 1);
  });
  std::uint8_t sum = 0;
  for (const std::uint8_t value : x.span()) sum = static_cast<std::uint8_t>(sum + value);
  hd::array<std::uint8_t> there = x.on(where);
  for (const reduce_algorithm algorithm : hd::reduce_algorithms) {
    EXPECT_EQ(hd::reduce(where, there, hd::plus{}, algorithm), sum) << hd::name(algorithm);
    for (const std::size_t place : {std::size_t{1}, n / 2, n - 1}) {
      there.set(0, place);
      EXPECT_EQ(hd::reduce(where, there, hd::minimum{}, algorithm), 0)
          << hd::name(algorithm) << " with the least at " << place;
      there.set(x[place], place);
    }
  }
  for (const scan_algorithm algorithm : hd::scan_algorithms) {
    const auto sums = hd::inclusive_scan(where, there, hd::plus{}, algorithm).on(hd::target::serial());
    std::uint8_t want = 0;
    for (std::size_t i = 0; i < n; ++i) {
      want = static_cast<std::uint8_t>(want + x.data()[i]);
      if (sums.data()[i] != want) FAIL() << hd::name(algorithm) << ", element " << i;
    }
  }
}

TEST_P(textbook_by_users_operator, is_what_a_loop_computes) {
  check_matrices(where, triangular{1, 0, 1}, textbook_sizes());
  matrix5 unit{};
  for (int i = 0; i < 5; ++i) unit.at[i][i] = 1;
  check_matrices(where, unit, {1, 33, 257, 1025});
  check_ends(where);
  check_pairs_of_sums(where);
  check_colours(where);
  check_runs(where);
}

TEST_P(textbook_by_users_operator, is_a_lambda_that_captures) {
  const auto modular_sum = [modulus = 251u](unsigned a, unsigned b) { return (a + b) % modulus; };
  const auto number = [](std::size_t i) { return static_cast<unsigned>(random_bits(i) % 251); };
  const std::vector<std::size_t> sizes{1, 257, 1025, 4097};
  check_reduce_by_methods<unsigned>(where, modular_sum, number, sizes);
  check_reduce_by_methods<unsigned>(where, hd::commutative_monoid{modular_sum, 0u}, number, sizes);
  check_scan_by_methods<unsigned>(where, hd::monoid{modular_sum, 0u}, number, sizes);
}

TEST_P(textbook_by_users_operator, costs_what_it_says) {
  check_costs<16>(where, sizes_to_count());
  check_costs<200>(where, few_sizes_to_count());   // blocks of 128
  check_costs<1200>(where, few_sizes_to_count());  // blocks of 16
}

TEST_P(textbook_by_users_operator, leads_to_a_default_that_does_as_little_as_it_says) {
  // What docs/reference/reduce.md and docs/reference/scan.md say of a CPU.
  for (const std::size_t n : {1, 2, 257, 4097, 70'001, 1'000'003}) {
    if (n > largest_size()) continue;
    const auto x = counted_elements<16>(n);
    take_work(where);
    hd::reduce(where, x, counting_sum<16, true>{}, reduce_algorithm::single_pass);
    EXPECT_EQ(take_work(where).operations, n - 1) << n;
    hd::reduce(where, x, counting_sum<16, false>{}, reduce_algorithm::single_pass);
    EXPECT_EQ(take_work(where).operations, n - 1) << n;
    const auto sums = hd::inclusive_scan(where, x, counting_sum<16, false>{}, scan_algorithm::single_pass);
    const double operations = static_cast<double>(take_work(where).operations);
    EXPECT_GE(operations, n - 1.0) << n;
    EXPECT_LE(operations, (where.threads() == 1 ? 2.65 : 3.65) * static_cast<double>(n)) << n;
  }
}

TEST_P(textbook_by_users_operator, says_which_methods_take_an_operator) {
  const hd::array<int> x = operands<int, hd::plus>(100);
  EXPECT_EQ(message_of([&] { hd::reduce(where, x, right_of_two{}, reduce_algorithm::atomic); }),
            "reduce: 100 int32 on " + where.text() +
                ": atomic combines in any order, and the operator does not commute: block-serial, "
                "interleaved, tree, two-pass, shuffle and single-pass keep the order of the operands");
  EXPECT_EQ(message_of([&] { hd::reduce(where, x, right_of_two{}, reduce_algorithm::two_pass); }),
            "reduce: 100 int32 on " + where.text() +
                ": two-pass pads with the operator's identity, and this one has none: give "
                "hd::monoid{function, identity}, or take another algorithm, none of which pads");
  EXPECT_EQ(message_of([&] { hd::inclusive_scan(where, x, right_of_two{}, scan_algorithm::blelloch); }),
            "inclusive_scan: 100 int32 on " + where.text() +
                ": blelloch pads with the operator's identity, and this one has none: give "
                "hd::monoid{function, identity}, or take hillis-steele or single-pass, which do not pad");
  EXPECT_EQ(message_of([&] { hd::exclusive_scan(where, x, right_of_two{}, scan_algorithm::hillis_steele); }),
            "exclusive_scan: 100 int32 on " + where.text() +
                ": the operator has no identity to begin with: give an initial value, or "
                "hd::monoid{function, identity}");
}

TEST(textbook_on_gpu, needs_nvcc_for_a_users_operator) {
  if (hd::gpus().empty()) GTEST_SKIP() << "this machine has no GPU";
  const hd::array<int> x = operands<int, hd::plus>(100);
  EXPECT_NE(message_of([&] {
              hd::reduce(hd::target::gpu(), x, right_of_two{}, reduce_algorithm::tree);
            }).find("compile this file with nvcc"),
            std::string::npos);
  EXPECT_NE(message_of([&] {
              hd::inclusive_scan(hd::target::gpu(), x, right_of_two{}, scan_algorithm::hillis_steele);
            }).find("compile this file with nvcc"),
            std::string::npos);
}
