#include "checker/engine/engine.hpp"

#include <algorithm>

#include <fmt/format.h>

/// What the lanes of a warp do together. All lanes that a mask names and that have not left the kernel must
/// take part (CUDA C++ Programming Guide, warp shuffle and vote functions); what a shuffle reads from a lane
/// that does not is undefined.
namespace heddle::checker {

std::uint64_t engine::warp(thread_state& t, const warp_visit& visit) {
  block_state& b = *t.block;
  if (t.out_of_bounds) flush_bounds(t);
  t.visit = visit;
  const std::uint32_t own = 1u << (t.index % 32);
  if ((visit.mask & own) == 0) {
    if (finding* f = report(finding_kind::warp_mask, visit.pc, 1, nullptr)) {
      f->places.push_back(place_of(t, "calls it", visit.pc));
      f->detail = fmt::format("mask {:#010x} does not name the calling lane, {}", visit.mask, t.index % 32);
    }
    t.visit.mask |= own;
  }
  // Lanes that a block has not, in its last warp, are named by habit and are not waited for.
  const std::uint32_t first = t.index / 32 * 32;
  const std::uint32_t lanes = std::min(threads_a_block_ - first, 32u);
  if (lanes < 32) t.visit.mask &= (1u << lanes) - 1;
  t.waits_for = waiting::warp;
  ++b.at_warp;
  complete_warp(b, first, t.visit.mask, t.visit);
  leave(t);
  return t.visit.result;
}

bool engine::complete_warp(block_state& b, std::uint32_t first, std::uint32_t mask, const warp_visit& what) {
  std::uint32_t arrived = 0, left = 0;
  cuda_on_cpu::for_each_lane(mask, [&](std::uint32_t lane) {
    const thread_state& other = b.threads[first + lane];
    if (other.waits_for == waiting::done) left |= 1u << lane;
    if (other.waits_for == waiting::warp && other.visit.mask == mask &&
        other.visit.operation == what.operation && other.visit.kind == what.kind)
      arrived |= 1u << lane;
  });
  if ((arrived | left) != mask) return false;
  finish_visit(b, first, arrived, what.operation);
  return true;
}

/// Lanes that waited for one that has now left the kernel go on.
void engine::release_lanes(block_state& b, const thread_state& left) {
  const std::uint32_t first = left.index / 32 * 32, end = std::min(first + 32, threads_a_block_);
  for (std::uint32_t i = first; i < end; ++i) {
    const thread_state& t = b.threads[i];
    if (t.waits_for == waiting::warp && (t.visit.mask >> (left.index - first) & 1) != 0) {
      const warp_visit what = t.visit;
      complete_warp(b, first, what.mask, what);
    }
  }
}

/// Finds the lanes that read what no lane gives.
void engine::check_shuffle(block_state& b, std::uint32_t first, std::uint32_t arrived) {
  cuda_on_cpu::for_each_lane(arrived, [&](std::uint32_t lane) {
    const thread_state& t = b.threads[first + lane];
    const int width = t.visit.width;
    const bool is_width = width > 0 && width <= 32 && (width & (width - 1)) == 0;
    const std::uint32_t source = is_width ? cuda_on_cpu::shuffle_source(t.visit, lane) : lane;
    if (is_width && (arrived >> source & 1) != 0) return;
    const bool exists = first + source < threads_a_block_;
    const bool has_left = exists && b.threads[first + source].waits_for == waiting::done;
    // One that its mask names and that does not arrive has been told.
    if (is_width && exists && !has_left && (t.visit.mask >> source & 1) != 0) return;
    finding* const f = report(finding_kind::absent_lane, t.visit.pc, is_width ? 0 : 1, nullptr);
    if (f == nullptr) return;
    f->places.push_back(place_of(t, "shuffles", t.visit.pc));
    if (!is_width) {
      f->detail = fmt::format("its width, {}, is none of 1, 2, 4, 8, 16 and 32", width);
      return;
    }
    f->detail = fmt::format("lane {} reads lane {}, {}", lane, source,
                            !exists    ? "which the block does not have"
                            : has_left ? "which has left the kernel"
                                       : "which is not in the mask");
  });
}

void engine::finish_visit(block_state& b, std::uint32_t first, std::uint32_t arrived,
                          warp_operation operation) {
  if (operation == warp_operation::shuffle && options_.is_watched) check_shuffle(b, first, arrived);
  warp_visit* lanes[32] = {};
  cuda_on_cpu::for_each_lane(arrived,
                             [&](std::uint32_t lane) { lanes[lane] = &b.threads[first + lane].visit; });
  cuda_on_cpu::finish_warp(lanes, arrived);
  if (operation == warp_operation::sync) synchronise_lanes(b, first, arrived);
  if (is_profiling_) reconverge_lanes(b, first, arrived);
  cuda_on_cpu::for_each_lane(arrived, [&](std::uint32_t lane) {
    thread_state& t = b.threads[first + lane];
    t.waits_for = waiting::nothing;
    --b.at_warp;
    make_ready(b, t);
  });
}

/// __syncwarp: what these lanes did comes before what they do from here on, and what the fence of one has
/// made visible an atomic of any of them publishes.
void engine::synchronise_lanes(block_state& b, std::uint32_t first, std::uint32_t lanes) {
  if (!options_.is_watched) return;
  std::uint32_t known[32];
  clocks learnt, released, released_in_block;
  std::fill(std::begin(known), std::end(known), b.base);
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(__builtin_ctz(rest));
    thread_state& t = b.threads[first + lane];
    if (t.lanes_since != b.barriers) {
      std::fill_n(t.lanes, 32, b.base);
      t.lanes_since = b.barriers;
    }
    for (int i = 0; i < 32; ++i) known[i] = std::max(known[i], t.lanes[i]);
    known[lane] = std::max(known[lane], t.clock + 1);
    if (t.learnt || t.pending) learnt = joined(learnt, joined(t.learnt, t.pending));
    if (t.released) released = joined(released, t.released);
    if (t.released_in_block) released_in_block = joined(released_in_block, t.released_in_block);
  }
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(__builtin_ctz(rest));
    thread_state& t = b.threads[first + lane];
    std::copy_n(known, 32, t.lanes);
    t.released = released;
    t.released_in_block = released_in_block;
    ++t.clock;
    t.learnt = learnt;
    t.pending = nullptr;
    t.looks_at = nullptr;
  }
}

