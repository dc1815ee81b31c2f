#pragma once

/// Of CUB: calls for the whole device. A call without memory for its work says how much it takes; the other
/// runs on the stream.

#include "block_sort.hpp"

namespace cub {
namespace heddle {

using thrust::heddle::border;
using thrust::heddle::run_each;
using thrust::heddle::unwrapped;
template <class It>
using value = thrust::heddle::value<It>;

inline bool asks(void* work, size_t& bytes) {
  if (work != nullptr) return false;
  bytes = 1;
  return true;
}
/// f() in one thread of the device, without waiting.
template <class F>
cudaError_t once(const char* what, cudaStream_t stream, const F& f) {
  return heddle_device::run_library(what, 1, 1, stream, f);
}
template <class F>
cudaError_t each(const char* what, std::ptrdiff_t n, cudaStream_t stream, const F& f) {
  return heddle_device::run_library_for_each(what, n < 0 ? 0 : static_cast<size_t>(n), stream, [f](size_t i) {
    const_cast<F&>(f)(static_cast<std::ptrdiff_t>(i));
  });
}

}  // namespace heddle

#define HEDDLE_WORK void *work, size_t &bytes
#define HEDDLE_ASKS \
  if (heddle::asks(work, bytes)) return cudaSuccess

struct DeviceReduce {
  template <class In, class Out, class N, class F, class T>
  static cudaError_t Reduce(HEDDLE_WORK, In from, Out to, N n, F f, T begin, cudaStream_t stream = nullptr) {
    return TransformReduce(work, bytes, from, to, n, f, thrust::heddle::as_it_is(), begin, stream);
  }
  template <class In, class Out, class N, class F, class G, class T>
  static cudaError_t TransformReduce(HEDDLE_WORK, In from, Out to, N n, F f, G g, T begin,
                                     cudaStream_t stream = nullptr) {
    HEDDLE_ASKS;
    return heddle::once(
        "cub::DeviceReduce", stream,
        [in = heddle::unwrapped(from), out = heddle::unwrapped(to), n, f, g, begin]() mutable {
          T result = begin;
          for (std::ptrdiff_t i = 0; i < static_cast<std::ptrdiff_t>(n); ++i)
            result = static_cast<T>(f(result, g(in[i])));
          *out = result;
        });
  }
  template <class In, class Out, class N>
  static cudaError_t Sum(HEDDLE_WORK, In from, Out to, N n, cudaStream_t stream = nullptr) {
    return Reduce(work, bytes, from, to, n, cub::Sum(), heddle::value<In>{}, stream);
  }
  template <class In, class Out, class N>
  static cudaError_t Min(HEDDLE_WORK, In from, Out to, N n, cudaStream_t stream = nullptr) {
    return Reduce(work, bytes, from, to, n, cub::Min(), std::numeric_limits<heddle::value<In>>::max(),
                  stream);
  }
  template <class In, class Out, class N>
  static cudaError_t Max(HEDDLE_WORK, In from, Out to, N n, cudaStream_t stream = nullptr) {
    return Reduce(work, bytes, from, to, n, cub::Max(), std::numeric_limits<heddle::value<In>>::lowest(),
                  stream);
  }
  template <class In, class Out, class N>
  static cudaError_t ArgMin(HEDDLE_WORK, In from, Out to, N n, cudaStream_t stream = nullptr) {
    return extreme(work, bytes, from, to, n, cub::ArgMin(), std::numeric_limits<heddle::value<In>>::max(),
                   stream);
  }
  template <class In, class Out, class N>
  static cudaError_t ArgMax(HEDDLE_WORK, In from, Out to, N n, cudaStream_t stream = nullptr) {
    return extreme(work, bytes, from, to, n, cub::ArgMax(), std::numeric_limits<heddle::value<In>>::lowest(),
                   stream);
  }
  template <class Keys, class UniqueKeys, class In, class Out, class Count, class F, class N>
  static cudaError_t ReduceByKey(HEDDLE_WORK, Keys keys, UniqueKeys keys_to, In from, Out to, Count count,
                                 F f, N n, cudaStream_t stream = nullptr) {
    HEDDLE_ASKS;
    return heddle::once(
        "cub::DeviceReduce::ReduceByKey", stream,
        [key = heddle::unwrapped(keys), in = heddle::unwrapped(from), of = heddle::unwrapped(keys_to),
         out = heddle::unwrapped(to), made = heddle::unwrapped(count), n, f]() mutable {
          std::ptrdiff_t k = 0;
          for (std::ptrdiff_t i = 0; i < static_cast<std::ptrdiff_t>(n); ++k) {
            const heddle::value<Keys> now = key[i];
            heddle::value<In> sum = in[i];
            for (++i; i < static_cast<std::ptrdiff_t>(n) && key[i] == now; ++i) sum = f(sum, in[i]);
            of[k] = now;
            out[k] = sum;
          }
          *made = k;
        });
  }

