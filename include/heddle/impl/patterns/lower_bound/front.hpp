#pragma once

#include <heddle/any_array.hpp>
#include <heddle/impl/core/any_view_of.hpp>
#include <heddle/impl/core/call_along_lines.hpp>
#include <heddle/impl/core/misuse.hpp>
#include <heddle/impl/patterns/lower_bound/binary_search.hpp>
#include <heddle/sort.hpp>
#include <heddle/transform.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace heddle::impl {

/// Which end of the elements that are equal to a value.
enum class bound : std::uint8_t { lower, upper };

/// For each of `count` values its bound among n elements that are sorted in that order; all are on `where`.
void library_bounds(dtype type, const void* sorted, std::size_t n, sort_order order, bound which,
                    const void* values, std::size_t count, std::size_t* bounds, const target& where);

/// Where values are looked for among sorted elements.
target bounds_target(const target& requested, const untyped_elements& sorted, const untyped_elements& values,
                     bool gpu_possible);

/// The bounds of values of a built-in type in the order of that type.
array<std::size_t> library_bounds_of(const char* pattern, bound which, const target& requested,
                                     const any_const_view& sorted, const any_const_view& values,
                                     sort_order order);

/// An order in which a value is looked for among elements of T: that of both, or a function of an
/// element and the value.
template <class Order, class T, class V, bound Which>
concept bounds = (std::is_same_v<T, V> && is_built_in_order<Order, T>) ||
                 (Which == bound::lower && std::is_invocable_r_v<bool, const Order&, const T&, const V&>) ||
                 (Which == bound::upper && std::is_invocable_r_v<bool, const Order&, const V&, const T&>);

/// The same, and what gets an error of one line: values of another type than the elements, by their order.
template <class Order, class T, class V, bound Which>
concept takes_values = bounds<Order, T, V, Which> || is_built_in_order<Order, T>;

inline namespace HD_BUILD {

/// i ↦ the bound of values[i], by a user's function.
template <bound Which, class T, class V, class Compare>
struct bound_at {
  const T* sorted;
  std::size_t n;
  const V* values;
  Compare comes_before;
  HD_INLINE std::size_t operator()(std::size_t i) const {
    const V& value = values[i];
    return partition_point(0, n, [&](std::size_t at) {
      if constexpr (Which == bound::lower) {
        return comes_before(sorted[at], value);
      } else {
        return !comes_before(value, sorted[at]);
      }
    });
  }
};

template <bound Which, class Sorted, class Values, class Order>
  requires(!bounds<Order, element_of<Sorted>, element_of<Values>, Which>)
any_result bounds_of(const char*, const target&, const Sorted&, const Values&, const Order&) {
  static_assert(never<static_cast<int>(Which)>,
                "a value is looked for among elements of its own type: convert the values, or give a "
                "comparison of an element and a value");
  return {};
}

template <bound Which, class Sorted, class Values, class Order>
  requires bounds<Order, element_of<Sorted>, element_of<Values>, Which>
array<std::size_t> bounds_of(const char* pattern, const target& requested, const Sorted& sorted,
                             const Values& values, const Order& order) {
  using T = element_of<Sorted>;
  using V = element_of<Values>;
  if constexpr (std::is_same_v<T, V> && is_built_in_order<Order, T>) {
    return library_bounds_of(pattern, Which, requested, any_view_of(sorted), any_view_of(values),
                             order_of<T>(order).order);
  } else {
    operation running(pattern, input(values).size, type_name<V>());
    const target where = bounds_target(requested, untyped(sorted), untyped(values), compiled_for_gpu);
    running.runs_on(where);
    array<std::size_t> bounds(shape_of(values), where);
    if (bounds.size() == 0) return bounds;
    const staged_input<T> staged(input(sorted), where);
    const staged_input<V> staged_values(input(values), where);
    using F = comparison<std::decay_t<Order>>;
    const bound_at<Which, T, V, F> f{staged.data(), input(sorted).size, staged_values.data(), {order}};
    if (!where.is_gpu()) {
      cpu::transform(where.threads(), f, bounds.size(), bounds.data());
    } else {
#if defined(__CUDACC__)
      gpu::transform(where, f, bounds.size(), bounds.data());
#else
      fail_not_compiled_for_gpu();
#endif
    }
    return bounds;
  }
}

}  // namespace HD_BUILD

}  // namespace heddle::impl
