#include "core/any_arguments.hpp"
#include <heddle/any_patterns.hpp>
#include <heddle/error.hpp>
#include <heddle/histogram.hpp>
#include <heddle/statistics.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace heddle {

std::vector<double> edges_of(dtype type, const even_bins& bins) {
  return impl::edges_of(type, bins).values;
}

namespace {

any_array weighted_histogram(const target& requested, const any_const_view& x, const impl::bin_edges& edges,
                             const any_const_view& weights) {
  operation running("histogram", x.size(), name(x.dtype()));
  if (!(x.shape() == weights.shape())) impl::fail_weights(x.shape(), weights.shape());
  const std::size_t bytes = x.bytes() + 8 * (weights.bytes() + x.size() * sizeof(std::size_t));
  const target where = resolve(requested, {bytes, 0, x.where(), true});
  running.runs_on(where);
  any_array sums(weights.dtype(), {edges.bins()}, where);
  const impl::staged_input<std::byte> staged(impl::bytes_of(x), where),
      staged_weights(impl::bytes_of(weights), where);
  impl::library_weighted_histogram(x.dtype(), staged.data(), x.size(), edges, weights.dtype(),
                                   staged_weights.data(), sums.data(), where);
  return sums;
}

void require_order(const char* pattern, const any_const_view& x) {
  impl::visit_ordered<void>(pattern, x, [](const auto&) {});
}

}  // namespace

array<std::uint64_t> histogram(const target& where, const any_const_view& x, const even_bins& bins) {
  return impl::visit_ordered<array<std::uint64_t>>("histogram", x,
                                                   [&](const auto& v) { return histogram(where, v, bins); });
}
array<std::uint64_t> histogram(const target& where, const any_const_view& x,
                               const std::vector<double>& edges) {
  return impl::visit_ordered<array<std::uint64_t>>("histogram", x,
                                                   [&](const auto& v) { return histogram(where, v, edges); });
}
any_array histogram(const target& where, const any_const_view& x, const even_bins& bins,
                    const any_const_view& weights) {
  require_order("histogram", x);
  return weighted_histogram(where, x, impl::edges_of(x.dtype(), bins), weights);
}
any_array histogram(const target& where, const any_const_view& x, const std::vector<double>& edges,
                    const any_const_view& weights) {
  require_order("histogram", x);
  return weighted_histogram(where, x, impl::edges_of(edges.data(), edges.size()), weights);
}

any_value mean(const target& where, const any_const_view& x) {
  return visit(x, [&](const auto& v) { return any_value(mean(where, v)); });
}
any_array mean(const target& where, const any_const_view& x, axis along_axis) {
  return visit(x, [&](const auto& v) { return any_array(mean(where, v, along_axis)); });
}
any_value variance(const target& where, const any_const_view& x, std::size_t ddof) {
  return visit(x, [&](const auto& v) { return any_value(variance(where, v, ddof)); });
}
any_array variance(const target& where, const any_const_view& x, axis along_axis, std::size_t ddof) {
  return visit(x, [&](const auto& v) { return any_array(variance(where, v, along_axis, ddof)); });
}
minmax_result<any_value> minmax(const target& where, const any_const_view& x) {
  return impl::visit_ordered<minmax_result<any_value>>("minmax", x, [&](const auto& v) {
    const auto both = minmax(where, v);
    return minmax_result<any_value>{both.min, both.max};
  });
}
minmax_result<any_array> minmax(const target& where, const any_const_view& x, axis along_axis) {
  return impl::visit_ordered<minmax_result<any_array>>("minmax", x, [&](const auto& v) {
    auto both = minmax(where, v, along_axis);
    return minmax_result<any_array>{std::move(both.min), std::move(both.max)};
  });
}

}  // namespace heddle
