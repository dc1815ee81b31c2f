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

/// Differences of neighbours in `lines` of a block, with the elements before each line; see
/// cpu::adjacent_difference.
using differences_of_block =
    function_ref<void(const void* x, const axis_lines& lines, const void* before, void* out)>;

/// adjacent_difference of elements of a type, flat if `along` is null. `out` has the blocks of x and may be
/// x.
void difference_over_ranks(const ranks& all, const char* type, const block_to_read& x, const axis* along,
                           const block_to_fill& out, differences_of_block of_block);
/// The same by minus on a built-in type.
void library_difference_over_ranks(const ranks& all, dtype type, const block_to_read& x, const axis* along,
                                   const block_to_fill& out);

inline namespace HD_BUILD {

/// adjacent_difference into an array of the same blocks, flat if `along_axis` is null.
template <element T, class Op>
void difference_existing_over_ranks(const ranks& all, distributed_array<T>& out,
                                    const distributed_array<T>& x, const axis* along_axis, const Op& op) {
  check_ranks("adjacent_difference", all, x.all());
  check_same_blocks("adjacent_difference", out, x);
  const block_to_read from = to_read(all, x);
  const block_to_fill to = to_fill(all, out);
  if constexpr (!takes_neighbours<T, Op>) {
    check_operator<T, Op>();
  } else if constexpr (library_subtracts<T, Op>) {
    library_difference_over_ranks(all, dtype_of<T>, from, along_axis, to);
  } else {
    difference_over_ranks(
        all, type_name<T>(), from, along_axis, to,
        [&](const void* elements, const axis_lines& lines, const void* before, void* differences) {
          difference_array<T>(all.where(), static_cast<const T*>(elements), lines, op,
                              static_cast<const T*>(before), static_cast<T*>(differences));
        });
  }
  order(all.where(), out.local().where());
}
template <element T, class Op = minus>
void difference_into_over_ranks(const ranks& all, distributed_array<T>& out, const distributed_array<T>& x,
                                const Op& op = {}) {
  difference_existing_over_ranks(all, out, x, nullptr, op);
}
template <element T, class Op = minus>
void difference_into_over_ranks(const ranks& all, distributed_array<T>& out, const distributed_array<T>& x,
                                axis along, const Op& op = {}) {
  difference_existing_over_ranks(all, out, x, &along, op);
}
template <element T, class... AlongAndOp>
distributed_array<T> difference_new_over_ranks(const ranks& all, const distributed_array<T>& x,
                                               const AlongAndOp&... how) {
  check_ranks("adjacent_difference", all, x.all());
  distributed_array<T> out(all, x.shape(), x.begins());
  difference_into_over_ranks(all, out, x, how...);
  return out;
}

template <element T, class Op>
distributed_array<T> reduce_along_over_ranks(const ranks& all, const distributed_array<T>& x, axis along,
                                             const Op& op) {
  const std::size_t a = x.shape().resolve_axis(along.index);
  // Every rank gets the same result of no elements, or the same error, also a rank without results.
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
