#pragma once

#include <heddle/impl/core/conversion.hpp>

#include <optional>
#include <type_traits>

namespace heddle::impl {

/// An element, converted with checks, or none.
template <class T>
struct initial_element : std::optional<T> {
  initial_element() = default;
  initial_element(std::nullopt_t) {}
  initial_element(const std::optional<T>& value) : std::optional<T>(value) {}
  template <class V>
    requires std::is_convertible_v<const V&, given<T>>
  initial_element(const V& value) : std::optional<T>(static_cast<const T&>(given<T>(value))) {}
  /// A complex number by its parts.
  template <class C = T>
    requires is_complex<C>
  initial_element(typename complex_parts<C>::part re, typename complex_parts<C>::part im)
      : std::optional<T>(T(re, im)) {}
};

/// Null for none.
template <class T>
const T* address_of(const std::optional<T>& value) {
  return value ? &*value : nullptr;
}

}  // namespace heddle::impl
