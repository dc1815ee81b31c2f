#include "patterns/sort/gpu.hpp"
#include "patterns/sort/order_by_sign.cuh"
#include "patterns/sort/radix_sort.hpp"
#include "patterns/sort/sortable.hpp"
#include <heddle/impl/gpu/line_order.cuh>
#include <heddle/impl/patterns/transform/gpu.cuh>
#include <heddle/sort.hpp>

#include <bit>
#include <cstdint>
#include <limits>

namespace heddle::gpu {
namespace {

template <class T>
struct bits_at {
  const bits_of<T>* x;
  __device__ wide_key<T> operator()(std::size_t i) const { return x[i]; }
};
/// The key of element i, for an order in which both zeros are alike or not.
template <class Key, class T, bool ZerosAlike>
struct key_at {
  const T* x;
  array_index_of_line_order at;
  bool descending;
  __device__ Key operator()(std::size_t i) const {
    const T value = x[at(i)];
    const bits_of<T> key = ZerosAlike ? impl::to_key(value) : impl::to_sortable(value);
    return static_cast<bits_of<T>>(descending ? ~key : key);
  }
};
template <class Key, class Index>
struct line_of {
  const Index* sorted;
  std::size_t length;
  __device__ Key operator()(std::size_t i) const { return static_cast<Key>(sorted[i] / length); }
};

/// The element that comes to element `at` of the array, NaNs all alike.
template <class Index, class T>
struct element_in_order {
  const Index* sorted;
  line_order_of_array_index line_order;
  array_index_of_line_order in_array;
  const T* x;
  __device__ T operator()(std::size_t at) const {
    return impl::from_sortable<T>(impl::to_sortable(x[in_array(sorted[line_order(at)])]));
  }
};

template <class T>
void sort_elements(const T* x, std::size_t n, bool descending, T* out, const target& where) {
  using key = wide_key<T>;
  if constexpr (std::is_same_v<T, key>) {
    if (x != out && !descending) return radix_sort_keys(x, n, out, 8 * sizeof(T), where);
  }
  // Keys of four and eight bytes are the elements' bits as they are.
  memory copied;
  const key* keys = reinterpret_cast<const key*>(x);
  if constexpr (sizeof(T) < sizeof(key)) {
    copied = memory(n * sizeof(key), where);
    transform(where, bits_at<T>{reinterpret_cast<const bits_of<T>*>(x)}, n, static_cast<key*>(copied.data()));
    keys = static_cast<const key*>(copied.data());
  }
  const memory sorted(n * sizeof(key), where);
  radix_sort_keys(keys, n, static_cast<key*>(sorted.data()), 8 * sizeof(T), where);
  order_by_sign<<<grid_for(n, order_by_sign_threads * order_by_sign_elements), order_by_sign_threads, 0,
                  where.stream()>>>(static_cast<const key*>(sorted.data()), n, descending, out);
  check(cudaGetLastError(), "launch of order_by_sign");
}

/// Calls use(sorted): of all elements, line by line, in the order of their lines and of the keys in each. All
/// are sorted by their keys, and then, stably, by the numbers of their lines.
template <class Key, class Index, bool ZerosAlike, class T, class Use>
void with_sorted_indices(const T* x, const axis_lines& lines, bool descending, const target& where,
                         const Use& use) {
  const std::size_t n = lines.elements();
  const memory key_buffer(2 * n * sizeof(Key), where), index_buffer(2 * n * sizeof(Index), where);
  auto* const k = static_cast<Key*>(key_buffer.data());
  auto* const i = static_cast<Index*>(index_buffer.data());
  transform(where, key_at<Key, T, ZerosAlike>{x, {lines}, descending}, n, k);
  transform(where, own_index<Index>{}, n, i);
  two_arrays<Key> keys{k, k + n};
  two_arrays<Index> indices{i, i + n};
  radix_sort_pairs(keys, indices, n, 8 * sizeof(T), where);
  if (lines.count() > 1) {
    transform(where, line_of<Key, Index>{indices.first, lines.length}, n, keys.first);
    radix_sort_pairs(keys, indices, n, static_cast<int>(std::bit_width(lines.count() - 1)), where);
  }
  use(static_cast<const Index*>(indices.first));
}
template <bool ZerosAlike, class T, class Use>
void with_sorted_indices(const T* x, const axis_lines& lines, bool descending, const target& where,
                         const Use& use) {
  if (lines.elements() <= std::numeric_limits<std::uint32_t>::max()) {
    with_sorted_indices<wide_key<T>, std::uint32_t, ZerosAlike>(x, lines, descending, where, use);
  } else {
    with_sorted_indices<std::uint64_t, std::uint64_t, ZerosAlike>(x, lines, descending, where, use);
  }
}

}  // namespace

void sort(dtype type, const void* x, const axis_lines& lines, sort_order order, void* out,
          const target& where) {
  const current_device on(where);
  const std::size_t n = lines.elements();
  const bool descending = order == sort_order::descending;
  impl::with_ordered_type(type, [&]<class T>(T) {
    const T* const from = static_cast<const T*>(x);
    T* const to = static_cast<T*>(out);
    if (lines.count() == 1) return sort_elements(from, n, descending, to, where);
    // In place nothing may be written that is still to be read.
    const memory out_buffer(x == out ? n * sizeof(T) : 0, where);
    T* const apart = x == out ? static_cast<T*>(out_buffer.data()) : to;
    with_sorted_indices<false>(from, lines, descending, where, [&]<class Index>(const Index* sorted) {
      transform(where, element_in_order<Index, T>{sorted, {lines}, {lines}, from}, n, apart);
    });
    if (apart != to) heddle::copy(to, where, apart, where, n * sizeof(T));
  });
}

void argsort(dtype type, const void* x, const axis_lines& lines, sort_order order, std::size_t* indices,
             const target& where) {
  const current_device on(where);
  const bool descending = order == sort_order::descending;
  impl::with_ordered_type(type, [&]<class T>(T) {
    with_sorted_indices<true>(
        static_cast<const T*>(x), lines, descending, where, [&]<class Index>(const Index* sorted) {
          transform(where, index_in_line<Index>{sorted, {lines}}, lines.elements(), indices);
        });
  });
}

}  // namespace heddle::gpu
