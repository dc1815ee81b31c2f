#pragma once

#include <heddle/dtype.hpp>
#include <heddle/operators.hpp>

#include <type_traits>

/// From the names of an element type and a function to the code for them. Types that differ in name only
/// share code: sums of signed and unsigned integers have the same bits, and a bool is a byte that is 0 or 1.
namespace heddle::impl {

/// Which functions a piece of the library holds; kernels are compiled in several files at once.
enum class family { arithmetic, order, bits, all };

template <function F>
inline constexpr family family_of =
    F == function::minimum || F == function::maximum                           ? family::order
    : F == function::plus || F == function::multiplies || F == function::minus ? family::arithmetic
                                                                               : family::bits;

template <class T>
struct type_tag {
  using type = T;
};

/// What a function is called where elements are stored: a bool's sum is its logical or, and its product
/// logical and.
constexpr function stored_function(dtype type, function which) noexcept {
  if (type == dtype::boolean && which == function::plus) return function::logical_or;
  if (type == dtype::boolean && which == function::multiplies) return function::logical_and;
  return which;
}

/// Calls f(type_tag<storage type>, operator). What `type` and `function` do not define is not called.
template <family Family, class F>
void dispatch_type_op(dtype type, function which, F&& f) {
  auto with_types = [&]<class Op>(Op op) {
    if constexpr (Family == family::all || family_of<function_of<Op>> == Family) {
      constexpr bool on_integers_only =
          is_defined(function_of<Op>, dtype::int32) && !is_defined(function_of<Op>, dtype::float32);
      switch (type) {
        case dtype::int8:
          if constexpr (is_extreme<Op>) return f(type_tag<std::int8_t>{}, op);
          [[fallthrough]];
        case dtype::boolean:
        case dtype::uint8:
          return f(type_tag<std::uint8_t>{}, op);
        case dtype::int16:
          if constexpr (is_extreme<Op>) return f(type_tag<std::int16_t>{}, op);
          [[fallthrough]];
        case dtype::uint16:
          return f(type_tag<std::uint16_t>{}, op);
        case dtype::int32:
          if constexpr (is_extreme<Op>) return f(type_tag<std::int32_t>{}, op);
          [[fallthrough]];
        case dtype::uint32:
          return f(type_tag<std::uint32_t>{}, op);
        case dtype::int64:
          if constexpr (is_extreme<Op>) return f(type_tag<std::int64_t>{}, op);
          [[fallthrough]];
        case dtype::uint64:
          return f(type_tag<std::uint64_t>{}, op);
        case dtype::float32:
          if constexpr (!on_integers_only) return f(type_tag<float>{}, op);
          return;
        case dtype::float64:
          if constexpr (!on_integers_only) return f(type_tag<double>{}, op);
          return;
        case dtype::complex64:
          if constexpr (is_defined(function_of<Op>, dtype::complex64))
            return f(type_tag<std::complex<float>>{}, op);
          return;
        case dtype::complex128:
          if constexpr (is_defined(function_of<Op>, dtype::complex128))
            return f(type_tag<std::complex<double>>{}, op);
          return;
      }
    }
  };
  switch (stored_function(type, which)) {
    case function::plus:
      return with_types(plus{});
    case function::multiplies:
      return with_types(multiplies{});
    case function::minimum:
      return with_types(minimum{});
    case function::maximum:
      return with_types(maximum{});
    case function::logical_and:
      return with_types(logical_and{});
    case function::logical_or:
      return with_types(logical_or{});
    case function::logical_xor:
      return with_types(logical_xor{});
    case function::bit_and:
      return with_types(bit_and{});
    case function::bit_or:
      return with_types(bit_or{});
    case function::bit_xor:
      return with_types(bit_xor{});
    case function::minus:
      return with_types(minus{});
    case function::none:
      return;
  }
}

}  // namespace heddle::impl
