#pragma once

#include "patterns/sort/sortable.hpp"
#include <heddle/impl/patterns/lower_bound/binary_search.hpp>
#include <heddle/lower_bound.hpp>

#include <cstddef>

namespace heddle::impl {

/// i ↦ the bound of values[i] among sorted elements, in the order of their keys or the other one.
template <class T>
struct bound_by_key {
  const T* sorted;
  std::size_t n;
  const T* values;
  bool upper, descending;

  HD_INLINE std::size_t operator()(std::size_t i) const {
    const auto value = to_key(values[i]);
    return partition_point(0, n, [this, value](std::size_t at) {
      const auto key = to_key(sorted[at]);
      return (descending ? key > value : key < value) || (upper && key == value);
    });
  }
};

template <class T>
bound_by_key<T> bound_by_key_of(const void* sorted, std::size_t n, sort_order order, bound which,
                                const void* values) {
  return {static_cast<const T*>(sorted), n, static_cast<const T*>(values), which == bound::upper,
          order == sort_order::descending};
}

}  // namespace heddle::impl
