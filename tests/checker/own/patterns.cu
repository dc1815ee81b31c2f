#include "elements.cuh"
#include "gpu/copy_if.cuh"
#include "gpu/histogram.cuh"
#include "gpu/map.cuh"

// The kernels of transform, fill, argmin, copy_if, unique and histogram, behind kernels that take plain
// arguments: tests/checker/own_patterns_test.py.

using namespace heddle;
using namespace heddle::gpu;

__global__ void sums(const int* x, const int* y, bool y_is_constant, size_t n, int* out) {
  transform_elements_of<int>(mapped<int, plus>{{x, 0}, {y_is_constant ? nullptr : y, y[0]}, plus{}}, n, out);
}

struct sum_with_itself {
  const three_sums* x;
  __device__ three_sums operator()(size_t i) const { return add_three{}(x[i], x[i]); }
};
__global__ void doubled(const three_sums* x, size_t n, three_sums* out) {
  transform_elements_of<three_sums>(sum_with_itself{x}, n, out);
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

__global__ void changes(const float* x, size_t n, bool* flags) {
  transform_elements_of<bool>(change_at<float>{x}, n, flags);
}
__global__ void flag_at(bool* flags, const size_t* offsets, size_t count, size_t n) {
  flag_places(offsets, count, n, flags);
}
__global__ void counts_of_tiles(const bool* flags, size_t first, size_t n, size_t tiles, size_t* counts) {
  count_tiles(flags + first, n, tiles, counts);
}
__global__ void places(const bool* flags, size_t first, size_t n, const size_t* before, size_t* out) {
  list_places(flags + first, n, before, out);
}
#define PLACE(NAME, WORD, OTHERS)                                                                      \
  __global__ void NAME(const bool* flags, size_t first, size_t n, const size_t* before, const WORD* x, \
                       size_t words, size_t chosen, WORD* out) {                                       \
    place_words<WORD, OTHERS>(flags + first, n, before, x, words, chosen, out);                        \
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
    transform_elements_of<std::uint32_t>(bin_at<T>{x, finder(edges, bins, even)}, n, out);          \
  }
COUNT(int, int)
COUNT(double, double)
