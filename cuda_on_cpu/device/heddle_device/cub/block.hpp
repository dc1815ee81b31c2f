#pragma once

/// Of CUB: what the threads of a block do together. Each puts what it has into the shared memory that it is
/// given, and they meet: who uses that again without a barrier races, as with CUB.

#include "warp.hpp"

namespace cub {

enum BlockReduceAlgorithm {
  BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY,
  BLOCK_REDUCE_RAKING,
  BLOCK_REDUCE_WARP_REDUCTIONS,
  BLOCK_REDUCE_WARP_REDUCTIONS_NONDETERMINISTIC
};
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };
enum BlockLoadAlgorithm {
  BLOCK_LOAD_DIRECT,
  BLOCK_LOAD_STRIPED,
  BLOCK_LOAD_VECTORIZE,
  BLOCK_LOAD_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED
};
enum BlockStoreAlgorithm {
  BLOCK_STORE_DIRECT,
  BLOCK_STORE_STRIPED,
  BLOCK_STORE_VECTORIZE,
  BLOCK_STORE_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED
};
enum BlockHistogramAlgorithm { BLOCK_HISTO_SORT, BLOCK_HISTO_ATOMIC };

namespace heddle {

/// Where a call of the block's threads has them meet; each meets itself alone.
#define HEDDLE_MEETING const char *file = __builtin_FILE(), int line = __builtin_LINE()
inline void meet(const char* file, int line) {
  ::__syncthreads(file, line);
}

template <class T, int N>
struct of_block {
  struct TempStorage {
    elements<T, N> own;
    elements<T, 2> more;
  };
  explicit of_block(TempStorage& storage) : storage_(&storage) {}
  of_block() : storage_(&own_storage()) {}
  TempStorage& storage() { return *storage_; }
  int thread = static_cast<int>(thread_of_block());

 private:
  struct tag {
    static constexpr const char* name() { return "CUB's storage"; }
  };
  static TempStorage& own_storage() { return ::heddle_device::shared_reference<tag, TempStorage, 0>::get(); }
  TempStorage* storage_;
};

}  // namespace heddle

template <class T, int X, BlockReduceAlgorithm = BLOCK_REDUCE_WARP_REDUCTIONS, int Y = 1, int Z = 1, int = 0>
class BlockReduce : heddle::of_block<T, X * Y * Z> {
  using base = heddle::of_block<T, X * Y * Z>;

 public:
  using TempStorage = typename base::TempStorage;
  using base::base;
  /// The first thread has the result.
  template <class F>
  T Reduce(T value, F f, HEDDLE_MEETING) {
    return reduce(value, f, X * Y * Z, file, line);
  }
  template <class F>
  T Reduce(T value, F f, int valid, HEDDLE_MEETING) {
    return reduce(value, f, valid, file, line);
  }
  template <int N, class F>
  T Reduce(T (&values)[N], F f, HEDDLE_MEETING) {
    return reduce(own(values, f), f, X * Y * Z, file, line);
  }
  T Sum(T value, HEDDLE_MEETING) { return reduce(value, cub::Sum(), X * Y * Z, file, line); }
  T Sum(T value, int valid, HEDDLE_MEETING) { return reduce(value, cub::Sum(), valid, file, line); }
  template <int N>
  T Sum(T (&values)[N], HEDDLE_MEETING) {
    return reduce(own(values, cub::Sum()), cub::Sum(), X * Y * Z, file, line);
  }

 private:
  template <int N, class F>
  static T own(T (&values)[N], F f) {
    T result = values[0];
    for (int i = 1; i < N; ++i) result = f(result, values[i]);
    return result;
  }
  template <class F>
  T reduce(T value, F f, int valid, const char* file, int line) {
    auto& of = this->storage().own;
    of[this->thread] = value;
    heddle::meet(file, line);
    if (this->thread != 0) return value;
    T result = of[0];
    for (int i = 1; i < valid && i < X * Y * Z; ++i) result = f(result, of[i]);
    return result;
  }
};

template <class T, int X, BlockScanAlgorithm = BLOCK_SCAN_RAKING, int Y = 1, int Z = 1, int = 0>
class BlockScan : heddle::of_block<T, X * Y * Z> {
  using base = heddle::of_block<T, X * Y * Z>;

