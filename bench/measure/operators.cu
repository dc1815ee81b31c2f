// Reductions and scans by user-defined operators: a CPU has them from any compiler, a GPU from nvcc.
#include "session.hpp"
#include <heddle/heddle.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace heddle::measure {
namespace {

using enum role;

/// Numbers, each added by itself.
template <class Number, unsigned Numbers>
struct numbers {
  Number of[Numbers];
};
struct add_each {
  template <class Number, unsigned Numbers>
  HD_FN numbers<Number, Numbers> operator()(numbers<Number, Numbers> x,
                                            const numbers<Number, Numbers>& y) const {
    for (unsigned n = 0; n < Numbers; ++n) x.of[n] = static_cast<Number>(x.of[n] + y.of[n]);
    return x;
  }
};

/// x ↦ factor·x + offset, one after another: the order of operands counts.
template <class Word>
struct linear_map {
  Word factor, offset;
};
struct composition {
  template <class Word>
  HD_FN linear_map<Word> operator()(const linear_map<Word>& f, const linear_map<Word>& g) const {
    return {static_cast<Word>(1u * g.factor * f.factor),
            static_cast<Word>(1u * g.factor * f.offset + g.offset)};
  }
};

template <unsigned N>
struct matrix {
  float at[N * N];
};
struct product {
  template <unsigned N>
  HD_FN matrix<N> operator()(const matrix<N>& x, const matrix<N>& y) const {
    matrix<N> xy{};
    for (unsigned i = 0; i < N; ++i) {
      for (unsigned j = 0; j < N; ++j) {
        for (unsigned k = 0; k < N; ++k) xy.at[N * i + j] += x.at[N * i + k] * y.at[N * k + j];
      }
    }
    return xy;
  }
};

template <class T>
bool same_bits(const std::vector<T>& x, const std::vector<T>& y) {
  return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof(T)) == 0;
}

/// element(i) is exact under the operator, which is `op` in a plain loop and `monoid` for the patterns.
template <class T, class Op, class Monoid, class Element>
void measure(const session& with, const std::string& type, const Op& op, const Monoid& monoid,
             const Element& element) {
  const target& where = with.where;
  const std::size_t n = most_elements<T>(with);
  std::vector<T> values(n), expected(n);
  for (std::size_t i = 0; i < n; ++i) {
    values[i] = element(i);
    expected[i] = i == 0 ? values[0] : op(expected[i - 1], values[i]);
  }
  const array<T> x(values, where);
  array<T> out(n, where);
  T total{};
  const double bytes = static_cast<double>(n * sizeof(T));
  const contender copy = copy_of(with, out.data(), x.data(), n * sizeof(T));
  with.compare({"reduce, user-defined operator", type, "", n, bytes},
               {{"Heddle", ours, [&] { total = reduce(where, x, monoid); },
                 [&] { return std::memcmp(&total, &expected.back(), sizeof total) == 0; }},
                copy});
  with.compare({"scan, user-defined operator", type, "", n, 2 * bytes},
               {{"Heddle", ours, [&] { inclusive_scan_into(where, out, x, monoid); },
                 [&] { return same_bits(out.to_vector(), expected); }},
                copy});
}

template <class Number, unsigned Numbers>
void measure_sums(const session& with, const std::string& type) {
  using T = numbers<Number, Numbers>;
  measure<T>(with, type, add_each{}, commutative_monoid{add_each{}, T{}}, [](std::size_t i) {
    T x;
    for (unsigned k = 0; k < Numbers; ++k) x.of[k] = static_cast<Number>((i + k) % 97 == 0);
    return x;
  });
}

template <class Word>
void measure_maps(const session& with, const std::string& type) {
  using T = linear_map<Word>;
  measure<T>(with, type, composition{}, monoid{composition{}, T{1, 0}}, [](std::size_t i) {
    return T{static_cast<Word>(2 * i + 1), static_cast<Word>(i * 2654435761u)};
  });
}

/// Of matrices that permute, whose products are exact.
template <unsigned N>
void measure_products(const session& with, const std::string& type) {
  using T = matrix<N>;
  const auto moved_by = [](std::size_t i) {
    T x{};
    for (unsigned row = 0; row < N; ++row) {
      unsigned column = row;
      if (i % 3 == 1) column = (row + 1) % N;
      if (i % 3 == 2 && row < 2) column = 1 - row;
      x.at[N * row + column] = 1;
    }
    return x;
  };
  measure<T>(with, type, product{}, monoid{product{}, moved_by(0)}, moved_by);
}

}  // namespace

void measure_operators(const session& with) {
  measure_sums<float, 3>(with, "sums of 3 float");
  measure_sums<double, 2>(with, "sums of 2 double");
  measure_maps<std::uint32_t>(with, "maps of lines, uint32");
  measure_products<2>(with, "products of 2×2 float");
  if (with.quick) return;
  measure_sums<std::uint8_t, 3>(with, "sums of 3 uint8");
  measure_sums<double, 4>(with, "sums of 4 double");
  measure_maps<std::uint16_t>(with, "maps of lines, uint16");
  measure_maps<std::uint64_t>(with, "maps of lines, uint64");
  measure_products<4>(with, "products of 4×4 float");
}

}  // namespace heddle::measure
