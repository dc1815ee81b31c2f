#pragma once

#include <heddle/impl/core/elementwise.hpp>
#include <heddle/impl/core/order.hpp>
#include <heddle/impl/gpu/arch/launch.cuh>
#include <heddle/impl/gpu/block/load_elements.cuh>
#include <heddle/impl/gpu/block/vec16.cuh>
#include <heddle/impl/gpu/warp/packed16_op.cuh>
#include <heddle/impl/gpu/warp/warp.cuh>
#include <heddle/impl/patterns/reduce/gpu/reduce_tile.cuh>
#include <heddle/impl/patterns/reduce/gpu/tuning.cuh>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

/// Reductions of short rows: a warp copies several of them to shared memory at once, in vectors of 16 bytes.
namespace heddle::gpu {

/// Integers of 1 and 2 bytes are combined in any order. Larger ones are as fast in the order of order.hpp.
template <class T, class Op>
inline constexpr bool reduces_in_any_order = order::order_is_free<T, Op> && sizeof(T) <= 2;

/// Accumulators of a lane, a power of two: 32 bytes of them, or two of large elements. If the operator does
/// not commute, the elements of one accumulator.
template <class T, class Op>
inline constexpr unsigned elements_of_lane =
    !order::striped<T, Op>                             ? order::rows
    : reduces_in_any_order<T, Op>                      ? 16 / sizeof(T)
    : std::has_single_bit(sizeof(T)) && sizeof(T) <= 8 ? 32 / sizeof(T)
                                                       : 2;

/// The most lanes that share a row, a power of two.
template <class T, class Op>
inline constexpr unsigned largest_group =
    order::striped<T, Op> ? order::accumulators<T, Op> / elements_of_lane<T, Op> : warp_size;

/// Lanes that share a row: the least power of two that suffices for its elements, and twice as many for rows
/// of a power of two of elements, which would cause bank conflicts.
template <class T, class Op>
unsigned lanes_of_short_row(std::size_t length) {
  constexpr std::size_t all_banks = 128;
  const bool begins_in_few_banks =
      std::has_single_bit(length) && length * sizeof(T) <= all_banks && !reduces_in_any_order<T, Op>;
  const std::size_t items = elements_of_lane<T, Op> / (begins_in_few_banks ? 2 : 1);
  unsigned group = 1;
  while (group < largest_group<T, Op> && group * items < length) group *= 2;
  return group;
}

/// Reduces a row of 1- or 2-byte integers, at most a tile, in any order, a word at a time.
template <class T, class Op>
__device__ T reduce_packed_row(const T* row, unsigned count, unsigned thread, unsigned group, const Op& op) {
  const unsigned past = misalignment16(row) % 4, end = past + count * static_cast<unsigned>(sizeof(T));
  const unsigned words = count > 0 ? (end + 3) / 4 : 0;
  const auto* const from =
      reinterpret_cast<const std::uint32_t*>(reinterpret_cast<const unsigned char*>(row) - past);
  const std::uint32_t identity = broadcast_packed(order::identity<T>(op));
  std::conditional_t<adds_small_integers<T, Op>, unsigned, packed_total<T, Op>> total{};
  for (unsigned w = thread; w < words; w += group) {
    std::uint32_t of_row = w == 0 ? ~0u << 8 * past : ~0u;
    if (4 * w + 4 > end) of_row &= ~0u >> 8 * (4 * w + 4 - end);
    const std::uint32_t word = (from[w] & of_row) | (identity & ~of_row);
    if constexpr (adds_small_integers<T, Op>) {
      total = add_small_integers<T>(word, total);
    } else {
      total.append(word, op);
    }
  }
  T sum;
  if constexpr (adds_small_integers<T, Op>) {
    sum = static_cast<T>(total);
  } else {
    sum = total.get(op);
  }
  for (unsigned half = group / 2; half > 0; half /= 2) sum = op(sum, shuffle_down(sum, half));
  return sum;
}

/// Reduces a row of at most a tile by the lanes of a group, of which this is lane `thread`; the result is in
/// the first.
template <class T, class Op>
__device__ T reduce_short_row(const T* row, unsigned count, unsigned thread, unsigned group, const Op& op) {
  const auto load = [&](unsigned i) { return impl::lift<Op>(row[i]); };
  if constexpr (reduces_in_any_order<T, Op> && (adds_small_integers<T, Op> || packed16_op<T, Op>::exist)) {
    return reduce_packed_row(row, count, thread, group, op);
  } else if constexpr (reduces_in_any_order<T, Op>) {
    T sum = order::identity<T>(op);
    for (unsigned i = thread; i < count; i += group) sum = op(sum, load(i));
    for (unsigned half = group / 2; half > 0; half /= 2) sum = op(sum, shuffle_down(sum, half));
    return sum;
  } else {
    return reduce_by_lanes<elements_of_lane<T, Op>, T>(load, count, thread, group, op);
  }
}

/// How a warp takes rows of `length` elements.
struct short_rows {
  std::size_t rows;
  unsigned length;
  unsigned at_once;     ///< rows that a warp copies at a time
  unsigned log2_group;  ///< of the number of lanes that share a row, a power of two

