#include "mandelbrot/escape.hpp"
#include "mandelbrot/kernels.hpp"
#include <heddle/array.hpp>
#include <heddle/cuda/launch.cuh>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace heddle::mandelbrot::cuda {
namespace {

using heddle::cuda::check;
using heddle::cuda::current_device;
using heddle::cuda::warp_size;

constexpr unsigned threads = 256, warps = threads / warp_size;
constexpr unsigned every_lane = 0xffffffff;

// A warp takes tiles of 8 x 4 pixels, whose counts are alike, from strips of such tiles.
constexpr std::uint32_t tile_columns = 8, tile_rows = 4, tiles_at_once = 16;

/// Iterations without a look at |z|². In `block` steps from |z|² ≥ 4 with |c| ≤ 2 the rounding errors r of a
/// step, at most 10⁻⁶, let |z| fall below 2 by less than 4^block · 2r/3 < 0.05, so that |z|² ≥ 3.75 or no
/// number at their end shows every escape on the way. What shows one is gone through again, step by step.
constexpr std::uint32_t block = 8;

template <class T>
__device__ __forceinline__ T twice_and(T t, T c) {
  // The same bits as (t + t) + c, since t + t is exact.
  if constexpr (sizeof(T) == 4) return __fmaf_rn(2.0f, t, c);
  if constexpr (sizeof(T) == 8) return __fma_rn(2.0, t, c);
}

template <class T>
struct orbit {
  T re, im, x, y, xx, yy;

