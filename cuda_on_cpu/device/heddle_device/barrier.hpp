#pragma once

/// cuda::barrier and cuda::memcpy_async (CUDA C++ Programming Guide, asynchronous barrier; libcu++).

#include <cuda/atomic>
#include <heddle_device/names_begin.hpp>
#include <heddle_device/phases.hpp>

namespace cuda {

namespace std {
struct empty_completion {
  HEDDLE_DEVICE void operator()() const {}
};
}  // namespace std

template <size_t Alignment>
struct aligned_size_t {
  static constexpr size_t align = Alignment;
  size_t value;
  explicit constexpr aligned_size_t(size_t n) : value(n) {}
  constexpr operator size_t() const { return value; }
};

template <thread_scope Scope, class Completion = std::empty_completion>
class barrier {
 public:
  class arrival_token {
   public:
    arrival_token() = default;

   private:
    friend barrier;
    explicit HEDDLE_DEVICE arrival_token(unsigned phase) : phase_(phase) {}
    unsigned phase_ = 0;
  };

  barrier() = default;
  HEDDLE_DEVICE barrier(ptrdiff_t expected, Completion completion = Completion()) : completion_(completion) {
    heddle_device::begin_phases(&word_, expected);
  }
  barrier(const barrier&) = delete;
  barrier& operator=(const barrier&) = delete;

  friend HEDDLE_DEVICE void init(barrier* b, ptrdiff_t expected) {
    heddle_device::begin_phases(&b->word_, expected);
  }
  friend HEDDLE_DEVICE void init(barrier* b, ptrdiff_t expected, Completion completion) {
    b->completion_ = completion;
    heddle_device::begin_phases(&b->word_, expected);
  }

  [[nodiscard]] HEDDLE_DEVICE arrival_token arrive(ptrdiff_t count = 1) {
    return arrival_token(heddle_device::arrive_in_phase(&word_, scope, count, 0, completion_));
  }
  HEDDLE_DEVICE void wait(arrival_token&& token) const {
    while (!try_wait(token)) {
    }
  }
  HEDDLE_DEVICE void wait_parity(bool parity) const {
    while (!try_wait_parity(parity)) {
    }
  }
  HEDDLE_DEVICE void arrive_and_wait() { wait(arrive()); }
  HEDDLE_DEVICE void arrive_and_drop() { heddle_device::arrive_and_leave(&word_, scope, completion_); }
  HEDDLE_DEVICE bool try_wait(const arrival_token& token) const {
    return !heddle_device::is_in_phase(&word_, scope, token.phase_);
  }
  HEDDLE_DEVICE bool try_wait_parity(bool parity) const {
    return !heddle_device::is_in_phase_of_parity(&word_, scope, parity);
  }
  template <class Duration>
  HEDDLE_DEVICE bool try_wait_for(const arrival_token& token, const Duration&) const {
    return try_wait(token);
  }
  template <class Duration>
  HEDDLE_DEVICE bool try_wait_parity_for(bool parity, const Duration&) const {
    return try_wait_parity(parity);
  }
  static constexpr ptrdiff_t max() { return heddle_device::phase_state::most; }

  /// For functions of cuda::device.
  HEDDLE_DEVICE unsigned long long* word() const { return &word_; }
  HEDDLE_DEVICE arrival_token arrive_with_bytes(ptrdiff_t count, ptrdiff_t bytes) {
    return arrival_token(heddle_device::arrive_in_phase(&word_, scope, count, bytes, completion_));
  }

 private:
  static constexpr heddle_device::scope scope = heddle_detail::scope_of(Scope);
  mutable unsigned long long word_;
  [[no_unique_address]] Completion completion_;
};

namespace std {
template <class Completion = empty_completion>
using barrier = cuda::barrier<thread_scope_system, Completion>;
}

namespace device {
using native_barrier = unsigned long long;
template <thread_scope Scope>
HEDDLE_DEVICE native_barrier* barrier_native_handle(barrier<Scope>& b) {
  return b.word();
}
template <thread_scope Scope>
HEDDLE_DEVICE auto barrier_arrive_tx(barrier<Scope>& b, ptrdiff_t count, ptrdiff_t bytes) {
  return b.arrive_with_bytes(count, bytes);
}
template <thread_scope Scope>
HEDDLE_DEVICE void barrier_expect_tx(barrier<Scope>& b, ptrdiff_t bytes) {
  heddle_device::expect_bytes(b.word(), heddle_device::scope::block, bytes);
}
/// The calling thread copies at once, and tells the barrier: who reads before the phase ends races with it.
template <size_t Alignment>
HEDDLE_DEVICE void memcpy_async_tx(void* to, const void* from, aligned_size_t<Alignment> size,
                                   barrier<thread_scope_block>& b) {
  heddle_device::copy_share(to, from, size, 0, 1, false);
  heddle_device::expect_bytes(b.word(), heddle_device::scope::block, -static_cast<ptrdiff_t>(size.value));
}
}  // namespace device

// -------------------------------------------------------------------------------------- memcpy_async

namespace heddle_detail {
/// What waits for it flushes the copies of its thread: a barrier, a pipeline.
template <class Group, class Size>
HEDDLE_DEVICE void copy_in_group(const Group& group, void* to, const void* from, Size size) {
  heddle_device::copy_share(to, from, size, static_cast<unsigned>(group.thread_rank()),
                            static_cast<unsigned>(group.size()),
                            heddle_device::may_be_asynchronous(to, from));
}
struct one_thread {
  static HEDDLE_DEVICE unsigned thread_rank() { return 0; }
  static HEDDLE_DEVICE unsigned size() { return 1; }
};
}  // namespace heddle_detail

enum class async_contract_fulfillment { none, async };

template <class Group, class T, class Size, thread_scope Scope, class Completion>
HEDDLE_DEVICE async_contract_fulfillment memcpy_async(const Group& group, T* to, const T* from, Size size,
                                                      barrier<Scope, Completion>&) {
  heddle_detail::copy_in_group(group, to, from, size);
  return async_contract_fulfillment::async;
}
template <class Group, class Size, thread_scope Scope, class Completion>
HEDDLE_DEVICE async_contract_fulfillment memcpy_async(const Group& group, void* to, const void* from,
                                                      Size size, barrier<Scope, Completion>&) {
  heddle_detail::copy_in_group(group, to, from, size);
  return async_contract_fulfillment::async;
}
template <class T, class Size, thread_scope Scope, class Completion>
HEDDLE_DEVICE async_contract_fulfillment memcpy_async(T* to, const T* from, Size size,
                                                      barrier<Scope, Completion>&) {
  heddle_detail::copy_in_group(heddle_detail::one_thread(), to, from, size);
  return async_contract_fulfillment::async;
}

}  // namespace cuda

#include <heddle_device/names_end.hpp>
