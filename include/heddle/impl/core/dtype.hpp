#pragma once

#include <heddle/compiler.hpp>

#include <complex>
#include <type_traits>

namespace heddle::impl {

/// The value of T in the enumeration `dtype`; −1 for types that it does not name. `long` and `long long` are
/// different types of one width, so size and sign alone tell integers apart.
template <class T>
constexpr int dtype_index() {
  if constexpr (std::is_same_v<T, bool>) {
    return 0;
  } else if constexpr (std::is_integral_v<T>) {
    // There are integers of 16 bytes.
    if (sizeof(T) > 8) return -1;
    return (std::is_signed_v<T> ? 1 : 5) + (sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3);
  } else if constexpr (std::is_same_v<T, float>) {
    return 9;
  } else if constexpr (std::is_same_v<T, double>) {
    return 10;
  } else if constexpr (std::is_same_v<T, std::complex<float>>) {
    return 11;
  } else if constexpr (std::is_same_v<T, std::complex<double>>) {
    return 12;
  } else {
    return -1;
  }
}

/// The name of an element type in errors: NumPy's name, or a phrase for a user's own type.
template <class T>
constexpr const char* type_name() {
  constexpr const char* names[] = {"bool",    "int8",      "int16",     "int32",  "int64",
                                   "uint8",   "uint16",    "uint32",    "uint64", "float32",
                                   "float64", "complex64", "complex128"};
  constexpr int index = dtype_index<std::remove_cv_t<T>>();
  return index < 0 ? "elements of a user's type" : names[index < 0 ? 0 : index];
}

}  // namespace heddle::impl