 private:
  template <class In, class Out, class N, class F, class T>
  static cudaError_t extreme(HEDDLE_WORK, In from, Out to, N n, F f, T worst, cudaStream_t stream) {
    HEDDLE_ASKS;
    return heddle::once("cub::DeviceReduce", stream,
                        [in = heddle::unwrapped(from), out = heddle::unwrapped(to), n, f, worst]() mutable {
                          KeyValuePair<int, T> result{1, worst};
                          for (int i = 0; i < static_cast<int>(n); ++i) {
                            const KeyValuePair<int, T> next{i, in[i]};
                            result = i == 0 ? next : f(result, next);
                          }
                          *out = result;
                        });
  }
};

struct DeviceScan {
#define HEDDLE_SCAN(NAME, PARAMETERS, OPERATOR, HAS_BEGIN, BEGIN, IS_EXCLUSIVE)                             \
  static cudaError_t NAME(HEDDLE_WORK, In from, Out to PARAMETERS, N n, cudaStream_t stream = nullptr) {    \
    return scan(work, bytes, "cub::DeviceScan::" #NAME, from, to, OPERATOR, HAS_BEGIN, BEGIN, IS_EXCLUSIVE, \
                n, stream);                                                                                 \
  }
#define HEDDLE_F , F f
#define HEDDLE_F_BEGIN , F f, T begin
#define HEDDLE_NO
  template <class In, class Out, class N>
  HEDDLE_SCAN(ExclusiveSum, HEDDLE_NO, cub::Sum(), true, heddle::value<In>{}, true)
  template <class In, class Out, class N>
  HEDDLE_SCAN(InclusiveSum, HEDDLE_NO, cub::Sum(), false, heddle::value<In>{}, false)
  template <class In, class Out, class F, class T, class N>
  HEDDLE_SCAN(ExclusiveScan, HEDDLE_F_BEGIN, f, true, begin, true)
  template <class In, class Out, class F, class N>
  HEDDLE_SCAN(InclusiveScan, HEDDLE_F, f, false, heddle::value<In>{}, false)
#undef HEDDLE_SCAN
#undef HEDDLE_F
#undef HEDDLE_F_BEGIN
#undef HEDDLE_NO
  // In place.
  template <class It, class N>
  static cudaError_t ExclusiveSum(HEDDLE_WORK, It of, N n, cudaStream_t stream = nullptr) {
    return ExclusiveSum(work, bytes, of, of, n, stream);
  }
  template <class It, class N>
  static cudaError_t InclusiveSum(HEDDLE_WORK, It of, N n, cudaStream_t stream = nullptr) {
    return InclusiveSum(work, bytes, of, of, n, stream);
  }
#define HEDDLE_BY_KEY(NAME, SCAN)                                                                           \
  template <class Keys, class In, class Out, class N>                                                       \
  static cudaError_t NAME(HEDDLE_WORK, Keys keys, In from, Out to, N n, cub::Equality = {},                 \
                          cudaStream_t stream = nullptr) {                                                  \
    HEDDLE_ASKS;                                                                                            \
    return heddle::once(                                                                                    \
        "cub::DeviceScan::" #NAME, stream,                                                                  \
        [key = heddle::unwrapped(keys), in = heddle::unwrapped(from), out = heddle::unwrapped(to), n] {     \
          thrust::heddle::SCAN##_at({false, nullptr, false}, key, key + static_cast<std::ptrdiff_t>(n), in, \
                                    out);                                                                   \
        });                                                                                                 \
  }
  HEDDLE_BY_KEY(ExclusiveSumByKey, exclusive_scan_by_key)
  HEDDLE_BY_KEY(InclusiveSumByKey, inclusive_scan_by_key)
#undef HEDDLE_BY_KEY

