#pragma once

/// Of CUB: functions, iterators, and what calls of all kinds share.

#include "../thrust/ordered_algorithms.hpp"

#include <cstdint>
#include <type_traits>

namespace cub {

struct NullType {};
template <int Value>
struct Int2Type {
  static constexpr int VALUE = Value;
};

/// How radix sorts see a number: as bits without a sign, in the order of the numbers.
template <class T>
struct Traits {
  using UnsignedBits = std::conditional_t<
      sizeof(T) == 1, unsigned char,
      std::conditional_t<sizeof(T) == 2, unsigned short,
                         std::conditional_t<sizeof(T) == 4, unsigned, unsigned long long>>>;
  static constexpr UnsignedBits HIGH_BIT = static_cast<UnsignedBits>(UnsignedBits{1} << (8 * sizeof(T) - 1));
  static UnsignedBits TwiddleIn(UnsignedBits bits) {
    if constexpr (std::is_unsigned_v<T>) return bits;
    if constexpr (std::is_integral_v<T>) return static_cast<UnsignedBits>(bits ^ HIGH_BIT);
    return static_cast<UnsignedBits>((bits & HIGH_BIT) != 0 ? ~bits : bits ^ HIGH_BIT);
  }
  static UnsignedBits TwiddleOut(UnsignedBits bits) {
    if constexpr (std::is_unsigned_v<T>) return bits;
    if constexpr (std::is_integral_v<T>) return static_cast<UnsignedBits>(bits ^ HIGH_BIT);
    return static_cast<UnsignedBits>((bits & HIGH_BIT) != 0 ? bits ^ HIGH_BIT : ~bits);
  }
};

struct Sum {
  template <class A, class B>
  auto operator()(const A& a, const B& b) const {
    return a + b;
  }
};
struct Difference {
  template <class A, class B>
  auto operator()(const A& a, const B& b) const {
    return a - b;
  }
};
struct Division {
  template <class A, class B>
  auto operator()(const A& a, const B& b) const {
    return a / b;
  }
};
struct Max {
  template <class T>
  T operator()(const T& a, const T& b) const {
    return a < b ? b : a;
  }
};
struct Min {
  template <class T>
  T operator()(const T& a, const T& b) const {
    return b < a ? b : a;
  }
};
struct Equality {
  template <class A, class B>
  bool operator()(const A& a, const B& b) const {
    return a == b;
  }
};
struct Inequality {
  template <class A, class B>
  bool operator()(const A& a, const B& b) const {
    return !(a == b);
  }
};
template <class Key, class Value>
struct KeyValuePair {
  using Key_ = Key;
  Key key;
  Value value;
  bool operator!=(const KeyValuePair& other) const { return key != other.key || value != other.value; }
};
/// The greater value, of equal ones that with the lower key.
struct ArgMax {
  template <class K, class V>
  KeyValuePair<K, V> operator()(const KeyValuePair<K, V>& a, const KeyValuePair<K, V>& b) const {
    return a.value < b.value || (a.value == b.value && b.key < a.key) ? b : a;
  }
};
struct ArgMin {
  template <class K, class V>
  KeyValuePair<K, V> operator()(const KeyValuePair<K, V>& a, const KeyValuePair<K, V>& b) const {
    return b.value < a.value || (a.value == b.value && b.key < a.key) ? b : a;
  }
};

template <class T, class Offset = std::ptrdiff_t>
using CountingInputIterator = thrust::counting_iterator<T>;
template <class T, class Offset = std::ptrdiff_t>
using ConstantInputIterator = thrust::constant_iterator<T>;
template <class T, class F, class It, class Offset = std::ptrdiff_t>
class TransformInputIterator : public thrust::heddle::arithmetic<TransformInputIterator<T, F, It, Offset>> {
 public:
  using value_type = T;
  using reference = T;
  TransformInputIterator(It of, F f) : of_(of), f_(f) {}
  T heddle_at(std::ptrdiff_t n) const { return const_cast<F&>(f_)(of_[n]); }
  void heddle_advance(std::ptrdiff_t n) { of_ += n; }
  std::ptrdiff_t heddle_distance_from(const TransformInputIterator& other) const { return of_ - other.of_; }

 private:
  It of_;
  F f_;
};
template <class It, class Offset = std::ptrdiff_t, class Value = thrust::heddle::value<It>>
class ArgIndexInputIterator : public thrust::heddle::arithmetic<ArgIndexInputIterator<It, Offset, Value>> {
 public:
  using value_type = KeyValuePair<Offset, Value>;
  using reference = value_type;
  explicit ArgIndexInputIterator(It of, std::ptrdiff_t at = 0) : of_(of), at_(at) {}
  value_type heddle_at(std::ptrdiff_t n) const {
    return {static_cast<Offset>(at_ + n), static_cast<Value>(of_[at_ + n])};
  }
  void heddle_advance(std::ptrdiff_t n) { at_ += n; }
  std::ptrdiff_t heddle_distance_from(const ArgIndexInputIterator& other) const { return at_ - other.at_; }

