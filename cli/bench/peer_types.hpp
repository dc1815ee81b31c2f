#pragma once

#include "contender.hpp"

#include <cstdint>
#include <limits>
#include <type_traits>

namespace heddle::cli::bench {

/// Calls f(element, is_maximum) with an element of the type in which peers do the work, and with
/// std::true_type or std::false_type. Unsigned integers stand for signed ones of equal sums, and only 4- and
/// 8-byte types have a maximum: each type is compiled for every peer. Calls nothing where peers do not do the
/// work.
template <class F>
void with_peer_type(const workload& work, const F& f) {
  constexpr std::false_type sum;
  constexpr std::true_type maximum;
  const bool is_maximum = work.combine == runtime_op::maximum;
  switch (work.type) {
    case dtype::int8:
    case dtype::uint8:
      return is_maximum ? void() : f(std::uint8_t(), sum);
    case dtype::int16:
    case dtype::uint16:
      return is_maximum ? void() : f(std::uint16_t(), sum);
    case dtype::int32:
      return is_maximum ? f(std::int32_t(), maximum) : f(std::uint32_t(), sum);
    case dtype::uint32:
      return is_maximum ? void() : f(std::uint32_t(), sum);
    case dtype::int64:
      return is_maximum ? f(std::int64_t(), maximum) : f(std::uint64_t(), sum);
    case dtype::uint64:
      return is_maximum ? void() : f(std::uint64_t(), sum);
    case dtype::float32:
      return is_maximum ? f(float(), maximum) : f(float(), sum);
    case dtype::float64:
      return is_maximum ? f(double(), maximum) : f(double(), sum);
    case dtype::boolean:
    case dtype::complex64:
    case dtype::complex128:
      break;
  }
}

/// The first value of a reduction.
template <class T, bool IsMaximum>
inline constexpr T start = IsMaximum ? std::numeric_limits<T>::lowest() : T();

/// x + 1.
template <class T>
struct plus_one {
#if defined(__CUDACC__)
  __host__ __device__
#endif
      T operator()(T x) const {
    return static_cast<T>(x + 1);
  }
};

}  // namespace heddle::cli::bench
