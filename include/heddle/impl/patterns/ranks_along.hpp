#pragma once

#include <heddle/array.hpp>
#include <heddle/compiler.hpp>
#include <heddle/distributed_array.hpp>
#include <heddle/dtype.hpp>
#include <heddle/error.hpp>
#include <heddle/impl/distributed/blocks.hpp>
#include <heddle/impl/distributed/elements.hpp>
#include <heddle/impl/patterns/adjacent_difference/front.hpp>
#include <heddle/impl/patterns/sort/ranks.hpp>
#include <heddle/memory.hpp>
#include <heddle/ranks.hpp>
#include <heddle/reduce.hpp>
#include <heddle/runtime_op.hpp>
#include <heddle/shape.hpp>
#include <heddle/sort.hpp>
#include <heddle/support/function_ref.hpp>

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace heddle::impl {

/// The shape and the blocks of an array with a value for each index along all axes but one.
struct rest_of_axes {
  shape lengths;
  std::vector<std::size_t> begins;
};
/// Along the slowest axis the blocks are even; otherwise they are those of x. Throws for an array of one
/// axis.
rest_of_axes without_axis(const char* pattern, const ranks& all, const shape& whole,
                          const std::vector<std::size_t>& begins, std::size_t axis);

/// Fills `out`, on the rank's target, with the values or the lines that a pattern makes of whole lines along
/// an axis of an array of shape `lengths`.
using pattern_on_lines =
    function_ref<void(const void* lines, const shape& lengths, heddle::axis of, void* out)>;
/// The same of one column, of which every rank has its own rows.
using pattern_on_column = function_ref<void(const void* own_rows, void* out)>;

/// Fills `result` with a value for each index along all axes but axis `a`. Along the slowest axis each rank
/// gets whole columns, as many as others. With fewer columns than ranks, all ranks make the value of one
/// column after another, which `of_column` writes to the CPU.
void values_along(const ranks& all, const block_to_read& x, std::size_t a, const block_to_fill& result,
                  pattern_on_lines of_lines, pattern_on_column of_column);

/// Fills an array of the blocks of x, whose lines along axis `a` are made of those of x. Along the slowest
/// axis each rank gets whole columns, or all ranks make the rows of one column after another. If the elements
/// have one size, `of_lines` may be called with out = lines, unless that is one block.
void lines_along(const ranks& all, const block_to_read& x, std::size_t a, const block_to_fill& result,
                 pattern_on_lines of_lines, pattern_on_column of_column);

/// Reduces along an axis by a built-in operator.
void library_reduce_along(const ranks& all, runtime_op op, dtype type, const block_to_read& x, std::size_t a,
                          const block_to_fill& result);

/// argmin or argmax of each line; `op` is minimum or maximum.
distributed_array<std::size_t> arg_along_over_ranks(const char* pattern, const ranks& all, runtime_op op,
                                                    dtype type, const block_to_read& x, axis along);

/// The last bytes of the nearest earlier block that has rows, on the target of this rank. Empty if no earlier
/// block has rows. Every rank calls it.
inline memory last_bytes_before(const ranks& all, const block_to_read& x, std::size_t bytes) {
  const auto has_rows = [&](int rank) { return x.rows(rank) > 0; };
  if (!has_rows(all.rank())) {
    all.between().send_receive({}, {}, all.where());
    return {};
  }
  int before = all.rank() - 1, after = all.rank() + 1;
  while (before >= 0 && !has_rows(before)) --before;
  while (after < all.size() && !has_rows(after)) ++after;
  memory received(before >= 0 ? bytes : 0, all.where());
  const std::size_t own = x.rows(all.rank()) * row_elements(x.shape) * x.element_bytes;
  const outgoing to_next{after, static_cast<const std::byte*>(x.data) + own - bytes, bytes};
  const incoming from_last{before, received.data(), bytes};
  all.between().send_receive(std::span(&to_next, after < all.size() ? std::size_t{1} : 0),
                             std::span(&from_last, before >= 0 ? std::size_t{1} : 0), all.where());
  return received;
}

inline namespace HD_BUILD {

/// adjacent_difference flat, or along an axis unless that is null.
template <element T, class Op>
distributed_array<T> difference_along_over_ranks(const ranks& all, const distributed_array<T>& x,
                                                 const axis* along_axis, const Op& op) {
  check_ranks("adjacent_difference", all, x.all());
  operation running("adjacent_difference", x.size(), type_name<T>());
  running.runs_on(all.where());
  const std::size_t a = along_axis == nullptr ? 0 : x.shape().resolve_axis(along_axis->index);
  distributed_array<T> result(all, x.shape(), x.begins());
  if (x.size() == 0) return result;
  const block_to_read from = to_read(all, x);
  const std::size_t row = along_axis == nullptr ? 1 : row_elements(x.shape());
  axis_lines lines = along(x.local().shape(), a);
  memory before;
  if (a == 0) {
    // Only in C order or along the slowest axis can neighbours be on different ranks.
    before = last_bytes_before(all, from, row * sizeof(T));
    lines = {1, x.local().size() / row, row};
  }
  difference_array<T>(all.where(), static_cast<const T*>(from.data), lines, op,
                      static_cast<const T*>(before.data()), static_cast<T*>(to_fill(all, result).data));
  order(all.where(), result.local().where());
  return result;
}
template <element T, class Op>
auto difference_checked_over_ranks(const ranks& all, const distributed_array<T>& x, const axis* along_axis,
                                   const Op& op) {
  if constexpr (takes_neighbours<T, Op>) {
    return difference_along_over_ranks(all, x, along_axis, op);
  } else {
    check_operator<T, Op>();
    return any_result();
  }
}
template <element T, class Op = minus>
auto difference_over_ranks(const ranks& all, const distributed_array<T>& x, const Op& op = {}) {
  return difference_checked_over_ranks(all, x, nullptr, op);
}
template <element T, class Op = minus>
auto difference_over_ranks(const ranks& all, const distributed_array<T>& x, axis along, const Op& op = {}) {
  return difference_checked_over_ranks(all, x, &along, op);
}

template <element T, class Op>
distributed_array<T> reduce_along_over_ranks(const ranks& all, const distributed_array<T>& x, axis along,
                                             const Op& op) {
  const std::size_t a = x.shape().resolve_axis(along.index);
  // What nothing combines to, or the error, is the same on every rank, also on those without results.
  if (x.shape()[a] == 0 && x.shape().without_axis(a).elements() > 0)
    static_cast<void>(heddle::reduce(target(), array<T>(0), op));
  rest_of_axes rest = without_axis("reduce", all, x.shape(), x.begins(), a);
  distributed_array<T> result(all, std::move(rest.lengths), std::move(rest.begins));
  if constexpr (library_combines<T, Op>()) {
    library_reduce_along(all, function_of<Op>, dtype_of<T>, to_read(all, x), a, to_fill(all, result));
  } else {
    values_along(
        all, to_read(all, x), a, to_fill(all, result),
        [&](const void* lines, const shape& lengths, axis of, void* out) {
          const array_view<const T> from(static_cast<const T*>(lines), lengths, all.where());
          const shape results = lengths.without_axis(static_cast<std::size_t>(of.index));
          reduce_into(all.where(), array_view<T>(static_cast<T*>(out), results, all.where()), from, of, op);
        },
        [&](const void* own_rows, void* value) {
          const auto me = static_cast<std::size_t>(all.rank());
          const std::size_t first = x.begins()[me], rows = x.begins()[me + 1] - first;
          const array_view<const T> own(static_cast<const T*>(own_rows), shape{rows}, all.where());
          *static_cast<T*>(value) = reduce_over_ranks<T>(all, own, first, x.shape()[0], op);
        });
  }
  return result;
}

/// The rows of a column that this rank has, as an array.
template <class T>
distributed_array<T> column_of(const ranks& all, const distributed_array<T>& x, const void* own_rows) {
  distributed_array<T> column(all, shape{x.shape()[0]}, x.begins());
  const array_view<const T> own(static_cast<const T*>(own_rows), column.local().shape(), all.where());
  if (own.size() > 0) column.local().copy_from(own);
  return column;
}
template <class T>
void rows_of_column(const ranks& all, const distributed_array<T>& made, void* own_rows) {
  const array_view<T> own(static_cast<T*>(own_rows), made.local().shape(), all.where());
  if (own.size() > 0) own.copy_from(made.local());
}

template <element T, class Order>
distributed_array<T> sort_along_over_ranks(const ranks& all, const distributed_array<T>& x, axis along,
                                           const Order& order) {
  const std::size_t a = x.shape().resolve_axis(along.index);
  if (x.shape().axes() == 1) return sort_over_ranks(all, x, order).redistributed(x.begins());
  distributed_array<T> result(all, x.shape(), x.begins());
  lines_along(
      all, to_read(all, x), a, to_fill(all, result),
      [&](const void* lines, const shape& lengths, axis of, void* out) {
        sort_into(all.where(), array_view<T>(static_cast<T*>(out), lengths, all.where()),
                  array_view<const T>(static_cast<const T*>(lines), lengths, all.where()), of, order);
      },
      [&](const void* own_rows, void* out) {
        rows_of_column(
            all, sort_over_ranks(all, column_of(all, x, own_rows), order).redistributed(x.begins()), out);
      });
  return result;
}

template <element T, class Order>
distributed_array<std::size_t> argsort_over_ranks(const ranks& all, const distributed_array<T>& x,
                                                  const Order& order) {
  const array<std::size_t> places = places_of_block(x);
  return sort_by_key_over_ranks<T, std::size_t>("argsort", all, x.local().reshaped({x.local().size()}),
                                                places.view(), x.size(), order)
      .second;
}

template <element T, class Order>
distributed_array<std::size_t> argsort_along_over_ranks(const ranks& all, const distributed_array<T>& x,
                                                        axis along, const Order& order) {
  const std::size_t a = x.shape().resolve_axis(along.index);
  if (x.shape().axes() == 1) return argsort_over_ranks(all, x, order).redistributed(x.begins());
  distributed_array<std::size_t> result(all, x.shape(), x.begins());
  lines_along(
      all, to_read(all, x), a, to_fill(all, result),
      [&](const void* lines, const shape& lengths, axis of, void* out) {
        const array<std::size_t> indices = argsort(
            all.where(), array_view<const T>(static_cast<const T*>(lines), lengths, all.where()), of, order);
        copy(out, all.where(), indices.data(), all.where(), indices.size() * sizeof(std::size_t));
      },
      [&](const void* own_rows, void* out) {
        rows_of_column(
            all, argsort_over_ranks(all, column_of(all, x, own_rows), order).redistributed(x.begins()), out);
      });
  return result;
}

}  // namespace HD_BUILD

}  // namespace heddle::impl
