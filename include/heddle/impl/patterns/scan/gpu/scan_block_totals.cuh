#pragma once

#include <heddle/impl/core/scan_order.hpp>
#include <heddle/impl/gpu/arch/launch.cuh>
#include <heddle/impl/patterns/scan/gpu/lookahead_scan.cuh>
#include <heddle/impl/patterns/scan/gpu/striped_tile.cuh>
#include <heddle/impl/patterns/scan/gpu/tuning.cuh>
#include <heddle/impl/patterns/scan/scan_block.hpp>
#include <heddle/memory.hpp>

#include <cstddef>
#include <span>

/// The totals of blocks of rows in the order of scan_order.hpp, at the speed of reading them: for scans
/// of an array that is distributed over GPUs.
namespace heddle::gpu {

inline constexpr unsigned warps_of_scan_block = 8;

template <class T>
__device__ void load_row(const T* from, bool aligned, order::uninitialized<T, order::scan_vector<T>>& x) {
  if (aligned) {
    load_aligned_lane<false>(from, x);
  } else {
#pragma unroll
    for (unsigned k = 0; k < order::scan_vector<T>; ++k) x[k] = from[k];
  }
}

/// `Rows` rows combined, in lane 0. `from` is the lane's vector of the first row.
template <unsigned Rows, class T, class Op>
__device__ T total_of_batch(const T* from, bool aligned, const Op& op) {
  constexpr unsigned vector = order::scan_vector<T>, row = warp_size * vector;
  order::uninitialized<T, vector> x[Rows];
#pragma unroll
  for (unsigned r = 0; r < Rows; ++r) load_row(from + r * row, aligned, x[r]);
  order::uninitialized<T, Rows> total;
#pragma unroll
  for (unsigned r = 0; r < Rows; ++r) {
    total[r] = impl::lift<Op>(x[r][0]);
#pragma unroll
    for (unsigned k = 1; k < vector; ++k) total[r] = op(total[r], impl::lift<Op>(x[r][k]));
  }
  return reduce_rows_of_warp<Rows>(total, op);
}

/// 2^level rows combined, in lane 0, some at a time.
template <class T, class Op>
__device__ T total_of_rows_of_warp(const T* begin, unsigned level, const Op& op) {
  constexpr unsigned vector = order::scan_vector<T>, row = warp_size * vector, batch = rows_that_hold<T, 128>,
                     batch_level = batch == 8   ? 3
                                   : batch == 4 ? 2
                                   : batch == 2 ? 1
                                                : 0;
  const bool aligned = !vectors_are_16_bytes<T> || misalignment16(begin) == 0;
  const T* from = begin + threadIdx.x % warp_size * vector;
  const unsigned of_counts = level < batch_level ? level : level - batch_level;
  order::uninitialized<T, 32> block;
  for (std::size_t i = 0; i < std::size_t{1} << of_counts; ++i) {
    if (level < batch_level) {
      order::append_block(op, i, 0, total_of_batch<1>(from + i * row, aligned, op), &block[0]);
    } else {
      order::append_block(op, i, 0, total_of_batch<batch>(from + i * batch * row, aligned, op), &block[0]);
    }
  }
  return block[of_counts];
}

/// Each thread block takes one block of rows. Row `first` begins at x.
template <class T, class Op>
__global__ void __launch_bounds__(warps_of_scan_block* warp_size)
    total_scan_blocks(const T* x, std::size_t first, const impl::scan_block* blocks, std::size_t count, Op op,
                      T* totals) {
  constexpr unsigned levels = 3;
  static_assert(1u << levels == warps_of_scan_block);
  __shared__ order::uninitialized<T, warps_of_scan_block> of_warp;
  const unsigned warp = threadIdx.x / warp_size, lane = threadIdx.x % warp_size;
  for (std::size_t i = blockIdx.x; i < count; i += gridDim.x) {
    // From the last to the first, which the scan that follows then finds in the cache.
    const std::size_t b = count - 1 - i;
    const impl::scan_block block = blocks[b];
    const bool shares = block.level >= 2 * levels;
    const unsigned level = shares ? block.level - levels : block.level;
    if (shares || warp == 0) {
      const std::size_t row = block.first - first + (std::size_t{warp} << level);
      const T total = total_of_rows_of_warp(x + row * order::scan_row<T>, level, op);
      if (lane == 0) of_warp[warp] = total;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      if (shares) {
#pragma unroll
        for (unsigned half = 1; half < warps_of_scan_block; half *= 2) {
#pragma unroll
          for (unsigned w = 0; w < warps_of_scan_block; w += 2 * half)
            of_warp[w] = op(of_warp[w], of_warp[w + half]);
        }
      }
      totals[b] = of_warp[0];
    }
    __syncthreads();
  }
}

/// The totals of the blocks, on the CPU. Row `first` of the array begins at x, which is on `where`.
template <class T, class Op>
void scan_block_totals(const target& where, const T* x, std::size_t first,
                       std::span<const impl::scan_block> blocks, const Op& op, T* totals) {
  if (blocks.empty()) return;
  const current_device on(where);
  const memory list(blocks.size_bytes(), where), found(blocks.size() * sizeof(T), where);
  heddle::copy(list.data(), where, blocks.data(), target(), blocks.size_bytes());
  total_scan_blocks<<<grid_for(blocks.size(), 1), warps_of_scan_block * warp_size, 0, where.stream()>>>(
      x, first, static_cast<const impl::scan_block*>(list.data()), blocks.size(), op,
      static_cast<T*>(found.data()));
  check(cudaGetLastError(), "launch of total_scan_blocks");
  heddle::copy(totals, target(), found.data(), where, found.bytes());
}

}  // namespace heddle::gpu
