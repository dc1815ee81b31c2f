#include "checker/engine/engine.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include <fmt/format.h>

/// Barriers of groups in halves: threads arrive, and wait later. All threads do both once a phase (CUDA C++
/// Programming Guide, cooperative groups, barrier_arrive and barrier_wait).
namespace heddle::checker {

using heddle_device::group_kind;

namespace {

std::uint8_t bit_of(group_kind group) {
  static_assert(heddle_device::group_kinds <= std::numeric_limits<std::uint8_t>::digits);
  return static_cast<std::uint8_t>(1u << static_cast<unsigned>(group));
}

}  // namespace

const char* name_of(group_kind group) {
  return group == group_kind::grid ? "grid" : group == group_kind::cluster ? "cluster" : "block";
}

group_barrier& engine::barrier_of_group(block_state& b, group_kind group) {
  if (group == group_kind::grid) return grid_barrier_;
  if (group == group_kind::block) return b.barrier;
  return (b.cluster != nullptr ? *b.cluster->blocks.front() : b).barrier_of_cluster;
}

template <class F>
void engine::for_each_block(block_state& b, group_kind group, F f) {
  if (group == group_kind::grid) {
    for (const auto& other : blocks_) f(*other);
  } else if (group == group_kind::cluster && b.cluster != nullptr) {
    for (block_state* const other : b.cluster->blocks) f(*other);
  } else {
    f(b);
  }
}

void engine::misuse_of_barrier(thread_state& t, std::string what, std::string detail) {
  finding* const f = report(finding_kind::misuse, static_cast<std::uintptr_t>(t.line),
                            std::hash<std::string>()(t.file + detail), nullptr);
  if (f == nullptr) return;
  f->places.push_back(place_at_barrier(t, std::move(what)));
  f->detail = std::move(detail);
}

/// What else uses the group's barrier comes before the thread arrives or after it has waited.
void engine::check_not_arrived(thread_state& t, group_kind group) {
  if ((t.arrived & bit_of(group)) == 0) return;
  misuse_of_barrier(t, "waits at the barrier",
                    fmt::format("the thread has arrived at the {}'s barrier, and waits at it by "
                                "barrier_wait() first",
                                name_of(group)));
  stop(t);
}

void engine::arrive_in_group(thread_state& t, group_kind group, const char* file, int line) {
  if (t.out_of_bounds) flush_bounds(t);
  t.file = t.arrived_file = file;
  t.line = t.arrived_line = line;
  if (group == group_kind::grid) check_cooperative(t);
  if ((t.arrived & bit_of(group)) != 0) {
    misuse_of_barrier(
        t, "arrives at the barrier",
        fmt::format("the thread arrives at the {}'s barrier twice without barrier_wait() between",
                    name_of(group)));
    stop(t);
  }
  block_state& b = *t.block;
  group_barrier& barrier = barrier_of_group(b, group);
  t.arrived |= bit_of(group);
  t.phases[static_cast<std::size_t>(group)] = barrier.phase;
  if (options_.is_watched) {
    barrier.before.push_back({known_clocks::one_of(b.serial, t.index), t.clock + 1});
    barrier.learnt = joined(barrier.learnt, joined(joined(t.learnt, t.pending), b.learnt));
    ++t.clock;
  }
  ++barrier.arrived;
  note_change();
  if (is_complete(b, group)) complete_group(b, group);
}

void engine::wait_in_group(thread_state& t, group_kind group, const char* file, int line) {
  if (t.out_of_bounds) flush_bounds(t);
  t.file = file;
  t.line = line;
  if ((t.arrived & bit_of(group)) == 0) {
    misuse_of_barrier(
        t, "waits at the barrier",
        fmt::format("barrier_wait() of the {}'s barrier without barrier_arrive() before", name_of(group)));
    stop(t);
  }
  t.arrived &= static_cast<std::uint8_t>(~bit_of(group));
  t.looks_at = nullptr;
  const group_barrier& barrier = barrier_of_group(*t.block, group);
  if (barrier.phase != t.phases[static_cast<std::size_t>(group)]) return learn(t, barrier.completed);
  t.group = group;
  t.waits_for = waiting::group;
  leave(t);
}

void engine::cluster_barrier(thread_state& t, const char* file, int line) {
  if (t.out_of_bounds) flush_bounds(t);
  t.file = file;
  t.line = line;
  if (t.arrived != 0) check_not_arrived(t, group_kind::cluster);
  block_state& b = *t.block;
  group_barrier& barrier = barrier_of_group(b, group_kind::cluster);
  ++barrier.arrived;
  ++barrier.met;
  t.group = group_kind::cluster;
  t.meets = true;
  t.waits_for = waiting::group;
  if (is_complete(b, group_kind::cluster)) complete_group(b, group_kind::cluster);
  leave(t);
}

/// Whether all have arrived; of a block and of a cluster those need not that have left the kernel (PTX ISA,
/// barrier.cluster).
bool engine::is_complete(block_state& b, group_kind group) {
  const std::uint64_t arrived = barrier_of_group(b, group).arrived;
  if (arrived == 0 || group == group_kind::grid) return arrived == all_blocks_ * threads_a_block_;
  std::uint64_t missing = 0;
  for_each_block(b, group, [&](const block_state& of) { missing += threads_a_block_ - of.done; });
  return arrived == missing;
}

/// All that the threads of these blocks did comes before all that they do from here on.
void engine::join_blocks(block_state& b, group_kind group) {
  std::vector<known_clocks::entry> bases;
  clocks all;
  for_each_block(b, group, [&](block_state& of) {
    pass_barrier(of);
    bases.push_back({known_clocks::all_of(of.serial), of.base});
    all = joined(all, of.learnt);
  });
  all = joined(all, known_clocks::of(std::move(bases)));
  for_each_block(b, group, [&](block_state& of) { of.learnt = all; });
}

/// What was done before the last arrival comes before what any does that has waited.
void engine::complete_group(block_state& b, group_kind group) {
  group_barrier& barrier = barrier_of_group(b, group);
  if (barrier.met == barrier.arrived) {
    join_blocks(b, group);
    barrier.completed = nullptr;
  } else {
    std::vector<known_clocks::entry> before = std::exchange(barrier.before, {});
    for_each_block(b, group, [&](block_state& of) {
      before.push_back({known_clocks::all_of(of.serial), of.base});
      for (thread_state& t : of.threads) {
        const bool meets = t.waits_for == waiting::group && t.group == group && t.meets;
        if (!meets && t.waits_for != waiting::done) continue;
        before.push_back({known_clocks::one_of(of.serial, t.index), t.clock + 1});
        if (!meets) continue;
        barrier.learnt = joined(barrier.learnt, joined(joined(t.learnt, t.pending), of.learnt));
        ++t.clock;
      }
    });
    barrier.completed = joined(known_clocks::of(std::move(before)), std::exchange(barrier.learnt, nullptr));
  }
  barrier.arrived = barrier.met = 0;
  ++barrier.phase;
  ++released_;
  for_each_block(b, group, [&](block_state& of) {
    std::vector<std::uint32_t> threads;
    for (thread_state& t : of.threads) {
      if (t.waits_for != waiting::group || t.group != group) continue;
      learn(t, barrier.completed);
      t.waits_for = waiting::nothing;
      t.meets = false;
      threads.push_back(t.index);
    }
    order(threads);
    of.ready.insert(of.ready.end(), threads.begin(), threads.end());
  });
}

/// A thread ends that has arrived: it counts as one that has left, and no more as one that came.
void engine::leave_without_waiting(thread_state& t) {
  for (const group_kind group : {group_kind::block, group_kind::cluster, group_kind::grid}) {
    if ((t.arrived & bit_of(group)) == 0) continue;
    group_barrier& barrier = barrier_of_group(*t.block, group);
    if (barrier.phase == t.phases[static_cast<std::size_t>(group)]) --barrier.arrived;
    t.file = t.arrived_file;
    t.line = t.arrived_line;
    misuse_of_barrier(t, "arrives at the barrier",
                      fmt::format("the thread leaves the kernel without barrier_wait() of the {}'s barrier",
                                  name_of(group)));
  }
}

}  // namespace heddle::checker
