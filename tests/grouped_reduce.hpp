#pragma once

#include "elements.hpp"
#include <heddle/array.hpp>
#include <heddle/support/function_ref.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

/// What `reduce` must give, bit for bit: its order of combination written a second time, from the description
/// in order.hpp and from nothing else in the library.
namespace heddle::tests {

/// Lanes of a tile of elements that are `element_bytes` large.
constexpr std::size_t lanes_of(std::size_t element_bytes, bool commutative) {
  const bool fills_registers = element_bytes <= 16 && (element_bytes & (element_bytes - 1)) == 0;
  return commutative && fills_registers ? 512 / element_bytes : 32;
}
constexpr std::size_t tile_of(std::size_t element_bytes, bool commutative) {
  return 16 * lanes_of(element_bytes, commutative);
}

/// x, with the quiet NaN that has no other bits set in place of every NaN.
template <class T>
T with_plain_nan(const T& x) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::isnan(x) ? std::numeric_limits<T>::quiet_NaN() : x;
  } else if constexpr (is_complex<T>) {
    return T(with_plain_nan(x.real()), with_plain_nan(x.imag()));
  } else {
    return x;
  }
}

/// The elements of x, at least one, combined by f.
template <class T, class F>
T grouped_reduce(std::span<const T> x, bool commutative, const F& f) {
  const std::size_t lanes = lanes_of(sizeof(T), commutative), tile = tile_of(sizeof(T), commutative);
  array<T> results((x.size() + tile - 1) / tile);
  for (std::size_t t = 0; t < results.size(); ++t) {
    const std::span<const T> of_tile = x.subspan(t * tile, std::min(tile, x.size() - t * tile));
    std::vector<std::optional<T>> lane(lanes);
    const auto join = [&](std::size_t left, std::size_t right) {
      if (lane[right]) lane[left].emplace(f(*lane[left], *lane[right]));
    };
    for (std::size_t i = 0; i < of_tile.size(); ++i) {
      std::optional<T>& mine = lane[commutative ? i % lanes : i / 16];
      mine.emplace(mine ? f(*mine, of_tile[i]) : of_tile[i]);
    }
    if (commutative) {
      for (std::size_t half = lanes / 2; half > 0; half /= 2) {
        for (std::size_t l = 0; l < half; ++l) join(l, l + half);
      }
    } else {
      for (std::size_t step = 1; step < lanes; step *= 2) {
        for (std::size_t l = 0; l + step < lanes; l += 2 * step) join(l, l + step);
      }
    }
    results.data()[t] = with_plain_nan(*lane[0]);
  }
  return results.size() == 1 ? T(results[0]) : grouped_reduce<T>(results.span(), commutative, f);
}

/// The same by a built-in operator, each of which commutes; logical ones see zero and non-zero only.
template <class Op, class T>
T grouped_reduce_by(std::span<const T> x) {
  array<T> seen(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    seen.data()[i] = is_one_of<Op, logical_and, logical_or, logical_xor> ? T(x[i] != T(0)) : x[i];
  }
  return grouped_reduce<T>(seen.span(), true, plainly<Op, T>);
}

/// Elements first, first + stride, … of x, `count` of them: a row or a column.
template <class T>
array<T> gathered(std::span<const T> x, std::size_t first, std::size_t count, std::size_t stride) {
  array<T> line(count);
  for (std::size_t k = 0; k < count; ++k) line.data()[k] = x[first + k * stride];
  return line;
}

/// For each line of x along `along_axis` what `reduce_line` makes of that line alone.
template <class T>
array<T> reduced_lines(
    const array<T>& x, std::size_t along_axis,
    function_ref<std::type_identity_t<T>(std::span<const std::type_identity_t<T>>)> reduce_line) {
  std::vector<std::size_t> others;
  std::size_t inner = 1;
  for (std::size_t axis = 0; axis < x.shape().axes(); ++axis) {
    if (axis != along_axis) others.push_back(x.shape()[axis]);
    if (axis > along_axis) inner *= x.shape()[axis];
  }
  const std::size_t length = x.shape()[along_axis];
  array<T> want((shape(others)));
  for (std::size_t line = 0; line < want.size(); ++line) {
    const std::size_t first = line / inner * length * inner + line % inner;
    const array<T> elements = gathered<T>(x.span(), first, length, inner);
    want.data()[line] = reduce_line(elements.span());
  }
  return want;
}

/// Whether `have` is that.
template <class T>
testing::AssertionResult reduces_lines(
    const array<T>& have, const array<T>& x, std::size_t along_axis,
    function_ref<std::type_identity_t<T>(std::span<const std::type_identity_t<T>>)> reduce_line) {
  const array<T> want = reduced_lines(x, along_axis, reduce_line);
  if (have.shape() != want.shape())
    return testing::AssertionFailure() << "shape " << have.shape().text() << " from " << x.shape().text();
  return same_elements(have, want);
}

}  // namespace heddle::tests
