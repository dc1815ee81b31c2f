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

// ---------------------------------------------------------------------------------- loading and storing

template <class T, int N, class In>
void LoadDirectBlocked(int thread, In from, T (&items)[N]) {
  for (int i = 0; i < N; ++i) items[i] = from[thread * N + i];
}
template <class T, int N, class In>
void LoadDirectBlocked(int thread, In from, T (&items)[N], int valid) {
  for (int i = 0; i < N; ++i) {
    if (thread * N + i < valid) items[i] = from[thread * N + i];
  }
}
template <class T, int N, class In, class Default>
void LoadDirectBlocked(int thread, In from, T (&items)[N], int valid, Default other) {
  for (T& item : items) item = other;
  LoadDirectBlocked(thread, from, items, valid);
}
template <int Threads, class T, int N, class In>
void LoadDirectStriped(int thread, In from, T (&items)[N]) {
  for (int i = 0; i < N; ++i) items[i] = from[thread + i * Threads];
}
template <int Threads, class T, int N, class In>
void LoadDirectStriped(int thread, In from, T (&items)[N], int valid) {
  for (int i = 0; i < N; ++i) {
    if (thread + i * Threads < valid) items[i] = from[thread + i * Threads];
  }
}
template <int Threads, class T, int N, class In, class Default>
void LoadDirectStriped(int thread, In from, T (&items)[N], int valid, Default other) {
  for (T& item : items) item = other;
  LoadDirectStriped<Threads>(thread, from, items, valid);
}
template <class T, int N, class Out>
void StoreDirectBlocked(int thread, Out to, T (&items)[N]) {
  for (int i = 0; i < N; ++i) to[thread * N + i] = items[i];
}
template <class T, int N, class Out>
void StoreDirectBlocked(int thread, Out to, T (&items)[N], int valid) {
  for (int i = 0; i < N; ++i) {
    if (thread * N + i < valid) to[thread * N + i] = items[i];
  }
}
template <int Threads, class T, int N, class Out>
void StoreDirectStriped(int thread, Out to, T (&items)[N]) {
  for (int i = 0; i < N; ++i) to[thread + i * Threads] = items[i];
}
template <int Threads, class T, int N, class Out>
void StoreDirectStriped(int thread, Out to, T (&items)[N], int valid) {
  for (int i = 0; i < N; ++i) {
    if (thread + i * Threads < valid) to[thread + i * Threads] = items[i];
  }
}

template <class T, int X, int N, BlockLoadAlgorithm Algorithm = BLOCK_LOAD_DIRECT, int Y = 1, int Z = 1,
          int = 0>
class BlockLoad : heddle::of_block<T, 1> {
  using base = heddle::of_block<T, 1>;
  static constexpr int threads = X * Y * Z;

 public:
  using TempStorage = typename base::TempStorage;
  using base::base;
  template <class In, class... Valid>
  void Load(In from, T (&items)[N], Valid... valid) {
    if constexpr (Algorithm == BLOCK_LOAD_STRIPED) {
      LoadDirectStriped<threads>(this->thread, from, items, valid...);
    } else {
      LoadDirectBlocked(this->thread, from, items, valid...);
    }
  }
};
template <class T, int X, int N, BlockStoreAlgorithm Algorithm = BLOCK_STORE_DIRECT, int Y = 1, int Z = 1,
          int = 0>
class BlockStore : heddle::of_block<T, 1> {
  using base = heddle::of_block<T, 1>;
  static constexpr int threads = X * Y * Z;

 public:
  using TempStorage = typename base::TempStorage;
  using base::base;
  template <class Out, class... Valid>
  void Store(Out to, T (&items)[N], Valid... valid) {
    if constexpr (Algorithm == BLOCK_STORE_STRIPED) {
      StoreDirectStriped<threads>(this->thread, to, items, valid...);
    } else {
      StoreDirectBlocked(this->thread, to, items, valid...);
    }
  }
};

template <class T, int X, int N, bool = false, int Y = 1, int Z = 1, int = 0>
class BlockExchange : heddle::of_block<T, X * Y * Z * N> {
  using base = heddle::of_block<T, X * Y * Z * N>;
  static constexpr int threads = X * Y * Z;

