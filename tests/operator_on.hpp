#pragma once

#include "elements.hpp"
#include "grouped_reduce.hpp"
#include <heddle/reduce.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

/// Built-in operators as values, for tests of reductions by each of them.
namespace heddle::tests {

/// An element that `Op` takes no notice of beside others of its like, and one that changes the result.
template <class T, class Op>
std::pair<T, T> quiet_and_loud() {
  if constexpr (is_one_of<Op, minimum>) return {T(1), T(0)};
  if constexpr (is_one_of<Op, maximum, logical_or, logical_xor, bit_or, bit_xor, plus>) return {T(0), T(1)};
  if constexpr (is_one_of<Op, bit_and> && !std::is_same_v<T, bool>) return {static_cast<T>(~T(0)), T(1)};
  if constexpr (is_one_of<Op, multiplies> && !std::is_same_v<T, bool>) return {T(1), T(3)};
  return {T(1), T(0)};
}

/// The name of a reduction of n elements in messages.
template <class T, class Op = plus>
std::string named(std::size_t n) {
  return std::string(name(impl::function_of<Op>)) + " of " + std::to_string(n) + " " + impl::type_name<T>();
}

/// A built-in operator on elements of T as a value, so that what a test does is compiled once for each type.
template <class T>
struct operator_on {
  runtime_op which;
  bool logical;
  bool exact;  ///< whatever the order: sums and products of real and complex numbers are rounded
  std::pair<T, T> (*quiet_and_loud)();
  T (*operand)(std::size_t i, std::size_t n);
  T (*combine)(T, T);
  T (*reduce)(const target&, const array_view<const T>&);
  T (*reduce_from)(const target&, const array_view<const T>&, const T& init);
  array<T> (*reduce_along)(const target&, const array_view<const T>&, axis);

  std::string named(std::size_t n) const {
    return std::string(name(which)) + " of " + std::to_string(n) + " " + impl::type_name<T>();
  }
  array<T> operands(const shape& lengths) const {
    array<T> x(lengths);
    for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = operand(i, x.size());
    return x;
  }
  T seen(const T& x) const { return logical ? T(x != T(0)) : x; }
  T grouped(std::span<const T> x) const {
    array<T> lifted(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) lifted.data()[i] = seen(x[i]);
    return grouped_reduce<T>(lifted.span(), true, combine);
  }
  /// The elements combined from left to right.
  T looped(std::span<const T> x) const {
    T total = seen(x[0]);
    for (std::size_t i = 1; i < x.size(); ++i) total = combine(total, seen(x[i]));
    return total;
  }
};

template <class T, class Op>
operator_on<T> make_operator_on() {
  constexpr bool rounded = (std::is_floating_point_v<T> || is_complex<T>) && is_one_of<Op, plus, multiplies>;
  return {impl::function_of<Op>,
          impl::is_logical<Op>,
          !rounded,
          quiet_and_loud<T, Op>,
          operand<T, Op>,
          plainly<Op, T>,
          [](const target& where, const array_view<const T>& x) { return reduce(where, x, Op{}); },
          [](const target& where, const array_view<const T>& x, const T& init) {
            return reduce(where, x, Op{}, init);
          },
          [](const target& where, const array_view<const T>& x, axis along) {
            return reduce(where, x, along, Op{});
          }};
}

template <class T>
std::vector<operator_on<T>> operators_on() {
  std::vector<operator_on<T>> all;
  for_each_operator<T>([&]<class Op>() { all.push_back(make_operator_on<T, Op>()); });
  return all;
}

}  // namespace heddle::tests
