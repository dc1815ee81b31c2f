#include "checker/engine/engine.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

/// Barriers of blocks and of the grid.
namespace heddle::checker {

using heddle_device::barrier_kind;
using heddle_device::index3;

place engine::place_at_barrier(const thread_state& t, std::string what) const {
  place p = place_of(t, std::move(what), 0);
  if (t.file == nullptr) return p;
  p.file = t.file;
  p.line = static_cast<std::size_t>(heddle_device::line_of(t.line));
  return p;
}

int engine::barrier(thread_state& t, barrier_kind kind, int predicate, const char* file, int line) {
  block_state& b = *t.block;
  if (t.out_of_bounds) flush_bounds(t);
  t.barrier = kind;
  t.predicate = predicate;
  t.file = file;
  t.line = line;
  if (t.arrived != 0) check_not_arrived(t, heddle_device::group_kind::block);
  t.waits_for = waiting::barrier;
  if (++b.at_barrier == threads_a_block_) complete_barrier(b);
  leave(t);
  return t.result;
}

void engine::check_numbered(thread_state& t, std::uint32_t number, std::uint32_t count, const char* file,
                            int line) {
  if (t.out_of_bounds) flush_bounds(t);
  if (number >= t.block->at_number.size() || count == 0 || count % 32 != 0) {
    failure_ =
        fmt::format("{}:{}: barrier {} of {} threads: barriers are numbered from 0 to {}, and of whole warps",
                    file, line, number, count, t.block->at_number.size() - 1);
    stop(t);
  }
}

/// A barrier of so many threads, which others of the block need not reach.
void engine::barrier_of(thread_state& t, std::uint32_t number, std::uint32_t count, const char* file,
                        int line) {
  check_numbered(t, number, count, file, line);
  t.file = file;
  t.line = line;
  t.number = number;
  t.waits_for = waiting::numbered_barrier;
  if (++t.block->at_number[number] == count) complete_numbered(*t.block, number);
  leave(t);
}

void engine::arrive_at(thread_state& t, std::uint32_t number, std::uint32_t count, const char* file,
                       int line) {
  check_numbered(t, number, count, file, line);
  block_state& b = *t.block;
  if (options_.is_watched) b.arrived_at_number[number] = joined(b.arrived_at_number[number], now_of(t));
  ++t.clock;
  if (++b.at_number[number] == count) complete_numbered(b, number);
}

/// What those did that have arrived comes before what any does from here on that waits.
void engine::complete_numbered(block_state& b, std::uint32_t number) {
  b.at_number[number] = 0;
  const auto waits = [&](const thread_state& other) {
    return other.waits_for == waiting::numbered_barrier && other.number == number;
  };
  clocks all = std::exchange(b.arrived_at_number[number], nullptr);
  for (thread_state& other : b.threads) {
    if (!waits(other)) continue;
    if (options_.is_watched) all = joined(all, now_of(other));
    ++other.clock;
  }
  for (thread_state& other : b.threads) {
    if (!waits(other)) continue;
    if (all) learn(other, all);
    other.looks_at = nullptr;
    other.waits_for = waiting::nothing;
    make_ready(b, other);
  }
}

/// Some threads wait at a barrier that the others will not reach.
void engine::report_barrier(block_state& b) {
  const thread_state* waits = nullptr;
  const thread_state* other = nullptr;
  std::size_t left = 0, elsewhere = 0;
  for (const thread_state& t : b.threads) {
    if (t.waits_for == waiting::barrier && waits == nullptr) waits = &t;
    if (t.waits_for == waiting::done) ++left;
    const bool is_elsewhere = t.waits_for == waiting::grid || t.waits_for == waiting::group;
    if (is_elsewhere || t.waits_for == waiting::done) {
      if (other == nullptr) other = &t;
      elsewhere += is_elsewhere ? 1 : 0;
    }
  }
  // Whether all others have left the kernel: from compute capability 7.0 on the barrier is for those that
  // have not (CUDA C++ Programming Guide, Volta independent thread scheduling).
  const bool has_ended =
      b.at_barrier + b.done == threads_a_block_ && (waits->line & heddle_device::no_return_before) == 0;
  finding* const f = report(finding_kind::divergent_barrier, static_cast<std::uintptr_t>(waits->line),
                            std::hash<std::string_view>()(waits->file) + (has_ended ? 1 : 0), nullptr);
  if (f == nullptr) return;
  if (has_ended && !options_.legacy_warps) f->level = severity::note;
  f->places.push_back(place_at_barrier(*waits, "waits at the barrier"));
  if (other != nullptr && other->waits_for != waiting::done)
    f->places.push_back(place_at_barrier(
        *other, fmt::format("waits at the {}'s barrier",
                            name_of(other->waits_for == waiting::grid ? heddle_device::group_kind::grid
                                                                      : other->group))));
  f->detail = fmt::format("{} of the block's {} threads wait, {} {}", b.at_barrier, threads_a_block_,
                          left + elsewhere, elsewhere == 0 ? "have left the kernel" : "do not come");
  if (other != nullptr && elsewhere == 0) f->detail += fmt::format(", thread {} among them", text(other->at));
  if (f->level == severity::note) f->detail += ": they count as arrived from compute capability 7.0 on";
}

/// Lets those that wait at barriers go on.
void engine::complete_barrier(block_state& b) {
  const thread_state* first = nullptr;
  const thread_state* different = nullptr;
  int count = 0, all = 1, any = 0;
  for (const thread_state& t : b.threads) {
    if (t.waits_for != waiting::barrier) continue;
    if (first == nullptr) first = &t;
    if (different == nullptr && (t.line != first->line || t.barrier != first->barrier ||
                                 (t.file != first->file && std::strcmp(t.file, first->file) != 0)))
      different = &t;
    count += t.predicate != 0 ? 1 : 0;
    all &= t.predicate != 0 ? 1 : 0;
    any |= t.predicate != 0 ? 1 : 0;
  }
  if (different != nullptr) {
    if (finding* f = report(finding_kind::mismatched_barriers, static_cast<std::uintptr_t>(first->line),
                            static_cast<std::uintptr_t>(different->line), nullptr)) {
      std::size_t there = 0;
      for (const thread_state& t : b.threads)
        there += t.waits_for == waiting::barrier && t.line == first->line ? 1 : 0;
      for (const thread_state* t : {first, different})
        f->places.push_back(place_at_barrier(*t, "waits at the barrier"));
      f->detail = fmt::format("{} of {} threads are at the first of these barriers", there, b.at_barrier);
    }
  }
  pass_barrier(b);
  std::vector<std::uint32_t>& threads = released_threads_;
  threads.clear();
  for (thread_state& t : b.threads) {
    if (t.waits_for != waiting::barrier) continue;
    t.result = t.barrier == barrier_kind::count ? count : t.barrier == barrier_kind::all ? all : any;
    t.waits_for = waiting::nothing;
    threads.push_back(t.index);
  }
  b.at_barrier = 0;
  order(threads);
  b.ready.insert(b.ready.end(), threads.begin(), threads.end());
}

/// All that the block's threads did comes before all that they do from here on.
void engine::pass_barrier(block_state& b) {
  if (is_profiling_) {
    for (warp_trace& warp : b.traces) profiler_.bring_together(warp);
  }
  ++b.barriers;
  std::uint32_t clock = b.base;
  bool is_clean = true;
  clocks learnt = b.learnt, released = b.released;
  for (thread_state& t : b.threads) {
    clock = std::max(clock, t.clock);
    is_clean &= !t.is_dirty;
    if (t.learnt || t.pending) learnt = joined(learnt, joined(t.learnt, t.pending));
    t.learnt = t.pending = nullptr;
    if (!t.seen.is_empty()) b.seen.add(t.seen);
    t.looks_at = nullptr;
    t.is_dirty = t.is_dirty && t.waits_for != waiting::done;
  }
  b.base = clock + 1;
  b.learnt = learnt;
  // What every thread's fence has made visible, an atomic of any of them publishes.
  if (is_clean) b.released = joined(known_clocks::of({{known_clocks::all_of(b.serial), b.base}}), learnt);
  for (thread_state& t : b.threads) t.clock = b.base;
}

/// At a barrier of the grid: stops a launch whose blocks may not meet.
void engine::check_cooperative(thread_state& t) {
  if (kernel_.is_cooperative) return;
  if (finding* const f = report(finding_kind::not_cooperative, static_cast<std::uintptr_t>(t.line),
                                std::hash<std::string_view>()(t.file), nullptr)) {
    f->places.push_back(place_at_barrier(t, "waits at the grid's barrier"));
    f->detail = "cudaLaunchCooperativeKernel launches kernels whose blocks wait for one another";
  }
  stop(t);
}

void engine::grid_barrier(thread_state& t, const char* file, int line) {
  t.file = file;
  t.line = line;
  check_cooperative(t);
  if (t.arrived != 0) check_not_arrived(t, heddle_device::group_kind::grid);
  t.waits_for = waiting::grid;
  ++t.block->at_grid;
  leave(t);
}

/// Lets the grid go on when every thread of it waits, or none of the others will come.
bool engine::resolve_grid() {
  std::uint64_t waiting_threads = 0;
  const thread_state* first = nullptr;
  for (const auto& b : blocks_) {
    if (!b->ready.empty()) return false;
    waiting_threads += b->at_grid;
    for (const thread_state& t : b->threads) {
      if (first == nullptr && t.waits_for == waiting::grid) first = &t;
    }
  }
  if (first == nullptr) return false;
  if (waiting_threads != all_blocks_ * threads_a_block_) {
    if (finding* f =
            report(finding_kind::divergent_barrier, static_cast<std::uintptr_t>(first->line), 1, nullptr)) {
      f->places.push_back(place_at_barrier(*first, "waits at the grid's barrier"));
      f->detail = fmt::format("{} of the grid's {} threads wait, the others have left the kernel",
                              waiting_threads, all_blocks_ * threads_a_block_);
    }
  }
  std::uint32_t clock = grid_base_;
  for (const auto& b : blocks_) {
    pass_barrier(*b);
    clock = std::max(clock, b->base);
  }
  grid_base_ = clock + 1;
  // What one has learnt of other launches, and what they may learn of all.
  clocks learnt;
  if (may_wait_) {
    std::vector<known_clocks::entry> bases;
    for (std::uint64_t i = 0; i < all_blocks_; ++i)
      bases.push_back({known_clocks::all_of(first_serial_ + static_cast<std::uint32_t>(i)), grid_base_});
    learnt = known_clocks::of(std::move(bases));
    for (const auto& b : blocks_) learnt = joined(learnt, b->learnt);
  }
  for (const auto& b : blocks_) {
    b->base = grid_base_;
    if (learnt) b->learnt = learnt;
    b->at_grid = 0;
    std::vector<std::uint32_t> threads;
    for (thread_state& t : b->threads) {
      t.clock = grid_base_;
      if (t.waits_for != waiting::grid) continue;
      t.waits_for = waiting::nothing;
      threads.push_back(t.index);
    }
    order(threads);
    b->ready.assign(threads.begin(), threads.end());
  }
  return true;
}

}  // namespace heddle::checker
