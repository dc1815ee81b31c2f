#pragma once

#include <heddle/array.hpp>
#include <heddle/compiler.hpp>
#include <heddle/impl/core/order.hpp>
#include <heddle/impl/gpu/block/vec16.cuh>
#include <heddle/impl/gpu/warp/packed16_op.cuh>
#include <heddle/impl/gpu/warp/warp.cuh>
#include <heddle/operators.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

/// How a thread loads, combines and stores the rows of several neighbouring columns. `encode` converts what
/// it loads to the form that is combined, and `decode` converts back.
namespace heddle::gpu {

/// How many of `threads` neighbouring ones, a power of two, are in one warp.
HD_INLINE unsigned lanes_of_warp(unsigned threads) {
  return threads < warp_size ? threads : warp_size;
}

/// Loads `count` rows, and the last of them again into the rest of `to`: a load in a branch would make the
/// next one wait.
template <class T, class Row, unsigned Rows, class Load>
__device__ void load_rows(const T* from, unsigned count, std::size_t inner, Row (&to)[Rows], Load load) {
#pragma unroll
  for (unsigned k = 0; k < Rows; ++k) {
    to[k] = load(from);
    if (k + 1 < count) from += inner;
  }
}

/// Columns that a thread loads and stores as a vector of 16 bytes. scan_down() keeps `rows` rows in
/// registers, and a multiprocessor runs `blocks` of its blocks.
template <class T>
struct vector_columns {
  static constexpr unsigned columns = items_per_vector<T>, rows = sizeof(T) >= 4 ? 16 : 8, blocks = 2;
  static constexpr bool fill_vec16 = true;
  using stored = uint4;
  std::size_t column;

  static HD_INLINE std::size_t threads_across(std::size_t inner, unsigned) { return inner / columns; }

  __device__ vector_columns(const axis_lines&, std::size_t in_row, unsigned) : column(in_row * columns) {}
  __device__ bool in_range() const { return true; }
  __device__ std::size_t offset_of(unsigned c) const { return c; }
  /// Loads `count` rows from the one at `from` on.
  template <unsigned Rows>
  __device__ void load(const T* from, unsigned count, std::size_t inner, stored (&to)[Rows]) const {
    load_rows(from, count, inner, to, [](const T* x) { return *reinterpret_cast<const uint4*>(x); });
  }
  __device__ void store(T* to, const stored& bits) const { *reinterpret_cast<uint4*>(to) = bits; }
};

/// Columns that a thread loads and stores one by one, several to keep loads in flight. In long rows they are
/// `stride_` columns apart, so that neighbouring lanes have neighbouring columns.
template <class T>
class element_columns {
 public:
  static constexpr unsigned columns = items_per_vector<T> < 4 ? items_per_vector<T> : 4, blocks = 2;
  static constexpr bool fill_vec16 = false;
  static constexpr unsigned bytes = sizeof(T) * columns, rows = bytes <= 16   ? 8
                                                                : bytes < 256 ? 256 / bytes
                                                                              : 1;
  using stored = order::uninitialized<T, columns>;
  std::size_t column;

  static HD_INLINE std::size_t threads_across(std::size_t inner, unsigned threads) {
    const std::size_t stride = stride_in(inner, threads), group = columns * stride;
    return (inner + group - 1) / group * stride;
  }

  __device__ element_columns(const axis_lines& all, std::size_t in_row, unsigned threads)
      : inner_(all.inner), stride_(stride_in(inner_, threads)) {
    const std::size_t in_group = in_row & (stride_ - 1);
    column = (in_row - in_group) * columns + in_group;
  }
  __device__ bool in_range() const { return column < inner_; }
  // Beyond the row the thread's first element again: the operator sees nothing but elements, and other
  // threads may be writing theirs.
  __device__ std::size_t offset_of(unsigned c) const { return is_mine(c) ? c * stride_ : 0; }
  template <unsigned Rows>
  __device__ void load(const T* from, unsigned count, std::size_t inner, stored (&to)[Rows]) const {
    load_rows(from, count, inner, to, [this](const T* row) {
      stored x;
#pragma unroll
      for (unsigned c = 0; c < columns; ++c) x[c] = row[offset_of(c)];
      return x;
    });
  }
  __device__ void store(T* to, const stored& x) const {
#pragma unroll
    for (unsigned c = 0; c < columns; ++c) {
      if (is_mine(c)) to[c * stride_] = x[c];
    }
  }

 private:
  static HD_INLINE unsigned stride_in(std::size_t inner, unsigned threads) {
    if (inner < 32 * warp_size * columns) return 1;
    return lanes_of_warp(threads);
  }
  __device__ bool is_mine(unsigned c) const { return column + c * stride_ < inner_; }

