#pragma once

#include <heddle/compiler.hpp>
#include <heddle/dtype.hpp>
#include <heddle/impl/conversion.hpp>
#include <heddle/runtime_op.hpp>

#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace heddle {
namespace impl {

/// The real (0) or imaginary (1) part of z, in code that may run on a GPU, where std::complex has no member
/// functions.
template <class T>
HD_INLINE auto& part(T& z, int which) {
  using P = typename complex_parts<std::remove_const_t<T>>::part;
  using Q = std::conditional_t<std::is_const_v<T>, const P, P>;
  return reinterpret_cast<Q*>(&z)[which];
}
template <class T, class P>
HD_INLINE T complex_like(T z, P re, P im) {
  part(z, 0) = re;
  part(z, 1) = im;
  return z;
}

/// Sums and products of small integers are taken modulo 2^bits, through an unsigned type that does not
/// promote to int.
template <class T>
using modular = std::conditional_t<(sizeof(T) < 4), std::uint32_t, std::make_unsigned_t<T>>;

// The GPU's compiler fuses a product and a sum that stand together into one rounding; these two it leaves
// alone, so that a sum has the same bits on every target.
template <class T>
HD_INLINE T rounded_sum(T a, T b) {
#if defined(__CUDA_ARCH__)
  if constexpr (std::is_same_v<T, float>) return __fadd_rn(a, b);
  if constexpr (std::is_same_v<T, double>) return __dadd_rn(a, b);
#endif
  return a + b;
}
template <class T>
HD_INLINE T rounded_product(T a, T b) {
#if defined(__CUDA_ARCH__)
  if constexpr (std::is_same_v<T, float>) return __fmul_rn(a, b);
  if constexpr (std::is_same_v<T, double>) return __dmul_rn(a, b);
#endif
#if !defined(__CUDACC__) && __has_builtin(__builtin_assoc_barrier)
  // GCC 12 fuses a·b ± c·d in vectors even under -ffp-contract=off, but not across this.
  return __builtin_assoc_barrier(a * b);
#else
  return a * b;
#endif
}

/// Whether 0 and 1 are elements of T: numbers and what is made like them. Other types of a user's own have
/// operators here and no identity.
template <class T>
concept from_number = std::is_convertible_v<int, T>;

template <class T>
HD_INLINE bool has_sign_bit(T x) {
  if constexpr (sizeof(T) > 8) {
    return __builtin_signbit(x);
  } else {
    using bits = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
    return __builtin_bit_cast(bits, x) < 0;
  }
}

}  // namespace impl

// The operators. Each is associative, and commutative on numbers; `identity<T>()` is the element that changes
// nothing.

/// a + b: integers modulo 2^bits, complex numbers by parts, bool as logical or.
struct plus {
  static constexpr bool commutative = true;
  template <class T>
  HD_INLINE T operator()(T a, T b) const {
    if constexpr (std::is_same_v<T, bool>) {
      return a || b;
    } else if constexpr (std::is_integral_v<T>) {
      using U = impl::modular<T>;
      return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
    } else if constexpr (std::is_floating_point_v<T>) {
      return impl::rounded_sum(a, b);
    } else if constexpr (impl::is_complex<T>) {
      using impl::part, impl::rounded_sum;
      return impl::complex_like(a, rounded_sum(part(a, 0), part(b, 0)), rounded_sum(part(a, 1), part(b, 1)));
    } else {
      return a + b;
    }
  }
  template <class T>
    requires impl::from_number<T>
  static constexpr T identity() {
    return T(0);
  }
};

/// a · b: integers modulo 2^bits, complex numbers by the textbook formula, bool as logical and.
struct multiplies {
  static constexpr bool commutative = true;
  template <class T>
  HD_INLINE T operator()(T a, T b) const {
    if constexpr (std::is_same_v<T, bool>) {
      return a && b;
    } else if constexpr (std::is_integral_v<T>) {
      using U = impl::modular<T>;
      return static_cast<T>(static_cast<U>(a) * static_cast<U>(b));
    } else if constexpr (std::is_floating_point_v<T>) {
      return impl::rounded_product(a, b);
    } else if constexpr (impl::is_complex<T>) {
      using impl::part, impl::rounded_product, impl::rounded_sum;
      return impl::complex_like(
          a, rounded_sum(rounded_product(part(a, 0), part(b, 0)), -rounded_product(part(a, 1), part(b, 1))),
          rounded_sum(rounded_product(part(a, 0), part(b, 1)), rounded_product(part(a, 1), part(b, 0))));
    } else {
      return a * b;
    }
  }
  template <class T>
    requires impl::from_number<T>
  static constexpr T identity() {
    return T(1);
  }
};

