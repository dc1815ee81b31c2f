#pragma once

#include "mandelbrot/escape.hpp"
#include <heddle/support/launch.cuh>

#include <cstddef>
#include <cstdint>

/// Kernels that count iterations.
namespace heddle::mandelbrot::gpu {

using heddle::gpu::warp_size;

inline constexpr unsigned threads = 256, warps = threads / warp_size;
inline constexpr unsigned every_lane = 0xffffffff;

// A warp takes tiles of 8 x 4 pixels, whose counts are alike, from rows of such tiles.
inline constexpr std::uint32_t tile_columns = 8, tile_rows = 4, most_tiles = 4;

// Up to so high a limit one pass does it all; otherwise the first one takes so many iterations.
inline constexpr std::uint32_t one_pass_limit = 64, first_pass_iterations = 16;
inline constexpr unsigned most_idle = 8;

/// Iterations without a look at |z|². In `block` steps from |z|² ≥ 4 with |c| ≤ 2 the rounding errors r of a
/// step, at most 10⁻⁶, let |z| fall below 2 by less than 4^block · 2r/3 < 0.05, so that |z|² ≥ 3.75 or no
/// number at their end shows every escape on the way. What shows one is gone through again, step by step.
inline constexpr std::uint32_t block = 8;

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

/// A disc that no orbit leaves, rounded as it may be: of radius r about the attracting fixed point of z² + c.
///
/// With λ as in is_inside and δ = 1 − |λ|, a step takes a point at a distance R < δ of the fixed point to one
/// at |λ|R + R² = R − R·(δ − R) at most. In float with δ ≥ 1/256 the fixed point and δ are found to 4·10⁻⁶,
/// so that R is at most 0.45·δ + 6·10⁻⁶ where 0.45·δ is asked for, and R·(δ − R) is more than 3·10⁻⁶ at the
/// rim: the roundings of a step are 4.3·10⁻⁷. Points that is_inside takes have no need of it, and in double
/// it knows all but those that take 10⁴ iterations to come near.
template <class T>
struct trap {
  T re = 0, im = 0, squared_radius = -1;

