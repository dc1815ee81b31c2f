#include "core/visit_ordered.hpp"
#include <heddle/any_distributed.hpp>
#include <heddle/distributed.hpp>
#include <heddle/impl/patterns/histogram/ranks.hpp>

#include <cstdint>
#include <vector>

namespace heddle {

array<std::uint64_t> histogram(const ranks& all, const any_distributed_array& x, const even_bins& bins) {
  return impl::visit_ordered<array<std::uint64_t>>("histogram", x,
                                                   [&](const auto& y) { return histogram(all, y, bins); });
}
array<std::uint64_t> histogram(const ranks& all, const any_distributed_array& x,
                               const std::vector<double>& edges) {
  return impl::visit_ordered<array<std::uint64_t>>("histogram", x,
                                                   [&](const auto& y) { return histogram(all, y, edges); });
}

namespace {

any_array weighted_histogram(const ranks& all, const any_distributed_array& x, const impl::bin_edges& edges,
                             const any_distributed_array& weights) {
  impl::check_ranks("histogram", all, x.all());
  impl::check_same_blocks("histogram", x, weights);
  return weights.visit([&](const auto& w) {
    return any_array(impl::weighted_histogram_over_ranks(all, x.dtype(), x.local().data(), edges, w));
  });
}

void require_order(const any_distributed_array& x) {
  impl::visit_ordered<void>("histogram", x, [](const auto&) {});
}

}  // namespace

any_array histogram(const ranks& all, const any_distributed_array& x, const even_bins& bins,
                    const any_distributed_array& weights) {
  require_order(x);
  return weighted_histogram(all, x, impl::edges_of(x.dtype(), bins), weights);
}
any_array histogram(const ranks& all, const any_distributed_array& x, const std::vector<double>& edges,
                    const any_distributed_array& weights) {
  require_order(x);
  return weighted_histogram(all, x, impl::edges_of(edges.data(), edges.size()), weights);
}

}  // namespace heddle