 public:
  using TempStorage = typename base::TempStorage;
  using base::base;
  void InclusiveSum(T value, T& result, HEDDLE_MEETING) {
    one(value, result, cub::Sum(), false, T{}, false, nullptr, file, line);
  }
  void InclusiveSum(T value, T& result, T& all, HEDDLE_MEETING) {
    one(value, result, cub::Sum(), false, T{}, false, &all, file, line);
  }
  void ExclusiveSum(T value, T& result, HEDDLE_MEETING) {
    one(value, result, cub::Sum(), true, T{}, true, nullptr, file, line);
  }
  void ExclusiveSum(T value, T& result, T& all, HEDDLE_MEETING) {
    one(value, result, cub::Sum(), true, T{}, true, &all, file, line);
  }
  template <class F>
  void InclusiveScan(T value, T& result, F f, HEDDLE_MEETING) {
    one(value, result, f, false, T{}, false, nullptr, file, line);
  }
  template <class F>
  void InclusiveScan(T value, T& result, F f, T& all, HEDDLE_MEETING) {
    one(value, result, f, false, T{}, false, &all, file, line);
  }
  template <class F>
  void ExclusiveScan(T value, T& result, T begin, F f, HEDDLE_MEETING) {
    one(value, result, f, true, begin, true, nullptr, file, line);
  }
  template <class F>
  void ExclusiveScan(T value, T& result, T begin, F f, T& all, HEDDLE_MEETING) {
    one(value, result, f, true, begin, true, &all, file, line);
  }
  template <int N>
  void InclusiveSum(T (&values)[N], T (&result)[N], HEDDLE_MEETING) {
    many(values, result, cub::Sum(), false, T{}, false, nullptr, file, line);
  }
  template <int N>
  void InclusiveSum(T (&values)[N], T (&result)[N], T& all, HEDDLE_MEETING) {
    many(values, result, cub::Sum(), false, T{}, false, &all, file, line);
  }
  template <int N>
  void ExclusiveSum(T (&values)[N], T (&result)[N], HEDDLE_MEETING) {
    many(values, result, cub::Sum(), true, T{}, true, nullptr, file, line);
  }
  template <int N>
  void ExclusiveSum(T (&values)[N], T (&result)[N], T& all, HEDDLE_MEETING) {
    many(values, result, cub::Sum(), true, T{}, true, &all, file, line);
  }
  template <int N, class F>
  void InclusiveScan(T (&values)[N], T (&result)[N], F f, HEDDLE_MEETING) {
    many(values, result, f, false, T{}, false, nullptr, file, line);
  }
  template <int N, class F>
  void ExclusiveScan(T (&values)[N], T (&result)[N], T begin, F f, HEDDLE_MEETING) {
    many(values, result, f, true, begin, true, nullptr, file, line);
  }
  template <int N, class F>
  void ExclusiveScan(T (&values)[N], T (&result)[N], T begin, F f, T& all, HEDDLE_MEETING) {
    many(values, result, f, true, begin, true, &all, file, line);
  }
  /// The prefix of the block is what the first thread's function gives for the sum of all.
  template <class Prefix, class = decltype(std::declval<Prefix&>()(std::declval<T>()))>
  void ExclusiveSum(T value, T& result, Prefix& prefix, HEDDLE_MEETING) {
    with_prefix(value, result, cub::Sum(), true, prefix, file, line);
  }
  template <class Prefix, class = decltype(std::declval<Prefix&>()(std::declval<T>()))>
  void InclusiveSum(T value, T& result, Prefix& prefix, HEDDLE_MEETING) {
    with_prefix(value, result, cub::Sum(), false, prefix, file, line);
  }
  template <int N, class Prefix, class = decltype(std::declval<Prefix&>()(std::declval<T>()))>
  void ExclusiveSum(T (&values)[N], T (&result)[N], Prefix& prefix, HEDDLE_MEETING) {
    T sum = values[0];
    for (int i = 1; i < N; ++i) sum = sum + values[i];
    T before;
    with_prefix(sum, before, cub::Sum(), true, prefix, file, line);
    for (int i = 0; i < N; ++i) {
      const T next = values[i];
      result[i] = before;
      before = before + next;
    }
  }

 private:
  /// What comes before the thread's own, where something does.
  template <class F>
  bool before(T value, T& result, F f, bool has_begin, T begin, T* all, const char* file, int line) {
    auto& of = this->storage().own;
    of[this->thread] = value;
    heddle::meet(file, line);
    T sum = begin;
    bool has_sum = has_begin;
    for (int i = 0; i < this->thread; ++i) {
      sum = has_sum ? static_cast<T>(f(sum, of[i])) : of[i];
      has_sum = true;
    }
    if (all != nullptr) {
      T total = of[0];
      for (int i = 1; i < X * Y * Z; ++i) total = f(total, of[i]);
      *all = total;
    }
    result = sum;
    return has_sum;
  }
  template <class F>
  void one(T value, T& result, F f, bool is_exclusive, T begin, bool has_begin, T* all, const char* file,
           int line) {
    T sum;
    const bool has_sum = before(value, sum, f, has_begin, begin, all, file, line);
    result = is_exclusive ? sum : has_sum ? static_cast<T>(f(sum, value)) : value;
  }
  template <int N, class F>
  void many(T (&values)[N], T (&result)[N], F f, bool is_exclusive, T begin, bool has_begin, T* all,
            const char* file, int line) {
    T own = values[0], sum;
    for (int i = 1; i < N; ++i) own = f(own, values[i]);
    bool has_sum = before(own, sum, f, has_begin, begin, all, file, line);
    for (int i = 0; i < N; ++i) {
      const T next = values[i], with = has_sum ? static_cast<T>(f(sum, next)) : next;
      result[i] = is_exclusive ? sum : with;
      sum = with;
      has_sum = true;
    }
  }
  template <class F, class Prefix>
  void with_prefix(T value, T& result, F f, bool is_exclusive, Prefix& prefix, const char* file, int line) {
    T sum, all;
    const bool has_sum = before(value, sum, f, false, T{}, &all, file, line);
    auto& shared = this->storage().more;
    // All threads of the first warp call it; that of the first thread counts.
    if (this->thread < 32) {
      const T begin = prefix(all);
      if (this->thread == 0) shared[0] = begin;
    }
    heddle::meet(file, line + ::heddle_device::barriers_on_a_line);
    const T begin = shared[0];
    const T from = has_sum ? static_cast<T>(f(begin, sum)) : begin;
    result = is_exclusive ? from : static_cast<T>(f(from, value));
  }
};

}  // namespace cub
