#include "bins.hpp"
#include "cuda/gpu.hpp"
#include "sortable.hpp"
#include <heddle/cpu/threads.hpp>
#include <heddle/error.hpp>
#include <heddle/histogram.hpp>

#include <algorithm>
#include <cmath>
#include <mutex>

#include <fmt/core.h>

namespace heddle::cpu {
namespace {

template <class T>
void count_bins(const T* x, std::size_t n, const detail::bin_finder& bin_of, std::uint64_t* counts) {
  // Neighbours that fall into one bin do not wait for each other's counts. What is in no bin is counted too.
  constexpr std::size_t at_once = 4;
  std::vector<std::uint64_t> several(bin_of.bins <= 4096 ? at_once * (bin_of.bins + 1) : bin_of.bins + 1);
  const std::size_t apart = bin_of.bins <= 4096 ? bin_of.bins + 1 : 0;
  std::size_t i = 0;
  for (; i + at_once <= n; i += at_once) {
    for (std::size_t k = 0; k < at_once; ++k) ++several[k * apart + bin_of(static_cast<double>(x[i + k]))];
  }
  for (; i < n; ++i) ++several[bin_of(static_cast<double>(x[i]))];
  for (std::size_t first = 0; first < several.size(); first += bin_of.bins + 1) {
    for (std::size_t bin = 0; bin < bin_of.bins; ++bin) counts[bin] += several[first + bin];
  }
}

/// Elements of so few values that each value's bin is looked up.
template <class T>
void count_values(const T* x, std::size_t n, const detail::bin_finder& bin_of, std::uint64_t* counts) {
  std::uint64_t of_value[256] = {};
  for (std::size_t i = 0; i < n; ++i) ++of_value[static_cast<std::uint8_t>(x[i])];
  for (int value = 0; value < 256; ++value) {
    const std::size_t bin = bin_of(static_cast<double>(static_cast<T>(value)));
    if (bin < bin_of.bins) counts[bin] += of_value[value];
  }
}

}  // namespace
}  // namespace heddle::cpu

namespace heddle::detail {
namespace {

void require_finite(double low, double high) {
  if (!std::isfinite(low) || !std::isfinite(high) || !(low < high) || !std::isfinite(high - low))
    fail(fmt::format("histogram: there are no bins from {} to {}", low, high));
}

}  // namespace

bin_edges edges_of(dtype type, const even_bins& bins) {
  require_finite(bins.low, bins.high);
  if (bins.count == 0) fail("histogram: of 0 bins there are no counts");
  bin_edges edges{std::vector<double>(bins.count + 1), true};
  const double step = (bins.high - bins.low) / static_cast<double>(bins.count);
  for (std::size_t k = 0; k < bins.count; ++k) edges.values[k] = static_cast<double>(k) * step + bins.low;
  edges.values.back() = bins.high;
  if (type == dtype::float32) {
    for (double& edge : edges.values) edge = static_cast<double>(static_cast<float>(edge));
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
  return {{edges, edges + count}, false};
}

void library_histogram(dtype type, const void* x, std::size_t n, const bin_edges& edges,
                       std::uint64_t* counts, const target& where) {
  const std::size_t bins = edges.bins();
  const double low = edges.values.front(), high = edges.values.back();
  bin_finder bin_of{edges.values.data(),
                    bins,
                    edges.even,
                    low,
                    high,
                    edges.even ? static_cast<double>(bins) / (high - low) : 0};
  if (where.is_gpu()) return cuda::histogram(type, x, n, bin_of, counts, where);
  std::fill_n(counts, bins, std::uint64_t{0});
  // Each thread has counts of its own, at most one set a thread where they are many.
  constexpr std::size_t fewest = std::size_t{1} << 15;
  const std::size_t threads = static_cast<std::size_t>(where.threads());
  const std::size_t grain = std::max({fewest, bins, bins > 65536 ? n / threads + 1 : 0});
  std::mutex adding;
  with_ordered_type(type, [&]<class T>(T) {
    cpu::for_slices(where.threads(), n, grain, [&](std::size_t first, std::size_t last) {
      std::vector<std::uint64_t> mine(bins);
      const T* const from = static_cast<const T*>(x) + first;
      if constexpr (sizeof(T) == 1) {
        cpu::count_values(from, last - first, bin_of, mine.data());
      } else {
        cpu::count_bins(from, last - first, bin_of, mine.data());
      }
      std::lock_guard lock(adding);
      for (std::size_t bin = 0; bin < bins; ++bin) counts[bin] += mine[bin];
    });
  });
}

}  // namespace heddle::detail
