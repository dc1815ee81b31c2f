#pragma once

#include <heddle/impl/core/dtype.hpp>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace heddle {

/// The element types that Heddle knows by name: in files, on the command line and in the compiled library.
enum class dtype : std::uint8_t {
  boolean,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  float32,
  float64,
  complex64,
  complex128,
};

/// NumPy's name of the type: "bool", "int8", …, "float64", "complex64", "complex128".
const char* name(dtype type) noexcept;

/// The type with that name; throws heddle::error listing the names when there is none.
dtype parse_dtype(std::string_view name);

/// Bytes of one element.
std::size_t size_of(dtype type) noexcept;

/// Bytes of the largest element. What is aligned to as many is aligned for every element.
inline constexpr std::size_t largest_element_bytes = 16;

/// Whether T is one of the types that dtype names.
template <class T>
inline constexpr bool has_dtype = impl::dtype_index<std::remove_cv_t<T>>() >= 0;

/// The dtype of T.
template <class T>
  requires has_dtype<T>
inline constexpr dtype dtype_of = static_cast<dtype>(impl::dtype_index<std::remove_cv_t<T>>());

/// Whether T is a std::complex.
template <class T>
inline constexpr bool is_complex = false;
template <class T>
inline constexpr bool is_complex<std::complex<T>> = true;

/// Calls f with a value-initialised element of the C++ type that `type` names, and returns what f returns.
template <class F>
decltype(auto) with_type(dtype type, F&& f) {
  switch (type) {
    case dtype::boolean:
      return f(bool{});
    case dtype::int8:
      return f(std::int8_t{});
    case dtype::int16:
      return f(std::int16_t{});
    case dtype::int32:
      return f(std::int32_t{});
    case dtype::int64:
      return f(std::int64_t{});
    case dtype::uint8:
      return f(std::uint8_t{});
    case dtype::uint16:
      return f(std::uint16_t{});
    case dtype::uint32:
      return f(std::uint32_t{});
    case dtype::uint64:
      return f(std::uint64_t{});
    case dtype::float32:
      return f(float{});
    case dtype::float64:
      return f(double{});
    case dtype::complex64:
      return f(std::complex<float>{});
    case dtype::complex128:
      break;
  }
  return f(std::complex<double>{});
}

}  // namespace heddle
