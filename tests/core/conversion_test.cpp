#include "tests/elements.hpp"
#include "tests/on_targets.hpp"
#include <heddle/array.hpp>
#include <heddle/impl/core/conversion.hpp>
#include <heddle/reduce.hpp>
#include <heddle/scan.hpp>
#include <heddle/segmented_reduce.hpp>
#include <heddle/transform.hpp>

#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

namespace hd = heddle;
using namespace heddle::tests;

namespace {

class conversion : public on_targets {};
HD_ON_ALL_TARGETS(conversion);

/// Whether all values of an integer From are ones of an integer To, by the limits of both.
template <class From, class To>
constexpr bool has_range_of() {
  return static_cast<__int128>(std::numeric_limits<From>::min()) >=
             static_cast<__int128>(std::numeric_limits<To>::min()) &&
         static_cast<__int128>(std::numeric_limits<From>::max()) <=
             static_cast<__int128>(std::numeric_limits<To>::max());
}

struct meters {
  float value;
  meters(float v) : value(v) {}
};

}  // namespace

TEST(conversions, of_numbers_keep_their_values_or_are_refused) {
  using hd::impl::keeps_values;
  for_each_dtype([]<class From>() {
    for_each_dtype([]<class To>() {
      constexpr bool keeps = keeps_values<From, To>();
      if constexpr (std::is_integral_v<From> && std::is_integral_v<To>) {
        static_assert(keeps == has_range_of<From, To>());
      } else if constexpr (std::is_integral_v<From>) {
        static_assert(keeps);
      } else if constexpr (std::is_integral_v<To>) {
        static_assert(!keeps);
      }
    });
    static_assert(keeps_values<From, meters>() && keeps_values<meters, From>());
  });
  static_assert(keeps_values<float, double>() && !keeps_values<double, float>());
  static_assert(keeps_values<float, std::complex<float>>() && !keeps_values<double, std::complex<float>>());
  static_assert(!keeps_values<std::complex<float>, float>());
  static_assert(keeps_values<std::complex<float>, std::complex<double>>() &&
                !keeps_values<std::complex<double>, std::complex<float>>());
  // int is what C++ makes of arithmetic on narrower integers.
  static_assert(hd::impl::keeps_results<int, std::int8_t>() && hd::impl::keeps_results<int, bool>());
  static_assert(!hd::impl::keeps_results<long, std::int8_t>() && !hd::impl::keeps_results<int, unsigned>());
}

TEST(conversions, of_arguments_are_looked_up_in_the_signature) {
  using hd::impl::takes_as_they_are;
  const auto of_ints = [](int a, int) { return a; };
  const auto of_anything = [](auto a, auto) { return a; };
  static_assert(takes_as_they_are<decltype(of_ints), int, std::int8_t>);
  static_assert(!takes_as_they_are<decltype(of_ints), float, int>);
  static_assert(!takes_as_they_are<decltype(of_ints), int, std::size_t>);
  static_assert(takes_as_they_are<decltype(of_anything), float, std::size_t>);
  static_assert(!takes_as_they_are<int (*)(const int&, int), double, double>);
  static_assert(takes_as_they_are<double (*)(double, double), std::int64_t, float>);
  static_assert(!takes_as_they_are<hd::monoid<decltype(of_ints), int>, float, float>);
  static_assert(!takes_as_they_are<hd::commutative_monoid<int (*)(int, int) noexcept, int>, float, float>);
  static_assert(takes_as_they_are<hd::monoid<hd::plus, int>, float, float>);
}

