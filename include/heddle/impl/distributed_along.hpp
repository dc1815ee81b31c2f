#pragma once

#include <heddle/array.hpp>
#include <heddle/compiler.hpp>
#include <heddle/distributed_array.hpp>
#include <heddle/dtype.hpp>
#include <heddle/error.hpp>
#include <heddle/impl/distributed.hpp>
#include <heddle/impl/distributed_sort.hpp>
#include <heddle/ranks.hpp>
#include <heddle/reduce.hpp>
#include <heddle/shape.hpp>
#include <heddle/sort.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace heddle::impl {

inline namespace HD_BUILD {

/// A value for each index along all axes but axis `a`, in new blocks along the slowest axis, or in those of
/// x. `of_lines(block, axis)` gives those of whole lines that are on this rank. Along the slowest axis each
/// rank gets whole columns, as many as others, or all ranks make the value of one column after another,
/// `of_column(column)`, where there are fewer columns than ranks.
template <element R, element T, class OfLines, class OfColumn>
distributed_array<R> values_along(const char* pattern, const ranks& all, const distributed_array<T>& x,
                                  std::size_t a, const OfLines& of_lines, const OfColumn& of_column) {
  if (x.shape().axes() == 1)
    fail(std::string(pattern) + ": an array of one axis has no other: take all of it, without an axis");
  const shape rest = x.shape().without_axis(a);
  if (a > 0) return {all, rest, x.begins(), of_lines(x.local(), axis{static_cast<std::ptrdiff_t>(a)})};
  const std::vector<std::size_t> blocks = even_blocks(rest, all.size());
  std::vector<std::size_t> columns;
  for (const std::size_t b : blocks) columns.push_back(b * row_elements(rest));
  distributed_array<R> result(all, rest, blocks);
  const array_view<R> own = result.local().reshaped({result.local().size()});
  if (are_few_columns(all, x.shape()) && x.size() > 0) {
    array<R> values(columns.back());
    for (std::size_t c = 0; c < values.size(); ++c)
      values.data()[c] = of_column(
          distributed_array<T>(all, shape{x.shape()[0]}, x.begins(), own_rows_of_column(all, x, c)));
    const auto me = static_cast<std::size_t>(all.rank());
    if (own.size() > 0) own.copy_from(values.slice(columns[me], columns[me + 1]));
    return result;
  }
  const array<T> whole_columns = columns_of_rank(all, x, columns);
  if (own.size() > 0) own.copy_from(of_lines(whole_columns.view(), axis{0}));
  return result;
}

template <element T, class Op>
distributed_array<T> reduce_along_over_ranks(const ranks& all, const distributed_array<T>& x, axis along,
                                             const Op& op) {
  const std::size_t a = x.shape().resolve_axis(along.index);
  // What nothing combines to, or the error, is the same on every rank, also on those without results.
  if (x.shape()[a] == 0 && x.shape().without_axis(a).elements() > 0)
    static_cast<void>(heddle::reduce(target(), array<T>(0), op));
  return values_along<T>(
      "reduce", all, x, a,
      [&](const array_view<const T>& lines, axis of) { return heddle::reduce(all.where(), lines, of, op); },
      [&](const distributed_array<T>& column) {
        return reduce_over_ranks<T>(all, column.local(), column.first_row(), column.size(), op);
      });
}

/// argmin or argmax of each line: `arg(where, x)` of all elements, and `arg(where, x, axis)`.
template <element T, class Arg>
distributed_array<std::size_t> arg_along_over_ranks(const char* pattern, const ranks& all,
                                                    const distributed_array<T>& x, axis along,
                                                    const Arg& arg) {
  const std::size_t a = x.shape().resolve_axis(along.index);
  // Of nothing every rank throws, also those without lines.
  if (x.shape()[a] == 0) static_cast<void>(arg(target(), array<T>(0)));
  return values_along<std::size_t>(
      pattern, all, x, a,
      [&](const array_view<const T>& lines, axis of) { return arg(all.where(), lines, of); },
      [&](const distributed_array<T>& column) { return arg_over_ranks(all, column, arg); });
}

/// An array of the blocks of x whose lines along an axis are made of those of x: `of_lines(block, axis)`
/// makes lines that are whole on this rank, and `of_column(column)` one that is distributed.
template <element R, element T, class OfLines, class OfColumn>
distributed_array<R> lines_along(const ranks& all, const distributed_array<T>& x, axis along,
                                 const OfLines& of_lines, const OfColumn& of_column) {
  const std::size_t a = x.shape().resolve_axis(along.index), width = row_elements(x.shape());
  if (a > 0) return {all, x.shape(), x.begins(), of_lines(x.local(), axis{static_cast<std::ptrdiff_t>(a)})};
  if (x.shape().axes() == 1) return of_column(x).redistributed(x.begins());
  distributed_array<R> result(all, x.shape(), x.begins());
  if (are_few_columns(all, x.shape())) {
    for (std::size_t c = 0; c < width; ++c) {
      const distributed_array<T> column(all, shape{x.shape()[0]}, x.begins(), own_rows_of_column(all, x, c));
      const distributed_array<R> made = of_column(column).redistributed(x.begins());
      copy_rows(result.local().data() + c, width * sizeof(R), made.local().data(), sizeof(R), sizeof(R),
                x.rows(), all.where());
    }
    return result;
  }
  const std::vector<std::size_t> columns = even_blocks(shape{width}, all.size());
  const array<T> whole_columns = columns_of_rank(all, x, columns);
  const array<R> made = of_lines(whole_columns.view(), axis{0});
  rows_of_rank(all, made.view(), columns, result);
  return result;
}

template <element T, class Order>
distributed_array<T> sort_along_over_ranks(const ranks& all, const distributed_array<T>& x, axis along,
                                           const Order& order) {
  return lines_along<T>(
      all, x, along,
      [&](const array_view<const T>& lines, axis of) { return heddle::sort(all.where(), lines, of, order); },
      [&](const distributed_array<T>& column) { return sort_over_ranks(all, column, order); });
}

template <element T, class Order>
distributed_array<std::size_t> argsort_along_over_ranks(const ranks& all, const distributed_array<T>& x,
                                                        axis along, const Order& order) {
  return lines_along<std::size_t>(
      all, x, along,
      [&](const array_view<const T>& lines, axis of) { return argsort(all.where(), lines, of, order); },
      [&](const distributed_array<T>& column) {
        const array<std::size_t> places = places_of_block(column);
        return sort_by_key_over_ranks<T, std::size_t>("argsort", all, column.local(), places.view(),
                                                      column.size(), order)
            .second;
      });
}

}  // namespace HD_BUILD

}  // namespace heddle::impl
