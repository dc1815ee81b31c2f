#pragma once

#include <heddle/array.hpp>
#include <heddle/cuda/launch.cuh>
#include <heddle/cuda/reduce_columns.cuh>
#include <heddle/cuda/reduce_granules.cuh>
#include <heddle/cuda/scan_at_once.cuh>
#include <heddle/cuda/scan_columns.cuh>
#include <heddle/cuda/scan_columns_in_turn.cuh>
#include <heddle/cuda/scan_in_turn.cuh>
#include <heddle/cuda/scan_strips.cuh>
#include <heddle/cuda/scan_tile.cuh>
#include <heddle/elementwise.hpp>
#include <heddle/grouping.hpp>

#include <cstddef>

/// Scan on a GPU. Flat arrays and long rows take one launch that reads once and writes once: up to a few
/// million elements all tiles at once, and beyond that tiles in turn. Many rows that a block can hold have a
/// block each. Short rows are scanned several at a time by a warp. Long columns, where their rows are short,
/// are tiles in turn too; others are scanned by threads that go down them, or, where they are few, down
/// strips of them, whose totals are found first.
///
/// The bits depend on the number of elements, their type, the kind of GPU and nothing that happens at run
/// time: what lanes have is combined by shuffles in rows of 32, rows and warps of a tile and a group of 32 to
/// 128 tiles likewise, and totals of groups in groups of 32; what rows of a few long columns have, by threads
/// that go down them, as scan_columns_in_turn.cuh says.
namespace heddle::cuda {

/// Elements of a row that a warp scans one after another where no granules hold them.
inline constexpr std::size_t short_row_of_large = 2048;

/// Whether rows are scanned several to a warp. Those of one and two bytes an element are faster with a block
/// to a row from 2 KiB on, whose tiles are granules.
template <class T, class Op>
bool is_short_row(std::size_t length) {
  if constexpr (sizeof(T) > 16) return length < short_row_of_large;
  return length * sizeof(T) < (sizeof(T) <= 2 && tiles_are_granules<T, Op> ? 2048 : 8192);
}

template <class T, class Op>
void scan_long_rows(const target& where, const T* x, const Op& op, segments all, bool exclusive,
                    const T* init, T* out) {
  scan_work<T, Op> work{x, out, op, all.count(), all.length, 1, 0, 0, exclusive, init != nullptr, {}, {}};
  if (init != nullptr) memcpy(static_cast<void*>(&work.init), init, sizeof(T));
  if constexpr (at_once_tuning<T>::fits) {
    at_once_shape shape = shape_at_once<T>(work.rows, work.places());
    if (shape.warps == 0) shape = shape_row_by_row<T>(work.rows, work.places());
    if (shape.warps > 0) return launch_scan_at_once(where, work, shape);
  }
  launch_scan_in_turn(where, work);
}

template <class T>
grouping::uninitialized<strip_prefixes<T>, 1> prefix_of_first(const T* init) {
  grouping::uninitialized<strip_prefixes<T>, 1> before;
  before[0].prefixes = nullptr;
  before[0].first_has_one = before[0].has_init = init != nullptr;
  if (init != nullptr) memcpy(&before[0].init, init, sizeof(T));
  return before;
}

template <class T, class Op>
void scan_rows_of(const target& where, const T* x, const Op& op, segments all, bool exclusive, const T* init,
                  T* out) {
  if (!is_short_row<T, Op>(all.length) || all.count() == 1)
    return scan_long_rows(where, x, op, all, exclusive, init, out);
  const auto before = prefix_of_first(init);
  if constexpr (sizeof(T) <= 16) {
    const rows_for_warps shape = share_rows<T>(all.count(), all.length);
    scan_short_rows<<<grid_for_rows(shape), rows_in_packs_threads, 0, where.stream()>>>(
        x, op, shape, exclusive, before[0], out);
  } else {
    const grouping::tiling rows{all, short_row_of_large, 1};
    const unsigned grid = grid_for(rows.pieces(), scan_threads / warp_size);
    scan_rows<T><<<grid, scan_threads, 0, where.stream()>>>(detail::element_at<T, Op>{x}, op, rows, exclusive,
                                                            before[0], out);
  }
  check(cudaGetLastError(), "launch of a scan of rows");
}

template <class T, class Op>
void scan(const target& where, const T* x, const Op& op, segments all, bool exclusive, const T* init, T* out);

template <class Columns, class T, class Op>
void scan_columns_by(const target& where, const T* x, const Op& op, segments all, bool exclusive,
                     const T* init, T* out) {
  constexpr bool by_granules = folds_granules<T, Op> && Columns::fill_granules;
  // Shorter ones take as long as the launches that finding their strips' totals adds.
  constexpr std::size_t short_column = by_granules ? 8 * rows_worth_a_thread : grouping::tile<T, Op>;
  std::size_t strip = all.length;
  auto before = prefix_of_first(init);
  detail::memory held;
  const strips_of_columns<Columns> whole(all, all.length, scan_down_threads);
  if (whole.strips() < least_strips && all.length > short_column) {
    strip = by_granules ? rows_of_strip<T>(all) : grouping::tile<T, Op>;
    const segments strips = strips_of_columns<Columns>(all, strip, scan_down_threads).totals();
    held = detail::memory(strips.elements() * sizeof(T), where);
    T* const totals = static_cast<T*>(held.data());
    if constexpr (by_granules) {
      launch_fold_granules<Columns>(where, x, op, all, strip, totals);
    } else {
      fold_long_columns(where, detail::element_at<T, Op>{x}, op, {all, strip, warp_size}, totals);
    }
    scan(where, totals, op, strips, true, init, totals);
    before[0].prefixes = totals;
  }
  strips_of_columns<Columns> shape(all, strip, scan_down_threads);
  auto kernel = scan_down<false, Columns, T, Op>;
  if constexpr (sizeof(T) <= 16) {
    if (all.length <= few_rows_to_scan) {
      kernel = scan_down<true, Columns, T, Op>;
    } else {
      shape = strips_to_scan_down<Columns>(all, strip);
    }
  }
  kernel<<<grid_for(shape.strips(), shape.lanes), scan_down_threads, 0, where.stream()>>>(
      x, op, shape, exclusive, before[0], out);
  check(cudaGetLastError(), "launch of scan_down");
}

/// Scans each of `all` segments of x into `out`, which may be x, on the GPU's stream. `init` is on the CPU;
/// null for none, and then the first output of an exclusive scan means nothing.
template <class T, class Op>
void scan(const target& where, const T* x, const Op& op, segments all, bool exclusive, const T* init,
          T* out) {
  if (all.elements() == 0) return;
  const current_device on(where);
  if (all.length == 1 && !exclusive && init == nullptr && !detail::is_logical<Op>) {
    if (x != out) detail::copy(out, where, x, where, all.elements() * sizeof(T));
    return;
  }
  if (all.inner == 1) return scan_rows_of(where, x, op, all, exclusive, init, out);
  if constexpr (scans_columns_in_turn<T>) {
    if (are_few_columns<T>(all)) return launch_scan_columns_in_turn(where, x, op, all, exclusive, init, out);
  }
  if constexpr (packs_are_granules<T>) {
    if (are_granules(x, out, all))
      return scan_columns_by<columns_of_granule<T>>(where, x, op, all, exclusive, init, out);
  }
  // Not in place, where lanes would read what others have written; and in place the same bits are asked for.
  if constexpr (grouping::order_is_free<T, Op> && sizeof(T) <= 2) {
    if (x != out && all.inner * sizeof(T) >= least_shifted_row)
      return scan_columns_by<columns_of_shifted_granule<T>>(where, x, op, all, exclusive, init, out);
  }
  scan_columns_by<columns_by_elements<T>>(where, x, op, all, exclusive, init, out);
}

}  // namespace heddle::cuda
