#pragma once

#include <heddle/compiler.hpp>
#include <heddle/dtype.hpp>
#include <heddle/impl/core/conversion.hpp>
#include <heddle/runtime_op.hpp>

#include <type_traits>

namespace heddle {

struct plus;
struct multiplies;
struct minimum;
struct maximum;
struct logical_and;
struct logical_or;
struct logical_xor;
struct bit_and;
struct bit_or;
struct bit_xor;
struct minus;
template <class F, class T>
struct monoid;
template <class F, class T>
struct commutative_monoid;

}  // namespace heddle

namespace heddle::impl {

template <class F, class T>
struct signature<monoid<F, T>> : signature<std::decay_t<F>> {};
template <class F, class T>
struct signature<commutative_monoid<F, T>> : signature<std::decay_t<F>> {};

template <class Op, class T>
concept has_typed_identity = requires { Op::template identity<T>(); };
template <class Op, class T>
concept has_identity_value = requires(const Op& op) { T(op.identity_value); };

/// Whether `op` has an identity for T.
template <class Op, class T>
inline constexpr bool has_identity = has_typed_identity<Op, T> || has_identity_value<Op, T>;

template <class Op, class T>
T identity_of(const Op& op) {
  if constexpr (has_typed_identity<Op, T>) {
    return Op::template identity<T>();
  } else {
    return given<T>(op.identity_value);
  }
}

template <class Op>
inline constexpr bool is_logical = requires { requires Op::logical; };

template <class Op>
inline constexpr bool is_extreme = std::is_same_v<Op, minimum> || std::is_same_v<Op, maximum>;

/// An element as `op` sees it: logical operators tell zero from non-zero only.
template <class Op, class T>
HD_INLINE T lift(const T& x) {
  if constexpr (is_logical<Op>) {
    return T(x != T(0));
  } else {
    return x;
  }
}

template <class Op>
inline constexpr runtime_op function_of = runtime_op::none;
template <>
inline constexpr runtime_op function_of<plus> = runtime_op::plus;
template <>
inline constexpr runtime_op function_of<multiplies> = runtime_op::multiplies;
template <>
inline constexpr runtime_op function_of<minimum> = runtime_op::minimum;
template <>
inline constexpr runtime_op function_of<maximum> = runtime_op::maximum;
template <>
inline constexpr runtime_op function_of<logical_and> = runtime_op::logical_and;
template <>
inline constexpr runtime_op function_of<logical_or> = runtime_op::logical_or;
template <>
inline constexpr runtime_op function_of<logical_xor> = runtime_op::logical_xor;
template <>
inline constexpr runtime_op function_of<bit_and> = runtime_op::bit_and;
template <>
inline constexpr runtime_op function_of<bit_or> = runtime_op::bit_or;
template <>
inline constexpr runtime_op function_of<bit_xor> = runtime_op::bit_xor;
template <>
inline constexpr runtime_op function_of<minus> = runtime_op::minus;

/// Whether the compiled library holds Op on elements of T, so that it needs nothing from the user's compiler.
template <class T, class Op>
constexpr bool library_has() {
  if constexpr (has_dtype<T>) return is_defined(function_of<Op>, dtype_of<T>);
  return false;
}

/// Why an operator cannot reduce or scan elements of a type.
enum class operator_fault { none, elements, call, arguments, result, minus };

template <class T, class Op>
constexpr operator_fault fault_of_operator() {
  if constexpr (!std::is_trivially_copyable_v<T>) {
    return operator_fault::elements;
  } else if constexpr (!std::is_invocable_r_v<T, const Op&, const T&, const T&>) {
    return operator_fault::call;
  } else if constexpr (!takes_as_they_are<Op, T, T>) {
    return operator_fault::arguments;
  } else if constexpr (!keeps_results<
                           std::remove_cvref_t<std::invoke_result_t<const Op&, const T&, const T&>>, T>()) {
    return operator_fault::result;
  } else {
    return std::is_same_v<Op, minus> ? operator_fault::minus : operator_fault::none;
  }
}

/// Whether Op can reduce and scan elements of T.
template <class T, class Op>
concept combines = fault_of_operator<T, Op>() == operator_fault::none;

/// Does not compile where Op cannot reduce or scan elements of T, and says why. A function that calls it for
/// elements that it cannot combine does nothing else, so that this is the only error.
template <class T, class Op>
constexpr void check_operator() {
  constexpr operator_fault fault = fault_of_operator<T, Op>();
  static_assert(fault != operator_fault::elements,
                "elements must be trivially copyable, to be copied from one target to another");
  static_assert(fault != operator_fault::call,
                "the operator must take two elements and return one, such as hd::plus{}; an axis is given as "
                "hd::axis{0}, and an initial value after the operator");
  static_assert(
      fault != operator_fault::arguments,
      "the operator takes a type that loses values of the elements, such as int for float: write it "
      "for the type of the elements");
  static_assert(
      fault != operator_fault::result,
      "the operator returns a type that loses values as an element, such as double for float: let it "
      "return the type of the elements");
  static_assert(fault != operator_fault::minus, "minus is not associative: it can neither reduce nor scan");
}

/// Whether the compiled library holds Op as an operator that combines elements of T.
template <class T, class Op>
constexpr bool library_combines() {
  return !std::is_same_v<Op, minus> && library_has<T, Op>();
}

}  // namespace heddle::impl
