#include "tests/elements.hpp"
#include "tests/on_targets.hpp"
#include "tests/patterns/any_arrays/array_lines.hpp"
#include <heddle/any_array.hpp>
#include <heddle/any_patterns.hpp>

#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

// Patterns on arrays of any type, compared with loops in wider numbers. The elements fill their types.

namespace hd = heddle;
using namespace heddle::tests;

namespace {

class any_patterns : public on_targets {};
HD_ON_ALL_TARGETS(any_patterns);

template <class T, class Op>
hd::array<T> operands_of(const hd::shape& all) {
  return made_by<T>(all, [&](std::size_t i) { return operand<T, Op>(i, all.elements()); });
}

template <class Op>
constexpr bool is_logical = is_one_of<Op, hd::logical_and, hd::logical_or, hd::logical_xor>;

template <class Op, class T>
wide<T> as_operand(T x) {
  return is_logical<Op> ? wide<T>(x != T(0)) : static_cast<wide<T>>(x);
}

/// Each line of x combined: the elements before each place, and with it of an inclusive scan.
template <class Op, class T>
std::vector<wide<T>> scanned(const hd::array<T>& x, const lines& l, bool exclusive,
                             const std::optional<T>& init = {}) {
  std::vector<wide<T>> result(x.size());
  for (std::size_t line = 0; line < l.count(); ++line) {
    std::optional<wide<T>> so_far;
    if (init) so_far = as_operand<Op>(*init);
    for (std::size_t k = 0; k < l.length; ++k) {
      const wide<T> element = as_operand<Op>(static_cast<T>(x.data()[l.at(line, k)]));
      if (exclusive) result[l.at(line, k)] = *so_far;
      so_far = so_far ? plainly<Op>(static_cast<wide<T>>(*so_far), element) : element;
      if (!exclusive) result[l.at(line, k)] = *so_far;
    }
  }
  return result;
}
/// What each line combines to, which begins with `init` where there is one.
template <class Op, class T>
std::vector<wide<T>> reduced(const hd::array<T>& x, const lines& l, const std::optional<T>& init = {}) {
  const std::vector<wide<T>> all = scanned<Op>(x, l, false, init);
  std::vector<wide<T>> result;
  for (std::size_t line = 0; line < l.count(); ++line)
    result.push_back(l.length == 0 ? as_operand<Op>(*init) : all[l.at(line, l.length - 1)]);
  return result;
}

/// Rounding errors of combining n elements, of sums of which none is larger than 2 and products near 1: they
/// add up as the steps of a random walk do.
template <class Op>
long double steps_of(std::size_t n) {
  return is_one_of<Op, hd::plus, hd::multiplies> ? 2 * std::sqrt(static_cast<long double>(n)) : 0;
}

template <class T, class Op>
std::string what(const lines& l) {
  return std::string(hd::name(hd::impl::function_of<Op>)) + " of " + hd::name(hd::dtype_of<T>) + " " +
         l.whole().text();
}

/// The sums of line's elements with exp(sign·2πi·jk/n) of every line along each of the axes.
std::vector<long_complex> fourier_sums(std::vector<long_complex> x, const hd::shape& all,
                                       const std::vector<std::size_t>& axes, int sign) {
  for (const std::size_t axis : axes) {
    const lines l = lines_along(all, axis);
    const std::vector<long_complex> from = x;
    for (std::size_t line = 0; line < l.count(); ++line) {
      for (std::size_t k = 0; k < l.length; ++k) {
        long_complex sum = 0;
        for (std::size_t j = 0; j < l.length; ++j) {
          const long double turn = static_cast<long double>(j * k % l.length) / l.length;
          sum += from[l.at(line, j)] * std::polar(1.0L, sign * 2 * std::numbers::pi_v<long double> * turn);
        }
        x[l.at(line, k)] = sum;
      }
    }
  }
  return x;
}
/// The elements k < count of each line.
std::vector<long_complex> beginnings(const std::vector<long_complex>& x, const lines& l, std::size_t count) {
  const lines shorter{l.outer, count, l.inner};
  std::vector<long_complex> result(shorter.size());
  for (std::size_t line = 0; line < l.count(); ++line) {
    for (std::size_t k = 0; k < count; ++k) result[shorter.at(line, k)] = x[l.at(line, k)];
  }
  return result;
}

template <class T>
std::vector<long_complex> as_complex(const hd::array<T>& x) {
  std::vector<long_complex> result;
  for (const T& element : x) result.push_back(static_cast<long_complex>(static_cast<wide<T>>(element)));
  return result;
}

}  // namespace

