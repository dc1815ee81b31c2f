#pragma once

#include <heddle/array.hpp>
#include <heddle/compiler.hpp>
#include <heddle/distributed_array.hpp>
#include <heddle/dtype.hpp>
#include <heddle/error.hpp>
#include <heddle/histogram.hpp>
#include <heddle/impl/distributed/blocks.hpp>
#include <heddle/impl/patterns/histogram/front.hpp>
#include <heddle/impl/patterns/sort/ranks.hpp>
#include <heddle/memory.hpp>
#include <heddle/operators.hpp>
#include <heddle/ranks.hpp>
#include <heddle/shape.hpp>
#include <heddle/sort_order.hpp>

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace heddle::impl {

template <class T>
bin_edges edges_for(const even_bins& bins) {
  return impl::edges_of(dtype_of<T>, bins);
}
template <class T>
bin_edges edges_for(const std::vector<double>& edges) {
  return impl::edges_of(edges.data(), edges.size());
}

inline namespace HD_BUILD {

/// The sum of the n weights of a bin, which are distributed; this rank's begin at number `first`. In the
/// order of library_sum_bins.
template <class W>
W sum_over_ranks(const ranks& all, const array_view<const W>& own, std::size_t first, std::size_t n) {
  constexpr bool is_single = std::is_same_v<W, float> || std::is_same_v<W, std::complex<float>>;
  if constexpr (is_single) {
    using wide = std::conditional_t<is_complex<W>, std::complex<double>, double>;
    const memory widened = library_widened(own.data(), own.size() * (is_complex<W> ? 2 : 1), all.where());
    const array_view<const wide> values(static_cast<const wide*>(widened.data()), shape{own.size()},
                                        all.where());
    return static_cast<W>(reduce_over_ranks<wide>(all, values, first, n, plus{}));
  } else {
    return reduce_over_ranks<W>(all, own, first, n, plus{});
  }
}

/// The sums of the weights in each bin, for the elements of this rank at x and their weights.
///
/// The weights are sorted by bin over ranks, stably, so that those of a bin are in the order of the array,
/// in even blocks. Each rank sums the bins that begin in its block; all ranks together sum the bins that go
/// on in another, of which there are fewer than ranks.
template <element W>
array<W> weighted_histogram_over_ranks(const ranks& all, dtype type, const void* x, const bin_edges& edges,
                                       const distributed_array<W>& weights) {
  const std::size_t bins = edges.bins(), own = weights.local().size(),
                    size = static_cast<std::size_t>(all.size()), me = static_cast<std::size_t>(all.rank());
  operation running("histogram", weights.size(), name(type));
  running.runs_on(all.where());
  if (size == 1) {
    array<W> sums(bins, all.where());
    library_weighted_histogram(type, x, own, edges, dtype_of<W>, weights.local().data(), sums.data(),
                               all.where());
    return sums.on({});
  }
  array<std::uint32_t> bin_of_each(own, all.where());
  library_find_bins(type, x, own, edges, bin_of_each.data(), all.where());
  array<std::uint64_t> counts(bins, all.where());
  library_histogram(type, x, own, edges, counts.data(), all.where());
  const std::vector<std::size_t> begin = begins_of_bins(summed_counts(all, counts.on({})).to_vector());
  const distributed_array<W> ordered =
      sort_by_key_over_ranks<std::uint32_t, W>("histogram", all, std::as_const(bin_of_each).view(),
                                               weights.local().reshaped({own}), weights.size(),
                                               sort_order::ascending)
          .second;

  // The first bin that begins in the block of each rank, or after it.
  const std::vector<std::size_t>& blocks = ordered.begins();
  std::vector<std::size_t> first_bin(size + 1, bins);
  for (std::size_t r = 0; r < size; ++r)
    first_bin[r] =
        static_cast<std::size_t>(std::lower_bound(begin.begin(), begin.end() - 1, blocks[r]) - begin.begin());
  const auto in_block = [&](std::size_t place) {
    return std::clamp(place, blocks[me], blocks[me + 1]) - blocks[me];
  };
  std::vector<std::size_t> begin_in_block;
  for (std::size_t k = first_bin[me]; k <= first_bin[me + 1]; ++k)
    begin_in_block.push_back(in_block(begin[k]));
  array<W> own_sums(first_bin[me + 1] - first_bin[me], all.where());
  if (own_sums.size() > 0)
    library_sum_bins(dtype_of<W>, ordered.local().data(), begin_in_block, own_sums.data(), all.where());

  array<W> sums(bins);
  std::vector<std::size_t> bytes;
  for (std::size_t r = 0; r < size; ++r) bytes.push_back((first_bin[r + 1] - first_bin[r]) * sizeof(W));
  const array<W> own_on_cpu = own_sums.on(target());
  all.between().all_gather(own_on_cpu.data(), bytes, sums.data());
  for (std::size_t r = 1, last = bins; r < size; ++r) {
    const auto k =
        static_cast<std::size_t>(std::upper_bound(begin.begin(), begin.end(), blocks[r]) - begin.begin()) - 1;
    if (k >= bins || k == last || begin[k] == blocks[r]) continue;
    last = k;
    const std::size_t from = in_block(begin[k]), to = in_block(begin[k + 1]);
    sums.data()[k] = sum_over_ranks(all, ordered.local().slice(from, to),
                                    from < to ? blocks[me] + from - begin[k] : 0, begin[k + 1] - begin[k]);
  }
  return sums;
}

}  // namespace HD_BUILD

}  // namespace heddle::impl
