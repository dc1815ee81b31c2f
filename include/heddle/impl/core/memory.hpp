#pragma once

#include <heddle/impl/core/target.hpp>
#include <heddle/memory.hpp>
#include <heddle/target.hpp>

#include <cstddef>
#include <cstring>
#include <new>

namespace heddle::impl {

/// From now on, work on the stream of `later` waits for what is on that of `earlier` now. Does nothing on one
/// stream or on the CPU.
void order(const target& earlier, const target& later);
/// The same without throwing: waits for `earlier` when it cannot order them.
void order_or_wait(const target& earlier, const target& later) noexcept;

/// Memory of the calling thread for a value of so many bytes, which a GPU can write and a CPU can read; null
/// where it is too small. Every call returns the same.
void* value_slot(const target& gpu, std::size_t bytes);

/// The value that write(T* to) leaves in memory of `where`; waits for it.
template <class T, class Write>
T written_value(const target& where, const Write& write) {
  alignas(T) unsigned char value[sizeof(T)];
  if (!where.is_gpu()) {
    write(reinterpret_cast<T*>(value));
  } else if (void* const slot = value_slot(where, sizeof(T)); slot != nullptr) {
    write(static_cast<T*>(slot));
    where.wait();
    std::memcpy(value, slot, sizeof value);
  } else {
    const memory on_gpu(sizeof(T), where);
    write(static_cast<T*>(on_gpu.data()));
    copy(value, target(), on_gpu.data(), where, sizeof value);
  }
  return *std::launder(reinterpret_cast<const T*>(value));
}

}  // namespace heddle::impl
