#include <heddle/any_distributed.hpp>
#include <heddle/distributed.hpp>
#include <heddle/error.hpp>
#include <heddle/impl/patterns/histogram/ranks.hpp>

#include <fmt/core.h>

namespace heddle {
namespace {

/// Calls f with the array of the static type, which has an order; f returns R.
template <class R, class F>
R visit_ordered(const char* pattern, const any_distributed_array& x, const F& f) {
  return x.visit([&]<class T>(const distributed_array<T>& y) -> R {
    if constexpr (is_complex<T>) {
      fail(fmt::format("{} of {}: complex numbers have no order", pattern, name(x.dtype())));
    } else {
      return f(y);
    }
  });
}

}  // namespace

std::size_t argmin(const ranks& all, const any_distributed_array& x) {
  return visit_ordered<std::size_t>("argmin", x, [&](const auto& y) { return argmin(all, y); });
}
std::size_t argmax(const ranks& all, const any_distributed_array& x) {
  return visit_ordered<std::size_t>("argmax", x, [&](const auto& y) { return argmax(all, y); });
}
distributed_array<std::size_t> argmin(const ranks& all, const any_distributed_array& x, axis along) {
  return visit_ordered<distributed_array<std::size_t>>("argmin", x,
                                                       [&](const auto& y) { return argmin(all, y, along); });
}
distributed_array<std::size_t> argmax(const ranks& all, const any_distributed_array& x, axis along) {
  return visit_ordered<distributed_array<std::size_t>>("argmax", x,
                                                       [&](const auto& y) { return argmax(all, y, along); });
}
any_distributed_array sort(const ranks& all, const any_distributed_array& x, axis along, sort_order order) {
  return visit_ordered<any_distributed_array>("sort", x,
                                              [&](const auto& y) { return sort(all, y, along, order); });
}
distributed_array<std::size_t> argsort(const ranks& all, const any_distributed_array& x, axis along,
                                       sort_order order) {
  return visit_ordered<distributed_array<std::size_t>>(
      "argsort", x, [&](const auto& y) { return argsort(all, y, along, order); });
}
any_distributed_array sort(const ranks& all, const any_distributed_array& x, sort_order order) {
  return visit_ordered<any_distributed_array>("sort", x, [&](const auto& y) { return sort(all, y, order); });
}
distributed_array<std::size_t> argsort(const ranks& all, const any_distributed_array& x, sort_order order) {
  return visit_ordered<distributed_array<std::size_t>>("argsort", x,
                                                       [&](const auto& y) { return argsort(all, y, order); });
}
any_distributed_array unique(const ranks& all, const any_distributed_array& x) {
  return visit_ordered<any_distributed_array>("unique", x, [&](const auto& y) { return unique(all, y); });
}
array<std::uint64_t> histogram(const ranks& all, const any_distributed_array& x, const even_bins& bins) {
  return visit_ordered<array<std::uint64_t>>("histogram", x,
                                             [&](const auto& y) { return histogram(all, y, bins); });
}
array<std::uint64_t> histogram(const ranks& all, const any_distributed_array& x,
                               const std::vector<double>& edges) {
  return visit_ordered<array<std::uint64_t>>("histogram", x,
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
  visit_ordered<void>("histogram", x, [](const auto&) {});
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