TEST_P(any_patterns, reduce_all_elements_and_along_an_axis) {
  for_each_dtype([&]<class T>() {
    for_each_operator<T>([&]<class Op>() {
      constexpr hd::runtime_op op = hd::impl::function_of<Op>;
      const T init = operand<T, Op>(7, 9);
      for (const lines& l : shapes) {
        const hd::array<T> x = operands_of<T, Op>(l.whole());
        const hd::any_array given(hd::any_const_view(x).on(where));
        const long double steps = steps_of<Op>(l.length + 1);
        ASSERT_TRUE(
            holds<T>(hd::reduce(where, given, hd::axis{1}, op, init), reduced<Op, T>(x, l, init), steps))
            << what<T, Op>(l);
        hd::any_array begun(hd::dtype_of<T>, l.others(), where);
        hd::reduce_into(where, begun, given, hd::axis{-2}, op, init);
        ASSERT_TRUE(holds<T>(begun, reduced<Op, T>(x, l, init), steps)) << what<T, Op>(l);

        const lines flat{1, x.size(), 1};
        const long double flat_steps = steps_of<Op>(x.size() + 1);
        hd::any_array one(hd::dtype_of<T>, {1}, where);
        one.set(hd::reduce(where, given, op, init), 0);
        ASSERT_TRUE(holds<T>(one, reduced<Op, T>(x, flat, init), flat_steps)) << what<T, Op>(l);
        hd::reduce_into(where, one, given, op, init);
        ASSERT_TRUE(holds<T>(one, reduced<Op, T>(x, flat, init), flat_steps)) << what<T, Op>(l);

        if (l.length == 0 || x.size() == 0) continue;
        ASSERT_TRUE(holds<T>(hd::reduce(where, given, hd::axis{1}, op), reduced<Op, T>(x, l), steps))
            << what<T, Op>(l);
        one.set(hd::reduce(where, given, op), 0);
        ASSERT_TRUE(holds<T>(one, reduced<Op, T>(x, flat), flat_steps)) << what<T, Op>(l);
      }
    });
  });
}

TEST_P(any_patterns, scan_all_elements_and_along_an_axis) {
  for_each_dtype([&]<class T>() {
    for_each_operator<T>([&]<class Op>() {
      constexpr hd::runtime_op op = hd::impl::function_of<Op>;
      const T init = operand<T, Op>(7, 9);
      const T identity = hd::identity(op, hd::dtype_of<T>).template as<T>();
      for (const lines& l : shapes) {
        const hd::array<T> x = operands_of<T, Op>(l.whole());
        const hd::any_array given(hd::any_const_view(x).on(where));
        const lines flat{1, x.size(), 1};
        const long double steps = steps_of<Op>(l.length + 1), flat_steps = steps_of<Op>(x.size() + 1);
        const hd::axis middle{1};
        ASSERT_TRUE(holds<T>(hd::inclusive_scan(where, given, middle, op), scanned<Op>(x, l, false), steps))
            << what<T, Op>(l);
        ASSERT_TRUE(holds<T>(hd::inclusive_scan(where, given, middle, op, init),
                             scanned<Op, T>(x, l, false, init), steps))
            << what<T, Op>(l);
        ASSERT_TRUE(holds<T>(hd::exclusive_scan(where, given, middle, op),
                             scanned<Op, T>(x, l, true, identity), steps))
            << what<T, Op>(l);
        ASSERT_TRUE(holds<T>(hd::exclusive_scan(where, given, middle, op, init),
                             scanned<Op, T>(x, l, true, init), steps))
            << what<T, Op>(l);
        hd::any_array out(hd::dtype_of<T>, l.whole(), where);
        hd::inclusive_scan_into(where, out, given, hd::axis{-2}, op, init);
        ASSERT_TRUE(holds<T>(out, scanned<Op, T>(x, l, false, init), steps)) << what<T, Op>(l);
        hd::exclusive_scan_into(where, out, given, hd::axis{-2}, op, init);
        ASSERT_TRUE(holds<T>(out, scanned<Op, T>(x, l, true, init), steps)) << what<T, Op>(l);

        const hd::any_array sums = hd::inclusive_scan(where, given, op, init);
        ASSERT_EQ(sums.shape(), x.shape());
        ASSERT_TRUE(holds<T>(sums, scanned<Op, T>(x, flat, false, init), flat_steps)) << what<T, Op>(l);
        ASSERT_TRUE(holds<T>(hd::exclusive_scan(where, given, op), scanned<Op, T>(x, flat, true, identity),
                             flat_steps))
            << what<T, Op>(l);
        hd::exclusive_scan_into(where, out, given, op, init);
        ASSERT_TRUE(holds<T>(out, scanned<Op, T>(x, flat, true, init), flat_steps)) << what<T, Op>(l);
      }
    });
  });
}

