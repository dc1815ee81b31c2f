#pragma once

/// The atomics of a program's host part, which g++ turns into calls where it instruments: they are what they
/// were. clang++ is told to leave them. The names and types are those of its instrumentation
/// (gcc/sanitizer.def).

#include "host.hpp"

#if defined(HEDDLE_PROGRAM) && !defined(__clang__)

#define HEDDLE_HOST_ATOMIC \
  __attribute__((weak, visibility("hidden"), used, no_sanitize("thread"), no_sanitize("undefined")))
#define HEDDLE_FETCH(T, BITS, NAME)                                                     \
  HEDDLE_HOST_ATOMIC T __tsan_atomic##BITS##_fetch_##NAME(volatile void* p, T v, int) { \
    return __atomic_fetch_##NAME(static_cast<volatile T*>(p), v, __ATOMIC_SEQ_CST);     \
  }
#define HEDDLE_EXCHANGE_IF(T, BITS, NAME, IS_WEAK)                                                          \
  HEDDLE_HOST_ATOMIC bool __tsan_atomic##BITS##_compare_exchange_##NAME(volatile void* p, void* expected,   \
                                                                        T v, int, int) {                    \
    if (heddle_device::program_runtime() != nullptr) heddle_device::program_runtime()->exchange_by_host(p); \
    return __atomic_compare_exchange_n(static_cast<volatile T*>(p), static_cast<T*>(expected), v, IS_WEAK,  \
                                       __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                                 \
  }
#define HEDDLE_ATOMICS_OF_SIZE(T, BITS)                                             \
  HEDDLE_HOST_ATOMIC T __tsan_atomic##BITS##_load(const volatile void* p, int) {    \
    return __atomic_load_n(static_cast<const volatile T*>(p), __ATOMIC_SEQ_CST);    \
  }                                                                                 \
  HEDDLE_HOST_ATOMIC void __tsan_atomic##BITS##_store(volatile void* p, T v, int) { \
    __atomic_store_n(static_cast<volatile T*>(p), v, __ATOMIC_SEQ_CST);             \
  }                                                                                 \
  HEDDLE_HOST_ATOMIC T __tsan_atomic##BITS##_exchange(volatile void* p, T v, int) { \
    return __atomic_exchange_n(static_cast<volatile T*>(p), v, __ATOMIC_SEQ_CST);   \
  }                                                                                 \
  HEDDLE_FETCH(T, BITS, add)                                                        \
  HEDDLE_FETCH(T, BITS, sub)                                                        \
  HEDDLE_FETCH(T, BITS, and)                                                        \
  HEDDLE_FETCH(T, BITS, or)                                                         \
  HEDDLE_FETCH(T, BITS, xor)                                                        \
  HEDDLE_FETCH(T, BITS, nand)                                                       \
  HEDDLE_EXCHANGE_IF(T, BITS, strong, false)                                        \
  HEDDLE_EXCHANGE_IF(T, BITS, weak, true)

extern "C" {
HEDDLE_ATOMICS_OF_SIZE(unsigned char, 8)
HEDDLE_ATOMICS_OF_SIZE(unsigned short, 16)
HEDDLE_ATOMICS_OF_SIZE(unsigned int, 32)
HEDDLE_ATOMICS_OF_SIZE(unsigned long, 64)
HEDDLE_HOST_ATOMIC void __tsan_atomic_thread_fence(int) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
HEDDLE_HOST_ATOMIC void __tsan_atomic_signal_fence(int) {
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
}

#undef HEDDLE_HOST_ATOMIC
#undef HEDDLE_FETCH
#undef HEDDLE_EXCHANGE_IF
#undef HEDDLE_ATOMICS_OF_SIZE

#endif
