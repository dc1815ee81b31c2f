#pragma once

#include <heddle/array_view.hpp>
#include <heddle/impl/core/conversion.hpp>

#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>

namespace heddle::impl {

/// A range that can be read more than once.
template <class R>
concept range = requires(R& r) {
  { std::begin(r) } -> std::forward_iterator;
  { std::end(r) } -> std::sentinel_for<decltype(std::begin(r))>;
};

/// Whether a From converts to an element of type T and keeps its value.
template <class From, class T>
concept keeps_element = std::is_convertible_v<From, T> && keeps_values<std::remove_cvref_t<From>, T>();

template <class R, class T>
concept range_of = range<R> && !is_array_or_view<std::remove_cvref_t<R>> &&
                   keeps_element<std::iter_reference_t<decltype(std::begin(std::declval<R&>()))>, T>;

/// Access to what an array has besides its elements.
struct array_access {
  /// Makes an array flat, of its first `size` elements, in the memory that it has.
  template <class Array>
  static void shorten(Array& x, std::size_t size) {
    x.shape_ = {size};
    x.size_ = size;
  }
};

}  // namespace heddle::impl
