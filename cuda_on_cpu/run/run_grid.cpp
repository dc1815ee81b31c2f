#include "cuda_on_cpu/run/cpu_library.hpp"
#include "cuda_on_cpu/run/grid_worker.hpp"
#include <heddle/support/fork.hpp>
#include <heddle/support/threads.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <fmt/core.h>

namespace heddle::cuda_on_cpu {
namespace {

// Called by modules.
// Nothing is done for threads that no worker runs: what initialises a module's variables calls these, too.

#define HEDDLE_PC reinterpret_cast<std::uintptr_t>(__builtin_return_address(0))

int entry_heddle_barrier(barrier_kind kind, int predicate, const char*, int) {
  return current_worker->barrier(kind, predicate);
}
void entry_heddle_barrier_of(unsigned number, unsigned count, const char*, int) {
  current_worker->barrier_of(number, count);
}
void entry_heddle_arrive_at(unsigned number, unsigned count, const char*, int) {
  current_worker->arrive_at(number, count);
}
void entry_heddle_misuse(const char* what) {
  current_worker->fail(what);
}
void entry_heddle_refuse(const char* what) {
  current_worker->fail(what);
}
void entry_heddle_grid_barrier(const char*, int) {
  current_worker->grid_barrier();
}
void entry_heddle_sync_warp(unsigned mask) {
  current_worker->warp({warp_operation::sync, 0, false, mask, 0, 0, 32, HEDDLE_PC, 0});
}
unsigned long long entry_heddle_shuffle(heddle_device::shuffle_kind kind, unsigned mask,
                                        unsigned long long value, int argument, int width) {
  return current_worker->warp({warp_operation::shuffle, static_cast<std::uint8_t>(kind), false, mask, value,
                               argument, width, HEDDLE_PC, 0});
}
unsigned long long entry_heddle_vote(heddle_device::vote_kind kind, unsigned mask, unsigned long long value,
                                     int is_signed) {
  return current_worker->warp({warp_operation::vote, static_cast<std::uint8_t>(kind), is_signed != 0, mask,
                               value, 0, 32, HEDDLE_PC, 0});
}
unsigned entry_heddle_active_mask(int) {
  return current_worker->converge(HEDDLE_PC);
}
void* entry_heddle_shared(shared_variable* which) {
  return current_worker->shared(*which);
}
long long entry_heddle_clock(int) {
  return std::chrono::steady_clock::now().time_since_epoch().count();
}
void entry_heddle_sleep(unsigned) {
  if (current_worker != nullptr) current_worker->yield();
}
void entry_heddle_trap() {
  current_worker->fail("the kernel called __trap()");
}
void entry___assert_fail(const char* expression, const char* file, unsigned line, const char*) {
  current_worker->fail(fmt::format("{}:{}: assertion '{}' failed", file, line, expression));
}

void entry_nothing() {}
void entry_volatile_read(void*) {
  thread_local unsigned reads = 0;
  if (++reads % 64 == 0) entry_heddle_sleep(0);
}

/// What the compiler's instrumentation of an access does.
void* access_function(std::string_view name) {
  return name.find("volatile_read") != std::string_view::npos ? reinterpret_cast<void*>(&entry_volatile_read)
                                                              : reinterpret_cast<void*>(&entry_nothing);
}

}  // namespace

std::span<void* const> unwatched_functions() {
#define HEDDLE_ACCESS(NAME) access_function(#NAME),
#define HEDDLE_FUNCTION(NAME) reinterpret_cast<void*>(&entry_##NAME),
  constinit static made_once<std::vector<void*>> functions;
  return functions.get([] {
    return std::vector<void*>{HEDDLE_ACCESS_FUNCTIONS(HEDDLE_ACCESS)
                                  HEDDLE_UNWATCHED_FUNCTIONS(HEDDLE_FUNCTION)};
  });
#undef HEDDLE_ACCESS
#undef HEDDLE_FUNCTION
}

void run_grid(const cpu_library& library, const cpu_launch& launch) {
  grid_state grid(library, launch);
  // Few threads have ended before others of the machine have begun.
  constexpr std::uint64_t threads_worth_a_thread = 2048;
  const std::uint64_t worthwhile = grid.blocks * grid.threads_a_block / threads_worth_a_thread;
  const auto workers = static_cast<int>(std::clamp<std::uint64_t>(
      std::min(grid.blocks, worthwhile), 1, static_cast<std::uint64_t>(std::max(launch.threads, 1))));
  cpu::on_threads(workers, static_cast<std::size_t>(workers), [&] { grid_worker(grid).run(); });
}

}  // namespace heddle::cuda_on_cpu
