#include "patterns/histogram/gpu.cuh"
#include "patterns/histogram/gpu.hpp"
#include "patterns/sort/sortable.hpp"
#include <heddle/impl/gpu/arch/launch.cuh>
#include <heddle/impl/patterns/transform/gpu.cuh>

#include <algorithm>
#include <cstdint>

namespace heddle::gpu {
namespace {

/// The edges on the GPU, where `bin_of` finds them from then on.
memory bring_edges(impl::bin_finder& bin_of, const target& where) {
  memory edges((bin_of.bins + 1) * sizeof(double), where);
  heddle::copy(edges.data(), where, bin_of.edges, target(), edges.bytes());
  bin_of.edges = static_cast<const double*>(edges.data());
  return edges;
}

}  // namespace

void histogram(dtype type, const void* x, std::size_t n, impl::bin_finder bin_of, std::uint64_t* counts,
               const target& where) {
  const current_device on(where);
  const std::size_t bins = bin_of.bins;
  check(cudaMemsetAsync(counts, 0, bins * sizeof *counts, where.stream()), "cudaMemsetAsync");
  if (n == 0) return;
  const memory edges = bring_edges(bin_of, where);
  const auto copies = static_cast<unsigned>(std::min<std::size_t>(shared_counters / bins, 8));
  constexpr unsigned blocks_a_multiprocessor = 4;
  const unsigned grid =
      std::min(grid_for(n, histogram_threads * at_once), multiprocessors(where) * blocks_a_multiprocessor);
  impl::with_ordered_type(type, [&]<class T>(T) {
    count_bins<<<grid, histogram_threads, 0, where.stream()>>>(static_cast<const T*>(x), n, bin_of, copies,
                                                               reinterpret_cast<unsigned long long*>(counts));
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
