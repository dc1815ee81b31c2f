#include "elements.cuh"
#include <heddle/impl/patterns/scan/gpu/scan.cuh>

// Each kernel of scan, behind one that takes plain arguments: tests/checker/own_kernels_test.py.

using namespace heddle;
using namespace heddle::gpu;

/// The maximum of signed bytes, which kernels combine as halfwords: with the sign inverted, 0 is the least.
struct largest_packed {
  static constexpr bool commutative = true, exact = true;
  int identity_value = -128;
  __device__ signed char operator()(signed char a, signed char b) const { return a < b ? b : a; }
  template <class T>
  __device__ std::uint32_t encode_halfwords(std::uint32_t word) const {
    return word ^ 0x80808080u;
  }
  template <class T>
  __device__ std::uint32_t decode_halfwords(std::uint32_t word) const {
    return word ^ 0x80808080u;
  }
  __device__ std::uint32_t combine_halfwords(std::uint32_t a, std::uint32_t b, std::uint32_t c = 0) const {
    return max(max(a >> 16, b >> 16), c >> 16) << 16 | max(max(a & 0xffffu, b & 0xffffu), c & 0xffffu);
  }
};

/// An element of more bytes than the order has vectors of.
struct wide_sum {
  double of[5];
};
struct add_wide {
  __device__ wide_sum operator()(const wide_sum& a, const wide_sum& b) const {
    wide_sum sum;
    for (unsigned k = 0; k < 5; ++k) sum.of[k] = a.of[k] + b.of[k];
    return sum;
  }
};

template <class T, class Op>
__device__ scan_work<T, Op> work_of(const T* x, size_t rows, size_t length, bool exclusive, const T* init,
                                    bool has_init, size_t parts, unsigned rows_of_warp, unsigned tile,
                                    unsigned long long* scratch, T* out) {
  scan_work<T, Op> work{x, out, Op{}, rows, length, parts, rows_of_warp, tile, exclusive, has_init, {}, {}};
  if (has_init) work.init[0] = *init;
  work.states = states_of(scratch);
  return work;
}

// A kernel that scans rows of any length, in tiles of so many rows of 32 vectors.
#define SCAN_ROWS(PREFIX, KERNEL, TILE_ROWS, NAME, T, OP)                                               \
  __global__ void PREFIX##_##NAME(const T* x, size_t from, size_t rows, size_t length, bool exclusive,  \
                                  const T* init, bool has_init, size_t parts, unsigned rows_of_warp,    \
                                  unsigned long long* scratch, bool in_place, size_t to, T* out) {      \
    KERNEL<T, OP>(work_of<T, OP>((in_place ? out : x) + from, rows, length, exclusive, init, has_init,  \
                                 parts, rows_of_warp, (TILE_ROWS) * rows_of_warp * scan_tuning<T>::row, \
                                 scratch, out + to));                                                   \
  }
#define SCANS(NAME, T, OP)                                          \
  SCAN_ROWS(small, small_scan, blockDim.x / warp_size, NAME, T, OP) \
  SCAN_ROWS(lookahead, lookahead_scan, scan_tuning<T>::warps, NAME, T, OP)
SCANS(sum, int, plus)
SCANS(compositions, map_of_line, composition)
SCANS(bytes, unsigned char, plus)
SCANS(signed_bytes, signed char, largest_packed)
SCANS(largest, short, maximum)

#define SHORT_ROWS(NAME, T, OP)                                                                             \
  __global__ void short_rows_##NAME(const T* x, size_t from, size_t rows, size_t length, unsigned of_warp,  \
                                    bool exclusive, const T* init, bool has_init, bool in_place, size_t to, \
                                    T* out) {                                                               \
    scan_short_rows<T, OP>((in_place ? out : x) + from, OP{},                                               \
                           {rows, static_cast<unsigned>(length), of_warp}, exclusive,                       \
                           prefix_of_first(has_init ? init : nullptr)[0], out + to);                        \
  }
