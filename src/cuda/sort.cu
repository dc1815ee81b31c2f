#include "cuda/gpu.hpp"
#include "cuda/radix_sort.hpp"
#include "sortable.hpp"
#include <heddle/cuda/transform.cuh>

#include <cstdint>
#include <limits>

namespace heddle::cuda {
namespace {

template <class T>
using bits_of = detail::unsigned_of_bytes<sizeof(T)>;
/// What CUB sorts for elements of a type.
template <class T>
using wide_key = std::conditional_t<sizeof(T) <= 4, std::uint32_t, std::uint64_t>;

constexpr unsigned finish_threads = 256, finish_elements = 8;

/// The first of n sorted keys that is not below `bound`.
template <class Key>
__device__ std::size_t first_not_below(const Key* keys, std::size_t n, Key bound) {
  std::size_t low = 0, high = n;
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (keys[middle] < bound) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/// The elements in order, from their bits in the order of unsigned integers: there the negative ones follow
/// the positive ones, and real numbers among them fall.
template <class T>
__global__ void __launch_bounds__(finish_threads)
    order_by_sign(const wide_key<T>* keys, std::size_t n, T* out) {
  using key = wide_key<T>;
  constexpr key sign = key{1} << (8 * sizeof(T) - 1);
  __shared__ std::size_t positive, without_nan, negative_without_nan;
  if (threadIdx.x == 0) {
    positive = std::is_signed_v<T> ? first_not_below(keys, n, sign) : n;
    if constexpr (std::is_floating_point_v<T>) {
      constexpr key infinity = sizeof(T) == 4 ? key{0x7f800000} : static_cast<key>(0x7ff0000000000000);
      without_nan = first_not_below(keys, n, static_cast<key>(infinity + 1));
      negative_without_nan = first_not_below(keys, n, static_cast<key>((infinity | sign) + 1)) - positive;
    }
  }
  __syncthreads();
  const std::size_t stride = std::size_t{gridDim.x} * finish_threads;
  for (std::size_t i = std::size_t{blockIdx.x} * finish_threads + threadIdx.x; i < n; i += stride) {
    if constexpr (std::is_floating_point_v<T>) {
      bits_of<T> bits = sizeof(T) == 4 ? bits_of<T>(0x7fc00000u) : bits_of<T>(0x7ff8000000000000u);
      if (i < negative_without_nan) {
        bits = keys[positive + negative_without_nan - 1 - i];
      } else if (i - negative_without_nan < without_nan) {
        bits = keys[i - negative_without_nan];
      }
      out[i] = __builtin_bit_cast(T, bits);
    } else {
      const std::size_t negative = n - positive;
      out[i] = static_cast<T>(keys[i < negative ? positive + i : i - negative]);
    }
  }
}

template <class T>
struct bits_at {
  const bits_of<T>* x;
  __device__ wide_key<T> operator()(std::size_t i) const { return x[i]; }
};
template <class T>
struct key_at {
  const T* x;
  __device__ wide_key<T> operator()(std::size_t i) const { return detail::to_key(x[i]); }
};
template <class T>
struct long_key_at {
  const T* x;
  __device__ std::uint64_t operator()(std::size_t i) const { return detail::to_key(x[i]); }
};
template <class Index>
struct place_itself {
  __device__ Index operator()(std::size_t i) const { return static_cast<Index>(i); }
};
struct widened {
  const std::uint32_t* places;
  __device__ std::size_t operator()(std::size_t i) const { return places[i]; }
};

template <class T>
void sort_elements(const T* x, std::size_t n, T* out, const target& where) {
  using key = wide_key<T>;
  if constexpr (std::is_same_v<T, key>) {
    if (x != out) return radix_sort_keys(x, n, out, 8 * sizeof(T), where);
  }
  // Keys of four and eight bytes are the elements' bits as they are.
  detail::memory copied;
  const key* keys = reinterpret_cast<const key*>(x);
  if constexpr (sizeof(T) < sizeof(key)) {
    copied = detail::memory(n * sizeof(key), where);
    transform(where, bits_at<T>{reinterpret_cast<const bits_of<T>*>(x)}, n, static_cast<key*>(copied.data()));
    keys = static_cast<const key*>(copied.data());
  }
  const detail::memory sorted(n * sizeof(key), where);
  radix_sort_keys(keys, n, static_cast<key*>(sorted.data()), 8 * sizeof(T), where);
  order_by_sign<<<grid_for(n, finish_threads * finish_elements), finish_threads, 0, where.stream()>>>(
      static_cast<const key*>(sorted.data()), n, out);
  check(cudaGetLastError(), "launch of order_by_sign");
}

template <class Key, class Index, class KeyAt>
void argsort_by(const KeyAt& key_at, int bits, std::size_t n, std::size_t* places, const target& where) {
  const detail::memory held_keys(2 * n * sizeof(Key), where), held(2 * n * sizeof(Index), where);
  auto* const k = static_cast<Key*>(held_keys.data());
  auto* const i = static_cast<Index*>(held.data());
  transform(where, key_at, n, k);
  transform(where, place_itself<Index>{}, n, i);
  two_arrays<Key> keys{k, k + n};
  two_arrays<Index> indices{i, i + n};
  radix_sort_pairs(keys, indices, n, bits, where);
  if constexpr (sizeof(Index) == 4) {
    transform(where, widened{indices.first}, n, places);
  } else {
    detail::copy(places, where, indices.first, where, n * sizeof(Index));
  }
}

template <class Word>
struct gathered {
  const Word* x;
  const std::size_t* places;
  __device__ Word operator()(std::size_t i) const { return x[places[i]]; }
};
template <class Word>
struct gathered_words {
  const Word* x;
  const std::size_t* places;
  std::size_t words;
  __device__ Word operator()(std::size_t i) const { return x[places[i / words] * words + i % words]; }
};

template <class Word>
void gather_by(const void* x, std::size_t words, const std::size_t* places, std::size_t n, void* out,
               const target& where) {
  const Word* const from = static_cast<const Word*>(x);
  Word* const to = static_cast<Word*>(out);
  if (words == 1) return transform(where, gathered<Word>{from, places}, n, to);
  transform(where, gathered_words<Word>{from, places, words}, n * words, to);
}

}  // namespace

void sort(dtype type, const void* x, std::size_t n, void* out, const target& where) {
  const current_device on(where);
  detail::with_ordered_type(
      type, [&]<class T>(T) { sort_elements(static_cast<const T*>(x), n, static_cast<T*>(out), where); });
}

void argsort(dtype type, const void* x, std::size_t n, std::size_t* places, const target& where) {
  const current_device on(where);
  detail::with_ordered_type(type, [&]<class T>(T) {
    const T* const from = static_cast<const T*>(x);
    if (n <= std::numeric_limits<std::uint32_t>::max()) {
      argsort_by<wide_key<T>, std::uint32_t>(key_at<T>{from}, 8 * sizeof(T), n, places, where);
    } else {
      argsort_by<std::uint64_t, std::uint64_t>(long_key_at<T>{from}, 8 * sizeof(T), n, places, where);
    }
  });
}

void gather(const void* x, std::size_t element_bytes, const std::size_t* places, std::size_t n, void* out,
            const target& where) {
  const std::size_t aligned =
      element_bytes | reinterpret_cast<std::size_t>(x) | reinterpret_cast<std::size_t>(out);
  if (aligned % 16 == 0) return gather_by<uint4>(x, element_bytes / 16, places, n, out, where);
  if (aligned % 8 == 0) return gather_by<std::uint64_t>(x, element_bytes / 8, places, n, out, where);
  if (aligned % 4 == 0) return gather_by<std::uint32_t>(x, element_bytes / 4, places, n, out, where);
  if (aligned % 2 == 0) return gather_by<std::uint16_t>(x, element_bytes / 2, places, n, out, where);
  gather_by<std::uint8_t>(x, element_bytes, places, n, out, where);
}

}  // namespace heddle::cuda
