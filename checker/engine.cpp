#include "engine.hpp"

#include "array/counted.hpp"
#include "jit/grid_shape.hpp"
#include "watchdog.hpp"
#include <heddle/error.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace heddle::checker {

using heddle_device::index3;
using heddle_device::scalar;
using jit::most_static_shared;
using jit::split;
using jit::volume;

constinit thread_local running now;

namespace {

constexpr const char* unnamed_dynamic_memory = "dynamic shared memory";

}  // namespace

std::string too_many_blocks(std::uint64_t blocks, std::size_t schedules) {
  // Not as a product, which may exceed 64 bits.
  const std::uint64_t most = most_serials / schedules;
  if (blocks <= most) return "";
  return fmt::format("{} blocks under {} are more than can be checked: at most {}", blocks,
                     counted(schedules, "schedule"), most);
}

void check_launch(const kernel_call& kernel, const launch_options& options) {
  const dimensions grid = jit::dimensions_of(options.grid), block = jit::dimensions_of(options.block);
  for (const std::string& why :
       {jit::wrong_shape(grid, block), jit::wrong_bound(block, kernel.most_threads),
        jit::wrong_cluster(grid, jit::dimensions_of(options.cluster), jit::most_blocks_a_cluster),
        jit::wrong_shared_bytes(options.shared_bytes), too_many_blocks(grid.count(), options.schedules)}) {
    if (!why.empty()) throw error(why);
  }
}

engine::engine(const module& compiled, kernel_call kernel, std::vector<region*> regions,
               const launch_options& options, stack_pool& stacks, std::uint64_t first_block,
               std::uint64_t last_block, std::uint32_t first_serial)
    : module_(compiled),
      kernel_(std::move(kernel)),
      options_(options),
      regions_(std::move(regions)),
      stacks_(stacks),
      first_block_(first_block),
      all_blocks_(volume(options.grid)),
      blocks_a_cluster_(volume(options.cluster)),
      count_((last_block - first_block) / blocks_a_cluster_),
      threads_a_block_(static_cast<std::uint32_t>(volume(options.block))),
      first_serial_of_all_(first_serial),
      profiler_(compiled.base()) {
  std::sort(regions_.begin(), regions_.end(), [](const region* a, const region* b) {
    return std::tie(a->low, a->high) < std::tie(b->low, b->high);
  });
  are_copies_beside_ = std::any_of(kernel_.beside.begin(), kernel_.beside.end(),
                                   [](const concurrent_work& other) { return other.first_serial == 0; });
  is_alone_ = kernel_.beside.empty() && !kernel_.beside_in_tree;
  heap_ = kernel_.heap;
  dynamic_ = {unnamed_dynamic_memory,
              heddle_device::shared_variable::dynamic,
              256,
              {scalar::u8, 1, nullptr, nullptr}};
  layout_.add(dynamic_, options.shared_bytes);
}

launch_outcome engine::result() {
  if (!failure_.empty()) throw error(failure_);
  outcome_.was_stopped = is_stopping_;
  mark_reads_before_exchange();
  outcome_.accesses = watched_;
  if (options_.profiles) outcome_.instructions = profiler_.result();
  return std::move(outcome_);
}

/// What blocks of this engine and of another did under the last schedule to the same words is ordered by
/// nothing.
bool engine::races_with(const engine& other) const {
  for (std::size_t i = 0; i < regions_.size(); ++i) {
    const region &mine = *regions_[i], &its = *other.regions_[i];
    const std::size_t words = (mine.bytes + (std::size_t{1} << mine.shift) - 1) >> mine.shift;
    for (std::size_t w = 0; w < words; ++w) {
      if (mine.last[w].block < first_serial_ || its.last[w].block < first_serial_) continue;
      bool is_race = false;
      mine.for_each_record(w, grid_base_, [&](const record& r) {
        its.for_each_record(w, grid_base_, [&](const record& s) {
          is_race |= r.block >= first_serial_ && s.block >= first_serial_ && (r.mask & s.mask) != 0 &&
                     ((r.kind() | s.kind()) & record::write) != 0;
        });
      });
      if (is_race) return true;
    }
  }
  return false;
}

