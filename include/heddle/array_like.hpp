#pragma once

#include <heddle/impl/core/array_like.hpp>

#include <type_traits>

namespace heddle {

/// The types of elements of arrays: trivially copyable types, aligned to at most 256 bytes.
template <class T>
concept element = std::is_trivially_copyable_v<T> && !std::is_const_v<T> && alignof(T) <= 256;

/// The arrays that patterns take: array, array_view, and whatever std::data and std::size accept, such as
/// std::vector, std::array, std::span, std::string and T[n]. Not std::vector<bool>, which has no contiguous
/// bools.
template <class X>
concept array_like = requires { typename impl::element_of_range<std::remove_cvref_t<X>>::type; };

/// The element type of an array_like.
template <array_like X>
using element_of = typename impl::element_of_range<std::remove_cvref_t<X>>::type;

}  // namespace heddle
