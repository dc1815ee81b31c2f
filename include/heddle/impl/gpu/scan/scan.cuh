#pragma once

#include <heddle/array.hpp>
#include <heddle/impl/elementwise.hpp>
#include <heddle/impl/gpu/arch/launch.cuh>
#include <heddle/impl/gpu/reduce/reduce_columns.cuh>
#include <heddle/impl/gpu/reduce/reduce_vectors.cuh>
#include <heddle/impl/gpu/scan/lookahead_scan.cuh>
#include <heddle/impl/gpu/scan/scan_columns.cuh>
#include <heddle/impl/gpu/scan/short_rows_scan.cuh>
#include <heddle/impl/gpu/scan/small_scan.cuh>
#include <heddle/impl/gpu/scan/striped_tile.cuh>
#include <heddle/impl/gpu/scan/tall_columns_scan.cuh>
#include <heddle/impl/order.hpp>

#include <cstddef>

/// Scan on a GPU.
///
///   flat, up to a few million elements   small_scan
///   flat, more, and long rows            lookahead_scan
///   many rows that a block can hold      small_scan, a block for each row
///   short rows                           scan_short_rows, several rows to a warp
///   few long columns                     tall_columns_scan
///   other columns                        scan_down; few of them are cut into parts, which are reduced first
///
/// All read and write memory once, but for columns that are cut. The bits depend on the number of elements,
/// their type and the kind of GPU, and on nothing that happens at run time. Lanes are combined by shuffles in
/// rows of 32, and so are rows and warps of a tile and groups of 32 to 128 tiles; totals of groups are
/// combined in groups of 32; rows of few long columns as tall_columns_scan.cuh says.
namespace heddle::gpu {

/// Whether rows are scanned several to a warp. Those of one and two bytes an element are faster with a block
/// to a row from 2 KiB on, whose tiles begin at multiples of 16 bytes.
template <class T, class Op>
bool is_short_row(std::size_t length) {
  if constexpr (sizeof(T) > 16) return length < 2048;
  return length * sizeof(T) < (sizeof(T) <= 2 && tiles_are_vectors<T, Op> ? 2048 : 8192);
}

template <class T, class Op>
void scan_long_rows(const target& where, const T* x, const Op& op, segments all, bool exclusive,
                    const T* init, T* out) {
  scan_work<T, Op> work{x, out, op, all.count(), all.length, 1, 0, 0, exclusive, init != nullptr, {}, {}};
  if (init != nullptr) memcpy(static_cast<void*>(&work.init), init, sizeof(T));
  if constexpr (small_scan_tuning<T>::fits) {
    small_scan_shape shape = shape_of_small_scan<T>(work.rows, work.places());
    if (shape.warps == 0) shape = shape_row_by_row<T>(work.rows, work.places());
    if (shape.warps > 0) return launch_small_scan(where, work, shape);
  }
  launch_lookahead_scan(where, work);
}

template <class T, class Op>
void launch_short_rows_scan(const target& where, const T* x, const Op& op, segments all, bool exclusive,
                            const T* init, T* out) {
  const rows_for_warps shape = share_rows<T>(all.count(), all.length);
  scan_short_rows<<<grid_for_rows(shape), rows_in_vectors_threads, 0, where.stream()>>>(
      x, op, shape, exclusive, prefix_of_first(init)[0], out);
  check(cudaGetLastError(), "launch of scan_short_rows");
}

template <class T, class Op>
void scan(const target& where, const T* x, const Op& op, segments all, bool exclusive, const T* init, T* out);

template <class Columns, class T, class Op>
void scan_columns_by(const target& where, const T* x, const Op& op, segments all, bool exclusive,
                     const T* init, T* out) {
  constexpr bool by_vectors = reduces_vectors<T, Op> && Columns::fill_vec16;
  // Shorter ones take as long as the launches that finding their strips' totals adds.
  constexpr std::size_t short_column =
      by_vectors ? 8 * reduce_vectors_tuning::rows_per_thread : order::tile<T, Op>;
  std::size_t strip = all.length;
  auto before = prefix_of_first(init);
  memory held;
  const column_tiling<Columns> whole(all, all.length, scan_down_threads);
  if (whole.strips() < least_strips && all.length > short_column) {
    strip = by_vectors ? rows_of_part<T>(all) : order::tile<T, Op>;
    const segments strips = column_tiling<Columns>(all, strip, scan_down_threads).totals();
    held = memory(strips.elements() * sizeof(T), where);
    T* const totals = static_cast<T*>(held.data());
    if constexpr (by_vectors) {
      reduce_vectors(where, x, op, all, strip, totals);
    } else {
      reduce_tiles_of_columns(where, impl::element_at<T, Op>{x}, op, all, totals);
    }
    scan(where, totals, op, strips, true, init, totals);
    before[0].prefixes = totals;
  }
  column_tiling<Columns> shape(all, strip, scan_down_threads);
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
  if (all.length == 1 && !exclusive && init == nullptr && !impl::is_logical<Op>) {
    if (x != out) heddle::copy(out, where, x, where, all.elements() * sizeof(T));
    return;
  }
  if (all.inner == 1) {
    return is_short_row<T, Op>(all.length) && all.count() > 1
               ? launch_short_rows_scan(where, x, op, all, exclusive, init, out)
               : scan_long_rows(where, x, op, all, exclusive, init, out);
  }
  if constexpr (scans_tall_columns<T>) {
    if (are_few_columns<T>(all)) return launch_tall_columns_scan(where, x, op, all, exclusive, init, out);
  }
  if constexpr (vectors_are_16_bytes<T>) {
    if (are_vectors(x, out, all))
      return scan_columns_by<vector_columns<T>>(where, x, op, all, exclusive, init, out);
  }
  scan_columns_by<element_columns<T>>(where, x, op, all, exclusive, init, out);
}

}  // namespace heddle::gpu
