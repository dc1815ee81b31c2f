#pragma once

/// Of CUB: how the threads of a block load, store and exchange their elements.

#include "block.hpp"

namespace cub {

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

}  // namespace cub
