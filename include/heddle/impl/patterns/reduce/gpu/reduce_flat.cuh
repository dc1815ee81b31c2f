#pragma once

#include <heddle/array.hpp>
#include <heddle/impl/core/order.hpp>
#include <heddle/impl/gpu/arch/launch.cuh>
#include <heddle/impl/gpu/block/tile_state.cuh>
#include <heddle/impl/gpu/temp_storage.cuh>
#include <heddle/impl/gpu/warp/warp.cuh>
#include <heddle/impl/patterns/reduce/gpu/reduce_tile.cuh>
#include <heddle/impl/patterns/reduce/gpu/tuning.cuh>

#include <algorithm>
#include <cstddef>

/// Reduction of a whole array in one launch.
namespace heddle::gpu {

/// Elements from the aggregates of a level of tiles to those of the next, which keep an alignment of 16
/// bytes.
HD_INLINE std::size_t to_next_level(std::size_t in_level) {
  return (in_level + 15) / 16 * 16;
}

/// Where tiles put their aggregates.
template <class T>
struct reduce_flat_storage {
  tile_state published;  ///< up to gathered_results of them, which one block gathers
  T* level_results;      ///< more of them: those of each level, one after another
  unsigned* counters;    ///< zero before the launch and after it
};

/// Waits for the aggregates of `count` tiles and writes them to `out`, by all warps of a block.
template <unsigned Threads, class T>
__device__ void gather_results(const tile_state& states, unsigned count, T* out) {
  constexpr unsigned rows = words_of<T> <= 4 ? 4 : 1;
  const unsigned lane = threadIdx.x % warp_size;
  for (unsigned first = threadIdx.x / warp_size * rows * warp_size; first < count; first += Threads * rows) {
    const unsigned here = min(count - first, rows * warp_size);
    order::uninitialized<T, rows> result;
    wait_aggregates<rows>(states, count, first, here, 0, result);
#pragma unroll
    for (unsigned r = 0; r < rows; ++r) {
      if (r * warp_size + lane < here) out[first + r * warp_size + lane] = result[r];
    }
  }
}

/// Reduces load(0) … load(n−1) in one launch. A block reduces consecutive tiles. If there are few, it
/// publishes their results, and the block that started last waits for all and reduces them. Otherwise
/// counters say which tiles of results are complete; the warp that completes one reduces it, and so on up to
/// the last result, which does not depend on which warps these are.
template <class T, class Load, class Op>
__global__ void __launch_bounds__(reduce_tuning<T, Op>::whole_threads, reduce_tuning<T, Op>::whole_blocks)
    reduce_whole(Load load, Op op, std::size_t n, reduce_flat_storage<T> scratch, T* out) {
  using tuning = reduce_tuning<T, Op>;
  constexpr unsigned warps = tuning::whole_threads / warp_size;
  constexpr std::size_t tile = order::tile<T, Op>;
  __shared__ alignas(16) unsigned char gathered_bytes[tuning::gathered_results * sizeof(T) + 1];
  __shared__ bool is_last_block;
  const unsigned warp = threadIdx.x / warp_size, lane = threadIdx.x % warp_size;
  const std::size_t count = (n + tile - 1) / tile;
  static_assert(tuning::gathered_results <= tile, "results that are gathered have no second level");
  const bool are_gathered = count <= tuning::gathered_results;
  grid_dependency_sync();
  std::size_t ticket = 0;
  if (are_gathered && count > 1 && threadIdx.x == 0) ticket = scratch.published.next_tile();
  const std::size_t each = count / gridDim.x, rest = count % gridDim.x;
  const std::size_t first = blockIdx.x * each + (blockIdx.x < rest ? blockIdx.x : rest);
  const std::size_t last = first + each + (blockIdx.x < rest ? 1 : 0);
  for (std::size_t p = first + warp; p < last; p += warps) {
    const T sum = reduce_neighbours<T>(load, p * tile, n - p * tile < tile ? n - p * tile : tile, op);
    if (lane > 0) continue;
    if (count == 1) {
      *out = sum;
    } else if (are_gathered) {
      publish_aggregate(scratch.published, count, p, sum);
    } else {
      scratch.level_results[p] = sum;
    }
  }
  if (count == 1) return;
  T* of_first_level = scratch.level_results;
  if (are_gathered) {
    if (threadIdx.x == 0) is_last_block = ticket + 1 == gridDim.x;
    __syncthreads();
    // All blocks that this one waits for have started.
    if (!is_last_block) return;
    of_first_level = reinterpret_cast<T*>(gathered_bytes);
    gather_results<tuning::whole_threads>(scratch.published, static_cast<unsigned>(count), of_first_level);
  }
  __syncthreads();
  for (std::size_t group = first / tile + warp; group * tile < last; group += warps) {
    const std::size_t group_end = (group + 1) * tile;
    auto added = static_cast<unsigned>((last < group_end ? last : group_end) -
                                       (first > group * tile ? first : group * tile));
    T* of_level = of_first_level;
    unsigned* counter = scratch.counters;
    std::size_t g = group, in_level = count;
    while (true) {
      const auto size = static_cast<unsigned>(in_level - g * tile < tile ? in_level - g * tile : tile);
      if (!are_gathered) {
        unsigned before = 0;
        if (lane == 0) {
          __threadfence();
          before = atomicAdd(counter + g, added);
        }
        if (__shfl_sync(whole_warp, before, 0) + added != size) break;
        __syncwarp();  // a shuffle orders no memory
        __threadfence();
        if (lane == 0) counter[g] = 0;
      }
      const T sum = reduce_neighbours<T>(results_of_tiles<T>{of_level}, g * tile, size, op);
      const std::size_t groups = (in_level + tile - 1) / tile;
      T* const next_level = of_level + to_next_level(in_level);
      if (lane == 0) (groups == 1 ? out : next_level)[g] = sum;
      if (groups == 1) break;
      of_level = next_level;
      counter += groups;
      in_level = groups;
      added = 1;
      g /= tile;
    }
  }
}

/// Reduces load(0) … load(n−1) to *out, which may be in mapped host memory.
template <class T, class Load, class Op>
void reduce_flat(const target& where, const Load& load, const Op& op, std::size_t n, T* out) {
  using tuning = reduce_tuning<T, Op>;
  constexpr std::size_t tile = order::tile<T, Op>;
  constexpr unsigned warps = tuning::whole_threads / warp_size;
  const std::size_t tiles = (n + tile - 1) / tile;
  temp_storage_sizes sizes;
  if (tiles > 1 && tiles <= tuning::gathered_results) {
    sizes.words = tiles * words_of<T>;
  } else {
    for (std::size_t in_level = tiles; in_level > 1;) {
      sizes.bytes += to_next_level(in_level) * sizeof(T);
      in_level = (in_level + tile - 1) / tile;
      sizes.counters += in_level;
    }
  }
  temp_storage scratch(where, sizes);
  // One full wave of blocks; or more, which balance the load.
  const std::size_t resident = std::size_t{tuning::whole_blocks} * multiprocessors(where);
  const std::size_t grid = std::max(std::min((tiles + warps - 1) / warps, resident),
                                    std::size_t{grid_for(tiles, warps * tuning::whole_tiles_per_warp)});
  static pdl_kernel kernel(reduce_whole<T, Load, Op>, "launch of reduce_whole");
  kernel.launch(
      where, static_cast<unsigned>(grid), tuning::whole_threads, load, op, n,
      reduce_flat_storage<T>{states_in(scratch), static_cast<T*>(scratch.bytes()), scratch.counters()}, out);
  if (sizes.words > 0) scratch.launched(grid);
}

}  // namespace heddle::gpu
