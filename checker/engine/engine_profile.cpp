#include "checker/engine/engine.hpp"

#include <algorithm>

/// What is noted of threads for the profile of their warps.
namespace heddle::checker {

void engine::begin_traces(block_state& b) const {
  b.traces.assign((threads_a_block_ + 31) / 32, {});
  for (std::uint32_t w = 0; w < b.traces.size(); ++w)
    b.traces[w].lanes.resize(std::min(threads_a_block_ - 32 * w, 32u));
}

void engine::end_traces(block_state& b) {
  for (warp_trace& warp : b.traces) profiler_.bring_together(warp);
  b.traces.clear();
}

/// A function of the warp brings its lanes together when all that have not left call it.
void engine::reconverge_lanes(block_state& b, std::uint32_t first, std::uint32_t arrived) {
  warp_trace& warp = b.traces[first / 32];
  for (std::uint32_t i = 0; i < warp.lanes.size(); ++i) {
    if ((arrived >> i & 1) == 0 && !warp.lanes[i].has_left) return;
  }
  profiler_.bring_together(warp);
}

void engine::profile_access(thread_state& t, const region& r, std::uintptr_t address, std::size_t bytes,
                            std::uint8_t flags, std::uintptr_t pc) {
  if (r.is_constant) return;
  using how = profiler::access;
  const bool is_update = (flags & record::atomic) != 0 && (flags & (record::write | record::also_reads)) != 0;
  // On a GPU every array and variable begins at a multiple of 256 bytes.
  profiler_.note_access(trace_of(t), t.index % 32, pc, t.stack_begin - t.frame, r.is_shared,
                        is_update                      ? how::atomic
                        : (flags & record::write) != 0 ? how::writes
                                                       : how::reads,
                        address - r.begin % 256, bytes);
}

}  // namespace heddle::checker
