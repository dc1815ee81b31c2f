// The operators on registers: a part of cpu_kernels.cpp, and like it compiled once for each instruction set.
#pragma once

#include <heddle/operators.hpp>
#include <heddle/support/simd.hpp>

#include <type_traits>

namespace heddle::cpu {
inline namespace HEDDLE_ISA {
namespace {

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
constexpr bool has_simd = std::is_arithmetic_v<T> && !impl::is_logical<Op>;

}  // namespace
}  // namespace HEDDLE_ISA
}  // namespace heddle::cpu
