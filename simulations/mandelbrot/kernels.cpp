// Compiled once for each instruction set, with HEDDLE_ISA naming it; see heddle/support/simd.hpp.
#include "mandelbrot/kernels.hpp"

#include "mandelbrot/escape.hpp"
#include "mandelbrot/lanes.hpp"
#include "mandelbrot/near_reference.hpp"
#include <heddle/support/simd.hpp>

namespace heddle::mandelbrot {
inline namespace HEDDLE_ISA {
namespace {

/// Counts the points of some rows. Every point takes its first few iterations beside its neighbours. Those
/// that are still there then wait for a lane of the engine, in which each lane has a point of its own and
/// takes the next one when that is done: so no lane waits for the slowest of its register.
template <class T>
class counter {
  using L = lanes<T>;
  using real = typename L::real;
  using integers = typename L::integers;
  static constexpr int width = L::width;
  // Registers in flight hide the latency of one iteration: as many as there are registers for.
  static constexpr int registers = cpu::register_bytes == 64 ? 4 : 2;
  static constexpr int in_flight = registers * width;
  static constexpr std::uint32_t together = 12, block = 8;
  static constexpr std::size_t room = 2048;
  static_assert(width <= room);

 public:
  HEDDLE_LANES counter(std::uint32_t limit, std::uint32_t* counts) : limit_(limit), counts_(counts) {
    for (int lane = 0; lane < in_flight; ++lane) free_lane(lane);
  }

  HEDDLE_LANES void row(const T* re, T im, std::size_t columns, std::size_t first) {
    for (std::size_t x = 0; x < columns; x += width) {
      const std::size_t left = columns - x;
      const int count = left < static_cast<std::size_t>(width) ? static_cast<int>(left) : width;
      alignas(64) T c[width];
      for (int lane = 0; lane < width; ++lane) c[lane] = re[x + (lane < count ? lane : 0)];
      first_iterations(c, im, count, first + x);
      if (waiting_ + width > room) run(false);
    }
  }

  HEDDLE_LANES void finish() { run(true); }

 private:
  struct point {
    T re, im, x, y;
    std::size_t at;
  };

  HEDDLE_LANES void first_iterations(const T* c, T im, int count, std::size_t at) {
    unsigned char inside[width];
    unsigned skipped = 0;
    for (int lane = 0; lane < width; ++lane) inside[lane] = is_inside(c[lane], im);
    for (int lane = 0; lane < count; ++lane) skipped += inside[lane];
    if (skipped == static_cast<unsigned>(count)) {
      for (int lane = 0; lane < count; ++lane) counts_[at + lane] = limit_;
      return;
    }
    const real re = cpu::simd<T>::load(c), four = real{} + T(4);
    real x{}, y{}, xx{}, yy{};
    integers n{};
    typename L::mask alive = L::all();
    const std::uint32_t most = limit_ < together ? limit_ : together;
    for (std::uint32_t i = 0; i < most; ++i) {
      step(x, y, xx, yy, re, real{} + im);
      alive = L::below(alive, xx + yy, four);
      n = L::count(n, alive);
      if ((i & 3) == 3 && L::bits(alive) == 0) break;
    }
    const unsigned going_on = limit_ > together ? L::bits(alive) : 0;
    for (int lane = 0; lane < count; ++lane) {
      counts_[at + lane] = inside[lane] ? limit_ : static_cast<std::uint32_t>(n[lane]);
      if (!inside[lane] && (going_on >> lane & 1) != 0)
        queue_[waiting_++] = {c[lane], im, x[lane], y[lane], at + lane};
    }
  }

  static HEDDLE_LANES void step(real& x, real& y, real& xx, real& yy, const real& re, const real& im) {
    const real xy = x * y;
    x = (xx - yy) + re;
    y = L::twice_and(xy, im);
    xx = x * x;
    yy = y * y;
  }

  /// Until nothing waits, or nothing is left.
  HEDDLE_LANES void run(bool to_the_end) {
    for (int lane = 0; lane < in_flight; ++lane) {
      if (!busy_[lane] && waiting_ > 0) take_lane(lane);
    }
    while (to_the_end ? running_ > 0 : waiting_ > 0) {
      real x[registers], y[registers], xx[registers], yy[registers];
      integers n[registers];
      typename L::mask alive[registers];
      const real four = real{} + T(4);
#pragma GCC unroll 4
      for (int r = 0; r < registers; ++r) {
        x[r] = cpu::simd<T>::load(x_ + r * width);
        y[r] = cpu::simd<T>::load(y_ + r * width);
        n[r] = cpu::simd<typename L::integer>::load(n_ + r * width);
        xx[r] = x[r] * x[r];
        yy[r] = y[r] * y[r];
        alive[r] = L::all();
      }
#pragma GCC unroll 1
      for (std::uint32_t i = 0; i < block; ++i) {
#pragma GCC unroll 4
        for (int r = 0; r < registers; ++r) {
          step(x[r], y[r], xx[r], yy[r], cpu::simd<T>::load(re_ + r * width),
               cpu::simd<T>::load(im_ + r * width));
          alive[r] = L::below(alive[r], xx[r] + yy[r], four);
          n[r] = L::count(n[r], alive[r]);
        }
      }
      unsigned done[registers], escaped[registers];
#pragma GCC unroll 4
      for (int r = 0; r < registers; ++r) {
        const int at = r * width;
        const real old_x = cpu::simd<T>::load(old_x_ + at), old_y = cpu::simd<T>::load(old_y_ + at);
        escaped[r] = L::bits(L::all()) & ~L::bits(alive[r]);
        const unsigned returned = L::bits(L::equal(x[r], old_x)) & L::bits(L::equal(y[r], old_y));
        integers age = cpu::simd<typename L::integer>::load(age_ + at) + 1;
        const integers keeps = (integers)((age & (age - 1)) == 0);
        const real new_x = keeps ? x[r] : old_x, new_y = keeps ? y[r] : old_y;
        // The rest of a block may pass the limit, and an escape there does not count.
        const integers past = (integers)(n[r] >= static_cast<typename L::integer>(limit_));
        unsigned finished = 0;
#if defined(__AVX512F__)
        if constexpr (sizeof(T) == 4) finished = _mm512_movepi32_mask((__m512i)past);
        if constexpr (sizeof(T) == 8) finished = _mm512_movepi64_mask((__m512i)past);
#else
        finished = L::bits(past);
#endif
        done[r] = escaped[r] | returned | finished;
        __builtin_memcpy(x_ + at, &x[r], sizeof(real));
        __builtin_memcpy(y_ + at, &y[r], sizeof(real));
        __builtin_memcpy(old_x_ + at, &new_x, sizeof(real));
        __builtin_memcpy(old_y_ + at, &new_y, sizeof(real));
        __builtin_memcpy(n_ + at, &n[r], sizeof(integers));
        __builtin_memcpy(age_ + at, &age, sizeof(integers));
      }
#pragma GCC unroll 1
      for (int r = 0; r < registers; ++r) {
        for (unsigned left = done[r]; left != 0; left &= left - 1) {
          const int bit = __builtin_ctz(left), lane = r * width + bit;
          if (busy_[lane]) {
            const auto n = static_cast<std::uint32_t>(n_[lane]);
            counts_[at_[lane]] = (escaped[r] >> bit & 1) != 0 && n < limit_ ? n : limit_;
            --running_;
          }
          if (waiting_ > 0) {
            take_lane(lane);
          } else {
            free_lane(lane);
          }
        }
      }
    }
  }

  HEDDLE_LANES void take_lane(int lane) {
    const point& next = queue_[--waiting_];
    set(lane, next.re, next.im, next.x, next.y);
    n_[lane] = together;
    at_[lane] = next.at;
    busy_[lane] = true;
    ++running_;
  }

  /// A point that stays at 0.
  HEDDLE_LANES void free_lane(int lane) {
    set(lane, 0, 0, 0, 0);
    n_[lane] = 0;
    busy_[lane] = false;
  }

  HEDDLE_LANES void set(int lane, T re, T im, T x, T y) {
    re_[lane] = re;
    im_[lane] = im;
    x_[lane] = old_x_[lane] = x;
    y_[lane] = old_y_[lane] = y;
    age_[lane] = 0;
  }

  std::uint32_t limit_;
  std::uint32_t* counts_;
  std::size_t waiting_ = 0;
  int running_ = 0;
  alignas(64) T re_[in_flight], im_[in_flight], x_[in_flight], y_[in_flight];
  // An orbit that comes back to where it was, at the latest power of two of blocks, never leaves (Brent).
  alignas(64) T old_x_[in_flight], old_y_[in_flight];
  alignas(64) typename L::integer n_[in_flight], age_[in_flight];
  std::size_t at_[in_flight];
  bool busy_[in_flight];
  point queue_[room];
};

template <class T>
void count_points(const T* re, const T* im, std::size_t width, std::size_t height, std::uint32_t limit,
                  std::uint32_t* counts) {
  counter<T> points(limit, counts);
  for (std::size_t y = 0; y < height; ++y) points.row(re, im[y], width, y * width);
  points.finish();
}

}  // namespace
}  // namespace HEDDLE_ISA

#define HEDDLE_JOIN(a, b) a##b
#define HEDDLE_COUNTS(isa) HEDDLE_JOIN(isa, _counts)

count_kernels HEDDLE_COUNTS(HEDDLE_ISA)() {
  return {count_points<float>, count_points<double>, count_near};
}

}  // namespace heddle::mandelbrot
