#pragma once

/// Barriers that are a word in memory: threads arrive, go on, and wait for the phase to end later (PTX ISA,
/// mbarrier). It is changed by atomic functions alone, which order what threads do before they arrive and
/// after they have waited.

#include "atomics.hpp"
#include "spaces.hpp"

namespace heddle_device {

/// From its lowest bits: how many arrivals are missing, how many a phase has, the phase, and how many bytes
/// of copies are missing.
struct phase_state {
  u32 missing, expected, phase;
  int bytes;

  static constexpr u32 most = (1u << 20) - 1, phases = 16;
  HEDDLE_DEVICE u64 packed() const {
    return u64{missing} | u64{expected} << 20 | u64{phase % phases} << 40 | (static_cast<u64>(bytes) << 44);
  }
  static HEDDLE_DEVICE phase_state of(u64 word) {
    return {static_cast<u32>(word) & most, static_cast<u32>(word >> 20) & most,
            static_cast<u32>(word >> 40) % phases, static_cast<int>(static_cast<long long>(word) >> 44)};
  }
};

HEDDLE_DEVICE u64 phase_word(u64* at, scope where, order how) {
  return heddle_atomic(at, 0, 0, {atomic_operation::load, scalar::u64, where, how, 1, 0});
}

struct nothing_to_complete {
  HEDDLE_DEVICE void operator()() const {}
};

/// Changes the word by `change`, which says what is missing then; the phase ends where that is nothing, after
/// `complete`. Gives the phase before.
template <class Change, class Complete>
HEDDLE_DEVICE u32 change_phase(u64* at, scope where, Change change, Complete complete) {
  u64 seen = phase_word(at, where, order::acquire);
  for (;;) {
    phase_state s = phase_state::of(seen);
    if (s.expected == 0 && s.missing == 0 && s.phase == 0) heddle_misuse("the barrier was not initialised");
    const u32 before = s.phase;
    change(s);
    if (s.missing == 0 && s.bytes == 0) {
      complete();
      s = {s.expected, s.expected, s.phase + 1, 0};
    }
    const u64 found =
        heddle_atomic(at, s.packed(), seen,
                      {atomic_operation::compare_exchange, scalar::u64, where, order::acquire_release, 1, 0});
    if (found == seen) return before;
    seen = found;
  }
}
HEDDLE_DEVICE void begin_phases(u64* at, long long expected) {
  if (reinterpret_cast<u64>(at) % 8 != 0) heddle_misuse("a barrier's address has to be a multiple of 8");
  if (expected <= 0 || expected > phase_state::most)
    heddle_misuse("a barrier expects from 1 to 2^20 - 1 arrivals");
  *at = phase_state{static_cast<u32>(expected), static_cast<u32>(expected), 0, 0}.packed();
}
/// What the thread copies is done when it arrives: who waits for the phase waits for it.
template <class Complete>
HEDDLE_DEVICE u32 arrive_in_phase(u64* at, scope where, long long count, long long bytes, Complete complete) {
  wait_for_all_copies();
  return change_phase(
      at, where,
      [&](phase_state& s) __attribute__((always_inline)) {
        if (count < 0 || count > s.missing)
          heddle_misuse("more threads arrive at the barrier than its phase expects");
        s.missing -= static_cast<u32>(count);
        s.bytes += static_cast<int>(bytes);
      },
      complete);
}
template <class Complete>
HEDDLE_DEVICE void arrive_and_leave(u64* at, scope where, Complete complete) {
  wait_for_all_copies();
  change_phase(
      at, where,
      [](phase_state& s) __attribute__((always_inline)) {
        if (s.missing == 0 || s.expected == 0)
          heddle_misuse("more threads arrive at the barrier than its phase expects");
        --s.missing;
        --s.expected;
      },
      complete);
}
HEDDLE_DEVICE void expect_bytes(u64* at, scope where, long long bytes) {
  change_phase(
      at, where, [=](phase_state& s) __attribute__((always_inline)) { s.bytes += static_cast<int>(bytes); },
      nothing_to_complete());
}
HEDDLE_DEVICE bool is_in_phase(u64* at, scope where, u32 phase) {
  wait_for_all_copies();
  return phase_state::of(phase_word(at, where, order::acquire)).phase == phase % phase_state::phases;
}
/// Of the phase whose number has that parity, which a barrier that has just begun has behind it for 1.
HEDDLE_DEVICE bool is_in_phase_of_parity(u64* at, scope where, bool parity) {
  wait_for_all_copies();
  return phase_state::of(phase_word(at, where, order::acquire)).phase % 2 == (parity ? 1 : 0);
}

/// A share of n bytes for each of `threads`, in pieces as large as addresses and n allow.
HEDDLE_DEVICE void copy_share(void* to, const void* from, u64 n, u32 rank, u32 threads,
                              bool is_asynchronous) {
  const u64 addresses = reinterpret_cast<u64>(to) | reinterpret_cast<u64>(from) | n;
  const u32 piece = addresses % 16 == 0 ? 16 : addresses % 8 == 0 ? 8 : addresses % 4 == 0 ? 4 : 1;
  for (u64 i = u64{rank} * piece; i < n; i += u64{threads} * piece) {
    char* const target = static_cast<char*>(to) + i;
    const char* const source = static_cast<const char*>(from) + i;
    if (piece == 1 || !is_asynchronous) {
      for (u32 k = 0; k < piece; ++k) target[k] = source[k];
    } else {
      copy_asynchronously(target, source, piece, piece);
    }
  }
}
/// To shared from other memory it goes on while the thread does.
HEDDLE_DEVICE bool may_be_asynchronous(const void* to, const void* from) {
  return is_shared(reinterpret_cast<u64>(to)) && !is_shared(reinterpret_cast<u64>(from));
}

}  // namespace heddle_device
