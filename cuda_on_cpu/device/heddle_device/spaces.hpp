#pragma once

/// Shared memory by addresses of 32 bits, as PTX has them, and copies from global memory that a thread waits
/// for later.

#include "entries.hpp"

namespace heddle_device {

/// Somewhere in the block's shared memory, which is less than 2^31 bytes.
HEDDLE_DEVICE const char* within_shared() {
  static shared_variable dynamic = {"", shared_variable::dynamic, 256, {scalar::u8, 1, nullptr, nullptr}};
  return static_cast<const char*>(heddle_shared(&dynamic));
}
/// What functions of the device keep for each thread of a block. It has no name, is not watched, and does not
/// count among a kernel's shared variables.
template <class T>
HEDDLE_DEVICE T* of_threads() {
  static shared_variable own = {"", 1024 * sizeof(T), 16, {scalar::u8, 1, nullptr, nullptr}};
  return static_cast<T*>(heddle_shared(&own));
}
/// The last bits of an address stay, so that what divides it does.
HEDDLE_DEVICE u32 shared_address(u64 pointer) {
  return static_cast<u32>(pointer);
}
HEDDLE_DEVICE void* shared_pointer(u64 address) {
  const u64 base = reinterpret_cast<u64>(within_shared());
  return reinterpret_cast<void*>(base + static_cast<u64>(static_cast<long long>(static_cast<int>(
                                            static_cast<u32>(address) - static_cast<u32>(base)))));
}
HEDDLE_DEVICE bool is_shared(u64 pointer) {
  const u64 from = pointer - reinterpret_cast<u64>(within_shared()) + (u64{1} << 22);
  return from < u64{1} << 23;
}

#ifdef HEDDLE_WATCHED
HEDDLE_DEVICE void copy_asynchronously(void* to, const void* from, u32 bytes, u32 read) {
  heddle_begin_copy(to, from, bytes, read);
}
HEDDLE_DEVICE void commit_copies() {
  heddle_commit_copies();
}
/// Until no more than the last groups of the thread's are unfinished.
HEDDLE_DEVICE void wait_for_copies(u32 groups) {
  heddle_wait_copies(groups);
}
HEDDLE_DEVICE void wait_for_all_copies() {
  heddle_wait_copies(~0u);
}
#else
HEDDLE_DEVICE void copy_asynchronously(void* to, const void* from, u32 bytes, u32 read) {
  __builtin_memcpy(to, from, read);
  __builtin_memset(static_cast<char*>(to) + read, 0, bytes - read);
}
HEDDLE_DEVICE void commit_copies() {}
HEDDLE_DEVICE void wait_for_copies(u32) {}
HEDDLE_DEVICE void wait_for_all_copies() {}
#endif

}  // namespace heddle_device

HEDDLE_DEVICE size_t __cvta_generic_to_shared(const void* p) {
  return heddle_device::shared_address(reinterpret_cast<heddle_device::u64>(p));
}
HEDDLE_DEVICE void* __cvta_shared_to_generic(size_t address) {
  return heddle_device::shared_pointer(address);
}
HEDDLE_DEVICE unsigned __isShared(const void* p) {
  return heddle_device::is_shared(reinterpret_cast<heddle_device::u64>(p)) ? 1 : 0;
}
// Other memory has the addresses of pointers.
#define HEDDLE_SPACE(NAME)                                         \
  HEDDLE_DEVICE size_t __cvta_generic_to_##NAME(const void* p) {   \
    return reinterpret_cast<size_t>(p);                            \
  }                                                                \
  HEDDLE_DEVICE void* __cvta_##NAME##_to_generic(size_t address) { \
    return reinterpret_cast<void*>(address);                       \
  }
HEDDLE_SPACE(global)
HEDDLE_SPACE(local)
HEDDLE_SPACE(constant)
HEDDLE_SPACE(grid_constant)
#undef HEDDLE_SPACE
