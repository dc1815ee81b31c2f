#pragma once

/// Barriers of a block, fences, clocks. A barrier knows where it is written: barriers that meet are compared
/// by that.

#include "entries.hpp"

HEDDLE_DEVICE void __syncthreads(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  heddle_barrier(heddle_device::barrier_kind::plain, 0, file, line);
}
HEDDLE_DEVICE int __syncthreads_count(int predicate, const char* file = __builtin_FILE(),
                                      int line = __builtin_LINE()) {
  return heddle_barrier(heddle_device::barrier_kind::count, predicate, file, line);
}
HEDDLE_DEVICE int __syncthreads_and(int predicate, const char* file = __builtin_FILE(),
                                    int line = __builtin_LINE()) {
  return heddle_barrier(heddle_device::barrier_kind::all, predicate, file, line);
}
HEDDLE_DEVICE int __syncthreads_or(int predicate, const char* file = __builtin_FILE(),
                                   int line = __builtin_LINE()) {
  return heddle_barrier(heddle_device::barrier_kind::any, predicate, file, line);
}

/// Barriers of so many of a block's threads, whole warps.
HEDDLE_DEVICE void __barrier_sync_count(unsigned number, unsigned count, const char* file = __builtin_FILE(),
                                        int line = __builtin_LINE()) {
  heddle_barrier_of(number, count, file, line);
}
HEDDLE_DEVICE void __barrier_sync(unsigned number, const char* file = __builtin_FILE(),
                                  int line = __builtin_LINE()) {
  const heddle_device::index3 size = heddle_block_size();
  heddle_barrier_of(number, size.x * size.y * size.z, file, line);
}

HEDDLE_DEVICE void __threadfence_block() {
  heddle_fence(heddle_device::scope::block);
}
HEDDLE_DEVICE void __threadfence() {
  heddle_fence(heddle_device::scope::device);
}
HEDDLE_DEVICE void __threadfence_system() {
  heddle_fence(heddle_device::scope::system);
}

HEDDLE_DEVICE void __syncwarp(unsigned mask = 0xffffffffu) {
  heddle_sync_warp(mask);
}

extern "C" long clock() noexcept;
HEDDLE_DEVICE long long clock64() {
  return heddle_clock(0);
}

HEDDLE_DEVICE unsigned long long globaltimer() {
  return heddle_clock(1);
}
HEDDLE_DEVICE void __nanosleep(unsigned nanoseconds) {
  heddle_sleep(nanoseconds);
}
HEDDLE_DEVICE void __trap() {
  heddle_trap();
}
HEDDLE_DEVICE void __brkpt() {
  heddle_trap();
}