SHORT_ROWS(sum, int, plus)
SHORT_ROWS(compositions, map_of_line, composition)
SHORT_ROWS(bytes, unsigned char, plus)
SHORT_ROWS(sums, three_sums, add_three)
SHORT_ROWS(floats, float, plus)
SHORT_ROWS(doubles, double, plus)
SHORT_ROWS(maxima, float, maximum)
SHORT_ROWS(wide, wide_sum, add_wide)
using three_columns = order::row_of_columns<float, 3>;
using two_columns = order::row_of_columns<double, 2>;
SHORT_ROWS(three_columns, three_columns, order::on_columns<plus>)
SHORT_ROWS(two_columns, two_columns, order::on_columns<plus>)

// Elements that are not aligned to 16 bytes.
__global__ void short_rows_behind_a_word(unsigned* words, size_t rows, size_t length, unsigned of_warp) {
  map_of_line* const x = reinterpret_cast<map_of_line*>(words + 1);
  scan_short_rows<map_of_line, composition>(x, composition{}, {rows, static_cast<unsigned>(length), of_warp},
                                            false, prefix_of_first<map_of_line>(nullptr)[0], x);
}

// As scan_columns_by() launches it.
template <class Columns, class T, class Op>
__device__ void scan_columns_down(const T* x, Op op, column_tiling<Columns> shape, bool exclusive,
                                  segment_prefixes<T> before, T* out) {
  if constexpr (sizeof(T) <= 16) {
    if (shape.all.length <= few_rows_to_scan)
      return scan_down<true>(x, op, shape, exclusive, false, before, out);
  }
  scan_down<false>(x, op, shape, exclusive, false, before, out);
}

#define DOWN(NAME, COLUMNS, T, OP)                                                                         \
  __global__ void down_##NAME(const T* x, size_t outer, size_t length, size_t inner, size_t part_rows,     \
                              unsigned width, bool exclusive, const T* init, bool has_init,                \
                              const T* prefixes, bool in_place, T* out) {                                  \
    auto before = prefix_of_first(has_init ? init : nullptr);                                              \
    if (part_rows < length) before[0].prefixes = prefixes;                                                 \
    scan_columns_down<COLUMNS<T>, T>(in_place ? out : x, OP{}, {{outer, length, inner}, part_rows, width}, \
                                     exclusive, before[0], out);                                           \
  }
DOWN(sum, element_columns, int, plus)
DOWN(sum_vectors, vector_columns, int, plus)
DOWN(compositions, element_columns, map_of_line, composition)
DOWN(compositions_vectors, vector_columns, map_of_line, composition)
DOWN(bytes_vectors, vector_columns, unsigned char, plus)
DOWN(signed_vectors, vector_columns, signed char, largest_packed)
DOWN(sums, element_columns, three_sums, add_three)
DOWN(floats, element_columns, float, plus)
DOWN(floats_vectors, vector_columns, float, plus)
DOWN(doubles, element_columns, double, plus)
DOWN(doubles_vectors, vector_columns, double, plus)
DOWN(maxima_vectors, vector_columns, float, maximum)
DOWN(wide, element_columns, wide_sum, add_wide)

// What the parts of columns combine to, and what is before each.
#define PARTS(NAME, COLUMNS, T, OP)                                                                       \
  __global__ void totals_##NAME(const T* x, size_t outer, size_t length, size_t inner, size_t part_rows,  \
                                unsigned width, T* out) {                                                 \
    scan_down<false>(x, OP{}, column_tiling<COLUMNS<T>>({outer, length, inner}, part_rows, width), false, \
                     true, prefix_of_first<T>(nullptr)[0], out);                                          \
  }                                                                                                       \
  __global__ void parts_##NAME(size_t outer, size_t parts, size_t inner, unsigned group, const T* init,   \
                               bool has_init, const T* before_groups, bool combines, T* totals, T* out) { \
    auto before = prefix_of_first(has_init ? init : nullptr);                                             \
    if (group < parts) before[0].prefixes = before_groups;                                                \
    if (combines) {                                                                                       \
      combine_parts<true, T>(totals, OP{}, {outer, parts, inner}, group, before[0], out);                 \
    } else {                                                                                              \
      combine_parts<false, T>(totals, OP{}, {outer, parts, inner}, group, before[0], totals);             \
    }                                                                                                     \
  }
