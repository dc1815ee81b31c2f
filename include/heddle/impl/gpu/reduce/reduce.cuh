#pragma once

#include <heddle/array.hpp>
#include <heddle/impl/elementwise.hpp>
#include <heddle/impl/gpu/arch/launch.cuh>
#include <heddle/impl/gpu/block/tile_state.cuh>
#include <heddle/impl/gpu/reduce/reduce_columns.cuh>
#include <heddle/impl/gpu/reduce/reduce_short_rows.cuh>
#include <heddle/impl/gpu/reduce/reduce_vectors.cuh>
#include <heddle/impl/gpu/reduce/tuning.cuh>
#include <heddle/impl/gpu/temp_storage.cuh>
#include <heddle/impl/gpu/warp/packed16_op.cuh>
#include <heddle/impl/gpu/warp/warp.cuh>
#include <heddle/impl/order.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

/// Reduce on a GPU, in the order of grouping.hpp: a warp folds a tile of neighbours, a block of 32 columns
/// folds a tile of each column. A whole array takes one launch, in which whoever comes last folds the results
/// of tiles; rows and columns take one for each level of tiles.
namespace heddle::gpu {

/// 16 bytes of elements, loaded at once.
template <class T>
struct alignas(16) sixteen_bytes {
  T values[16 / sizeof(T)];
};

/// Folds elements load(0) … load(count−1), at most a tile of them; the result is in lane 0 of the warp. A
/// thread of the warp holds the tile's lanes thread, thread + 32, …
template <class T, class Op, class Load>
__device__ T reduce_tile_striped(const Load& load, std::size_t count, const Op& op) {
  constexpr unsigned lanes = order::accumulators<T, Op>;
  constexpr unsigned held = lanes / warp_size;
  const unsigned thread = threadIdx.x % warp_size;
  order::uninitialized<T, held> sum;
#pragma unroll
  for (unsigned v = 0; v < held; ++v) {
    const unsigned lane = v * warp_size + thread;
    if (lane < count) sum[v] = load(lane);
  }
  if (count == order::tile<T, Op>) {
    for (unsigned row = 1; row < order::rows; ++row) {
#pragma unroll
      for (unsigned v = 0; v < held; ++v) sum[v] = op(sum[v], load(row * lanes + v * warp_size + thread));
    }
  } else {
    for (unsigned row = 1; row * lanes < count; ++row) {
#pragma unroll
      for (unsigned v = 0; v < held; ++v) {
        const unsigned i = row * lanes + v * warp_size + thread;
        if (i < count) sum[v] = op(sum[v], load(i));
      }
    }
  }
  tree_reduce<held>([&](unsigned v, unsigned other) {
    if (other * warp_size + thread < count) sum[v] = op(sum[v], sum[other]);
  });
#pragma unroll
  for (unsigned half = warp_size / 2; half > 0; half /= 2) {
    const T other = shuffle_down(sum[0], half);
    if (thread < half && thread + half < count) sum[0] = op(sum[0], other);
  }
  return sum[0];
}

/// A whole tile of neighbours from an address that is a multiple of 16: the lanes of a thread are side by
/// side.
template <class T, bool WrittenByThisLaunch, class Op>
__device__ T reduce_tile_aligned(const T* x, const Op& op) {
  constexpr unsigned held = 16 / sizeof(T);
  const unsigned thread = threadIdx.x % warp_size;
  const auto* const vectors = reinterpret_cast<const sixteen_bytes<T>*>(x);
  auto load = [&](unsigned row) {
    static_assert(sizeof(uint4) == sizeof(sixteen_bytes<T>));
    order::uninitialized<T, held> vector;
    const uint4* const from = reinterpret_cast<const uint4*>(vectors) + row * warp_size + thread;
    const uint4 bits = WrittenByThisLaunch ? *from : __ldg(from);
    memcpy(&vector, &bits, sizeof bits);
    return vector;
  };
  if constexpr (adds_small_integers<T, Op>) {
    unsigned total = 0;
#pragma unroll
    for (unsigned row = 0; row < order::rows; ++row) {
      const order::uninitialized<T, held> next = load(row);
      total = add_small_integers<T>(&next, total);
    }
    return static_cast<T>(sum_of_warp(total));
  }
  // Where the order is free all rows would be asked for at once, for which registers do not suffice.
  constexpr unsigned rows_per_step = order::order_is_free<T, Op> ? order::rows / 2 : order::rows;
  if constexpr (packed16_op<T, Op>::exist) {
    packed_total<T, Op> total;
#pragma unroll 1
    for (unsigned first = 0; first < order::rows; first += rows_per_step) {
#pragma unroll
      for (unsigned row = 0; row < rows_per_step; ++row) total.append(load(first + row), op);
    }
    order::uninitialized<T, 1> sum;
    sum[0] = total.get(op);
    reduce_warp<1>(sum, op);
    return sum[0];
  }
  order::uninitialized<T, held> sum;
#pragma unroll 1
  for (unsigned first = 0; first < order::rows; first += rows_per_step) {
#pragma unroll
    for (unsigned row = 0; row < rows_per_step; ++row) {
      const order::uninitialized<T, held> next = load(first + row);
#pragma unroll
      for (unsigned v = 0; v < held; ++v) {
        const T element = impl::lift<Op>(next[v]);
        sum[v] = first + row > 0 ? op(sum[v], element) : element;
      }
    }
  }
  // Where the order is free, what a thread holds comes first, which leaves one shuffle a step.
  constexpr unsigned across = order::order_is_free<T, Op> ? 1 : held;
  const auto reduce_held = [&] {
    tree_reduce<held>([&](unsigned v, unsigned other) { sum[v] = op(sum[v], sum[other]); });
  };
  if constexpr (across < held) reduce_held();
#pragma unroll
  for (unsigned half = warp_size / 2; half > 0; half /= 2) {
#pragma unroll
    for (unsigned v = 0; v < across; ++v) {
      const T other = shuffle_down(sum[v], half);
      if (thread < half) sum[v] = op(sum[v], other);
    }
  }
  if constexpr (across == held) reduce_held();
  return sum[0];
}

/// As reduce_tile_striped for an operator that does not commute: a thread holds 16 neighbours.
template <class T, class Op, class Load>
__device__ T reduce_tile_blocked(const Load& load, std::size_t count, const Op& op) {
  const unsigned thread = threadIdx.x % warp_size;
  const unsigned first = thread * order::rows;
  const unsigned active = static_cast<unsigned>((count + order::rows - 1) / order::rows);
  order::uninitialized<T, 1> sum;
  if (thread < active) {
    const unsigned end = first + order::rows < count ? first + order::rows : static_cast<unsigned>(count);
    sum[0] = load(first);
    for (unsigned i = first + 1; i < end; ++i) sum[0] = op(sum[0], load(i));
  }
#pragma unroll
  for (unsigned step = 1; step < warp_size; step *= 2) {
    const T other = shuffle_down(sum[0], step);
    if (thread % (2 * step) == 0 && thread + step < active) sum[0] = op(sum[0], other);
  }
  return sum[0];
}

/// Neighbours from anywhere, folded by a warp granule by granule; the result is in lane 0.
template <class T, class Op>
__device__ __noinline__ T reduce_in_any_order(const T* x, unsigned count, const Op& op) {
  constexpr unsigned vector = 16 / sizeof(T), ahead = 4;
  const unsigned thread = threadIdx.x % warp_size;
  const unsigned past = misalignment16(x) / static_cast<unsigned>(sizeof(T));
  const unsigned head = past == 0 ? 0 : min(count, vector - past);
  const unsigned vectors = (count - head) / vector, tail = head + vectors * vector;
  const uint4* const body = reinterpret_cast<const uint4*>(x + head);
  T sum = order::neutral<T>(op);
  if (thread < head) sum = op(sum, impl::lift<Op>(x[thread]));
  if (tail + thread < count) sum = op(sum, impl::lift<Op>(x[tail + thread]));
  for (unsigned first = thread; first < vectors; first += ahead * warp_size) {
    uint4 bits[ahead];
#pragma unroll
    for (unsigned k = 0; k < ahead; ++k) {
      if (first + k * warp_size < vectors) bits[k] = body[first + k * warp_size];
    }
#pragma unroll
    for (unsigned k = 0; k < ahead; ++k) {
      if (first + k * warp_size >= vectors) break;
      T element[vector];
      memcpy(element, &bits[k], sizeof element);
#pragma unroll
      for (unsigned i = 0; i < vector; ++i) element[i] = impl::lift<Op>(element[i]);
      tree_reduce<vector>([&](unsigned i, unsigned other) { element[i] = op(element[i], element[other]); });
      sum = op(sum, element[0]);
    }
  }
#pragma unroll
  for (unsigned half = warp_size / 2; half > 0; half /= 2) sum = op(sum, shuffle_down(sum, half));
  return sum;
}

/// Results of tiles, which other blocks of this launch have written.
template <class T>
struct results_of_tiles {
  const T* x;
  __device__ T operator()(std::size_t i) const { return x[i]; }
};

/// Folds `count` neighbours from element `first` on, at most a tile of them, by a warp; the result is in its
/// lane 0.
template <class T, class Load, class Op>
__device__ T reduce_neighbours(const Load& load, std::size_t first, std::size_t count, const Op& op) {
  auto from_first = [&](std::size_t i) { return load(first + i); };
  if constexpr (!order::striped<T, Op>) {
    return order::canonical(reduce_tile_blocked<T>(from_first, count, op));
  } else {
    if constexpr (requires { load.x; } && sizeof(T) * order::accumulators<T, Op> == 512) {
      const T* const x = load.x + first;
      if (count == order::tile<T, Op> && reinterpret_cast<std::uintptr_t>(x) % 16 == 0) {
        return order::canonical(reduce_tile_aligned<T, std::is_same_v<Load, results_of_tiles<T>>>(x, op));
      }
    }
    if constexpr (order::order_is_free<T, Op> && requires { load.x; }) {
      return reduce_in_any_order(load.x + first, static_cast<unsigned>(count), op);
    }
    return order::canonical(reduce_tile_striped<T>(from_first, count, op));
  }
}

inline constexpr unsigned reduce_rows_threads = 256;

/// A warp folds each tile of neighbours, of which `tiles` says how many there are and where.
template <class T, class Load, class Op, class Tiles>
__global__ void __launch_bounds__(reduce_rows_threads) reduce_rows(Load load, Op op, Tiles tiles, T* out) {
  constexpr unsigned warps = reduce_rows_threads / warp_size;
  const std::size_t stride = std::size_t{gridDim.x} * warps;
  const std::size_t pieces = tiles.pieces();
  for (std::size_t p = std::size_t{blockIdx.x} * warps + threadIdx.x / warp_size; p < pieces; p += stride) {
    const order::piece piece = tiles[p];
    const T sum = reduce_neighbours<T>(load, piece.first, piece.count, op);
    if (threadIdx.x % warp_size == 0) out[piece.result] = sum;
  }
}

inline constexpr unsigned reduce_whole_threads = 256;
inline constexpr unsigned reduce_whole_blocks = 3;  ///< that a multiprocessor holds

/// Results of tiles, as many as a block gathers in shared memory: no more than a tile of them.
template <class T, class Op>
inline constexpr std::size_t gathered_results = std::min(order::tile<T, Op>, std::size_t{8192} / sizeof(T));

/// From the results of a level of tiles to those of the next: a multiple of 16 bytes.
HD_INLINE std::size_t to_next_level(std::size_t in_level) {
  return (in_level + 15) / 16 * 16;
}

/// Where the tiles of a whole array leave their results.
template <class T>
struct reduce_flat_storage {
  tile_state published;  ///< those that one block gathers
  T* counted;            ///< those of which there are more
  unsigned* counters;    ///< zero before and after
};

/// Waits for the results of `count` tiles and writes them to `out`, by the warps of a block.
template <class T>
__device__ void gather_results(const tile_state& states, unsigned count, T* out) {
  constexpr unsigned rows = words_of<T> <= 4 ? 4 : 1;
  const unsigned lane = threadIdx.x % warp_size;
  for (unsigned first = threadIdx.x / warp_size * rows * warp_size; first < count;
       first += reduce_whole_threads * rows) {
    const unsigned here = min(count - first, rows * warp_size);
    order::uninitialized<T, rows> result;
    wait_aggregates<rows>(states, count, first, here, 0, result);
#pragma unroll
    for (unsigned r = 0; r < rows; ++r) {
      if (r * warp_size + lane < here) out[first + r * warp_size + lane] = result[r];
    }
  }
}

/// Reduces load(0) … load(n−1) in one launch. A block folds tiles that stand side by side. Few results of
/// tiles are published, and the block that came last gathers and folds them. More are counted, a tile of
/// results at a time, and whoever adds the last of them folds that tile too, and so on to the last result; so
/// it does not matter who is last.
template <class T, class Load, class Op>
__global__ void __launch_bounds__(reduce_whole_threads, reduce_whole_blocks)
    reduce_whole(Load load, Op op, std::size_t n, reduce_flat_storage<T> scratch, T* out) {
  constexpr unsigned warps = reduce_whole_threads / warp_size;
  constexpr std::size_t tile = order::tile<T, Op>;
  __shared__ alignas(16) unsigned char gathered_bytes[gathered_results<T, Op> * sizeof(T) + 1];
  __shared__ bool came_last;
  const unsigned warp = threadIdx.x / warp_size, lane = threadIdx.x % warp_size;
  const std::size_t count = (n + tile - 1) / tile;
  const bool are_gathered = count <= gathered_results<T, Op>;
  grid_dependency_sync();
  std::size_t place = 0;
  if (are_gathered && count > 1 && threadIdx.x == 0) place = scratch.published.next_tile();
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
      scratch.counted[p] = sum;
    }
  }
  if (count == 1) return;
  T* of_first_level = scratch.counted;
  if (are_gathered) {
    if (threadIdx.x == 0) came_last = place + 1 == gridDim.x;
    __syncthreads();
    // All blocks that this one waits for run already.
    if (!came_last) return;
    of_first_level = reinterpret_cast<T*>(gathered_bytes);
    gather_results(scratch.published, static_cast<unsigned>(count), of_first_level);
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

/// Folds every tile of the segments; one launch.
template <class T, class Load, class Op>
void reduce_tiles(const target& where, const Load& load, const Op& op, const order::tiling& tiles, T* out) {
  const std::size_t pieces = tiles.pieces();
  if constexpr (std::is_same_v<Load, impl::element_at<T, Op>> && sizeof(T) <= 16) {
    if (tiles.all.inner == 1 && tiles.all.length * sizeof(T) <= 2048 && tiles.parts() == 1)
      return reduce_rows_of(where, load.x, op, pieces, tiles.all.length, out);
  }
  if (tiles.all.inner == 1) {
    constexpr unsigned warps = reduce_rows_threads / warp_size;
    reduce_rows<T><<<grid_for(pieces, warps), reduce_rows_threads, 0, where.stream()>>>(load, op, tiles, out);
    check(cudaGetLastError(), "launch of reduce_rows");
  } else {
    reduce_tiles_of_columns(where, load, op, tiles.all, out);
  }
}

/// Reduces load(0) … load(n−1) to *out, which may be in memory of the CPU that the GPU can write to.
template <class T, class Load, class Op>
void reduce_flat(const target& where, const Load& load, const Op& op, std::size_t n, T* out) {
  constexpr std::size_t tile = order::tile<T, Op>;
  constexpr unsigned warps = reduce_whole_threads / warp_size;
  const std::size_t tiles = (n + tile - 1) / tile;
  temp_storage_sizes sizes;
  if (tiles > 1 && tiles <= gathered_results<T, Op>) {
    sizes.words = tiles * words_of<T>;
  } else {
    for (std::size_t in_level = tiles; in_level > 1;) {
      sizes.bytes += to_next_level(in_level) * sizeof(T);
      in_level = (in_level + tile - 1) / tile;
      sizes.counters += in_level;
    }
  }
  temp_storage scratch(where, sizes);
  // Every multiprocessor full once; or more blocks, of which those that come late even out the others' times.
  constexpr std::size_t tiles_of_warp = 3;
  const std::size_t resident = std::size_t{reduce_whole_blocks} * multiprocessors(where);
  const std::size_t grid = std::max(std::min((tiles + warps - 1) / warps, resident),
                                    std::size_t{grid_for(tiles, warps * tiles_of_warp)});
  static pdl_kernel kernel(reduce_whole<T, Load, Op>, "launch of reduce_whole");
  kernel.launch(
      where, static_cast<unsigned>(grid), reduce_whole_threads, load, op, n,
      reduce_flat_storage<T>{states_in(scratch), static_cast<T*>(scratch.bytes()), scratch.counters()}, out);
  if (sizes.words > 0) scratch.launched(grid);
}

template <class T, class Load, class Op>
void reduce(const target& where, const Load& load, const Op& op, segments all, T* out);

/// Reduces columns in vectors of 16 bytes: in one launch if they are many, and otherwise in one for each
/// factor of 64 in their length at most, or of 8 behind other axes. Returns false where rows are no vectors.
template <class T, class Op>
bool reduce_by_vectors(const target& where, const T* x, const Op& op, const segments& all, T* out) {
  const std::size_t as_one = rows_in_one<T>(all), rest = all.length % as_one;
  const segments rows{all.outer, all.length / as_one, all.inner * as_one};
  const std::size_t part = rows_of_part<T>(rows), parts = (rows.length + part - 1) / part;
  const segments partials{all.outer, parts * as_one + rest, all.inner};
  const bool is_last = partials.length == 1;
  if (!are_vectors(x, is_last ? out : nullptr, rows)) return false;
  if (is_last) {
    reduce_vectors(where, x, op, rows, part, out);
    return true;
  }
  const impl::memory held(partials.elements() * sizeof(T), where);
  T* const to = static_cast<T*>(held.data());
  reduce_vectors(where, x, op, rows, part, to);
  const std::size_t reduced = rows.length * rows.inner;
  if (rest > 0) impl::copy(to + parts * rows.inner, where, x + reduced, where, rest * all.inner * sizeof(T));
  reduce(where, impl::element_at<T, Op>{to}, op, partials, out);
  return true;
}

/// Reduces each of `all` segments of load(0), load(1), … to one element of `out`, on the GPU's stream. Reads
/// each input once; one launch when there is one segment, and otherwise one for each factor of `tile` in the
/// length, or what reduce_by_vectors() says.
template <class T, class Load, class Op>
void reduce(const target& where, const Load& load, const Op& op, segments all, T* out) {
  if (all.count() == 0) return;
  const current_device on(where);
  if (all.count() == 1) return reduce_flat(where, load, op, all.length, out);
  if (all.length == 1) all = {1, 1, all.count()};  // columns, of which a thread takes several
  if constexpr (reduces_vectors<T, Op> && std::is_same_v<Load, impl::element_at<T, Op>>) {
    if (all.inner > 1 && reduce_by_vectors(where, load.x, op, all, out)) return;
  }
  const order::tiling tiles{all, order::tile<T, Op>, warp_size};
  if (tiles.parts() == 1) return reduce_tiles(where, load, op, tiles, out);
  const impl::memory partials(tiles.results().elements() * sizeof(T), where);
  T* const to = static_cast<T*>(partials.data());
  reduce_tiles(where, load, op, tiles, to);
  reduce(where, impl::element_at<T, Op>{to}, op, tiles.results(), out);
}

}  // namespace heddle::gpu
