#pragma once

#include <heddle/array.hpp>
#include <heddle/cuda/launch.cuh>
#include <heddle/cuda/warp.cuh>
#include <heddle/elementwise.hpp>
#include <heddle/grouping.hpp>

#include <cstddef>
#include <cstdint>

/// Reduce on a GPU, in the order of grouping.hpp: a warp folds a tile of neighbours, a block of 32 columns
/// folds a tile of each column, and the results of tiles are reduced again by another launch until one is
/// left.
namespace heddle::cuda {

/// 16 bytes of elements, loaded at once.
template <class T>
struct alignas(16) sixteen_bytes {
  T values[16 / sizeof(T)];
};

/// Folds elements load(0) … load(count−1), at most a tile of them; the result is in lane 0 of the warp. A
/// thread of the warp holds the tile's lanes thread, thread + 32, …
template <class T, class Op, class Load>
__device__ T fold_tile_striped(const Load& load, std::size_t count, const Op& op) {
  constexpr unsigned lanes = grouping::lanes<T, Op>;
  constexpr unsigned held = lanes / warp_size;
  const unsigned thread = threadIdx.x % warp_size;
  grouping::uninitialized<T, held> sum;
#pragma unroll
  for (unsigned v = 0; v < held; ++v) {
    const unsigned lane = v * warp_size + thread;
    if (lane < count) sum[v] = load(lane);
  }
  if (count == grouping::tile<T, Op>) {
    for (unsigned row = 1; row < grouping::rows; ++row) {
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
#pragma unroll
  for (unsigned half = held / 2; half > 0; half /= 2) {
#pragma unroll
    for (unsigned v = 0; v < half; ++v) {
      if ((v + half) * warp_size + thread < count) sum[v] = op(sum[v], sum[v + half]);
    }
  }
#pragma unroll
  for (unsigned half = warp_size / 2; half > 0; half /= 2) {
    const T other = shuffle_down(sum[0], half);
    if (thread < half && thread + half < count) sum[0] = op(sum[0], other);
  }
  return sum[0];
}

/// A whole tile of neighbours from an address that is a multiple of 16: the lanes of a thread are side by
/// side.
template <class T, class Op>
__device__ T fold_tile_aligned(const T* x, const Op& op) {
  constexpr unsigned held = 16 / sizeof(T);
  const unsigned thread = threadIdx.x % warp_size;
  const auto* const packs = reinterpret_cast<const sixteen_bytes<T>*>(x);
  auto load = [&](unsigned row) {
    static_assert(sizeof(uint4) == sizeof(sixteen_bytes<T>));
    grouping::uninitialized<T, held> pack;
    const uint4 bits = __ldg(reinterpret_cast<const uint4*>(packs) + row * warp_size + thread);
    memcpy(&pack, &bits, sizeof bits);
    return pack;
  };
  grouping::uninitialized<T, held> sum = load(0);
#pragma unroll
  for (unsigned v = 0; v < held; ++v) sum[v] = detail::lift<Op>(sum[v]);
#pragma unroll
  for (unsigned row = 1; row < grouping::rows; ++row) {
    const grouping::uninitialized<T, held> next = load(row);
#pragma unroll
    for (unsigned v = 0; v < held; ++v) sum[v] = op(sum[v], detail::lift<Op>(next[v]));
  }
#pragma unroll
  for (unsigned half = warp_size / 2; half > 0; half /= 2) {
#pragma unroll
    for (unsigned v = 0; v < held; ++v) {
      const T other = shuffle_down(sum[v], half);
      if (thread < half) sum[v] = op(sum[v], other);
    }
  }
#pragma unroll
  for (unsigned half = held / 2; half > 0; half /= 2) {
#pragma unroll
    for (unsigned v = 0; v < half; ++v) sum[v] = op(sum[v], sum[v + half]);
  }
  return sum[0];
}

/// As fold_tile_striped for an operator that does not commute: a thread holds 16 neighbours.
template <class T, class Op, class Load>
__device__ T fold_tile_blocked(const Load& load, std::size_t count, const Op& op) {
  const unsigned thread = threadIdx.x % warp_size;
  const unsigned first = thread * grouping::rows;
  const unsigned active = static_cast<unsigned>((count + grouping::rows - 1) / grouping::rows);
  grouping::uninitialized<T, 1> sum;
  if (thread < active) {
    const unsigned end =
        first + grouping::rows < count ? first + grouping::rows : static_cast<unsigned>(count);
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

inline constexpr unsigned fold_rows_threads = 256;

/// A warp folds each tile of neighbours.
template <class T, class Load, class Op>
__global__ void __launch_bounds__(fold_rows_threads)
    fold_rows(Load load, Op op, grouping::tiling tiles, T* out) {
  constexpr unsigned warps = fold_rows_threads / warp_size;
  const std::size_t stride = std::size_t{gridDim.x} * warps;
  const std::size_t pieces = tiles.pieces();
  for (std::size_t p = std::size_t{blockIdx.x} * warps + threadIdx.x / warp_size; p < pieces; p += stride) {
    const grouping::piece piece = tiles[p];
    auto from_piece = [&](std::size_t i) { return load(piece.first + i); };
    grouping::uninitialized<T, 1> sum;
    if constexpr (grouping::striped<T, Op>) {
      bool done = false;
      if constexpr (requires { load.x; } && sizeof(T) * grouping::lanes<T, Op> == 512) {
        const T* const x = load.x + piece.first;
        if (piece.count == grouping::tile<T, Op> && reinterpret_cast<std::uintptr_t>(x) % 16 == 0) {
          sum[0] = fold_tile_aligned<T>(x, op);
          done = true;
        }
      }
      if (!done) sum[0] = fold_tile_striped<T>(from_piece, piece.count, op);
    } else {
      sum[0] = fold_tile_blocked<T>(from_piece, piece.count, op);
    }
    if (threadIdx.x % warp_size == 0) out[piece.result] = grouping::canonical(sum[0]);
  }
}

/// Rows of threads that share a tile of 32 columns: as many as exchange their sums within 32 KiB of shared
/// memory.
template <class T>
inline constexpr unsigned column_rows = sizeof(T) <= 128 ? 8 : 1;

/// A block folds a tile of each of up to 32 columns: thread (c, y) folds lanes y, y + 8, … of column c, or,
/// when order matters, as many neighbouring lanes.
template <class T, class Load, class Op>
__global__ void __launch_bounds__(warp_size* column_rows<T>)
    fold_columns(Load load, Op op, grouping::tiling tiles, T* out) {
  constexpr unsigned lanes = grouping::lanes<T, Op>;
  constexpr unsigned rows_of_threads = column_rows<T>;
  constexpr unsigned held = lanes / rows_of_threads;
  constexpr bool striped = grouping::striped<T, Op>;
  __shared__ alignas(
      16) unsigned char exchange_bytes[rows_of_threads > 1 ? rows_of_threads * warp_size * sizeof(T) : 1];
  T* const exchange = reinterpret_cast<T*>(exchange_bytes);
  const unsigned column = threadIdx.x, y = threadIdx.y;
  const std::size_t pieces = tiles.pieces();
  for (std::size_t p = blockIdx.x; p < pieces; p += gridDim.x) {
    const grouping::piece piece = tiles[p];
    const bool inside = column < piece.width;
    const std::size_t first = piece.first + column;
    const unsigned count = static_cast<unsigned>(piece.count);
    const unsigned active = striped ? (count < lanes ? count : lanes)
                                    : static_cast<unsigned>((count + grouping::rows - 1) / grouping::rows);
    auto lane_of = [&](unsigned v) { return striped ? v * rows_of_threads + y : y * held + v; };
    grouping::uninitialized<T, held> sum;
    if (inside) {
#pragma unroll
      for (unsigned v = 0; v < held; ++v) {
        const unsigned lane = lane_of(v);
        if (lane >= active) continue;
        const unsigned start = striped ? lane : lane * static_cast<unsigned>(grouping::rows);
        const unsigned step = striped ? lanes : 1;
        const unsigned end = striped ? count : min(count, start + static_cast<unsigned>(grouping::rows));
        sum[v] = load(first + start * piece.stride);
        for (unsigned r = start + step; r < end; r += step)
          sum[v] = op(sum[v], load(first + r * piece.stride));
      }
      if constexpr (striped) {
#pragma unroll
        for (unsigned half = held / 2; half > 0; half /= 2) {
#pragma unroll
          for (unsigned v = 0; v < half; ++v) {
            if (lane_of(v + half) < active) sum[v] = op(sum[v], sum[v + half]);
          }
        }
      } else {
#pragma unroll
        for (unsigned step = 1; step < held; step *= 2) {
#pragma unroll
          for (unsigned v = 0; v + step < held; v += 2 * step) {
            if (lane_of(v + step) < active) sum[v] = op(sum[v], sum[v + step]);
          }
        }
      }
    }
    if constexpr (rows_of_threads > 1) {
      if (inside) exchange[y * warp_size + column] = sum[0];
      __syncthreads();
      for (unsigned step = striped ? rows_of_threads / 2 : 1; striped ? step > 0 : step < rows_of_threads;
           step = striped ? step / 2 : step * 2) {
        const bool left = striped ? y < step : y % (2 * step) == 0;
        const unsigned other = y + step;
        const bool other_took_part = (striped ? other : other * held) < active;
        if (inside && left && other_took_part) {
          exchange[y * warp_size + column] =
              op(exchange[y * warp_size + column], exchange[other * warp_size + column]);
        }
        __syncthreads();
      }
      if (inside && y == 0) out[piece.result + column] = grouping::canonical(exchange[column]);
      __syncthreads();
    } else {
      if (inside) out[piece.result + column] = grouping::canonical(sum[0]);
    }
  }
}

/// Folds every tile of the segments; one launch.
template <class T, class Load, class Op>
void fold_tiles(const target& where, const Load& load, const Op& op, const grouping::tiling& tiles, T* out) {
  const std::size_t pieces = tiles.pieces();
  if (tiles.all.inner == 1) {
    constexpr unsigned warps = fold_rows_threads / warp_size;
    fold_rows<T><<<grid_for(pieces, warps), fold_rows_threads, 0, where.stream()>>>(load, op, tiles, out);
    check(cudaGetLastError(), "launch of fold_rows");
  } else {
    fold_columns<T>
        <<<grid_for(pieces, 1), dim3(warp_size, column_rows<T>), 0, where.stream()>>>(load, op, tiles, out);
    check(cudaGetLastError(), "launch of fold_columns");
  }
}

/// Reduces each of `all` segments of load(0), load(1), … to one element of `out`, on the GPU's stream. Reads
/// each input once; one launch for each factor of `tile` in the length.
template <class T, class Load, class Op>
void reduce(const target& where, const Load& load, const Op& op, segments all, T* out) {
  if (all.count() == 0) return;
  const current_device on(where);
  const grouping::tiling tiles{all, grouping::tile<T, Op>, warp_size};
  if (tiles.parts() == 1) return fold_tiles(where, load, op, tiles, out);
  const detail::memory partials(tiles.results().elements() * sizeof(T), where);
  T* const to = static_cast<T*>(partials.data());
  fold_tiles(where, load, op, tiles, to);
  reduce(where, detail::element_at<T, Op>{to}, op, tiles.results(), out);
}

}  // namespace heddle::cuda
