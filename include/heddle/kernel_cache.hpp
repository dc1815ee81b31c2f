#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>

/// What compilers made of kernels from source, kept in the user's cache folder from one process to the next.
namespace heddle {

struct kernel_cache_contents {
  std::filesystem::path folder;
  std::size_t entries = 0;
  std::uint64_t bytes = 0, most_bytes = 0;
};

/// What is in the user's cache. heddle::error when that cannot be used.
kernel_cache_contents look_into_kernel_cache();

/// Removes all entries, and what killed processes left.
void clear_kernel_cache();

/// How many bytes the cache may have from now on, in every process of this user. Entries that were not used
/// for longest are removed first. The environment's HEDDLE_CACHE_SIZE overrides it.
void limit_kernel_cache(std::uint64_t bytes);

}  // namespace heddle