 private:
  template <class In, class Out, class F, class T, class N>
  static cudaError_t scan(HEDDLE_WORK, const char* what, In from, Out to, F f, bool has_begin, T begin,
                          bool is_exclusive, N n, cudaStream_t stream) {
    HEDDLE_ASKS;
    return heddle::once(what, stream,
                        [in = heddle::unwrapped(from), out = heddle::unwrapped(to), n, f, has_begin, begin,
                         is_exclusive]() mutable {
                          T sum = begin;
                          for (std::ptrdiff_t i = 0; i < static_cast<std::ptrdiff_t>(n); ++i) {
                            const T next = in[i];
                            if (is_exclusive) out[i] = sum;
                            sum = i == 0 && !has_begin ? next : static_cast<T>(f(sum, next));
                            if (!is_exclusive) out[i] = sum;
                          }
                        });
  }
};

namespace heddle {

/// Merges runs within segments: `begins` and `ends` say where each is.
template <class K, class V, class Begins, class Ends, class F>
cudaError_t sort(const char* what, const K* keys, K* keys_to, const V* values, V* values_to, bool has_values,
                 std::ptrdiff_t segments, Begins begins, Ends ends, std::ptrdiff_t n, F f,
                 cudaStream_t stream) {
  const heddle_device::library_memory<K> moved(static_cast<size_t>(n));
  const heddle_device::library_memory<V> values_moved(has_values ? static_cast<size_t>(n) : 0);
  return once(what, stream,
              [keys, keys_to, values, values_to, has_values, segments, begins, ends, f, own = moved.data(),
               own_values = values_moved.data()]() mutable {
                for (std::ptrdiff_t s = 0; s < segments; ++s) {
                  const auto first = static_cast<std::ptrdiff_t>(begins[s]),
                             last = static_cast<std::ptrdiff_t>(ends[s]);
                  for (std::ptrdiff_t i = first; i < last; ++i) {
                    keys_to[i] = keys[i];
                    if (has_values) values_to[i] = values[i];
                  }
                  thrust::heddle::merge_sort(
                      keys_to + first, last - first, f,
                      [&](std::ptrdiff_t i, std::ptrdiff_t to) {
                        own[to] = keys_to[first + i];
                        if (has_values) own_values[to] = values_to[first + i];
                      },
                      [&](std::ptrdiff_t i) {
                        keys_to[first + i] = own[i];
                        if (has_values) values_to[first + i] = own_values[i];
                      });
                }
              });
}

}  // namespace heddle

