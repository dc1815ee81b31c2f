#pragma once

#include <heddle/array.hpp>
#include <heddle/compiler.hpp>
#include <heddle/impl/core/elementwise.hpp>
#include <heddle/impl/core/order.hpp>
#include <heddle/support/function_ref.hpp>

#include <cassert>
#include <cstddef>

#ifndef HEDDLE_ISA
#define HEDDLE_ISA any_processor
#endif

namespace heddle::cpu {

/// Reduces pieces first … last−1 of a tiling of the elements at `from`.
using reduce_pieces_function = function_ref<void(const void* from, const order::tiling&, std::size_t first,
                                                 std::size_t last, void* out)>;

/// Reduces each of `all` segments of x to one element of `out`, tile by tile as order.hpp says: `of_inputs`
/// reduces tiles of x, and `of_partials` those of the shorter arrays that follow. Reads each input once;
/// scratch memory for one element a tile.
void reduce_segments(int threads, axis_lines all, std::size_t tile, std::size_t element_bytes, const void* x,
                     void* out, reduce_pieces_function of_inputs, reduce_pieces_function of_partials);

// The code below is compiled once for each instruction set: the namespace keeps the versions apart.
inline namespace HEDDLE_ISA {

/// The accumulators of a tile: on the stack, unless elements are so large that it would overflow.
template <class T, std::size_t Count>
class tile_accumulators : public order::uninitialized<T, Count> {};
template <class T, std::size_t Count>
  requires(Count * sizeof(T) > (std::size_t{1} << 16))
class tile_accumulators<T, Count> {
 public:
  T& operator[](std::size_t i) { return static_cast<T*>(memory_.data())[i]; }

 private:
  memory memory_{Count * sizeof(T), target()};
};

/// The largest power of two below `active`, or 0: where the tree of that many accumulators begins. Because it
/// is known at run time, compilers keep the loop over the levels of the tree, whose copies take most of their
/// time.
inline std::size_t first_half(std::size_t active) {
  return active < 2 ? 0 : std::size_t{1} << (63 - __builtin_clzll(active - 1));
}

#if defined(__CUDACC__)
#pragma nv_exec_check_disable
#endif
/// Reduces elements load(0) … load(count−1), at most a tile of them, into *out.
template <class T, class Op, class Load>
inline void reduce_tile(const Load& load, std::size_t count, const Op& op, T* out) {
  constexpr std::size_t accumulators = order::accumulators<T, Op>;
  constexpr std::size_t rows = order::rows;
  tile_accumulators<T, accumulators> accumulator;
  if constexpr (order::striped<T, Op>) {
    const std::size_t active = count < accumulators ? count : accumulators;
    for (std::size_t l = 0; l < active; ++l) accumulator[l] = load(l);
    std::size_t row = accumulators;
    for (; row + accumulators <= count; row += accumulators) {
      for (std::size_t l = 0; l < accumulators; ++l) accumulator[l] = op(accumulator[l], load(row + l));
    }
    for (std::size_t i = row; i < count; ++i) accumulator[i - row] = op(accumulator[i - row], load(i));
    for (std::size_t half = first_half(active); half > 0; half /= 2) {
      const std::size_t pairs = active <= half ? 0 : (active - half < half ? active - half : half);
      for (std::size_t l = 0; l < pairs; ++l) accumulator[l] = op(accumulator[l], accumulator[l + half]);
    }
  } else {
    const std::size_t active = (count + rows - 1) / rows;
    for (std::size_t l = 0; l < active; ++l) {
      const std::size_t end = l + 1 < active ? (l + 1) * rows : count;
      accumulator[l] = load(l * rows);
      for (std::size_t i = l * rows + 1; i < end; ++i) accumulator[l] = op(accumulator[l], load(i));
    }
    for (std::size_t step = 1; step < active; step *= 2) {
      for (std::size_t l = 0; l + step < active; l += 2 * step)
        accumulator[l] = op(accumulator[l], accumulator[l + step]);
    }
  }
  *out = order::canonical(accumulator[0]);
}

/// The most elements that reduce_few() takes: none unless every order gives the same bits, or there is an
/// element to pad with.
template <class T, class Op>
inline constexpr std::size_t few_elements = order::order_is_free<T, Op> ? 64
                                            : order::has_padding<T, Op> ? 128 / sizeof(T)
                                                                        : 0;

/// Combines elements Offset, Offset + Stride, … of load(0) … load(count − 1), at most Most, as the
/// accumulators of a tile are combined: the even ones of them with the odd ones, each combined in the same
/// way.
template <std::size_t Most, std::size_t Offset = 0, std::size_t Stride = 1, class Load, class Combine>
inline auto reduce_accumulators(const Load& load, std::size_t count, const Combine& op) {
  if constexpr (Offset + Stride < Most) {
    if (Offset + Stride < count) {
      return op(reduce_accumulators<Most, Offset, 2 * Stride>(load, count, op),
                reduce_accumulators<Most, Offset + Stride, 2 * Stride>(load, count, op));
    }
  }
  return load(Offset);
}

/// The minimum or maximum of floating-point numbers by the processor's own comparison, if that finds it: not
/// if an element is NaN, or if there are infinities of both signs, or if it is zero, whose sign the
/// comparison ignores.
template <class T, class Op>
inline bool extreme_by_comparison(const T* x, std::size_t count, T& found) {
  const auto nearer = [](T a, T b) { return (std::is_same_v<Op, minimum> ? b < a : a < b) ? b : a; };
  T best = x[0], sum = x[0];
  std::size_t i = 1;
  for (; i + 4 <= count; i += 4) {
    best = nearer(best, nearer(nearer(x[i], x[i + 1]), nearer(x[i + 2], x[i + 3])));
    sum += (x[i] + x[i + 1]) + (x[i + 2] + x[i + 3]);
  }
  for (; i < count; ++i) {
    best = nearer(best, x[i]);
    sum += x[i];
  }
  found = best;
  return sum == sum && best != 0;
}

#if defined(__CUDACC__)
#pragma nv_exec_check_disable
#endif
/// Combines 1 … few_elements elements, for which a call into the library would take longer than the work.
template <class T, class Op>
inline T reduce_few(const T* x, std::size_t count, const Op& op) {
  if constexpr (order::order_is_free<T, Op>) {
    const impl::element_at<T, Op> load{x};
    T sum = load(0);
    std::size_t i = 1;
    for (; i + 4 <= count; i += 4) sum = op(sum, op(op(load(i), load(i + 1)), op(load(i + 2), load(i + 3))));
    for (; i < count; ++i) sum = op(sum, load(i));
    return sum;
  } else if constexpr (impl::is_extreme<Op>) {
    T found;
    if (extreme_by_comparison<T, Op>(x, count, found)) return found;
    found = x[0];
    for (std::size_t i = 1; i < count; ++i) found = op(found, x[i]);
    return order::canonical(found);
  } else {
    constexpr std::size_t width = 8;
    static_assert(few_elements<T, Op> % width == 0, "whole rows hold all of them");
    if (count < width)
      return order::canonical(reduce_accumulators<width>([x](std::size_t i) { return x[i]; }, count, op));
    // Rows of `width` elements, the last of them padded.
    struct row {
      T element[width];
    };
    T last[2 * width];
    for (std::size_t l = 0; l < width; ++l) last[l] = x[count - width + l];
    for (std::size_t l = 0; l < width; ++l) last[width + l] = order::padding<T>(op);
    const std::size_t rows = (count + width - 1) / width;
    const T* const last_row = last + (rows * width - count);
    const auto load = [&](std::size_t r) {
      const T* const from = r + 1 < rows ? x + r * width : last_row;
      row loaded;
      for (std::size_t l = 0; l < width; ++l) loaded.element[l] = from[l];
      return loaded;
    };
    const row sum = reduce_accumulators<few_elements<T, Op> / width>(load, rows, [&](row a, const row& b) {
      for (std::size_t l = 0; l < width; ++l) a.element[l] = op(a.element[l], b.element[l]);
      return a;
    });
    return order::canonical(
        reduce_accumulators<width>([&](std::size_t l) { return sum.element[l]; }, width, op));
  }
}

#if defined(__CUDACC__)
#pragma nv_exec_check_disable
#endif
/// Reduces each column of a piece; row r of column c is load(piece.first + r·stride + c). `accumulator` has
/// room for the accumulators of every column.
template <class T, class Op, class Load>
inline void reduce_columns(const Load& load, const order::piece& piece, const Op& op, T* accumulator,
                           T* out) {
  constexpr std::size_t accumulators = order::accumulators<T, Op>;
  constexpr std::size_t rows = order::rows;
  const std::size_t width = piece.width;
  std::size_t active = piece.count;
  for (std::size_t r = 0; r < piece.count; ++r) {
    const std::size_t first = piece.first + r * piece.stride;
    const bool starts_accumulator = order::striped<T, Op> ? r < accumulators : r % rows == 0;
    T* const row = accumulator + (order::striped<T, Op> ? r % accumulators : r / rows) * width;
    if (starts_accumulator) {
      for (std::size_t c = 0; c < width; ++c) row[c] = load(first + c);
    } else {
      for (std::size_t c = 0; c < width; ++c) row[c] = op(row[c], load(first + c));
    }
  }
  if constexpr (order::striped<T, Op>) {
    active = active < accumulators ? active : accumulators;
    for (std::size_t half = first_half(active); half > 0; half /= 2) {
      for (std::size_t l = 0; l < half && l + half < active; ++l) {
        T* const left = accumulator + l * width;
        const T* const right = accumulator + (l + half) * width;
        for (std::size_t c = 0; c < width; ++c) left[c] = op(left[c], right[c]);
      }
    }
  } else {
    active = (active + rows - 1) / rows;
    for (std::size_t step = 1; step < active; step *= 2) {
      for (std::size_t l = 0; l + step < active; l += 2 * step) {
        T* const left = accumulator + l * width;
        const T* const right = accumulator + (l + step) * width;
        for (std::size_t c = 0; c < width; ++c) left[c] = op(left[c], right[c]);
      }
    }
  }
  for (std::size_t c = 0; c < width; ++c) out[c] = order::canonical(accumulator[c]);
}

/// Reduces pieces first … last−1. `reduce_row(first, count, out)` reduces contiguous elements; columns read
/// through `load`.
template <class T, class Op, class Load, class ReduceRow>
inline void reduce_pieces(const Load& load, const Op& op, const order::tiling& tiles, std::size_t first,
                          std::size_t last, const ReduceRow& reduce_row, T* out) {
  assert((tiles.part <= order::tile<T, Op>));
  if (tiles.all.inner == 1) {
    for (std::size_t i = first; i < last; ++i) {
      const order::piece piece = tiles[i];
      reduce_row(piece.first, piece.count, out + piece.result);
    }
    return;
  }
  constexpr std::size_t accumulators = order::accumulators<T, Op>;
  const std::size_t length = tiles.all.length;
  const memory accumulator((length < accumulators ? length : accumulators) * tiles.panel * sizeof(T),
                           target());
  for (std::size_t i = first; i < last; ++i) {
    const order::piece piece = tiles[i];
    reduce_columns<T>(load, piece, op, static_cast<T*>(accumulator.data()), out + piece.result);
  }
}

/// Reduces each of `all` segments of the elements load(0), load(1), … to one element of `out`.
template <class T, class Op, class Load>
inline void reduce(int threads, const Load& load, const Op& op, axis_lines all, T* out) {
  auto reduce_serially = [&op](const auto& source, const order::tiling& tiles, std::size_t first,
                               std::size_t last, T* to) {
    reduce_pieces<T>(
        source, op, tiles, first, last,
        [&](std::size_t start, std::size_t count, T* result) {
          reduce_tile<T>([&](std::size_t i) { return source(start + i); }, count, op, result);
        },
        to);
  };
  auto inputs = [&](const void*, const order::tiling& tiles, std::size_t first, std::size_t last, void* to) {
    reduce_serially(load, tiles, first, last, static_cast<T*>(to));
  };
  auto partials = [&](const void* from, const order::tiling& tiles, std::size_t first, std::size_t last,
                      void* to) {
    reduce_serially([x = static_cast<const T*>(from)](std::size_t i) { return x[i]; }, tiles, first, last,
                    static_cast<T*>(to));
  };
  reduce_segments(threads, all, order::tile<T, Op>, sizeof(T), nullptr, out, inputs, partials);
}

}  // namespace HEDDLE_ISA
}  // namespace heddle::cpu
