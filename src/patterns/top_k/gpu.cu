#include "patterns/sort/gpu.hpp"
#include "patterns/top_k/gpu.cuh"
#include "patterns/top_k/gpu.hpp"
#include <heddle/copy_if.hpp>
#include <heddle/gather.hpp>
#include <heddle/impl/patterns/transform/gpu.cuh>
#include <heddle/sort.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace heddle::gpu {
namespace {

using digit_counts = std::array<unsigned long long, digits>;

template <class T>
digit_counts counts_of(const next_digit<T>& digit_of, std::size_t n, const memory& storage,
                       const target& where) {
  auto* const counts = static_cast<unsigned long long*>(storage.data());
  check(cudaMemsetAsync(counts, 0, storage.bytes(), where.stream()), "cudaMemsetAsync");
  constexpr unsigned blocks_a_multiprocessor = 4;
  const unsigned grid = std::min(grid_for(n, std::size_t{count_threads} * count_items),
                                 multiprocessors(where) * blocks_a_multiprocessor);
  count_digits<<<grid, count_threads, 0, where.stream()>>>(digit_of, n, counts);
  check(cudaGetLastError(), "launch of count_digits");
  digit_counts result;
  heddle::copy(result.data(), target(), counts, where, sizeof result);
  return result;
}

/// Narrows the last of the first k down, digit by digit, until it is the last of all that agree with it. No
/// two elements agree in all digits of key and index.
template <class T>
last_selected<T> find_last_selected(const T* x, std::size_t n, std::size_t k, bool descending,
                                    const target& where) {
  constexpr unsigned bits = 8 * sizeof(T);
  using key = typename last_selected<T>::key;
  const memory storage(sizeof(digit_counts), where);
  last_selected<T> last{x, descending, 0, bits, ~std::size_t{0}, 0};
  const auto index_bits =
      static_cast<unsigned>((std::bit_width(n - 1) + digit_bits - 1) / digit_bits * digit_bits);
  std::size_t wanted = k;  // of those that agree
  bool of_index = false;
  unsigned shift = bits;
  while (true) {
    if (shift == 0) {
      of_index = true;
      last.index_prefix = 0;
      shift = index_bits;
    }
    shift -= digit_bits;
    const digit_counts counts = counts_of(next_digit<T>{last, of_index, shift}, n, storage, where);
    unsigned digit = 0;
    while (counts[digit] < wanted) wanted -= counts[digit++];
    if (of_index) {
      last.index_prefix = last.index_prefix << digit_bits | digit;
      last.index_shift = shift;
    } else {
      last.key_prefix = static_cast<key>(std::uint64_t{last.key_prefix} << digit_bits | digit);
      last.key_shift = shift;
    }
    if (counts[digit] == wanted) return last;
  }
}

}  // namespace

void top(dtype type, const void* x, std::size_t n, std::size_t k, sort_order order, std::size_t* indices,
         const target& where) {
  const current_device on(where);
  const std::size_t bytes = size_of(type);
  const memory storage(n, where), selected_storage(k * sizeof(std::size_t), where);
  bool* const flags = static_cast<bool*>(storage.data());
  auto* const unordered = static_cast<std::size_t*>(selected_storage.data());
  impl::with_ordered_type(type, [&]<class T>(T) {
    const bool descending = order == sort_order::descending;
    transform(where, find_last_selected(static_cast<const T*>(x), n, k, descending, where), n, flags);
  });
  const impl::selection selected(flags, n, where);
  selected.indices(unordered);
  // They are in the order of their indices, which a stable sort leaves among equal elements.
  const memory elements(k * bytes, where), ranks(k * sizeof(std::size_t), where);
  auto* const rank = static_cast<std::size_t*>(ranks.data());
  impl::library_gather(x, {1, n, 1}, bytes, {dtype::uint64, unordered, k}, elements.data(), where);
  argsort(type, elements.data(), {1, k, 1}, order, rank, where);
  impl::library_gather(unordered, {1, k, 1}, sizeof(std::size_t), {dtype::uint64, rank, k}, indices, where);
}

void indices_in_array(const std::size_t* indices, const axis_lines& lines, std::size_t k,
                      std::size_t* in_array, const target& where) {
  transform(where, index_in_array{indices, lines, k}, lines.outer * k * lines.inner, in_array);
}

}  // namespace heddle::gpu
