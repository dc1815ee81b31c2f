#pragma once

#include <cstddef>

namespace heddle::impl {

/// Arrays on the CPU of so many bytes or more are noted while they live.
constexpr std::size_t large_array_bytes = std::size_t{16} << 20;

/// Notes an array that begins on a page.
void note_large_array(void* data, std::size_t bytes);
void forget_large_array(void* data) noexcept;

/// Of all that are noted.
std::size_t bytes_of_large_arrays();

/// How much of them holds no memory yet, as the system gives it when a page is first used. It looks at every
/// page: about 1 ms for a GiB.
std::size_t untouched_bytes_of_large_arrays();

}  // namespace heddle::impl
