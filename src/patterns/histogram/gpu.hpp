#pragma once

#include "gpu/entry.hpp"
#include <heddle/dtype.hpp>
#include <heddle/target.hpp>

#include <cstddef>
#include <cstdint>

namespace heddle::impl {
struct bin_finder;
}  // namespace heddle::impl

namespace heddle::gpu {

HEDDLE_GPU_ENTRY(histogram, void(dtype type, const void* x, std::size_t n, impl::bin_finder bin_of,
                                 std::uint64_t* counts, const target& where));
HEDDLE_GPU_ENTRY(find_bins, void(dtype type, const void* x, std::size_t n, impl::bin_finder bin_of,
                                 std::uint32_t* bins, const target& where));
HEDDLE_GPU_ENTRY(widen, void(const float* x, std::size_t n, double* out, const target& where));

}  // namespace heddle::gpu
