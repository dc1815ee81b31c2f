#include "arrays.hpp"
#include "properties.hpp"
#include <heddle/any_patterns.hpp>

#include <numbers>

namespace heddle::tests::differential {
namespace {

using long_complex = std::complex<long double>;

/// Σ x[k]·exp(∓2πi·jk/n), in long double.
std::vector<long_complex> looped_transform(const std::vector<long_complex>& x, bool inverse) {
  const std::size_t n = x.size();
  std::vector<long_complex> roots(n), out(n);
  for (std::size_t k = 0; k < n; ++k) {
    const long double angle =
        2 * std::numbers::pi_v<long double> * static_cast<long double>(k) / static_cast<long double>(n);
    roots[k] = {std::cos(angle), inverse ? std::sin(angle) : -std::sin(angle)};
  }
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t k = 0; k < n; ++k) out[j] += x[k] * roots[j * k % n];
    if (inverse) out[j] /= static_cast<long double>(n);
  }
  return out;
}

template <class T>
void check_fft(choices& from, const target& where, const limits& most) {
  const std::size_t n = 1 + draw_length(from, std::min<std::size_t>(most.elements, 1100) - 1, 2 * sizeof(T));
  const std::size_t rows = from.between(1, 4);
  const std::uint64_t kind = from.between(0, 2);  // forward, inverse, real
  from.note(fmt::format("{} rows of {}, kind {}, {} bytes", rows, n, kind, sizeof(T)));
  const auto check_rows = [&](const std::vector<std::vector<long_complex>>& lines, const any_array& result,
                              std::size_t kept) {
    const std::vector<std::complex<T>> have = elements_of<std::complex<T>>(result.view());
    if (have.size() != rows * kept) throw std::runtime_error(fmt::format("{} elements", have.size()));
    for (std::size_t r = 0; r < rows; ++r) {
      const std::vector<long_complex> want = looped_transform(lines[r], kind == 1);
      long double size = 0;
      for (const auto& value : want) size += std::norm(value);
      const long double most_wrong = std::numeric_limits<T>::epsilon() * 8 *
                                     (1 + std::log2(static_cast<long double>(n))) * std::sqrt(size);
      for (std::size_t k = 0; k < kept; ++k) {
        const long double wrong = std::abs(long_complex(have[r * kept + k]) - want[k]);
        if (!(wrong <= most_wrong))
          throw std::runtime_error(
              fmt::format("row {}, element {} is wrong by {}", r, k, static_cast<double>(wrong)));
      }
    }
  };
  std::vector<std::vector<long_complex>> lines(rows, std::vector<long_complex>(n));
  if (kind == 2) {
    const input<T> x(from, {rows, n}, where, content::exact);
    for (std::size_t i = 0; i < x.size(); ++i) lines[i / n][i % n] = x[i];
    check_rows(lines, rfft(where, x.view()), n / 2 + 1);
    x.check_unchanged();
  } else {
    const input<std::complex<T>> x(from, {rows, n}, where, content::exact);
    for (std::size_t i = 0; i < x.size(); ++i) lines[i / n][i % n] = long_complex(x[i]);
    check_rows(lines, kind == 1 ? ifft(where, x.view()) : fft(where, x.view()), n);
    x.check_unchanged();
  }
}

void fft_property(choices& from, const limits& most) {
  const target where = draw_target(from, most);
  if (from.one_in(2)) return check_fft<float>(from, where, most);
  check_fft<double>(from, where, most);
}

void matmul_property(choices& from, const limits& most) {
  const target where = draw_target(from, most);
  constexpr dtype types[] = {dtype::float32, dtype::float64, dtype::complex64, dtype::complex128};
  const dtype type = from.of(types);
  from.note(name(type));
  const std::size_t side = std::min<std::size_t>(most.elements, 150);
  const std::size_t m = draw_length(from, side), k = draw_length(from, side), n = draw_length(from, side);
  constexpr matmul_algorithm algorithms[] = {matmul_algorithm::blas, matmul_algorithm::tiled,
                                             matmul_algorithm::naive};
  const matmul_algorithm algorithm = from.of(algorithms);
  from.note(fmt::format("{} x {} x {}, algorithm {}", m, k, n, static_cast<int>(algorithm)));
  with_type(type, [&]<class T>(T) {
    const input<T> a(from, {m, k}, where, content::exact), b(from, {k, n}, where, content::exact);
    std::vector<stored<T>> want(m * n);
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        T sum(0);
        for (std::size_t l = 0; l < k; ++l) {
          const T product = combined<T>(runtime_op::multiplies, a[i * k + l], b[l * n + j]);
          sum = combined<T>(runtime_op::plus, sum, product);
        }
        want[i * n + j] = sum;
      }
    }
    guarded c(from, type, {m, n}, where);
    matmul_into(where, c.view(), a.view(), b.view(), algorithm);
    c.check_zones("the output");
    check_values("matmul", elements_of<T>(c.view()), want);
    a.check_unchanged();
    b.check_unchanged();
  });
}

}  // namespace

std::vector<property> numerics() {
  return {{"fft", fft_property}, {"matmul", matmul_property}};
}

}  // namespace heddle::tests::differential
