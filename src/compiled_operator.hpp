#pragma once

#include <heddle/operators.hpp>

/// The operators that templates of the CPU are compiled for, where speed is not all.
namespace heddle::detail {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)

/// Sanitized code compiles slowly: all operators on a type share one.
template <class T, bool Logical>
struct operator_by_pointer {
  static constexpr bool commutative = true, logical = Logical;
  T (*function)(T, T);
  T identity_value;
  T operator()(const T& a, const T& b) const { return function(a, b); }
};

template <class T, class Op>
operator_by_pointer<T, is_logical<Op>> compiled_operator(const Op& op) {
  return {[](T a, T b) { return Op()(a, b); }, identity_of<Op, T>(op)};
}

#else

template <class T, class Op>
Op compiled_operator(const Op& op) {
  return op;
}

#endif

}  // namespace heddle::detail
