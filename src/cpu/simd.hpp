// Registers and the operators on them: a part of kernels.cpp, and like it compiled once for each instruction
// set.
#pragma once

#include <heddle/operators.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

#ifndef HEDDLE_ISA
#define HEDDLE_ISA any_processor
#endif

namespace heddle::cpu {
inline namespace HEDDLE_ISA {
namespace {

#if defined(__AVX512F__)
constexpr std::size_t register_bytes = 64;
#elif defined(__AVX__)
constexpr std::size_t register_bytes = 32;
#else
constexpr std::size_t register_bytes = 16;
#endif

/// A register of elements, on which the operators of C++ work element by element.
template <class T>
struct simd {
  typedef T vector __attribute__((vector_size(register_bytes)));
  static constexpr std::size_t width = register_bytes / sizeof(T);

  static inline __attribute__((always_inline)) vector load(const T* from) {
    vector v;
    __builtin_memcpy(&v, from, sizeof v);
    return v;
  }
};

#define HEDDLE_ALWAYS_INLINE inline __attribute__((always_inline))

/// Lane l of the result is lane Index(l) of a and b side by side.
template <class T, class Index>
HEDDLE_ALWAYS_INLINE typename simd<T>::vector shuffled(typename simd<T>::vector a, typename simd<T>::vector b,
                                                       Index) {
  return [&]<std::size_t... L>(std::index_sequence<L...>) __attribute__((always_inline)) {
    return __builtin_shufflevector(a, b, static_cast<int>(Index{}(L))...);
  }
  (std::make_index_sequence<simd<T>::width>());
}

template <class T>
HEDDLE_ALWAYS_INLINE typename simd<T>::vector splat(T value) {
  return [&]<std::size_t... L>(std::index_sequence<L...>) __attribute__((always_inline)) {
    return typename simd<T>::vector{((void)L, value)...};
  }
  (std::make_index_sequence<simd<T>::width>());
}

template <class T>
using same_size_integer =
    std::conditional_t<sizeof(T) == 1, std::int8_t,
                       std::conditional_t<sizeof(T) == 2, std::int16_t,
                                          std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>>>;

/// The operators on registers, bit for bit what operators.hpp computes on single elements.
template <class Op, class T, class V>
inline __attribute__((always_inline)) V apply(V a, V b) {
  if constexpr (std::is_same_v<Op, plus>) {
    return a + b;
  } else if constexpr (std::is_same_v<Op, multiplies>) {
    return a * b;
  } else if constexpr (std::is_same_v<Op, bit_and>) {
    return a & b;
  } else if constexpr (std::is_same_v<Op, bit_or>) {
    return a | b;
  } else if constexpr (std::is_same_v<Op, bit_xor>) {
    return a ^ b;
  } else if constexpr (!std::is_floating_point_v<T>) {
    if constexpr (std::is_same_v<Op, minimum>) return b < a ? b : a;
    return a < b ? b : a;
  } else {
    using bits = typename simd<same_size_integer<T>>::vector;
    // Where neither is less, equal elements are the same bits or two zeros; the sign of a zero is chosen by
    // its bits.
    const bits signs = std::is_same_v<Op, minimum> ? (bits)a | (bits)b : (bits)a & (bits)b;
    V chosen = std::is_same_v<Op, minimum> ? (b < a ? b : a) : (a < b ? b : a);
    chosen = a == b ? (V)signs : chosen;
    chosen = b != b ? b : chosen;
    return a != a ? a : chosen;
  }
}

template <class Op, class T>
constexpr bool has_simd = std::is_arithmetic_v<T> && !detail::is_logical<Op>;

}  // namespace
}  // namespace HEDDLE_ISA
}  // namespace heddle::cpu
