#pragma once

#include <heddle/dtype.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>

/// Sorts in registers, compiled for several instruction sets.
namespace heddle::cpu {

/// How the bits of elements become keys in the order of signed integers, and how sorted keys become elements.
/// The members' default values leave signed integers as they are.
template <class Key>
struct key_form {
  Key magnitude = 0;  ///< of floating-point numbers: the bits that are turned if the sign is set
  Key infinity = 0;   ///< a larger magnitude is a NaN, whose key is the largest before bits are flipped
  Key nan = std::numeric_limits<Key>::max();  ///< the element of the largest key
  Key flip = 0;                               ///< the bits that are turned in every key
  Key kept = -1;                              ///< the bits of a key that its element keeps
};

/// Called between pieces of a long sort. It throws if the sort is interrupted.
using between_pieces = void (*)();

/// The kernels for keys of one size.
template <class Key>
struct sort_kernels {
  /// Sorts contiguous lines of n elements each, from x to `out`, which may be x.
  void (*sort_lines)(const Key* x, std::size_t lines, std::size_t n, const key_form<Key>& form,
                     between_pieces between, Key* out);
  void (*make_keys)(const Key* x, std::size_t n, const key_form<Key>& form, Key* keys);
  /// Sorts keys, and makes them elements.
  void (*sort_keys)(Key* keys, std::size_t n, const key_form<Key>& form, between_pieces between);
  /// Moves the keys below the pivot to the front. Returns how many there are.
  std::size_t (*split)(Key* keys, std::size_t n, Key pivot);
};

/// Keys of 8 bytes that are shortened, so that an index fits below: (key − least) / 2^shift.
struct short_keys {
  std::uint64_t least;
  unsigned shift, index_bits;
};

struct all_sort_kernels {
  sort_kernels<std::int32_t> of_4_bytes;
  sort_kernels<std::int64_t> of_8_bytes;
  /// Elements of at most 4 bytes, and their indices from `first` on, as keys of 8 bytes: the index is the
  /// lower half. A descending order turns the bits of the upper half.
  void (*pair_with_indices)(dtype type, const void* x, std::size_t n, std::uint32_t first, bool descending,
                            std::int64_t* keys);
  /// The same of elements of 8 bytes, whose keys are shortened.
  void (*pair_shortened)(dtype type, const void* x, std::size_t n, std::uint64_t first, bool descending,
                         const short_keys& shortened, std::int64_t* keys);
  /// The least and the greatest key of elements of 8 bytes, of which there is one at least.
  void (*range_of_keys)(dtype type, const void* x, std::size_t n, bool descending, std::uint64_t* least,
                        std::uint64_t* greatest);
};

/// The kernels for this processor, or null if its instruction set has none.
const all_sort_kernels* sort_kernels_here();

#if defined(HEDDLE_X86_KERNELS)
const all_sort_kernels* avx2_sort_kernels();
const all_sort_kernels* avx512_sort_kernels();
#endif

}  // namespace heddle::cpu
