#pragma once

#include <heddle/any_array.hpp>
#include <heddle/impl/core/elements.hpp>

namespace heddle::impl {

/// The view that a pattern on a built-in type passes to the library.
template <array_like X>
any_const_view any_view_of(const X& x) {
  const auto in = input(x);
  return {in.data, dtype_of<element_of<X>>, shape_of(x), in.where};
}

}  // namespace heddle::impl
