#pragma once

#include "finding.hpp"
#include "known_clocks.hpp"
#include "launch.hpp"
#include "launch_memory.hpp"
#include "modules/fiber.hpp"
#include "modules/warp.hpp"
#include "regions.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace heddle::checker {

using modules::fiber;
using modules::stack_pool;
using modules::warp_operation;
using modules::warp_visit;

struct block_state;

/// Why a thread does not go on.
enum class waiting : std::uint8_t { nothing, barrier, grid, warp, convergence, done };

struct thread_state {
  // What accesses and barriers look at comes first.
  std::uintptr_t stack_low = 0;
  block_state* block = nullptr;
  std::uint32_t index = 0;
  std::uint32_t clock = 1;
  std::uint32_t slice = 0;  // accesses until another thread may go on
  waiting waits_for = waiting::nothing;
  bool is_dirty = false;  // has written to global memory since its last fence
  heddle_device::barrier_kind barrier = heddle_device::barrier_kind::plain;
  int line = 0, predicate = 0, result = 0;
  const char* file = nullptr;
  fiber context;
  std::byte* stack = nullptr;
  clocks learnt, pending;
  /// Up to which time of each lane of the warp comes before, when the block's barriers were `lanes_since`.
  std::uint32_t* lanes = nullptr;
  std::uint32_t lanes_since = 0;
  heddle_device::index3 at{};

  clocks released, released_in_block;
  warp_visit visit{};

  // What it last saw and did not change: a thread that sees the same again spins.
  const void* spins_on = nullptr;
  std::uint64_t spins_seeing = 0;
  std::uintptr_t spins_at = 0;
  std::uint32_t spins = 0;

  // What may be an index out of an array's bounds, until the access that follows says of which.
  struct bounds {
    std::int64_t index = 0;
    std::uint64_t extent = 0;
    std::string file, type;
    std::size_t line = 0;
    int accesses_since = 0;
  };
  std::unique_ptr<bounds> out_of_bounds;

  struct held_lock {
    const void* address;
    std::uintptr_t pc;
  };
  std::vector<held_lock> locks;
  std::uint64_t unfenced_writes = 0;
  std::uintptr_t last_write_pc = 0;
};

/// Numbers for the order of threads: SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number
/// generators; OOPSLA 2014).
class thread_order {
 public:
  using result_type = std::uint64_t;
  void seed(std::uint64_t s) { state_ = s; }
  static constexpr std::uint64_t min() { return 0; }
  static constexpr std::uint64_t max() { return ~std::uint64_t{0}; }
  std::uint64_t operator()() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }

 private:
  std::uint64_t state_ = 0;
};

struct block_state {
  std::uint32_t serial = 0;
  std::uint32_t base = 1;      // all that its threads did before this time comes before all they do now
  std::uint32_t barriers = 0;  // that it has passed
  heddle_device::index3 at{};
  std::vector<thread_state> threads;
  std::deque<std::uint32_t> ready;
  std::uint32_t at_barrier = 0, at_grid = 0, done = 0;
  std::uint64_t progress_seen = 0, yields = 0;
  clocks learnt;    // by all of its threads
  clocks released;  // what an atomic of any of its threads publishes without a fence of its own
  std::unique_ptr<shared_memory> shared;
  std::unique_ptr<std::uint32_t[]> lanes;  // of all threads
};

/// What cannot be launched is a heddle::error.
void check_launch(const module& compiled, const launch_options& options);

/// Runs blocks of one kernel under one schedule after another.
class engine {
 public:
  /// Of the grid's blocks it runs those from first_block to before last_block, in their order.
  engine(const module& compiled, const launch_memory& memory, const launch_options& options,
         std::uint64_t first_block, std::uint64_t last_block);
  engine(const engine&) = delete;
  engine& operator=(const engine&) = delete;

  /// On memory as it is before a launch.
  void run_schedule(std::size_t schedule);
  bool is_stopping() const { return is_stopping_; }
  /// Finds the races between the blocks of two engines that ran under the same schedule at once.
  void compare(const engine& other);
  launch_outcome result();

