#include "checker/engine/engine.hpp"

#include <algorithm>
#include <exception>

/// The threads of a block, one after another: which goes on, and which only another lets go on.
namespace heddle::checker {

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
    } catch (...) {
      e.failure_ = "an exception that is no std::exception";
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

}  // namespace heddle::checker
