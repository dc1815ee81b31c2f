#include "checker/engine/engine.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

/// The shared memory that blocks of a cluster have of one another: there once a block has begun, for as long
/// as it runs (CUDA C++ Programming Guide, distributed shared memory).
namespace heddle::checker {

std::uint32_t engine::shared_rank(const thread_state& t, const void* pointer) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  const cluster_state* const c = t.block->cluster;
  if (c == nullptr) return t.block->shared->has(address) ? 0 : ~0u;
  const auto found = std::find_if(c->blocks.begin(), c->blocks.end(),
                                  [&](const block_state* b) { return b->shared->has(address); });
  return found == c->blocks.end() ? ~0u : static_cast<std::uint32_t>(found - c->blocks.begin());
}

void* engine::map_shared(thread_state& t, const void* pointer, std::uint32_t rank, std::uintptr_t pc) {
  const std::uint32_t own = shared_rank(t, pointer);
  if (own == ~0u) misuse(t, "map_shared_rank: the address is of no shared memory of the cluster", pc);
  if (rank >= blocks_a_cluster_)
    misuse(t, fmt::format("map_shared_rank: rank {} in a cluster of {} blocks", rank, blocks_a_cluster_), pc);
  if (t.block->cluster == nullptr) return const_cast<void*>(pointer);
  const auto& blocks = t.block->cluster->blocks;
  return blocks[rank]->shared->memory.data() +
         (static_cast<const std::byte*>(pointer) - blocks[own]->shared->memory.data());
}

/// Kept until the cluster is over: others may still reach its shared memory, which is told.
void engine::end_block_of_cluster(std::unique_ptr<block_state> b) {
  cluster_state& c = *b->cluster;
  for (const auto& r : b->shared->regions) {
    if (r && r->is_reached) check_reached(*b, *r);
  }
  b->shared->end();
  c.over.push_back(std::move(b));
  if (c.over.size() != c.blocks.size()) return;
  for (auto& other : c.over) spare_.push_back(std::move(other));
  std::erase_if(clusters_, [&](const auto& other) { return other.get() == &c; });
}

void engine::report_absent_block(const place& by, const region& r, std::uintptr_t address, const char* why) {
  finding* const f = report(finding_kind::use_after_free, by.pc, why == block_is_over ? 0 : 1, r.identity());
  if (f == nullptr) return;
  f->places.push_back(by);
  name_element(*f, r, address);
  f->detail = why;
}

/// A thread accesses what is of a block that nothing says has begun.
void engine::reach_other_block(thread_state& t, region& r, std::uintptr_t address, std::uint8_t flags,
                               std::uintptr_t pc) {
  r.is_reached = true;
  if (grid_base_ != 1) return;
  const auto knows = [&](const clocks& known) {
    if (!known) return false;
    for (std::uint32_t thread = 0; thread < threads_a_block_; ++thread) {
      if (known->has(r.of_block, thread, grid_base_)) return true;
    }
    return false;
  };
  if (knows(t.block->learnt) || knows(t.learnt) || knows(t.pending)) return;
  report_absent_block(place_of(t, access_text(flags), pc), r, address,
                      "its block need not have begun: cluster.sync() before blocks use one another's shared "
                      "memory waits for that");
}

/// The block ends: what others did with its shared memory has to come before.
void engine::check_reached(const block_state& b, const region& r) {
  if (r.last == nullptr) return;
  const std::size_t words = (r.bytes + (std::size_t{1} << r.shift) - 1) >> r.shift;
  for (std::size_t w = 0; w < words; ++w) {
    r.for_each_record(w, grid_base_, [&](const record& known) {
      if (known.block < first_serial_ || known.block == b.serial) return;
      if (std::any_of(b.threads.begin(), b.threads.end(),
                      [&](const thread_state& t) { return comes_before(known, t, b); }))
        return;
      report_absent_block(place_of(known, first_serial_, options_.block, options_.grid), r,
                          r.begin + (w << r.shift), block_is_over);
    });
  }
}

}  // namespace heddle::checker
