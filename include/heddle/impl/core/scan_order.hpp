#pragma once

#include <heddle/compiler.hpp>
#include <heddle/impl/core/order.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

/// The order in which `inclusive_scan` and `exclusive_scan` combine elements. It depends on the position of
/// an element in its segment and on its size alone, so every target computes the same bits.
///
/// A segment is cut into vectors of V elements: as many as 16 bytes hold, and at least 4, but one element
/// where it has more than 32 bytes. 32 vectors make a row.
///
///   own(i)  the elements of the vector up to element i, from left to right
///   P(j)    the total of the first j vectors of a row, from their totals. The j vectors are cut into the
///           largest blocks of 16, 8, 4, 2 and 1 vectors, in falling order. A block is a balanced tree. The
///           blocks combine from right to left (Sklansky 1960).
///   Q(r)    the total of the first r rows, from their totals P(32). The r rows are cut into the largest
///           blocks of a power of two of rows, in falling order. A block is a balanced tree. The initial
///           value and the blocks combine from left to right.
///
/// For element i of vector j of row r, where parts that do not exist are left out:
///
///   inclusive(i) = (Q(r) · P(j)) · own(i)     exclusive(i) = Q(r) · P(j)        if i begins the vector
///                                                          = inclusive(i − 1)   otherwise
///
/// With V = 1, inclusive(i) = Q(r) · P(j + 1).
///
/// An error passes through at most V + 5 + 2 log2(rows) combinations. Every aligned block of a power of two
/// of rows has a total of its own, and Q of a row in it is Q of the block, then the blocks before the row in
/// it: tiles of any such size give the same bits.
namespace heddle::order {

/// Elements of so many bytes in a vector.
constexpr std::size_t scan_vector_of(std::size_t bytes) {
  return bytes <= 4 && 16 % bytes == 0 ? 16 / bytes : bytes <= 32 ? 4 : 1;
}
template <class T>
inline constexpr std::size_t scan_vector = scan_vector_of(sizeof(T));
inline constexpr std::size_t scan_row_vectors = 32;
/// Blocks of 1, 2, 4, … vectors, up to a row.
inline constexpr unsigned scan_row_levels = 6;
static_assert(scan_row_vectors == 1u << (scan_row_levels - 1));
template <class T>
inline constexpr std::size_t scan_row = scan_row_vectors * scan_vector<T>;

/// Whether every other order gives the same bits. Minima and maxima of floating-point numbers pass on NaN,
/// all of which come out as the same one.
template <class T, class Op>
inline constexpr bool any_scan_order =
    order_is_free<T, Op> || (std::is_floating_point_v<T> && impl::is_extreme<Op>);

#if defined(__CUDACC__)
#pragma nv_exec_check_disable
#endif
/// Adds a block of 2^level parts to the totals of blocks of `count` parts so far, a multiple of 2^level.
/// Returns the level of the largest block that it completes, whose total it stores.
template <class T, class Op>
HD_INLINE unsigned append_block(const Op& op, std::size_t count, unsigned level, T total, T* blocks) {
  for (; (count >> level & 1) != 0; ++level) total = op(blocks[level], total);
  blocks[level] = total;
  return level;
}

/// P of the vectors of a row so far, for a thread that takes them one after another.
template <class T>
class vector_prefix {
 public:
  HD_INLINE void clear() { count_ = 0; }
  HD_INLINE bool exists() const { return count_ != 0; }
  HD_INLINE bool row_is_full() const { return count_ == scan_row_vectors; }

#if defined(__CUDACC__)
#pragma nv_exec_check_disable
#endif
  /// Only where it exists.
  template <class Op>
  HD_INLINE T value(const Op& op) const {
    uninitialized<T, 1> sum;
    bool exists = false;
    HD_UNROLL
    for (unsigned level = 0; level < levels; ++level) {
      if ((count_ >> level & 1) == 0) continue;
      sum[0] = exists ? op(block_[level], sum[0]) : block_[level];
      exists = true;
    }
    return sum[0];
  }

  template <class Op>
  HD_INLINE void append(const Op& op, const T& vector_total) {
    append_block(op, count_, 0, T(vector_total), &block_[0]);
    ++count_;
  }

 private:
  static constexpr unsigned levels = scan_row_levels;
  unsigned count_ = 0;
  uninitialized<T, levels> block_;  ///< of 2^level vectors
};

/// Q of the rows so far, for a thread that takes them one after another. It can be copied byte by byte.
/// `Levels` bound the rows: fewer than 2^Levels.
template <class T, unsigned Levels = 60>
class row_prefix {
  static_assert(Levels <= 60 && (~std::size_t{0} / scan_row_vectors) >> 60 == 0,
                "60 are enough for all sizes");

 public:
#if defined(__CUDACC__)
#pragma nv_exec_check_disable
#endif
  HD_INLINE void start(const T* init) {
    count_ = 0;
    exists_ = has_init_ = init != nullptr;
    if (has_init_) value_[0] = init_[0] = *init;
  }
  HD_INLINE bool exists() const { return exists_; }
  /// Only where it exists.
  HD_INLINE const T& value() const { return value_[0]; }

#if defined(__CUDACC__)
#pragma nv_exec_check_disable
#endif
  /// Adds a block of 2^level rows after a multiple of 2^level rows.
  template <class Op>
  HD_INLINE void append(const Op& op, const T& total, unsigned level = 0) {
    const std::size_t added = std::size_t{1} << level;
    level = append_block(op, count_, level, T(total), &block_[0]);
    count_ += added;
    // The larger blocks have not changed since the last of them was added.
    const std::size_t above = count_ >> level >> 1;
    bool has_prefix = has_init_;
    if (has_prefix) value_[0] = init_[0];
    if (above != 0) {
      unsigned next = level + 1;
      while ((above >> (next - level - 1) & 1) == 0) ++next;
      value_[0] = up_to_[next];
      has_prefix = true;
    }
    value_[0] = has_prefix ? op(value_[0], block_[level]) : block_[level];
    up_to_[level] = value_[0];
    exists_ = true;
  }

 private:
  std::size_t count_;
  bool exists_, has_init_;
  uninitialized<T, 1> init_, value_;
  uninitialized<T, Levels> block_;  ///< the totals of blocks of 2^level rows
  uninitialized<T, Levels> up_to_;  ///< Q after that block
};

/// A row of few columns as one element: as long as it has as many elements to a vector as each column by
/// itself, its scan is that of each.
template <class T, std::size_t Columns>
struct row_of_columns {
  T column[Columns];
};

template <class Op>
struct on_columns {
  Op op;
#if defined(__CUDACC__)
#pragma nv_exec_check_disable
#endif
  template <class T, std::size_t Columns>
  HD_INLINE row_of_columns<T, Columns> operator()(const row_of_columns<T, Columns>& a,
                                                  const row_of_columns<T, Columns>& b) const {
    return combine(a, b, std::make_index_sequence<Columns>());
  }

#if defined(__CUDACC__)
#pragma nv_exec_check_disable
#endif
  template <class Row, std::size_t... C>
  HD_INLINE Row combine(const Row& a, const Row& b, std::index_sequence<C...>) const {
    return {{op(a.column[C], b.column[C])...}};
  }
};

template <class T, std::size_t Columns>
HD_INLINE row_of_columns<T, Columns> canonical(row_of_columns<T, Columns> x) {
  HD_UNROLL
  for (std::size_t c = 0; c < Columns; ++c) x.column[c] = canonical(x.column[c]);
  return x;
}

}  // namespace heddle::order