TEST_P(conversion, of_literals_keeps_working) {
  const std::vector<float> x{1, 2, 3.5};
  EXPECT_EQ(hd::reduce(where, x, hd::plus{}, 1), 7.5f);
  EXPECT_EQ(hd::reduce(where, x, hd::plus{}, 0.25), 6.75f);
  EXPECT_EQ(hd::inclusive_scan(where, x, hd::plus{}, 1).to_vector(), (std::vector<float>{2, 4, 7.5}));
  EXPECT_EQ(hd::transform_reduce(where, x, x, hd::multiplies{}, hd::plus{}, 1), 18.25f);
  const std::vector<std::int8_t> small{1, 2, 3};
  EXPECT_EQ(hd::reduce(where, small, hd::plus{}, -7), -1);
  const std::vector<std::size_t> sizes{1, 2, 3};
  EXPECT_EQ(hd::exclusive_scan(where, sizes, hd::plus{}, 5).to_vector(), (std::vector<std::size_t>{5, 6, 8}));
  const std::vector<std::complex<float>> z{{1, 2}, {3, 4}};
  EXPECT_EQ(hd::reduce(where, z, hd::plus{}, {1, -1}), (std::complex<float>{5, 5}));
  EXPECT_EQ(hd::reduce(where, z, hd::plus{}, 2), (std::complex<float>{6, 6}));
  hd::array<bool> flags(3, where);
  flags.fill(1);
  EXPECT_EQ(flags.to_vector(), (std::vector<bool>{true, true, true}));
}

TEST_P(conversion, of_a_value_that_does_not_fit_throws) {
  const std::vector<std::int8_t> small{1, 2, 3};
  const std::string remedy = ": give a value that the elements can hold";
  EXPECT_EQ(message_of([&] { (void)hd::reduce(where, small, hd::plus{}, 128); }), "128 is no int8" + remedy);
  EXPECT_EQ(hd::reduce(where, small, hd::minimum{}, -128), -128);
  EXPECT_EQ(message_of([&] { (void)hd::inclusive_scan(where, small, hd::plus{}, -129); }),
            "-129 is no int8" + remedy);
  const std::vector<std::uint64_t> large{1};
  EXPECT_EQ(message_of([&] { (void)hd::reduce(where, large, hd::plus{}, -1); }), "-1 is no uint64" + remedy);
  const std::vector<std::int64_t> with_sign{1};
  EXPECT_EQ(message_of([&] { (void)hd::reduce(where, with_sign, hd::plus{}, UINT64_MAX); }),
            "18446744073709551615 is no int64" + remedy);
  hd::array<bool> flags(2, where);
  EXPECT_EQ(message_of([&] { flags.fill(2); }), "2 is no bool" + remedy);
  hd::array<float> x(2, where);
  EXPECT_EQ(message_of([&] { x.fill(1e300); }), "1e+300 is no float32" + remedy);
  x.fill(std::numeric_limits<double>::infinity());
  EXPECT_EQ(x[1], std::numeric_limits<float>::infinity());
  hd::array<std::complex<float>> z(2, where);
  EXPECT_EQ(message_of([&] { z.set(-1e300, 1); }), "-1e+300 is no float32" + remedy);
  // What stands in a monoid is a value too.
  const auto sum = [](std::int8_t a, std::int8_t b) { return a + b; };
  if (where.is_cpu()) {
    EXPECT_EQ(message_of([&] { (void)hd::exclusive_scan(where, small, hd::monoid{sum, 1000}); }),
              "exclusive_scan: 3 int8 on " + where.text() + ": 1000 is no int8" + remedy);
  }
}

TEST(conversions, an_identity_need_not_have_the_type_of_the_elements) {
  const std::vector<float> x{0.5f, 0.25f, 0.125f};
  const auto sum = [](float a, float b) { return a + b; };
  EXPECT_EQ(hd::reduce(hd::target::serial(), x, hd::monoid{sum, 0}), 0.875f);
  EXPECT_EQ(hd::reduce(hd::target::parallel(2), x, hd::commutative_monoid{sum, 0}), 0.875f);
  EXPECT_EQ(hd::exclusive_scan(hd::target::serial(), x, hd::monoid{hd::plus{}, 0}).to_vector(),
            (std::vector<float>{0, 0.5f, 0.75f}));
  const std::vector<std::size_t> offsets{0, 2, 2, 3};
  EXPECT_EQ(hd::segmented_reduce(hd::target::serial(), x, offsets, hd::monoid{sum, 0}).to_vector(),
            (std::vector<float>{0.75f, 0, 0.125f}));
}