 private:
  It of_;
  std::ptrdiff_t at_;
};

enum CacheLoadModifier { LOAD_DEFAULT, LOAD_CA, LOAD_CG, LOAD_CS, LOAD_CV, LOAD_LDG, LOAD_VOLATILE };
enum CacheStoreModifier { STORE_DEFAULT, STORE_WB, STORE_CG, STORE_CS, STORE_WT, STORE_VOLATILE };
template <CacheLoadModifier Modifier, class It>
auto ThreadLoad(It at) {
  return *at;
}
template <CacheStoreModifier Modifier, class It, class T>
void ThreadStore(It at, T value) {
  *at = value;
}
template <CacheLoadModifier Modifier, class T, class Offset = std::ptrdiff_t>
using CacheModifiedInputIterator = const T*;

/// Two buffers of which one has what counts.
template <class T>
struct DoubleBuffer {
  T* d_buffers[2] = {nullptr, nullptr};
  int selector = 0;
  DoubleBuffer() = default;
  DoubleBuffer(T* current, T* alternate) : d_buffers{current, alternate} {}
  T* Current() { return d_buffers[selector]; }
  T* Alternate() { return d_buffers[selector ^ 1]; }
};

/// Memory of the device, which is given back at once.
struct CachingDeviceAllocator {
  template <class... A>
  explicit CachingDeviceAllocator(A...) {}
  CachingDeviceAllocator() = default;
  template <class T>
  cudaError_t DeviceAllocate(T** at, size_t bytes, cudaStream_t = nullptr) {
    return cudaMalloc(at, bytes);
  }
  cudaError_t DeviceFree(void* what) { return cudaFree(what); }
  cudaError_t FreeAllCached() { return cudaSuccess; }
};

inline cudaError_t Debug(cudaError_t error, const char* file, int line) {
  if (error != cudaSuccess)
    std::fprintf(stderr, "CUDA error %d [%s, %d]: %s\n", error, file, line, cudaGetErrorString(error));
  return error;
}

namespace heddle {

inline unsigned thread_of_block() {
  const auto at = ::heddle_thread_index();
  const auto size = ::heddle_block_size();
  return at.x + size.x * (at.y + size.y * at.z);
}
inline unsigned lane() {
  return thread_of_block() % 32;
}

/// A value of any type from another lane: in words, as its functions take them.
template <class T>
T from_lane(unsigned mask, const T& value, unsigned lane) {
  constexpr unsigned words = (sizeof(T) + 3) / 4;
  unsigned own[words] = {};
  T result = value;
  for (size_t i = 0; i < sizeof(T); ++i)
    reinterpret_cast<unsigned char*>(own)[i] = reinterpret_cast<const unsigned char*>(&value)[i];
  for (unsigned i = 0; i < words; ++i) own[i] = ::__shfl_sync(mask, own[i], static_cast<int>(lane));
  for (size_t i = 0; i < sizeof(T); ++i)
    reinterpret_cast<unsigned char*>(&result)[i] = reinterpret_cast<const unsigned char*>(own)[i];
  return result;
}

/// Elements in memory of the library's, not initialised.
template <class T, int N>
struct elements {
  alignas(T) unsigned char bytes[sizeof(T) * (N > 0 ? N : 1)];
  T& operator[](int i) { return reinterpret_cast<T*>(bytes)[i]; }
};

}  // namespace heddle

inline unsigned LaneId() {
  return heddle::lane();
}
inline unsigned WarpId() {
  return heddle::thread_of_block() / 32;
}
inline int RowMajorTid(int x, int y, int z) {
  const auto at = ::heddle_thread_index();
  static_cast<void>(z);
  return static_cast<int>(at.x + static_cast<unsigned>(x) * (at.y + static_cast<unsigned>(y) * at.z));
}
inline void CTA_SYNC() {
  ::__syncthreads();
}
inline void WARP_SYNC(unsigned mask) {
  ::__syncwarp(mask);
}

}  // namespace cub

#define CUB_MAX(a, b) (((b) > (a)) ? (b) : (a))
#define CUB_MIN(a, b) (((b) < (a)) ? (b) : (a))
#define CUB_QUOTIENT_FLOOR(x, y) ((x) / (y))
#define CUB_QUOTIENT_CEILING(x, y) (((x) + (y) - 1) / (y))
#define CubDebug(e) ::cub::Debug((cudaError_t)(e), __FILE__, __LINE__)
#define CubDebugExit(e) \
  if (::cub::Debug((cudaError_t)(e), __FILE__, __LINE__)) exit(1)
