#pragma once

#include <heddle/operators.hpp>

#include <array>
#include <cstddef>
#include <cstring>
#include <type_traits>

/// The operators that templates of the CPU are compiled for, where speed is not all.
namespace heddle::impl {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)

/// Sanitized code compiles slowly: all operators on a type share one.
template <class T, bool Logical>
struct operator_by_pointer {
  static constexpr bool commutative = true, logical = Logical;
  T (*function)(const std::byte* op, T, T);
  std::array<std::byte, 24> op;
  T identity_value;
  T operator()(const T& a, const T& b) const { return function(op.data(), a, b); }
};

template <class T, class Op>
operator_by_pointer<T, is_logical<Op>> compiled_operator(const Op& op) {
  operator_by_pointer<T, is_logical<Op>> by{[](const std::byte* bytes, T a, T b) {
                                              Op function;
                                              std::memcpy(&function, bytes, sizeof(Op));
                                              return function(a, b);
                                            },
                                            {},
                                            identity_of<Op, T>(op)};
  static_assert(sizeof(Op) <= sizeof by.op && std::is_trivially_copyable_v<Op>);
  std::memcpy(by.op.data(), &op, sizeof(Op));
  return by;
}

#else

template <class T, class Op>
Op compiled_operator(const Op& op) {
  return op;
}

#endif

}  // namespace heddle::impl
