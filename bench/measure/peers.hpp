#pragma once

#include "session.hpp"

#include <cstddef>
#include <cstdint>

/// The same work by CUB and Thrust on a GPU, with scratch memory ready where their calls take it. A build
/// without CUDA, and a target that is no GPU, has none. Pointers are on the GPU.
namespace heddle::measure {

/// For float and std::int64_t.
template <class T>
contenders cub_sort(const session& with, const T* x, T* out, std::size_t n, std::function<bool()> is_right);

contenders cub_segmented_sum(const session& with, const float* x, const std::size_t* offsets,
                             std::size_t segments, float* out, std::function<bool()> is_right);
/// By a key for each element.
contenders thrust_scan_by_key(const session& with, const std::uint32_t* keys, const float* x, float* out,
                              std::size_t n, std::function<bool()> is_right);
contenders thrust_gather(const session& with, const float* x, const std::uint32_t* indices, float* out,
                         std::size_t n, std::function<bool()> is_right);
contenders thrust_scatter(const session& with, const float* x, const std::uint32_t* indices, float* out,
                          std::size_t n, std::function<bool()> is_right);
contenders thrust_lower_bound(const session& with, const float* sorted, std::size_t n, const float* values,
                              std::size_t count, std::size_t* out, std::function<bool()> is_right);
/// `bins` bins of width 1 from 0 on.
contenders cub_histogram(const session& with, const float* x, std::size_t n, int bins, std::uint32_t* counts,
                         std::function<bool()> is_right);
contenders cub_copy_if(const session& with, const float* x, const bool* flags, std::size_t n, float* out,
                       std::function<bool()> is_right);
contenders cub_unique(const session& with, const float* x, std::size_t n, float* out,
                      std::function<bool()> is_right);
contenders cub_argmax(const session& with, const float* x, std::size_t n, float* greatest,
                      std::int64_t* index, std::function<bool()> is_right);
/// The indices of the extrema go to `smallest` and `largest`, on the CPU.
contenders thrust_minmax(const session& with, const float* x, std::size_t n, std::size_t* smallest,
                         std::size_t* largest, std::function<bool()> is_right);
/// A sum of 32-bit words: the ceiling of what reads n of them.
contenders cub_read(const session& with, const std::uint32_t* x, std::size_t n);

}  // namespace heddle::measure
