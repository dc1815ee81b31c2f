#pragma once

#include <heddle/impl/core/target.hpp>
#include <heddle/memory.hpp>
#include <heddle/target.hpp>

#include <cstddef>

namespace heddle::impl {

/// From now on, work on the stream of `later` waits for what is on that of `earlier` now. Does nothing on one
/// stream or on the CPU.
void order(const target& earlier, const target& later);
/// The same without throwing: waits for `earlier` when it cannot order them.
void order_or_wait(const target& earlier, const target& later) noexcept;

/// Memory of the calling thread for a value of so many bytes, which a GPU can write and a CPU can read; null
/// where it is too small. Every call returns the same.
void* value_slot(const target& gpu, std::size_t bytes);

}  // namespace heddle::impl
