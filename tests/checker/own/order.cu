#include "distributed/copy_rows.cuh"
#include "patterns/gather/gpu.cuh"
#include "patterns/lower_bound/bound_by_key.hpp"
#include "patterns/sort/order_by_sign.cuh"
#include "patterns/top_k/gpu.cuh"
#include <heddle/impl/gpu/line_order.cuh>
#include <heddle/impl/patterns/sort/gpu/merge_sort.cuh>
#include <heddle/impl/patterns/transform/gpu.cuh>

// The kernels of sorts, gather, scatter, lower_bound and top_k, and of rows that ranks exchange, behind
// kernels that take plain arguments: tests/checker/own_order_test.py.

using namespace heddle;
using namespace heddle::gpu;

/// An element of 12 bytes, of which the first four decide.
struct keyed {
  int key, other[2];
};
struct first_word {
  __device__ bool operator()(const keyed& a, const keyed& b) const { return a.key < b.key; }
};
struct falling_value {
  const float* x;
  __device__ bool operator()(std::size_t a, std::size_t b) const { return x[a] > x[b]; }
};

struct keyed_at {
  const keyed* x;
  __device__ keyed operator()(std::size_t i) const { return x[i]; }
};
__global__ void tiles_of_keyed(const keyed* x, std::size_t n, keyed* out) {
  sort_tiles<keyed>(keyed_at{x}, n, first_word{}, out);
}
__global__ void merged_keyed(const keyed* x, std::size_t n, std::size_t width, keyed* out) {
  merge_runs<keyed>(x, n, width, first_word{}, out);
}
__global__ void tiles_of_places(const float* x, std::size_t n, std::size_t* out) {
  sort_tiles<std::size_t>(own_index<std::size_t>{}, n, falling_value{x}, out);
}
__global__ void merged_places(const std::size_t* places, const float* x, std::size_t n, std::size_t width,
                              std::size_t* out) {
  merge_runs<std::size_t>(places, n, width, falling_value{x}, out);
}

__global__ void index_outside(const unsigned char* indices, std::size_t n, std::uint64_t limit,
                              unsigned long long* first) {
  find_index_outside(indices, n, limit, first);
}
__global__ void gather_elements(const unsigned* x, const unsigned short* indices, std::size_t n,
                                std::uint64_t limit, unsigned long long* outside, unsigned* out) {
  gather_words(x, indices, n, limit, outside, out);
}
__global__ void gather_in_blocks(const unsigned short* x, const std::uint64_t* indices, std::size_t count,
                                 std::size_t lines, std::size_t length, std::size_t words,
                                 unsigned short* out) {
  transform_elements_of<unsigned short, 1>(
      gathered_blocks<unsigned short, std::uint64_t>{x, indices, count, length, words, lines == 1},
      lines * count * words, out);
}
__global__ void survey(const unsigned* indices, std::size_t count, std::uint64_t limit, unsigned* bits,
                       unsigned long long* found) {
  survey_indices(indices, count, limit, bits, reinterpret_cast<index_survey*>(found));
}
__global__ void number_of_bits(const unsigned* bits, std::size_t words, unsigned long long* found) {
  count_set_bits(bits, words, reinterpret_cast<index_survey*>(found));
}
__global__ void last_of_equal(const unsigned* indices, std::size_t count, unsigned* last) {
  find_last_of_equal(indices, count, last);
}
__global__ void scatter_to_indices(const unsigned* values, const unsigned* indices, const unsigned* last,
                                   bool repeats, std::size_t count, std::size_t lines, std::size_t length,
                                   std::size_t words, unsigned* out) {
  scatter_words(values, indices, repeats ? last : nullptr, axis_lines{lines, length, 1}, count, words, out);
}
__global__ void narrowed(const std::uint64_t* indices, std::size_t n, std::uint32_t* out) {
  transform_elements_of<std::uint32_t, 1>(index_in_32_bits<std::uint64_t>{indices}, n, out);
}

__global__ void bounds_of(const float* sorted, std::size_t n, const float* values, std::size_t count,
                          bool upper, bool descending, std::size_t* out) {
  transform_elements_of<std::size_t, 1>(impl::bound_by_key<float>{sorted, n, values, upper, descending},
                                        count, out);
}

#define TOP(NAME, T)                                                                                     \
  __global__ void digits_of_##NAME(const T* x, std::size_t n, bool descending, std::uint64_t key_prefix, \
                                   bool of_place, std::size_t index_prefix, unsigned shift,              \
                                   unsigned long long* counts) {                                         \
    using key = last_selected<T>::key;                                                                   \
    const last_selected<T> known{x, descending, static_cast<key>(key_prefix), 0, index_prefix, 0};       \
    count_digits(next_digit<T>{known, of_place, shift}, n, counts);                                      \
  }                                                                                                      \
  __global__ void chosen_##NAME(const T* x, std::size_t n, bool descending, std::uint64_t key_prefix,    \
                                unsigned key_shift, std::size_t index_prefix, unsigned place_shift,      \
                                bool* flags) {                                                           \
    using key = last_selected<T>::key;                                                                   \
    const last_selected<T> last{x,         descending,   static_cast<key>(key_prefix),                   \
                                key_shift, index_prefix, place_shift};                                   \
    transform_elements_of<bool, 1>(last, n, flags);                                                      \
  }
TOP(bytes, signed char)
TOP(reals, float)

__global__ void in_array(const std::size_t* places, std::size_t outer, std::size_t length, std::size_t inner,
                         std::size_t k, std::size_t* out) {
  transform_elements_of<std::size_t, 1>(index_in_array{places, {outer, length, inner}, k}, outer * k * inner,
                                        out);
}

#define ORDER_BY_SIGN(SUFFIX, T)                                                                      \
  __global__ void by_sign_##SUFFIX(const wide_key<T>* keys, std::size_t n, bool descending, T* out) { \
    order_by_sign<T>(keys, n, descending, out);                                                       \
  }
ORDER_BY_SIGN(bytes, signed char)
ORDER_BY_SIGN(longs, long long)
ORDER_BY_SIGN(words, unsigned)
ORDER_BY_SIGN(floats, float)
ORDER_BY_SIGN(doubles, double)

__global__ void rows_of_words(unsigned* to, std::size_t to_pitch, const unsigned* from,
                              std::size_t from_pitch, std::size_t units, std::size_t rows) {
  copy_rows<unsigned>(to, to_pitch, from, from_pitch, units, rows);
}
