#include "core/masked_operators.hpp"
#include "elements.cuh"
#include <heddle/impl/patterns/reduce/gpu/reduce.cuh>
#include <heddle/impl/patterns/segmented_reduce/gpu.cuh>

// Each kernel of reduce, behind one that takes plain arguments: tests/checker/own_kernels_test.py.

using namespace heddle;
using namespace heddle::gpu;
using impl::element_at;

/// A sum that does not say that its order is free.
struct add_bytes {
  static constexpr bool commutative = true;
  HD_FN unsigned char operator()(unsigned char a, unsigned char b) const {
    return static_cast<unsigned char>(a + b);
  }
};

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

#define SHORT_ROWS(NAME, T, OPERATOR)                                                               \
  __global__ void short_rows_##NAME(const T* x, size_t first, size_t rows, size_t length, T* out) { \
    const auto op = OPERATOR;                                                                       \
    const unsigned group = lanes_of_short_row<T, std::decay_t<decltype(op)>>(length);               \
    reduce_short_rows<T>(x + first, op, shape_short_rows<T>(rows, length, group), out);             \
  }
SHORT_ROWS(bytes, unsigned char, plus{})
SHORT_ROWS(least, unsigned char, (impl::mask_of_extremes<unsigned char, minimum>()))
SHORT_ROWS(all, unsigned char, impl::masks_of(logical_and{}))
SHORT_ROWS(halves, short, plus{})
SHORT_ROWS(products, unsigned char, multiplies{})
SHORT_ROWS(sum, int, plus{})
SHORT_ROWS(product, long long, multiplies{})
SHORT_ROWS(totals, float, plus{})
SHORT_ROWS(largest, double, maximum{})
SHORT_ROWS(compositions, map_of_line, composition{})

#define COLUMNS(NAME, T, OP, ITEMS, SEVERAL_ROWS)                                                           \
  __global__ void columns_##NAME(const T* x, size_t outer, size_t length, size_t inner, size_t part,        \
                                 size_t pitch, unsigned log2_threads, unsigned log2_groups,                 \
                                 unsigned log2_neighbours, T* out) {                                        \
    reduce_columns<ITEMS, SEVERAL_ROWS, T, element_at<T, OP>, OP>(                                          \
        {x}, OP{}, {{outer, length, inner}, part, pitch, log2_threads, log2_groups, log2_neighbours}, out); \
  }
COLUMNS(bytes, unsigned char, plus, 16, true)
COLUMNS(sum, int, plus, 8, true)
COLUMNS(totals, float, plus, 8, true)
COLUMNS(many_totals, float, plus, 16, false)
COLUMNS(many_totals_of_rows, float, plus, 16, true)
COLUMNS(largest, double, maximum, 8, true)
COLUMNS(compositions, map_of_line, composition, 8, true)
COLUMNS(sums, three_sums, add_three, 1, true)
COLUMNS(added_bytes, unsigned char, add_bytes, 8, true)

#define FEW_ROWS(ROWS, NAME, T, OP)                                                                        \
  __global__ void up_to_##ROWS##_rows_##NAME(const T* x, size_t outer, unsigned length, size_t inner,      \
                                             T* out) {                                                     \
    const double of_inner = 1 / static_cast<double>(inner);                                                \
    transform_elements_of<T, 1>(                                                                           \
        few_rows<ROWS, T, element_at<T, OP>, OP>{{x}, OP{}, inner, of_inner, length}, outer * inner, out); \
  }
#define ONE_TO_FOUR_ROWS(NAME, T, OP)                                            \
  __global__ void one_row_##NAME(const T* x, size_t inner, T* out) {             \
    transform_elements_of<T, 1>(one_row<T, element_at<T, OP>>{{x}}, inner, out); \
  }                                                                              \
  FEW_ROWS(2, NAME, T, OP)                                                       \
  FEW_ROWS(4, NAME, T, OP)
ONE_TO_FOUR_ROWS(bytes, unsigned char, plus)
ONE_TO_FOUR_ROWS(totals, float, plus)
ONE_TO_FOUR_ROWS(compositions, map_of_line, composition)
FEW_ROWS(16, bytes, unsigned char, plus)

#define VECTORS(NAME, T, OP)                                                                             \
  __global__ void vectors_##NAME(const T* x, size_t outer, size_t length, size_t inner, size_t part,     \
                                 T* out) {                                                               \
    const auto op = OP;                                                                                  \
    using combined = columns_op<T, std::decay_t<decltype(op)>>;                                          \
    using vector = combined::vector;                                                                     \
    constexpr size_t items = items_per_vector<T>;                                                        \
    reduce_columns<8, true, vector>(vector_at<T, std::decay_t<decltype(op)>>{x, {{op}}}, combined{{op}}, \
                                    {{outer, length, inner / items}, part, inner / items, 0, 0, 8},      \
                                    reinterpret_cast<vector*>(out));                                     \
  }
VECTORS(bytes, unsigned char, plus{})
VECTORS(least, unsigned char, (impl::mask_of_extremes<unsigned char, minimum>()))
VECTORS(halves, short, plus{})
VECTORS(products, unsigned char, multiplies{})
