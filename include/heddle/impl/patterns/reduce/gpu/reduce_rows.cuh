#pragma once

#include <heddle/array.hpp>
#include <heddle/impl/core/order.hpp>
#include <heddle/impl/gpu/arch/launch.cuh>
#include <heddle/impl/patterns/reduce/gpu/reduce_tile.cuh>
#include <heddle/impl/patterns/reduce/gpu/tuning.cuh>

#include <cstddef>

/// Reductions of rows longer than short_row_bytes: a warp for each tile.
namespace heddle::gpu {

/// A warp reduces each tile of a row; `tiles` says how many there are and where.
template <class T, class Load, class Op, class Tiles>
__global__ void __launch_bounds__(reduce_tuning<T, Op>::rows_threads)
    reduce_rows(Load load, Op op, Tiles tiles, T* out) {
  constexpr unsigned warps = reduce_tuning<T, Op>::rows_threads / warp_size;
  const std::size_t stride = std::size_t{gridDim.x} * warps;
  const std::size_t pieces = tiles.pieces();
  for (std::size_t p = std::size_t{blockIdx.x} * warps + threadIdx.x / warp_size; p < pieces; p += stride) {
    const order::piece piece = tiles[p];
    const T sum = reduce_neighbours<T>(load, piece.first, piece.count, op);
    if (threadIdx.x % warp_size == 0) out[piece.result] = sum;
  }
}

template <class T, class Load, class Op, class Tiles>
void launch_reduce_rows(const target& where, const Load& load, const Op& op, const Tiles& tiles,
                        std::size_t most_tiles, T* out) {
  constexpr unsigned threads = reduce_tuning<T, Op>::rows_threads;
  reduce_rows<T>
      <<<grid_for(most_tiles, threads / warp_size), threads, 0, where.stream()>>>(load, op, tiles, out);
  check(cudaGetLastError(), "launch of reduce_rows");
}

}  // namespace heddle::gpu
