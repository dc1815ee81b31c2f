// Scans of numbers in registers: a part of kernels.cpp, and like it compiled once for each instruction set.
#pragma once

#include "cpu/kernels.hpp"
#include "cpu/simd.hpp"
#include <heddle/impl/cpu/scan.hpp>

#include <bit>
#include <complex>
#include <limits>
#include <utility>

namespace heddle::cpu {
inline namespace HEDDLE_ISA {
namespace {

template <class T>
struct part_of {
  using type = T;
};
template <class P>
struct part_of<std::complex<P>> {
  using type = P;
};

/// Registers of real or complex numbers.
template <class T>
struct numbers {
  using part = typename part_of<T>::type;
  using vector = typename simd<part>::vector;
  static constexpr std::size_t parts = is_complex<T> ? 2 : 1, width = register_bytes / sizeof(T);

  /// The first `count` numbers, and zeros where a register has more.
  static HEDDLE_ALWAYS_INLINE vector load(const T* from, std::size_t count = width) {
    const part* const x = reinterpret_cast<const part*>(from);
    return count >= width ? simd<part>::load(x) : load_some(x, count * parts, part());
  }
  static HEDDLE_ALWAYS_INLINE void store(vector v, T* to, std::size_t count = width,
                                         bool non_temporal = false) {
    part* const x = reinterpret_cast<part*>(to);
    if (count >= width) return cpu::store<part>(v, x, non_temporal);
    store_some<part>(v, count * parts, x);
  }
  static HEDDLE_ALWAYS_INLINE vector splat(const T& value) {
    return [&]<std::size_t... L>(std::index_sequence<L...>) __attribute__((always_inline)) {
      return vector{reinterpret_cast<const part*>(&value)[L % parts]...};
    }(std::make_index_sequence<width * parts>());
  }
  static HEDDLE_ALWAYS_INLINE T first(vector v) {
    T value;
    for (std::size_t p = 0; p < parts; ++p) reinterpret_cast<part*>(&value)[p] = v[p];
    return value;
  }

  /// As `shuffled` of simd.hpp, with a number in a lane.
  template <class Index>
  static HEDDLE_ALWAYS_INLINE vector shuffled(vector a, vector b, Index) {
    return [&]<std::size_t... L>(std::index_sequence<L...>) __attribute__((always_inline)) {
      return __builtin_shufflevector(a, b, static_cast<int>(Index{}(L / parts) * parts + L % parts)...);
    }(std::make_index_sequence<width * parts>());
  }

  /// NaNs become the one quiet NaN.
  static HEDDLE_ALWAYS_INLINE vector canonical(vector v) {
    if constexpr (std::is_floating_point_v<part>) {
      return v == v ? v : cpu::splat(order::canonical(std::numeric_limits<part>::quiet_NaN()));
    } else {
      return v;
    }
  }
  static HEDDLE_ALWAYS_INLINE bool has_nan(vector v) {
#if defined(__AVX512BW__)
    if constexpr (sizeof(part) == 4) return _mm512_cmp_ps_mask((__m512)v, (__m512)v, _CMP_UNORD_Q) != 0;
    if constexpr (sizeof(part) == 8) return _mm512_cmp_pd_mask((__m512d)v, (__m512d)v, _CMP_UNORD_Q) != 0;
#endif
    bool found = false;
    for (std::size_t l = 0; l < width * parts; ++l) found |= v[l] != v[l];
    return found;
  }
};

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
/// The first or the last of each two lanes of both, interleaved.
template <std::size_t Width, bool Last>
struct one_of_two {
  constexpr std::size_t operator()(std::size_t l) const {
    return (l & 1) * Width + (l & ~std::size_t{1}) + Last;
  }
};
/// The first or last two of each four lanes of both, interleaved.
template <std::size_t Width, bool Last>
struct two_of_four {
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

// Sums and products of floating-point numbers, whose bits depend on the order (scan_order.hpp).

/// As many registers as a vector has elements hold a vector for each lane, one after another. Then register k
/// holds element k of every vector, and lane l is of vector vector_of(l). Squares of lanes change rows and
/// columns, and the same again puts them back; narrower registers need a way `back`.
template <class T, std::size_t V, class R = typename numbers<T>::vector>
HEDDLE_ALWAYS_INLINE void transpose(R (&v)[V], [[maybe_unused]] bool back) {
  using n = numbers<T>;
  constexpr std::size_t width = n::width;
  static_assert(V == 4);
  if constexpr (width == 2) {
    constexpr one_of_two<2, false> first;
    constexpr one_of_two<2, true> last;
    const R a = v[0], b = v[1], c = v[2], d = v[3];
    v[0] = back ? n::shuffled(a, b, first) : n::shuffled(a, c, first);
    v[1] = back ? n::shuffled(c, d, first) : n::shuffled(a, c, last);
    v[2] = back ? n::shuffled(a, b, last) : n::shuffled(b, d, first);
    v[3] = back ? n::shuffled(c, d, last) : n::shuffled(b, d, last);
  } else if constexpr (width >= 4) {
    const R p = n::shuffled(v[0], v[1], two_of_four<width, false>()),
            q = n::shuffled(v[2], v[3], two_of_four<width, false>()),
            r = n::shuffled(v[0], v[1], two_of_four<width, true>()),
            s = n::shuffled(v[2], v[3], two_of_four<width, true>());
    v[0] = n::shuffled(p, q, pairs<width, false>());
    v[1] = n::shuffled(p, q, pairs<width, true>());
    v[2] = n::shuffled(r, s, pairs<width, false>());
    v[3] = n::shuffled(r, s, pairs<width, true>());
  }
}

template <class T>
struct lanes {
  static constexpr std::size_t in_vector = order::scan_vector<T>;
  static constexpr bool has_squares = numbers<T>::width >= in_vector;
  static constexpr std::size_t squares = has_squares ? numbers<T>::width / in_vector : 1;
  static_assert(in_vector == 4);
  static constexpr std::size_t vector_of(std::size_t lane) {
    return has_squares ? lane % in_vector * squares + lane / in_vector : lane;
  }
  static constexpr std::size_t of(std::size_t vector) {
    return has_squares ? vector % squares * in_vector + vector / squares : vector;
  }
};
/// The last vector of the left half of each block of 2·Half in every vector of its right half; none in the
/// left.
template <class T, std::size_t Half>
struct last_of_left_half {
  constexpr std::size_t operator()(std::size_t l) const {
    const std::size_t j = lanes<T>::vector_of(l);
    return (j & Half) != 0 ? numbers<T>::width + lanes<T>::of((j & ~(Half - 1)) - 1) : l;
  }
};
/// The vector before each; before the first, the last of another register.
template <class T>
struct vector_before {
  constexpr std::size_t operator()(std::size_t l) const {
    const std::size_t j = lanes<T>::vector_of(l);
    return numbers<T>::width - 1 + (j == 0 ? 0 : 1 + lanes<T>::of(j - 1));
  }
};

template <class Op, class T, std::size_t Half, class R>
HEDDLE_ALWAYS_INLINE R join_halves(R up_to, R none) {
  if constexpr (Half >= numbers<T>::width) {
    return up_to;
  } else {
    const R left = numbers<T>::shuffled(none, up_to, last_of_left_half<T, Half>());
    return join_halves<Op, T, 2 * Half>(apply<Op, typename numbers<T>::part>(left, up_to), none);
  }
}

enum class scanning { none, inclusive, exclusive };

/// The first `count` elements of a row, as many vectors side by side as a register has lanes. Returns what
/// the row combines to, in every lane, if it is a whole one. Then NaNs are written as they are: if there are
/// any, *sum_of_last becomes NaN, to which the last result of each vector is added: sums and products of NaN
/// are NaN, and so is what combines ∞ with −∞ or 0 where one of them is followed by numbers.
template <scanning Kind, class Op, class T, class R = typename numbers<T>::vector>
HEDDLE_ALWAYS_INLINE R scan_row(const T* x, std::size_t count, R before, bool non_temporal, T* out,
                                R* sum_of_last) {
  using n = numbers<T>;
  using part = typename n::part;
  constexpr std::size_t in_vector = order::scan_vector<T>, width = n::width;
  constexpr std::size_t sets = order::scan_row_vectors / width;
  const R none = splat(order::padding<part>(Op()));
  R last = none;  // P of the next set, in its last lane
  R blocks[6];    // totals of 2^b sets, in every lane
#pragma GCC unroll 32
  for (std::size_t s = 0; s < sets; ++s) {
    const std::size_t first = s * in_vector * width;
    if (first >= count) break;
    const std::size_t left = count - first;
    R own[in_vector];
#pragma GCC unroll 4
    for (std::size_t k = 0; k < in_vector; ++k)
      own[k] = left > k * width ? n::load(x + first + k * width, left - k * width) : none;
    transpose<T>(own, false);
#pragma GCC unroll 4
    for (std::size_t k = 1; k < in_vector; ++k) own[k] = apply<Op, part>(own[k - 1], own[k]);
    R up_to = join_halves<Op, T, 1>(own[in_vector - 1], none);
    bool kept = false;
#pragma GCC unroll 6
    for (std::size_t b = 0; sets >> b != 0; ++b) {
      if ((s >> b & 1) != 0) {
        up_to = apply<Op, part>(blocks[b], up_to);
      } else if (!kept) {
        blocks[b] = n::shuffled(up_to, up_to, last_lane<width>());
        kept = true;
      }
    }
    if constexpr (Kind != scanning::none) {
      const R prefix = apply<Op, part>(before, n::shuffled(last, up_to, vector_before<T>()));
      last = up_to;
      R results[in_vector];
#pragma GCC unroll 4
      for (std::size_t k = 0; k < in_vector; ++k) {
        if constexpr (Kind == scanning::inclusive) results[k] = apply<Op, part>(prefix, own[k]);
        if constexpr (Kind == scanning::exclusive)
          results[k] = k == 0 ? prefix : apply<Op, part>(prefix, own[k - (k > 0)]);
      }
#pragma GCC unroll 4
      for (std::size_t k = 0; k < in_vector; ++k) own[k] = results[k];
      const bool whole = count == order::scan_row<T>;
      if (whole) *sum_of_last += own[in_vector - 1];
      transpose<T>(own, true);
#pragma GCC unroll 4
      for (std::size_t k = 0; k < in_vector; ++k) {
        if (left > k * width)
          n::store(whole ? own[k] : n::canonical(own[k]), out + first + k * width, left - k * width,
                   non_temporal);
      }
    }
  }
  return blocks[std::countr_zero(sets)];
}

template <class Op, class T, class R = typename numbers<T>::vector>
HEDDLE_ALWAYS_INLINE R combined(R a, R b) {
  return apply<Op, typename numbers<T>::part>(a, b);
}

template <class T, class Op>
void start_ordered(const void* init, void* state) {
  const T none = numbers<T>::first(splat(order::padding<typename numbers<T>::part>(Op())));
  static_cast<order::row_prefix<T>*>(state)->start(init == nullptr ? &none : static_cast<const T*>(init));
}

template <class T, class Op>
void append_ordered(void* state, const void* totals, std::size_t units) {
  const T* total = static_cast<const T*>(totals) + unit_level;
  for (; units > 0; --units, total += totals_of_unit)
    static_cast<order::row_prefix<T>*>(state)->append(Op(), *total, unit_level);
}

template <class T, class Op>
void reduce_ordered(const void* from, std::size_t rows, std::size_t before, void* to) {
  using n = numbers<T>;
  const T* x = static_cast<const T*>(from);
  T* const totals = static_cast<T*>(to);
  const auto row = [&]() __attribute__((always_inline)) {
    auto unused = n::splat(T());
    const auto total = scan_row<scanning::none, Op, T>(x, order::scan_row<T>, unused, false,
                                                       static_cast<T*>(nullptr), &unused);
    x += order::scan_row<T>;
    return total;
  };
  constexpr unsigned level = piece_level(order::scan_row<T> * sizeof(T));
  constexpr std::size_t in_piece = std::size_t(1) << level;
  for (; rows >= in_piece; rows -= in_piece, before += in_piece) {
    auto total = row();
    if constexpr (level >= 1) total = combined<Op, T>(total, row());
    if constexpr (level >= 2) {
      auto other_two = row();
      other_two = combined<Op, T>(other_two, row());
      total = combined<Op, T>(total, other_two);
    }
    order::append_block(Op(), before, level, n::first(total), totals);
  }
  for (; rows > 0; --rows, ++before) order::append_block(Op(), before, 0, n::first(row()), totals);
}

template <class T>
__attribute__((noinline)) void make_canonical(T* x, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) x[i] = order::canonical(x[i]);
}

template <scanning Kind, class T, class Op>
void scan_rows(const T* x, std::size_t count, bool non_temporal, order::row_prefix<T>& state, T* out) {
  using n = numbers<T>;
  constexpr unsigned level = piece_level(order::scan_row<T> * sizeof(T));
  constexpr std::size_t in_row = order::scan_row<T>, in_piece = in_row << level;
  auto sum_of_last = n::splat(T());
  const auto row = [&](auto before) __attribute__((always_inline)) {
    const auto total = scan_row<Kind, Op, T>(x, in_row, before, non_temporal, out, &sum_of_last);
    x += in_row;
    out += in_row;
    return total;
  };
  const auto end = [&](std::size_t written) __attribute__((always_inline)) {
    if (n::has_nan(sum_of_last)) make_canonical(out - written, written);
    sum_of_last = n::splat(T());
  };
  for (; count >= in_piece; count -= in_piece) {
    const auto before = n::splat(state.value());
    auto total = row(before);
    if constexpr (level >= 1) total = combined<Op, T>(total, row(combined<Op, T>(before, total)));
    if constexpr (level >= 2) {
      const auto behind_two = combined<Op, T>(before, total);
      auto other_two = row(behind_two);
      other_two = combined<Op, T>(other_two, row(combined<Op, T>(behind_two, other_two)));
      total = combined<Op, T>(total, other_two);
    }
    state.append(Op(), n::first(total), level);
    end(in_piece);
  }
  for (; count >= in_row; count -= in_row) {
    state.append(Op(), n::first(row(n::splat(state.value()))));
    end(in_row);
  }
  if (count > 0) scan_row<Kind, Op, T>(x, count, n::splat(state.value()), false, out, &sum_of_last);
}

template <class T, class Op>
void scan_ordered(const void* x, std::size_t count, bool exclusive, bool non_temporal, void* state,
                  void* out) {
  (exclusive ? scan_rows<scanning::exclusive, T, Op>
             : scan_rows<scanning::inclusive, T, Op>)(static_cast<const T*>(x), count, non_temporal,
                                                      *static_cast<order::row_prefix<T>*>(state),
                                                      static_cast<T*>(out));
}

// Columns.

/// Columns of a register, or of less than one.
template <class T, class Op, bool All>
struct register_of_columns {
  using n = numbers<T>;
  using values = typename n::vector;
  std::size_t count;

  HEDDLE_ALWAYS_INLINE values read(const T* x) const { return n::load(x, All ? n::width : count); }
  HEDDLE_ALWAYS_INLINE values load(const T* x) const { return n::load(x); }
  HEDDLE_ALWAYS_INLINE values splat(const T& x) const { return n::splat(x); }
  HEDDLE_ALWAYS_INLINE values combine(values a, values b) const { return combined<Op, T>(a, b); }
  HEDDLE_ALWAYS_INLINE void store(values v, T* to) const { n::store(v, to); }
  HEDDLE_ALWAYS_INLINE void write(values v, T* to) const {
    n::store(n::canonical(v), to, All ? n::width : count);
  }
};
template <class T, class Op>
struct columns_in_registers {
  template <class F>
  HEDDLE_ALWAYS_INLINE void each(std::size_t count, const F& f) const {
    constexpr std::size_t width = numbers<T>::width;
    std::size_t first = 0;
    for (; first + width <= count; first += width) f(register_of_columns<T, Op, true>{}, first);
    if (first < count) f(register_of_columns<T, Op, false>{count - first}, first);
  }
};

template <class T, class Op>
void scan_columns_in_registers(const column_panel& panel, const void* init, bool exclusive) {
  scan_columns<T, Op>(columns_in_registers<T, Op>(), panel, static_cast<const T*>(init), exclusive);
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
    const keys result = exclusive ? behind<K>(before, here) : here;
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

template <class T, class Op>
constexpr scan_kernels scan_kernels_of() {
  if constexpr (!has_simd<Op, T> && !(is_complex<T> && std::is_same_v<Op, plus>)) {
    return {};
  } else if constexpr (order::any_scan_order<T, Op>) {
    return {sizeof(T),           start_exact<T, Op>, reduce_exact<T, Op>,
            append_exact<T, Op>, scan_exact<T, Op>,  scan_columns_in_registers<T, Op>};
  } else {
    return {sizeof(order::row_prefix<T>), start_ordered<T, Op>, reduce_ordered<T, Op>,
            append_ordered<T, Op>,        scan_ordered<T, Op>,  scan_columns_in_registers<T, Op>};
  }
}

}  // namespace
}  // namespace HEDDLE_ISA
}  // namespace heddle::cpu
