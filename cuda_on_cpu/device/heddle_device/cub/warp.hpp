#pragma once

/// Of CUB: what the threads of a warp, or of a part of it, do together. They meet as they do in a shuffle.

#include "basics.hpp"

namespace cub {
namespace heddle {

/// The threads of a part of a warp: their ranks, and the mask of all of them.
template <int Threads>
struct part_of_warp {
  static_assert(Threads >= 1 && Threads <= 32, "a warp has 32 threads");
  static constexpr bool is_power = (Threads & (Threads - 1)) == 0;
  unsigned rank = is_power || Threads == 32 ? lane() % Threads : lane() % Threads;
  unsigned first = lane() - rank;
  unsigned mask = (Threads == 32 ? 0xffffffffu : ((1u << (Threads % 32)) - 1)) << first;
  template <class T>
  T of(const T& value, unsigned rank_of) const {
    return from_lane(mask, value, first + rank_of);
  }
};

}  // namespace heddle

template <class T, int Threads = 32, int = 0>
class WarpReduce {
 public:
  struct TempStorage {
    T unused;
  };
  explicit WarpReduce(TempStorage&) {}

  template <class F>
  T Reduce(T value, F f) {
    return Reduce(value, f, Threads);
  }
  /// Of the first `valid` threads; the first thread has the result.
  template <class F>
  T Reduce(T value, F f, int valid) {
    const heddle::part_of_warp<Threads> part;
    T result = part.of(value, 0);
    for (int i = 1; i < Threads; ++i) {
      const T next = part.of(value, static_cast<unsigned>(i));
      if (i < valid) result = f(result, next);
    }
    return part.rank == 0 ? result : value;
  }
  T Sum(T value) { return Reduce(value, cub::Sum()); }
  T Sum(T value, int valid) { return Reduce(value, cub::Sum(), valid); }
  T Max(T value) { return Reduce(value, cub::Max()); }
  T Min(T value) { return Reduce(value, cub::Min()); }
  /// A thread with a flag begins a segment, and has its result.
  template <class Flag, class F>
  T HeadSegmentedReduce(T value, Flag flag, F f) {
    const heddle::part_of_warp<Threads> part;
    T result = value;
    bool goes_on = true;
    for (unsigned i = 1; i < Threads; ++i) {
      const bool is_begin = part.of(static_cast<int>(flag != 0), i) != 0;
      const T next = part.of(value, i);
      if (i > part.rank) {
        goes_on = goes_on && !is_begin;
        if (goes_on) result = f(result, next);
      }
    }
    return result;
  }
  template <class Flag>
  T HeadSegmentedSum(T value, Flag flag) {
    return HeadSegmentedReduce(value, flag, cub::Sum());
  }
};

template <class T, int Threads = 32, int = 0>
class WarpScan {
 public:
  struct TempStorage {
    T unused;
  };
  explicit WarpScan(TempStorage&) {}

  template <class F>
  void InclusiveScan(T value, T& result, F f) {
    T all;
    InclusiveScan(value, result, f, all);
  }
  template <class F>
  void InclusiveScan(T value, T& result, F f, T& all) {
    const heddle::part_of_warp<Threads> part;
    T sum = part.of(value, 0), own = sum;
    for (unsigned i = 1; i < Threads; ++i) {
      sum = f(sum, part.of(value, i));
      if (i == part.rank) own = sum;
    }
    result = own;
    all = sum;
  }
  template <class F>
  void ExclusiveScan(T value, T& result, T begin, F f) {
    T all;
    ExclusiveScan(value, result, begin, f, all);
  }
  template <class F>
  void ExclusiveScan(T value, T& result, T begin, F f, T& all) {
    const heddle::part_of_warp<Threads> part;
    T sum = part.of(value, 0), own = begin;
    for (unsigned i = 1; i < Threads; ++i) {
      if (i == part.rank) own = f(begin, sum);
      sum = f(sum, part.of(value, i));
    }
    result = own;
    all = sum;
  }
  template <class F>
  void ExclusiveScan(T value, T& result, F f) {
    const heddle::part_of_warp<Threads> part;
    T inclusive;
    InclusiveScan(value, inclusive, f);
    const T before = part.of(inclusive, part.rank == 0 ? 0 : part.rank - 1);
    if (part.rank != 0) result = before;
  }
  void InclusiveSum(T value, T& result) { InclusiveScan(value, result, cub::Sum()); }
  void InclusiveSum(T value, T& result, T& all) { InclusiveScan(value, result, cub::Sum(), all); }
  void ExclusiveSum(T value, T& result) { ExclusiveScan(value, result, T{}, cub::Sum()); }
  void ExclusiveSum(T value, T& result, T& all) { ExclusiveScan(value, result, T{}, cub::Sum(), all); }
  T Broadcast(T value, unsigned from) { return heddle::part_of_warp<Threads>().of(value, from); }
};

template <int Threads = 32, class T = int>
T ShuffleIndex(T value, int from, unsigned mask) {
  return heddle::from_lane(mask, value,
                           heddle::lane() / Threads * Threads + static_cast<unsigned>(from) % Threads);
}
template <int Threads = 32, class T = int>
T ShuffleUp(T value, int by, int first, unsigned mask) {
  const int rank = static_cast<int>(heddle::lane() % Threads), from = rank - by < first ? rank : rank - by;
  return ShuffleIndex<Threads>(value, from, mask);
}
template <int Threads = 32, class T = int>
T ShuffleDown(T value, int by, int last, unsigned mask) {
  const int rank = static_cast<int>(heddle::lane() % Threads), from = rank + by > last ? rank : rank + by;
  return ShuffleIndex<Threads>(value, from, mask);
}

}  // namespace cub
