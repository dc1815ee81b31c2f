#include "dispatch/runtime_op.hpp"
#include "elements.cuh"
#include <heddle/impl/gpu/reduce/reduce.cuh>
#include <heddle/impl/gpu/reduce/segmented_reduce.cuh>

// Each kernel of reduce, behind one that takes plain arguments: tests/checker/own_kernels_test.py.

using namespace heddle;
using namespace heddle::gpu;
using impl::element_at;

#define REDUCE(NAME, T, OP)                                                                                  \
  __global__ void whole_##NAME(const T* x, size_t first, size_t n, unsigned long long* scratch, T* results,  \
                               unsigned* counters, T* out) {                                                 \
    reduce_whole<T, element_at<T, OP>, OP>({x + first}, OP{}, n, {states_of(scratch), results, counters},    \
                                           out);                                                             \
  }                                                                                                          \
  __global__ void rows_##NAME(const T* x, size_t outer, size_t length, T* out) {                             \
    reduce_rows<T, element_at<T, OP>, OP>({x}, OP{},                                                         \
                                          order::tiling{{outer, length, 1}, order::tile<T, OP>, 1}, out);    \
  }                                                                                                          \
  __global__ void segments_##NAME(const T* x, size_t n, const size_t* offsets, size_t count,                 \
                                  unsigned at_once, size_t* longer, list_counter* counter, T* out) {         \
    reduce_segments<T, OP>(x, n, OP{}, {offsets, count, {}, order::tile<T, OP>}, at_once,                    \
                           {reinterpret_cast<listed_segment*>(longer), counter}, out);                       \
  }                                                                                                          \
  __global__ void tiles_##NAME(const T* x, size_t* listed, list_counter* counter, T* results) {              \
    reduce_rows<T, element_at<T, OP>, OP>(                                                                   \
        {x}, OP{},                                                                                           \
        tiles_of_listed{{reinterpret_cast<listed_segment*>(listed), counter}, order::tile<T, OP>}, results); \
  }                                                                                                          \
  __global__ void listed_##NAME(const T* results, size_t* listed, list_counter* counter, size_t* longer,     \
                                list_counter* longer_counter, T* out) {                                      \
    reduce_segments<T, OP>(                                                                                  \
        results, 0, OP{},                                                                                    \
        {nullptr, 0, {reinterpret_cast<listed_segment*>(listed), counter}, order::tile<T, OP>}, 1,           \
        {reinterpret_cast<listed_segment*>(longer), longer_counter}, out);                                   \
  }
REDUCE(bytes, unsigned char, plus)
REDUCE(halves, short, plus)
REDUCE(sum, int, plus)
REDUCE(largest, double, maximum)
REDUCE(compositions, map_of_line, composition)

#define SHORT_ROWS(NAME, T, OP)                                                                          \
  __global__ void short_rows_##NAME(const T* x, size_t first, size_t rows, size_t length, T* out) {      \
    reduce_short_rows<T, OP>(x + first, OP{},                                                            \
                             shape_short_rows<T>(rows, length, lanes_of_short_row<T, OP>(length)), out); \
  }
SHORT_ROWS(bytes, unsigned char, plus)
SHORT_ROWS(sum, int, plus)
SHORT_ROWS(product, long long, multiplies)
SHORT_ROWS(totals, float, plus)
SHORT_ROWS(largest, double, maximum)
SHORT_ROWS(compositions, map_of_line, composition)

#define ROWS_IN_PACKS(NAME, T, OPERATOR)                                                                 \
  __global__ void rows_in_vectors_##NAME(const T* x, size_t first, size_t rows, size_t length,           \
                                         unsigned of_warp, T* out) {                                     \
    reduce_rows_in_vectors<T>(x + first, OPERATOR, {rows, static_cast<unsigned>(length), of_warp}, out); \
  }
