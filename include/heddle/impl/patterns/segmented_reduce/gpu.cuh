#pragma once

#include <heddle/impl/patterns/reduce/gpu/reduce.cuh>

#include <algorithm>
#include <cstddef>
#include <cstdint>

/// Segments of one array, each reduced by itself, in the order of order.hpp. A warp takes several short
/// segments through shared memory at once, or one of at most a tile by itself. Longer ones it puts on a list,
/// whose tiles are reduced by a warp each; their results are shorter segments, for which the same is done.
namespace heddle::gpu {

/// Elements first … first + count − 1, whose result is element `result` of the output.
struct one_segment {
  std::size_t first, count, result;
};

/// A segment of several tiles, the first of which is tile `first_tile` of all on the list.
struct listed_segment {
  one_segment segment;
  std::size_t first_tile;
};

/// How many segments are on a list, and how many tiles they have, in the upper and the lower half of a word:
/// both grow at once, so segments are in the order of their tiles.
using list_counter = unsigned long long;
__device__ inline std::size_t segments_counted(list_counter counter) {
  return counter >> 32;
}
__device__ inline std::size_t tiles_counted(list_counter counter) {
  return counter & 0xffffffffu;
}

/// A list in GPU memory that warps append to. Its order differs from run to run; results do not.
struct segment_list {
  listed_segment* segments;
  list_counter* counter;  ///< zero at first

  /// Appends the segments of those threads of a warp that have one, cut into tiles; the whole warp calls it.
  __device__ void append(bool has_one, const one_segment& mine, std::size_t tile) const {
    const unsigned having = __ballot_sync(whole_warp, has_one);
    if (having == 0) return;
    const unsigned lane = threadIdx.x % warp_size;
    const std::size_t tiles = has_one ? (mine.count + tile - 1) / tile : 0;
    const std::size_t up_to_here = scan_warp(tiles, plus{});
    list_counter before = 0;
    if (lane == warp_size - 1)
      before = atomicAdd(counter, list_counter{static_cast<unsigned>(__popc(having))} << 32 | up_to_here);
    before = shuffle_from(before, warp_size - 1);
    if (has_one) {
      const unsigned place = static_cast<unsigned>(__popc(having & ((1u << lane) - 1)));
      segments[segments_counted(before) + place] = {mine, tiles_counted(before) + up_to_here - tiles};
    }
  }
};

/// The segments to reduce: between offsets, or the results of the tiles of listed ones.
struct segments_to_reduce {
  const std::size_t* offsets;
  std::size_t count;
  segment_list listed;
  std::size_t tile;

  __device__ std::size_t size() const {
    return offsets != nullptr ? count : segments_counted(*listed.counter);
  }
  __device__ one_segment operator[](std::size_t s) const {
    if (offsets != nullptr) return {offsets[s], offsets[s + 1] - offsets[s], s};
    const listed_segment& of = listed.segments[s];
    return {of.first_tile, (of.segment.count + tile - 1) / tile, of.segment.result};
  }
};

/// The tiles of listed segments, as reduce_rows takes them.
struct tiles_of_listed {
  segment_list listed;
  std::size_t tile;

