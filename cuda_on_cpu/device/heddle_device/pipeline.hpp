#pragma once

/// cuda::pipeline (CUDA C++ Programming Guide, asynchronous data copies using cuda::pipeline).

#include <heddle_device/barrier.hpp>
#include <heddle_device/names_begin.hpp>

namespace cuda {

enum class pipeline_role { producer, consumer };

/// Barriers of each stage: when it has been filled, and when it is free again.
template <thread_scope Scope, unsigned char Stages>
class pipeline_shared_state {
 public:
  pipeline_shared_state() = default;
  pipeline_shared_state(const pipeline_shared_state&) = delete;
  pipeline_shared_state& operator=(const pipeline_shared_state&) = delete;

 private:
  template <thread_scope>
  friend class pipeline;
  unsigned long long filled_[Stages], free_[Stages];
};

template <thread_scope Scope>
class pipeline {
 public:
  template <class Group, unsigned char Stages>
  HEDDLE_DEVICE pipeline(const Group& group, pipeline_shared_state<Scope, Stages>* state, size_t producers,
                         bool produces, bool consumes)
      : filled_(state->filled_),
        free_(state->free_),
        stages_(Stages),
        produces_(produces),
        consumes_(consumes) {
    const size_t all = group.size(), consumers = producers == all ? all : all - producers;
    if (producers == 0 || producers > all)
      heddle_misuse("a pipeline has from one producer to all threads of its group");
    if (group.thread_rank() == 0) {
      for (unsigned i = 0; i < Stages; ++i) {
        heddle_device::begin_phases(&filled_[i], static_cast<ptrdiff_t>(producers));
        heddle_device::begin_phases(&free_[i], static_cast<ptrdiff_t>(consumers));
      }
    }
    group.sync();
  }

  HEDDLE_DEVICE void producer_acquire() {
    if (!produces_) heddle_misuse("a consumer of the pipeline acquires a stage");
    // In the first turn the phase before the first counts as over.
    while (heddle_device::is_in_phase_of_parity(&free_[head_ % stages_], scope, head_ / stages_ % 2 == 0)) {
    }
  }
  HEDDLE_DEVICE void producer_commit() {
    if (!produces_) heddle_misuse("a consumer of the pipeline commits a stage");
    heddle_device::arrive_in_phase(&filled_[head_++ % stages_], scope, 1, 0,
                                   heddle_device::nothing_to_complete());
  }
  HEDDLE_DEVICE void consumer_wait() {
    if (!consumes_) heddle_misuse("a producer of the pipeline waits for a stage");
    while (heddle_device::is_in_phase_of_parity(&filled_[tail_ % stages_], scope, tail_ / stages_ % 2 != 0)) {
    }
  }
  HEDDLE_DEVICE void consumer_release() {
    if (!consumes_) heddle_misuse("a producer of the pipeline releases a stage");
    heddle_device::arrive_in_phase(&free_[tail_++ % stages_], scope, 1, 0,
                                   heddle_device::nothing_to_complete());
  }
  template <class Duration>
  HEDDLE_DEVICE bool consumer_wait_for(const Duration&) {
    consumer_wait();
    return true;
  }
  /// The thread is expected at none of its barriers any more.
  HEDDLE_DEVICE bool quit() {
    for (unsigned i = 0; i < stages_; ++i) {
      if (produces_)
        heddle_device::arrive_and_leave(&filled_[i], scope, heddle_device::nothing_to_complete());
      if (consumes_) heddle_device::arrive_and_leave(&free_[i], scope, heddle_device::nothing_to_complete());
    }
    return true;
  }

 private:
  static constexpr heddle_device::scope scope = heddle_detail::scope_of(Scope);
  unsigned long long *filled_, *free_;
  unsigned stages_, head_ = 0, tail_ = 0;
  bool produces_, consumes_;
};

/// Of one thread: its stages are the groups of its copies.
template <>
class pipeline<thread_scope_thread> {
 public:
  pipeline() = default;
  HEDDLE_DEVICE void producer_acquire() {}
  HEDDLE_DEVICE void producer_commit() {
    heddle_device::commit_copies();
    ++head_;
  }
  HEDDLE_DEVICE void consumer_wait() {
    if (tail_ == head_) heddle_misuse("the pipeline waits for a stage that was not committed");
    heddle_device::wait_for_copies(head_ - tail_ - 1);
  }
  HEDDLE_DEVICE void consumer_release() { ++tail_; }
  template <class Duration>
  HEDDLE_DEVICE bool consumer_wait_for(const Duration&) {
    consumer_wait();
    return true;
  }
  static HEDDLE_DEVICE bool quit() { return true; }

 private:
  unsigned head_ = 0, tail_ = 0;
};

HEDDLE_DEVICE pipeline<thread_scope_thread> make_pipeline() {
  return {};
}
template <class Group, thread_scope Scope, unsigned char Stages>
HEDDLE_DEVICE pipeline<Scope> make_pipeline(const Group& group, pipeline_shared_state<Scope, Stages>* state) {
  return {group, state, group.size(), true, true};
}
/// The first threads are producers, the others consumers.
template <class Group, thread_scope Scope, unsigned char Stages>
HEDDLE_DEVICE pipeline<Scope> make_pipeline(const Group& group, pipeline_shared_state<Scope, Stages>* state,
                                            size_t producers) {
  const bool produces = group.thread_rank() < producers;
  return {group, state, producers, produces, !produces || producers == group.size()};
}
/// Threads are counted while they are made.
template <class Group, thread_scope Scope, unsigned char Stages>
HEDDLE_DEVICE pipeline<Scope> make_pipeline(const Group& group, pipeline_shared_state<Scope, Stages>* state,
                                            pipeline_role role) {
  const bool produces = role == pipeline_role::producer;
  const size_t producers = static_cast<size_t>(__syncthreads_count(produces ? 1 : 0));
  return {group, state, producers, produces, !produces};
}
template <unsigned char Prior>
HEDDLE_DEVICE void pipeline_consumer_wait_prior(pipeline<thread_scope_thread>&) {
  heddle_device::wait_for_copies(Prior);
}
template <class Scoped>
HEDDLE_DEVICE void pipeline_producer_commit(pipeline<thread_scope_thread>&, Scoped&) {
  heddle_device::commit_copies();
}

template <class Group, class T, class Size, thread_scope Scope>
HEDDLE_DEVICE async_contract_fulfillment memcpy_async(const Group& group, T* to, const T* from, Size size,
                                                      pipeline<Scope>&) {
  heddle_detail::copy_in_group(group, to, from, size);
  return async_contract_fulfillment::async;
}
template <class T, class Size, thread_scope Scope>
HEDDLE_DEVICE async_contract_fulfillment memcpy_async(T* to, const T* from, Size size, pipeline<Scope>&) {
  heddle_detail::copy_in_group(heddle_detail::one_thread(), to, from, size);
  return async_contract_fulfillment::async;
}

}  // namespace cuda

#include <heddle_device/names_end.hpp>
