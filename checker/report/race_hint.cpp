#include "checker/report/race_hint.hpp"

#include <algorithm>

namespace heddle::checker {
namespace {

/// What orders two accesses of plain code.
std::string order_hint(const race_facts& race) {
  switch (race.apart) {
    case race_facts::threads::of_a_warp:
      return "threads of one warp need not move together: __syncwarp() between the two orders them, and so "
             "does "
             "__syncthreads()";
    case race_facts::threads::of_a_block:
      return "__syncthreads() between the two orders the threads of a block";
    case race_facts::threads::of_blocks:
      return "blocks run in any order, and __syncthreads() orders the threads of one block alone: two "
             "launches, two "
             "arrays or a barrier of the grid keep the two apart";
  }
  return "";
}

}  // namespace

bool is_same_value(const race_facts& race) {
  return race.writes_meet && !race.reads_meet && !race.values_differ && !race.is_one_atomic &&
         !race.is_scope_too_narrow;
}

void race_facts::join(const race_facts& other) {
  apart = std::max(apart, other.apart);
  reads_meet |= other.reads_meet;
  writes_meet |= other.writes_meet;
  is_one_atomic |= other.is_one_atomic;
  is_volatile |= other.is_volatile;
  is_scope_too_narrow |= other.is_scope_too_narrow;
  values_differ |= other.values_differ;
  is_before_exchange &= other.is_before_exchange;
  lacks_acquire |= other.lacks_acquire;
  is_told |= other.is_told;
}

std::string race_hint(const finding& f) {
  const race_facts& race = f.race;
  const bool is_of_blocks = race.apart == race_facts::threads::of_blocks;
  const bool is_one_line =
      f.places.size() >= 2 && f.places[0].file == f.places[1].file && f.places[0].line == f.places[1].line;
  if (is_same_value(race)) {
    return "they write the same value, so that it is there whichever comes last: an atomic or a volatile "
           "write "
           "says so to the compiler";
  }
  if (race.is_before_exchange) {
    return "it is the first read of a compare-and-swap loop, whose exchange finds out what it missed: a "
           "volatile "
           "read says so to the compiler";
  }
  if (race.is_scope_too_narrow) {
    return "both are atomic, but at a scope that does not reach the other thread: atomicAdd() and its kind "
           "without "
           "_block, or thread_scope_device, reach all blocks";
  }
  if (race.lacks_acquire) {
    return is_of_blocks ? "__threadfence() is missing behind the look at what tells of the write"
                        : "__threadfence_block() is missing behind the look at what tells of the write";
  }
  if (race.is_told) {
    return "__threadfence() belongs between the write and the atomic or the flag that tells the other block "
           "of it, "
           "and __syncthreads() before that where another thread tells";
  }
  if (race.is_one_atomic) {
    return is_of_blocks
               ? "one of them is not atomic, and nothing orders blocks: both must be"
               : "one of them is not atomic: __syncthreads() between the two orders them, or both must be";
  }
  if (is_one_line && race.writes_meet && race.reads_meet)
    return "threads update it at once, and updates are lost: atomicAdd() and its kind lose none";
  if (is_one_line && race.writes_meet)
    return "several threads write it: let one of them do so, or combine what they write by an atomic "
           "function";
  const std::string order = order_hint(race);
  return race.is_volatile ? "volatile orders nothing: " + order : order;
}

}  // namespace heddle::checker
