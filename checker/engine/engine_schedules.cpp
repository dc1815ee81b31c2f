#include "checker/engine/engine.hpp"
#include "checker/engine/watchdog.hpp"
#include "cuda_on_cpu/run/grid_shape.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

/// In which order blocks begin, which of them are watched, and which go on together.
namespace heddle::checker {

using cuda_on_cpu::split;
using heddle_device::index3;

void engine::order(std::vector<std::uint32_t>& threads) {
  if (options_.seed == 0 && schedule_ == 0) return;
  if (options_.seed == 0 && schedule_ == 1) return std::reverse(threads.begin(), threads.end());
  std::shuffle(threads.begin(), threads.end(), random_);
}

std::uint64_t engine::number_in_order(std::uint64_t i) const {
  if (options_.seed == 0 && schedule_ == 0) return first_block_ + i;
  if (options_.seed == 0 && schedule_ == 1) return first_block_ + count_ - 1 - i;
  return first_block_ + (i * block_stride_ + block_first_) % count_;
}

/// Whether the block, or the cluster, that comes next in the schedule's order is among those that the time is
/// for: pairs of neighbours, as far apart as what is left of it makes them, and the last.
bool engine::is_next_watched() {
  const std::uint64_t left = count_ - next_;
  if (!options_.is_watched) return false;
  // What later schedules change is undone, so that all of it is to be known.
  if (std::isinf(options_.watched_seconds) || schedule_ != 0 || left <= 2) return true;
  if (next_ < next_watched_) return false;
  if (next_ < next_watched_ + 2) return true;
  const double each = outcome_.watched_seconds * static_cast<double>(blocks_a_cluster_) /
                      static_cast<double>(outcome_.watched_blocks);
  const double affordable = std::max(options_.watched_seconds - outcome_.watched_seconds, 0.0) / each;
  const auto all_left = static_cast<double>(left);
  // From the beginning of one pair to the next.
  const double step = affordable < 2 ? all_left : std::max(2 * all_left / affordable, 2.0);
  next_watched_ = next_ + static_cast<std::uint64_t>(step) - 2;
  return next_ == next_watched_;
}

/// Begins the next block, or all of the next cluster; false where there is none.
bool engine::begin_next() {
  if (next_ == count_) return false;
  const bool is_watched = is_next_watched();
  const std::uint64_t number = number_in_order(next_++);
  if (blocks_a_cluster_ == 1) {
    begin_block(number, is_watched);
    return true;
  }
  const index3 grid = options_.grid, size = options_.cluster;
  const index3 at = split(number, {grid.x / size.x, grid.y / size.y, grid.z / size.z});
  cluster_state& c = *clusters_.emplace_back(std::make_unique<cluster_state>());
  c.blocks.resize(blocks_a_cluster_);
  const bool is_descending = options_.seed == 0 && schedule_ == 1;
  for (std::uint64_t i = 0; i < blocks_a_cluster_; ++i) {
    const std::uint64_t rank = is_descending ? blocks_a_cluster_ - 1 - i : i;
    const index3 in = split(rank, size);
    const std::uint64_t x = at.x * size.x + in.x, y = at.y * size.y + in.y, z = at.z * size.z + in.z;
    block_state& b = begin_block((z * grid.y + y) * grid.x + x, is_watched);
    b.cluster = &c;
    c.blocks[rank] = &b;
  }
  return true;
}

block_state& engine::begin_block(std::uint64_t number, bool is_watched) {
  if (schedule_ == 0) {
    ++outcome_.blocks;
    if (is_watched) {
      ++outcome_.watched_blocks;
    } else if (outcome_.blocks - outcome_.watched_blocks == 1) {
      trust_memory();
    }
  }
  std::unique_ptr<block_state> b;
  if (spare_.empty()) {
    b = std::make_unique<block_state>();
    b->shared = std::make_unique<shared_memory>(options_.is_watched, blocks_a_cluster_ > 1);
    b->threads.resize(threads_a_block_);
    b->lanes = std::make_unique<std::uint32_t[]>(std::size_t{threads_a_block_} * 32);
  } else {
    b = std::move(spare_.back());
    spare_.pop_back();
  }
  b->serial = first_serial_ + static_cast<std::uint32_t>(number);
  b->shared->begin(b->serial);
  b->is_watched = is_watched;
  b->base = grid_base_;
  b->barriers = b->at_barrier = b->at_grid = b->at_warp = b->done = 0;
  b->at_number = {};
  b->barrier = b->barrier_of_cluster = {};
  b->cluster = nullptr;
  b->arrived_at_number = {};
  b->yields = 0;
  b->at = split(number, options_.grid);
  b->learnt = b->released = nullptr;
  b->seen = {};
  b->ready.clear();
  if (is_profiling_) begin_traces(*b);
  std::vector<std::uint32_t> threads(threads_a_block_);
  std::iota(threads.begin(), threads.end(), 0u);
  for (const std::uint32_t i : threads) {
    thread_state& t = b->threads[i];
    std::uint32_t* const lanes = b->lanes.get() + std::size_t{i} * 32;
    t.begin();
    t.block = b.get();
    t.is_watched = is_watched;
    t.index = i;
    t.clock = grid_base_;
    t.at = split(i, options_.block);
    t.lanes = lanes;
    t.lanes_since = std::numeric_limits<std::uint32_t>::max();
  }
  order(threads);
  b->ready.assign(threads.begin(), threads.end());
  return *blocks_.emplace_back(std::move(b));
}

void engine::end_block(std::size_t i) {
  if (is_profiling_) end_traces(*blocks_[i]);
  std::unique_ptr<block_state> b = std::move(blocks_[i]);
  blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(i));
  if (b->cluster != nullptr) return end_block_of_cluster(std::move(b));
  spare_.push_back(std::move(b));
}

