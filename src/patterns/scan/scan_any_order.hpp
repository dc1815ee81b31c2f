// Scans by operators that give the same bits in any order, whose state is the last output:
// a part of cpu_kernels.cpp, and like it compiled once for each instruction set.
#pragma once

#include "cpu/simd.hpp"
#include "patterns/scan/scan_registers.hpp"
#include <heddle/impl/patterns/scan/cpu.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace heddle::cpu {
inline namespace HEDDLE_ISA {
namespace {

/// x op x = x: an element may be combined with itself where there is none before it.
template <class Op>
constexpr bool is_idempotent =
    impl::is_extreme<Op> || std::is_same_v<Op, bit_and> || std::is_same_v<Op, bit_or>;

/// The inclusive scan of a register; *last_of_all becomes its last element in every lane.
template <class Op, class T, class V = typename simd<T>::vector>
HEDDLE_ALWAYS_INLINE V scan_register(V v, V none, V* last_of_all) {
  constexpr std::size_t width = simd<T>::width;
  if constexpr (HEDDLE_LANES > 1 && sizeof(T) >= 4) {
    auto step =
        [&]<std::size_t Step>(std::integral_constant<std::size_t, Step>) __attribute__((always_inline)) {
          constexpr std::size_t lanes = simd<T>::width;
          if constexpr (Step < lanes)
            v = apply<Op, T>(shuffled<T>(is_idempotent<Op> ? v : none, v, up_by<lanes, Step, 0>()), v);
        };
    step(std::integral_constant<std::size_t, 1>());
    step(std::integral_constant<std::size_t, 2>());
    step(std::integral_constant<std::size_t, 4>());
    step(std::integral_constant<std::size_t, 8>());
    *last_of_all = shuffled<T>(v, v, last_lane<width>());
    return v;
  } else {
    if constexpr (sizeof(T) <= 1) v = apply<Op, T>(moved_up<1>(none, v), v);
    if constexpr (sizeof(T) <= 2) v = apply<Op, T>(moved_up<2>(none, v), v);
    if constexpr (sizeof(T) <= 4) v = apply<Op, T>(moved_up<4>(none, v), v);
    if constexpr (sizeof(T) <= 8) v = apply<Op, T>(moved_up<8>(none, v), v);
#if HEDDLE_LANES == 4
    // The last elements of the four 16-byte parts; then those of one part and of two parts before, or none,
    // combined with them.
    using words = typename simd<std::int64_t>::vector;
    const __m512i in_lane = sizeof(T) == 1 ? _mm512_set1_epi8(15) : _mm512_set1_epi16(0x0f0e);
    const V ends = (V)_mm512_shuffle_epi8((__m512i)v, in_lane);
    const V two = apply<Op, T>((V)shuffled<std::int64_t>((words)none, (words)ends, up_by<8, 2, 0>()), ends);
    const V four = apply<Op, T>((V)shuffled<std::int64_t>((words)none, (words)two, up_by<8, 4, 0>()), two);
    *last_of_all = (V)shuffled<std::int64_t>((words)four, (words)four, last_lane<8>());
    return apply<Op, T>((V)shuffled<std::int64_t>((words)none, (words)four, up_by<8, 2, 0>()), v);
#elif HEDDLE_LANES == 2
    const __m256i in_lane = sizeof(T) == 1 ? _mm256_set1_epi8(15) : _mm256_set1_epi16(0x0f0e);
    const __m256i ends = _mm256_shuffle_epi8((__m256i)v, in_lane);
    v = apply<Op, T>((V)_mm256_permute2x128_si256((__m256i)none, ends, 0x20), v);
    const __m256i all_ends = _mm256_shuffle_epi8((__m256i)v, in_lane);
    *last_of_all = (V)_mm256_permute2x128_si256(all_ends, all_ends, 0x11);
    return v;
#else
    *last_of_all = splat<T>(v[width - 1]);
    return v;
#endif
  }
}

// Minima and maxima of floating-point numbers are those of integers with the same order, their keys.

template <class T>
using key_of = std::conditional_t<std::is_floating_point_v<T>, same_size_integer<T>, T>;

template <class T>
constexpr key_of<T> all_but_sign = static_cast<key_of<T>>(~(key_of<T>(1) << (8 * sizeof(T) - 1)));

/// Makes keys of numbers and numbers of keys, whose type is Out: one, or a register of them. Integers are
/// their own keys.
template <class T, class Out, class In>
HEDDLE_ALWAYS_INLINE Out ordered_bits(In v) {
  if constexpr (std::is_floating_point_v<T>) {
    using bits = std::conditional_t<std::is_scalar_v<In>, key_of<T>, typename simd<key_of<T>>::vector>;
    const bits b = __builtin_bit_cast(bits, v);
    return __builtin_bit_cast(Out, b ^ (b >> (8 * sizeof(T) - 1) & all_but_sign<T>));
  } else {
    return v;
  }
}

/// Scans numbers none of which is NaN.
template <class T, class Op>
T scan_exactly(const T* x, std::size_t count, bool exclusive, bool non_temporal, T carry, T* out) {
  using K = key_of<T>;
  using keys = typename simd<K>::vector;
  using vector = typename simd<T>::vector;
  constexpr std::size_t width = simd<T>::width;
  if (count == 0) return carry;
  const T nothing = order::padding<T>(Op());
  const keys none = splat(ordered_bits<T, K>(nothing));
  keys before = splat(ordered_bits<T, K>(carry)), last;
  const auto result_of = [&](vector v) __attribute__((always_inline)) {
    const keys here = apply<Op, K>(before, scan_register<Op, K>(ordered_bits<T, keys>(v), none, &last));
    const keys result = exclusive ? shifted_in<K>(before, here) : here;
    before = apply<Op, K>(before, last);
    return ordered_bits<T, vector>(result);
  };
  std::size_t i = 0;
  for (; i + width <= count; i += width) store(result_of(simd<T>::load(x + i)), out + i, non_temporal);
  if (i < count) store_some(result_of(load_some(x + i, count - i, nothing)), count - i, out + i);
  return ordered_bits<T, T>(static_cast<K>(before[0]));
}

/// Combines numbers none of which is NaN.
template <class T, class Op>
T reduce_exactly(const T* x, std::size_t count) {
  constexpr std::size_t width = simd<T>::width, at_once = 4;
  using K = key_of<T>;
  using keys = typename simd<K>::vector;
  const Op op;
  K total = ordered_bits<T, K>(order::padding<T>(Op()));
  std::size_t i = 0;
  if (count >= at_once * width) {
    keys sum[at_once];
#pragma GCC unroll 4
    for (std::size_t r = 0; r < at_once; ++r) sum[r] = splat(total);
    for (; i + at_once * width <= count; i += at_once * width) {
#pragma GCC unroll 4
      for (std::size_t r = 0; r < at_once; ++r)
        sum[r] = apply<Op, K>(sum[r], ordered_bits<T, keys>(simd<T>::load(x + i + r * width)));
    }
    static_assert(at_once == 4);
    sum[0] = apply<Op, K>(apply<Op, K>(sum[0], sum[1]), apply<Op, K>(sum[2], sum[3]));
    K lane[width];
    store(sum[0], lane);
    for (std::size_t half = width / 2; half > 0; half /= 2) {
      for (std::size_t l = 0; l < half; ++l) lane[l] = op(lane[l], lane[l + half]);
    }
    total = lane[0];
  }
  for (; i < count; ++i) total = op(total, ordered_bits<T, K>(x[i]));
  return ordered_bits<T, T>(total);
}

/// As many numbers as are checked for NaN at a time.
constexpr std::size_t nan_check_size = 1024;

/// How many of `count` numbers come before the first NaN.
template <class T>
HEDDLE_ALWAYS_INLINE std::size_t before_nan(const T* x, std::size_t count) {
  key_of<T> largest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const key_of<T> magnitude = __builtin_bit_cast(key_of<T>, x[i]) & all_but_sign<T>;
    largest = magnitude > largest ? magnitude : largest;
  }
  if (largest <= __builtin_bit_cast(key_of<T>, std::numeric_limits<T>::infinity())) return count;
  std::size_t first = 0;
  while (x[first] == x[first]) ++first;
  return first;
}

/// From the first NaN on all outputs are NaN.
template <class T, class Op>
T scan_numbers(const T* x, std::size_t count, bool exclusive, bool non_temporal, T carry, T* out) {
  while (count > 0 && carry == carry) {
    const std::size_t some = count < nan_check_size ? count : nan_check_size;
    std::size_t done = before_nan(x, some);
    const T next = done < some ? order::canonical(x[done]) : carry;
    carry = scan_exactly<T, Op>(x, done, exclusive, non_temporal, carry, out);
    if (done < some) {
      out[done++] = exclusive ? carry : next;
      carry = next;
    }
    x += done;
    out += done;
    count -= done;
  }
  for (std::size_t i = 0; i < count; ++i) out[i] = order::canonical(carry);
  return carry;
}

template <class T, class Op>
T reduce_numbers(const T* x, std::size_t count) {
  T total = order::padding<T>(Op());
  for (std::size_t i = 0; i < count; i += nan_check_size) {
    const std::size_t some = count - i < nan_check_size ? count - i : nan_check_size;
    const std::size_t numbers = before_nan(x + i, some);
    if (numbers < some) return x[i + numbers];
    total = Op()(total, reduce_exactly<T, Op>(x + i, some));
  }
  return total;
}

template <class T, class Op>
void start_exact(const void* init, void* state) {
  *static_cast<T*>(state) = init == nullptr ? order::padding<T>(Op()) : *static_cast<const T*>(init);
}

template <class T, class Op>
void append_exact(void* state, const void* totals, std::size_t units) {
  T& carry = *static_cast<T*>(state);
  const T* total = static_cast<const T*>(totals) + unit_level;
  for (; units > 0; --units, total += totals_of_unit) carry = Op()(carry, *total);
}

template <class T, class Op>
void reduce_exact(const void* from, std::size_t rows, std::size_t before, void* to) {
  const T* const x = static_cast<const T*>(from);
  T& total = static_cast<T*>(to)[unit_level];
  T sum;
  if constexpr (std::is_floating_point_v<T>) {
    sum = reduce_numbers<T, Op>(x, rows * order::scan_row<T>);
  } else {
    sum = reduce_exactly<T, Op>(x, rows * order::scan_row<T>);
  }
  total = before == 0 ? sum : Op()(total, sum);
}

template <class T, class Op>
void scan_exact(const void* from, std::size_t count, bool exclusive, bool non_temporal, void* state,
                void* to) {
  const T* const x = static_cast<const T*>(from);
  T* const out = static_cast<T*>(to);
  T& carry = *static_cast<T*>(state);
  if constexpr (std::is_floating_point_v<T>) {
    carry = scan_numbers<T, Op>(x, count, exclusive, non_temporal, carry, out);
  } else {
    carry = scan_exactly<T, Op>(x, count, exclusive, non_temporal, carry, out);
  }
}

}  // namespace
}  // namespace HEDDLE_ISA
}  // namespace heddle::cpu
