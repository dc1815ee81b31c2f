#pragma once

#include <heddle/compiler.hpp>
#include <heddle/impl/core/order.hpp>
#include <heddle/impl/gpu/arch/launch.cuh>

#include <algorithm>
#include <bit>
#include <cstddef>

/// The numbers that reductions on a GPU are tuned by: those that were fastest on an H200. None of them
/// changes a result.
namespace heddle::gpu {

/// Whether the elements of a column may be combined in any order: the result has the same bits.
template <class T, class Op>
inline constexpr bool columns_in_any_order =
    order::order_is_free<T, Op> || requires { requires Op::any_order; };

template <class T, class Op>
struct reduce_tuning {
  // reduce_whole, of a flat array. Blocks are those that a multiprocessor holds.
  static constexpr unsigned whole_threads = 256, whole_blocks = 3, whole_tiles_per_warp = 3;
  /// Results of tiles that one block gathers in shared memory: at most a tile of them.
  static constexpr std::size_t gathered_results = std::min(order::tile<T, Op>, std::size_t{8192} / sizeof(T));

  // reduce_rows gives a warp to a tile; reduce_short_rows several rows of so many bytes at most to a warp.
  static constexpr unsigned rows_threads = 256;
  static constexpr unsigned short_rows_threads = 128, short_rows_blocks = sizeof(T) <= 8 ? 9 : 1;
  static constexpr std::size_t short_row_bytes = 2048;

  // reduce_columns: elements that a thread loads before it combines one, the most threads that share a
  // column, and those of a block of which a warp reads 32 neighbouring columns.
  static constexpr bool striped = order::striped<T, Op>, any_order = columns_in_any_order<T, Op>;
  static constexpr unsigned accumulators = static_cast<unsigned>(order::accumulators<T, Op>);
  static constexpr unsigned column_items = sizeof(T) > 16 ? 1 : any_order && sizeof(T) <= 2 ? 16 : 8;
  static constexpr unsigned threads_per_column = sizeof(T) > 128 ? 1
                                                 : sizeof(T) > 16 || any_order || !striped
                                                     ? 8
                                                     : std::min(16u, accumulators / column_items);
  /// Short columns have a thread each, and so have many, which fill a GPU. A thread loads more of them at
  /// once where the order of accumulators allows it.
  static constexpr std::size_t short_column = 32, many_columns = std::size_t{1} << (any_order ? 18 : 17);
  static constexpr unsigned many_columns_items = 16;
  /// Levels of the tree in which a thread combines groups of `items` accumulators.
  static constexpr unsigned levels(unsigned items) {
    const unsigned groups = items == many_columns_items ? accumulators / items
                            : striped                   ? accumulators / items / threads_per_column
                                                        : accumulators / threads_per_column;
    return groups < 2 ? 0 : std::bit_width(groups) - 1;
  }
  /// Threads of a block, of which each warp reads neighbouring columns, and blocks that a multiprocessor
  /// holds at least: registers suffice for no more.
  static HD_INLINE constexpr unsigned column_threads(unsigned items, bool several_rows) {
    return items == column_items && several_rows && threads_per_column > 8 ? 512 : 256;
  }
  static constexpr unsigned column_blocks(unsigned items, bool several_rows) {
    if (any_order) return sizeof(T) > 8 ? 3 : sizeof(T) == 8 ? 4 : column_items == 8 ? 6 : 5;
    if (items == many_columns_items) return sizeof(T) > 8 ? 2 : several_rows || sizeof(T) > 4 ? 4 : 5;
    if (sizeof(T) > 8) return 1;
    if (!several_rows) return sizeof(T) > 4 ? 6 : 8;
    return column_threads(items, true) > 256 ? 2 : 3;
  }
};

/// Columns of 1- and 2-byte integers, in vectors of 16 bytes.
struct reduce_vectors_tuning {
  /// Threads that keep a GPU's memory busy, and rows that are worth one.
  static constexpr std::size_t threads = std::size_t{1} << 16, rows_per_thread = 64;
  /// Several rows are taken as one where a row has fewer bytes than the first, until they have the second.
  static constexpr std::size_t short_row = 1024, long_row = 4096;
  /// Rows of several that are taken as one, at least, so that results are few beside elements.
  static constexpr std::size_t rows_of_several = 8;
};

}  // namespace heddle::gpu
