#include "patterns/sort/radix_sort.hpp"
#include <heddle/array.hpp>
#include <heddle/impl/gpu/arch/launch.cuh>

#include <cub/device/device_radix_sort.cuh>

namespace heddle::gpu {
namespace {

/// Calls CUB twice: for the scratch memory that it wants, and with it.
template <class Sort>
void with_cubs_scratch(const target& where, const Sort& sort) {
  std::size_t bytes = 0;
  check(sort(nullptr, bytes), "cub::DeviceRadixSort");
  const memory scratch(bytes, where);
  check(sort(scratch.data(), bytes), "cub::DeviceRadixSort");
}

}  // namespace

template <class Key>
void radix_sort_keys(const Key* x, std::size_t n, Key* out, int bits, const target& where) {
  with_cubs_scratch(where, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(scratch, bytes, x, out, n, 0, bits, where.stream());
  });
}

template <class Key, class Index>
void radix_sort_pairs(two_arrays<Key>& keys, two_arrays<Index>& indices, std::size_t n, int bits,
                      const target& where) {
  cub::DoubleBuffer<Key> k(keys.first, keys.second);
  cub::DoubleBuffer<Index> i(indices.first, indices.second);
  with_cubs_scratch(where, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(scratch, bytes, k, i, n, 0, bits, where.stream());
  });
  keys = {k.Current(), k.Alternate()};
  indices = {i.Current(), i.Alternate()};
}

template <class Value>
void radix_partition_pairs(const std::uint32_t* keys, std::uint32_t* keys_out, const Value* values,
                           Value* values_out, std::size_t n, int first_bit, int last_bit,
                           const target& where) {
  with_cubs_scratch(where, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(scratch, bytes, keys, keys_out, values, values_out, n, first_bit,
                                           last_bit, where.stream());
  });
}

template void radix_sort_keys(const std::uint32_t*, std::size_t, std::uint32_t*, int, const target&);
template void radix_sort_keys(const std::uint64_t*, std::size_t, std::uint64_t*, int, const target&);
template void radix_sort_pairs(two_arrays<std::uint32_t>&, two_arrays<std::uint32_t>&, std::size_t, int,
                               const target&);
template void radix_sort_pairs(two_arrays<std::uint64_t>&, two_arrays<std::uint32_t>&, std::size_t, int,
                               const target&);
// Of 2^32 elements and more.
template void radix_sort_pairs(two_arrays<std::uint64_t>&, two_arrays<std::uint64_t>&, std::size_t, int,
                               const target&);

template void radix_partition_pairs(const std::uint32_t*, std::uint32_t*, const std::uint32_t*,
                                    std::uint32_t*, std::size_t, int, int, const target&);
template void radix_partition_pairs(const std::uint32_t*, std::uint32_t*, const std::uint64_t*,
                                    std::uint64_t*, std::size_t, int, int, const target&);

}  // namespace heddle::gpu