TEST(any_identity, changes_no_element) {
  for_each_dtype([&]<class T>() {
    for_each_operator<T>([&]<class Op>() {
      const T identity = hd::identity(hd::impl::function_of<Op>, hd::dtype_of<T>).template as<T>();
      const auto unchanged = [&](T x) {
        x = static_cast<T>(as_operand<Op>(x));
        EXPECT_EQ(plainly<Op>(identity, x), x) << what<T, Op>({1, 1, 1});
        EXPECT_EQ(plainly<Op>(x, identity), x) << what<T, Op>({1, 1, 1});
      };
      for (std::size_t i = 0; i < 50; ++i) unchanged(random_value<T>(i));
      if constexpr (!hd::is_complex<T>) {
        unchanged(std::numeric_limits<T>::max());
        unchanged(std::numeric_limits<T>::lowest());
        if constexpr (std::numeric_limits<T>::has_infinity) {
          unchanged(std::numeric_limits<T>::infinity());
          unchanged(-std::numeric_limits<T>::infinity());
        }
      }
    });
  });
}

TEST_P(any_patterns, sum_in_a_wider_type_along_an_axis) {
  for_each_dtype([&]<class T>() {
    using sum = std::conditional_t<hd::is_complex<T>, std::complex<double>, double>;
    using exact = wide<sum>;
    for (const lines& l : shapes) {
      // No partial sum of these integers is beyond 2^53.
      const hd::array<T> x = made_by<T>(l.whole(), [](std::size_t i) {
        using part = std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>;
        return std::is_integral_v<T> ? static_cast<T>(random_value<part>(i)) : random_value<T>(i);
      });
      std::vector<exact> want(l.count());
      for (std::size_t line = 0; line < l.count(); ++line) {
        for (std::size_t k = 0; k < l.length; ++k)
          want[line] += static_cast<exact>(static_cast<wide<T>>(x.data()[l.at(line, k)]));
      }
      hd::any_array out(hd::dtype_of<sum>, l.others(), where);
      hd::reduce_into(where, out, hd::any_const_view(x), hd::axis{1});
      const long double steps = std::is_integral_v<T> ? 0 : steps_of<hd::plus>(l.length);
      ASSERT_TRUE(holds<sum>(out, want, steps)) << what<T, hd::plus>(l);
    }
  });
}

