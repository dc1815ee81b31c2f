#pragma once

#include <heddle/compiler.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>

/// The cache of kernels compiled from source, in the user's cache folder.
namespace heddle {

struct kernel_cache_contents {
  std::filesystem::path folder;
  std::size_t entries = 0;
  std::uint64_t bytes = 0, most_bytes = 0;
};

/// The contents of the user's cache. Throws heddle::error when it cannot be used.
kernel_cache_contents inspect_kernel_cache();

/// Removes all entries, and leftovers of killed processes.
void clear_kernel_cache();

/// Limits the size of the cache from now on, for every process of this user. The least recently used entries
/// are removed first. The environment variable HEDDLE_CACHE_SIZE overrides it.
void limit_kernel_cache(std::uint64_t bytes);

}  // namespace heddle
