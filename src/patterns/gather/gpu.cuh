#pragma once

#include <heddle/compiler.hpp>
#include <heddle/shape.hpp>

#include <cstddef>
#include <cstdint>

/// What gather and scatter compute for each index on a GPU.
namespace heddle::gpu {

/// Indices of an unsigned integer type of 1, 2, 4 or 8 bytes, told apart at run time: the loads cost more.
struct index_reader {
  const void* data;
  unsigned bytes;
  __device__ std::uint64_t operator()(std::size_t i) const {
    switch (bytes) {
      case 1:
        return static_cast<const std::uint8_t*>(data)[i];
      case 2:
        return static_cast<const std::uint16_t*>(data)[i];
      case 4:
        return static_cast<const std::uint32_t*>(data)[i];
      default:
        return static_cast<const std::uint64_t*>(data)[i];
    }
  }
};

/// Leaves the least i whose index is `limit` or more in *first, which holds their number before.
struct find_index_outside {
  index_reader index;
  std::uint64_t limit;
  unsigned long long* first;
  __device__ void operator()(std::size_t i) const {
    if (index(i) < limit) return;
    if (i < *static_cast<volatile unsigned long long*>(first)) atomicMin(first, i);
  }
};

template <class Word>
struct gathered {
  const Word* x;
  index_reader index;
  __device__ Word operator()(std::size_t i) const { return x[index(i)]; }
};
/// Blocks of several words, in one line or in many.
template <class Word>
struct gathered_blocks {
  const Word* x;
  index_reader index;
  std::size_t count, length, words;
  bool one_line;
  __device__ Word operator()(std::size_t i) const {
    const std::size_t block = i / words, word = i - block * words;
    if (one_line) return x[index(block) * words + word];
    const std::size_t line = block / count;
    return x[(line * length + index(block - line * count)) * words + word];
  }
};

/// Indices in 32 bits, as keys to sort.
struct narrowed_index {
  index_reader index;
  __device__ std::uint32_t operator()(std::size_t i) const { return static_cast<std::uint32_t>(index(i)); }
};

/// Copies a word of the values to its index. `order` sorts the indices stably, so that the last of equal ones
/// is followed by another index, or by none.
template <class Word>
struct scatter_words {
  Word* out;
  const Word* values;
  index_reader index;
  const std::size_t* order;
  std::size_t count, length, words;
  __device__ void operator()(std::size_t i) const {
    const std::size_t block = i / words, word = i - block * words;
    const std::size_t line = block / count, k = block - line * count;
    const std::size_t from = order[k], at = index(from);
    if (k + 1 < count && index(order[k + 1]) == at) return;
    out[(line * length + at) * words + word] = values[(line * count + from) * words + word];
  }
};

}  // namespace heddle::gpu
