#include "vendor_libraries.hpp"
#include <heddle/fft.hpp>
#include <heddle/linear_algebra.hpp>
#include <heddle/random.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <iterator>
#include <numbers>

namespace heddle::measure {
namespace {

using enum role;

void append(contenders& all, contenders more) {
  std::move(more.begin(), more.end(), std::back_inserter(all));
}

// Random numbers.

/// Whether mean and variance are those of the distribution, by the spread that as many numbers leave.
template <class T>
bool has_moments(const array<T>& x, double mean, double variance, double fourth) {
  const std::vector<T> values = x.to_vector();
  const double n = static_cast<double>(values.size());
  double sum = 0, squares = 0;
  for (const T value : values) {
    const double distance = static_cast<double>(value) - mean;
    sum += distance;
    squares += distance * distance;
  }
  constexpr double deviations = 6;
  return std::abs(sum / n) <= deviations * std::sqrt(variance / n) &&
         std::abs(squares / n - variance) <= deviations * std::sqrt((fourth - variance * variance) / n);
}

template <class T>
void measure_random_of(const session& with) {
  const target& where = with.where;
  const std::size_t n = std::min(most_elements<T>(with), std::size_t{1} << (where.is_gpu() ? 27
                                                                            : with.quick   ? 20
                                                                                           : 22));
  const std::string type = name(dtype_of<T>);
  const double bytes = static_cast<double>(n * sizeof(T));
  array<T> out(n, where);
  const random::stream from{.seed = 1};
  const contender fill{"fill", ceiling, [&] { out.fill(T(7)); }, nullptr};
  const auto measure = [&](const char* variant, std::function<void()> call, std::function<bool()> is_right,
                           contenders peers) {
    contenders all = {{"Heddle", ours, std::move(call), std::move(is_right)}};
    append(all, std::move(peers));
    all.push_back(fill);
    with.compare({"random", variant, type, n, bytes}, all);
  };
  const auto is_uniform = [&] { return has_moments(out, 0.5, 1.0 / 12, 1.0 / 80); };
  const auto is_normal = [&] { return has_moments(out, 0, 1, 3); };
  measure(
      "uniform", [&] { random::uniform_into(where, out, from); }, is_uniform,
      curand_uniform(with, out.data(), n, is_uniform));
  measure(
      "normal", [&] { random::normal_into(where, out, from); }, is_normal,
      curand_normal(with, out.data(), n, is_normal));
  measure(
      "exponential", [&] { random::exponential_into(where, out, from); },
      [&] { return has_moments(out, 1, 1, 9); }, {});
}

void measure_random_integers(const session& with) {
  const target& where = with.where;
  const std::size_t n = std::min(most_elements<std::int64_t>(with), std::size_t{1} << (where.is_gpu() ? 27
                                                                                       : with.quick   ? 20
                                                                                                      : 22));
  array<std::int64_t> out(n, where);
  // Uniform over 0 … m − 1.
  const double m = 1e6, variance = (m * m - 1) / 12, fourth = (m * m - 1) * (3 * m * m - 7) / 240;
  with.compare({"random", "integers below 10^6", "int64", n, static_cast<double>(n * 8)},
               {{"Heddle", ours, [&] { random::integers_into(where, out, {.seed = 1}, 0, 1'000'000); },
                 [&] { return has_moments(out, (m - 1) / 2, variance, fourth); }},
                {"fill", ceiling, [&] { out.fill(7); }, nullptr}});
}

// Products of matrices.

template <class T>
void measure_products_of(const session& with) {
  const target& where = with.where;
  for (std::size_t n = 64; n <= 8192; n *= n == 4096 ? 2 : 4) {
    if (n > (where.is_gpu() ? (with.quick ? 1024u : 8192u) : with.quick ? 512u : 2048u)) break;
    if (n * n * sizeof(T) > with.most_bytes) break;
    const array<T> a = random::normal<T>(where, {n, n}, {.seed = 1}),
                   b = random::normal<T>(where, {n, n}, {.seed = 2});
    array<T> c({n, n}, where);
    const std::vector<T> x = a.to_vector(), y = b.to_vector();
    const auto is_right = [&] {
      const std::vector<T> found = c.to_vector();
      for (std::size_t sample = 0; sample < 64; ++sample) {
        const std::size_t row = sample * 7919 % n, column = sample * 104729 % n;
        double expected = 0, magnitude = 0;
        for (std::size_t k = 0; k < n; ++k) {
          const double part = static_cast<double>(x[row * n + k]) * static_cast<double>(y[k * n + column]);
          expected += part;
          magnitude += std::abs(part);
        }
        const double unit = std::is_same_v<T, float> ? 1e-6 : 1e-14;
        if (!(std::abs(static_cast<double>(found[row * n + column]) - expected) <= unit * magnitude))
          return false;
      }
      return true;
    };
    contenders all = {{"Heddle", ours, [&] { matmul_into(where, c, a, b); }, is_right}};
    // The library is the one that Heddle has loaded by then.
    matmul_into(where, c, a, b);
    append(all, gemm_of_vendor(with, a.data(), b.data(), c.data(), n, is_right));
    const double side = static_cast<double>(n);
    with.compare({"matmul", "n×n", name(dtype_of<T>), n, 3 * side * side * sizeof(T), 2 * side * side * side},
                 all);
  }
}

// Fourier transforms.

/// Whether some of the frequencies of x are what their sums say.
template <class T>
bool has_frequencies(const std::vector<std::complex<T>>& x, const array<std::complex<T>>& found) {
  const std::size_t n = x.size();
  double norm = 0;
  for (const auto& value : x) norm += std::norm(std::complex<double>(value));
  const std::size_t samples = n <= 4096 ? 16 : 2;
  for (std::size_t sample = 0; sample < samples; ++sample) {
    const std::size_t k = (sample * 104729 + 1) % n;
    // In double the sum itself would err by as much as is tolerated.
    std::complex<long double> sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double angle = -2 * std::numbers::pi * static_cast<double>(k * i % n) / static_cast<double>(n);
      sum += std::complex<long double>(std::complex<double>(x[i]) * std::polar(1.0, angle));
    }
    const std::complex<double> expected(sum);
    const std::complex<T> there = found[k];
    // Errors grow with the logarithm of n and the norm of x.
    const double tolerance = (std::is_same_v<T, float> ? 1e-6 : 1e-14) * std::sqrt(norm);
    if (!(std::abs(std::complex<double>(there) - expected) <= tolerance * std::log2(static_cast<double>(n))))
      return false;
  }
  return true;
}

template <class T>
void measure_transforms_of(const session& with) {
  using complex = std::complex<T>;
  const target& where = with.where;
  for (int power = 10; power <= (where.is_gpu() ? 22 : with.quick ? 14 : 18); power += 4) {
    const std::size_t n = std::size_t{1} << power;
    if (n * sizeof(complex) > with.most_bytes) continue;
    const std::vector<T> parts = random::normal<T>(target(), {2 * n}, {.seed = 1}).to_vector();
    std::vector<complex> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = {parts[2 * i], parts[2 * i + 1]};
    const array<complex> x(values, where);
    array<complex> out(n, where);
    const auto is_right = [&] { return has_frequencies(values, out); };
    contenders all = {{"Heddle", ours, [&] { fft_into(where, out, x); }, is_right}};
    append(all, cufft_forward(with, x.data(), out.data(), n, is_right));
    const double count = static_cast<double>(n);
    with.compare({"fft", "", name(dtype_of<complex>), n, 2 * count * sizeof(complex), 5 * count * power},
                 all);
  }
}

}  // namespace

void measure_random(const session& with) {
  measure_random_of<float>(with);
  measure_random_of<double>(with);
  measure_random_integers(with);
}

void measure_matmul(const session& with) {
  measure_products_of<float>(with);
  measure_products_of<double>(with);
}

void measure_fft(const session& with) {
  measure_transforms_of<float>(with);
  measure_transforms_of<double>(with);
}

}  // namespace heddle::measure
