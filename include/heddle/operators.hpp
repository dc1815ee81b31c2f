#pragma once

#include <heddle/compiler.hpp>
#include <heddle/impl/core/arithmetic.hpp>
#include <heddle/impl/core/conversion.hpp>
#include <heddle/impl/core/operators.hpp>
#include <heddle/runtime_op.hpp>

#include <limits>
#include <type_traits>

namespace heddle {

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
    } else if constexpr (is_complex<T>) {
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
    } else if constexpr (is_complex<T>) {
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

/// The smaller of a and b. NaN propagates as in numpy.minimum, and −0 lies below +0 (IEEE 754-2019 minimum).
struct minimum {
  static constexpr bool commutative = true;
  template <class T>
    requires requires(T a, T b) { b < a; }
  HD_INLINE T operator()(T a, T b) const {
#if HD_PTX_ARCH >= 800
    // One instruction, which orders −0 below +0 too.
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

// Not associative: only transform and adjacent_difference take it.

/// a − b.
struct minus {
  template <class T>
  HD_INLINE T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      using U = impl::modular<T>;
      return static_cast<T>(static_cast<U>(a) - static_cast<U>(b));
    } else if constexpr (std::is_floating_point_v<T>) {
      return impl::rounded_sum(a, -b);
    } else if constexpr (is_complex<T>) {
      using impl::part, impl::rounded_sum;
      return impl::complex_like(a, rounded_sum(part(a, 0), -part(b, 0)),
                                rounded_sum(part(a, 1), -part(b, 1)));
    } else {
      return a - b;
    }
  }
};

/// A user's associative function with its identity: `hd::monoid{f, id}`. Operand order is kept on every
/// target. If f commutes, `hd::commutative_monoid{f, id}` runs faster.
///
/// A function without an identity can be given to a pattern as it is; then `reduce` of no elements throws,
/// and `exclusive_scan` needs an initial value.
template <class F, class T>
struct monoid {
  F function;
  T identity_value;
  // Of the elements' type, which may differ from the identity's: 0 for floats is an int.
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

/// Whether Op commutes on elements of T, as Op declares. The operators above commute on numbers; on a user's
/// own type they keep the order of operands.
template <class Op, class T>
inline constexpr bool is_commutative = false;
template <class Op, class T>
  requires(Op::commutative)
inline constexpr bool is_commutative<Op, T> = impl::function_of<Op> == runtime_op::none || impl::is_number<T>;

}  // namespace heddle
