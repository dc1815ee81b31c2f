#pragma once

#include <heddle/dtype.hpp>
#include <heddle/impl/core/array_view.hpp>
#include <heddle/shape.hpp>
#include <heddle/target.hpp>

#include <cstddef>
#include <iosfwd>

namespace heddle::impl {

/// Writes one element of a user's type. The element is on the CPU, at an address of any alignment.
using element_writer = void (*)(std::ostream& out, const void* element);

/// Writes the elements as NumPy's `str` does. Copies from a GPU only the elements that it writes.
std::ostream& print(std::ostream& out, dtype type, const void* data, const shape& lengths,
                    const target& where);
std::ostream& print(std::ostream& out, element_writer write, std::size_t bytes_of_element, const void* data,
                    const shape& lengths, const target& where);

template <class T>
std::ostream& print_elements(std::ostream& out, const T* data, const shape& lengths, const target& where) {
  constexpr bool has_text = requires(const T& element) { out << element; };
  if constexpr (has_dtype<T>) {
    return print(out, dtype_of<T>, data, lengths, where);
  } else if constexpr (has_text) {
    return print(
        out,
        [](std::ostream& to, const void* element) {
          to << read_element(static_cast<const T*>(element), target());
        },
        sizeof(T), data, lengths, where);
  } else {
    static_assert(has_text,
                  "operator<<: define operator<<(std::ostream&, const T&) for the elements of the array, or "
                  "print their members one by one");
    return out;
  }
}

}  // namespace heddle::impl