ROWS_IN_PACKS(bytes, unsigned char, plus{})
ROWS_IN_PACKS(least, unsigned char, (impl::mask_of_extremes<unsigned char, minimum>()))
ROWS_IN_PACKS(all, unsigned char, impl::by_masks(logical_and{}))
ROWS_IN_PACKS(halves, short, plus{})

#define MANY_COLUMNS(NAME, T, OP, SEVERAL_ROWS)                                                        \
  __global__ void many_columns_##NAME(const T* x, size_t outer, size_t length, size_t inner, T* out) { \
    reduce_many_columns<SEVERAL_ROWS, T, element_at<T, OP>, OP>({x}, OP{}, {outer, length, inner},     \
                                                                lanes_apart<T, OP>(length), out);      \
  }
MANY_COLUMNS(totals, float, plus, false)
MANY_COLUMNS(totals_of_rows, float, plus, true)
MANY_COLUMNS(largest, double, maximum, true)

#define COLUMNS(NAME, T, OP, ROWS)                                                                        \
  __global__ void columns_##NAME(const T* x, size_t outer, size_t length, size_t inner, T* out) {         \
    reduce_columns<ROWS, false, T, element_at<T, OP>, OP>(                                                \
        {x}, OP{}, order::tiling{{outer, length, inner}, order::tile<T, OP>, warp_size}, warp_size, out); \
  }                                                                                                       \
  __global__ void few_columns_##NAME(const T* x, size_t outer, size_t length, size_t inner, T* out) {     \
    reduce_columns<ROWS, true, T, element_at<T, OP>, OP>(                                                 \
        {x}, OP{}, order::tiling{{outer, length, inner}, order::tile<T, OP>, warp_size},                  \
        std::bit_ceil(static_cast<unsigned>(inner)), out);                                                \
  }
COLUMNS(bytes, unsigned char, plus, 8)
COLUMNS(sum, int, plus, 8)
COLUMNS(largest, double, maximum, 8)
COLUMNS(largest_of_many, double, maximum, 16)
COLUMNS(compositions, map_of_line, composition, 8)
COLUMNS(sums, three_sums, add_three, 8)

#define FEW(NAME, T, OP, MOST, AND_MORE)                                                               \
  __global__ void few_##NAME(const T* x, size_t outer, size_t length, size_t inner, T* out) {          \
    reduce_few_rows<MOST, AND_MORE, T, element_at<T, OP>, OP>({x}, OP{}, {outer, length, inner}, out); \
  }
FEW(bytes, unsigned char, plus, 8, true)
FEW(sum, int, plus, 8, false)
FEW(largest, double, maximum, 8, false)
FEW(compositions, map_of_line, composition, 32, false)

#define TWO_ROWS(NAME, T, OP)                                                                      \
  __global__ void two_rows_##NAME(const T* x, size_t outer, size_t length, size_t inner, T* out) { \
    fold_two_rows<T, element_at<T, OP>, OP>({x}, OP{}, {outer, length, inner}, out);               \
  }
TWO_ROWS(bytes, unsigned char, plus)
TWO_ROWS(totals, float, plus)
TWO_ROWS(compositions, map_of_line, composition)

#define GRANULES(NAME, COLUMNS, T, OP)                                                                \
  __global__ void vectors_##NAME(const T* x, size_t from, size_t outer, size_t length, size_t inner,  \
                                 size_t strip, size_t to, T* out) {                                   \
    reduce_vectors<COLUMNS<T>>(x + from, OP, {{outer, length, inner}, strip, reduce_vectors_threads}, \
                               out + to);                                                             \
  }
GRANULES(bytes, vector_columns, unsigned char, plus{})
GRANULES(least, vector_columns, unsigned char, (impl::mask_of_extremes<unsigned char, minimum>()))
GRANULES(halves, vector_columns, short, plus{})
GRANULES(shifted_bytes, shifted_vector_columns, unsigned char, plus{})
GRANULES(shifted_least, shifted_vector_columns, unsigned char,
         (impl::mask_of_extremes<unsigned char, minimum>()))
GRANULES(shifted_halves, shifted_vector_columns, short, plus{})