#define HEDDLE_SORTS(NAME, DESCENDS)                                                                         \
  template <class K, class N>                                                                                \
  static cudaError_t SortKeys##NAME(HEDDLE_WORK, const K* keys, K* to, N n, int begin = 0,                   \
                                    int end = sizeof(K) * 8, cudaStream_t stream = nullptr) {                \
    return all(work, bytes, keys, to, static_cast<const char*>(nullptr), static_cast<char*>(nullptr), false, \
               n, {DESCENDS, begin, end}, stream);                                                           \
  }                                                                                                          \
  template <class K, class N>                                                                                \
  static cudaError_t SortKeys##NAME(HEDDLE_WORK, DoubleBuffer<K>& keys, N n, int begin = 0,                  \
                                    int end = sizeof(K) * 8, cudaStream_t stream = nullptr) {                \
    HEDDLE_ASKS;                                                                                             \
    const cudaError_t error =                                                                                \
        SortKeys##NAME(work, bytes, keys.Current(), keys.Alternate(), n, begin, end, stream);                \
    keys.selector ^= 1;                                                                                      \
    return error;                                                                                            \
  }                                                                                                          \
  template <class K, class V, class N>                                                                       \
  static cudaError_t SortPairs##NAME(HEDDLE_WORK, const K* keys, K* to, const V* values, V* values_to, N n,  \
                                     int begin = 0, int end = sizeof(K) * 8,                                 \
                                     cudaStream_t stream = nullptr) {                                        \
    return all(work, bytes, keys, to, values, values_to, true, n, {DESCENDS, begin, end}, stream);           \
  }                                                                                                          \
  template <class K, class V, class N>                                                                       \
  static cudaError_t SortPairs##NAME(HEDDLE_WORK, DoubleBuffer<K>& keys, DoubleBuffer<V>& values, N n,       \
                                     int begin = 0, int end = sizeof(K) * 8,                                 \
                                     cudaStream_t stream = nullptr) {                                        \
    HEDDLE_ASKS;                                                                                             \
    const cudaError_t error = SortPairs##NAME(work, bytes, keys.Current(), keys.Alternate(),                 \
                                              values.Current(), values.Alternate(), n, begin, end, stream);  \
    keys.selector ^= 1;                                                                                      \
    values.selector ^= 1;                                                                                    \
    return error;                                                                                            \
  }
struct DeviceRadixSort {
  HEDDLE_SORTS(, false)
  HEDDLE_SORTS(Descending, true)

 private:
  template <class K, class V, class N>
  static cudaError_t all(HEDDLE_WORK, const K* keys, K* to, const V* values, V* values_to, bool has_values,
                         N n, heddle::by_bits f, cudaStream_t stream) {
    HEDDLE_ASKS;
    const auto count = static_cast<std::ptrdiff_t>(n);
    return heddle::sort("cub::DeviceRadixSort", keys, to, values, values_to, has_values, 1,
                        thrust::make_constant_iterator(std::ptrdiff_t{0}),
                        thrust::make_constant_iterator(count), count, f, stream);
  }
};
#undef HEDDLE_SORTS
#define HEDDLE_SEGMENTED_SORTS(NAME, DESCENDS)                                                               \
  template <class K, class N, class B, class E>                                                              \
  static cudaError_t SortKeys##NAME(HEDDLE_WORK, const K* keys, K* to, N n, int segments, B begins, E ends,  \
                                    int begin = 0, int end = sizeof(K) * 8, cudaStream_t stream = nullptr) { \
    HEDDLE_ASKS;                                                                                             \
    return heddle::sort("cub::DeviceSegmentedSort", keys, to, static_cast<const char*>(nullptr),             \
                        static_cast<char*>(nullptr), false, segments, begins, ends,                          \
                        static_cast<std::ptrdiff_t>(n), heddle::by_bits{DESCENDS, begin, end}, stream);      \
  }                                                                                                          \
  template <class K, class V, class N, class B, class E>                                                     \
  static cudaError_t SortPairs##NAME(HEDDLE_WORK, const K* keys, K* to, const V* values, V* values_to, N n,  \
                                     int segments, B begins, E ends, int begin = 0, int end = sizeof(K) * 8, \
                                     cudaStream_t stream = nullptr) {                                        \
    HEDDLE_ASKS;                                                                                             \
    return heddle::sort("cub::DeviceSegmentedSort", keys, to, values, values_to, true, segments, begins,     \
                        ends, static_cast<std::ptrdiff_t>(n), heddle::by_bits{DESCENDS, begin, end},         \
                        stream);                                                                             \
  }
