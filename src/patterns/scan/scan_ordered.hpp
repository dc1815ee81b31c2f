// Scans whose bits depend on the order (scan_order.hpp), sums and products of floating-point numbers:
// a part of cpu_kernels.cpp, and like it compiled once for each instruction set.
#pragma once

#include "cpu/simd.hpp"
#include "patterns/scan/scan_registers.hpp"
#include <heddle/impl/patterns/scan/cpu.hpp>

#include <bit>
#include <cstddef>

namespace heddle::cpu {
inline namespace HEDDLE_ISA {
namespace {

/// As many registers as a vector has elements hold a vector for each lane, one after another. Then register k
/// holds element k of every vector, and lane l is of vector vector_of(l). Squares of lanes are transposed,
/// and transposing again restores them; narrower registers need `back` for that.
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

/// The first `count` elements of a row, as many vectors side by side as a register has lanes. Returns the
/// total of the row, in every lane, if it is a whole one. Then NaNs are written as they are: if there are
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
  R last = none;                   // P of the next set, in its last lane
  R blocks[std::bit_width(sets)];  // totals of 2^b sets, in every lane
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
      const auto with_two = combined<Op, T>(before, total);
      auto other_two = row(with_two);
      other_two = combined<Op, T>(other_two, row(combined<Op, T>(with_two, other_two)));
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

}  // namespace
}  // namespace HEDDLE_ISA
}  // namespace heddle::cpu
