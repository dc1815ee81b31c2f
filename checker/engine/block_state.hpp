#pragma once

#include "checker/engine/asynchronous_copy.hpp"
#include "checker/engine/known_clocks.hpp"
#include "checker/engine/launch_tree.hpp"
#include "checker/engine/regions.hpp"
#include "checker/report/finding.hpp"
#include "checker/report/profile.hpp"
#include "cuda_on_cpu/run/fiber.hpp"
#include "cuda_on_cpu/run/warp.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace heddle::checker {

using cuda_on_cpu::fiber;
using cuda_on_cpu::warp_operation;
using cuda_on_cpu::warp_visit;

struct block_state;

/// Why a thread does not go on.
enum class waiting : std::uint8_t {
  nothing,
  barrier,
  numbered_barrier,
  group,
  grid,
  warp,
  convergence,
  done
};

/// Some atomic and volatile writes of other blocks that were seen: the last ones.
class seen_writes {
 public:
  struct entry {
    std::uint32_t block = 0, clock = 0;
  };
  void add(entry e) {
    for (entry& known : entries_) {
      if (known.block == e.block) return void(known.clock = std::max(known.clock, e.clock));
    }
    entries_[next_++ % entries_.size()] = e;
  }
  void add(const seen_writes& others) {
    for (const entry& e : others.entries_) {
      if (e.block != 0) add(e);
    }
  }
  /// Whether one of the block came after what it did at `clock`.
  bool has(std::uint32_t block, std::uint32_t clock) const {
    return std::any_of(entries_.begin(), entries_.end(),
                       [&](const entry& e) { return e.block == block && e.clock >= clock; });
  }
  bool is_empty() const { return next_ == 0; }

 private:
  std::uint32_t next_ = 0;
  std::array<entry, 4> entries_{};
};

/// The part of a thread's state that is reset by one assignment when it begins.
struct alignas(64) thread_facts {
  // Accesses and barriers read these, so they come first.
  std::uintptr_t stack_low = 0;
  std::uintptr_t stack_begin = 0;  // above what the kernel has on it
  block_state* block = nullptr;
  std::uint32_t index = 0;
  std::uint32_t clock = 1;
  std::uint32_t slice = 0;  // accesses until another thread may go on
  waiting waits_for = waiting::nothing;
  bool is_dirty = false;    // has written to global memory since its last fence
  bool has_fenced = false;  // and has written nothing since
  bool is_watched = true;   // its plain accesses
  heddle_device::barrier_kind barrier = heddle_device::barrier_kind::plain;
  std::uintptr_t frame = 0;  // where the module's part of the stack ends
  int line = 0, predicate = 0, result = 0;
  const char* file = nullptr;
  fiber context;
  std::byte* stack = nullptr;
  // The last word that it read without a change: a thread that reads the same again lets others go on.
  const void* looks_at = nullptr;
  seen_writes seen;
  std::uint32_t number = 0;  // of the barrier that it waits at
  // At which groups' barriers it has arrived without having waited since, a bit each; in which phase, and
  // where it last did.
  std::uint8_t arrived = 0;
  bool meets = false;  // it waits without having arrived before
  heddle_device::group_kind group = heddle_device::group_kind::block;  // whose barrier it waits at
  std::array<std::uint32_t, heddle_device::group_kinds> phases{};
  const char* arrived_file = nullptr;
  int arrived_line = 0;
  /// Up to which time of each lane of the warp comes before, when the block's barriers were `lanes_since`.
  std::uint32_t* lanes = nullptr;
  std::uint32_t lanes_since = 0;
  heddle_device::index3 at{};
  warp_visit visit{};

  std::uint64_t sees = 0;
  std::uintptr_t looks_from = 0;
  std::uint32_t looks = 0;
  // A sum over its registers and its stack at an earlier look, and how often it came back to just these while
  // nothing changed: such a thread spins. The sum is taken anew after twice as many looks each time (Brent:
  // An improved Monte Carlo factorization algorithm; BIT 1980).
  std::uint64_t state = 0, changes_at_state = ~std::uint64_t{0};
  std::uint32_t looks_since_state = 0, looks_until_next = 0, returns = 0;

  // Its last volatile write to global memory without a fence before.
  const region* volatile_region = nullptr;
  std::uintptr_t volatile_address = 0;
  std::uint64_t unfenced_writes = 0;
  std::uintptr_t last_write_pc = 0;
};

struct thread_state : thread_facts {
  clocks learnt, pending;
  clocks learnt_last;  // once more, it is nothing new
  clocks released, released_in_block;

  // An index that may be out of an array's bounds, until the access that follows tells the array.
  struct bounds {
    place at;
    std::int64_t index = 0;
    std::string type;                    // of the elements of
    std::vector<std::uint32_t> lengths;  // an array along its axes, of which the index is along the first
    int accesses_since = 0;
  };
  std::unique_ptr<bounds> out_of_bounds;

  struct held_lock {
    const void* address;
    std::uintptr_t pc;
  };
  std::vector<held_lock> locks;

  asynchronous_copies copies;

  // Writes that another thread's write met, until they are done: whether they change what is there.
  struct racing_write {
    std::size_t finding;
    std::uintptr_t address;
    std::uint32_t bytes;
    std::uint64_t before;
  };
  std::vector<racing_write> racing_writes;

  /// For the next thread.
  void begin() {
    static_cast<thread_facts&>(*this) = {};
    for (clocks* const known : {&learnt, &pending, &learnt_last, &released, &released_in_block}) {
      if (*known) known->reset();
    }
    out_of_bounds.reset();
    locks.clear();
    copies.clear();
    racing_writes.clear();
  }
};

/// A barrier of a group at which threads arrive, and wait later: its present phase.
struct group_barrier {
  std::uint32_t phase = 0;
  std::uint64_t arrived = 0, met = 0;       // met: arrived and waits at once
  std::vector<known_clocks::entry> before;  // of those that have arrived
  clocks learnt;                            // by them
  clocks completed;                         // what comes before whoever waits for the last phase
};

struct cluster_state;

struct block_state {
  std::uint32_t serial = 0;
  bool is_watched = true;
  std::uint32_t base = 1;      // all that its threads did before this time comes before all they do now
  std::uint32_t barriers = 0;  // that it has passed
  heddle_device::index3 at{};
  std::vector<thread_state> threads;
  std::deque<std::uint32_t> ready;
  std::uint32_t at_barrier = 0, at_grid = 0, at_warp = 0, done = 0;
  std::array<std::uint32_t, heddle_device::numbered_barriers> at_number{};
  /// By threads that have arrived at barriers of a number and have gone on.
  std::array<clocks, heddle_device::numbered_barriers> arrived_at_number{};
  group_barrier barrier;
  group_barrier barrier_of_cluster;  // of the first block alone
  cluster_state* cluster = nullptr;  // null where each block is one
  std::uint64_t changes_seen = 0, yields = 0;
  std::uint64_t turn = 0;  // how often threads may still go on before other blocks do
  clocks learnt;           // by all of its threads
  clocks released;         // what an atomic of any of its threads publishes without a fence of its own
  seen_writes seen;        // before its last barrier
  std::unique_ptr<shared_memory> shared;
  std::unique_ptr<std::uint32_t[]> lanes;  // of all threads
  std::vector<warp_trace> traces;          // of warps, while they are profiled
};

/// Blocks that run together.
struct cluster_state {
  std::vector<block_state*> blocks;                // by their ranks
  std::vector<std::unique_ptr<block_state>> over;  // whose threads have all ended
};

}  // namespace heddle::checker