struct DeviceSegmentedRadixSort {
  HEDDLE_SEGMENTED_SORTS(, false)
  HEDDLE_SEGMENTED_SORTS(Descending, true)
};
using DeviceSegmentedSort = DeviceSegmentedRadixSort;
#undef HEDDLE_SEGMENTED_SORTS

struct DeviceMergeSort {
  template <class K, class N, class F>
  static cudaError_t SortKeys(HEDDLE_WORK, K* keys, N n, F f, cudaStream_t stream = nullptr) {
    return SortPairs(work, bytes, keys, static_cast<char*>(nullptr), n, f, stream);
  }
  template <class K, class V, class N, class F>
  static cudaError_t SortPairs(HEDDLE_WORK, K* keys, V* values, N n, F f, cudaStream_t stream = nullptr) {
    HEDDLE_ASKS;
    const auto count = static_cast<std::ptrdiff_t>(n);
    return heddle::sort("cub::DeviceMergeSort", keys, keys, values, values, values != nullptr, 1,
                        thrust::make_constant_iterator(std::ptrdiff_t{0}),
                        thrust::make_constant_iterator(count), count, f, stream);
  }
  template <class K, class N, class F>
  static cudaError_t StableSortKeys(HEDDLE_WORK, K* keys, N n, F f, cudaStream_t stream = nullptr) {
    return SortKeys(work, bytes, keys, n, f, stream);
  }
  template <class K, class V, class N, class F>
  static cudaError_t StableSortPairs(HEDDLE_WORK, K* keys, V* values, N n, F f,
                                     cudaStream_t stream = nullptr) {
    return SortPairs(work, bytes, keys, values, n, f, stream);
  }
};

struct DeviceSegmentedReduce {
  template <class In, class Out, class B, class E, class F, class T>
  static cudaError_t Reduce(HEDDLE_WORK, In from, Out to, std::ptrdiff_t segments, B begins, E ends, F f,
                            T begin, cudaStream_t stream = nullptr) {
    HEDDLE_ASKS;
    return heddle::each("cub::DeviceSegmentedReduce", segments, stream,
                        [in = heddle::unwrapped(from), out = heddle::unwrapped(to), begins, ends, f,
                         begin](std::ptrdiff_t s) mutable {
                          T result = begin;
                          const auto last = static_cast<std::ptrdiff_t>(ends[s]);
                          for (auto i = static_cast<std::ptrdiff_t>(begins[s]); i < last; ++i)
                            result = static_cast<T>(f(result, in[i]));
                          out[s] = result;
                        });
  }
  template <class In, class Out, class B, class E>
  static cudaError_t Sum(HEDDLE_WORK, In from, Out to, std::ptrdiff_t segments, B begins, E ends,
                         cudaStream_t stream = nullptr) {
    return Reduce(work, bytes, from, to, segments, begins, ends, cub::Sum(), heddle::value<In>{}, stream);
  }
  template <class In, class Out, class B, class E>
  static cudaError_t Max(HEDDLE_WORK, In from, Out to, std::ptrdiff_t segments, B begins, E ends,
                         cudaStream_t stream = nullptr) {
    return Reduce(work, bytes, from, to, segments, begins, ends, cub::Max(),
                  std::numeric_limits<heddle::value<In>>::lowest(), stream);
  }
  template <class In, class Out, class B, class E>
  static cudaError_t Min(HEDDLE_WORK, In from, Out to, std::ptrdiff_t segments, B begins, E ends,
                         cudaStream_t stream = nullptr) {
    return Reduce(work, bytes, from, to, segments, begins, ends, cub::Min(),
                  std::numeric_limits<heddle::value<In>>::max(), stream);
  }
};

}  // namespace cub
