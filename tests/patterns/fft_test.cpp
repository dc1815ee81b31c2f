#include "patterns/fft/fft_plans.hpp"
#include "tests/elements.hpp"
#include "tests/on_targets.hpp"
#include "tests/sizes.hpp"
#include <heddle/any_patterns.hpp>
#include <heddle/fft.hpp>

#include <atomic>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <new>
#include <numbers>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <malloc.h>

namespace hd = heddle;
using namespace heddle::tests;

/// What `new` has given out and is not back, in this program.
std::atomic<std::size_t> bytes_in_use{0};

void* operator new(std::size_t bytes) {
  void* const data = std::malloc(bytes);
  if (data == nullptr) throw std::bad_alloc();
  bytes_in_use += malloc_usable_size(data);
  return data;
}
void operator delete(void* data) noexcept {
  bytes_in_use -= malloc_usable_size(data);
  std::free(data);
}
void operator delete(void* data, std::size_t) noexcept {
  operator delete(data);
}

namespace {

class fft : public on_targets {};
HD_ON_ALL_TARGETS(fft);

using wide = std::complex<long double>;

template <class T>
hd::array<T> random_array(const hd::shape& lengths) {
  hd::array<T> x(lengths);
  for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = random_value<T>(i);
  return x;
}

/// The sum itself, along one axis.
std::vector<wide> summed_along(const std::vector<wide>& x, const hd::shape& lengths, std::size_t axis,
                               int sign) {
  const hd::axis_lines all = hd::along(lengths, axis);
  const std::size_t n = all.length;
  std::vector<wide> roots(n), y(x.size());
  for (std::size_t k = 0; k < n; ++k)
    roots[k] = std::polar(1.0L, sign * 2 * std::numbers::pi_v<long double> * static_cast<long double>(k) / n);
  for (std::size_t s = 0; s < all.count(); ++s) {
    const std::size_t start = s / all.inner * n * all.inner + s % all.inner;
    for (std::size_t k = 0; k < n; ++k) {
      wide sum(0);
      for (std::size_t j = 0; j < n; ++j) sum += x[start + j * all.inner] * roots[j * k % n];
      y[start + k * all.inner] = sign > 0 ? sum / static_cast<long double>(n) : sum;
    }
  }
  return y;
}

template <class T>
std::vector<wide> widened(const hd::array<T>& x) {
  std::vector<wide> y;
  for (std::size_t i = 0; i < x.size(); ++i) y.emplace_back(x.data()[i]);
  return y;
}

/// The root of the mean square error is at most so many eps of that of the result: KissFFT's roots of unity
/// are off by three.
template <class T>
void check_near(const hd::array<T>& have, const std::vector<wide>& want, const std::string& note,
                long double most = 8) {
  const hd::array<T> got = have.on(hd::target::serial());
  ASSERT_EQ(got.size(), want.size()) << note;
  long double error = 0, size = 0;
  for (std::size_t i = 0; i < want.size(); ++i) {
    error += std::norm(wide(got.data()[i]) - want[i]);
    size += std::norm(want[i]);
  }
  using part = decltype(std::abs(T()));
  EXPECT_LE(std::sqrt(error), most * std::numeric_limits<part>::epsilon() * std::sqrt(size)) << note;
}

/// The half along `axis` that real elements leave.
std::vector<wide> halved(const std::vector<wide>& x, const hd::shape& lengths, std::size_t axis) {
  const hd::axis_lines all = hd::along(lengths, axis);
  std::vector<wide> y;
  for (std::size_t outer = 0; outer < all.outer; ++outer) {
    for (std::size_t i = 0; i < (all.length / 2 + 1) * all.inner; ++i)
      y.push_back(x[outer * all.length * all.inner + i]);
  }
  return y;
}

/// Real lines of `length` along `axis`, of which x has the first elements: the imaginary parts of element 0,
/// and of the one in the middle of an even number, do not count.
std::vector<wide> mirrored(const std::vector<wide>& x, const hd::shape& lengths, std::size_t axis,
                           std::size_t length) {
  const hd::axis_lines all = hd::along(lengths, axis);
  std::vector<wide> y(all.outer * length * all.inner);
  for (std::size_t i = 0; i < y.size(); ++i) {
    const std::size_t k = i / all.inner % length, outer = i / all.inner / length;
    const bool is_later = k >= all.length;
    const wide value = x[(outer * all.length + (is_later ? length - k : k)) * all.inner + i % all.inner];
    y[i] = k == 0 || 2 * k == length ? value.real() : is_later ? std::conj(value) : value;
  }
  return y;
}

/// irfft of elements that are the transform of no real ones.
template <class Complex>
void check_any_spectrum(const hd::target& where, const hd::shape& lengths, const hd::fft_axes& axes,
                        std::size_t length) {
  const hd::array<Complex> x = random_array<Complex>(lengths);
  std::vector<wide> sums = widened(x);
  for (std::size_t i = 0; i + 1 < axes.size(); ++i)
    sums = summed_along(sums, lengths, lengths.resolve_axis(axes[i]), 1);
  const std::size_t last = lengths.resolve_axis(axes.back());
  sums = summed_along(mirrored(sums, lengths, last, length), lengths.with_length(last, length), last, 1);
  std::string note = lengths.text() + " to " + std::to_string(length) + " along";
  for (const std::ptrdiff_t axis : axes) note += " " + std::to_string(axis);
  for (wide& sum : sums) sum = sum.real();
  check_near(hd::irfft(where, x, axes, length), sums, note);
}

template <class Complex>
void check_all(const hd::target& where, const hd::shape& lengths, const hd::fft_axes& axes) {
  using real = typename Complex::value_type;
  std::string note = lengths.text() + " along";
  for (const std::ptrdiff_t axis : axes) note += " " + std::to_string(axis);
  const hd::array<Complex> x = random_array<Complex>(lengths);
  const hd::array<real> r = random_array<real>(lengths);
  std::vector<wide> forward = widened(x), inverse = forward, of_real = widened(r);
  for (const std::ptrdiff_t axis : axes) {
    const std::size_t a = lengths.resolve_axis(axis);
    forward = summed_along(forward, lengths, a, -1);
    inverse = summed_along(inverse, lengths, a, 1);
    of_real = summed_along(of_real, lengths, a, -1);
  }
  const std::size_t last = lengths.resolve_axis(axes.back());
  check_near(hd::fft(where, x, axes), forward, note + ", forward");
  check_near(hd::ifft(where, x, axes), inverse, note + ", inverse");
  check_near(hd::fft(where, r, axes), of_real, note + ", of real elements");
  const hd::array<Complex> half = hd::rfft(where, r, axes);
  EXPECT_EQ(half.shape(), lengths.with_length(last, lengths[last] / 2 + 1));
  check_near(half, halved(of_real, lengths, last), note + ", rfft");
  const hd::array<real> again = hd::irfft(where, half, axes, lengths[last]);
  EXPECT_EQ(again.shape(), lengths);
  check_near(again, widened(r), note + ", irfft");
}

}  // namespace

