#pragma once

#include <heddle/target.hpp>

#include <cstddef>
#include <cstdint>

/// CUB's radix sort on the keys that Heddle makes, in a file of its own: its headers take long to read.
namespace heddle::gpu {

/// Sorts the lower `bits` bits of n keys; x is not written to, and `out` is apart from it.
template <class Key>
void radix_sort_keys(const Key* x, std::size_t n, Key* out, int bits, const target& where);

/// Sorts n keys with an index each, stably. Each is in the first of two arrays before and in the one that is
/// `first` afterwards.
template <class T>
struct two_arrays {
  T *first, *second;
};
template <class Key, class Index>
void radix_sort_pairs(two_arrays<Key>& keys, two_arrays<Index>& indices, std::size_t n, int bits,
                      const target& where);

/// Sorts n keys with a value each by bits first_bit to last_bit − 1 of the key, at most 8 of them, stably:
/// one pass.
template <class Value>
void radix_partition_pairs(const std::uint32_t* keys, std::uint32_t* keys_out, const Value* values,
                           Value* values_out, std::size_t n, int first_bit, int last_bit,
                           const target& where);

}  // namespace heddle::gpu