  __device__ __forceinline__ void step() {
    const T xy = x * y;
    x = (xx - yy) + re;
    y = twice_and(xy, im);
    xx = x * x;
    yy = y * y;
  }
  __device__ __forceinline__ bool is_out() const { return xx + yy >= T(4); }
};

/// The count of a point from iteration `i` on, at which its orbit is.
template <class T>
__device__ __forceinline__ std::uint32_t rest_of_count(orbit<T>& z, std::uint32_t i, std::uint32_t last) {
  for (; i < last; ++i) {
    z.step();
    if (z.is_out()) return i;
  }
  return last;
}

/// Points that need more than the first few iterations, for a second pass: the pixel's number.
struct long_points {
  unsigned long long* tiles_taken;
  unsigned long long* found;
  unsigned long long* taken;
  std::uint32_t* pixel;
};

constexpr std::uint32_t together = 16;

/// First pass: the interior, and the first few iterations of all other points.
template <class T>
__global__ void __launch_bounds__(threads)
    first_iterations(const T* __restrict__ re, const T* __restrict__ im, std::uint32_t width,
                     std::uint32_t height, std::uint32_t limit, std::uint32_t* __restrict__ counts,
                     long_points later) {
  const unsigned lane = threadIdx.x % warp_size;
  const std::uint32_t tiles_across = (width + tile_columns - 1) / tile_columns;
  const std::uint32_t strips = (tiles_across + tiles_at_once - 1) / tiles_at_once;
  const std::uint64_t pieces = std::uint64_t{strips} * ((height + tile_rows - 1) / tile_rows);
  for (std::uint64_t piece = std::uint64_t{blockIdx.x} * warps + threadIdx.x / warp_size; piece < pieces;
       piece += std::uint64_t{gridDim.x} * warps) {
    const std::uint32_t y = static_cast<std::uint32_t>(piece / strips) * tile_rows + lane / tile_columns;
    const std::uint32_t first =
        static_cast<std::uint32_t>(piece % strips) * tiles_at_once * tile_columns + lane % tile_columns;
    const T c_im = y < height ? im[y] : T(0);
    for (std::uint32_t tile = 0; tile < tiles_at_once; ++tile) {
      const std::uint32_t x = first + tile * tile_columns;
      const bool present = x < width && y < height;
      bool waits = false;
      const std::uint64_t at = std::uint64_t{y} * width + x;
      if (present) {
        orbit<T> z{re[x], c_im, 0, 0, 0, 0};
        std::uint32_t count = limit;
        if (!is_inside(z.re, z.im)) {
          const std::uint32_t last = min(limit, together);
          count = rest_of_count(z, 0, last);
          waits = count == last && last < limit;
        }
        if (!waits) counts[at] = count;
      }
      const unsigned waiting = __ballot_sync(every_lane, waits);
      if (waiting == 0) continue;
      const unsigned leader = __ffs(waiting) - 1;
      unsigned long long place = 0;
      if (lane == leader) place = atomicAdd(later.found, static_cast<unsigned long long>(__popc(waiting)));
      place = __shfl_sync(every_lane, place, leader);
      if (waits) later.pixel[place + __popc(waiting & ((1u << lane) - 1))] = at;
    }
  }
}

/// Second pass: each lane has a point of its own and takes the next one when that is done.
template <class T>
__global__ void __launch_bounds__(threads)
    later_iterations(const T* __restrict__ re, const T* __restrict__ im, std::uint32_t width,
                     std::uint32_t limit, std::uint32_t* __restrict__ counts, long_points later) {
  const unsigned lane = threadIdx.x % warp_size;
  const unsigned long long found = *later.found;
  bool busy = false, more = true;
  orbit<T> z{};
  T old_x = 0, old_y = 0;
  std::uint32_t n = 0, save_at = 0;
  std::uint64_t at = 0;
  for (;;) {
    // A quarter of the lanes idle is dearer than taking new points.
    const unsigned idle = __ballot_sync(every_lane, !busy);
    if (more && __popc(idle) >= 8) {
      const unsigned wanted = __popc(idle);
      unsigned long long place = 0;
      if (lane == 0) place = atomicAdd(later.taken, static_cast<unsigned long long>(wanted));
      place = __shfl_sync(every_lane, place, 0);
      more = place + wanted < found;
      const unsigned long long mine = place + __popc(idle & ((1u << lane) - 1));
      if (!busy && mine < found) {
        at = later.pixel[mine];
        z = {re[at % width], im[at / width], 0, 0, 0, 0};
#pragma unroll
        for (std::uint32_t i = 0; i < together; ++i) z.step();
        old_x = z.x;
        old_y = z.y;
        n = together;
        save_at = together + block;
        busy = true;
      }
    }
    if (!__any_sync(every_lane, busy)) {
      if (!more) return;
      continue;
    }
    // Several blocks between looks for new points. A lane with nothing to do stays at 0.
#pragma unroll 1
    for (int turn = 0; turn < 4; ++turn) {
      const orbit<T> before = z;
#pragma unroll
      for (std::uint32_t i = 0; i < block; ++i) z.step();
      const bool may_be_out = !(z.xx + z.yy < T(3.75));
      const bool returned = z.x == old_x && z.y == old_y;
      if (busy) {
        if (may_be_out || n + block >= limit) {
          orbit<T> again = before;
          const std::uint32_t last = min(limit, n + block);
          const std::uint32_t count = rest_of_count(again, n, last);
          if (count < last || last == limit) {
            counts[at] = count;
            busy = false;
            z = {};
          }
        } else if (returned) {
          counts[at] = limit;
          busy = false;
          z = {};
        }
        n += block;
        // Brent: what is compared with is taken anew whenever the age of the orbit has doubled.
        if (n >= save_at) {
          old_x = z.x;
          old_y = z.y;
          save_at = n + (n - together);
        }
      }
    }
  }
}

template <class T>
void count_points(const target& where, const T* re, const T* im, std::size_t width, std::size_t height,
                  std::uint32_t limit, std::uint32_t* counts) {
  const current_device on(where);
  int multiprocessors = 0, blocks = 0;
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, where.device()),
        "cudaDeviceGetAttribute");
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, later_iterations<T>, threads, 0),
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  const unsigned resident = static_cast<unsigned>(multiprocessors * std::max(blocks, 1));
  // The numbers of pixels that wait take memory: rows are taken in parts that need no more than this.
  constexpr std::size_t most_pixels = std::size_t{1} << 26;
  const std::size_t rows_at_once = std::clamp<std::size_t>(most_pixels / width, 1, height);
  const detail::memory numbers(rows_at_once * width * sizeof(std::uint32_t), where);
  const detail::memory tallies(3 * sizeof(unsigned long long), where);
  auto* const tally = static_cast<unsigned long long*>(tallies.data());
  const long_points later{tally, tally + 1, tally + 2, static_cast<std::uint32_t*>(numbers.data())};
  for (std::size_t row = 0; row < height; row += rows_at_once) {
    const std::size_t rows = std::min(rows_at_once, height - row);
    const auto columns = static_cast<std::uint32_t>(width);
    check(cudaMemsetAsync(tally, 0, tallies.bytes(), where.stream()), "cudaMemsetAsync");
    first_iterations<<<resident, threads, 0, where.stream()>>>(
        re, im + row, columns, static_cast<std::uint32_t>(rows), limit, counts + row * width, later);
    check(cudaGetLastError(), "launch of first_iterations");
    if (limit <= together) continue;
    later_iterations<<<resident, threads, 0, where.stream()>>>(re, im + row, columns, limit,
                                                               counts + row * width, later);
    check(cudaGetLastError(), "launch of later_iterations");
  }
}

}  // namespace

void count(const target& where, const float* re, const float* im, std::size_t width, std::size_t height,
           std::uint32_t limit, std::uint32_t* counts) {
  count_points(where, re, im, width, height, limit, counts);
}
void count(const target& where, const double* re, const double* im, std::size_t width, std::size_t height,
           std::uint32_t limit, std::uint32_t* counts) {
  count_points(where, re, im, width, height, limit, counts);
}

}  // namespace heddle::mandelbrot::cuda