TEST_P(any_patterns, transform_every_value) {
  for_each_dtype([&]<class T>() {
    const auto with = [&]<class Op>() {
      if constexpr (hd::impl::library_has<T, Op>()) {
        constexpr hd::runtime_op op = hd::impl::function_of<Op>;
        for (const lines& l : {lines{0, 4, 3}, lines{1, 1, 1}, lines{3, 65, 7}}) {
          const hd::array<T> x = any_values<T>(l.whole()), y = levels<T>(l.whole());
          const T scalar = random_value<T>(99);
          std::vector<T> both, right, left;
          for (std::size_t i = 0; i < x.size(); ++i) {
            const T a = x.data()[i], b = y.data()[i];
            both.push_back(plainly<Op>(a, b));
            right.push_back(plainly<Op>(a, scalar));
            left.push_back(plainly<Op>(scalar, a));
          }
          const hd::any_array a(hd::any_const_view(x).on(where)), b(hd::any_const_view(y).on(where));
          ASSERT_TRUE(holds<T>(hd::transform(where, a, b, op), both)) << what<T, Op>(l);
          ASSERT_TRUE(holds<T>(hd::transform(where, a, scalar, op), right)) << what<T, Op>(l);
          ASSERT_TRUE(holds<T>(hd::transform(where, scalar, a, op), left)) << what<T, Op>(l);
          hd::any_array out(hd::dtype_of<T>, l.whole(), where);
          hd::transform_into(where, out, scalar, a, op);
          ASSERT_TRUE(holds<T>(out, left)) << what<T, Op>(l);
        }
      }
    };
    for_each_type<hd::plus, hd::multiplies, hd::minimum, hd::maximum, hd::logical_and, hd::logical_or,
                  hd::logical_xor, hd::bit_and, hd::bit_or, hd::bit_xor, hd::minus>(with);
  });
}

TEST_P(any_patterns, have_means_and_variances_of_loops) {
  for_each_dtype([&]<class T>() {
    using mean_type = typename hd::impl::statistics_of<T>::mean;
    using variance_type = typename hd::impl::statistics_of<T>::variance;
    for (const lines& shape : shapes) {
      if (shape.size() == 0) continue;
      // A mean that is large beside the deviations.
      const hd::array<T> x = made_by<T>(shape.whole(), [](std::size_t i) {
        if constexpr (std::is_integral_v<T>)
          return random_value<T>(i);
        else
          return random_value<T>(i) + T(1000);
      });
      const hd::any_array given(hd::any_const_view(x).on(where));
      const auto check = [&](const lines& l, std::size_t ddof, const hd::any_array& means,
                             const hd::any_array& variances) {
        ASSERT_EQ(means.size(), l.count());
        ASSERT_EQ(variances.size(), l.count());
        for (std::size_t line = 0; line < l.count(); ++line) {
          long_complex sum = 0;
          long double sizes = 0, squares = 0;
          const auto element = [&](std::size_t k) {
            return static_cast<long_complex>(static_cast<wide<T>>(x.data()[l.at(line, k)]));
          };
          for (std::size_t k = 0; k < l.length; ++k) {
            sum += element(k);
            sizes += std::abs(element(k));
          }
          const auto n = static_cast<long double>(l.length);
          const long_complex mean = sum / n;
          for (std::size_t k = 0; k < l.length; ++k) squares += std::norm(element(k) - mean);
          const auto got =
              static_cast<long_complex>(static_cast<wide<mean_type>>(means[line].as<mean_type>()));
          ASSERT_LE(std::abs(got - mean),
                    epsilon<mean_type> * std::abs(mean) + 64 * epsilon<double> * sizes / n)
              << what<T, hd::plus>(l) << " axis line " << line;
          const auto variance = variances[line].as<variance_type>();
          if (l.length <= ddof) {
            ASSERT_EQ(std::isnan(variance), squares == 0) << what<T, hd::plus>(l);
            ASSERT_EQ(std::isinf(variance), squares > 0) << what<T, hd::plus>(l);
            continue;
          }
          const long double want = squares / (n - static_cast<long double>(ddof));
          const long double mean_error = 64 * epsilon<double> * sizes / n;
          ASSERT_LE(std::abs(static_cast<long double>(variance) - want),
                    (epsilon<variance_type> + 64 * epsilon<double>)*want + mean_error * mean_error)
              << what<T, hd::plus>(l) << " line " << line;
        }
      };
      for (const std::size_t ddof : {std::size_t{0}, std::size_t{1}}) {
        for (std::size_t k = 0; k < 3; ++k) {
          const hd::axis axis{static_cast<std::ptrdiff_t>(k)};
          check(lines_along(shape.whole(), k), ddof, hd::mean(where, given, axis).on(hd::target()),
                hd::variance(where, given, axis, ddof).on(hd::target()));
        }
        hd::any_array mean(hd::dtype_of<mean_type>, {1}), variance(hd::dtype_of<variance_type>, {1});
        mean.set(hd::mean(where, given), 0);
        variance.set(hd::variance(where, given, ddof), 0);
        check({1, x.size(), 1}, ddof, mean, variance);
      }
    }
  });
}

