#pragma once

#include <heddle/impl/array_like.hpp>

#include <type_traits>

namespace heddle {

/// What an array may hold: types whose bytes can be copied from one target to another, aligned to 256 bytes
/// at most.
template <class T>
concept element = std::is_trivially_copyable_v<T> && !std::is_const_v<T> && alignof(T) <= 256;

/// What a pattern takes as an array: array, array_view, and whatever std::data and std::size read, such as
/// std::vector, std::array, std::span, std::string and T[n]. Not std::vector<bool>, which holds no bools.
template <class X>
concept array_like = requires { typename impl::element_of_range<std::remove_cvref_t<X>>::type; };

/// The element type of an array_like.
template <array_like X>
using element_of = typename impl::element_of_range<std::remove_cvref_t<X>>::type;

}  // namespace heddle
