#pragma once

#include <heddle/impl/target.hpp>
#include <heddle/memory.hpp>
#include <heddle/target.hpp>

#include <cstddef>

namespace heddle::impl {

/// Work put on `later` from here on waits for what is on `earlier` now. Nothing to do on one stream or on the
/// CPU.
void order(const target& earlier, const target& later);
/// The same where nothing may be thrown; it waits for `earlier` when it cannot put them in order.
void order_or_wait(const target& earlier, const target& later) noexcept;

/// Memory of the calling thread that a GPU can write a value of so many bytes to and a CPU can read; null for
/// more than there is. The next call gives the same.
void* value_slot(const target& gpu, std::size_t bytes);

}  // namespace heddle::impl
