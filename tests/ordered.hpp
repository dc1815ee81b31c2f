#pragma once

#include "elements.hpp"
#include "sizes.hpp"
#include <heddle/array.hpp>
#include <heddle/impl/core/order.hpp>
#include <heddle/shape.hpp>
#include <heddle/sort.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <type_traits>
#include <vector>

/// Elements among which there are equal and special ones, and their order by the standard library.
namespace heddle::tests {

/// NumPy's order: NaNs last and alike.
template <class T>
bool comes_before(T a, T b) {
  return a < b || (b != b && a == a);
}
/// The order of the elements alone, in which −0 comes before +0.
template <class T>
bool sorts_before(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (a == 0 && b == 0) return std::signbit(a) && !std::signbit(b);
  }
  return comes_before(a, b);
}

/// Elements among which there are equal ones, and what is special in the type.
template <class T>
array<T> mixed(std::size_t n) {
  array<T> x(n);
  for (std::size_t i = 0; i < n; ++i) {
    T& value = x.data()[i];
    value = random_value<T>(i);
    if constexpr (std::is_floating_point_v<T>) {
      using limits = std::numeric_limits<T>;
      const std::uint64_t which = random_bits(~i) % 32;
      const T special[] = {T(0),
                           -T(0),
                           limits::infinity(),
                           -limits::infinity(),
                           limits::max(),
                           limits::lowest(),
                           limits::denorm_min(),
                           -limits::denorm_min(),
                           limits::quiet_NaN(),
                           -limits::quiet_NaN(),
                           T(1),
                           T(-1)};
      if (which < std::size(special)) value = special[which];
    } else if constexpr (!std::is_same_v<T, bool>) {
      if (i % 3 == 0) value = static_cast<T>(value % 5);
      if (i % 97 == 0) value = std::numeric_limits<T>::min();
      if (i % 89 == 0) value = std::numeric_limits<T>::max();
    }
  }
  return x;
}

template <class T>
array<T> sorted_by_loops(const array<T>& x) {
  array<T> y = x.on(target::serial());
  std::stable_sort(y.data(), y.data() + y.size(), sorts_before<T>);
  for (std::size_t i = 0; i < y.size(); ++i) y.data()[i] = order::canonical(y.data()[i]);
  return y;
}

inline constexpr sort_order falling = sort_order::descending;

template <class T>
std::vector<std::size_t> argsorted_by_loops(const array<T>& x, sort_order order = sort_order::ascending) {
  std::vector<std::size_t> places(x.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::stable_sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) {
    const T first = x.data()[a], second = x.data()[b];
    return order == falling ? comes_before(second, first) : comes_before(first, second);
  });
  return places;
}

inline constexpr auto for_each_ordered_type = [](const auto& f) {
  if constexpr (seeks_races) {
    for_each_type<std::uint64_t, float>(f);
  } else {
    for_each_integer_type(f);
    for_each_type<float, double>(f);
  }
};

/// Each line by itself, through the flat order of a copy of it.
template <class T, class Sorted>
void for_each_line(const array<T>& x, std::size_t axis, const Sorted& check) {
  const axis_lines lines = along(x.shape(), axis);
  for (std::size_t line = 0; line < lines.count(); ++line) {
    const std::size_t begin = line / lines.inner * lines.length * lines.inner + line % lines.inner;
    array<T> one(lines.length);
    for (std::size_t i = 0; i < lines.length; ++i) one.data()[i] = x.data()[begin + i * lines.inner];
    check(one, begin, lines.inner);
  }
}

/// Something of a user's own with an order that tells not all of them apart.
struct person {
  std::int32_t age;
  char name[3];
  friend bool operator==(const person&, const person&) = default;
};
struct younger {
  HD_FN bool operator()(const person& a, const person& b) const { return a.age < b.age; }
};
/// The same of more bytes than a register holds.
struct family {
  std::int64_t children;
  person parents[4];
  friend bool operator==(const family&, const family&) = default;
};
struct smaller {
  HD_FN bool operator()(const family& a, const family& b) const { return a.children < b.children; }
};

inline std::vector<person> people(std::size_t n) {
  std::vector<person> all(n);
  for (std::size_t i = 0; i < n; ++i) {
    all[i].age = static_cast<std::int32_t>(random_bits(i) % (n / 5 + 1)) - 50;
    for (std::size_t k = 0; k < 3; ++k) all[i].name[k] = static_cast<char>(random_bits(~i) >> (8 * k) & 0x7f);
  }
  return all;
}
inline std::vector<family> families(std::size_t n) {
  const std::vector<person> parents = people(n);
  std::vector<family> all(n);
  for (std::size_t i = 0; i < n; ++i)
    all[i] = {static_cast<std::int64_t>(random_bits(i) % 7),
              {parents[i], parents[n - 1 - i], parents[0], parents[i]}};
  return all;
}

/// The places of elements in the stable order of a function.
template <class T, class Compare>
std::vector<std::size_t> argsorted_by(const std::vector<T>& x, const Compare& compare) {
  std::vector<std::size_t> places(x.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::stable_sort(places.begin(), places.end(),
                   [&](std::size_t a, std::size_t b) { return compare(x[a], x[b]); });
  return places;
}

}  // namespace heddle::tests
