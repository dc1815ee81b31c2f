#pragma once

/// malloc, free, new and delete, as the linker is told: what kernels allocate is of the device's heap, what
/// the host does is watched, and memory of the CUDA runtime's is not for free.

#include "entries.hpp"
#include "runtime.hpp"

#include <stddef.h>

extern "C" {
/// The runtime that a program has, set before its variables are initialised; null for a kernel alone.
inline heddle_device::runtime* heddle_module_runtime = nullptr;
}

#ifdef HEDDLE_WATCHED
#define HEDDLE_MEMORY extern "C" __attribute__((used, noinline, no_sanitize("thread"))) inline

#define HEDDLE_FREEING_FUNCTIONS(X)                               \
  X(free, "free", (void* what), (what))                           \
  X(_ZdlPv, "delete", (void* what), (what))                       \
  X(_ZdlPvm, "delete", (void* what, size_t bytes), (what, bytes)) \
  X(_ZdaPv, "delete[]", (void* what), (what))                     \
  X(_ZdaPvm, "delete[]", (void* what, size_t bytes), (what, bytes))
#define HEDDLE_FREES(SYMBOL, NAME, PARAMETERS, ARGUMENTS)                                  \
  extern "C" void __real_##SYMBOL PARAMETERS;                                              \
  HEDDLE_MEMORY void __wrap_##SYMBOL PARAMETERS {                                          \
    if (heddle_in_kernel() != 0) return heddle_release(what, __builtin_return_address(0)); \
    if (heddle_module_runtime == nullptr ||                                                \
        !heddle_module_runtime->is_not_the_hosts(NAME, what, __builtin_return_address(0))) \
      __real_##SYMBOL ARGUMENTS;                                                           \
  }
HEDDLE_FREEING_FUNCTIONS(HEDDLE_FREES)
#undef HEDDLE_FREES
#undef HEDDLE_FREEING_FUNCTIONS

extern "C" void* __real_malloc(size_t bytes);
extern "C" void* __real_calloc(size_t count, size_t bytes);
extern "C" void* __real_realloc(void* what, size_t bytes);
extern "C" void* __real__Znam(size_t bytes);
extern "C" void* __real__Znwm(size_t bytes);
namespace heddle_device {
inline void* allocated_by_host(size_t bytes, bool is_written, const void* at) {
  return heddle_module_runtime == nullptr ? nullptr
                                          : heddle_module_runtime->allocate_host(bytes, is_written, at);
}
}  // namespace heddle_device
HEDDLE_MEMORY void* __wrap_malloc(size_t bytes) {
  if (heddle_in_kernel() != 0) return heddle_allocate(bytes, __builtin_return_address(0));
  void* const made = heddle_device::allocated_by_host(bytes, false, __builtin_return_address(0));
  return made != nullptr ? made : __real_malloc(bytes);
}
HEDDLE_MEMORY void* __wrap_calloc(size_t count, size_t bytes) {
  size_t all = 0;
  if (__builtin_mul_overflow(count, bytes, &all)) return __real_calloc(count, bytes);
  void* const made = heddle_device::allocated_by_host(all, true, __builtin_return_address(0));
  return made != nullptr ? made : __real_calloc(count, bytes);
}
HEDDLE_MEMORY void* __wrap_realloc(void* what, size_t bytes) {
  const bool is_watched = heddle_module_runtime != nullptr && heddle_module_runtime->is_watched_host(what);
  return is_watched ? heddle_module_runtime->reallocate_host(what, bytes, __builtin_return_address(0))
                    : __real_realloc(what, bytes);
}
HEDDLE_MEMORY void* __wrap__Znam(size_t bytes) {
  if (heddle_in_kernel() != 0) return heddle_allocate(bytes, __builtin_return_address(0));
  void* const made = heddle_device::allocated_by_host(bytes, false, __builtin_return_address(0));
  return made != nullptr ? made : __real__Znam(bytes);
}
HEDDLE_MEMORY void* __wrap__Znwm(size_t bytes) {
  return heddle_in_kernel() != 0 ? heddle_allocate(bytes, __builtin_return_address(0)) : __real__Znwm(bytes);
}
#undef HEDDLE_MEMORY
#endif