/// Lanes wait for others of their warp, and no thread of the block runs.
bool engine::resolve_warps(block_state& b) {
  for (const thread_state& t : b.threads) {
    if (t.waits_for != waiting::warp) continue;
    const std::uint32_t first = t.index / 32 * 32, mask = t.visit.mask;
    std::uint32_t arrived = 0;
    std::vector<std::string> missing;
    const thread_state* elsewhere = nullptr;
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::uint32_t>(__builtin_ctz(rest));
      const thread_state& other = b.threads[first + lane];
      if (other.waits_for == waiting::warp && other.visit.mask == mask &&
          other.visit.operation == t.visit.operation && other.visit.kind == t.visit.kind) {
        arrived |= 1u << lane;
      } else if (other.waits_for != waiting::done) {
        missing.push_back(std::to_string(lane));
        if (elsewhere == nullptr) elsewhere = &other;
      }
    }
    if (finding* f = report(finding_kind::warp_mask, t.visit.pc, 0, nullptr)) {
      f->places.push_back(place_of(t, "waits for the lanes of its mask", t.visit.pc));
      const bool in_warp = elsewhere->waits_for == waiting::warp;
      f->places.push_back(in_warp ? place_of(*elsewhere, "waits for other lanes", elsewhere->visit.pc)
                                  : place_at_barrier(*elsewhere, "waits at the barrier"));
      const std::size_t count = missing.size();
      if (missing.size() > 4) {
        missing.resize(3);
        missing.emplace_back("…");
      }
      f->detail = fmt::format("mask {:#010x} names {} lane{} that do{} not arrive ({}): {} elsewhere", mask,
                              count, count == 1 ? "" : "s", count == 1 ? "es" : "", fmt::join(missing, ", "),
                              count == 1 ? "it is" : "they are");
    }
    const warp_operation operation = t.visit.operation;
    finish_visit(b, first, arrived, operation);
    return true;
  }
  return false;
}

std::uint32_t engine::converge(thread_state& t, std::uintptr_t pc) {
  t.visit = {};
  t.visit.pc = pc;
  t.waits_for = waiting::convergence;
  leave(t);
  return static_cast<std::uint32_t>(t.visit.result);
}

}  // namespace heddle::checker