TEST_P(fft, of_every_length) {
  const std::size_t step = largest_size() < 1'000'000 ? 5 : 1;  // sanitizers are slow
  for (std::size_t n = 1; n <= 70; n += step) {
    check_all<std::complex<float>>(where, {n}, {-1});
    check_all<std::complex<double>>(where, {n}, {0});
  }
  // Powers, products, primes small and large, and products with a large prime.
  for (const std::size_t n : {97, 121, 127, 128, 210, 256, 509, 512, 720, 1009, 1018, 1024})
    check_all<std::complex<double>>(where, {n}, {-1});
  check_all<std::complex<float>>(where, {254}, {-1});
}

TEST_P(fft, along_any_axes) {
  const std::vector<hd::shape> shapes{{6, 10},     {7, 1, 9},    {4, 5, 6},
                                      {3, 37, 16}, {2, 3, 4, 5}, {1, 2, 131, 3}};
  for (const hd::shape& lengths : shapes) {
    const auto axes = static_cast<std::ptrdiff_t>(lengths.axes());
    for (std::ptrdiff_t a = 0; a < axes; ++a) {
      check_all<std::complex<double>>(where, lengths, {a});
      for (std::ptrdiff_t b = 0; b < axes; ++b) {
        if (a != b) check_all<std::complex<float>>(where, lengths, {a, b - axes});
      }
    }
    hd::fft_axes all;
    for (std::ptrdiff_t a = 0; a < axes; ++a) all.push_back(a);
    check_all<std::complex<double>>(where, lengths, all);
    if (axes == 4) check_all<std::complex<float>>(where, lengths, {-3, -2, -1});
  }
}