  __device__ void set(T c_re, T c_im) {
    if constexpr (sizeof(T) == 4) {
      const T re_1_4c = 1 - 4 * c_re, im_1_4c = -4 * c_im;
      const T root_re = sqrtf((sqrtf(re_1_4c * re_1_4c + im_1_4c * im_1_4c) + re_1_4c) / 2);
      const T multiplier_re = 1 - root_re, multiplier_im = -im_1_4c / (2 * root_re);
      const T delta = 1 - sqrtf(multiplier_re * multiplier_re + multiplier_im * multiplier_im);
      const T radius = T(0.45) * delta;
      re = multiplier_re / 2;
      im = multiplier_im / 2;
      // Not a number where there is no root.
      squared_radius = delta >= T(1) / 256 ? radius * radius : -1;
    }
  }
  __device__ __forceinline__ bool holds(T x, T y) const {
    const T across = x - re, up = y - im;
    return sizeof(T) == 4 && across * across + up * up < squared_radius;
  }
};

/// Points that need more than the first few iterations, for a second pass: the pixel's number.
struct long_points {
  unsigned long long* found;
  unsigned long long* taken;
  std::uint32_t* pixel;
};

/// First pass: the interior, and the first iterations of all other points, up to `first`; a warp takes
/// `tiles` tiles that lie side by side.
template <class T>
__global__ void __launch_bounds__(threads)
    first_iterations(const T* __restrict__ re, const T* __restrict__ im, std::uint32_t width,
                     std::uint32_t height, std::uint32_t first, std::uint32_t limit, std::uint32_t tiles,
                     std::uint32_t* __restrict__ counts, long_points later) {
  const unsigned lane = threadIdx.x % warp_size;
  const std::uint32_t tiles_across = (width + tile_columns - 1) / tile_columns;
  const std::uint32_t pieces_across = (tiles_across + tiles - 1) / tiles;
  const std::uint64_t pieces = std::uint64_t{pieces_across} * ((height + tile_rows - 1) / tile_rows);
  for (std::uint64_t piece = std::uint64_t{blockIdx.x} * warps + threadIdx.x / warp_size; piece < pieces;
       piece += std::uint64_t{gridDim.x} * warps) {
    const std::uint32_t y =
        static_cast<std::uint32_t>(piece / pieces_across) * tile_rows + lane / tile_columns;
    const std::uint32_t left =
        static_cast<std::uint32_t>(piece % pieces_across) * tiles * tile_columns + lane % tile_columns;
    const T c_im = y < height ? im[y] : T(0);
    unsigned waiting_here = 0;  // lane t: which pixels of tile t wait
    for (std::uint32_t tile = 0; tile < tiles; ++tile) {
      const std::uint32_t x = left + tile * tile_columns;
      bool waits = false;
      if (x < width && y < height) {
        orbit<T> z{re[x], c_im, 0, 0, 0, 0};
        std::uint32_t count = limit;
        if (!is_inside(z.re, z.im)) {
          count = rest_of_count(z, 0, first);
          waits = count == first && first < limit;
        }
        if (!waits) counts[std::uint64_t{y} * width + x] = count;
      }
      const unsigned waiting = __ballot_sync(every_lane, waits);
      if (lane == tile) waiting_here = waiting;
    }
    if (!__any_sync(every_lane, waiting_here != 0)) continue;
    // Places for all of them at once, because every warp asks the same counter.
    const unsigned mine = __popc(waiting_here);
    unsigned before = mine;
    for (unsigned distance = 1; distance < warp_size; distance *= 2) {
      const unsigned other = __shfl_up_sync(every_lane, before, distance);
      if (lane >= distance) before += other;
    }
    unsigned long long place = 0;
    if (lane == warp_size - 1) place = atomicAdd(later.found, static_cast<unsigned long long>(before));
    place = __shfl_sync(every_lane, place, warp_size - 1);
    before -= mine;
    for (std::uint32_t tile = 0; tile < tiles; ++tile) {
      const unsigned waiting = __shfl_sync(every_lane, waiting_here, tile);
      const unsigned to = __shfl_sync(every_lane, before, tile) + __popc(waiting & ((1u << lane) - 1));
      if (waiting >> lane & 1) later.pixel[place + to] = y * width + left + tile * tile_columns;
    }
  }
}

/// The points of the second pass that a warp has taken and its lanes have not begun.
class points_of_warp {
 public:
  __device__ __forceinline__ explicit points_of_warp(const long_points& later)
      : later_(later), found_(*later.found) {
    const unsigned long long share = found_ / (std::uint64_t{gridDim.x} * threads);
    at_once_ = static_cast<unsigned>(warp_size * min(max(share / 4, 1ull), 4ull));
  }

  /// Takes more points if none is left: several for each lane, because every warp adds to the same counter.
  __device__ __forceinline__ void refill() {
    if (next_ < end_ || !more_) return;
    if (threadIdx.x % warp_size == 0)
      next_ = atomicAdd(later_.taken, static_cast<unsigned long long>(at_once_));
    next_ = __shfl_sync(every_lane, next_, 0);
    end_ = min(next_ + at_once_, found_);
    more_ = next_ < end_;
    if (!more_) next_ = end_;
  }
  /// Gives the next points to the `idle` lanes in order. Returns whether this lane, if it `wants` one, gets a
  /// point, and sets its pixel.
  __device__ __forceinline__ bool give(unsigned idle, bool wants, std::uint32_t& pixel) {
    const unsigned lane = threadIdx.x % warp_size;
    const unsigned long long mine = next_ + __popc(idle & ((1u << lane) - 1));
    next_ = min(next_ + __popc(idle), end_);
    if (!wants || mine >= end_) return false;
    pixel = later_.pixel[mine];
    return true;
  }
  __device__ __forceinline__ bool are_done() const { return !more_; }

 private:
  const long_points& later_;
  unsigned long long found_, next_ = 0, end_ = 0;
  unsigned at_once_;
  bool more_ = true;
};

/// The point that a lane iterates in the second pass, or none while the lane is idle.
template <class T>
class point_of_lane {
 public:
  __device__ __forceinline__ bool is_idle() const { return !busy_; }

