#pragma once

#include "tests/elements.hpp"
#include <heddle/any_array.hpp>
#include <heddle/array.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

/// Arrays as lines along an axis, elements for them, and comparisons with loops in wider numbers.
namespace heddle::tests {

using long_complex = std::complex<long double>;

template <class T>
struct wider {
  using type = std::conditional_t<
      std::is_same_v<T, bool>, bool,
      std::conditional_t<
          std::is_floating_point_v<T>, long double,
          std::conditional_t<is_complex<T>, long_complex,
                             std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>>>;
};
/// What elements of T are combined in.
template <class T>
using wide = typename wider<T>::type;

/// The parts of a complex number, or the type itself.
template <class T>
struct real_of {
  using type = T;
};
template <class T>
struct real_of<std::complex<T>> {
  using type = T;
};
/// The rounding error of real and complex numbers.
template <class T>
constexpr long double epsilon = std::numeric_limits<typename real_of<T>::type>::epsilon();

template <class T>
long double size_of_number(const T& x) {
  return std::abs(static_cast<long_complex>(static_cast<wide<T>>(x)));
}

/// An array seen as the axes before one, this one, and those after it.
struct lines {
  std::size_t outer, length, inner;

  std::size_t size() const { return outer * length * inner; }
  std::size_t count() const { return outer * inner; }
  shape whole() const { return {outer, length, inner}; }
  shape others() const { return {outer, inner}; }
  /// The place of element k of a line.
  std::size_t at(std::size_t line, std::size_t k) const {
    return (line / inner * length + k) * inner + line % inner;
  }
};
inline lines lines_along(const shape& all, std::size_t axis) {
  lines l{1, all[axis], 1};
  for (std::size_t k = 0; k < all.axes(); ++k) (k < axis ? l.outer : l.inner) *= k == axis ? 1 : all[k];
  return l;
}

inline const lines shapes[] = {{3, 65, 7}, {1, 1, 1},   {5, 0, 3},    {0, 4, 3},
                               {2, 1, 3},  {3, 129, 1}, {1, 5'001, 1}};

template <class T, class F>
array<T> made_by(const shape& all, F&& element) {
  array<T> x(all);
  for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = static_cast<T>(element(i));
  return x;
}
/// Few different values, so that many are equal.
template <class T>
array<T> levels(const shape& all) {
  return made_by<T>(all, [](std::size_t i) { return static_cast<int>(random_bits(i) % 11) - 5; });
}
template <class T>
array<T> any_values(const shape& all) {
  return made_by<T>(all, [](std::size_t i) { return random_value<T>(i); });
}

/// Whether the elements are those, or of real and complex numbers within `steps` rounding errors of them.
template <class T, class W>
testing::AssertionResult holds(const any_array& have, const std::vector<W>& want, long double steps = 0) {
  if (have.dtype() != dtype_of<T>) return testing::AssertionFailure() << name(have.dtype());
  if (have.size() != want.size()) {
    return testing::AssertionFailure() << have.size() << " elements instead of " << want.size();
  }
  const any_array on_cpu = have.on(target());
  for (std::size_t i = 0; i < want.size(); ++i) {
    const T got = on_cpu.as<T>()[i];
    bool same = got == static_cast<T>(static_cast<W>(want[i]));
    if constexpr (!std::is_integral_v<T>) {
      const long double apart = std::abs(static_cast<wide<T>>(got) - static_cast<wide<T>>(want[i]));
      same = same || apart <= steps * epsilon<T> * std::max(1.0L, size_of_number(static_cast<W>(want[i])));
    }
    if (!same) {
      return testing::AssertionFailure()
             << "element " << i << " of " << want.size() << " " << name(have.dtype()) << " is "
             << testing::PrintToString(got) << " instead of " << testing::PrintToString(want[i]);
    }
  }
  return testing::AssertionSuccess();
}
template <class T, class W>
testing::AssertionResult holds(const array<T>& have, const std::vector<W>& want) {
  const std::vector<T> got = have.to_vector();
  return got == std::vector<T>(want.begin(), want.end())
             ? testing::AssertionSuccess()
             : testing::AssertionFailure() << testing::PrintToString(got);
}

}  // namespace heddle::tests
