#include "elements.cuh"
#include "patterns/argmin/extrema.cuh"
#include "patterns/argmin/gpu.cuh"
#include "patterns/copy_if/gpu.cuh"
#include "patterns/histogram/gpu.cuh"
#include "patterns/transform/map.cuh"
#include <heddle/impl/patterns/adjacent_difference/gpu.cuh>
#include <heddle/impl/patterns/copy_if/gpu.cuh>
#include <heddle/impl/patterns/for_each_index/gpu.cuh>

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

struct number_at_index {
  size_t rows, columns, *out;
  __device__ void operator()(size_t z, size_t y, size_t x) const {
    const size_t i = (z * rows + y) * columns + x;
    out[i] = i;
  }
};
__global__ void numbered(size_t planes, size_t rows, size_t columns, size_t* out) {
  visit_indices<3>(number_at_index{rows, columns, out}, {columns, rows, planes},
                   {(columns + 7) / 8, (rows + 3) / 4, (planes + 1) / 2});
}

#define EXTREMA(NAME, T, STATE, ...)                                                                    \
  __global__ void NAME(const T* x, size_t first, size_t rows, size_t length, size_t parts, size_t part, \
                       unsigned long long* of_parts, unsigned* finished, __VA_ARGS__) {                 \
    using state = STATE;                                                                                \
    auto* const published = reinterpret_cast<published_state<state>*>(of_parts);                        \
    find_extrema<state>(x + first, rows, length, parts, part, published, finished, results);            \
  }
using arg_of_floats = arg_extremum<float, maximum>;
using arg_of_bytes = arg_extremum<signed char, minimum>;
EXTREMA(arg_max_of_rows, float, arg_of_floats, size_t* results)
EXTREMA(arg_min_of_rows, signed char, arg_of_bytes, size_t* results)
__global__ void minmax_of_rows(const float* x, size_t rows, size_t length, size_t parts, size_t part,
                               unsigned long long* of_parts, unsigned* finished, float* smallest,
                               float* largest) {
  using state = both_extrema<float>;
  find_extrema<state>(x, rows, length, parts, part, reinterpret_cast<published_state<state>*>(of_parts),
                      finished, two_results<float>{smallest, largest});
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
__global__ void number_of_flags(const bool* flags, size_t first, size_t n, unsigned long long* count) {
  count_flags(flags + first, n, count);
}
// `words` and `tickets` are zero before.
__global__ void chosen_by_flag(const unsigned* x, size_t n, const bool* flags, uint64_t* words,
                               unsigned long long* tickets, unsigned* out, size_t* count) {
  select_tiles(select_work<elements_to_select<unsigned>, chosen_by_flags, false>{
      {x}, {flags}, n, out, nullptr, {words, tickets, 0, 1}, count});
}
__global__ void indices_by_flag(size_t n, const bool* flags, uint64_t* words, unsigned long long* tickets,
                                size_t* out, size_t* others) {
  select_tiles(select_work<indices_to_select, chosen_by_flags, true>{
      {}, {flags}, n, out, others, {words, tickets, 0, 1}, nullptr});
}
__global__ void first_of_runs(const float* x, size_t n, uint64_t* words, unsigned long long* tickets,
                              float* out, size_t* count) {
  select_tiles(select_work<elements_to_select<float>, chosen_if_first_of_run<float>, false>{
      {x}, {x}, n, out, nullptr, {words, tickets, 0, 1}, count});
}
struct is_odd {
  __device__ bool operator()(unsigned short x) const { return x % 2 != 0; }
};
__global__ void partitioned(const unsigned short* x, size_t n, uint64_t* words, unsigned long long* tickets,
                            unsigned short* out, unsigned short* others, size_t* count) {
  select_tiles(select_work<elements_to_select<unsigned short>, chosen_by_function<is_odd>, true>{
      {x}, {}, n, out, others, {words, tickets, 0, 1}, count});
}

__device__ impl::bin_finder finder(const double* edges, size_t bins, bool even) {
  const double low = edges[0], high = edges[bins];
  return {edges, bins, even, low, high, static_cast<double>(bins) / (high - low)};
}
#define COUNT(NAME, T)                                                                              \
  __global__ void count_##NAME(const T* x, size_t n, const double* edges, size_t bins, bool even,   \
                               unsigned copies, unsigned long long* counts) {                       \
    const impl::bin_finder any = finder(edges, bins, even);                                         \
    using estimate = bin_estimate<T>;                                                               \
    const even_bin_finder<estimate> close{edges,                                                    \
                                          std::uint32_t(bins),                                      \
                                          estimate(any.low),                                        \
                                          estimate(any.high),                                       \
                                          estimate(any.bins_a_unit),                                \
                                          estimate(0.01)};                                          \
    if (even) return count_even_bins<T>(x, n, close, copies, counts);                               \
    count_bins<T>(x, n, any, copies, counts);                                                       \
  }                                                                                                 \
  __global__ void bins_of_##NAME(const T* x, size_t n, const double* edges, size_t bins, bool even, \
                                 std::uint32_t* out) {                                              \
    transform_elements_of<std::uint32_t, 1>(bin_at<T>{x, finder(edges, bins, even)}, n, out);       \
  }
COUNT(int, int)
COUNT(double, double)