void engine::run_schedule(std::size_t schedule) {
  begin_schedule(schedule);
  run_blocks();
}

void engine::go_on() {
  if (options_.is_watched) {
    for (region* const r : regions_) r->watch();
  }
  is_waiting_ = false;
  note_change();
  run_blocks();
}

void engine::give_up() {
  is_waiting_ = false;
  report_deadlock();
  is_stopping_ = true;
  end_schedule();
}

void engine::begin_schedule(std::size_t schedule) {
  schedule_ = schedule;
  random_.seed(options_.seed * 1000003 + schedule_);
  slices_ = options_.seed != 0 || schedule_ >= 2;
  is_profiling_ = options_.profiles && schedule_ == 0;
  if (options_.is_watched) {
    for (region* const r : regions_) r->watch();
  }
  if (own_heap_) {
    own_heap_->clear();
    regions_at_.fill(nullptr);
  }
  if (synchronisations_.use_count() == 1) synchronisations_->clear();
  hangs_ = hang::none;
  first_serial_ = first_serial_of_all_ + static_cast<std::uint32_t>(schedule * all_blocks_);
  grid_base_ = 1;
  grid_barrier_ = {};
  next_ = next_watched_ = 0;
  block_first_ = random_() % count_;
  do {
    block_stride_ = 1 + random_() % count_;
  } while (std::gcd(block_stride_, count_) != 1);
  // Blocks that can see one another run together, as on a GPU.
  constexpr std::size_t most_blocks_at_once = 8, most_threads_at_once = 4096;
  const bool take_turns = slices_ && !kernel_.blocks_are_independent;
  blocks_at_once_ =
      take_turns ? std::clamp<std::size_t>(most_threads_at_once / threads_a_block_, 1, most_blocks_at_once)
                 : 1;
}

void engine::run_blocks() {
  const watchdog watching(*this);
  now = {this, nullptr};
  // Blocks that never wait for long may still wait for those that have not begun.
  constexpr std::size_t passes_until_next = 4;
  std::size_t passes = 0;
  while (!is_stopping_) {
    while (blocks_.size() < blocks_at_once_ && begin_next()) {
    }
    if (blocks_.empty()) break;
    bool all_wait = true;
    const std::uint64_t released = released_;
    for (std::size_t i = 0; i < blocks_.size() && !is_stopping_;) {
      const turn how = run_timed(*blocks_[i]);
      all_wait &= how == turn::waits;
      if (how == turn::ended) {
        end_block(i);
        passes = 0;
      } else {
        ++i;
      }
    }
    all_wait &= released_ == released;
    if (is_stopping_ || blocks_.empty()) continue;
    if (!all_wait && ++passes % passes_until_next != 0) continue;
    // All that have begun wait: for blocks that have not, for one another, or for what will not come.
    if (begin_next() || (all_wait && resolve_grid())) continue;
    if (!is_deadlock()) continue;
    is_waiting_ = may_wait_;
    if (is_waiting_) break;
    report_deadlock();
    is_stopping_ = true;
  }
  now = {};
  if (!is_waiting_) end_schedule();
}

void engine::end_schedule() {
  // A launch that was stopped leaves its threads where they are.
  for (auto& b : blocks_) {
    if (is_profiling_) end_traces(*b);
    for (thread_state& t : b->threads) {
      if (t.stack != nullptr) stacks_.give(t.stack);
      t.stack = nullptr;
    }
    spare_.push_back(std::move(b));
  }
  blocks_.clear();
  for (const auto& c : clusters_) {
    for (auto& b : c->over) spare_.push_back(std::move(b));
  }
  clusters_.clear();
}

engine::turn engine::run_timed(block_state& b) {
  if (!b.is_watched || std::isinf(options_.watched_seconds)) return run_block(b);
  const auto began = std::chrono::steady_clock::now();
  const turn how = run_block(b);
  outcome_.watched_seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return how;
}

bool engine::is_deadlock() const {
  return std::all_of(blocks_.begin(), blocks_.end(), [&](const auto& b) {
    return std::all_of(b->threads.begin(), b->threads.end(),
                       [&](const thread_state& t) { return is_stuck(t); });
  });
}

}  // namespace heddle::checker
