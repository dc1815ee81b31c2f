#pragma once

#include "patterns/histogram/bin_finder.hpp"
#include <heddle/impl/gpu/block/count.cuh>
#include <heddle/impl/gpu/block/vec16.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>

/// The kernels of histogram.
namespace heddle::gpu {

inline constexpr unsigned histogram_threads = 512, histogram_vectors = 4;
/// Counters of a block in shared memory: as much as a block has without asking for more.
inline constexpr unsigned shared_counters = 12288;

/// The type in which the bin of an element is estimated: one that represents every T, or double.
template <class T>
using bin_estimate = std::conditional_t<std::is_same_v<T, float> || sizeof(T) <= 2, float, double>;

/// Finds bins of nearly equal width by one multiplication. Only an element within `margin` bins of an edge is
/// compared with that edge.
template <class E>
struct even_bin_finder {
  const double* edges;
  std::uint32_t bins;
  E low, high;  ///< the least and the greatest E between the first and the last edge
  E bins_a_unit, margin;

  /// The bins of Items elements, `bins` for none.
  template <std::size_t Items, class T>
  __device__ void find(const order::uninitialized<T, Items>& x, std::uint32_t (&bin)[Items]) const {
    bool any_is_near = false;
#pragma unroll
    for (std::size_t k = 0; k < Items; ++k) {
      const E value = static_cast<E>(x[k]);
      const bool is_inside = value >= low && value <= high;
      const nearest_integer edge((value - low) * bins_a_unit);
      bin[k] = is_inside ? min(edge.integer - (edge.past < 0 ? 1u : 0u), bins - 1) : bins;
      any_is_near = any_is_near || (is_inside && abs(edge.past) <= margin);
    }
    if (!any_is_near) return;
#pragma unroll
    for (std::size_t k = 0; k < Items; ++k) {
      const nearest_integer edge((static_cast<E>(x[k]) - low) * bins_a_unit);
      if (bin[k] == bins || abs(edge.past) > margin) continue;
      const bool is_below = static_cast<double>(x[k]) < edges[edge.integer];
      bin[k] = min(edge.integer - (is_below ? 1u : 0u), bins - 1);
    }
  }

 private:
  /// Rounds a number near the bins by additions: conversions take several times as long.
  struct nearest_integer {
    std::uint32_t integer;
    E past;
    __device__ explicit nearest_integer(E x) {
      // The last bits of this and of the sum are those of an integer.
      constexpr E shift = sizeof(E) == 4 ? E(12582912) : E(6755399441055744);
      const E sum = x + shift;
      past = x - (sum - shift);
      std::conditional_t<sizeof(E) == 4, std::uint32_t, std::uint64_t> bits, bits_of_shift;
      memcpy(&bits, &sum, sizeof bits);
      memcpy(&bits_of_shift, &shift, sizeof bits);
      integer = static_cast<std::uint32_t>(bits - bits_of_shift);
    }
  };
};

/// Calls f(bins of elements) for all elements of an array, by whole warps. `find` fills an array of them;
/// `none` stands for no element.
template <class T, class Bin, class Find, class F>
__device__ void for_bins(const T* x, std::size_t n, Bin none, const Find& find, const F& f) {
  constexpr unsigned items = items_per_vector<T>;
  // Elements before the first vector of 16 bytes, then vectors, then the rest.
  const auto to_vector = static_cast<std::size_t>((16 - misalignment16(x)) % 16 / sizeof(T));
  const std::size_t before = min(to_vector, n), vectors = (n - before) / items;
  const auto* const vector = reinterpret_cast<const uint4*>(x + before);
  constexpr std::size_t tile = std::size_t{histogram_threads} * histogram_vectors;
  for (std::size_t first = blockIdx.x * tile; first < vectors; first += gridDim.x * tile) {
    order::uninitialized<T, items> values[histogram_vectors];
#pragma unroll
    for (unsigned k = 0; k < histogram_vectors; ++k) {
      const std::size_t v = first + k * histogram_threads + threadIdx.x;
      copy_vector<T>(&values[k], vector + min(v, vectors - 1));
    }
#pragma unroll
    for (unsigned k = 0; k < histogram_vectors; ++k) {
      Bin bin[items];
      find(values[k], bin);
      const bool exists = first + k * histogram_threads + threadIdx.x < vectors;
#pragma unroll
      for (unsigned j = 0; j < items; ++j) f(exists ? bin[j] : none);
    }
  }
  if (blockIdx.x == 0) {
    const std::size_t rest = n - vectors * items;  // fewer than two vectors of elements
    const std::size_t i = threadIdx.x < before ? threadIdx.x : threadIdx.x + vectors * items;
    order::uninitialized<T, 1> value;
    value[0] = x[min(i, n - 1)];
    Bin bin[1];
    find(value, bin);
    f(threadIdx.x < rest ? bin[0] : none);
  }
}

/// Counts the elements of each bin in shared memory, where a block has `copies` of the bins.
template <class T>
__global__ void __launch_bounds__(histogram_threads)
    count_even_bins(const T* x, std::size_t n, even_bin_finder<bin_estimate<T>> bin_of, unsigned copies,
                    unsigned long long* counts) {
  __shared__ unsigned shared[shared_counters];
  block_counters<histogram_threads> counters(shared, copies, bin_of.bins, counts);
  const auto find = [&](const auto& values, auto& bin) { bin_of.find(values, bin); };
  for_bins(x, n, bin_of.bins, find, [&](std::uint32_t bin) { counters.add(bin); });
  counters.add_to_grid();
}

/// The same of bins of any widths, and of any number: without copies, elements are counted in global memory.
template <class T>
__global__ void __launch_bounds__(histogram_threads)
    count_bins(const T* x, std::size_t n, impl::bin_finder bin_of, unsigned copies,
               unsigned long long* counts) {
  __shared__ unsigned shared[shared_counters];
  const auto find = [&]<std::size_t Items>(const auto& values, std::size_t (&bin)[Items]) {
#pragma unroll
    for (std::size_t k = 0; k < Items; ++k) bin[k] = bin_of(static_cast<double>(values[k]));
  };
  if (copies == 0)
    return for_bins(x, n, bin_of.bins, find,
                    [&](std::size_t bin) { count_in_grid(counts, bin_of.bins, bin); });
  block_counters<histogram_threads> counters(shared, copies, static_cast<unsigned>(bin_of.bins), counts);
  for_bins(x, n, bin_of.bins, find, [&](std::size_t bin) { counters.add(static_cast<unsigned>(bin)); });
  counters.add_to_grid();
}

template <class T>
struct bin_at {
  const T* x;
  impl::bin_finder bin_of;
  __device__ std::uint32_t operator()(std::size_t i) const {
    return static_cast<std::uint32_t>(bin_of(static_cast<double>(x[i])));
  }
};
struct widened_at {
  const float* x;
  __device__ double operator()(std::size_t i) const { return x[i]; }
};

}  // namespace heddle::gpu