PARTS(floats, element_columns, float, plus)
PARTS(floats_vectors, vector_columns, float, plus)
PARTS(doubles, element_columns, double, plus)
PARTS(doubles_vectors, vector_columns, double, plus)
PARTS(wide, element_columns, wide_sum, add_wide)

#define TALL_COLUMNS(NAME, PANELS, T, OP)                                                               \
  __global__ void tall_columns_##NAME(                                                                  \
      const T* x, size_t from, size_t outer, size_t length, size_t inner, unsigned groups,              \
      unsigned rows_of_thread, unsigned concurrent_tiles, bool exclusive, const T* init, bool has_init, \
      unsigned long long* scratch, unsigned* requests, bool in_place, size_t to, T* out) {              \
    column_tiles<T, PANELS> shape({outer, length, inner}, 132, !order::any_scan_order<T, OP>);          \
    shape.cut(groups, rows_of_thread, concurrent_tiles);                                                \
    columns_work<T, PANELS> work{(in_place ? out : x) + from, out + to, shape, exclusive, has_init, {}, \
                                 states_of(scratch),          requests};                                \
    if (has_init) work.init[0] = *init;                                                                 \
    tall_columns_scan<T, PANELS, OP>(work, OP{});                                                       \
  }
TALL_COLUMNS(sum, false, int, plus)
TALL_COLUMNS(sum_panels, true, int, plus)
TALL_COLUMNS(compositions, false, map_of_line, composition)
TALL_COLUMNS(floats, false, float, plus)
TALL_COLUMNS(floats_panels, true, float, plus)
TALL_COLUMNS(doubles, false, double, plus)
TALL_COLUMNS(maxima, false, float, maximum)

// A tile in shared memory, `shift` bytes behind a multiple of 16, for the two warps of a block; what is
// around its elements is anything.
#define TILE(NAME, T, OP)                                                                                  \
  __global__ void tile_##NAME(const T* x, unsigned shift, unsigned skipped, unsigned count, unsigned rows, \
                              bool exclusive, const T* init, bool has_prefix, size_t to, T* out) {         \
    using tile_type = striped_tile<T, OP, scan_tuning<T>::rows, true>;                                     \
    constexpr unsigned warps = 2,                                                                          \
                       bytes = warps * scan_tuning<T>::rows * tile_type::row_elements * sizeof(T);         \
    __shared__ __align__(16) unsigned char stage[bytes + 32], exchange[warps * exchange_bytes<T>];         \
    __shared__ T warp_total[warps];                                                                        \
    for (unsigned b = threadIdx.x; b < bytes + 32; b += blockDim.x) stage[b] = 0x5a;                       \
    __syncthreads();                                                                                       \
    T* const elements = reinterpret_cast<T*>(stage + shift);                                               \
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) elements[skipped + i] = x[i];               \
    __syncthreads();                                                                                       \
    const unsigned warp = threadIdx.x / warp_size;                                                         \
    const tile_range tile{0, 0, 0, count, skipped, true};                                                  \
    const OP op;                                                                                           \
    tile_type mine(warp, rows);                                                                            \
    mine.drop_rows_past(tile);                                                                             \
    mine.load(elements, tile, tile.fills(warps * rows * tile_type::row_elements), op);                     \
    const T total = mine.scan(op);                                                                         \
    if (threadIdx.x % warp_size == 0) warp_total[warp] = total;                                            \
    __syncthreads();                                                                                       \
    T prefix = *init;                                                                                      \
    if (warp > 0) append_block(has_prefix, prefix, warp_total[0], op);                                     \
    mine.write(out + to - skipped, tile, exclusive, has_prefix, prefix, op,                                \
               exchange + warp * exchange_bytes<T>);                                                       \
  }
TILE(sum, int, plus)
TILE(compositions, map_of_line, composition)
TILE(sums, three_sums, add_three)
TILE(bytes, unsigned char, plus)
TILE(signed_bytes, signed char, largest_packed)
TILE(largest, short, maximum)
TILE(maxima, double, maximum)
