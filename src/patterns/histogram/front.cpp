#include "patterns/histogram/cpu.hpp"
#include "patterns/histogram/gpu.hpp"
#include "target/process_limits.hpp"
#include <heddle/error.hpp>
#include <heddle/histogram.hpp>
#include <heddle/segmented_reduce.hpp>
#include <heddle/sort.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <new>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/core.h>

namespace heddle::impl {
namespace {

void require_finite(double low, double high) {
  if (!std::isfinite(low) || !std::isfinite(high) || !(low < high) || !std::isfinite(high - low))
    fail(fmt::format("histogram: there are no bins from {} to {}", low, high));
}

}  // namespace

namespace {

/// Fills `edges` with numpy.linspace(low, high, bins + 1), computed in F.
template <class F>
void fill_linspace(double low, double high, std::vector<double>& edges) {
  const std::size_t bins = edges.size() - 1;
  const F first = static_cast<F>(low), step = (static_cast<F>(high) - first) / static_cast<F>(bins);
  for (std::size_t k = 0; k < bins; ++k) {
    const F product = static_cast<F>(k) * step;
    edges[k] = static_cast<double>(product + first);
  }
  edges.back() = high;
}

/// Where no bin has its place, the two ends are apart by 1 around it, as numpy.histogram has them.
template <class F>
void widen_one_value(even_bins& bins) {
  if (bins.low != bins.high) return;
  bins.low = static_cast<double>(static_cast<F>(bins.low) - F(0.5));
  bins.high = static_cast<double>(static_cast<F>(bins.high) + F(0.5));
}

/// Room for the edges of `count` bins.
std::vector<double> room_for_edges(std::size_t count) {
  std::vector<double> edges;
  if (count >= edges.max_size())
    fail(fmt::format("histogram: the edges of {} bins are more than memory can hold", count));
  const std::size_t bytes = (count + 1) * sizeof(double);
  const std::string what = fmt::format("histogram: the edges of {} bins: ", count);
  require_memory(bytes, what);
  try {
    edges.resize(count + 1);
  } catch (const std::bad_alloc&) {
    fail(what + out_of_memory_text(bytes));
  }
  return edges;
}

/// Whether each edge is at most half a bin away from the edge of a bin of equal width. Then `bin_finder`
/// finds a bin by one multiplication and at most one step.
bool are_nearly_even(const double* edges, std::size_t bins) {
  const double low = edges[0], width = (edges[bins] - low) / static_cast<double>(bins);
  if (!(width > 0) || !std::isfinite(width)) return false;
  for (std::size_t k = 0; k <= bins; ++k) {
    if (!(std::abs(edges[k] - (low + static_cast<double>(k) * width)) <= width / 2)) return false;
  }
  return true;
}

}  // namespace

bin_edges edges_of(dtype type, const even_bins& given) {
  even_bins bins = given;
  const bool in_float = type == dtype::float32 && bins.ends_are_elements &&
                        std::isfinite(static_cast<float>(bins.high) - static_cast<float>(bins.low));
  in_float ? widen_one_value<float>(bins) : widen_one_value<double>(bins);
  require_finite(bins.low, bins.high);
  if (bins.count == 0) fail("histogram: of 0 bins there are no counts");
  bin_edges edges{room_for_edges(bins.count), true};
  (in_float ? fill_linspace<float> : fill_linspace<double>)(bins.low, bins.high, edges.values);
  if (type == dtype::float32) {
    for (double& edge : edges.values) edge = static_cast<double>(static_cast<float>(edge));
  }
  for (std::size_t k = 0; k < bins.count; ++k) {
    if (!(edges.values[k] < edges.values[k + 1]))
      fail(fmt::format("histogram: {} bins from {} to {} are too many: bin {} has no width as {}", bins.count,
                       bins.low, bins.high, k, name(type)));
  }
  return edges;
}

bin_edges edges_of(const double* edges, std::size_t count) {
  if (count < 2) fail(fmt::format("histogram: {} edges make no bin", count));
  for (std::size_t k = 0; k + 1 < count; ++k) {
    if (!(edges[k] <= edges[k + 1]))
      fail(fmt::format("histogram: edge {} is {} and the one after it {}: edges must rise", k, edges[k],
                       edges[k + 1]));
  }
  return {{edges, edges + count}, are_nearly_even(edges, count - 1)};
}

namespace {

bin_finder finder_of(const bin_edges& edges) {
  const std::size_t bins = edges.bins();
  const double low = edges.values.front(), high = edges.values.back();
  const double bins_a_unit = static_cast<double>(bins) / (high - low);
  // A range of subnormal numbers has no finite reciprocal.
  return {edges.values.data(), bins, edges.even && std::isfinite(bins_a_unit), low, high, bins_a_unit};
}

}  // namespace

void library_histogram(dtype type, const void* x, std::size_t n, const bin_edges& edges,
                       std::uint64_t* counts, const target& where) {
  const std::size_t bins = edges.bins();
  const bin_finder bin_of = finder_of(edges);
  if (where.is_gpu()) return gpu::histogram(type, x, n, bin_of, counts, where);
  std::fill_n(counts, bins, std::uint64_t{0});
  cpu::count_bins(type, x, n, bin_of, counts, where.threads());
}

void library_find_bins(dtype type, const void* x, std::size_t n, const bin_edges& edges, std::uint32_t* bins,
                       const target& where) {
  if (edges.bins() >= std::numeric_limits<std::uint32_t>::max())
    fail(fmt::format("{} bins are too many to sum weights in: 2^32 - 2 is the most", edges.bins()));
  if (n == 0) return;
  const bin_finder bin_of = finder_of(edges);
  if (where.is_gpu()) return gpu::find_bins(type, x, n, bin_of, bins, where);
  cpu::find_bins(type, x, n, bin_of, bins, where.threads());
}

memory library_widened(const void* x, std::size_t count, const target& where) {
  memory wide(count * sizeof(double), where);
  const auto* const from = static_cast<const float*>(x);
  auto* const to = static_cast<double*>(wide.data());
  if (where.is_gpu()) {
    gpu::widen(from, count, to, where);
  } else {
    std::copy(from, from + count, to);
  }
  return wide;
}

void library_sum_bins(dtype weight_type, const void* ordered, const std::vector<std::size_t>& begin,
                      void* sums, const target& where) {
  const std::size_t bins = begin.size() - 1, inside = begin.back(), weight_bytes = size_of(weight_type);
  const std::vector<std::byte> zero(weight_bytes);
  fill(sums, where, bins, zero.data(), weight_bytes);
  if (inside == 0) return;
  const array<std::size_t> offsets(begin, where);
  const bool is_single = weight_type == dtype::float32 || weight_type == dtype::complex64;
  if (!is_single)
    return library_segmented_reduce(runtime_op::plus, weight_type, ordered, inside, offsets.data(), bins,
                                    sums, where);
  const std::size_t parts = weight_bytes / sizeof(float);
  const memory wide = library_widened(ordered, inside * parts, where);
  array<double> wide_sums(bins * parts, where);
  wide_sums.fill(0);
  library_segmented_reduce(runtime_op::plus, parts == 1 ? dtype::float64 : dtype::complex128, wide.data(),
                           inside, offsets.data(), bins, wide_sums.data(), where);
  const std::vector<double> exact = wide_sums.to_vector();
  const std::vector<float> rounded(exact.begin(), exact.end());
  copy(sums, where, rounded.data(), target(), rounded.size() * sizeof(float));
}

void library_weighted_histogram(dtype type, const void* x, std::size_t n, const bin_edges& edges,
                                dtype weight_type, const void* weights, void* sums, const target& where) {
  const std::size_t bins = edges.bins(), weight_bytes = size_of(weight_type);

  // The weights in the order of their bins.
  memory bin_memory(n * sizeof(std::uint32_t), where), index_memory(n * sizeof(std::size_t), where);
  auto* const bin_of_each = static_cast<std::uint32_t*>(bin_memory.data());
  auto* const indices = static_cast<std::size_t*>(index_memory.data());
  library_find_bins(type, x, n, edges, bin_of_each, where);
  library_argsort(dtype::uint32, bin_of_each, {1, n, 1}, sort_order::ascending, indices, where);
  bin_memory = memory();
  memory ordered(n * weight_bytes, where);
  library_gather(weights, {1, n, 1}, weight_bytes, {dtype::uint64, indices, n}, ordered.data(), where);
  index_memory = memory();

  array<std::uint64_t> counts(bins, where);
  library_histogram(type, x, n, edges, counts.data(), where);
  library_sum_bins(weight_type, ordered.data(), begins_of_bins(counts.to_vector()), sums, where);
}

std::vector<std::size_t> begins_of_bins(const std::vector<std::uint64_t>& counts) {
  std::vector<std::size_t> begin(counts.size() + 1);
  std::partial_sum(counts.begin(), counts.end(), begin.begin() + 1);
  return begin;
}

}  // namespace heddle::impl
