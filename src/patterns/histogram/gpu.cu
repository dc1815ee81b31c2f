#include "patterns/histogram/gpu.cuh"
#include "patterns/histogram/gpu.hpp"
#include "patterns/sort/sortable.hpp"
#include <heddle/impl/gpu/arch/launch.cuh>
#include <heddle/impl/patterns/transform/gpu.cuh>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace heddle::gpu {
namespace {

/// The edges on the GPU, where `bin_of` finds them from then on.
memory bring_edges(impl::bin_finder& bin_of, const target& where) {
  memory edges((bin_of.bins + 1) * sizeof(double), where);
  heddle::copy(edges.data(), where, bin_of.edges, target(), edges.bytes());
  bin_of.edges = static_cast<const double*>(edges.data());
  return edges;
}

/// How bins of nearly equal width are found; of no bins where the widths or rounding in E forbid it. The
/// edges are on the CPU.
template <class E>
even_bin_finder<E> even_finder(const impl::bin_finder& bin_of) {
  if (!bin_of.even) return {};
  even_bin_finder<E> found{nullptr,
                           static_cast<std::uint32_t>(bin_of.bins),
                           static_cast<E>(bin_of.low),
                           static_cast<E>(bin_of.high),
                           static_cast<E>(bin_of.bins_a_unit),
                           0};
  constexpr E infinity = std::numeric_limits<E>::infinity();
  if (found.low < bin_of.low) found.low = std::nextafter(found.low, infinity);
  if (found.high > bin_of.high) found.high = std::nextafter(found.high, -infinity);
  if (!std::isnormal(found.bins_a_unit) || !std::isfinite(found.high - found.low)) return {};
  // In bins: how far edges are from even ones, then what rounding adds to a position.
  double margin = 0;
  for (std::size_t k = 0; k <= bin_of.bins; ++k) {
    const double position = (bin_of.edges[k] - bin_of.low) * bin_of.bins_a_unit;
    margin = std::max(margin, std::abs(position - static_cast<double>(k)));
  }
  const auto bins = static_cast<double>(bin_of.bins);
  margin += (static_cast<double>(found.low) - bin_of.low) * bin_of.bins_a_unit +
            8 * bins * static_cast<double>(std::numeric_limits<E>::epsilon());
  if (!(margin < 0.25)) return {};
  found.margin = static_cast<E>(margin * 1.001);
  return found;
}

/// Copies of the bins, and of one more, that shared memory has room for.
unsigned copies_of(std::size_t bins) {
  return std::bit_floor(
      static_cast<unsigned>(std::min<std::size_t>(shared_counters / (bins + 1), warp_size)));
}

}  // namespace

void histogram(dtype type, const void* x, std::size_t n, impl::bin_finder bin_of, std::uint64_t* counts,
               const target& where) {
  const current_device on(where);
  check(cudaMemsetAsync(counts, 0, bin_of.bins * sizeof *counts, where.stream()), "cudaMemsetAsync");
  if (n == 0) return;
  impl::with_ordered_type(type, [&]<class T>(T) {
    auto even = even_finder<bin_estimate<T>>(bin_of);
    const memory edges = bring_edges(bin_of, where);
    even.edges = bin_of.edges;
    constexpr unsigned blocks_a_multiprocessor = 8;
    const unsigned copies = copies_of(bin_of.bins),
                   grid = std::min(grid_for(n, histogram_threads * histogram_vectors * items_per_vector<T>),
                                   multiprocessors(where) * blocks_a_multiprocessor);
    const T* const from = static_cast<const T*>(x);
    auto* const to = reinterpret_cast<unsigned long long*>(counts);
    if (even.bins > 0 && copies > 0) {
      count_even_bins<<<grid, histogram_threads, 0, where.stream()>>>(from, n, even, copies, to);
    } else {
      count_bins<<<grid, histogram_threads, 0, where.stream()>>>(from, n, bin_of, copies, to);
    }
    check(cudaGetLastError(), "launch of count_bins");
  });
}

void find_bins(dtype type, const void* x, std::size_t n, impl::bin_finder bin_of, std::uint32_t* bins,
               const target& where) {
  const current_device on(where);
  const memory edges = bring_edges(bin_of, where);
  impl::with_ordered_type(
      type, [&]<class T>(T) { transform(where, bin_at<T>{static_cast<const T*>(x), bin_of}, n, bins); });
}

void widen(const float* x, std::size_t n, double* out, const target& where) {
  transform(where, widened_at{x}, n, out);
}

}  // namespace heddle::gpu