TEST_P(fft, irfft_of_any_spectrum) {
  const auto check = [&](const hd::shape& lengths, const hd::fft_axes& axes, std::size_t length) {
    check_any_spectrum<std::complex<float>>(where, lengths, axes, length);
    check_any_spectrum<std::complex<double>>(where, lengths, axes, length);
  };
  for (const std::size_t length : {1, 2, 3, 8, 9, 30, 31}) check({3, length / 2 + 1}, {-1}, length);
  for (const std::size_t length : {10, 11}) {
    const std::size_t m = length / 2 + 1;
    check({2, 5, m}, {1, 2}, length);
    check({6, m}, {0, 1}, length);
    check({2, 3, 4, m}, {1, 2, 3}, length);
    check({5, 4, m}, {1, 0, 2}, length);
    check({m, 4, 3}, {0}, length);
    check({4, m, 3}, {2, 0, 1}, length);
    check({2, 3, 2, 4, m}, {0, 1, 2, 3, 4}, length);
  }
}

TEST_P(fft, of_a_long_line_and_back) {
  // The last is a prime, whose convolution is a long line itself.
  for (const std::size_t n : {100'000, 262'144, 262'440, 131'101}) {
    if (seeks_races && n > 200'000) continue;
    using complex = std::complex<double>;
    const hd::array<complex> x = random_array<complex>({n});
    const hd::array<complex> y = hd::fft(where, x);
    check_near(hd::ifft(where, y), widened(x), std::to_string(n), 12);
    // Parseval's sums, and one element by its sum.
    const hd::array<complex> on_cpu = y.on(hd::target::serial());
    long double before = 0, after = 0;
    wide third(0);
    for (std::size_t i = 0; i < n; ++i) {
      before += std::norm(wide(x.data()[i]));
      after += std::norm(wide(on_cpu.data()[i]));
      third +=
          wide(x.data()[i]) * std::polar(1.0L, -6 * std::numbers::pi_v<long double> *
                                                   static_cast<long double>(i) / static_cast<long double>(n));
    }
    EXPECT_NEAR(static_cast<double>(after / before / n), 1, 1e-13);
    EXPECT_LE(std::abs(wide(on_cpu.data()[3]) - third), 1e-13L * std::sqrt(after));
    if (!where.is_gpu()) {
      EXPECT_EQ(on_cpu.to_vector(), hd::fft(hd::target::serial(), x).to_vector());
    }
  }
  const std::size_t length = seeks_races ? 131'220 : 524'880;
  const hd::array<float> r = random_array<float>({length});
  const hd::array<std::complex<float>> half = hd::rfft(where, r);
  check_near(hd::irfft(where, half), widened(r), "real line", 12);
  const std::vector<std::complex<float>> whole = hd::fft(where, r).to_vector();
  check_near(half, {whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length / 2 + 1)},
             "real line by complex ones", 12);
}