  __device__ __forceinline__ void begin(std::uint32_t pixel, T re, T im) {
    pixel_ = pixel;
    z_ = {re, im, 0, 0, 0, 0};
    around_.set(z_.re, z_.im);
    old_x_ = old_y_ = 0;
    n_ = 0;
    save_at_ = block;
    busy_ = true;
  }

  /// Iterates one block. A block in which the orbit may have escaped is undone and held, so that the lanes
  /// of a warp repeat their held blocks together. An idle lane computes a block that it does not use.
  __device__ __forceinline__ void iterate_block(std::uint32_t limit, std::uint32_t* __restrict__ counts) {
    const T before_x = z_.x, before_y = z_.y;
#pragma unroll
    for (std::uint32_t i = 0; i < block; ++i) z_.step();
    const bool may_be_out = !(z_.xx + z_.yy < T(3.75));
    const bool returned = z_.x == old_x_ && z_.y == old_y_;
    if (!busy_) return;
    if (may_be_out || n_ + block >= limit) {
      held_x_ = before_x;
      held_y_ = before_y;
      is_held_ = true;
      busy_ = false;
    } else if (returned || around_.holds(z_.x, z_.y)) {
      counts[pixel_] = limit;
      busy_ = false;
    } else {
      n_ += block;
      // Brent: the earlier point is replaced whenever the age of the orbit has doubled.
      if (n_ >= save_at_) {
        old_x_ = z_.x;
        old_y_ = z_.y;
        save_at_ = 2 * n_;
      }
    }
  }

  /// Repeats a held block step by step, which finds the iteration of the escape. The lane continues with the
  /// point if the orbit has not escaped.
  __device__ __forceinline__ void repeat_held_block(std::uint32_t limit, std::uint32_t* __restrict__ counts) {
    if (!is_held_) return;
    z_ = {z_.re, z_.im, held_x_, held_y_, held_x_ * held_x_, held_y_ * held_y_};
    const std::uint32_t last = min(limit, n_ + block);
    const std::uint32_t count = rest_of_count(z_, n_, last);
    if (count < last || last == limit) {
      counts[pixel_] = count;
    } else {
      busy_ = true;
      n_ = last;
    }
    is_held_ = false;
  }

 private:
  orbit<T> z_{};
  trap<T> around_;
  T old_x_ = 0, old_y_ = 0;    ///< an earlier point of the orbit, to which a periodic orbit returns
  T held_x_ = 0, held_y_ = 0;  ///< the orbit before the held block
  std::uint32_t n_ = 0, save_at_ = 0, pixel_ = 0;
  bool busy_ = false, is_held_ = false;
};

/// Second pass: each lane has a point of its own and takes the next one when that is done.
template <class T>
__global__ void __launch_bounds__(threads)
    later_iterations(const T* __restrict__ re, const T* __restrict__ im, std::uint32_t width,
                     std::uint32_t limit, std::uint32_t* __restrict__ counts, long_points later) {
  point_of_lane<T> point;
  points_of_warp points(later);
  for (;;) {
    // A few idle lanes are cheaper than new points for them.
    if (__popc(__ballot_sync(every_lane, point.is_idle())) >= most_idle) {
      point.repeat_held_block(limit, counts);
      points.refill();
      const unsigned idle = __ballot_sync(every_lane, point.is_idle());
      std::uint32_t pixel;
      if (points.give(idle, point.is_idle(), pixel)) {
        const std::uint32_t row = pixel / width;
        point.begin(pixel, re[pixel - row * width], im[row]);
      }
      if (idle == every_lane && points.are_done()) return;
    }
    // Several blocks between looks for new points.
#pragma unroll 1
    for (int turn = 0; turn < 4; ++turn) point.iterate_block(limit, counts);
  }
}

__global__ void __launch_bounds__(threads)
    copy_reversed(std::uint32_t* counts, std::size_t width, std::size_t first, std::size_t count,
                  std::size_t sum) {
  for (std::size_t i = std::size_t{blockIdx.x} * threads + threadIdx.x; i < count * width;
       i += std::size_t{gridDim.x} * threads) {
    const std::size_t row = i / width;
    counts[first * width + i] = counts[(sum - first - row) * width + (i - row * width)];
  }
}

}  // namespace heddle::mandelbrot::gpu
