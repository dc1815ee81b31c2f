// Scans of numbers in registers: a part of kernels.cpp, and like it compiled once for each instruction set.
#pragma once

#include "cpu/kernels.hpp"
#include "cpu/simd.hpp"
#include <heddle/impl/cpu/scan.hpp>

#include <utility>

namespace heddle::cpu {
inline namespace HEDDLE_ISA {
namespace {

// Which lane each lane comes from: l is lane l of the first of two registers, Width + l of the second.

/// The second moved up by some lanes, behind lanes First … of the first.
template <std::size_t Width, std::size_t Lanes, std::size_t First>
struct up_by {
  constexpr std::size_t operator()(std::size_t l) const { return l < Lanes ? First + l : Width + l - Lanes; }
};
template <std::size_t Width>
struct last_lane {
  constexpr std::size_t operator()(std::size_t) const { return Width - 1; }
};
/// Squares of 2·Half lanes in two registers: their upper or lower halves side by side.
template <std::size_t Width, std::size_t Half, bool Lower>
struct halves {
  constexpr std::size_t operator()(std::size_t l) const {
    const bool second = (l & Half) != 0;
    return Lower ? (second ? Width + l : l + Half) : (second ? Width + l - Half : l);
  }
};
/// The first or last two of each four lanes of both, interleaved.
template <std::size_t Width, bool Last>
struct alternate {
  constexpr std::size_t operator()(std::size_t l) const {
    return (l & 1) * Width + (l & ~std::size_t{3}) + (Last ? 2 : 0) + (l & 3) / 2;
  }
};
/// The first or last pair of each four lanes of both.
template <std::size_t Width, bool Last>
struct pairs {
  constexpr std::size_t operator()(std::size_t l) const {
    return (l & 2) / 2 * Width + (l & ~std::size_t{3}) + (Last ? 2 : 0) + (l & 1);
  }
};

#if defined(__AVX512BW__)
#define HEDDLE_LANES 4
#elif defined(__AVX2__)
#define HEDDLE_LANES 2
#else
#define HEDDLE_LANES 1
#endif

/// In each 16 bytes: the elements moved up by `Bytes`, behind those of `none`.
template <int Bytes, class V>
HEDDLE_ALWAYS_INLINE V moved_up(V none, V v) {
#if defined(__AVX512BW__)
  return (V)_mm512_alignr_epi8((__m512i)v, (__m512i)none, 16 - Bytes);
#elif defined(__AVX2__)
  return (V)_mm256_alignr_epi8((__m256i)v, (__m256i)none, 16 - Bytes);
#elif defined(__SSE2__)
  return (V)_mm_or_si128(_mm_slli_si128((__m128i)v, Bytes), _mm_srli_si128((__m128i)none, 16 - Bytes));
#else
  using bytes = simd<std::int8_t>::vector;
  return (V)shuffled<std::int8_t>((bytes)none, (bytes)v, up_by<16, Bytes, 16 - Bytes>());
#endif
}

/// The lanes moved up by one, behind the last of the register before.
template <class T, class V = typename simd<T>::vector>
HEDDLE_ALWAYS_INLINE V behind(V before, V v) {
#if HEDDLE_LANES > 1
  using words = typename simd<std::int64_t>::vector;
  constexpr std::size_t width = simd<std::int64_t>::width;
  before = (V)shuffled<std::int64_t>((words)before, (words)v, up_by<width, 2, width - 2>());
#endif
  return moved_up<sizeof(T)>(before, v);
}

// Sums and products of floating-point numbers, whose bits depend on the grouping: runs of four.

/// Four registers hold as many runs as a register has lanes, one after another. Each square of four lanes
/// changes rows and columns; then register k holds element k of every run, and lane l is of run
/// run_of(l).
template <class T>
HEDDLE_ALWAYS_INLINE void transpose(typename simd<T>::vector (&v)[4], [[maybe_unused]] bool back) {
  constexpr std::size_t width = simd<T>::width;
  using vector = typename simd<T>::vector;
  const vector a = v[0], b = v[1], c = v[2], d = v[3];
  if constexpr (width == 2) {
    constexpr halves<2, 1, false> low;
    constexpr halves<2, 1, true> high;
    v[0] = back ? shuffled<T>(a, b, low) : shuffled<T>(a, c, low);
    v[1] = back ? shuffled<T>(c, d, low) : shuffled<T>(a, c, high);
    v[2] = back ? shuffled<T>(a, b, high) : shuffled<T>(b, d, low);
    v[3] = back ? shuffled<T>(c, d, high) : shuffled<T>(b, d, high);
  } else if constexpr (sizeof(T) == 4) {
    const vector p = shuffled<T>(a, b, alternate<width, false>()),
                 q = shuffled<T>(c, d, alternate<width, false>());
    const vector r = shuffled<T>(a, b, alternate<width, true>()),
                 s = shuffled<T>(c, d, alternate<width, true>());
    v[0] = shuffled<T>(p, q, pairs<width, false>());
    v[1] = shuffled<T>(p, q, pairs<width, true>());
    v[2] = shuffled<T>(r, s, pairs<width, false>());
    v[3] = shuffled<T>(r, s, pairs<width, true>());
  } else {
    const vector p = shuffled<T>(a, b, halves<width, 1, false>()),
                 q = shuffled<T>(a, b, halves<width, 1, true>());
    const vector r = shuffled<T>(c, d, halves<width, 1, false>()),
                 s = shuffled<T>(c, d, halves<width, 1, true>());
    v[0] = shuffled<T>(p, r, halves<width, 2, false>());
    v[1] = shuffled<T>(q, s, halves<width, 2, false>());
    v[2] = shuffled<T>(p, r, halves<width, 2, true>());
    v[3] = shuffled<T>(q, s, halves<width, 2, true>());
  }
}

constexpr std::size_t run_of(std::size_t lane, std::size_t width) {
  return width < 4 ? lane : lane % 4 * (width / 4) + lane / 4;
}
constexpr std::size_t lane_of(std::size_t run, std::size_t width) {
  return width < 4 ? run : run % (width / 4) * 4 + run / (width / 4);
}
/// The last run of the left half of each group of 2·Half in every run of its right half; none in the
/// left.
template <std::size_t Width, std::size_t Half>
struct last_of_left_half {
  constexpr std::size_t operator()(std::size_t l) const {
    const std::size_t run = run_of(l, Width);
    return (run & Half) != 0 ? Width + lane_of((run & ~(Half - 1)) - 1, Width) : l;
  }
};
/// The run before each; before the first, the last of another register.
template <std::size_t Width>
struct run_before {
  constexpr std::size_t operator()(std::size_t l) const {
    const std::size_t run = run_of(l, Width);
    return run == 0 ? Width - 1 : Width + lane_of(run - 1, Width);
  }
};

/// A tile: sixteen runs of four.
template <class Op, class T>
struct tile_in_registers {
  using vector = typename simd<T>::vector;
  static constexpr std::size_t width = simd<T>::width, sets = 16 / width, registers = 4 * sets;
  static_assert(scan_run_length<T> == 4);

  vector local[sets][4];  ///< element k of the runs of a set, scanned within its run
  vector runs[sets];      ///< what the runs of the tile combine to, up to each

  /// The first `count` elements; what is in the place of others means nothing.
  HEDDLE_ALWAYS_INLINE void read(const T* x, std::size_t count = scan_tile<T>) {
#pragma GCC unroll 16
    for (std::size_t s = 0; s < sets; ++s) {
#pragma GCC unroll 16
      for (std::size_t k = 0; k < 4; ++k) {
        const std::size_t first = (s * 4 + k) * width;
        local[s][k] = first + width <= count ? simd<T>::load(x + first)
                      : first < count        ? load_some(x + first, count - first, T())
                                             : splat(T());
      }
      transpose<T>(local[s], false);
#pragma GCC unroll 16
      for (std::size_t k = 1; k < 4; ++k) local[s][k] = apply<Op, T>(local[s][k - 1], local[s][k]);
      runs[s] = local[s][3];
    }
    join<1>();
    join<2>();
    join<4>();
    join<8>();
  }

  /// In every lane.
  HEDDLE_ALWAYS_INLINE vector total() const {
    return shuffled<T>(runs[sets - 1], runs[sets - 1], last_lane<width>());
  }

  /// Makes the elements, in the order of memory, what they are behind `before`.
  HEDDLE_ALWAYS_INLINE void finish(vector before) {
    vector last = splat(order::filler<T>(Op()));
#pragma GCC unroll 16
    for (std::size_t s = 0; s < sets; ++s) {
      const vector prefix = apply<Op, T>(before, shuffled<T>(last, runs[s], run_before<width>()));
      last = runs[s];
#pragma GCC unroll 16
      for (std::size_t k = 0; k < 4; ++k) local[s][k] = apply<Op, T>(prefix, local[s][k]);
      transpose<T>(local[s], true);
    }
  }

  /// Moves all up by one place, behind the last lane of `previous`.
  HEDDLE_ALWAYS_INLINE void move_up(vector previous) {
#pragma GCC unroll 64
    for (std::size_t r = registers - 1; r > 0; --r) in_order(r) = behind<T>(in_order(r - 1), in_order(r));
    in_order(0) = behind<T>(previous, in_order(0));
  }

  HEDDLE_ALWAYS_INLINE vector& in_order(std::size_t r) { return local[r / 4][r % 4]; }

  HEDDLE_ALWAYS_INLINE void write(T* out, bool non_temporal) {
#pragma GCC unroll 64
    for (std::size_t r = 0; r < registers; ++r) store(in_order(r), out + r * width, non_temporal);
  }

  /// The first `count` elements.
  HEDDLE_ALWAYS_INLINE void write_some(std::size_t count, T* out) {
#pragma GCC unroll 64
    for (std::size_t r = 0; r < registers; ++r) {
      const std::size_t first = r * width;
      if (first + width <= count) {
        store(in_order(r), out + first);
      } else if (first < count) {
        store_some(in_order(r), count - first, out + first);
      }
    }
  }

 private:
  template <std::size_t Half>
  HEDDLE_ALWAYS_INLINE void join() {
#pragma GCC unroll 16
    for (std::size_t s = 0; s < sets; ++s) {
      if constexpr (Half < width) {
        const vector none = splat(order::filler<T>(Op()));
        runs[s] = apply<Op, T>(shuffled<T>(none, runs[s], last_of_left_half<width, Half>()), runs[s]);
      } else if ((s & (Half / width)) != 0) {
        const vector left = runs[(s & ~(Half / width - 1)) - 1];
        runs[s] = apply<Op, T>(shuffled<T>(left, left, last_lane<width>()), runs[s]);
      }
    }
  }
};

template <class T, class Op>
void start_grouped(const void* init, void* state) {
  const T none = order::filler<T>(Op());
  static_cast<scan_state<T>*>(state)->start(Op(), init == nullptr ? &none : static_cast<const T*>(init));
}

template <class T, class Op>
void append_grouped(void* state, const void* totals, std::size_t units) {
  for (std::size_t u = 0; u < units; ++u) {
    static_cast<scan_state<T>*>(state)->append(Op(), static_cast<const T*>(totals)[u], 1);
  }
}

template <class T, class Op>
void reduce_grouped(const void* from, std::size_t count, bool opens, void* to) {
  constexpr std::size_t tile_elements = scan_tile<T>;
  const T* x = static_cast<const T*>(from);
  const Op op;
  auto sum = splat(opens ? order::filler<T>(Op()) : *static_cast<const T*>(to));
  for (; count >= tile_elements; count -= tile_elements, x += tile_elements) {
    tile_in_registers<Op, T> tile;
    tile.read(x);
    sum = apply<Op, T>(sum, tile.total());
  }
  T total = sum[0];
  if (count > 0) total = op(total, reduce_scan_tile<T>(impl::element_at<T, Op>{x}, count, op));
  *static_cast<T*>(to) = total;
}

template <class T, class Op>
void scan_grouped(const void* from, std::size_t count, bool exclusive, bool non_temporal, void* state_at,
                  void* to) {
  constexpr std::size_t tile_elements = scan_tile<T>, width = simd<T>::width;
  using tile_of_elements = tile_in_registers<Op, T>;
  const T* x = static_cast<const T*>(from);
  T* out = static_cast<T*>(to);
  scan_state<T>& state = *static_cast<scan_state<T>*>(state_at);
  const Op op;
  auto previous = splat(state.previous[0]);
  while (count >= tile_elements) {
    // The prefix of a tile, in every lane, for the tiles of one group.
    const std::size_t left = state.tiles_left(), there = count / tile_elements;
    const std::size_t tiles = there < left ? there : left;
    const auto upper = splat(state.upper());
    auto group = splat(state.group(order::filler<T>(Op())));
    for (std::size_t t = 0; t < tiles; ++t, x += tile_elements, out += tile_elements) {
      tile_of_elements tile;
      tile.read(x);
      const auto before = apply<Op, T>(upper, group);
      group = apply<Op, T>(group, tile.total());
      tile.finish(before);
      const auto last = tile.in_order(tile_of_elements::registers - 1);
      if (exclusive) tile.move_up(previous);
      tile.write(out, non_temporal);
      previous = last;
    }
    state.append_to_group(op, tiles, group[0]);
    count -= tiles * tile_elements;
  }
  state.previous[0] = previous[width - 1];
  if (count == 0) return;
  // What is in the place of an element that is not there has no part in the others, and no tile follows.
  tile_of_elements tile;
  tile.read(x, count);
  tile.finish(splat(state.value(op)));
  alignas(64) T results[tile_elements];
  tile.write(results, false);
  state.previous[0] = results[count - 1];
  if (exclusive) tile.move_up(previous);
  tile.write_some(count, out);
}

// Operators that give the same bits in any grouping: a state is the last output.

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
    // Ends of the four lanes; those of one lane and of two before it, or none, in front of them.
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
HEDDLE_ALWAYS_INLINE Out turned(In v) {
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
  const T nothing = order::filler<T>(Op());
  const keys none = splat(turned<T, K>(nothing));
  keys before = splat(turned<T, K>(carry)), last;
  const auto result_of = [&](vector v) __attribute__((always_inline)) {
    const keys here = apply<Op, K>(before, scan_register<Op, K>(turned<T, keys>(v), none, &last));
    const keys result = exclusive ? behind<K>(before, here) : here;
    before = apply<Op, K>(before, last);
    return turned<T, vector>(result);
  };
  std::size_t i = 0;
  for (; i + width <= count; i += width) store(result_of(simd<T>::load(x + i)), out + i, non_temporal);
  if (i < count) store_some(result_of(load_some(x + i, count - i, nothing)), count - i, out + i);
  return turned<T, T>(static_cast<K>(before[0]));
}

/// Combines numbers none of which is NaN.
template <class T, class Op>
T reduce_exactly(const T* x, std::size_t count) {
  constexpr std::size_t width = simd<T>::width, at_once = 4;
  using K = key_of<T>;
  using keys = typename simd<K>::vector;
  const Op op;
  K total = turned<T, K>(order::filler<T>(Op()));
  std::size_t i = 0;
  if (count >= at_once * width) {
    keys sum[at_once];
#pragma GCC unroll 4
    for (std::size_t r = 0; r < at_once; ++r) sum[r] = splat(total);
    for (; i + at_once * width <= count; i += at_once * width) {
#pragma GCC unroll 4
      for (std::size_t r = 0; r < at_once; ++r)
        sum[r] = apply<Op, K>(sum[r], turned<T, keys>(simd<T>::load(x + i + r * width)));
    }
    sum[0] = apply<Op, K>(apply<Op, K>(sum[0], sum[1]), apply<Op, K>(sum[2], sum[3]));
    K lane[width];
    store(sum[0], lane);
    for (std::size_t half = width / 2; half > 0; half /= 2) {
      for (std::size_t l = 0; l < half; ++l) lane[l] = op(lane[l], lane[l + half]);
    }
    total = lane[0];
  }
  for (; i < count; ++i) total = op(total, turned<T, K>(x[i]));
  return turned<T, T>(total);
}

/// As many numbers as are looked through for NaN at a time.
constexpr std::size_t looked_through = 1024;

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

/// Behind the first NaN all outputs are that NaN.
template <class T, class Op>
T scan_numbers(const T* x, std::size_t count, bool exclusive, bool non_temporal, T carry, T* out) {
  while (count > 0 && carry == carry) {
    const std::size_t some = count < looked_through ? count : looked_through;
    std::size_t done = before_nan(x, some);
    const T next = done < some ? x[done] : carry;
    carry = scan_exactly<T, Op>(x, done, exclusive, non_temporal, carry, out);
    if (done < some) {
      out[done++] = exclusive ? carry : next;
      carry = next;
    }
    x += done;
    out += done;
    count -= done;
  }
  for (std::size_t i = 0; i < count; ++i) out[i] = carry;
  return carry;
}

template <class T, class Op>
T reduce_numbers(const T* x, std::size_t count) {
  T total = order::filler<T>(Op());
  for (std::size_t i = 0; i < count; i += looked_through) {
    const std::size_t some = count - i < looked_through ? count - i : looked_through;
    const std::size_t numbers = before_nan(x + i, some);
    if (numbers < some) return x[i + numbers];
    total = Op()(total, reduce_exactly<T, Op>(x + i, some));
  }
  return total;
}

template <class T, class Op>
void start_exact(const void* init, void* state) {
  *static_cast<T*>(state) = init == nullptr ? order::filler<T>(Op()) : *static_cast<const T*>(init);
}

template <class T, class Op>
void append_exact(void* state, const void* totals, std::size_t units) {
  T& carry = *static_cast<T*>(state);
  for (std::size_t u = 0; u < units; ++u) carry = Op()(carry, static_cast<const T*>(totals)[u]);
}

template <class T, class Op>
void reduce_exact(const void* from, std::size_t count, bool opens, void* to) {
  const T* const x = static_cast<const T*>(from);
  T& total = *static_cast<T*>(to);
  T sum;
  if constexpr (std::is_floating_point_v<T>) {
    sum = reduce_numbers<T, Op>(x, count);
  } else {
    sum = reduce_exactly<T, Op>(x, count);
  }
  total = opens ? sum : Op()(total, sum);
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

template <class T, class Op>
constexpr scan_kernels scan_kernels_of() {
  if constexpr (std::is_floating_point_v<T> && (std::is_same_v<Op, plus> || std::is_same_v<Op, multiplies>)) {
    return {sizeof(scan_state<T>), scan_run_length<T>,    start_grouped<T, Op>,
            reduce_grouped<T, Op>, append_grouped<T, Op>, scan_grouped<T, Op>};
  } else {
    return {sizeof(T),           scan_run_length<T>,  start_exact<T, Op>,
            reduce_exact<T, Op>, append_exact<T, Op>, scan_exact<T, Op>};
  }
}

}  // namespace
}  // namespace HEDDLE_ISA
}  // namespace heddle::cpu