  // What a module calls, from the fiber of thread `t`.
  void access(thread_state& t, std::uintptr_t address, std::size_t bytes, std::uint8_t flags,
              std::uintptr_t pc);
  void volatile_access(thread_state& t, std::uintptr_t address, std::size_t bytes, bool writes,
                       std::uintptr_t pc);
  void copy(thread_state& t, void* to, const void* from, std::size_t bytes, std::uintptr_t pc);
  void set(thread_state& t, void* to, int value, std::size_t bytes, std::uintptr_t pc);
  std::uint64_t atomic(thread_state& t, void* address, std::uint64_t operand, std::uint64_t expected,
                       heddle_device::atomic_request request, std::uintptr_t pc);
  void fence(thread_state& t, heddle_device::scope scope);
  int barrier(thread_state& t, heddle_device::barrier_kind kind, int predicate, const char* file, int line);
  void grid_barrier(thread_state& t, const char* file, int line);
  std::uint64_t warp(thread_state& t, const warp_visit& visit);
  std::uint32_t converge(thread_state& t, std::uintptr_t pc);
  void* shared(heddle_device::shared_variable& which);
  void sleep(thread_state& t);
  void index_out_of_bounds(thread_state& t, const char* file, std::size_t line, std::int64_t index,
                           const std::string& type, std::uintptr_t pc);
  void misaligned(thread_state& t, std::uintptr_t address, const char* file, std::size_t line,
                  std::size_t alignment, const std::string& type, std::uintptr_t pc);
  void failed_assertion(thread_state& t, const char* expression, const char* file, unsigned line);
  void trap(thread_state& t, std::uintptr_t pc);
  void print(std::string_view text) {
    if (schedule_ == 0) outcome_.printed += text;
  }
  std::int64_t ticks() { return static_cast<std::int64_t>(++ticks_ * 32); }
  const launch_options& options() const { return options_; }
  const module& compiled() const { return module_; }

  /// From another thread: what runs is to stop at its next access, because nothing has changed for long.
  void end_hang() { hangs_.store(true, std::memory_order_relaxed); }
  static constexpr std::uintptr_t hang = ~std::uintptr_t{0};  // the address of a crash that is none
  static constexpr const char* without_end =
      "it neither ends nor waits, and nothing changes any more: a loop cannot see what others write unless "
      "it "
      "reads it as volatile or atomic";

  /// From a signal: the instruction at `pc` cannot go on. Ends the launch; does not return.
  [[noreturn]] void crash(thread_state& t, std::uintptr_t pc, const char* what, std::uintptr_t address);
  bool is_in_module(std::uintptr_t pc) const { return pc >= module_.base() && pc < module_.end(); }
  /// Changes as long as memory does, or threads pass barriers and end; asked from another thread.
  std::uint64_t heartbeat() const { return __atomic_load_n(&progress_, __ATOMIC_RELAXED); }

 private:
  // Running.
  bool begin_block();
  void end_block(std::size_t i);
  bool run_block(block_state& b);
  void resume(thread_state& t);
  static void fiber_body(void* thread);
  void leave(thread_state& t);
  void yield(thread_state& t, bool spins);
  void maybe_spin(thread_state& t, const void* address, std::uint64_t value, std::uintptr_t pc);
  [[noreturn]] void stop(thread_state& t);
  void order(std::vector<std::uint32_t>& threads);
  bool resolve(block_state& b);
  bool resolve_grid();
  void report_deadlock();
  void make_ready(block_state& b, thread_state& t);

  // Barriers and warps.
  void complete_barrier(block_state& b);
  void pass_barrier(block_state& b);
  void report_barrier(block_state& b);
  bool complete_warp(block_state& b, std::uint32_t first_lane, std::uint32_t mask, const warp_visit& what);
  void finish_visit(block_state& b, std::uint32_t warp_first, std::uint32_t arrived,
                    warp_operation operation);
  bool resolve_warps(block_state& b);
  void synchronise_lanes(block_state& b, std::uint32_t warp_first, std::uint32_t lanes);

