#include "engine.hpp"

#include <algorithm>

#include <fmt/format.h>

/// What the lanes of a warp do together.
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
  complete_warp(b, first, t.visit.mask, t.visit);
  leave(t);
  return t.visit.result;
}

bool engine::complete_warp(block_state& b, std::uint32_t first, std::uint32_t mask, const warp_visit& what) {
  std::uint32_t arrived = 0;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(__builtin_ctz(rest));
    const thread_state& other = b.threads[first + lane];
    if (other.waits_for == waiting::warp && other.visit.mask == mask &&
        other.visit.operation == what.operation && other.visit.kind == what.kind)
      arrived |= 1u << lane;
  }
  if (arrived != mask) return false;
  finish_visit(b, first, arrived, what.operation);
  return true;
}

void engine::finish_visit(block_state& b, std::uint32_t first, std::uint32_t arrived,
                          warp_operation operation) {
  warp_visit* lanes[32] = {};
  modules::for_each_lane(arrived, [&](std::uint32_t lane) { lanes[lane] = &b.threads[first + lane].visit; });
  modules::finish_warp(lanes, arrived);
  if (operation == warp_operation::sync) synchronise_lanes(b, first, arrived);
  ++progress_;
  modules::for_each_lane(arrived, [&](std::uint32_t lane) {
    thread_state& t = b.threads[first + lane];
    t.waits_for = waiting::nothing;
    make_ready(b, t);
  });
}

/// __syncwarp: what these lanes did comes before what they do from here on.
void engine::synchronise_lanes(block_state& b, std::uint32_t first, std::uint32_t lanes) {
  if (!options_.is_watched) return;
  std::uint32_t known[32];
  clocks learnt;
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
  }
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(__builtin_ctz(rest));
    thread_state& t = b.threads[first + lane];
    std::copy_n(known, 32, t.lanes);
    ++t.clock;
    t.learnt = learnt;
    t.pending = nullptr;
    t.spins_on = nullptr;
  }
}

/// Lanes wait for others of their warp, and no thread of the block is under way.
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
      } else {
        missing.push_back(std::to_string(lane));
        if (elsewhere == nullptr || elsewhere->waits_for == waiting::done) elsewhere = &other;
      }
    }
    if (finding* f = report(finding_kind::warp_mask, t.visit.pc, 0, nullptr)) {
      f->places.push_back(place_of(t, "waits for the lanes of its mask", t.visit.pc));
      const bool left = elsewhere->waits_for == waiting::done;
      if (!left) {
        const bool in_warp = elsewhere->waits_for == waiting::warp;
        place p = place_of(*elsewhere, in_warp ? "waits for other lanes" : "waits at the barrier",
                           in_warp ? elsewhere->visit.pc : 0);
        if (!in_warp && elsewhere->file != nullptr) {
          p.file = elsewhere->file;
          p.line = static_cast<std::size_t>(elsewhere->line);
        }
        f->places.push_back(std::move(p));
      }
      const std::size_t count = missing.size();
      if (missing.size() > 4) {
        missing.resize(3);
        missing.emplace_back("…");
      }
      f->detail = fmt::format("mask {:#010x} names {} lane{} that do{} not arrive ({}): {} {}", mask, count,
                              count == 1 ? "" : "s", count == 1 ? "es" : "", fmt::join(missing, ", "),
                              count == 1 ? "it" : "they",
                              left ? (count == 1 ? "has left the kernel" : "have left the kernel")
                                   : (count == 1 ? "is elsewhere" : "are elsewhere"));
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