  __device__ std::size_t pieces() const { return tiles_counted(*listed.counter); }
  __device__ order::piece operator[](std::size_t index) const {
    // The last segment that begins at this tile or before it.
    std::size_t low = 0, high = segments_counted(*listed.counter);
    while (high - low > 1) {
      const std::size_t middle = low + (high - low) / 2;
      if (listed.segments[middle].first_tile <= index) {
        low = middle;
      } else {
        high = middle;
      }
    }
    const listed_segment& of = listed.segments[low];
    const std::size_t part = index - of.first_tile, left = of.segment.count - part * tile;
    return {of.segment.first + part * tile, left < tile ? left : tile, 1, 1, index, part};
  }
};

inline constexpr unsigned reduce_segments_warps = 4;
/// What a warp copies to shared memory at once, with the rest of the first and the last vector.
inline constexpr unsigned segments_bytes = 2048, segments_stage_bytes = segments_bytes + 48;
static_assert(segments_stage_bytes % 16 == 0 && segments_stage_bytes >= segments_bytes + 2 * 15);

/// Reduces segments of at most a tile of the n elements of x, `at_once` neighbours by a warp, and lists
/// longer ones. Results of segments without elements stay as they are.
template <class T, class Op>
__global__ void __launch_bounds__(reduce_segments_warps* warp_size)
    reduce_segments(const T* x, std::size_t n, Op op, segments_to_reduce segments, unsigned at_once,
                    segment_list longer, T* out) {
  extern __shared__ __align__(128) unsigned char stages[];
  constexpr std::size_t tile = order::tile<T, Op>;
  const unsigned warp = threadIdx.x / warp_size, lane = threadIdx.x % warp_size;
  const std::size_t stride = std::size_t{gridDim.x} * reduce_segments_warps * at_once, size = segments.size();
  for (std::size_t base = (std::size_t{blockIdx.x} * reduce_segments_warps + warp) * at_once; base < size;
       base += stride) {
    const unsigned some = size - base < at_once ? static_cast<unsigned>(size - base) : at_once;
    one_segment mine{0, 0, 0};
    if (lane < some) mine = segments[base + lane];
    const bool is_long = mine.count > tile;
    longer.append(is_long, mine, tile);
    if constexpr (sizeof(T) <= 16) {
      const std::size_t first = shuffle_from(mine.first, 0),
                        end = shuffle_from(mine.first + mine.count, some - 1);
      if (at_once > 1 && (end - first) * sizeof(T) <= segments_bytes && !__any_sync(whole_warp, is_long)) {
        const T* const staged = load_elements(x, n, first, static_cast<unsigned>(end - first),
                                              stages + warp * segments_stage_bytes);
        constexpr unsigned items = elements_of_lane<T, Op>;
        unsigned group = 1;
        while (group < largest_group<T, Op> && __any_sync(whole_warp, mine.count > group * items)) group *= 2;
        for (unsigned next = 0; next < some; next += warp_size / group) {
          const unsigned s = next + lane / group, from = s < some ? s : some - 1;
          const unsigned count = shuffle_from(static_cast<unsigned>(mine.count), from);
          const unsigned at = shuffle_from(static_cast<unsigned>(mine.first - first), from);
          const std::size_t result = shuffle_from(mine.result, from);
          const T sum = reduce_short_row(staged + at, count, lane % group, group, op);
          if (lane % group == 0 && s < some && count > 0) out[result] = order::canonical(sum);
        }
        __syncwarp();
        continue;
      }
    }
    for (unsigned s = 0; s < some; ++s) {
      const one_segment of = shuffle_from(mine, s);
      if (of.count == 0 || of.count > tile) continue;
      const T sum = reduce_neighbours<T>(impl::element_at<T, Op>{x}, of.first, of.count, op);
      if (lane == 0) out[of.result] = sum;
    }
  }
}

/// Reduces elements offsets[s] … offsets[s + 1] − 1 of the n elements of x to out[s] for `count` segments, on
/// the GPU's stream: one launch, and two for each factor of `tile` in n.
template <class T, class Op>
void segmented_reduce(const target& where, const T* x, std::size_t n, const Op& op,
                      const std::size_t* offsets, std::size_t count, T* out) {
  const current_device on(where);
  constexpr std::size_t tile = order::tile<T, Op>;
  // Segments of more than a tile, and their tiles: a segment has at most one that is not full.
  const std::size_t most_listed = n / tile, most_tiles = 2 * most_listed;
  constexpr unsigned most_levels = 64;
  const memory counters(most_levels * sizeof(list_counter), where);
  if (most_listed > 0)
    check(cudaMemsetAsync(counters.data(), 0, counters.bytes(), where.stream()), "cudaMemsetAsync");
  const auto list = [&](const memory& storage, unsigned level) {
    return segment_list{static_cast<listed_segment*>(storage.data()),
                        static_cast<list_counter*>(counters.data()) + level};
  };
  const auto reduce_serially = [&](const T* elements, std::size_t size, const segments_to_reduce& segments,
                                   unsigned at_once, const segment_list& longer) {
    const unsigned grid = grid_for(segments.count, std::size_t{at_once} * reduce_segments_warps);
    const unsigned bytes = at_once > 1 ? reduce_segments_warps * segments_stage_bytes : 0;
    reduce_segments<T, Op><<<grid, reduce_segments_warps * warp_size, bytes, where.stream()>>>(
        elements, size, op, segments, at_once, longer, out);
    check(cudaGetLastError(), "launch of reduce_segments");
  };

  // As many segments at once as are expected to fill half of what a warp copies.
  unsigned at_once = sizeof(T) <= 16 ? warp_size : 1;
  while (at_once > 1 && n / count * sizeof(T) * at_once > segments_bytes / 2) at_once /= 2;
  memory listed(most_listed * sizeof(listed_segment), where), partials;
  reduce_serially(x, n, {offsets, count, {}, tile}, at_once, list(listed, 0));
  unsigned level = 0;
  for (std::size_t longest = n; longest > tile; ++level) {
    longest = (longest + tile - 1) / tile;
    memory results(most_tiles * sizeof(T), where);
    T* const to = static_cast<T*>(results.data());
    launch_reduce_rows(where, impl::element_at<T, Op>{x}, op, tiles_of_listed{list(listed, level), tile},
                       most_tiles, to);
    memory listed_again(most_listed * sizeof(listed_segment), where);
    reduce_serially(to, most_tiles, {nullptr, most_listed, list(listed, level), tile}, 1,
                    list(listed_again, level + 1));
    partials = std::move(results);
    listed = std::move(listed_again);
    x = to;
  }
}

}  // namespace heddle::gpu
