#pragma once

/// __pipeline_* and __mbarrier_* (cuda_pipeline_primitives.h, cuda_awbarrier_primitives.h).

#include <heddle_device/names_begin.hpp>
#include <heddle_device/phases.hpp>

HEDDLE_DEVICE void __pipeline_memcpy_async(void* to, const void* from, size_t n, size_t zeros = 0) {
  if (zeros > n) heddle_misuse("__pipeline_memcpy_async fills more bytes with zeros than it copies");
  heddle_device::copy_asynchronously(to, from, static_cast<unsigned>(n), static_cast<unsigned>(n - zeros));
}
HEDDLE_DEVICE void __pipeline_commit() {
  heddle_device::commit_copies();
}
HEDDLE_DEVICE void __pipeline_wait_prior(size_t groups) {
  heddle_device::wait_for_copies(static_cast<unsigned>(groups));
}

using __mbarrier_t = unsigned long long;
using __mbarrier_token_t = unsigned long long;

/// A barrier expects so many arrivals, at most.
HEDDLE_DEVICE constexpr unsigned __mbarrier_maximum_count() {
  return heddle_device::phase_state::most;
}
HEDDLE_DEVICE void __mbarrier_init(__mbarrier_t* b, unsigned expected) {
  heddle_device::begin_phases(b, expected);
}
HEDDLE_DEVICE void __mbarrier_inval(__mbarrier_t* b) {
  *b = 0;
}
/// The token is the state before.
HEDDLE_DEVICE __mbarrier_token_t __mbarrier_arrive(__mbarrier_t* b) {
  return heddle_device::arrive_in_phase(b, heddle_device::scope::block, 1, 0,
                                        heddle_device::nothing_to_complete());
}
HEDDLE_DEVICE __mbarrier_token_t __mbarrier_arrive_and_drop(__mbarrier_t* b) {
  const auto before = heddle_device::phase_state::of(
      heddle_device::phase_word(b, heddle_device::scope::block, heddle_device::order::relaxed));
  heddle_device::arrive_and_leave(b, heddle_device::scope::block, heddle_device::nothing_to_complete());
  return before.phase;
}
HEDDLE_DEVICE bool __mbarrier_test_wait(__mbarrier_t* b, __mbarrier_token_t token) {
  return !heddle_device::is_in_phase(b, heddle_device::scope::block, static_cast<unsigned>(token));
}
HEDDLE_DEVICE bool __mbarrier_test_wait_parity(__mbarrier_t* b, bool parity) {
  return !heddle_device::is_in_phase_of_parity(b, heddle_device::scope::block, parity);
}
HEDDLE_DEVICE bool __mbarrier_try_wait(__mbarrier_t* b, __mbarrier_token_t token, unsigned = 0) {
  return __mbarrier_test_wait(b, token);
}
HEDDLE_DEVICE bool __mbarrier_try_wait_parity(__mbarrier_t* b, bool parity, unsigned = 0) {
  return __mbarrier_test_wait_parity(b, parity);
}
/// The barrier is told when the thread's copies so far are done, beside the arrivals that it expects.
HEDDLE_DEVICE void __pipeline_arrive_on(__mbarrier_t* b) {
  heddle_device::wait_for_all_copies();
  heddle_device::expect_bytes(b, heddle_device::scope::block, 0);
}

#include <heddle_device/names_end.hpp>