  // Memory.
  void touch(thread_state& t, region& r, std::uintptr_t address, std::size_t bytes, std::uint8_t flags,
             std::uint8_t scope, std::uintptr_t pc);
  void touch_written(thread_state& t, region& r, std::uintptr_t address, std::size_t bytes,
                     std::uint8_t flags, std::uintptr_t pc);
  void touch_cell(thread_state& t, region& r, cell& c, std::uint8_t mask, std::uint8_t flags,
                  std::uint8_t scope, std::uintptr_t address, std::uintptr_t pc, bool observes);
  static constexpr std::uint32_t longest_slice = 200000;
  void change_threads(thread_state& t, std::uintptr_t pc);
  record& least_telling(cell& c, std::uint32_t block, std::uint8_t flags);
  bool comes_before(const record& r, const thread_state& t, const block_state& b) const;
  region* find(thread_state& t, std::uintptr_t address);
  void outside(thread_state& t, region& r, std::uintptr_t address, std::size_t bytes, std::uint8_t flags,
               std::uintptr_t pc);
  void nowhere(thread_state& t, std::uintptr_t address, std::size_t bytes, std::uint8_t flags,
               std::uintptr_t pc);
  void take_lock(thread_state& t, const void* address, std::uintptr_t pc);
  void release_lock(thread_state& t, const void* address, std::uintptr_t pc);
  clocks now_of(const thread_state& t) const;
  void learn(thread_state& t, const clocks& what);

  // Reports.
  finding* report(finding_kind kind, std::uintptr_t pc1, std::uintptr_t pc2, const void* about);
  void count_again(finding_kind kind, std::uintptr_t pc1, std::uintptr_t pc2, const void* about);
  place place_of(const thread_state& t, std::string what, std::uintptr_t pc) const;
  place place_of(const record& r) const;
  void name_element(finding& f, const region& r, std::uintptr_t address) const;
  void report_race(thread_state& t, region& r, const record& before, std::uint8_t flags, std::uint8_t scope,
                   std::uintptr_t address, std::uintptr_t pc);
  void report_race(const region& r, std::uintptr_t address, const record& one, const record& other);
  void flush_bounds(thread_state& t);

  const module& module_;
  const launch_memory& memory_;
  const launch_options options_;
  launch_outcome outcome_;

  std::vector<std::unique_ptr<region>> regions_;  // of global memory
  region* last_region_ = nullptr;
  shared_layout layout_;

  stack_pool stacks_;
  fiber scheduler_;
  std::vector<std::unique_ptr<block_state>> blocks_, spare_;
  const std::uint64_t first_block_, last_block_, all_blocks_;
  const std::uint32_t threads_a_block_;
  std::uint64_t next_block_ = 0;
  std::uint32_t first_serial_ = 1, grid_base_ = 1;
  std::size_t schedule_ = 0;
  thread_order random_;
  std::vector<std::uint32_t> released_threads_;
  bool is_stopping_ = false;
  std::string failure_;  // why it could not be run
  heddle_device::shared_variable dynamic_{};
  bool slices_ = false;
  std::atomic<bool> hangs_{false};

  std::uint64_t progress_ = 0, ticks_ = 0;
  std::uint64_t watched_ = 0;
  unsigned reads_dropped_ = 0;

  struct synchronisation {
    clocks to_all, to_block;
    std::uint32_t block = 0;
  };
  std::unordered_map<std::uintptr_t, synchronisation> synchronisations_;
  std::unordered_map<std::uint64_t, std::size_t> reported_;
};

/// The engine and the thread that the calling thread of this machine runs now; null for none.
struct running {
  engine* by = nullptr;
  thread_state* thread = nullptr;
};
extern thread_local running now;

}  // namespace heddle::checker
