#pragma once

#include <heddle/array.hpp>
#include <heddle/impl/core/elementwise.hpp>
#include <heddle/impl/core/order.hpp>
#include <heddle/impl/gpu/arch/launch.cuh>
#include <heddle/impl/patterns/reduce/gpu/reduce_columns.cuh>
#include <heddle/impl/patterns/reduce/gpu/reduce_flat.cuh>
#include <heddle/impl/patterns/reduce/gpu/reduce_rows.cuh>
#include <heddle/impl/patterns/reduce/gpu/reduce_short_rows.cuh>
#include <heddle/impl/patterns/reduce/gpu/reduce_vectors.cuh>
#include <heddle/impl/patterns/reduce/gpu/tuning.cuh>

#include <cstddef>
#include <type_traits>

/// Reduce on a GPU, in the order of order.hpp: which kernel a shape takes. A whole array takes one launch;
/// rows and columns take one for each level of tiles.
namespace heddle::gpu {

/// Reduces every tile of the segments to an element of `out`, in one launch.
template <class T, class Load, class Op>
void reduce_tiles(const target& where, const Load& load, const Op& op, const axis_lines& all, T* out) {
  if (all.inner > 1) return reduce_tiles_of_columns(where, load, op, all, out);
  const order::tiling tiles{all, order::tile<T, Op>, 1};
  if constexpr (std::is_same_v<Load, impl::element_at<T, Op>> && sizeof(T) <= 16) {
    if (all.length * sizeof(T) <= reduce_tuning<T, Op>::short_row_bytes && tiles.parts() == 1)
      return launch_reduce_short_rows(where, load.x, op, all.outer, all.length, out);
  }
  launch_reduce_rows(where, load, op, tiles, tiles.pieces(), out);
}

template <class T, class Load, class Op>
void reduce(const target& where, const Load& load, const Op& op, axis_lines all, T* out);

/// Reduces columns in vectors of 16 bytes: in one launch if there are many, and otherwise in at most one for
/// each factor of 64 in their length, or of 8 where axes come before it. Returns false, and does nothing,
/// where rows are not whole vectors.
template <class T, class Op>
bool reduce_by_vectors(const target& where, const T* x, const Op& op, const axis_lines& all, T* out) {
  const std::size_t as_one = rows_in_one<T>(all), rest = all.length % as_one;
  const axis_lines rows{all.outer, all.length / as_one, all.inner * as_one};
  const std::size_t part = rows_of_part<T>(rows), parts = (rows.length + part - 1) / part;
  const axis_lines partials{all.outer, parts * as_one + rest, all.inner};
  const bool is_last = partials.length == 1;
  if (!are_vectors(x, is_last ? out : nullptr, rows)) return false;
  if (is_last) {
    reduce_vectors(where, x, op, rows, part, out);
    return true;
  }
  const memory storage(partials.elements() * sizeof(T), where);
  T* const to = static_cast<T*>(storage.data());
  reduce_vectors(where, x, op, rows, part, to);
  const std::size_t reduced = rows.length * rows.inner;
  if (rest > 0)
    heddle::copy(to + parts * rows.inner, where, x + reduced, where, rest * all.inner * sizeof(T));
  reduce(where, impl::element_at<T, Op>{to}, op, partials, out);
  return true;
}

/// Reduces each of `all` segments of load(0), load(1), … to one element of `out`, on the GPU's stream. Reads
/// each input once; one launch when there is one segment, and otherwise one for each factor of `tile` in the
/// length, or what reduce_by_vectors() says.
template <class T, class Load, class Op>
void reduce(const target& where, const Load& load, const Op& op, axis_lines all, T* out) {
  if (all.count() == 0) return;
  const current_device on(where);
  if (all.count() == 1) return reduce_flat(where, load, op, all.length, out);
  if (all.length == 1) all = {1, 1, all.count()};  // as columns, of which a thread takes several
  if constexpr (reduces_vectors<T, Op> && std::is_same_v<Load, impl::element_at<T, Op>>) {
    if (all.inner > 1 && reduce_by_vectors(where, load.x, op, all, out)) return;
  }
  const axis_lines results = order::tiling{all, order::tile<T, Op>, 1}.results();
  if (results.length == 1) return reduce_tiles(where, load, op, all, out);
  const memory partials(results.elements() * sizeof(T), where);
  T* const to = static_cast<T*>(partials.data());
  reduce_tiles(where, load, op, all, to);
  reduce(where, impl::element_at<T, Op>{to}, op, results, out);
}

}  // namespace heddle::gpu