TEST(fft_plans, beyond_the_limit_are_freed_and_results_stay_right) {
  constexpr std::size_t limit = std::size_t{1} << 20;
  struct limited {
    std::size_t before = hd::cpu::keep_fft_plans_within(limit);
    ~limited() { hd::cpu::keep_fft_plans_within(before); }
  } const within_the_limit;
  using complex = std::complex<double>;
  // Plans of all these lengths together are more than ten times the limit. Of an impulse the transform is
  // known.
  const auto check = [](std::size_t n, std::size_t place, const hd::target& on) {
    std::vector<complex> x(n);
    x[place] = 1;
    const std::vector<complex> y = hd::fft(on, x).to_vector();
    double most = 0;
    for (std::size_t k = 0; k < n; ++k) {
      const double turns = static_cast<double>(k * place % n) / static_cast<double>(n);
      most = std::max(most, std::abs(y[k] - std::polar(1.0, -2 * std::numbers::pi * turns)));
    }
    return most < 1e-13;
  };
  constexpr std::size_t first = 600, lengths = 200, callers = 4;
  ASSERT_TRUE(check(first, 1, hd::target::serial()));
  const std::size_t before = bytes_in_use;
  std::atomic<std::size_t> wrong{0};
  std::vector<std::thread> threads;
  for (std::size_t caller = 0; caller < callers; ++caller) {
    threads.emplace_back([&, caller] {
      const hd::target on = caller % 2 == 0 ? hd::target::serial() : hd::target::parallel(2);
      for (std::size_t i = 0; i < 2 * lengths; ++i) {
        const std::size_t n = first + (caller + 1) * i % lengths;
        if (!check(n, i % n, on)) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0u);
  EXPECT_LT(bytes_in_use, before + 2 * limit);
}

TEST(fft_plans, that_a_new_limit_leaves_no_room_for_are_freed_at_once) {
  const std::size_t before = hd::cpu::keep_fft_plans_within(0), in_use = bytes_in_use;
  hd::cpu::keep_fft_plans_within(before);
  // A plan of n real elements works in two lines of n/2 complex ones.
  constexpr std::size_t n = 5000, of_plans = n * (sizeof(std::complex<float>) + sizeof(std::complex<double>));
  hd::rfft(hd::target::serial(), std::vector<float>(n));
  hd::rfft(hd::target::serial(), std::vector<double>(n));
  EXPECT_GE(bytes_in_use, in_use + of_plans);
  hd::cpu::keep_fft_plans_within(1000);
  EXPECT_LT(bytes_in_use, in_use + 1000);
  hd::cpu::keep_fft_plans_within(before);
}

TEST_P(fft, of_nothing_and_of_slices) {
  EXPECT_EQ(hd::fft(where, random_array<float>({0, 8})).size(), 0u);
  const hd::array<float> x = random_array<float>({101});
  const hd::array<float> there = x.on(where);
  std::vector<wide> want;
  for (std::size_t i = 1; i < 101; ++i) want.emplace_back(x.data()[i]);
  check_near(hd::rfft(where, there.slice(1, 101)), halved(summed_along(want, {100}, 0, -1), {100}, 0),
             "slice");
}

TEST_P(fft, into_parts_of_arrays) {
  using complex = std::complex<float>;
  const std::size_t n = 24;
  const hd::array<complex> x = random_array<complex>({n});
  const hd::array<float> r = random_array<float>({n});
  hd::array<complex> out(n + 1, where), half(n / 2 + 2, where);
  hd::array<float> reals(n + 1, where);
  const auto same = [](const auto& have, const auto& want) { EXPECT_EQ(have.to_vector(), want.to_vector()); };
  hd::fft_into(where, out.slice(1, n + 1), x);
  same(out.slice(1, n + 1), hd::fft(where, x));
  hd::ifft_into(where, out.slice(1, n + 1), x);
  same(out.slice(1, n + 1), hd::ifft(where, x));
  hd::rfft_into(where, half.slice(1, n / 2 + 2), r);
  same(half.slice(1, n / 2 + 2), hd::rfft(where, r));
  hd::irfft_into(where, reals.slice(1, n + 1), half.slice(1, n / 2 + 2));
  same(reals.slice(1, n + 1), hd::irfft(where, half.slice(1, n / 2 + 2)));
  std::vector<complex> on_cpu(n);
  hd::fft_into(where, on_cpu, x);
  EXPECT_EQ(on_cpu, hd::fft(where, x).to_vector());
}

TEST_P(fft, of_several_axes_leaves_its_input) {
  hd::array<std::complex<double>> x({5, 4, 6});
  for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = {random_real(2 * i), random_real(2 * i + 1)};
  const auto there = x.on(where);
  static_cast<void>(hd::irfft(where, there, {0, 1, 2}));
  static_cast<void>(hd::fft(where, there, {0, 1, 2}));
  EXPECT_EQ(there.to_vector(), x.to_vector());
}

TEST(fft_on_a_cpu, the_first_frequency_of_real_elements_is_real) {
  for (const std::size_t n : {1, 3, 45, 251, 1009, 2310}) {
    std::vector<double> x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = random_real(i);
    EXPECT_EQ(hd::rfft(hd::target::serial(), x).to_vector()[0].imag(), 0) << n;
  }
}

TEST_P(fft, refuses_an_output_that_overlaps_its_input) {
  using complex = std::complex<double>;
  const std::size_t n = 8;
  hd::array<complex> x(4 * n, where);
  x.fill(1);
  auto* const reals = reinterpret_cast<double*>(x.data());
  const hd::array_view<double> r(reals, {8 * n}, where);
  const auto from = x.slice(n, 2 * n);
  const std::string overlap = "the output overlaps an input: write into another array";
  const auto check = [&](bool overlaps, const auto& call) {
    EXPECT_EQ(message_of(call).find(overlap) != std::string::npos, overlaps) << message_of(call);
  };
  for (const std::size_t first : {0, 1, 8, 15, 16}) {
    const bool overlaps = first > 0 && first < 16;
    check(overlaps, [&] { hd::fft_into(where, x.slice(first, first + n), from); });
    check(overlaps, [&] { hd::ifft_into(where, x.slice(first, first + n), from); });
  }
  // Real ones take half the room: complex elements 8 to 12, and 8 to 15.
  for (const std::size_t first : {3, 4, 8, 11, 12}) {
    check(first > 3 && first < 12,
          [&] { hd::rfft_into(where, x.slice(first, first + n / 2 + 1), r.slice(2 * n, 3 * n)); });
  }
  for (const std::size_t first : {2, 3, 17, 31, 32}) {
    check(first > 2 && first < 32, [&] { hd::irfft_into(where, r.slice(first, first + 2 * (n - 1)), from); });
  }
}

TEST_P(fft, errors_say_what_is_wrong) {
  const hd::array<float> x({3, 4}), none({3, 0});
  const hd::array<std::complex<float>> half({3, 4});
  const auto fails = [](const std::string& part, const auto& call) {
    const std::string message = message_of(call);
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  fails("axis 2", [&] { hd::fft(where, x, {2}); });
  fails("given twice", [&] { hd::fft(where, x, {1, -1}); });
  fails("no axis", [&] { hd::fft(where, x, hd::fft_axes{}); });
  fails("(3, 0) has no elements", [&] { hd::fft(where, none); });
  fails("4 complex elements along axis -1 are no transform of 9 real ones",
        [&] { hd::irfft(where, half, {-1}, 9); });
  hd::array<std::complex<float>> short_one({3, 3});
  fails("the output has shape (3, 3), where the result has (3, 4)",
        [&] { hd::fft_into(where, short_one, half); });
  fails("irfft of float32: the type is complex64 or complex128",
        [&] { hd::irfft(where, hd::any_array(hd::dtype::float32, {3})); });
  fails("rfft of complex64: the type is float32 or float64",
        [&] { hd::rfft(where, hd::any_array(hd::dtype::complex64, {3})); });
}
