#pragma once

#include <heddle/array_like.hpp>
#include <heddle/impl/core/initial_value.hpp>

#include <type_traits>

namespace heddle {

/// An optional initial value of a reduction or a scan of X: a number that its element type holds, a
/// std::optional of an element, or {} for none. It is the left operand of the first combination.
template <array_like X>
using initial_value = std::type_identity_t<impl::initial_element<element_of<X>>>;

}  // namespace heddle