TEST_P(any_patterns, count_and_weigh_elements) {
  for_each_dtype([&]<class W>() {
    for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{7'001}}) {
      const hd::array<std::int16_t> x = levels<std::int16_t>(hd::shape{n});
      const hd::array<W> weights = any_values<W>(hd::shape{n});
      // −5 to −3, −2 to 1, 2 to 4; 5 is the edge of the last bin, which has it.
      const std::vector<double> edges{-5, -2, 2, 5};
      std::vector<std::uint64_t> counts(3);
      std::vector<wide<W>> sums(3);
      for (std::size_t i = 0; i < n; ++i) {
        const int e = x.data()[i];
        const std::size_t bin = e < -2 ? 0 : e < 2 ? 1 : 2;
        ++counts[bin];
        sums[bin] =
            plainly<hd::plus>(static_cast<wide<W>>(sums[bin]), static_cast<wide<W>>(weights.data()[i]));
      }
      const hd::any_array given(hd::any_const_view(x).on(where));
      ASSERT_TRUE(holds(hd::histogram(where, given, edges), counts));
      ASSERT_TRUE(holds<W>(hd::histogram(where, given, edges, hd::any_const_view(weights)), sums,
                           steps_of<hd::plus>(n)));
    }
  });
}

TEST_P(any_patterns, multiply_matrices_as_loops_do) {
  struct {
    std::size_t rows, inner, columns;
  } const sizes[] = {{1, 1, 1}, {17, 33, 9}, {64, 5, 65}, {3, 0, 2}, {0, 4, 3}};
  for_each_type<float, double, std::complex<float>, std::complex<double>>([&]<class T>() {
    for (const auto& [rows, inner, columns] : sizes) {
      const hd::array<T> a = any_values<T>({rows, inner}), b = any_values<T>({inner, columns});
      std::vector<wide<T>> product(rows * columns);
      for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t j = 0; j < columns; ++j) {
          for (std::size_t k = 0; k < inner; ++k) {
            product[i * columns + j] += static_cast<wide<T>>(a.data()[i * inner + k]) *
                                        static_cast<wide<T>>(b.data()[k * columns + j]);
          }
        }
      }
      const hd::any_array x(hd::any_const_view(a).on(where)), y(hd::any_const_view(b).on(where));
      for (const hd::matmul_algorithm algorithm : hd::matmul_algorithms) {
        const hd::any_array c = hd::matmul(where, x, y, algorithm);
        ASSERT_EQ(c.shape(), (hd::shape{rows, columns}));
        ASSERT_TRUE(holds<T>(c, product, steps_of<hd::plus>(inner))) << hd::name(algorithm);
        hd::any_array out(hd::dtype_of<T>, hd::matmul_shape(x.shape(), y.shape()), where);
        hd::matmul_into(where, out, x, y, algorithm);
        ASSERT_TRUE(holds<T>(out, product, steps_of<hd::plus>(inner))) << hd::name(algorithm);
      }
    }
  });
}