  std::size_t inner_;
  unsigned stride_;
};

/// Whether the columns of each row are vectors of 16 bytes, of x and of `out`.
template <class T>
bool are_vectors(const T* x, const T* out, const axis_lines& all) {
  return vectors_are_16_bytes<T> && all.inner % items_per_vector<T> == 0 &&
         (reinterpret_cast<std::uintptr_t>(x) | reinterpret_cast<std::uintptr_t>(out)) % 16 == 0;
}

/// Columns cut into parts of at most `part_rows` rows, each for one thread. In a block `width` threads, a
/// power of two, have neighbouring columns, and the others are below them.
template <class Columns>
struct column_tiling {
  axis_lines all;
  std::size_t part_rows;
  unsigned width;
  std::size_t parts, threads_across;

  /// A thread's part of its columns: the `index`-th from the top; its totals are in row `row` of totals().
  struct thread_part {
    std::size_t row, index, in_row;
    std::size_t begin;   ///< of its rows
    std::size_t length;  ///< rows that it has
  };

  HD_INLINE column_tiling(const axis_lines& columns, std::size_t rows, unsigned threads)
      : all(columns),
        part_rows(rows),
        width(threads),
        parts((all.length + part_rows - 1) / part_rows),
        threads_across(Columns::threads_across(all.inner, width)) {}

  HD_INLINE std::size_t thread_parts() const { return all.outer * parts * threads_across; }
  /// The results of reducing each part, as segments again.
  HD_INLINE axis_lines totals() const { return {all.outer, parts, all.inner}; }
  HD_INLINE thread_part operator[](std::size_t index) const {
    // Divisions of 64 bits take as long as some rows.
    const std::size_t row = index < threads_across ? 0 : index / threads_across,
                      outer = row < parts ? 0 : row / parts, part = row - outer * parts,
                      top = part * part_rows;
    return {row, part, index - row * threads_across, (outer * all.length + top) * all.inner,
            all.length - top < part_rows ? all.length - top : part_rows};
  }
};

/// Elements of neighbouring columns, combined one by one.
template <unsigned Columns, class T, class Op>
struct elementwise_vector_op {
  using vector = order::uninitialized<T, Columns>;
  Op op;
  __device__ vector encode(vector x) const {
#pragma unroll
    for (unsigned c = 0; c < Columns; ++c) x[c] = impl::lift<Op>(x[c]);
    return x;
  }
  __device__ vector decode(const vector& x) const { return x; }
  __device__ vector operator()(const vector& a, const vector& b) const {
    vector both;
#pragma unroll
    for (unsigned c = 0; c < Columns; ++c) both[c] = op(a[c], b[c]);
    return both;
  }
};

/// Elements of one and two bytes, combined a word at a time.
template <class T, class Op>
struct packed_vector_op {
  static constexpr bool adds = adds_small_integers<T, Op>;
  static constexpr bool exist = adds || packed16_op<T, Op>::exist;
  using packed = packed16_op<T, Op>;
  using vector = vector_words;
  Op op;
  __device__ vector encode(vector x) const {
    if constexpr (!adds) {
#pragma unroll
      for (std::uint32_t& word : x.word) word = packed::encode(op, word);
    }
    return x;
  }
  __device__ vector decode(vector x) const {
    if constexpr (!adds) {
#pragma unroll
      for (std::uint32_t& word : x.word) word = packed::decode(op, word);
    }
    return x;
  }
  __device__ vector operator()(vector a, const vector& b) const {
#pragma unroll
    for (unsigned w = 0; w < words_per_vector; ++w) a.word[w] = combine(a.word[w], b.word[w]);
    return a;
  }

 private:
  __device__ std::uint32_t combine(std::uint32_t a, std::uint32_t b) const {
    if constexpr (adds) {
      return sizeof(T) == 1 ? __vadd4(a, b) : __vadd2(a, b);
    } else if constexpr (sizeof(T) == 1) {
      return interleaved_bytes(packed::combine(op, even_bytes<packed>(a), even_bytes<packed>(b)),
                               packed::combine(op, odd_bytes<packed>(a), odd_bytes<packed>(b)));
    } else {
      return packed::combine(op, a, b);
    }
  }
};

/// How a thread combines the columns that it loads as `Columns` says.
template <class Columns, class T, class Op>
using vector_op = std::conditional_t<Columns::fill_vec16 && packed_vector_op<T, Op>::exist,
                                     packed_vector_op<T, Op>, elementwise_vector_op<Columns::columns, T, Op>>;

}  // namespace heddle::gpu
