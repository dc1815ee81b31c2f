#pragma once

#include "patterns/histogram/bin_finder.hpp"
#include <heddle/dtype.hpp>

#include <cstddef>
#include <cstdint>

namespace heddle::cpu {

/// Adds to the counts of the bins.
void count_bins(dtype type, const void* x, std::size_t n, const impl::bin_finder& bin_of,
                std::uint64_t* counts, int threads);
/// The bin of each element, or the number of bins for none.
void find_bins(dtype type, const void* x, std::size_t n, const impl::bin_finder& bin_of, std::uint32_t* bins,
               int threads);

}  // namespace heddle::cpu