#if HD_PTX_ARCH > 0
namespace impl {

// A GPU compares doubles and selects words at half the rate at which it issues instructions: two comparisons,
// one test of both signs and one selection. Where b is no number it is the result; where a is none, neither
// comparison holds against it; and of numbers of opposite signs, zeros among them, the signs decide.

__device__ __forceinline__ double smaller_of(double a, double b) {
  double result;
  asm("{\n"
      "  .reg .pred first;\n"
      "  .reg .b32 low, i, j;\n"
      "  mov.b64 {low, i}, %1;\n"
      "  mov.b64 {low, j}, %2;\n"
      "  lop3.b32 i, i, j, 0x80000000, 0x20;\n"  // i ∧ ¬j ∧ the sign
      "  setp.ne.b32 first, i, 0;\n"
      "  setp.ltu.or.f64 first, %1, %2, first;\n"
      "  setp.num.and.f64 first, %2, %2, first;\n"
      "  selp.f64 %0, %1, %2, first;\n"
      "}"
      : "=d"(result)
      : "d"(a), "d"(b));
  return result;
}
__device__ __forceinline__ double larger_of(double a, double b) {
  double result;
  asm("{\n"
      "  .reg .pred first;\n"
      "  .reg .b32 low, i, j;\n"
      "  mov.b64 {low, i}, %1;\n"
      "  mov.b64 {low, j}, %2;\n"
      "  lop3.b32 i, i, j, 0x80000000, 0x08;\n"  // ¬i ∧ j ∧ the sign
      "  setp.ne.b32 first, i, 0;\n"
      "  setp.gtu.or.f64 first, %1, %2, first;\n"
      "  setp.num.and.f64 first, %2, %2, first;\n"
      "  selp.f64 %0, %1, %2, first;\n"
      "}"
      : "=d"(result)
      : "d"(a), "d"(b));
  return result;
}

}  // namespace impl
#endif

/// The smaller of a and b. NaN propagates as in numpy.minimum, and −0 lies below +0 (IEEE 754-2019 minimum).
struct minimum {
  static constexpr bool commutative = true;
  template <class T>
    requires requires(T a, T b) { b < a; }
  HD_INLINE T operator()(T a, T b) const {
#if HD_PTX_ARCH >= 800
    // One instruction, which takes −0 for less than +0 too.
    if constexpr (std::is_same_v<T, float>) {
      T smaller;
      // Not with one operand for a and the result: nvcc 13.0 loses a where branches meet.
      asm("min.NaN.f32 %0, %1, %2;" : "=f"(smaller) : "f"(a), "f"(b));
      return smaller;
    }
#endif
#if HD_PTX_ARCH > 0
    if constexpr (std::is_same_v<T, double>) return impl::smaller_of(a, b);
#endif
    T smaller = b < a ? b : a;
    if constexpr (std::is_floating_point_v<T>) {
      smaller = (a == b && impl::has_sign_bit(b)) ? b : smaller;
      smaller = b != b ? b : smaller;
      smaller = a != a ? a : smaller;
    }
    return smaller;
  }
  template <class T>
    requires(std::numeric_limits<T>::is_specialized)
  static constexpr T identity() {
    if constexpr (std::numeric_limits<T>::has_infinity) return std::numeric_limits<T>::infinity();
    return std::numeric_limits<T>::max();
  }
};

