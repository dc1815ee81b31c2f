#include "patterns/histogram/cpu.hpp"

#include "cpu/slice_memory.hpp"
#include "patterns/sort/sortable.hpp"
#include <heddle/impl/core/thresholds.hpp>
#include <heddle/support/threads.hpp>

#include <algorithm>
#include <mutex>
#include <vector>

namespace heddle::cpu {
namespace {

/// Adds to the counts of the bins, and to one after them of what is in none.
template <class T>
void count_bins(const T* x, std::size_t n, const impl::bin_finder& bin_of, std::uint64_t* counts) {
  if (bin_of.bins > impl::threshold.histogram_few_bins) {
    for (std::size_t i = 0; i < n; ++i) ++counts[bin_of(static_cast<double>(x[i]))];
    return;
  }
  // Neighbours that fall into one bin do not wait for each other's counts.
  constexpr std::size_t at_once = 4;
  const std::size_t apart = bin_of.bins + 1;
  std::vector<std::uint64_t> several(at_once * apart);
  std::size_t i = 0;
  for (; i + at_once <= n; i += at_once) {
    for (std::size_t k = 0; k < at_once; ++k) ++several[k * apart + bin_of(static_cast<double>(x[i + k]))];
  }
  for (; i < n; ++i) ++several[bin_of(static_cast<double>(x[i]))];
  for (std::size_t first = 0; first < several.size(); first += apart) {
    for (std::size_t bin = 0; bin < bin_of.bins; ++bin) counts[bin] += several[first + bin];
  }
}

/// Elements of so few values that each value's bin is looked up.
template <class T>
void count_values(const T* x, std::size_t n, const impl::bin_finder& bin_of, std::uint64_t* counts) {
  static_assert(sizeof(T) == 1);
  std::uint64_t of_value[256] = {};
  for (std::size_t i = 0; i < n; ++i) ++of_value[static_cast<std::uint8_t>(x[i])];
  for (int value = 0; value < 256; ++value) {
    const std::size_t bin = bin_of(static_cast<double>(static_cast<T>(value)));
    if (bin < bin_of.bins) counts[bin] += of_value[value];
  }
}

}  // namespace

void count_bins(dtype type, const void* x, std::size_t n, const impl::bin_finder& bin_of,
                std::uint64_t* counts, int threads) {
  const std::size_t bins = bin_of.bins;
  // Each thread has counts of its own, at most one set a thread where they are many.
  constexpr std::size_t fewest = impl::threshold.histogram_grain;
  const std::size_t grain =
      std::max({fewest, bins,
                bins > impl::threshold.histogram_many_bins ? n / static_cast<std::size_t>(threads) + 1 : 0});
  slice_memory of_slices(threads, n, grain, (bins + 1) * sizeof(std::uint64_t));
  std::mutex adding;
  impl::with_ordered_type(type, [&]<class T>(T) {
    for_slices(threads, n, grain, [&](std::size_t first, std::size_t last) {
      const slice_memory::piece piece(of_slices);
      auto* const mine = reinterpret_cast<std::uint64_t*>(piece.data());
      std::fill_n(mine, bins + 1, std::uint64_t{0});
      const T* const from = static_cast<const T*>(x) + first;
      if constexpr (sizeof(T) == 1) {
        count_values(from, last - first, bin_of, mine);
      } else {
        count_bins(from, last - first, bin_of, mine);
      }
      std::lock_guard lock(adding);
      for (std::size_t bin = 0; bin < bins; ++bin) counts[bin] += mine[bin];
    });
  });
}

void find_bins(dtype type, const void* x, std::size_t n, const impl::bin_finder& bin_of, std::uint32_t* bins,
               int threads) {
  constexpr std::size_t grain = impl::threshold.find_bins_grain;
  impl::with_ordered_type(type, [&]<class T>(T) {
    for_slices(threads, n, grain, [&](std::size_t first, std::size_t last) {
      const T* const from = static_cast<const T*>(x);
      for (std::size_t i = first; i < last; ++i)
        bins[i] = static_cast<std::uint32_t>(bin_of(static_cast<double>(from[i])));
    });
  });
}

}  // namespace heddle::cpu
