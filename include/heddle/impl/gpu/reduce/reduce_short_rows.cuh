#pragma once

#include <heddle/impl/elementwise.hpp>
#include <heddle/impl/gpu/arch/launch.cuh>
#include <heddle/impl/gpu/block/rows_in_vectors.cuh>
#include <heddle/impl/gpu/block/short_rows.cuh>
#include <heddle/impl/gpu/block/vec16.cuh>
#include <heddle/impl/gpu/warp/packed16_op.cuh>
#include <heddle/impl/gpu/warp/warp.cuh>
#include <heddle/impl/order.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

/// Reductions of short rows, of which a warp takes several: through shared memory, a group of lanes to a row
/// in the order of grouping.hpp, or, of integers of one and two bytes, from registers, in packs in which rows
/// end anywhere.
namespace heddle::gpu {

/// Integers of one and two bytes are folded in any order: larger ones take no longer in the order of
/// grouping.hpp.
template <class T, class Op>
inline constexpr bool reduces_in_any_order = order::order_is_free<T, Op> && sizeof(T) <= 2;

/// Elements of a row that a lane of its group folds side by side, a power of two: 32 bytes of them, and two
/// where they are large or a row of grouping.hpp has 32 lanes.
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

/// Lanes that share a row: the least power of two that holds its elements, and twice as many for rows of a
/// power of two of which many begin in the same banks of shared memory.
template <class T, class Op>
unsigned lanes_of_short_row(std::size_t length) {
  constexpr std::size_t all_banks = 128;
  const bool begins_in_few_banks =
      std::has_single_bit(length) && length * sizeof(T) <= all_banks && !reduces_in_any_order<T, Op>;
  const std::size_t held = elements_of_lane<T, Op> / (begins_in_few_banks ? 2 : 1);
  unsigned group = 1;
  while (group < largest_group<T, Op> && group * held < length) group *= 2;
  return group;
}

/// Folds a row of at most a tile by the lanes of a group, which this is the `thread`th of; the result is in
/// the first.
template <class T, class Op>
__device__ T reduce_short_row(const T* row, unsigned count, unsigned thread, unsigned group, const Op& op) {
  constexpr unsigned held = elements_of_lane<T, Op>, lanes = order::accumulators<T, Op>;
  auto load = [&](unsigned i) { return impl::lift<Op>(row[i]); };
  if constexpr (reduces_in_any_order<T, Op>) {
    T sum = 0;
    if (thread < count) sum = load(thread);
    for (unsigned i = thread + group; i < count; i += group) sum = op(sum, load(i));
    for (unsigned half = group / 2; half > 0; half /= 2) {
      const T other = shuffle_down(sum, half);
      if (thread < half && thread + half < count) sum = op(sum, other);
    }
    return sum;
  } else if constexpr (order::striped<T, Op>) {
    order::uninitialized<T, held> sum;
    const unsigned active = count < lanes ? count : lanes;
    const auto combine = [&](unsigned lane, T& to, const T& other) {
      if (order::has_filler<T, Op> || lane < active) to = op(to, other);
    };
    const T* next = row + thread;
    unsigned lane = thread;
#pragma unroll
    for (unsigned v = 0; v < held; ++v, next += group, lane += group) {
      if constexpr (order::has_filler<T, Op>) sum[v] = order::filler<T>(op);
      if (lane < active) sum[v] = impl::lift<Op>(*next);
    }
    for (unsigned first = lanes; first < count; first += lanes) {
      next = row + first + thread;
      lane = first + thread;
#pragma unroll
      for (unsigned v = 0; v < held; ++v, next += group, lane += group) {
        if (lane < count) sum[v] = op(sum[v], impl::lift<Op>(*next));
      }
    }
    tree_reduce<held>(
        [&](unsigned v, unsigned other) { combine(other * group + thread, sum[v], sum[other]); });
#pragma unroll
    for (unsigned half = largest_group<T, Op> / 2; half > 0; half /= 2) {
      if (half >= group) continue;
      const T other = shuffle_down(sum[0], half);
      if (order::has_filler<T, Op> || thread < half) combine(thread + half, sum[0], other);
    }
    return sum[0];
  } else {
    const unsigned active = (count + held - 1) / held, first = thread * held;
    order::uninitialized<T, 1> sum;
    if (thread < active) {
      sum[0] = load(first);
      for (unsigned i = first + 1; i < first + held && i < count; ++i) sum[0] = op(sum[0], load(i));
    }
    for (unsigned step = 1; step < group; step *= 2) {
      const T other = shuffle_down(sum[0], step);
      if (thread % (2 * step) == 0 && thread + step < active) sum[0] = op(sum[0], other);
    }
    return sum[0];
  }
}

/// A warp folds several rows at a time.
template <class T, class Op>
__global__ void __launch_bounds__(short_rows_warps* warp_size)
    reduce_short_rows(const T* x, Op op, short_rows shape, T* out) {
  extern __shared__ __align__(128) unsigned char stages[];
  const unsigned warp = threadIdx.x / warp_size, lane = threadIdx.x % warp_size;
  const unsigned group = 1u << shape.log2_group, thread = lane & (group - 1);
  unsigned char* const stage = stages + warp * shape.stage_bytes<T>();
  const std::size_t stride = std::size_t{gridDim.x} * short_rows_warps * shape.at_once;
  for (std::size_t base = (std::size_t{blockIdx.x} * short_rows_warps + warp) * shape.at_once;
       base < shape.rows; base += stride) {
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

/// What a pack is folded to where a row ends in it: its elements before that, and those behind it.
template <class T>
struct reduced_vector {
  T before, behind;
};

/// Packs are folded as words, by what processors do with several elements at once.
template <class T, class Op>
inline constexpr bool reduces_words = adds_small_integers<T, Op> || packed16_op<T, Op>::exist;
template <class T, class Op>
inline constexpr bool reduces_vectors_of_rows =
    reduces_in_any_order<T, Op> && vectors_are_16_bytes<T> && reduces_words<T, Op>;

/// Folds the words of a pack, in any order.
template <class T, class Op>
__device__ T reduce_words(const vector_words& words, const Op& op) {
  if constexpr (adds_small_integers<T, Op>) {
    return static_cast<T>(add_small_integers<T>(&words, 0));
  } else {
    order::uninitialized<T, items_per_vector<T>> x;
    memcpy(&x, &words, sizeof x);
    packed_total<T, Op> total;
    total.append(x, op);
    return total.get(op);
  }
}

/// Folds the first `taken` elements of a pack and the others, in any order.
template <class T, class Op>
__device__ reduced_vector<T> reduce_vector(const vector_words& x, unsigned taken, const Op& op) {
  const std::uint32_t nothing = broadcast_packed(order::neutral<T>(op));
  vector_words before, behind;
#pragma unroll
  for (unsigned w = 0; w < words_per_vector; ++w) {
    const unsigned bytes = taken * static_cast<unsigned>(sizeof(T)), in_word = bytes - min(bytes, 4 * w);
    const std::uint32_t rest = __funnelshift_lc(0, ~0u, 8 * in_word);
    before.word[w] = (x.word[w] & ~rest) | (nothing & rest);
    behind.word[w] = (x.word[w] & rest) | (nothing & ~rest);
  }
  return {reduce_words<T>(before, op), reduce_words<T>(behind, op)};
}

/// As reduce_short_rows for rows of a pack and more in any order: the lanes of a warp take packs
/// side by side, in each of which one row ends at most.
template <class T, class Op>
__global__ void __launch_bounds__(rows_in_vectors_threads)
    reduce_rows_in_vectors(const T* x, Op op, rows_for_warps shape, T* out) {
  static_assert(reduces_vectors_of_rows<T, Op>);
  constexpr unsigned vector = items_per_vector<T>, across = warp_size * vector, ahead = 4;
  const unsigned lane = threadIdx.x % warp_size;
  const unsigned reach = shape.reach<T>();
  for_rows_of_warp(shape, [&](std::size_t first, unsigned count) {
    const T* const from = x + first;
    T* result = out + first / shape.length;
    const unsigned skipped = misalignment16(from) / static_cast<unsigned>(sizeof(T));
    const unsigned end = skipped + count;
    const auto load = [&](unsigned place) {
      if (place - skipped < count && place + vector <= end) {  // before the first they are large
        vector_words words;
        copy_vector<T>(&words, from + (place - skipped));
        return words;
      }
      order::uninitialized<T, vector> some;
#pragma unroll
      for (unsigned k = 0; k < vector; ++k) {
        const bool is_there = place + k - skipped < count;
        some[k] = is_there ? from[place + k - skipped] : order::neutral<T>(op);
      }
      vector_words words;
      memcpy(&words, &some, sizeof words);
      return words;
    };
    row_starts_in_vectors<vector> starts_of_lane(shape.length, skipped);
    // What stands before the next lane of the row that is open, and what each lane has of it behind that.
    T carry = order::neutral<T>(op), open = carry;
    bool is_open = false;
    for (unsigned begin = 0; begin < end; begin += ahead * across) {
      vector_words held[ahead];
#pragma unroll
      for (unsigned r = 0; r < ahead; ++r) {
        if (begin + r * across < end) held[r] = load(begin + r * across + lane * vector);
      }
#pragma unroll
      for (unsigned r = 0; r < ahead; ++r) {
        if (begin + r * across >= end) break;
        // Rows end where others begin; none ends before the first one.
        const unsigned place = begin + r * across + lane * vector, starts = starts_of_lane.take() & ~1u;
        const unsigned taken = __ffs(starts) - 1u;
        const bool ends = starts != 0 && place + taken > skipped && place + taken <= end;
        const unsigned ending = __ballot_sync(whole_warp, ends);
        if (ending == 0) {
          const T next = reduce_vector<T>(held[r], 0, op).behind;
          open = is_open ? op(open, next) : next;
          is_open = true;
          continue;
        }
        if (is_open) {
#pragma unroll
          for (unsigned half = warp_size / 2; half > 0; half /= 2)
            open = op(open, shuffle_from(open, lane ^ half));
          carry = op(carry, open);
          is_open = false;
        }
        const reduced_vector<T> reduced = reduce_vector<T>(held[r], ends ? taken : 0, op);
        T sum = reduced.behind;
        if (lane == 0 && !ends) sum = op(carry, sum);
        sum = scan_rows_of_lanes(sum, ending, reach, op);
        const T left = shuffle_up(sum, 1);
        const T before = lane > 0 ? left : carry;
        carry = shuffle_from(sum, warp_size - 1);
        if (ends) result[__popc(ending & ((1u << lane) - 1))] = op(before, reduced.before);
        result += __popc(ending);
      }
    }
  });
}

/// Reduces rows of at most 2 KiB.
template <class T, class Op>
void reduce_rows_of(const target& where, const T* x, const Op& op, std::size_t rows, std::size_t length,
                    T* out) {
  if constexpr (reduces_vectors_of_rows<T, Op>) {
    if (length >= items_per_vector<T>) {
      const rows_for_warps shape = share_rows<T>(rows, length);
      reduce_rows_in_vectors<<<grid_for_rows(shape), rows_in_vectors_threads, 0, where.stream()>>>(
          x, op, shape, out);
      return check(cudaGetLastError(), "launch of reduce_rows_in_vectors");
    }
  }
  const auto shape = shape_short_rows<T>(rows, length, lanes_of_short_row<T, Op>(length));
  launch_short_rows<T>(where, reduce_short_rows<T, Op>, "launch of reduce_short_rows", shape, x, op, shape,
                       out);
}

}  // namespace heddle::gpu