TEST_P(any_patterns, have_the_fourier_sums) {
  struct {
    hd::fft_axes axes;
    std::vector<std::size_t> resolved;
  } const cases[] = {{{1}, {1}}, {{-1}, {2}}, {{0, 1}, {0, 1}}, {{2, 0, -2}, {2, 0, 1}}};
  for_each_type<float, double, std::complex<float>, std::complex<double>>([&]<class T>() {
    using complex = std::conditional_t<hd::is_complex<T>, T, std::complex<T>>;
    using real = typename real_of<T>::type;
    for (const std::size_t length : {1, 2, 7, 12, 15, 97}) {
      const hd::shape all{3, length, 4};
      const hd::array<T> x = any_values<T>(all);
      const hd::any_array given(hd::any_const_view(x).on(where));
      for (const auto& [axes, resolved] : cases) {
        const std::string of = std::string(hd::name(hd::dtype_of<T>)) + " " + all.text() + " axes " +
                               testing::PrintToString(axes);
        long double together = 1;
        for (const std::size_t k : resolved) together *= static_cast<long double>(all[k]);
        const long double steps = 4 * (1 + std::log2(together)) * std::sqrt(together);
        const std::vector<long_complex> spectrum = fourier_sums(as_complex(x), all, resolved, -1);
        std::vector<long_complex> inverse = fourier_sums(as_complex(x), all, resolved, 1);
        for (long_complex& sum : inverse) sum /= together;

        ASSERT_TRUE(holds<complex>(hd::fft(where, given, axes), spectrum, steps)) << of;
        ASSERT_TRUE(holds<complex>(hd::ifft(where, given, axes), inverse, steps)) << of;
        hd::any_array out(hd::dtype_of<complex>, hd::fft_shape(all, axes), where);
        hd::fft_into(where, out, given, axes);
        ASSERT_TRUE(holds<complex>(out, spectrum, steps)) << of;
        hd::ifft_into(where, out, given, axes);
        ASSERT_TRUE(holds<complex>(out, inverse, steps)) << of;

        if constexpr (!hd::is_complex<T>) {
          const std::size_t last = resolved.back();
          const std::vector<long_complex> half =
              beginnings(spectrum, lines_along(all, last), all[last] / 2 + 1);
          const hd::any_array transformed = hd::rfft(where, given, axes);
          ASSERT_EQ(transformed.shape(), hd::rfft_shape(all, axes));
          ASSERT_EQ(transformed.shape()[last], all[last] / 2 + 1);
          ASSERT_TRUE(holds<complex>(transformed, half, steps)) << of;
          hd::any_array half_out(hd::dtype_of<complex>, hd::rfft_shape(all, axes), where);
          hd::rfft_into(where, half_out, given, axes);
          ASSERT_TRUE(holds<complex>(half_out, half, steps)) << of;

          // Back from the reference's own sums.
          hd::array<complex> sums(half_out.shape());
          for (std::size_t i = 0; i < sums.size(); ++i) sums.data()[i] = static_cast<complex>(half[i]);
          const std::vector<real> begun = x.to_vector();
          const hd::any_const_view from(sums);
          ASSERT_TRUE(holds<real>(hd::irfft(where, from, axes, all[last]), begun, steps)) << of;
          hd::any_array real_out(hd::dtype_of<real>, all, where);
          hd::irfft_into(where, real_out, from, axes, all[last]);
          ASSERT_TRUE(holds<real>(real_out, begun, steps)) << of;
          if (all[last] % 2 == 0) {
            ASSERT_TRUE(holds<real>(hd::irfft(where, from, axes), begun, steps)) << of;
          }
        }
      }
    }
  });
}

TEST(any_patterns_errors, name_the_type_of_an_output) {
  const hd::target where = hd::target::serial();
  hd::any_array x(any_values<float>({4, 6})), z(any_values<std::complex<float>>({4, 4}));
  hd::any_array wide(hd::dtype::complex128, {4, 6}), half(hd::dtype::float64, {4, 6});
  EXPECT_EQ(message_of([&] { hd::fft_into(where, wide, x); }),
            "the output is complex128, where the result is complex64");
  EXPECT_EQ(message_of([&] { hd::ifft_into(where, x, x); }),
            "the output is float32, where the result is complex64");
  EXPECT_EQ(message_of([&] { hd::rfft_into(where, wide, x); }),
            "the output is complex128, where the result is complex64");
  EXPECT_EQ(message_of([&] { hd::irfft_into(where, half, z); }),
            "the output is float64, where the result is float32");
}
