#include "cuda_on_cpu/run/grid_worker.hpp"

#include <thread>

namespace heddle::cuda_on_cpu {

constinit thread_local grid_worker* current_worker = nullptr;

void grid_worker::run() {
  grid_worker* const before = std::exchange(current_worker, this);
  if (grid_.launch.declaration->threads_are_independent) {
    // On a stack of its own, which a thread that fails can leave at once.
    plain_.begin(
        stacks_.take(), [](void* self) { static_cast<grid_worker*>(self)->run_blocks_plainly(); }, this);
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
  current_worker = before;
  if (failure_) {
    grid_.is_failing = true;
    std::rethrow_exception(failure_);
  }
}

void grid_worker::run_blocks_plainly() {
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

bool grid_worker::begin_block() {
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
bool grid_worker::run_block(block_state& b) {
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

void grid_worker::resume(thread_state& t) {
  if (t.stack == nullptr) {
    t.stack = stacks_.take();
    const auto body = [](void* self) {
      grid_worker& w = *static_cast<grid_worker*>(self);
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

/// What a block can still do in which no thread runs. Says whether some go on; false when they wait
/// for other blocks.
bool grid_worker::resolve(block_state& b) {
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

thread_state& grid_worker::waiting_thread() {
  if (thread_ == nullptr)
    fail("its threads wait for one another in a function that the source does not call by its name");
  return *thread_;
}

int grid_worker::barrier(barrier_kind kind, int predicate) {
  thread_state& t = waiting_thread();
  t.predicate = predicate;
  block_->barrier = kind;
  ++block_->at_barrier;
  leave(t, waiting::barrier);
  return t.result;
}

void grid_worker::barrier_of(std::uint32_t number, std::uint32_t count) {
  thread_state& own = waiting_thread();
  own.number = number;
  own.waits_for = waiting::numbered_barrier;
  arrive_at(number, count);
  leave(own, own.waits_for);
}

void grid_worker::arrive_at(std::uint32_t number, std::uint32_t count) {
  if (number >= block_->at_number.size())
    fail(fmt::format("barrier {}: barriers are numbered from 0 to {}", number, block_->at_number.size() - 1));
  if (++block_->at_number[number] != count) return;
  block_->at_number[number] = 0;
  for (thread_state& t : block_->threads) {
    if (t.waits_for == waiting::numbered_barrier && t.number == number) t.waits_for = waiting::nothing;
  }
}

void grid_worker::complete_barrier(block_state& b) {
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

void grid_worker::grid_barrier() {
  waiting_thread().grid_barrier = grid_.barriers_passed;
  grid_.arrive(1, 0);
  leave(*thread_, waiting::grid);
}

bool grid_worker::pass_grid_barrier(block_state& b) {
  const std::uint64_t passed = grid_.barriers_passed;
  bool some = false;
  for (thread_state& t : b.threads) {
    if (t.waits_for != waiting::grid || t.grid_barrier >= passed) continue;
    t.waits_for = waiting::nothing;
    some = true;
  }
  return some;
}

std::uint64_t grid_worker::warp(const warp_visit& visit) {
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
bool grid_worker::complete_warp(block_state& b, std::uint32_t first, std::uint32_t mask,
                                const warp_visit& what) {
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

std::uint32_t grid_worker::converge(std::uintptr_t pc) {
  waiting_thread().visit = {};
  thread_->visit.pc = pc;
  leave(*thread_, waiting::convergence);
  return static_cast<std::uint32_t>(thread_->visit.result);
}

/// Lanes that stand at one place while no other runs are together.
void grid_worker::converge_lanes(block_state& b, const thread_state& t) {
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

void* grid_worker::shared(const shared_variable& which) {
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

void grid_worker::yield() {
  if (thread_ == nullptr) return;
  fiber::change(thread_->context, scheduler_);
}

void grid_worker::fail(const std::string& message) {
  failure_ = std::make_exception_ptr(error(message));
  fiber::change(thread_ != nullptr ? thread_->context : plain_, scheduler_);
  __builtin_unreachable();
}

}  // namespace heddle::cuda_on_cpu
