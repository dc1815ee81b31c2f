#pragma once

#include "storage.hpp"
#include <heddle/compiler.hpp>

#include <cstdint>

/// The operators on bits and on truth values, told apart at run time by two masks:
///
///   a ∘ b = (a ∧ b ∧ both) ∨ ((a ⊕ b) ∧ either)
///
/// is "and" by the masks 1 and 0, "or" by 1 and 1, "exclusive or" by 0 and 1. One kernel does the work of
/// three for one or two more instructions an element.
namespace heddle::cuda {

struct masks {
  std::uint64_t both, either;
};
constexpr masks masks_of(detail::function stored) noexcept {
  constexpr std::uint64_t all = ~std::uint64_t{0};
  switch (stored) {
    case detail::function::logical_and:
    case detail::function::bit_and:
      return {all, 0};
    case detail::function::logical_xor:
    case detail::function::bit_xor:
      return {0, all};
    default:
      return {all, all};
  }
}

/// bit_and, bit_or and bit_xor.
struct bits_by_masks : masks {
  static constexpr bool commutative = true, exact = true;
  template <class T>
  HD_INLINE T operator()(T a, T b) const {
    return static_cast<T>((a & b & static_cast<T>(both)) | ((a ^ b) & static_cast<T>(either)));
  }
  template <class T>
  HD_INLINE T neutral() const {
    return static_cast<T>(both & ~either);
  }
};

/// logical_and, logical_or and logical_xor, of elements that are 0 or 1.
struct logical_by_masks : masks {
  static constexpr bool commutative = true, exact = true, logical = true;
  template <class T>
  HD_INLINE T operator()(T a, T b) const {
    const unsigned p = a != T(0), q = b != T(0);
    return T((p & q & static_cast<unsigned>(both)) | ((p ^ q) & static_cast<unsigned>(either)));
  }
  template <class T>
  HD_INLINE T neutral() const {
    return T(both & ~either & 1);
  }
};

/// As detail::with_storage, with an operator by masks in place of each three that it stands for.
template <detail::family Family, class F>
void with_kernels(dtype type, detail::function which, const F& f) {
  if constexpr (Family != detail::family::bits) {
    detail::with_storage<Family>(type, which, f);
  } else {
    detail::with_storage<Family>(type, which, [&]<class T, class Op>(detail::type_tag<T> tag, Op) {
      const masks by = masks_of(detail::function_of<Op>);
      if constexpr (detail::is_logical<Op>) {
        f(tag, logical_by_masks{by});
      } else {
        f(tag, bits_by_masks{by});
      }
    });
  }
}

}  // namespace heddle::cuda
