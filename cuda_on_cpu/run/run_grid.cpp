#include "cuda_on_cpu/run/cpu_library.hpp"
#include "cuda_on_cpu/run/fiber.hpp"
#include "cuda_on_cpu/run/grid_shape.hpp"
#include "cuda_on_cpu/run/warp.hpp"
#include <heddle/error.hpp>
#include <heddle/support/fork.hpp>
#include <heddle/support/threads.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/core.h>

namespace heddle::jit {
namespace {

using heddle_device::barrier_kind;
using heddle_device::index3;
using heddle_device::shared_variable;

using places = std::vector<std::pair<const shared_variable*, std::size_t>>;

/// What all threads of the machine that work on a launch share.
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
class worker {
 public:
  explicit worker(grid_state& grid) : grid_(grid) {}
  worker(const worker&) = delete;
  worker& operator=(const worker&) = delete;

  void run();

  // What a module calls.
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

/// Who runs the kernel that calls.
thread_local worker* current = nullptr;

void worker::run() {
  worker* const before = std::exchange(current, this);
  if (grid_.launch.declaration->threads_are_independent) {
    // On a stack of its own, which a thread that fails can leave at once.
    plain_.begin(stacks_.take(), [](void* self) { static_cast<worker*>(self)->run_blocks_plainly(); }, this);
    fiber::change(scheduler_, plain_);
  } else {
    while (!failure_ && !grid_.is_failing) {
      const std::uint64_t progress = progress_;
      for (std::size_t i = 0; i < resident_.size() && !failure_;) {
        if (run_block(*resident_[i])) {
          grid_.arrive(0, grid_.threads_a_block);
          spare_.push_back(std::move(resident_[i]));
          resident_.erase(resident_.begin() + static_cast<std::ptrdiff_t>(i));
        } else {
          ++i;
        }
      }
      // Blocks that wait do so for others, which may not have begun yet.
      if (begin_block()) continue;
      if (resident_.empty()) break;
      if (progress_ == progress) std::this_thread::yield();
    }
  }
  current = before;
  if (failure_) {
    grid_.is_failing = true;
    std::rethrow_exception(failure_);
  }
}

void worker::run_blocks_plainly() {
  const cpu_launch& launch = grid_.launch;
  block_state block(grid_.shared_bytes(), 0);
  block_ = &block;
  // A few blocks at a time, so that small ones are not slowed by the counter.
  const std::uint64_t at_once = std::clamp<std::uint64_t>(4096 / grid_.threads_a_block, 1, 64);
  while (!grid_.is_failing) {
    const std::uint64_t first = grid_.next_block.fetch_add(at_once);
    if (first >= grid_.blocks) break;
    for (std::uint64_t i = first; i < std::min(first + at_once, grid_.blocks); ++i) {
      const heddle_device::position where{{}, split(i, launch.grid), launch.block, launch.grid};
      grid_.library.enter(&where);
      launch.kernel->run_block(launch.arguments);
    }
  }
  fiber::change(plain_, scheduler_);
}

bool worker::begin_block() {
  const std::uint64_t number = grid_.next_block.fetch_add(1);
  if (number >= grid_.blocks) {
    grid_.next_block.store(grid_.blocks);
    return false;
  }
  if (spare_.empty())
    spare_.push_back(std::make_unique<block_state>(grid_.shared_bytes(), grid_.threads_a_block));
  std::unique_ptr<block_state> b = std::move(spare_.back());
  spare_.pop_back();
  b->at = split(number, grid_.launch.grid);
  b->at_barrier = b->done = 0;
  b->at_number = {};
  for (std::uint32_t i = 0; i < grid_.threads_a_block; ++i) {
    thread_state& t = b->threads[i];
    t.at = split(i, grid_.launch.block);
    t.index = i;
    t.waits_for = waiting::nothing;
  }
  resident_.push_back(std::move(b));
  return true;
}

/// Lets a block's threads go on until all have ended (true), or all wait for other blocks.
bool worker::run_block(block_state& b) {
  block_ = &b;
  const heddle_device::position where{{}, b.at, grid_.launch.block, grid_.launch.grid};
  grid_.library.enter(&where);
  // Threads that only look whether something has changed, round after round, wait for another block.
  constexpr int idle_rounds = 64;
  for (int idle = 0; idle < idle_rounds && !grid_.is_failing; ++idle) {
    const std::uint64_t progress = progress_;
    bool some_went_on = false;
    for (thread_state& t : b.threads) {
      if (t.waits_for != waiting::nothing) continue;
      some_went_on = true;
      resume(t);
      if (failure_) return false;
    }
    if (b.done == grid_.threads_a_block) return true;
    if (!some_went_on) {
      if (!resolve(b)) return false;
      idle = 0;
    } else if (progress_ != progress) {
      idle = 0;
    }
  }
  return false;
}

void worker::resume(thread_state& t) {
  if (t.stack == nullptr) {
    t.stack = stacks_.take();
    const auto body = [](void* self) {
      worker& w = *static_cast<worker*>(self);
      w.grid_.launch.kernel->call(w.grid_.launch.arguments);
      w.leave(*w.thread_, waiting::done);
    };
    t.context.begin(t.stack, body, this);
  }
  thread_ = &t;
  grid_.library.enter_thread(t.at.x, t.at.y, t.at.z);
  fiber::change(scheduler_, t.context);
  if (t.waits_for != waiting::done) return;
  ++block_->done;
  stacks_.give(t.stack);
  t.stack = nullptr;
}

/// What a block can still do in which no thread is under way. Says whether some go on; false when they wait
/// for other blocks.
bool worker::resolve(block_state& b) {
  if (b.at_barrier + b.done == grid_.threads_a_block) {
    complete_barrier(b);
    return true;
  }
  bool is_at_grid = false;
  for (const thread_state& t : b.threads) {
    is_at_grid |= t.waits_for == waiting::grid;
    if (t.waits_for == waiting::warp && complete_warp(b, t.index / 32 * 32, t.visit.mask, t.visit))
      return true;
    if (t.waits_for == waiting::convergence) {
      converge_lanes(b, t);
      return true;
    }
  }
  if (is_at_grid) return pass_grid_barrier(b);
  failure_ =
      std::make_exception_ptr(error(fmt::format("{}: threads of block ({},{},{}) wait for one another and "
                                                "none can go on: barriers or masks that not every "
                                                "thread reaches (heddle check says which)",
                                                grid_.launch.declaration->name, b.at.x, b.at.y, b.at.z)));
  return false;
}

thread_state& worker::waiting_thread() {
  if (thread_ == nullptr)
    fail("its threads wait for one another in a function that the source does not call by its name");
  return *thread_;
}

int worker::barrier(barrier_kind kind, int predicate) {
  thread_state& t = waiting_thread();
  t.predicate = predicate;
  block_->barrier = kind;
  ++block_->at_barrier;
  leave(t, waiting::barrier);
  return t.result;
}

void worker::barrier_of(std::uint32_t number, std::uint32_t count) {
  thread_state& own = waiting_thread();
  own.number = number;
  own.waits_for = waiting::numbered_barrier;
  arrive_at(number, count);
  leave(own, own.waits_for);
}

void worker::arrive_at(std::uint32_t number, std::uint32_t count) {
  if (number >= block_->at_number.size())
    fail(fmt::format("barrier {}: barriers are numbered from 0 to {}", number, block_->at_number.size() - 1));
  if (++block_->at_number[number] != count) return;
  block_->at_number[number] = 0;
  for (thread_state& t : block_->threads) {
    if (t.waits_for == waiting::numbered_barrier && t.number == number) t.waits_for = waiting::nothing;
  }
}

void worker::complete_barrier(block_state& b) {
  int count = 0;
  for (const thread_state& t : b.threads) count += t.waits_for == waiting::barrier && t.predicate != 0;
  const int result = b.barrier == barrier_kind::count ? count
                     : b.barrier == barrier_kind::all ? static_cast<std::uint32_t>(count) == b.at_barrier
                                                      : count != 0;
  for (thread_state& t : b.threads) {
    if (t.waits_for != waiting::barrier) continue;
    t.result = result;
    t.waits_for = waiting::nothing;
  }
  b.at_barrier = 0;
}

void worker::grid_barrier() {
  waiting_thread().grid_barrier = grid_.barriers_passed;
  grid_.arrive(1, 0);
  leave(*thread_, waiting::grid);
}

bool worker::pass_grid_barrier(block_state& b) {
  const std::uint64_t passed = grid_.barriers_passed;
  bool some = false;
  for (thread_state& t : b.threads) {
    if (t.waits_for != waiting::grid || t.grid_barrier >= passed) continue;
    t.waits_for = waiting::nothing;
    some = true;
  }
  return some;
}

std::uint64_t worker::warp(const warp_visit& visit) {
  thread_state& t = waiting_thread();
  const std::uint32_t first = t.index / 32 * 32;
  t.visit = visit;
  // Lanes that a block has not, in its last warp, are named by habit and are not waited for.
  t.visit.mask = (visit.mask | 1u << t.index % 32) & lanes_of_warp(first);
  t.waits_for = waiting::warp;
  if (!complete_warp(*block_, first, t.visit.mask, t.visit)) leave(t, waiting::warp);
  return t.visit.result;
}

/// Lanes that have ended are not waited for.
bool worker::complete_warp(block_state& b, std::uint32_t first, std::uint32_t mask, const warp_visit& what) {
  std::uint32_t arrived = 0, ended = 0;
  warp_visit* lanes[32] = {};
  for_each_lane(mask, [&](std::uint32_t lane) {
    thread_state& other = b.threads[first + lane];
    if (other.waits_for == waiting::done) ended |= 1u << lane;
    if (other.waits_for != waiting::warp || other.visit.mask != mask ||
        other.visit.operation != what.operation || other.visit.kind != what.kind)
      return;
    arrived |= 1u << lane;
    lanes[lane] = &other.visit;
  });
  if ((arrived | ended) != mask) return false;
  finish_warp(lanes, arrived);
  for_each_lane(arrived, [&](std::uint32_t lane) { b.threads[first + lane].waits_for = waiting::nothing; });
  ++progress_;
  return true;
}

std::uint32_t worker::converge(std::uintptr_t pc) {
  waiting_thread().visit = {};
  thread_->visit.pc = pc;
  leave(*thread_, waiting::convergence);
  return static_cast<std::uint32_t>(thread_->visit.result);
}

/// Lanes that stand at one place while no other is under way are together.
void worker::converge_lanes(block_state& b, const thread_state& t) {
  const std::uint32_t first = t.index / 32 * 32;
  const std::uintptr_t pc = t.visit.pc;
  std::uint32_t together = 0;
  for_each_lane(lanes_of_warp(first), [&](std::uint32_t lane) {
    const thread_state& other = b.threads[first + lane];
    if (other.waits_for == waiting::convergence && other.visit.pc == pc) together |= 1u << lane;
  });
  for_each_lane(together, [&](std::uint32_t lane) {
    b.threads[first + lane].visit.result = together;
    b.threads[first + lane].waits_for = waiting::nothing;
  });
}

void* worker::shared(const shared_variable& which) {
  if (which.size == shared_variable::dynamic) return block_->shared.data();
  for (const auto& [variable, place] : known_) {
    if (variable == &which) return block_->shared.data() + place;
  }
  try {
    known_.emplace_back(&which, grid_.place_of(which));
  } catch (const std::exception& wrong) {
    fail(wrong.what());
  }
  return block_->shared.data() + known_.back().second;
}

void worker::yield() {
  if (thread_ == nullptr) return;
  fiber::change(thread_->context, scheduler_);
}

void worker::fail(const std::string& message) {
  failure_ = std::make_exception_ptr(error(message));
  fiber::change(thread_ != nullptr ? thread_->context : plain_, scheduler_);
  __builtin_unreachable();
}

// ------------------------------------------------------------------------------------------ what modules
// call

// Nothing is done for threads that no worker runs: what initialises a module's variables calls these, too.

#define HEDDLE_PC reinterpret_cast<std::uintptr_t>(__builtin_return_address(0))

int entry_heddle_barrier(barrier_kind kind, int predicate, const char*, int) {
  return current->barrier(kind, predicate);
}
void entry_heddle_barrier_of(unsigned number, unsigned count, const char*, int) {
  current->barrier_of(number, count);
}
void entry_heddle_arrive_at(unsigned number, unsigned count, const char*, int) {
  current->arrive_at(number, count);
}
void entry_heddle_misuse(const char* what) {
  current->fail(what);
}
void entry_heddle_grid_barrier(const char*, int) {
  current->grid_barrier();
}
void entry_heddle_sync_warp(unsigned mask) {
  current->warp({warp_operation::sync, 0, false, mask, 0, 0, 32, HEDDLE_PC, 0});
}
unsigned long long entry_heddle_shuffle(heddle_device::shuffle_kind kind, unsigned mask,
                                        unsigned long long value, int argument, int width) {
  return current->warp({warp_operation::shuffle, static_cast<std::uint8_t>(kind), false, mask, value,
                        argument, width, HEDDLE_PC, 0});
}
unsigned long long entry_heddle_vote(heddle_device::vote_kind kind, unsigned mask, unsigned long long value,
                                     int is_signed) {
  return current->warp({warp_operation::vote, static_cast<std::uint8_t>(kind), is_signed != 0, mask, value, 0,
                        32, HEDDLE_PC, 0});
}
unsigned entry_heddle_active_mask(int) {
  return current->converge(HEDDLE_PC);
}
void* entry_heddle_shared(shared_variable* which) {
  return current->shared(*which);
}
long long entry_heddle_clock(int) {
  return std::chrono::steady_clock::now().time_since_epoch().count();
}
void entry_heddle_sleep(unsigned) {
  if (current != nullptr) current->yield();
}
void entry_heddle_trap() {
  current->fail("the kernel called __trap()");
}
void entry___assert_fail(const char* expression, const char* file, unsigned line, const char*) {
  current->fail(fmt::format("{}:{}: assertion '{}' failed", file, line, expression));
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
  cpu::on_threads(workers, static_cast<std::size_t>(workers), [&] { worker(grid).run(); });
}

}  // namespace heddle::jit
