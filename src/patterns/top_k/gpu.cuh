#pragma once

#include "patterns/sort/sortable.hpp"
#include <heddle/impl/gpu/block/count.cuh>
#include <heddle/shape.hpp>

#include <cstddef>
#include <cstdint>

/// What top_k runs on a GPU.
namespace heddle::gpu {

inline constexpr unsigned digit_bits = 8, digits = 1u << digit_bits;
inline constexpr unsigned count_threads = 512, count_items = 8, count_copies = warp_size;

/// What is known of the last of the first k elements in the order of keys, and of indices among equal keys:
/// the leading digits of its key, and, once all of the key are, those of its index.
template <class T>
struct last_selected {
  using key = impl::unsigned_of_bytes<sizeof(T)>;
  const T* x;
  bool descending;
  key key_prefix;
  unsigned key_shift;  ///< bits of a key that are not known
  std::size_t index_prefix;
  unsigned index_shift;  ///< bits of an index that are not known

  /// In the order from the least key on.
  __device__ key key_at(std::size_t i) const {
    const key k = impl::to_key(x[i]);
    return static_cast<key>(descending ? ~k : k);
  }
  /// Whether the element does not come after the known part.
  __device__ bool operator()(std::size_t i) const {
    const auto leading = static_cast<key>(key_at(i) >> key_shift);
    return leading < key_prefix || (leading == key_prefix && i >> index_shift <= index_prefix);
  }
};

/// The next digit of elements that agree with the known part, else `digits`. Shifts are those of the bits
/// below the digit.
template <class T>
struct next_digit {
  last_selected<T> known;
  bool of_index;
  unsigned shift;

  __device__ unsigned operator()(std::size_t i) const {
    const auto k = known.key_at(i);
    if (!of_index) {
      const std::uint64_t leading = std::uint64_t{k} >> shift;
      return leading >> digit_bits == known.key_prefix ? static_cast<unsigned>(leading % digits) : digits;
    }
    const std::size_t leading = i >> shift;
    return k == known.key_prefix && leading >> digit_bits == known.index_prefix
               ? static_cast<unsigned>(leading % digits)
               : digits;
  }
};

/// How many of n elements have each digit, added to `counts`.
template <class Digit>
__global__ void __launch_bounds__(count_threads)
    count_digits(Digit digit_of, std::size_t n, unsigned long long* counts) {
  __shared__ unsigned shared[count_copies * (digits + 1)];
  block_counters<count_threads> counters(shared, count_copies, digits, counts);
  constexpr std::size_t tile = std::size_t{count_threads} * count_items;
  for (std::size_t first = blockIdx.x * tile; first < n; first += gridDim.x * tile) {
#pragma unroll
    for (unsigned k = 0; k < count_items; ++k) {
      const std::size_t i = first + k * count_threads + threadIdx.x;
      counters.add(i < n ? digit_of(i) : digits);
    }
  }
  counters.add_to_grid();
}

/// Where in the array an element is that is counted along its line: one of k of each line.
struct index_in_array {
  const std::size_t* indices;
  axis_lines lines;
  std::size_t k;
  __device__ std::size_t operator()(std::size_t i) const {
    const std::size_t row = i / lines.inner;
    return (row / k * lines.length + indices[i]) * lines.inner + (i - row * lines.inner);
  }
};

}  // namespace heddle::gpu
