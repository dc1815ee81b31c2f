#pragma once

#include "patterns/sort/sortable.hpp"
#include <heddle/impl/patterns/lower_bound/binary_search.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace heddle::gpu {

template <class T>
using bits_of = impl::unsigned_of_bytes<sizeof(T)>;
/// The type of the keys that CUB sorts for elements of type T.
template <class T>
using wide_key = std::conditional_t<sizeof(T) <= 4, std::uint32_t, std::uint64_t>;

inline constexpr unsigned order_by_sign_threads = 256, order_by_sign_elements = 8;

/// The first of n sorted keys that is not below `bound`.
template <class Key>
__device__ std::size_t first_not_below(const Key* keys, std::size_t n, Key bound) {
  return impl::partition_point(0, n, [=](std::size_t i) { return keys[i] < bound; });
}

/// Writes the elements in ascending or descending order. The keys are sorted as unsigned integers, so
/// negative keys follow positive ones, and negative reals are in reverse.
template <class T>
__global__ void __launch_bounds__(order_by_sign_threads)
    order_by_sign(const wide_key<T>* keys, std::size_t n, bool descending, T* out) {
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
  const std::size_t stride = std::size_t{gridDim.x} * order_by_sign_threads;
  for (std::size_t i = std::size_t{blockIdx.x} * order_by_sign_threads + threadIdx.x; i < n; i += stride) {
    const std::size_t to = descending ? n - 1 - i : i;
    if constexpr (std::is_floating_point_v<T>) {
      bits_of<T> bits = sizeof(T) == 4 ? bits_of<T>(0x7fc00000u) : bits_of<T>(0x7ff8000000000000u);
      if (i < negative_without_nan) {
        bits = keys[positive + negative_without_nan - 1 - i];
      } else if (i - negative_without_nan < without_nan) {
        bits = keys[i - negative_without_nan];
      }
      out[to] = __builtin_bit_cast(T, bits);
    } else {
      const std::size_t negative = n - positive;
      out[to] = static_cast<T>(keys[i < negative ? positive + i : i - negative]);
    }
  }
}

}  // namespace heddle::gpu
