#pragma once

/// Of CUB: sorts, comparisons of neighbours and histograms of a block.

#include "block_memory.hpp"

namespace cub {

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