  /// Shared memory of a warp: the rows, and the rest of their first and last vector.
  template <class T>
  HD_INLINE unsigned stage_bytes() const {
    return (at_once * length * static_cast<unsigned>(sizeof(T)) + 48) / 16 * 16;
  }
};

/// Rows of `length` elements of T, each shared by a group of lanes, for warps that copy about 4 KiB at a
/// time, or 2 KiB where more would leave multiprocessors without any.
template <class T>
short_rows shape_short_rows(std::size_t rows, std::size_t length, unsigned group) {
  short_rows shape{rows, static_cast<unsigned>(length), 0, static_cast<unsigned>(std::countr_zero(group))};
  const std::size_t row = length * sizeof(T), wanted = rows * row < (std::size_t{1} << 24) ? 2048 : 4096;
  const unsigned a_step = warp_size / group;
  const std::size_t steps = wanted / (row * a_step);
  shape.at_once = a_step * static_cast<unsigned>(steps > 1 ? steps : 1);
  return shape;
}

/// A warp reduces several rows at a time from shared memory, a group of its lanes to each row.
template <class T, class Op>
__global__ void __launch_bounds__(reduce_tuning<T, Op>::short_rows_threads,
                                  reduce_tuning<T, Op>::short_rows_blocks)
    reduce_short_rows(const T* x, Op op, short_rows shape, T* out) {
  constexpr unsigned warps = reduce_tuning<T, Op>::short_rows_threads / warp_size;
  extern __shared__ __align__(128) unsigned char stages[];
  const unsigned warp = threadIdx.x / warp_size, lane = threadIdx.x % warp_size;
  const unsigned group = 1u << shape.log2_group, thread = lane & (group - 1);
  unsigned char* const stage = stages + warp * shape.stage_bytes<T>();
  const std::size_t stride = std::size_t{gridDim.x} * warps * shape.at_once;
  for (std::size_t base = (std::size_t{blockIdx.x} * warps + warp) * shape.at_once; base < shape.rows;
       base += stride) {
    const std::size_t left = shape.rows - base;
    const unsigned rows = left < shape.at_once ? static_cast<unsigned>(left) : shape.at_once;
    const T* const staged =
        load_elements(x, shape.rows * shape.length, base * shape.length, rows * shape.length, stage);
    T* const results = out + base;
    for (unsigned first = 0; first < rows; first += warp_size >> shape.log2_group) {
      const unsigned row = first + (lane >> shape.log2_group);
      const T sum =
          reduce_short_row(staged + min(row, rows - 1) * shape.length, shape.length, thread, group, op);
      if (thread == 0 && row < rows) results[row] = order::canonical(sum);
    }
    __syncwarp();
  }
}

template <class T, class Op>
void launch_reduce_short_rows(const target& where, const T* x, const Op& op, std::size_t rows,
                              std::size_t length, T* out) {
  constexpr unsigned threads = reduce_tuning<T, Op>::short_rows_threads, warps = threads / warp_size;
  const short_rows shape = shape_short_rows<T>(rows, length, lanes_of_short_row<T, Op>(length));
  reduce_short_rows<T, Op><<<grid_for(rows, std::size_t{shape.at_once} * warps), threads,
                             warps * shape.stage_bytes<T>(), where.stream()>>>(x, op, shape, out);
  check(cudaGetLastError(), "launch of reduce_short_rows");
}

}  // namespace heddle::gpu