// -------------------------------------------------------------------------------------------------
// scheduling

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

void engine::trust_memory() {
  for (region* const r : regions_) r->set_written(true);
  if (heap_ != nullptr) heap_->set_written();
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
  b->heard = {};
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

void engine::add_beside(const concurrent_work& work) {
  kernel_.beside.push_back(work);
  is_alone_ = false;
  are_copies_beside_ |= work.first_serial == 0;
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
  // Blocks that can see one another are under way together, as on a GPU.
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

/// Lets a block's threads go on until all have ended, none can for now, or it is the turn of others.
engine::turn engine::run_block(block_state& b) {
  // Without blocks that take turns long enough for what they do to be most of the time.
  constexpr std::uint64_t longest_turn = 65536;
  b.turn = blocks_at_once_ > 1 ? 1 + random_() % (2 * threads_a_block_)
                               : std::max<std::uint64_t>(longest_turn, 256 * threads_a_block_);
  while (!is_stopping_) {
    if (b.ready.empty()) {
      if (b.done == threads_a_block_) return turn::ended;
      if (resolve(b)) continue;
      return turn::waits;
    }
    if (hangs_.load(std::memory_order_relaxed) != hang::none) {
      thread_state& t = b.threads[b.ready.front()];
      report_hang(t, t.looks_from);
      is_stopping_ = true;
      break;
    }
    // Each thread has looked several times, and there is nothing new.
    if (b.changes_seen != changes()) {
      b.changes_seen = changes();
      b.yields = 0;
    } else if (b.yields > 4 * b.ready.size() + 64) {
      b.yields = 0;
      if (resolve(b)) continue;
      return turn::waits;
    }
    if (b.turn == 0) return turn::is_over;
    --b.turn;
    const std::uint32_t i = b.ready.front();
    b.ready.pop_front();
    resume(b.threads[i]);
  }
  return turn::waits;
}

/// Gives a thread that is to run a stack, unless it has one, and a slice.
void engine::prepare(thread_state& t) {
  if (t.stack == nullptr) {
    t.stack = stacks_.take();
    t.stack_low = reinterpret_cast<std::uintptr_t>(t.stack);
    t.context.begin(t.stack, &engine::fiber_body, &t);
  }
  t.slice = slices_         ? 1 + static_cast<std::uint32_t>(random_() % 64)
            : is_profiling_ ? profiled_slice
                            : longest_slice;
  t.waits_for = waiting::nothing;
  now.thread = &t;
}

/// Runs a thread, and those that it hands over to, until one of them leaves the block's other threads to
/// others.
void engine::resume(thread_state& t) {
  prepare(t);
  fiber::change(scheduler_, t.context);
  thread_state& last = *now.thread;
  now.thread = nullptr;
  if (last.waits_for != waiting::done) return;
  std::byte* const stack = last.stack;
  end_thread(last);
  stacks_.give(stack);
}

void engine::end_thread(thread_state& t) {
  note_change();
  ended_.store(ended() + 1, std::memory_order_relaxed);
  ++t.block->done;
  if (is_profiling_) profiler_.note_leaving(trace_of(t), t.index % 32);
  t.stack = nullptr;
  t.stack_low = 0;
  if (t.block->at_warp != 0) release_lanes(*t.block, t);
  for (const auto group : {heddle_device::group_kind::block, heddle_device::group_kind::cluster}) {
    if (is_complete(*t.block, group)) complete_group(*t.block, group);
  }
}

/// Whether the block's next thread may run at once; of what takes longer to know run_block decides.
bool engine::goes_on(block_state& b) {
  if (is_stopping_ || b.ready.empty() || b.turn == 0 || hangs_.load(std::memory_order_relaxed) != hang::none)
    return false;
  if (b.changes_seen != changes()) {
    b.changes_seen = changes();
    b.yields = 0;
  }
  if (b.yields > b.ready.size()) return false;
  --b.turn;
  return true;
}

void engine::fiber_body(void* thread) {
  auto* t = static_cast<thread_state*>(thread);
  engine& e = *now.by;
  const auto begin = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  for (;;) {
    t->stack_begin = begin;
    try {
      e.kernel_.call(e.kernel_.function, e.kernel_.arguments);
      if (!t->copies.is_empty()) e.finish_copies(*t, t->copies.take_all());
      if (t->out_of_bounds) e.flush_bounds(*t);
    } catch (const std::exception& wrong) {
      // There is nobody above to catch it on this stack.
      e.failure_ = wrong.what();
      e.is_stopping_ = true;
    }
    t->waits_for = waiting::done;
    if (t->arrived != 0) e.leave_without_waiting(*t);
    e.settle_writes(*t);
    // A thread that has not begun has the stack of one that has ended.
    block_state& b = *t->block;
    if (b.ready.empty() || b.threads[b.ready.front()].stack != nullptr || !e.goes_on(b)) break;
    thread_state& next = b.threads[b.ready.front()];
    b.ready.pop_front();
    next.stack = t->stack;
    next.stack_low = t->stack_low;
    e.end_thread(*t);
    e.prepare(next);
    t = &next;
  }
  fiber::change(t->context, e.scheduler_);
}

/// Another thread of the block goes on, or what runs the block.
void engine::leave(thread_state& t) {
  settle_writes(t);
  block_state& b = *t.block;
  if (!goes_on(b)) return fiber::change(t.context, scheduler_);
  thread_state& next = b.threads[b.ready.front()];
  b.ready.pop_front();
  prepare(next);
  if (&next != &t) fiber::change(t.context, next.context);
}

void engine::stop(thread_state& t) {
  is_stopping_ = true;
  leave(t);
  __builtin_unreachable();
}

void engine::yield(thread_state& t, bool spins) {
  if (spins) ++t.block->yields;
  t.block->ready.push_back(t.index);
  leave(t);
}

/// A thread that sees what it saw before lets others go on; so does one that only looks, now and then.
void engine::look(thread_state& t, const void* address, std::uint64_t value, std::uintptr_t pc,
                  std::uintptr_t state) {
  constexpr std::uint32_t looks_a_turn = 64;
  const bool is_same = t.looks_at == address && t.sees == value && t.looks_from == pc;
  t.looks_at = address;
  t.sees = value;
  t.looks_from = pc;
  note_state(t, value, pc, state);
  if (is_same || ++t.looks % looks_a_turn == 0) yield(t, true);
}

void engine::note_state(thread_state& t, std::uint64_t value, std::uintptr_t pc, std::uintptr_t state) {
  if (state == 0 || t.changes_at_state != changes()) {
    t.changes_at_state = changes();
    t.looks_since_state = t.looks_until_next = t.returns = 0;
    return;
  }
  std::uint64_t sum = (value ^ pc) * 0x9E3779B97F4A7C15u;
  const auto* const end = reinterpret_cast<const std::uint64_t*>(t.stack_begin);
  for (const auto* word = reinterpret_cast<const std::uint64_t*>(state); word < end; ++word) {
    sum = (sum ^ *word) * 0x100000001b3u;
    sum ^= sum >> 29;
  }
  ++t.looks_since_state;
  if (t.looks_until_next != 0 && sum == t.state) {
    ++t.returns;
    t.looks_since_state = 0;
  } else if (t.looks_since_state >= t.looks_until_next) {
    t.state = sum;
    t.looks_until_next = std::max(2 * t.looks_until_next, 1u);
    t.looks_since_state = t.returns = 0;
  }
}

/// Whether a thread can go on only when another changes something.
bool engine::is_stuck(const thread_state& t) const {
  // More than once, because what others of a warp or block vote may have been on the way to where it stays.
  constexpr std::uint32_t returns_of_a_spin = 8;
  return (t.waits_for != waiting::nothing && t.waits_for != waiting::convergence) ||
         (t.returns >= returns_of_a_spin && t.changes_at_state == changes());
}

bool engine::is_deadlock() const {
  return std::all_of(blocks_.begin(), blocks_.end(), [&](const auto& b) {
    return std::all_of(b->threads.begin(), b->threads.end(),
                       [&](const thread_state& t) { return is_stuck(t); });
  });
}

void engine::sleep(thread_state& t, std::uintptr_t pc, std::uintptr_t state) {
  t.looks_from = pc;
  note_state(t, 0, pc, state);
  yield(t, true);
}

void engine::make_ready(block_state& b, thread_state& t) {
  b.ready.push_back(t.index);
}

/// What a block whose threads all wait, or spin, can still do. Says whether some go on.
bool engine::resolve(block_state& b) {
  // Lanes that wait for those that are on the way: no other is.
  for (thread_state& t : b.threads) {
    if (t.waits_for != waiting::convergence) continue;
    const std::uint32_t first = t.index / 32 * 32;
    std::uint32_t together = 0;
    const std::uintptr_t pc = t.visit.pc;
    for (std::uint32_t i = first; i < std::min(first + 32, threads_a_block_); ++i) {
      if (b.threads[i].waits_for == waiting::convergence && b.threads[i].visit.pc == pc)
        together |= 1u << (i - first);
    }
    for (std::uint32_t i = first; i < std::min(first + 32, threads_a_block_); ++i) {
      thread_state& lane = b.threads[i];
      if ((together >> (i - first) & 1) == 0) continue;
      lane.visit.result = together;
      lane.waits_for = waiting::nothing;
      make_ready(b, lane);
    }
    return true;
  }
  if (!b.ready.empty()) return false;
  if (resolve_warps(b)) return true;
  if (b.at_barrier != 0) {
    report_barrier(b);
    complete_barrier(b);
    return true;
  }
  return false;
}

void engine::report_deadlock() {
  finding* const f = report(finding_kind::deadlock, 0, 0, nullptr);
  if (f == nullptr) return;
  constexpr const char* spins = "spins";
  bool waits_for_host = false, waits_for_launch = false;
  struct group {
    const thread_state* first;
    std::string what;
    std::size_t count;
  };
  std::map<std::pair<std::uintptr_t, int>, group> groups;
  for (const auto& b : blocks_) {
    for (const thread_state& t : b->threads) {
      if (t.waits_for == waiting::done) continue;
      const bool at_group = t.waits_for == waiting::group;
      const bool at_barrier = t.waits_for == waiting::barrier || t.waits_for == waiting::grid || at_group ||
                              t.waits_for == waiting::numbered_barrier;
      const std::string what =
          t.waits_for == waiting::barrier            ? "waits at the barrier"
          : t.waits_for == waiting::numbered_barrier ? fmt::format("waits at barrier {}", t.number)
          : t.waits_for == waiting::grid             ? "waits at the grid's barrier"
          : at_group ? fmt::format("waits for the others to arrive at the {}'s barrier", name_of(t.group))
          : t.waits_for == waiting::warp ? "waits for lanes of its warp"
                                         : spins;
      const std::uintptr_t pc = at_barrier ? 0 : t.waits_for == waiting::warp ? t.visit.pc : t.looks_from;
      auto [at, is_new] = groups.try_emplace({pc, at_barrier ? t.line : 0}, group{&t, what, 0});
      ++at->second.count;
    }
  }
  for (const auto& [key, g] : groups) {
    if (f->places.size() == 4) break;
    std::string what = g.count == 1 ? g.what : fmt::format("{} (as {} threads do)", g.what, g.count);
    place p = key.first == 0 ? place_at_barrier(*g.first, std::move(what))
                             : place_of(*g.first, std::move(what), key.first);
    if (f->variable.empty() && g.first->looks_at != nullptr && g.what == spins) {
      const auto a = reinterpret_cast<std::uintptr_t>(g.first->looks_at);
      for (const auto& r : regions_) {
        if (!r->has(a, 1)) continue;
        name_element(*f, *r, a);
        waits_for_host |= r->host_can_write;
        waits_for_launch |= kernel_.has_other_streams;
      }
    }
    f->places.push_back(std::move(p));
  }
  f->detail = "no thread can go on: all that are left wait for something that none of them does";
  // A launch is over here before the host goes on.
  if ((waits_for_host || waits_for_launch) && !may_wait_)
    f->detail +=
        fmt::format("; if {} does it meanwhile, a GPU may go on: here a launch runs alone, to its end",
                    !waits_for_launch ? "the host"
                    : waits_for_host  ? "the host or a launch on another stream"
                                      : "a launch on another stream");
}

/// A kernel was stopped that has not ended for long.
void engine::report_hang(thread_state& t, std::uintptr_t pc) {
  if (hangs_.load(std::memory_order_relaxed) == hang::time_is_over) return;
  const bool changes = hangs_.load(std::memory_order_relaxed) == hang::nothing_ends;
  finding* const f = report(changes ? finding_kind::no_end : finding_kind::deadlock, pc, 0, nullptr);
  if (f == nullptr) return;
  f->places.push_back(place_of(t, "goes on without end", is_in_module(pc) ? pc : 0));
  f->detail = changes ? fmt::format(
                            "no thread has ended for {} s of processor time: threads keep one another "
                            "from it, or they take longer, which --timeout allows",
                            options_.seconds_without_end)
                      : "it neither ends nor waits, and nothing changes any more: a loop cannot see what "
                        "others write unless it reads it as volatile or atomic";
}

void engine::crash(thread_state& t, std::uintptr_t pc, const char* what, std::uintptr_t address) {
  if (address == hang_address) {
    report_hang(t, is_in_module(pc) ? pc + 1 : 0);
  } else if (std::any_of(outcome_.findings.begin(), outcome_.findings.end(),
                         [](const finding& f) { return f.kind == finding_kind::misaligned_access; })) {
    // The processor needs that alignment, too.
  } else if (finding* f = report(finding_kind::crash, pc, 0, nullptr)) {
    f->places.push_back(place_of(t, "stops", is_in_module(pc) ? pc + 1 : 0));
    f->detail = what;
  }
  stop(t);
}

void* engine::shared(heddle_device::shared_variable& which) {
  if (which.size == heddle_device::shared_variable::dynamic) {
    // All dynamic ones are the same memory, and are called as the first is.
    if (dynamic_.name == unnamed_dynamic_memory && *which.name != '\0') {
      dynamic_.name = which.name;
      dynamic_.element = which.element;
    }
    return now.thread->block->shared->memory.data() + layout_.variables[0].offset;
  }
  for (std::size_t i = 1; i < layout_.variables.size(); ++i) {
    if (layout_.variables[i].what == &which) {
      return now.thread->block->shared->memory.data() + layout_.variables[i].offset;
    }
  }
  // What functions of the device keep has no name.
  if (*which.name != '\0') layout_.static_bytes += which.size;
  if (layout_.static_bytes > most_static_shared || !layout_.add(which, which.size)) {
    failure_ = fmt::format("{} uses {} bytes of static shared memory: a block can have at most {}",
                           kernel_.name, layout_.static_bytes, most_static_shared);
    stop(*now.thread);
  }
  return now.thread->block->shared->memory.data() + layout_.variables.back().offset;
}

}  // namespace heddle::checker
