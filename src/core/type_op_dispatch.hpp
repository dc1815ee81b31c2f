#pragma once

#include <heddle/dtype.hpp>
#include <heddle/operators.hpp>

#include <type_traits>

/// From the names of an element type and a function to the code for them. Types that differ in name only
/// share code: sums of signed and unsigned integers have the same bits, and a bool is a byte that is 0 or 1.
namespace heddle::impl {

/// Which functions a piece of the library holds; kernels are compiled in several files at once.
enum class family { arithmetic, order, bits, all };

template <runtime_op F>
inline constexpr family family_of =
    F == runtime_op::minimum || F == runtime_op::maximum                             ? family::order
    : F == runtime_op::plus || F == runtime_op::multiplies || F == runtime_op::minus ? family::arithmetic
                                                                                     : family::bits;

template <class T>
struct type_tag {
  using type = T;
};

/// The function by which stored elements are combined: a bool's sum is its logical or, and its product
/// logical and.
constexpr runtime_op stored_function(dtype type, runtime_op which) noexcept {
  if (type == dtype::boolean && which == runtime_op::plus) return runtime_op::logical_or;
  if (type == dtype::boolean && which == runtime_op::multiplies) return runtime_op::logical_and;
  return which;
}

/// Calls f with the operator; not called for runtime_op::none.
template <class F>
void with_op(runtime_op op, const F& f) {
  switch (op) {
    case runtime_op::plus:
      return f(plus{});
    case runtime_op::multiplies:
      return f(multiplies{});
    case runtime_op::minimum:
      return f(minimum{});
    case runtime_op::maximum:
      return f(maximum{});
    case runtime_op::logical_and:
      return f(logical_and{});
    case runtime_op::logical_or:
      return f(logical_or{});
    case runtime_op::logical_xor:
      return f(logical_xor{});
    case runtime_op::bit_and:
      return f(bit_and{});
    case runtime_op::bit_or:
      return f(bit_or{});
    case runtime_op::bit_xor:
      return f(bit_xor{});
    case runtime_op::minus:
      return f(minus{});
    case runtime_op::none:
      return;
  }
}

/// Calls f(type_tag<storage type>, operator). What `type` and `function` do not define is not called.
template <family Family, class F>
void dispatch_type_op(dtype type, runtime_op which, F&& f) {
#if defined(HEDDLE_FLOAT_SUMS_ONLY)
  // The demo calls nothing else, and is compiled in a minute.
  if constexpr (Family == family::all || Family == family::arithmetic) {
    if (type == dtype::float32 && which == runtime_op::plus) f(type_tag<float>{}, plus{});
  }
#else
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
  with_op(stored_function(type, which), with_types);
#endif
}

}  // namespace heddle::impl
