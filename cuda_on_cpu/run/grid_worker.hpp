#pragma once

#include "cuda_on_cpu/run/cpu_library.hpp"
#include "cuda_on_cpu/run/fiber.hpp"
#include "cuda_on_cpu/run/grid_shape.hpp"
#include "cuda_on_cpu/run/warp.hpp"
#include <heddle/error.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

/// What runs the blocks of a launch: each thread of a block is a fiber, unless threads do not wait for one
/// another.
namespace heddle::cuda_on_cpu {

using heddle_device::barrier_kind;
using heddle_device::index3;
using heddle_device::shared_variable;

using places = std::vector<std::pair<const shared_variable*, std::size_t>>;

/// Shared by all threads of the machine that work on a launch.
struct grid_state {
  const cpu_library& library;
  const cpu_launch& launch;
  const std::uint64_t blocks;
  const std::uint32_t threads_a_block;
  std::atomic<std::uint64_t> next_block{0};
  std::atomic<bool> is_failing{false};

  // Threads that wait at the present barrier of the grid, and that have ended; barriers that were passed.
  std::mutex barrier;
  std::uint64_t at_barrier = 0, ended = 0;
  std::atomic<std::uint64_t> barriers_passed{0};

  // Where shared variables are in a block's memory, which the dynamic ones begin.
  std::mutex layout;
  places known;
  std::size_t static_bytes = 0, kept_bytes = 0;
  static constexpr std::size_t most_kept = 16 * 1024;

  grid_state(const cpu_library& of, const cpu_launch& what)
      : library(of),
        launch(what),
        blocks(volume(what.grid)),
        threads_a_block(static_cast<std::uint32_t>(volume(what.block))) {}

  std::size_t dynamic_bytes() const { return (launch.shared_bytes + 255) / 256 * 256; }
  std::size_t shared_bytes() const { return dynamic_bytes() + most_static_shared + most_kept; }

  void arrive(std::uint64_t waiting, std::uint64_t ending) {
    const std::lock_guard lock(barrier);
    at_barrier += waiting;
    ended += ending;
    if (at_barrier == 0 || at_barrier + ended != blocks * threads_a_block) return;
    at_barrier = 0;
    ++barriers_passed;
  }

  std::size_t place_of(const shared_variable& which) {
    const std::lock_guard lock(layout);
    for (const auto& [variable, place] : known) {
      if (variable == &which) return place;
    }
    const std::size_t alignment = std::max<std::size_t>(which.alignment, 1);
    if (*which.name == '\0') {
      // What functions of the device keep does not count.
      const std::size_t place = (kept_bytes + alignment - 1) / alignment * alignment;
      kept_bytes = place + which.size;
      if (kept_bytes > most_kept) throw error("functions of the device keep too much for a block");
      known.emplace_back(&which, dynamic_bytes() + most_static_shared + place);
      return known.back().second;
    }
    const std::size_t place = (static_bytes + alignment - 1) / alignment * alignment;
    if (place + which.size > most_static_shared) {
      throw error(fmt::format("{} uses {} bytes of static shared memory: a block can have at most {}",
                              launch.declaration->name, place + which.size, most_static_shared));
    }
    static_bytes = place + which.size;
    known.emplace_back(&which, dynamic_bytes() + place);
    return dynamic_bytes() + place;
  }
};

class shared_memory {
 public:
  explicit shared_memory(std::size_t bytes)
      : bytes_(static_cast<std::byte*>(::operator new(bytes, std::align_val_t{alignment}))) {}
  std::byte* data() const { return bytes_.get(); }

 private:
  static constexpr std::size_t alignment = 256;
  struct release {
    void operator()(std::byte* p) const { ::operator delete(p, std::align_val_t{alignment}); }
  };
  std::unique_ptr<std::byte, release> bytes_;
};

/// Why a thread does not go on.
enum class waiting : std::uint8_t { nothing, barrier, numbered_barrier, grid, warp, convergence, done };

struct thread_state {
  fiber context;
  std::byte* stack = nullptr;
  index3 at{};
  std::uint32_t index = 0;
  waiting waits_for = waiting::nothing;
  int predicate = 0, result = 0;
  std::uint32_t number = 0;        // of the barrier that it waits at
  std::uint64_t grid_barrier = 0;  // which one it waits at
  warp_visit visit{};
};

struct block_state {
  block_state(std::size_t shared_bytes, std::uint32_t count) : shared(shared_bytes), threads(count) {}
  shared_memory shared;
  std::vector<thread_state> threads;
  index3 at{};
  std::uint32_t at_barrier = 0, done = 0;
  std::array<std::uint32_t, heddle_device::numbered_barriers> at_number{};
  barrier_kind barrier = barrier_kind::plain;
};

/// A thread of the machine at work on a launch. It is left, and what runs in it dropped, at the first
/// failure.
class grid_worker {
 public:
  explicit grid_worker(grid_state& grid) : grid_(grid) {}
  grid_worker(const grid_worker&) = delete;
  grid_worker& operator=(const grid_worker&) = delete;

  void run();

  // Called by a module.
  int barrier(barrier_kind kind, int predicate);
  void barrier_of(std::uint32_t number, std::uint32_t count);
  void arrive_at(std::uint32_t number, std::uint32_t count);
  void grid_barrier();
  std::uint64_t warp(const warp_visit& visit);
  std::uint32_t converge(std::uintptr_t pc);
  void* shared(const shared_variable& which);
  void yield();
  [[noreturn]] void fail(const std::string& message);

 private:
  thread_state& waiting_thread();
  void run_blocks_plainly();
  bool begin_block();
  bool run_block(block_state& b);
  void resume(thread_state& t);
  bool resolve(block_state& b);
  void complete_barrier(block_state& b);
  bool complete_warp(block_state& b, std::uint32_t first, std::uint32_t mask, const warp_visit& what);
  void converge_lanes(block_state& b, const thread_state& t);
  bool pass_grid_barrier(block_state& b);
  void leave(thread_state& t, waiting why) {
    t.waits_for = why;
    ++progress_;
    fiber::change(t.context, scheduler_);
  }
  std::uint32_t lanes_of_warp(std::uint32_t first) const {
    const std::uint32_t lanes = std::min(grid_.threads_a_block - first, 32u);
    return lanes == 32 ? ~0u : (1u << lanes) - 1;
  }

  grid_state& grid_;
  signal_stack signals_;
  stack_pool stacks_;
  fiber scheduler_, plain_;
  std::vector<std::unique_ptr<block_state>> resident_, spare_;
  block_state* block_ = nullptr;
  thread_state* thread_ = nullptr;  // null where blocks run plainly
  std::exception_ptr failure_;
  std::uint64_t progress_ = 0;
  places known_;
};

/// The worker that runs on this thread.
extern constinit thread_local grid_worker* current_worker;

}  // namespace heddle::cuda_on_cpu
