#include <heddle/any_patterns.hpp>
#include <heddle/error.hpp>
#include <heddle/impl/distributed/blocks.hpp>
#include <heddle/impl/patterns/argmin/front.hpp>
#include <heddle/impl/patterns/ranks_along.hpp>
#include <heddle/memory.hpp>

#include <string>

namespace heddle::impl {
namespace {

axis from_front(std::size_t a) {
  return {static_cast<std::ptrdiff_t>(a)};
}

/// The rows that this rank has of one column.
memory own_rows_of_column(const ranks& all, const block_to_read& x, std::size_t column) {
  const std::size_t rows = x.rows(all.rank()), bytes = x.element_bytes;
  memory own(rows * bytes, all.where());
  copy_rows(own.data(), bytes, static_cast<const std::byte*>(x.data) + column * bytes,
            row_elements(x.shape) * bytes, bytes, rows, all.where());
  return own;
}

}  // namespace

rest_of_axes without_axis(const char* pattern, const ranks& all, const shape& whole,
                          const std::vector<std::size_t>& begins, std::size_t axis) {
  if (whole.axes() == 1)
    fail(std::string(pattern) + ": an array of one axis has no other: take all of it, without an axis");
  shape rest = whole.without_axis(axis);
  std::vector<std::size_t> blocks = axis > 0 ? begins : even_blocks(rest, all.size());
  return {std::move(rest), std::move(blocks)};
}

void values_along(const ranks& all, const block_to_read& x, std::size_t a, const block_to_fill& result,
                  pattern_on_lines of_lines, pattern_on_column of_column) {
  if (a > 0) return of_lines(x.data, with_rows(x.shape, x.rows(all.rank())), from_front(a), result.data);
  const auto me = static_cast<std::size_t>(all.rank());
  std::vector<std::size_t> columns;
  for (const std::size_t b : result.begins) columns.push_back(b * row_elements(result.shape));
  const std::size_t own = columns[me + 1] - columns[me], bytes = result.element_bytes;
  if (are_few_columns(all, x.shape) && x.shape.elements() > 0) {
    const memory values(columns.back() * bytes, target());
    auto* const value = static_cast<std::byte*>(values.data());
    for (std::size_t c = 0; c < columns.back(); ++c)
      of_column(own_rows_of_column(all, x, c).data(), value + c * bytes);
    copy(result.data, all.where(), value + columns[me] * bytes, target(), own * bytes);
    return;
  }
  const memory whole_columns(x.shape[0] * own * x.element_bytes, all.where());
  columns_of_rank(all, x, columns, whole_columns.data());
  if (own > 0) of_lines(whole_columns.data(), shape{x.shape[0], own}, axis{0}, result.data);
}

void lines_along(const ranks& all, const block_to_read& x, std::size_t a, const block_to_fill& result,
                 pattern_on_lines of_lines, pattern_on_column of_column) {
  if (a > 0) return of_lines(x.data, with_rows(x.shape, x.rows(all.rank())), from_front(a), result.data);
  if (x.shape.axes() == 1) return of_column(x.data, result.data);
  const std::size_t width = row_elements(x.shape), bytes = result.element_bytes;
  if (are_few_columns(all, x.shape)) {
    const std::size_t rows = x.rows(all.rank());
    const memory made(rows * bytes, all.where());
    for (std::size_t c = 0; c < width; ++c) {
      of_column(own_rows_of_column(all, x, c).data(), made.data());
      copy_rows(static_cast<std::byte*>(result.data) + c * bytes, width * bytes, made.data(), bytes, bytes,
                rows, all.where());
    }
    return;
  }
  const std::vector<std::size_t> columns = even_blocks(shape{width}, all.size());
  const auto me = static_cast<std::size_t>(all.rank());
  const std::size_t own = columns[me + 1] - columns[me];
  const memory whole_columns(x.shape[0] * own * x.element_bytes, all.where());
  columns_of_rank(all, x, columns, whole_columns.data());
  const bool in_place = bytes == x.element_bytes;
  const memory apart(in_place ? 0 : x.shape[0] * own * bytes, all.where());
  void* const made = in_place ? whole_columns.data() : apart.data();
  of_lines(whole_columns.data(), shape{x.shape[0], own}, axis{0}, made);
  rows_of_rank(all, made, columns, result);
}

void library_reduce_along(const ranks& all, runtime_op op, dtype type, const block_to_read& x, std::size_t a,
                          const block_to_fill& result) {
  const target& where = all.where();
  values_along(
      all, x, a, result,
      [&](const void* lines, const shape& lengths, axis of, void* out) {
        const shape results = lengths.without_axis(static_cast<std::size_t>(of.index));
        reduce_into(where, any_view(out, type, results, where), any_const_view(lines, type, lengths, where),
                    of, op);
      },
      [&](const void* own_rows, void* value) {
        const std::size_t first = x.begins[static_cast<std::size_t>(all.rank())];
        library_reduce_over_ranks(all, op, type,
                                  {own_rows, x.rows(all.rank()), first, x.shape[0], x.element_bytes}, value);
      });
}

distributed_array<std::size_t> arg_along_over_ranks(const char* pattern, const ranks& all, runtime_op op,
                                                    dtype type, const block_to_read& x, axis along) {
  const target& where = all.where();
  const std::size_t a = x.shape.resolve_axis(along.index);
  // Of nothing every rank throws, also those without lines.
  if (x.shape[a] == 0) static_cast<void>(arg_of_all(pattern, op, type, nullptr, 0, target(), target()));
  rest_of_axes rest = without_axis(pattern, all, x.shape, x.begins, a);
  distributed_array<std::size_t> result(all, std::move(rest.lengths), std::move(rest.begins));
  values_along(
      all, x, a, to_fill(all, result),
      [&](const void* lines, const shape& lengths, axis of, void* out) {
        const array<std::size_t> found = arg_along(pattern, op, type, lines, lengths, of, where, where);
        copy(out, where, found.data(), where, found.size() * sizeof(std::size_t));
      },
      [&](const void* own_rows, void* value) {
        const shape lengths{x.shape[0]};
        *static_cast<std::size_t*>(value) =
            arg_over_ranks(pattern, all, op, type, {lengths, x.begins, x.element_bytes, own_rows});
      });
  return result;
}

}  // namespace heddle::impl
