#include "array/converter.hpp"

#include <heddle/operators.hpp>

#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace heddle::impl {
namespace {

/// A bool in a file is a byte that may have any value.
template <class T>
using stored = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;

/// x without its fraction, or the nearest number that I holds; NaN gives 0. Selections only, so that it
/// vectorises.
template <class I, class F>
I saturated(F x) {
  constexpr F lowest = static_cast<F>(std::numeric_limits<I>::min());
  // NOLINTNEXTLINE(bugprone-integer-division): a power of two, of which nothing is lost
  constexpr F beyond = static_cast<F>(std::numeric_limits<I>::max() / 2 + 1) * 2;
  F inside = x > lowest ? x : lowest;
  inside = inside < beyond ? inside : F(0);
  I result = static_cast<I>(inside);
  result = x >= beyond ? std::numeric_limits<I>::max() : result;
  return x == x ? result : I(0);
}

template <class To, class From>
To converted(From x) {
  if constexpr (std::is_same_v<To, bool>) {
    return x != From(0);
  } else if constexpr (is_complex<From> && is_complex<To>) {
    using part = typename To::value_type;
    return To(static_cast<part>(x.real()), static_cast<part>(x.imag()));
  } else if constexpr (is_complex<From>) {
    return converted<To>(x.real());
  } else if constexpr (is_complex<To>) {
    return To(static_cast<typename To::value_type>(x));
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    return saturated<To>(x);
  } else {
    return static_cast<To>(x);
  }
}

template <class From, class To>
void convert(const void* from, void* to, std::size_t count) {
  if constexpr (std::is_same_v<From, To> && !std::is_same_v<From, bool>) {
    std::memcpy(to, from, count * sizeof(To));
  } else {
    const auto* in = static_cast<const stored<From>*>(from);
    auto* out = static_cast<To*>(to);
    for (std::size_t i = 0; i < count; ++i) {
      if constexpr (std::is_same_v<From, bool>) {
        out[i] = converted<To>(in[i] != 0);
      } else {
        out[i] = converted<To>(in[i]);
      }
    }
  }
}

}  // namespace

converter converter_between(dtype from, dtype to) {
  return with_type(from, [to]<class From>(From) {
    return with_type(to, []<class To>(To) -> converter { return convert<From, To>; });
  });
}

}  // namespace heddle::impl
