#pragma once

#include <heddle/compiler.hpp>

#include <concepts>
#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>

namespace heddle::impl {

/// The element type of a contiguous range: one that std::data and std::size accept.
template <class X>
struct element_of_range {};
template <class X>
  requires requires(const X& x) {
    std::data(x);
    { std::size(x) } -> std::convertible_to<std::size_t>;
    requires std::is_object_v<std::remove_pointer_t<decltype(std::data(x))>>;
    requires !std::is_array_v<std::remove_pointer_t<decltype(std::data(x))>>;
  }
struct element_of_range<X> {
  using type = std::remove_cv_t<std::remove_pointer_t<decltype(std::data(std::declval<const X&>()))>>;
};

}  // namespace heddle::impl
