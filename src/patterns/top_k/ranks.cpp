#include "core/any_arguments.hpp"
#include <heddle/any_distributed.hpp>
#include <heddle/any_patterns.hpp>
#include <heddle/error.hpp>
#include <heddle/impl/distributed/blocks.hpp>
#include <heddle/impl/patterns/top_k/ranks.hpp>
#include <heddle/memory.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <fmt/core.h>

namespace heddle::impl {
namespace {

void check_count(std::size_t k, std::size_t length) {
  if (k > length)
    fail(fmt::format("k is {}, and there are {} elements: k can be {} at most", k, length, length));
}

/// Copies the elements of a column of k elements that are in the block of this rank.
void fill_column(const ranks& all, const void* column, const block_to_fill& to, std::size_t number) {
  const std::size_t rows = to.rows(all.rank()), bytes = to.element_bytes, width = row_elements(to.shape);
  const std::size_t first = to.begins[static_cast<std::size_t>(all.rank())];
  const memory own(rows * bytes, all.where());
  copy(own.data(), all.where(), static_cast<const std::byte*>(column) + first * bytes, target(),
       rows * bytes);
  copy_rows(static_cast<std::byte*>(to.data) + number * bytes, width * bytes, own.data(), bytes, bytes, rows,
            all.where());
}

}  // namespace

any_top_elements top_over_ranks(const ranks& all, dtype type, const block_to_read& x, std::size_t k,
                                sort_order order) {
  operation running("top_k", x.shape.elements(), name(type));
  check_count(k, x.shape.elements());
  const std::size_t row = row_elements(x.shape), size = x.rows(all.rank()) * row;
  const any_const_view own(x.data, type, {size}, all.where());
  any_top_elements own_top = top_k(all.where(), own, std::min(k, size), order);
  array<std::size_t> indices = own_top.indices.on(target());
  for (std::size_t& index : indices) index += x.begins[static_cast<std::size_t>(all.rank())] * row;
  // Equal elements are in the order of ranks, which is that of their indices.
  const any_array candidates =
      any_distributed_array(all.on(target::serial()), own_top.values.on(target::serial())).gather();
  const array<std::size_t> all_indices = all.all_gather(indices);
  any_top_elements top = top_k(target(), candidates, k, order);
  for (std::size_t& index : top.indices) index = all_indices.data()[index];
  return top;
}

top_blocks blocks_of_top(const ranks& all, dtype type, const shape& lengths,
                         const std::vector<std::size_t>& begins, std::size_t a, std::size_t k) {
  operation running("top_k", lengths.elements(), name(type));
  check_count(k, lengths[a]);
  shape with_k = lengths.with_length(a, k);
  return {with_k, a > 0 ? begins : even_blocks(with_k, all.size())};
}

void top_along_over_ranks(const ranks& all, dtype type, const block_to_read& x, std::size_t a,
                          sort_order order, const block_to_fill& values, const block_to_fill& indices) {
  const target& where = all.where();
  const std::size_t k = values.shape[a];
  const auto top_of_lines = [&](const void* lines, const shape& lengths, std::size_t of, void* to_values,
                                void* to_indices) {
    const any_top_elements top = top_k(where, any_const_view(lines, type, lengths, where), k,
                                       axis{static_cast<std::ptrdiff_t>(of)}, order);
    copy(to_values, where, top.values.data(), where, top.values.bytes());
    copy(to_indices, where, top.indices.data(), where, top.indices.size() * sizeof(std::size_t));
  };
  if (a > 0)
    return top_of_lines(x.data, with_rows(x.shape, x.rows(all.rank())), a, values.data, indices.data);
  const std::size_t width = row_elements(x.shape), rows = x.shape[0];
  if (are_few_columns(all, x.shape)) {
    const std::size_t own_rows = x.rows(all.rank()), bytes = x.element_bytes;
    const memory column(own_rows * bytes, where);
    const shape lengths{rows};
    for (std::size_t c = 0; c < width; ++c) {
      copy_rows(column.data(), bytes, static_cast<const std::byte*>(x.data) + c * bytes, width * bytes, bytes,
                own_rows, where);
      const any_top_elements top =
          top_over_ranks(all, type, {lengths, x.begins, bytes, column.data()}, k, order);
      fill_column(all, top.values.data(), values, c);
      fill_column(all, top.indices.data(), indices, c);
    }
    return;
  }
  const std::vector<std::size_t> columns = even_blocks(shape{width}, all.size());
  const auto me = static_cast<std::size_t>(all.rank());
  const std::size_t own = columns[me + 1] - columns[me];
  memory whole_columns(rows * own * x.element_bytes, where);
  columns_of_rank(all, x, columns, whole_columns.data());
  const memory top_values(k * own * values.element_bytes, where),
      top_indices(k * own * indices.element_bytes, where);
  if (own > 0) top_of_lines(whole_columns.data(), shape{rows, own}, 0, top_values.data(), top_indices.data());
  rows_of_rank(all, top_values.data(), columns, values);
  rows_of_rank(all, top_indices.data(), columns, indices);
}

}  // namespace heddle::impl

namespace heddle {

any_top_elements top_k(const ranks& all, const any_distributed_array& x, std::size_t k, sort_order order) {
  impl::require_order("top_k", x.dtype());
  impl::check_ranks("top_k", all, x.all());
  return impl::top_over_ranks(all, x.dtype(), impl::to_read(all, x), k, order);
}

any_distributed_top_elements top_k(const ranks& all, const any_distributed_array& x, std::size_t k,
                                   axis along, sort_order order) {
  impl::require_order("top_k", x.dtype());
  impl::check_ranks("top_k", all, x.all());
  const std::size_t a = x.shape().resolve_axis(along.index);
  const impl::top_blocks blocks = impl::blocks_of_top(all, x.dtype(), x.shape(), x.begins(), a, k);
  any_distributed_top_elements top{{all, x.dtype(), blocks.lengths, blocks.begins},
                                   {all, blocks.lengths, blocks.begins}};
  impl::top_along_over_ranks(all, x.dtype(), impl::to_read(all, x), a, order, impl::to_fill(all, top.values),
                             impl::to_fill(all, top.indices));
  return top;
}

}  // namespace heddle
