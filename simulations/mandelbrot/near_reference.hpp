#pragma once

// For what is compiled once for each instruction set, with HEDDLE_ISA naming it; see heddle/support/simd.hpp.
#include "mandelbrot/lanes.hpp"
#include "mandelbrot/perturbation.hpp"

#include <cstddef>
#include <cstdint>

namespace heddle::mandelbrot {
inline namespace HEDDLE_ISA {
namespace {

/// Counts pixels beside a reference orbit as escape_count_near does, bit for bit. Each lane has a pixel of
/// its own and takes single iterations; what else happens to it happens outside of the registers.
class near_counter {
  using L = lanes<double>;
  using real = L::real;
  using integers = L::integers;
  using integer = L::integer;
  static constexpr int width = L::width;
  // Two registers in flight hide some of the latency of an iteration.
  static constexpr int registers = 2, in_flight = registers * width;

 public:
  HEDDLE_LANES near_counter(const reference_view& reference, const double* re, const double* im,
                            std::size_t columns, std::uint32_t limit, std::uint32_t* counts, double* beyond)
      : reference_(reference),
        column_(re),
        row_(im),
        columns_(columns),
        limit_(limit),
        counts_(counts),
        beyond_(beyond) {}

  HEDDLE_LANES void count(std::size_t first, std::size_t last) {
    next_ = first;
    last_ = last;
    for (int lane = 0; lane < in_flight; ++lane) take(lane);
    while (running_ > 0) {
      unsigned events[registers];
      iterate(events);
      for (int r = 0; r < registers; ++r) {
        for (unsigned left = events[r]; left != 0; left &= left - 1) {
          settle_lane(r * width + __builtin_ctz(left));
        }
      }
    }
  }

 private:
  static HEDDLE_LANES real larger(real a, real b) {
    const real p = a < 0 ? -a : a, q = b < 0 ? -b : b;
    return p < q ? q : p;
  }

  static HEDDLE_LANES real gathered(const double* from, integers at) {
#if defined(__AVX512F__)
    return (real)_mm512_i64gather_pd((__m512i)at, from, 8);
#elif defined(__AVX2__)
    return (real)_mm256_i64gather_pd(from, (__m256i)at, 8);
#else
    real v;
    for (int lane = 0; lane < width; ++lane) v[lane] = from[at[lane]];
    return v;
#endif
  }

  /// Single iterations until something happens to some lane: its bits are set then.
  HEDDLE_LANES void iterate(unsigned* events) {
    real re[registers], im[registers], ux[registers], uy[registers], x[registers], y[registers],
        zx[registers], zy[registers];
    integers m[registers], n[registers];
    for (int r = 0; r < registers; ++r) {
      const int at = r * width;
      re[r] = cpu::simd<double>::load(re_ + at);
      im[r] = cpu::simd<double>::load(im_ + at);
      ux[r] = cpu::simd<double>::load(ux_ + at);
      uy[r] = cpu::simd<double>::load(uy_ + at);
      x[r] = cpu::simd<double>::load(x_ + at);
      y[r] = cpu::simd<double>::load(y_ + at);
      m[r] = cpu::simd<integer>::load(m_ + at);
      n[r] = cpu::simd<integer>::load(n_ + at);
      zx[r] = gathered(&reference_.z->re, 2 * m[r]);
      zy[r] = gathered(&reference_.z->im, 2 * m[r]);
    }
    const real unit = real{} + reference_.unit, four = real{} + 4.0,
               radius = real{} + reference_.largest_radius;
    const integers end = integers{} + static_cast<integer>(reference_.last),
                   limit = integers{} + static_cast<integer>(limit_),
                   within = integers{} + ((1 << reference_view::first_level) - 1);
    unsigned any = 0;
    do {
      any = 0;
#pragma GCC unroll 2
      for (int r = 0; r < registers; ++r) {
        const real a_re = zx[r] + x[r], a_im = zy[r] + y[r];
        const real next = (a_re * ux[r] - a_im * uy[r]) + re[r];
        uy[r] = (a_re * uy[r] + a_im * ux[r]) + im[r];
        ux[r] = next;
        m[r] += 1;
        n[r] += 1;
        zx[r] = gathered(&reference_.z->re, 2 * m[r]);
        zy[r] = gathered(&reference_.z->im, 2 * m[r]);
        const real far_x = ux[r] * unit, far_y = uy[r] * unit;
        x[r] = zx[r] + far_x;
        y[r] = zy[r] + far_y;
        const unsigned goes_on = L::bits(L::below(L::all(), x[r] * x[r] + y[r] * y[r], four));
        const unsigned rebases = L::bits(L::below(L::all(), larger(x[r], y[r]), larger(far_x, far_y)));
        const unsigned ends = L::bits(L::same(m[r], end)) | L::bits(L::same(n[r], limit));
        const unsigned skips =
            L::bits(L::below(L::same((m[r] - 1) & within, integers{}), larger(ux[r], uy[r]), radius));
        events[r] = (~goes_on & L::bits(L::all())) | rebases | ends | skips;
        any |= events[r];
      }
    } while (any == 0);
    for (int r = 0; r < registers; ++r) {
      const int at = r * width;
      __builtin_memcpy(ux_ + at, &ux[r], sizeof(real));
      __builtin_memcpy(uy_ + at, &uy[r], sizeof(real));
      __builtin_memcpy(x_ + at, &x[r], sizeof(real));
      __builtin_memcpy(y_ + at, &y[r], sizeof(real));
      __builtin_memcpy(m_ + at, &m[r], sizeof(integers));
      __builtin_memcpy(n_ + at, &n[r], sizeof(integers));
    }
  }

  /// Handles the result of a lane's iteration, and finds the linear steps that can be taken from there.
  HEDDLE_LANES void settle_lane(int lane) {
    if (!busy_[lane]) return clear(lane);
    perturbed_point p{re_[lane],
                      im_[lane],
                      ux_[lane],
                      uy_[lane],
                      x_[lane],
                      y_[lane],
                      old_x_[lane],
                      old_y_[lane],
                      static_cast<std::uint32_t>(m_[lane]),
                      static_cast<std::uint32_t>(n_[lane]),
                      rebased_[lane]};
    fate what = settle(reference_, p, limit_);
    while (what == fate::goes_on) {
      const int level = level_at(reference_, p, limit_);
      if (level < 0) return put(lane, p);
      advance(reference_, p, level);
      what = settle(reference_, p, limit_);
    }
    counts_[pixel_[lane]] = what == fate::escapes ? p.n - 1 : limit_;
    if (what == fate::escapes && beyond_ != nullptr) beyond_[pixel_[lane]] = norm_beyond(reference_, p);
    --running_;
    take(lane);
  }

  HEDDLE_LANES void take(int lane) {
    busy_[lane] = next_ < last_;
    if (!busy_[lane]) return clear(lane);
    pixel_[lane] = next_;
    put(lane, {column_[next_ % columns_], row_[next_ / columns_]});
    ++next_;
    ++running_;
  }

  /// A lane without a pixel is a pixel in the middle.
  HEDDLE_LANES void clear(int lane) { put(lane, {0, 0}); }

  HEDDLE_LANES void put(int lane, const perturbed_point& p) {
    re_[lane] = p.re;
    im_[lane] = p.im;
    ux_[lane] = p.ux;
    uy_[lane] = p.uy;
    x_[lane] = p.x;
    y_[lane] = p.y;
    old_x_[lane] = p.old_x;
    old_y_[lane] = p.old_y;
    m_[lane] = p.m;
    n_[lane] = p.n;
    rebased_[lane] = p.rebased;
  }

  const reference_view& reference_;
  const double* column_;
  const double* row_;
  std::size_t columns_;
  std::uint32_t limit_;
  std::uint32_t* counts_;
  double* beyond_;
  std::size_t next_ = 0, last_ = 0;
  int running_ = 0;
  alignas(64) double re_[in_flight], im_[in_flight], ux_[in_flight], uy_[in_flight], x_[in_flight],
      y_[in_flight];
  alignas(64) integer m_[in_flight], n_[in_flight];
  double old_x_[in_flight], old_y_[in_flight];
  std::uint32_t rebased_[in_flight];
  std::size_t pixel_[in_flight];
  bool busy_[in_flight];
};

/// The pixels first, … last − 1 in the order of rows.
void count_near(const reference_view& reference, const double* re, const double* im, std::size_t width,
                std::size_t first, std::size_t last, std::uint32_t limit, std::uint32_t* counts,
                double* beyond) {
  if (limit == 0) {
    for (std::size_t i = first; i < last; ++i) counts[i] = 0;
    return;
  }
  near_counter(reference, re, im, width, limit, counts, beyond).count(first, last);
}

}  // namespace
}  // namespace HEDDLE_ISA
}  // namespace heddle::mandelbrot
