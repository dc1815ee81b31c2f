#include "core/any_arguments.hpp"
#include <heddle/any_patterns.hpp>
#include <heddle/error.hpp>
#include <heddle/histogram.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <fmt/core.h>

namespace heddle::impl {

array<std::uint64_t> histogram_of(const target& requested, const any_const_view& x, const bin_edges& edges) {
  call_along_lines call("histogram", untyped(x), nullptr);
  call.choose_target(requested, {});
  array<std::uint64_t> counts(edges.bins(), call.where());
  library_histogram(x.dtype(), call.data(), x.size(), edges, counts.data(), call.where());
  return counts;
}

any_array weighted_histogram_of(const target& requested, const any_const_view& x, const bin_edges& edges,
                                const any_const_view& weights) {
  operation running("histogram", x.size(), name(x.dtype()));
  if (!(x.shape() == weights.shape())) {
    fail(fmt::format("the weights have shape {}, where the elements have {}", weights.shape().text(),
                     x.shape().text()));
  }
  const std::size_t bytes = x.bytes() + 8 * (weights.bytes() + x.size() * sizeof(std::size_t));
  const target where = resolve(requested, {bytes, 0, x.where(), true});
  running.runs_on(where);
  any_array sums(weights.dtype(), {edges.bins()}, where);
  const staged_input<std::byte> staged(bytes_of(x), where), staged_weights(bytes_of(weights), where);
  library_weighted_histogram(x.dtype(), staged.data(), x.size(), edges, weights.dtype(),
                             staged_weights.data(), sums.data(), where);
  return sums;
}

}  // namespace heddle::impl

namespace heddle {

std::vector<double> edges_of(dtype type, const even_bins& bins) {
  return impl::edges_of(type, bins).values;
}

array<std::uint64_t> histogram(const target& where, const any_const_view& x, const even_bins& bins) {
  impl::require_order("histogram", x.dtype());
  return impl::histogram_of(where, x, impl::edges_of(x.dtype(), bins));
}
array<std::uint64_t> histogram(const target& where, const any_const_view& x,
                               const std::vector<double>& edges) {
  impl::require_order("histogram", x.dtype());
  return impl::histogram_of(where, x, impl::edges_of(edges.data(), edges.size()));
}
any_array histogram(const target& where, const any_const_view& x, const even_bins& bins,
                    const any_const_view& weights) {
  impl::require_order("histogram", x.dtype());
  return impl::weighted_histogram_of(where, x, impl::edges_of(x.dtype(), bins), weights);
}
any_array histogram(const target& where, const any_const_view& x, const std::vector<double>& edges,
                    const any_const_view& weights) {
  impl::require_order("histogram", x.dtype());
  return impl::weighted_histogram_of(where, x, impl::edges_of(edges.data(), edges.size()), weights);
}

}  // namespace heddle
