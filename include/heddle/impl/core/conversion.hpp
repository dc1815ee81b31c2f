#pragma once

#include <heddle/dtype.hpp>

#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>

/// Which conversions of numbers Heddle makes implicitly, and which it refuses
/// (docs/reference/conversions.md).
namespace heddle {

template <class T>
class element_reference;

namespace impl {

template <class T>
struct complex_parts {};
template <class T>
struct complex_parts<std::complex<T>> {
  using part = T;
};

/// Numbers, on which the operators of operators.hpp commute; of a user's own type nothing is known.
template <class T>
inline constexpr bool is_number = std::is_arithmetic_v<T> || is_complex<T>;

/// Whether every From keeps its value as a To; a floating-point To may round an integer. Types of a user's
/// own convert as they say.
template <class From, class To>
constexpr bool keeps_values() {
  if constexpr (!is_number<From> || !is_number<To> || std::is_same_v<From, To>) {
    return true;
  } else if constexpr (is_complex<To>) {
    using part = typename complex_parts<To>::part;
    if constexpr (is_complex<From>) return keeps_values<typename complex_parts<From>::part, part>();
    return keeps_values<From, part>();
  } else if constexpr (is_complex<From>) {
    return false;
  } else if constexpr (std::is_floating_point_v<To>) {
    return std::is_integral_v<From> || sizeof(From) <= sizeof(To);
  } else {
    if (std::is_floating_point_v<From> || std::is_same_v<To, bool>) return false;
    if (std::is_same_v<From, bool>) return true;
    if (std::is_signed_v<From> == std::is_signed_v<To>) return sizeof(From) <= sizeof(To);
    return std::is_signed_v<To> && sizeof(From) < sizeof(To);
  }
}

/// The same of what a function of elements of type To returns: int is what C++ makes of arithmetic on
/// narrower integers, and becomes one of them again.
template <class From, class To>
constexpr bool keeps_results() {
  return keeps_values<From, To>() ||
         (std::is_same_v<From, int> && std::is_integral_v<To> && sizeof(To) < sizeof(int));
}

/// The types of the parameters of a function that has one signature; of others nothing is known.
template <class F>
struct signature {
  template <class... Arguments>
  static constexpr bool keeps_arguments = true;
};
template <class... Parameters>
struct signature_of {
  template <class... Arguments>
  static constexpr bool keeps_arguments = [] {
    if constexpr (sizeof...(Arguments) == sizeof...(Parameters)) {
      return (keeps_values<Arguments, std::remove_cvref_t<Parameters>>() && ...);
    }
    return true;
  }();
};
template <class R, class... P>
struct signature<R (*)(P...)> : signature_of<P...> {};
template <class R, class... P>
struct signature<R (*)(P...) noexcept> : signature_of<P...> {};
template <class R, class C, class... P>
struct signature<R (C::*)(P...)> : signature_of<P...> {};
template <class R, class C, class... P>
struct signature<R (C::*)(P...) const> : signature_of<P...> {};
template <class R, class C, class... P>
struct signature<R (C::*)(P...) noexcept> : signature_of<P...> {};
template <class R, class C, class... P>
struct signature<R (C::*)(P...) const noexcept> : signature_of<P...> {};
template <class F>
  requires requires { &F::operator(); }
struct signature<F> : signature<decltype(&F::operator())> {};

/// Whether f takes elements of these types as they are: an (int, int) function would cut floats.
template <class F, class... Elements>
inline constexpr bool takes_as_they_are = signature<std::decay_t<F>>::template keeps_arguments<Elements...>;

[[noreturn]] void fail_value(std::int64_t value, dtype type);
[[noreturn]] void fail_value(std::uint64_t value, dtype type);
[[noreturn]] void fail_value(double value, dtype type);

/// Compares no unsigned number with 0, of which compilers warn.
template <class T>
constexpr bool is_negative(T value) {
  if constexpr (std::is_signed_v<T>) return value < T(0);
  return false;
}

/// Throws where T cannot hold `value`: an integer outside its range, or a finite number that would become
/// infinite.
template <class T, class V>
void check_value(V value) {
  if constexpr (std::is_same_v<T, V>) {
    return;
  } else if constexpr (std::is_enum_v<V>) {
    check_value<T>(static_cast<std::underlying_type_t<V>>(value));
  } else if constexpr (!is_number<T> || !std::is_arithmetic_v<V>) {
    return;
  } else if constexpr (is_complex<T>) {
    check_value<typename complex_parts<T>::part>(value);
  } else if constexpr (std::is_integral_v<T> && std::is_integral_v<V>) {
    const T converted = static_cast<T>(value);
    if (static_cast<V>(converted) == value && is_negative(converted) == is_negative(value)) return;
    if constexpr (std::is_signed_v<V>) fail_value(std::int64_t{value}, dtype_of<T>);
    fail_value(static_cast<std::uint64_t>(value), dtype_of<T>);
  } else if constexpr (std::is_floating_point_v<T> && std::is_floating_point_v<V> && sizeof(T) < sizeof(V)) {
    constexpr V most = std::numeric_limits<T>::max();
    const bool finite = value - value == V(0);
    if (finite && (value > most || value < -most)) fail_value(static_cast<double>(value), dtype_of<T>);
  }
}

/// Does not compile where an integer T would drop the fraction of a V.
template <class V, class T>
struct fraction_is_kept {
  static_assert(!std::is_integral_v<T> || !std::is_floating_point_v<V>,
                "an integer element would lose the fraction of this value: give an integer, or use elements "
                "of a floating-point type");
  static constexpr bool value = true;
};

/// A value given for a number of type T, converted: an initial value, what to fill with, an element of a
/// list. Fractions for integers do not compile, and an integer that T cannot hold throws.
template <class T>
class converted_number {
 public:
  converted_number(const T& value) : value_(value) {}
  template <class V>
    requires(std::is_convertible_v<const V&, T>)
  converted_number(const V& value) : value_(convert(value)) {}
  template <class U>
    requires(std::is_convertible_v<const U&, T>)
  converted_number(const element_reference<U>& element) : converted_number(U(element)) {}
  /// A complex number by its parts.
  template <class C = T>
    requires is_complex<C>
  converted_number(typename complex_parts<C>::part re, typename complex_parts<C>::part im) : value_(re, im) {}

  operator const T&() const noexcept { return value_; }

 private:
  template <class V>
  static T convert(const V& value) {
    static_assert(fraction_is_kept<V, T>::value);
    check_value<T>(value);
    if constexpr (is_complex<T> && std::is_arithmetic_v<V>) {
      return T(static_cast<typename complex_parts<T>::part>(value));
    } else {
      return static_cast<T>(value);
    }
  }

  T value_;
};

/// The parameter for a value of type T; the conversion of a number is checked.
template <class T>
struct given_type {
  using type = T;
};
template <class T>
  requires is_number<T>
struct given_type<T> {
  using type = converted_number<T>;
};
template <class T>
using given = typename given_type<T>::type;

}  // namespace impl
}  // namespace heddle
