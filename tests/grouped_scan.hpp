#pragma once

#include "elements.hpp"
#include <heddle/array.hpp>

#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

/// What a scan must give, bit for bit: its order of combination written a second time, as recursion, from the
/// description in docs/design/scan.md and from nothing else in the library.
namespace heddle::tests {

/// NaNs as results carry them.
template <class T>
T with_one_nan(T x) {
  if constexpr (is_complex<T>) {
    return T(with_one_nan(x.real()), with_one_nan(x.imag()));
  } else if constexpr (std::is_floating_point_v<T>) {
    return x != x ? std::numeric_limits<T>::quiet_NaN() : x;
  } else {
    return x;
  }
}

inline std::size_t largest_power_of_two(std::size_t most) {
  return most < 2 ? most : 2 * largest_power_of_two(most / 2);
}

/// Parts, and what blocks of a power of two of them combine to by f.
template <class T, class F>
struct parts_by {
  const F& f;
  std::vector<T> parts{};
  std::map<std::pair<std::size_t, std::size_t>, T> totals{};

  /// A block: its halves, and those together.
  const T& total(std::size_t first, std::size_t count) {
    if (count == 1) return parts[first];
    const auto known = totals.find({first, count});
    if (known != totals.end()) return known->second;
    const T sum = f(total(first, count / 2), total(first + count / 2, count / 2));
    return totals.emplace(std::pair(first, count), sum).first->second;
  }
  void clear() {
    parts.clear();
    totals.clear();
  }

  /// P of `count` vectors: the largest block, and behind it what the others combine to.
  std::optional<T> from_right(std::size_t first, std::size_t count) {
    if (count == 0) return std::nullopt;
    const std::size_t largest = largest_power_of_two(count);
    const T block = total(first, largest);
    const std::optional<T> others = from_right(first + largest, count - largest);
    return others ? f(block, *others) : block;
  }
  /// Q of `count` rows: the prefix, then the largest block, then the others.
  std::optional<T> from_left(const std::optional<T>& before, std::size_t first, std::size_t count) {
    if (count == 0) return before;
    const std::size_t largest = largest_power_of_two(count);
    const T block = total(first, largest);
    return from_left(before ? f(*before, block) : block, first + largest, count - largest);
  }
};

/// x scanned by f behind *init, unless that is null; an exclusive scan needs it.
template <class T, class F>
array<T> grouped_scan(std::span<const T> x, bool exclusive, const T* init, const F& f) {
  constexpr std::size_t size = sizeof(T), vector = size == 1 ? 16 : size == 2 ? 8 : size <= 32 ? 4 : 1;
  const auto join = [&](const std::optional<T>& left, const std::optional<T>& right) {
    return !left ? right : !right ? left : std::optional<T>(f(*left, *right));
  };
  const std::optional<T> first = init != nullptr ? std::optional<T>(*init) : std::nullopt;
  array<T> out(x.size());
  parts_by<T, F> rows{f}, vectors{f};
  std::optional<T> before_row = first, before_vector = first, own;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const bool opens = i % vector == 0;
    const std::optional<T> last = join(before_vector, own);
    if (opens) {
      if (vectors.parts.size() == 32) {
        rows.parts.push_back(vectors.total(0, 32));
        vectors.clear();
        before_row = rows.from_left(first, 0, rows.parts.size());
      }
      before_vector = join(before_row, vectors.from_right(0, vectors.parts.size()));
      own.reset();
    }
    own = join(own, x[i]);
    if ((i + 1) % vector == 0) vectors.parts.push_back(*own);
    const std::optional<T> inclusive =
        vector > 1 ? join(before_vector, own) : join(before_row, vectors.from_right(0, vectors.parts.size()));
    out.data()[i] = with_one_nan(exclusive ? (opens ? *before_vector : *last) : *inclusive);
  }
  return out;
}

}  // namespace heddle::tests