 public:
  using TempStorage = typename base::TempStorage;
  using base::base;
  template <class Out>
  void StripedToBlocked(const T (&items)[N], Out (&to)[N], HEDDLE_MEETING) {
    exchange(
        items, to, [&](int i) { return this->thread + i * threads; },
        [&](int i) { return this->thread * N + i; }, file, line);
  }
  template <class Out>
  void BlockedToStriped(const T (&items)[N], Out (&to)[N], HEDDLE_MEETING) {
    exchange(
        items, to, [&](int i) { return this->thread * N + i; },
        [&](int i) { return this->thread + i * threads; }, file, line);
  }
  template <class Out>
  void WarpStripedToBlocked(const T (&items)[N], Out (&to)[N], HEDDLE_MEETING) {
    exchange(
        items, to, [&](int i) { return of_warp(i); }, [&](int i) { return this->thread * N + i; }, file,
        line);
  }
  template <class Out>
  void BlockedToWarpStriped(const T (&items)[N], Out (&to)[N], HEDDLE_MEETING) {
    exchange(
        items, to, [&](int i) { return this->thread * N + i; }, [&](int i) { return of_warp(i); }, file,
        line);
  }
  template <class Out, class Rank>
  void ScatterToBlocked(const T (&items)[N], Out (&to)[N], Rank (&ranks)[N], HEDDLE_MEETING) {
    exchange(
        items, to, [&](int i) { return static_cast<int>(ranks[i]); },
        [&](int i) { return this->thread * N + i; }, file, line);
  }
  template <class Out, class Rank>
  void ScatterToStriped(const T (&items)[N], Out (&to)[N], Rank (&ranks)[N], HEDDLE_MEETING) {
    exchange(
        items, to, [&](int i) { return static_cast<int>(ranks[i]); },
        [&](int i) { return this->thread + i * threads; }, file, line);
  }
  template <class... A>
  void StripedToBlocked(T (&items)[N], HEDDLE_MEETING) {
    StripedToBlocked(items, items, file, line);
  }
  template <class... A>
  void BlockedToStriped(T (&items)[N], HEDDLE_MEETING) {
    BlockedToStriped(items, items, file, line);
  }

 private:
  int of_warp(int i) const {
    constexpr int width = threads < 32 ? threads : 32;
    return this->thread / width * width * N + this->thread % width + i * width;
  }
  template <class Out, class To, class From>
  void exchange(const T (&items)[N], Out (&to)[N], To place, From origin, const char* file, int line) {
    auto& of = this->storage().own;
    for (int i = 0; i < N; ++i) of[place(i)] = items[i];
    heddle::meet(file, line);
    for (int i = 0; i < N; ++i) to[i] = of[origin(i)];
  }
};

// ----------------------------------------------------------------------------------- sorting and comparing

namespace heddle {

/// As unsigned numbers of the same order.
template <class K>
auto sortable(K key) {
  if constexpr (std::is_floating_point_v<K> && sizeof(K) == 4) {
    const auto bits = __float_as_uint(key);
    return bits >> 31 ? ~bits : bits | 0x80000000u;
  } else if constexpr (std::is_floating_point_v<K>) {
    const auto bits = static_cast<unsigned long long>(__double_as_longlong(key));
    return bits >> 63 ? ~bits : bits | (1ull << 63);
  } else if constexpr (std::is_signed_v<K>) {
    using U = std::make_unsigned_t<K>;
    return static_cast<U>(static_cast<U>(key) ^ (U{1} << (sizeof(K) * 8 - 1)));
  } else {
    return key;
  }
}
/// Whether a key comes first by its bits from `begin` to `end`.
struct by_bits {
  bool descends;
  int begin, end;
  template <class K>
  bool operator()(const K& a, const K& b) const {
    const auto x = bits(a), y = bits(b);
    return descends ? y < x : x < y;
  }
  template <class K>
  unsigned long long bits(const K& key) const {
    if constexpr (std::is_arithmetic_v<K>) {
      const unsigned long long all = sortable(key);
      const int most = static_cast<int>(sizeof(K) * 8);
      const int last = end < most ? end : most;
      const unsigned long long below = last >= 64 ? all : all & ((1ull << last) - 1);
      return begin >= 64 ? 0 : below >> begin;
    } else {
      return bits(static_cast<float>(key));
    }
  }
};

}  // namespace heddle

template <class K, int X, int N, class V = NullType, int = 4, bool = true,
          BlockScanAlgorithm = BLOCK_SCAN_WARP_SCANS, cudaSharedMemConfig = cudaSharedMemBankSizeFourByte,
          int Y = 1, int Z = 1, int = 0>
class BlockRadixSort {
  struct item {
    K key;
    V value;
  };
  using base = heddle::of_block<item, X * Y * Z * N>;
  static constexpr int threads = X * Y * Z;

 public:
  using TempStorage = typename base::TempStorage;
  explicit BlockRadixSort(TempStorage& storage) : of_(storage) {}
  BlockRadixSort() = default;
#define HEDDLE_BLOCK_SORT(NAME, DESCENDS, IS_STRIPED)                                             \
  void NAME(K(&keys)[N], int begin = 0, int end = sizeof(K) * 8, HEDDLE_MEETING) {                \
    V none[N];                                                                                    \
    sort(keys, none, DESCENDS, IS_STRIPED, begin, end, file, line);                               \
  }                                                                                               \
  void NAME(K(&keys)[N], V(&values)[N], int begin = 0, int end = sizeof(K) * 8, HEDDLE_MEETING) { \
    sort(keys, values, DESCENDS, IS_STRIPED, begin, end, file, line);                             \
  }
  HEDDLE_BLOCK_SORT(Sort, false, false)
  HEDDLE_BLOCK_SORT(SortDescending, true, false)
  HEDDLE_BLOCK_SORT(SortBlockedToStriped, false, true)
  HEDDLE_BLOCK_SORT(SortDescendingBlockedToStriped, true, true)
#undef HEDDLE_BLOCK_SORT

