#include "elements.cuh"
#include "patterns/argmin/gpu.cuh"
#include "patterns/copy_if/gpu.cuh"
#include "patterns/histogram/gpu.cuh"
#include "patterns/transform/map.cuh"
#include <heddle/impl/patterns/adjacent_difference/gpu.cuh>

// The kernels of transform, fill, argmin, adjacent_difference, copy_if, unique and histogram, behind kernels
// that take plain arguments: tests/checker/own_patterns_test.py.

using namespace heddle;
using namespace heddle::gpu;

#define SUMS(NAME, T, ITEMS)                                                                         \
  __global__ void NAME(const T* x, const T* y, bool y_is_constant, size_t first, size_t n, T* out) { \
    const mapped<T, plus> sum(plus{}, {x + first, 0}, {y_is_constant ? nullptr : y + first, y[0]});  \
    transform_elements_of<T, ITEMS>(sum, n, out + first);                                            \
  }
SUMS(sums, int, 1)
SUMS(sums_in_vectors, int, 4)
SUMS(sums_of_bytes_in_vectors, signed char, 16)

/// Elements of three sizes, of which a thread takes four at once.
struct weighted_sum {
  __device__ float operator()(signed char x, float y, short z) const { return x + 2 * y + z; }
};
__global__ void weighted_sums(const signed char* x, const float* y, short z, size_t n, float* out) {
  using namespace heddle::impl;
  using mapped = mapped_elements<weighted_sum, std::index_sequence<0, 1, 2>, element_of_array<signed char>,
                                 element_of_array<float>, constant<short>>;
  static_assert(transform_items<float, mapped> == 4 && transform_items<double, mapped> == 2);
  transform_elements_of<float, 4>(mapped(weighted_sum{}, {x}, {y}, {z}), n, out);
}

struct sum_with_itself {
  const three_sums* x;
  __device__ three_sums operator()(size_t i) const { return add_three{}(x[i], x[i]); }
};
__global__ void doubled(const three_sums* x, size_t n, three_sums* out) {
  transform_elements_of<three_sums, 1>(sum_with_itself{x}, n, out);
}

#define FILL(NAME, WORD)                                                                          \
  __global__ void fill_##NAME(WORD* to, size_t words, const WORD* value, size_t words_of_value) { \
    pattern repeated{};                                                                           \
    memcpy(repeated.bytes, value, words_of_value * sizeof(WORD));                                 \
    repeat_pattern<WORD>(to, words, repeated, words_of_value);                                    \
  }
FILL(bytes, unsigned char)
FILL(vectors, uint4)

__global__ void first_equal(const float* x, size_t outer, size_t length, size_t inner, const float* extremum,
                            unsigned long long* place) {
  find_first_equal<float>(x, {outer, length, inner}, extremum, place);
}

__global__ void first_equal_in_rows(const float* x, size_t rows, size_t length, const float* extremum,
                                    const float* of_pieces, bool knows_pieces, size_t piece,
                                    unsigned long long* place) {
  find_first_equal_in_rows<float>(x, rows, length, extremum, knows_pieces ? of_pieces : nullptr, piece,
                                  place);
}

// `begins` says whether there are elements before the first ones, and `in_place` takes out for x.
#define DIFFERENCES(NAME, T, OP, ITEMS)                                                                   \
  __global__ void NAME##_of_rows(const T* x, bool in_place, size_t outer, size_t length, const T* before, \
                                 bool begins, const T* saved, T* out) {                                   \
    const difference_work<T, OP> work{                                                                    \
        in_place ? out : x,        out, OP{}, {outer, length, 1}, begins ? before : nullptr,              \
        in_place ? saved : nullptr};                                                                      \
    difference_of_rows<T, ITEMS>(work);                                                                   \
  }                                                                                                       \
  __global__ void NAME##_of_columns(const T* x, bool in_place, size_t outer, size_t length, size_t inner, \
                                    const T* before, bool begins, const T* saved, T* out) {               \
    const difference_work<T, OP> work{                                                                    \
        in_place ? out : x,        out, OP{}, {outer, length, inner}, begins ? before : nullptr,          \
        in_place ? saved : nullptr};                                                                      \
    difference_of_columns<T>(work, outer * ((length + difference_rows - 1) / difference_rows) * inner);   \
  }                                                                                                       \
  __global__ void NAME##_before_tiles(const T* x, size_t n, T* saved) {                                   \
    transform_elements_of<T, 1>(element_before_tile<T>{x, difference_tile<T, ITEMS>}, n, saved);          \
  }                                                                                                       \
  __global__ void NAME##_above_parts(const T* x, size_t outer, size_t length, size_t inner, size_t n,     \
                                     T* saved) {                                                          \
    transform_elements_of<T, 1>(element_above_part<T>{x, {outer, length, inner}}, n, saved);              \
  }
DIFFERENCES(differences, int, minus, 1)
DIFFERENCES(differences_in_vectors, int, minus, 4)
DIFFERENCES(differences_of_bytes, signed char, minus, 16)
DIFFERENCES(compositions, map_of_line, composition, 1)

__global__ void changes(const float* x, size_t n, bool* flags) {
  transform_elements_of<bool, 1>(change_at<float>{x}, n, flags);
}
__global__ void flag_at(bool* flags, const size_t* offsets, size_t count, size_t n) {
  flag_offsets(offsets, count, n, flags);
}
__global__ void counts_of_tiles(const bool* flags, size_t first, size_t n, size_t tiles, size_t* counts) {
  count_tiles(flags + first, n, tiles, counts);
}
__global__ void places(const bool* flags, size_t first, size_t n, const size_t* before, size_t* out) {
  list_indices(flags + first, n, before, out);
}
#define PLACE(NAME, WORD, OTHERS)                                                                      \
  __global__ void NAME(const bool* flags, size_t first, size_t n, const size_t* before, const WORD* x, \
                       size_t words, size_t chosen, WORD* out) {                                       \
    copy_words<WORD, OTHERS>(flags + first, n, before, x, words, chosen, out);                         \
  }
PLACE(chosen, unsigned, false)
PLACE(partitioned, unsigned short, true)

__device__ impl::bin_finder finder(const double* edges, size_t bins, bool even) {
  const double low = edges[0], high = edges[bins];
  return {edges, bins, even, low, high, static_cast<double>(bins) / (high - low)};
}
#define COUNT(NAME, T)                                                                              \
  __global__ void count_##NAME(const T* x, size_t n, const double* edges, size_t bins, bool even,   \
                               unsigned copies, unsigned long long* counts) {                       \
    count_bins<T>(x, n, finder(edges, bins, even), copies, counts);                                 \
  }                                                                                                 \
  __global__ void bins_of_##NAME(const T* x, size_t n, const double* edges, size_t bins, bool even, \
                                 std::uint32_t* out) {                                              \
    transform_elements_of<std::uint32_t, 1>(bin_at<T>{x, finder(edges, bins, even)}, n, out);       \
  }
COUNT(int, int)
COUNT(double, double)
