#pragma once

/// cuda::latch, cuda::counting_semaphore and cuda::binary_semaphore (libcu++).

#include <cuda/atomic>
#include <heddle_device/names_begin.hpp>

namespace cuda {

template <thread_scope Scope>
class latch {
 public:
  latch() = default;
  constexpr HEDDLE_DEVICE explicit latch(ptrdiff_t expected) : left_(expected) {}
  latch(const latch&) = delete;
  latch& operator=(const latch&) = delete;
  friend HEDDLE_DEVICE void init(latch* l, ptrdiff_t expected) { l->left_ = expected; }

  HEDDLE_DEVICE void count_down(ptrdiff_t by = 1) {
    if (ref().fetch_sub(by, memory_order::acq_rel) < by) heddle_misuse("the latch is counted down below 0");
  }
  HEDDLE_DEVICE bool try_wait() const { return ref().load(memory_order::acquire) == 0; }
  HEDDLE_DEVICE void wait() const {
    while (!try_wait()) {
    }
  }
  HEDDLE_DEVICE void arrive_and_wait(ptrdiff_t by = 1) {
    count_down(by);
    wait();
  }
  static constexpr ptrdiff_t max() { return 9223372036854775807ll; }

 private:
  HEDDLE_DEVICE atomic_ref<ptrdiff_t, Scope> ref() const { return atomic_ref<ptrdiff_t, Scope>(left_); }
  mutable ptrdiff_t left_;
};

template <thread_scope Scope, ptrdiff_t Most = 2147483647>
class counting_semaphore {
 public:
  counting_semaphore() = default;
  constexpr HEDDLE_DEVICE explicit counting_semaphore(ptrdiff_t count) : count_(count) {}
  counting_semaphore(const counting_semaphore&) = delete;
  counting_semaphore& operator=(const counting_semaphore&) = delete;
  friend HEDDLE_DEVICE void init(counting_semaphore* s, ptrdiff_t count) { s->count_ = count; }

  HEDDLE_DEVICE void release(ptrdiff_t by = 1) {
    if (ref().fetch_add(by, memory_order::acq_rel) + by > Most)
      heddle_misuse("the semaphore is released above its largest count");
  }
  HEDDLE_DEVICE bool try_acquire() {
    ptrdiff_t seen = ref().load(memory_order::acquire);
    while (seen > 0) {
      if (ref().compare_exchange_strong(seen, seen - 1, memory_order::acq_rel)) return true;
    }
    return false;
  }
  HEDDLE_DEVICE void acquire() {
    while (!try_acquire()) {
    }
  }
  template <class Duration>
  HEDDLE_DEVICE bool try_acquire_for(const Duration&) {
    return try_acquire();
  }
  static constexpr ptrdiff_t max() { return Most; }

 private:
  HEDDLE_DEVICE atomic_ref<ptrdiff_t, Scope> ref() const { return atomic_ref<ptrdiff_t, Scope>(count_); }
  mutable ptrdiff_t count_;
};
template <thread_scope Scope>
using binary_semaphore = counting_semaphore<Scope, 1>;

namespace std {
using latch = cuda::latch<thread_scope_system>;
template <ptrdiff_t Most = 2147483647>
using counting_semaphore = cuda::counting_semaphore<thread_scope_system, Most>;
using binary_semaphore = cuda::binary_semaphore<thread_scope_system>;
}  // namespace std

}  // namespace cuda

#include <heddle_device/names_end.hpp>
