#include "core/any_arguments.hpp"
#include <heddle/any_distributed.hpp>
#include <heddle/impl/distributed/blocks.hpp>
#include <heddle/impl/patterns/ranks_along.hpp>

#include <optional>
#include <utility>

namespace heddle {
namespace {

/// The elements combined; there is one at least.
any_value total_of(const ranks& all, const any_distributed_array& x, runtime_op op) {
  if (all.size() == 1) return reduce(all.where(), x.local(), op);
  const impl::block_to_read block = impl::to_read(all, x);
  const std::size_t row = impl::row_elements(x.shape());
  alignas(largest_element_bytes) std::byte total[largest_element_bytes];
  impl::library_reduce_over_ranks(
      all, op, x.dtype(), {block.data, x.rows() * row, x.first_row() * row, x.size(), block.element_bytes},
      total);
  return {x.dtype(), total};
}

}  // namespace

any_value reduce(const ranks& all, const any_distributed_array& x, runtime_op op,
                 const std::optional<any_value>& init) {
  impl::require_monoid(op, x.dtype());
  const std::optional<any_value> first = impl::initial(init, op, x.dtype());
  impl::check_ranks("reduce", all, x.all());
  if (x.size() == 0) return reduce(target(), any_array(x.dtype(), {0}), op, first);
  const any_value total = total_of(all, x, op);
  if (!first) return total;
  return reduce(target(), any_const_view(total.data(), x.dtype(), {1}), op, first);
}

any_distributed_array reduce(const ranks& all, const any_distributed_array& x, axis along, runtime_op op) {
  impl::require_monoid(op, x.dtype());
  impl::check_ranks("reduce", all, x.all());
  const std::size_t a = x.shape().resolve_axis(along.index);
  // Every rank gets the same result of no elements, or the same error, also a rank without results.
  if (x.shape()[a] == 0 && x.shape().without_axis(a).elements() > 0)
    static_cast<void>(reduce(target(), any_array(x.dtype(), {0}), op));
  const impl::rest_of_axes rest = impl::without_axis("reduce", all, x.shape(), x.begins(), a);
  any_distributed_array result(all, x.dtype(), rest.lengths, rest.begins);
  impl::library_reduce_along(all, op, x.dtype(), impl::to_read(all, x), a, impl::to_fill(all, result));
  return result;
}

}  // namespace heddle