/// The larger of a and b. NaN propagates as in numpy.maximum, and +0 lies above −0 (IEEE 754-2019 maximum).
struct maximum {
  static constexpr bool commutative = true;
  template <class T>
    requires requires(T a, T b) { a < b; }
  HD_INLINE T operator()(T a, T b) const {
#if HD_PTX_ARCH >= 800
    if constexpr (std::is_same_v<T, float>) {
      T larger;
      // Not with one operand for a and the result: nvcc 13.0 loses a where branches meet.
      asm("max.NaN.f32 %0, %1, %2;" : "=f"(larger) : "f"(a), "f"(b));
      return larger;
    }
#endif
#if HD_PTX_ARCH > 0
    if constexpr (std::is_same_v<T, double>) return impl::larger_of(a, b);
#endif
    T larger = a < b ? b : a;
    if constexpr (std::is_floating_point_v<T>) {
      larger = (a == b && impl::has_sign_bit(a)) ? b : larger;
      larger = b != b ? b : larger;
      larger = a != a ? a : larger;
    }
    return larger;
  }
  template <class T>
    requires(std::numeric_limits<T>::is_specialized)
  static constexpr T identity() {
    if constexpr (std::numeric_limits<T>::has_infinity) return -std::numeric_limits<T>::infinity();
    return std::numeric_limits<T>::lowest();
  }
};

/// 1 where both are non-zero, else 0. In a reduction or a scan each element counts as 0 or 1.
struct logical_and {
  static constexpr bool commutative = true;
  static constexpr bool logical = true;
  template <class T>
  HD_INLINE T operator()(T a, T b) const {
    return T((a != T(0)) & (b != T(0)));
  }
  template <class T>
    requires impl::from_number<T>
  static constexpr T identity() {
    return T(1);
  }
};

/// 1 where at least one is non-zero, else 0.
struct logical_or {
  static constexpr bool commutative = true;
  static constexpr bool logical = true;
  template <class T>
  HD_INLINE T operator()(T a, T b) const {
    return T((a != T(0)) | (b != T(0)));
  }
  template <class T>
    requires impl::from_number<T>
  static constexpr T identity() {
    return T(0);
  }
};

/// 1 where exactly one is non-zero, else 0.
struct logical_xor {
  static constexpr bool commutative = true;
  static constexpr bool logical = true;
  template <class T>
  HD_INLINE T operator()(T a, T b) const {
    return T((a != T(0)) != (b != T(0)));
  }
  template <class T>
    requires impl::from_number<T>
  static constexpr T identity() {
    return T(0);
  }
};

/// a & b, for integers.
struct bit_and {
  static constexpr bool commutative = true;
  template <class T>
    requires requires(T a, T b) { a & b; }
  HD_INLINE T operator()(T a, T b) const {
    return static_cast<T>(a & b);
  }
  template <class T>
    requires impl::from_number<T>
  static constexpr T identity() {
    return static_cast<T>(~0ull);
  }
};

/// a | b, for integers.
struct bit_or {
  static constexpr bool commutative = true;
  template <class T>
    requires requires(T a, T b) { a | b; }
  HD_INLINE T operator()(T a, T b) const {
    return static_cast<T>(a | b);
  }
  template <class T>
    requires impl::from_number<T>
  static constexpr T identity() {
    return T(0);
  }
};

/// a ^ b, for integers.
struct bit_xor {
  static constexpr bool commutative = true;
  template <class T>
    requires requires(T a, T b) { a ^ b; }
  HD_INLINE T operator()(T a, T b) const {
    return static_cast<T>(a ^ b);
  }
  template <class T>
    requires impl::from_number<T>
  static constexpr T identity() {
    return T(0);
  }
};

// Functions for `transform` that are no monoids.

/// a − b.
struct minus {
  template <class T>
  HD_INLINE T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      using U = impl::modular<T>;
      return static_cast<T>(static_cast<U>(a) - static_cast<U>(b));
    } else if constexpr (std::is_floating_point_v<T>) {
      return impl::rounded_sum(a, -b);
    } else if constexpr (impl::is_complex<T>) {
      using impl::part, impl::rounded_sum;
      return impl::complex_like(a, rounded_sum(part(a, 0), -part(b, 0)),
                                rounded_sum(part(a, 1), -part(b, 1)));
    } else {
      return a - b;
    }
  }
};