 private:
  void sort(K (&keys)[N], V (&values)[N], bool descends, bool is_striped, int begin, int end,
            const char* file, int line) {
    auto& of = of_.storage().own;
    const heddle::by_bits comes_first{descends, begin, end};
    for (int i = 0; i < N; ++i) of[of_.thread * N + i] = {keys[i], values[i]};
    heddle::meet(file, line);
    // The place of each of the thread's own.
    int places[N] = {};
    for (int j = 0; j < threads * N; ++j) {
      const K other = of[j].key;
      for (int i = 0; i < N; ++i) {
        const bool is_before =
            j < of_.thread * N + i ? !comes_first(keys[i], other) : comes_first(other, keys[i]);
        if (is_before) ++places[i];
      }
    }
    heddle::meet(file, line + ::heddle_device::barriers_on_a_line);
    for (int i = 0; i < N; ++i) of[places[i]] = {keys[i], values[i]};
    heddle::meet(file, line + 2 * ::heddle_device::barriers_on_a_line);
    for (int i = 0; i < N; ++i) {
      const item& own = of[is_striped ? of_.thread + i * threads : of_.thread * N + i];
      keys[i] = own.key;
      values[i] = own.value;
    }
  }
  base of_;
};

template <class T, int X, int Y = 1, int Z = 1, int = 0>
class BlockAdjacentDifference : heddle::of_block<T, X * Y * Z> {
  using base = heddle::of_block<T, X * Y * Z>;

 public:
  using TempStorage = typename base::TempStorage;
  using base::base;
  template <int N, class Out, class F>
  void SubtractLeft(T (&items)[N], Out (&to)[N], F f, HEDDLE_MEETING) {
    auto& last = this->storage().own;
    last[this->thread] = items[N - 1];
    heddle::meet(file, line);
    for (int i = N - 1; i > 0; --i) to[i] = f(items[i], items[i - 1]);
    to[0] = this->thread == 0 ? static_cast<Out>(items[0])
                              : static_cast<Out>(f(items[0], last[this->thread - 1]));
  }
  template <int N, class Out, class F>
  void SubtractRight(T (&items)[N], Out (&to)[N], F f, HEDDLE_MEETING) {
    auto& first = this->storage().own;
    first[this->thread] = items[0];
    heddle::meet(file, line);
    for (int i = 0; i + 1 < N; ++i) to[i] = f(items[i], items[i + 1]);
    to[N - 1] = this->thread == X * Y * Z - 1 ? static_cast<Out>(items[N - 1])
                                              : static_cast<Out>(f(items[N - 1], first[this->thread + 1]));
  }
};

template <class T, int X, int Y = 1, int Z = 1, int = 0>
class BlockDiscontinuity : heddle::of_block<T, X * Y * Z> {
  using base = heddle::of_block<T, X * Y * Z>;

 public:
  using TempStorage = typename base::TempStorage;
  using base::base;
  template <int N, class Flag, class F>
  void FlagHeads(Flag (&flags)[N], T (&items)[N], F f, HEDDLE_MEETING) {
    auto& last = this->storage().own;
    last[this->thread] = items[N - 1];
    heddle::meet(file, line);
    flags[0] = this->thread == 0 || f(last[this->thread - 1], items[0]);
    for (int i = 1; i < N; ++i) flags[i] = f(items[i - 1], items[i]);
  }
  template <int N, class Flag, class F>
  void FlagTails(Flag (&flags)[N], T (&items)[N], F f, HEDDLE_MEETING) {
    auto& first = this->storage().own;
    first[this->thread] = items[0];
    heddle::meet(file, line);
    flags[N - 1] = this->thread == X * Y * Z - 1 || f(items[N - 1], first[this->thread + 1]);
    for (int i = 0; i + 1 < N; ++i) flags[i] = f(items[i], items[i + 1]);
  }
};

template <class T, int X, int N, int Bins, BlockHistogramAlgorithm = BLOCK_HISTO_SORT, int Y = 1, int Z = 1,
          int = 0>
class BlockHistogram : heddle::of_block<T, 1> {
  using base = heddle::of_block<T, 1>;

 public:
  using TempStorage = typename base::TempStorage;
  using base::base;
  template <class Counter>
  void InitHistogram(Counter (&bins)[Bins]) {
    for (int i = this->thread; i < Bins; i += X * Y * Z) bins[i] = 0;
  }
  template <class Counter>
  void Composite(T (&items)[N], Counter (&bins)[Bins]) {
    for (const T& item : items) atomicAdd(&bins[static_cast<int>(item)], Counter(1));
  }
  template <class Counter>
  void Histogram(T (&items)[N], Counter (&bins)[Bins], HEDDLE_MEETING) {
    InitHistogram(bins);
    heddle::meet(file, line);
    Composite(items, bins);
  }
};
#undef HEDDLE_MEETING

}  // namespace cub
