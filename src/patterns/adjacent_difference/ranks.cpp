#include <heddle/any_distributed.hpp>
#include <heddle/error.hpp>
#include <heddle/impl/patterns/ranks_along.hpp>
#include <heddle/memory.hpp>

#include <cstddef>
#include <span>

namespace heddle::impl {
namespace {

/// The last bytes of the nearest earlier block that has rows, on the target of this rank. Empty if no earlier
/// block has rows. Every rank calls it.
memory last_bytes_before(const ranks& all, const block_to_read& x, std::size_t bytes) {
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

}  // namespace

void difference_over_ranks(const ranks& all, const char* type, const block_to_read& x, const axis* along,
                           const block_to_fill& out, differences_of_block of_block) {
  const std::size_t size = x.shape.elements();
  operation running("adjacent_difference", size, type);
  running.runs_on(all.where());
  const std::size_t a = along == nullptr ? 0 : x.shape.resolve_axis(along->index);
  if (size == 0) return;
  const shape own = with_rows(x.shape, x.rows(all.rank()));
  if (a > 0) return of_block(x.data, heddle::along(own, a), nullptr, out.data);
  // Only in C order or along the slowest axis can neighbours be on different ranks.
  const std::size_t row = along == nullptr ? 1 : row_elements(x.shape);
  const memory before = last_bytes_before(all, x, row * x.element_bytes);
  of_block(x.data, {1, own.elements() / row, row}, before.data(), out.data);
}

void library_difference_over_ranks(const ranks& all, dtype type, const block_to_read& x, const axis* along,
                                   const block_to_fill& out) {
  difference_over_ranks(
      all, name(type), x, along, out,
      [&](const void* elements, const axis_lines& lines, const void* before, void* differences) {
        library_adjacent_difference(type, elements, lines, before, differences, all.where());
      });
}

}  // namespace heddle::impl

namespace heddle {
namespace {

any_distributed_array differences(const ranks& all, const any_distributed_array& x, const axis* along) {
  impl::check_ranks("adjacent_difference", all, x.all());
  any_distributed_array out(all, x.dtype(), x.shape(), x.begins());
  impl::library_difference_over_ranks(all, x.dtype(), impl::to_read(all, x), along, impl::to_fill(all, out));
  return out;
}

}  // namespace

any_distributed_array adjacent_difference(const ranks& all, const any_distributed_array& x) {
  return differences(all, x, nullptr);
}
any_distributed_array adjacent_difference(const ranks& all, const any_distributed_array& x, axis along) {
  return differences(all, x, &along);
}

}  // namespace heddle