/// A user's associative function with its identity: `hd::monoid{f, id}`. Operand order is kept on every
/// target. Where the order does not matter say so with `hd::commutative_monoid{f, id}`, which runs faster.
///
/// A function with no identity can be given to a pattern as it is; then `reduce` of nothing is an error and
/// `exclusive_scan` asks for an initial value.
template <class F, class T>
struct monoid {
  F function;
  T identity_value;
  // Of the elements' type, which that of the identity need not be: 0 among floats is an int.
#if defined(__CUDACC__)
#pragma nv_exec_check_disable
#endif
  template <class U>
    requires std::is_invocable_v<const F&, const U&, const U&>
  HD_INLINE auto operator()(const U& a, const U& b) const {
    return function(a, b);
  }
};
template <class F, class T>
monoid(F, T) -> monoid<F, T>;

template <class F, class T>
struct commutative_monoid {
  static constexpr bool commutative = true;
  F function;
  T identity_value;
#if defined(__CUDACC__)
#pragma nv_exec_check_disable
#endif
  template <class U>
    requires std::is_invocable_v<const F&, const U&, const U&>
  HD_INLINE auto operator()(const U& a, const U& b) const {
    return function(a, b);
  }
};
template <class F, class T>
commutative_monoid(F, T) -> commutative_monoid<F, T>;

namespace impl {

template <class F, class T>
struct signature<monoid<F, T>> : signature<std::decay_t<F>> {};
template <class F, class T>
struct signature<commutative_monoid<F, T>> : signature<std::decay_t<F>> {};

template <class Op, class T>
concept has_typed_identity = requires { Op::template identity<T>(); };
template <class Op, class T>
concept has_identity_value = requires(const Op& op) { T(op.identity_value); };

/// Whether `op` knows the element of T that changes nothing.
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

using function = runtime_op;
using heddle::name;

template <class Op>
inline constexpr function function_of = function::none;
template <>
inline constexpr function function_of<plus> = function::plus;
template <>
inline constexpr function function_of<multiplies> = function::multiplies;
template <>
inline constexpr function function_of<minimum> = function::minimum;
template <>
inline constexpr function function_of<maximum> = function::maximum;
template <>
inline constexpr function function_of<logical_and> = function::logical_and;
template <>
inline constexpr function function_of<logical_or> = function::logical_or;
template <>
inline constexpr function function_of<logical_xor> = function::logical_xor;
template <>
inline constexpr function function_of<bit_and> = function::bit_and;
template <>
inline constexpr function function_of<bit_or> = function::bit_or;
template <>
inline constexpr function function_of<bit_xor> = function::bit_xor;
template <>
inline constexpr function function_of<minus> = function::minus;

/// Whether the compiled library holds Op on elements of T, so that it needs nothing from the user's compiler.
template <class T, class Op>
constexpr bool library_has() {
  if constexpr (has_dtype<T>) return is_defined(function_of<Op>, dtype_of<T>);
  return false;
}

/// What reduce and scan ask of an operator, said where it does not hold.
template <class T, class Op>
constexpr void check_operator() {
  static_assert(std::is_trivially_copyable_v<T>,
                "elements must be trivially copyable, to be copied from one target to another");
  static_assert(std::is_invocable_r_v<T, const Op&, const T&, const T&>,
                "the operator must take two elements and return one, such as hd::plus{}; an axis is given as "
                "hd::axis{0}, "
                "and an initial value after the operator");
  static_assert(
      takes_as_they_are<Op, T, T>,
      "the operator takes a type that loses values of the elements, such as int for float: write it "
      "for the type of the elements");
  static_assert(
      keeps_results<std::remove_cvref_t<std::invoke_result_t<const Op&, const T&, const T&>>, T>(),
      "the operator returns a type that loses values as an element, such as double for float: let it "
      "return the type of the elements");
  static_assert(!std::is_same_v<Op, minus>, "minus is not associative: it can neither reduce nor scan");
}

/// Whether it holds Op as an operator that combines elements of T.
template <class T, class Op>
constexpr bool library_combines() {
  return !std::is_same_v<Op, minus> && library_has<T, Op>();
}

}  // namespace impl

/// Whether the order of Op's operands does not matter on elements of T: as Op declares. The operators above
/// commute on numbers; on a user's own type they keep the order of operands.
template <class Op, class T>
inline constexpr bool is_commutative = false;
template <class Op, class T>
  requires(Op::commutative)
inline constexpr bool is_commutative<Op, T> =
    impl::function_of<Op> == impl::function::none || impl::is_number<T>;

}  // namespace heddle
