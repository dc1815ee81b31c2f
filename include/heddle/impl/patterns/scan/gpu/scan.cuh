#pragma once

#include <heddle/array.hpp>
#include <heddle/impl/core/elementwise.hpp>
#include <heddle/impl/core/order.hpp>
#include <heddle/impl/gpu/arch/launch.cuh>
#include <heddle/impl/patterns/reduce/gpu/reduce_columns.cuh>
#include <heddle/impl/patterns/reduce/gpu/reduce_vectors.cuh>
#include <heddle/impl/patterns/scan/gpu/lookahead_scan.cuh>
#include <heddle/impl/patterns/scan/gpu/scan_columns.cuh>
#include <heddle/impl/patterns/scan/gpu/short_rows_scan.cuh>
#include <heddle/impl/patterns/scan/gpu/small_scan.cuh>
#include <heddle/impl/patterns/scan/gpu/striped_tile.cuh>
#include <heddle/impl/patterns/scan/gpu/tall_columns_scan.cuh>

#include <algorithm>
#include <cstddef>

/// Scan on a GPU.
///
///   flat, up to a few million elements   small_scan
///   flat, more, and long rows            lookahead_scan
///   many rows that a block can hold      small_scan, a block for each row
///   short rows                           scan_short_rows, several rows to a warp
///   2 to 4 columns, where order matters  as rows of elements that are 2 to 4 numbers
///   few long columns, or panels of them  tall_columns_scan
///   other columns                        scan_down; few of them are cut into parts, which are reduced first
///
/// All read and write memory once, but for columns that are cut. The bits are those of scan_order.hpp.
namespace heddle::gpu {

/// Whether rows are scanned several to a warp. Those of one and two bytes an element are faster with a block
/// to a row from 2 KiB on, whose tiles begin at multiples of 16 bytes.
template <class T, class Op>
bool is_short_row(std::size_t length) {
  if constexpr (sizeof(T) <= 2 && tiles_are_vectors<T, Op>) return length * sizeof(T) < 2048;
  return length < short_rows_tuning<T, Op>::long_row;
}

template <class T, class Op>
void scan_long_rows(const target& where, const T* x, const Op& op, axis_lines all, bool exclusive,
                    const T* init, T* out) {
  scan_work<T, Op> work{x, out, op, all.count(), all.length, 1, 0, 0, exclusive, init != nullptr, {}, {}};
  if (init != nullptr) memcpy(static_cast<void*>(&work.init), init, sizeof(T));
  if constexpr (small_scan_tuning<T>::fits) {
    small_scan_shape shape = shape_of_small_scan<T>(work.rows, work.padded_length());
    if (shape.warps == 0) shape = shape_row_by_row<T>(work.rows, work.padded_length());
    if (shape.warps > 0) return launch_small_scan(where, work, shape);
  }
  launch_lookahead_scan(where, work);
}

template <class T, class Op>
void launch_short_rows_scan(const target& where, const T* x, const Op& op, axis_lines all, bool exclusive,
                            const T* init, T* out) {
  constexpr unsigned threads = short_rows_tuning<T, Op>::threads;
  const rows_for_warps shape = share_rows<T>(all.count(), all.length);
  scan_short_rows<<<grid_for_rows(shape, threads), threads, 0, where.stream()>>>(
      x, op, shape, exclusive, prefix_of_first(init)[0], out);
  check(cudaGetLastError(), "launch of scan_short_rows");
}

template <class T, class Op>
void scan_rows(const target& where, const T* x, const Op& op, axis_lines all, bool exclusive, const T* init,
               T* out) {
  return is_short_row<T, Op>(all.length) && all.count() > 1
             ? launch_short_rows_scan(where, x, op, all, exclusive, init, out)
             : scan_long_rows(where, x, op, all, exclusive, init, out);
}

/// Scans `Columns` columns as one row whose elements are rows of x. Returns false where such elements have
/// another order, and for operators that the library does not have, which are not worth the time to compile.
template <unsigned Columns, class T, class Op>
bool scan_few_columns(const target& where, const T* x, const Op& op, axis_lines all, bool exclusive,
                      const T* init, T* out) {
  using row = order::row_of_columns<T, Columns>;
  if constexpr (!order::any_scan_order<T, Op> && impl::is_number<T> && !impl::is_logical<Op> &&
                impl::library_combines<T, Op>() && order::scan_vector<row> == order::scan_vector<T>) {
    row first;
    if (init != nullptr) std::fill_n(first.column, Columns, *init);
    scan_rows(where, reinterpret_cast<const row*>(x), order::on_columns<Op>{op}, {all.outer, all.length, 1},
              exclusive, init != nullptr ? &first : nullptr, reinterpret_cast<row*>(out));
    return true;
  }
  return false;
}

template <class T, class Op>
void scan(const target& where, const T* x, const Op& op, axis_lines all, bool exclusive, const T* init,
          T* out);

template <bool FewRows, class Columns, class T, class Op>
void launch_scan_down(const target& where, const T* x, const Op& op, const column_tiling<Columns>& shape,
                      bool exclusive, bool totals_only, const segment_prefixes<T>& before, T* out) {
  scan_down<FewRows><<<grid_for(shape.thread_parts(), shape.width), scan_down_threads, 0, where.stream()>>>(
      x, op, shape, exclusive, totals_only, before, out);
  check(cudaGetLastError(), "launch of scan_down");
}

template <class Columns, class T, class Op>
void scan_columns_by(const target& where, const T* x, const Op& op, axis_lines all, bool exclusive,
                     const T* init, T* out) {
  using tuning = scan_down_tuning<false, Columns, T, Op>;
  constexpr bool by_vectors = reduces_vectors<T, Op> && Columns::fill_vec16;
  auto before = prefix_of_first(init);
  if constexpr (sizeof(T) <= 16) {
    if (all.length <= few_rows_to_scan) {
      const column_tiling<Columns> whole(all, all.length, scan_down_threads);
      return launch_scan_down<true>(where, x, op, whole, exclusive, false, before[0], out);
    }
  }
  const std::size_t part_rows = [&] {
    if constexpr (tuning::in_order) {
      return rows_of_ordered_part<Columns, T, Op>(where, all);
    } else {
      // Shorter ones take as long as the launches that finding the totals of their parts adds.
      constexpr std::size_t short_column =
          by_vectors ? 8 * reduce_vectors_tuning::rows_per_thread : order::tile<T, Op>;
      const column_tiling<Columns> whole(all, all.length, scan_down_threads);
      if (whole.thread_parts() >= least_thread_parts || all.length <= short_column) return all.length;
      return by_vectors ? rows_of_part<T>(all) : order::tile<T, Op>;
    }
  }();
  column_tiling<Columns> shape(all, part_rows, scan_down_threads);
  if constexpr (sizeof(T) <= 16) shape = tiling_to_scan_down<Columns>(where, all, part_rows, tuning::rows);
  memory storage;
  if (part_rows < all.length) {
    const axis_lines parts = shape.totals();
    storage = memory(parts.elements() * sizeof(T), where);
    T* const totals = static_cast<T*>(storage.data());
    if constexpr (tuning::in_order) {
      launch_scan_down<false>(where, x, op, shape, false, true, prefix_of_first<T>(nullptr)[0], totals);
      find_prefixes_of_parts(where, totals, op, parts, before);
    } else {
      if constexpr (by_vectors) {
        reduce_vectors(where, x, op, all, part_rows, totals);
      } else {
        reduce_tiles_of_columns(where, impl::element_at<T, Op>{x}, op, all, totals);
      }
      scan(where, totals, op, parts, true, init, totals);
    }
    before[0].prefixes = totals;
  }
  launch_scan_down<false>(where, x, op, shape, exclusive, false, before[0], out);
}

/// Scans each of `all` segments of x into `out`, which may be x, on the GPU's stream. `init` is on the CPU;
/// null for none: then the first output of an exclusive scan is undefined.
template <class T, class Op>
void scan(const target& where, const T* x, const Op& op, axis_lines all, bool exclusive, const T* init,
          T* out) {
  if (all.elements() == 0) return;
  const current_device on(where);
  constexpr bool copies_bits = order::order_is_free<T, Op> && !impl::is_logical<Op>;
  if (copies_bits && all.length == 1 && !exclusive && init == nullptr) {
    if (x != out) heddle::copy(out, where, x, where, all.elements() * sizeof(T));
    return;
  }
  if (all.length == 1) all = {1, 1, all.count()};
  if (all.inner == 1) return scan_rows(where, x, op, all, exclusive, init, out);
  if ((all.inner == 2 && scan_few_columns<2>(where, x, op, all, exclusive, init, out)) ||
      (all.inner == 3 && scan_few_columns<3>(where, x, op, all, exclusive, init, out)) ||
      (all.inner == 4 && sizeof(T) < 8 && scan_few_columns<4>(where, x, op, all, exclusive, init, out)))
    return;
  if constexpr (scans_tall_columns<T, Op>) {
    if (are_few_columns<T, Op>(all))
      return launch_tall_columns_scan<false>(where, x, op, all, exclusive, init, out);
  }
  if constexpr (scans_panels<T, Op>) {
    if (are_panels<T, Op>(x, all))
      return launch_tall_columns_scan<true>(where, x, op, all, exclusive, init, out);
  }
  if constexpr (vectors_are_16_bytes<T>) {
    if (are_vectors(x, out, all))
      return scan_columns_by<vector_columns<T>>(where, x, op, all, exclusive, init, out);
  }
  scan_columns_by<element_columns<T>>(where, x, op, all, exclusive, init, out);
}

}  // namespace heddle::gpu
