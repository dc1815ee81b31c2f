#include "mandelbrot/reference_orbit.hpp"

#include <heddle/error.hpp>
#include <heddle/interruption.hpp>

#include <algorithm>
#include <cmath>
#include <new>
#include <utility>

#include <fmt/format.h>
#include <mpfr.h>

namespace heddle::mandelbrot {
namespace {

class big_float {
 public:
  explicit big_float(int bits) { mpfr_init2(value_, bits); }
  big_float(const std::string& decimal, int bits) : big_float(bits) {
    mpfr_strtofr(value_, decimal.c_str(), nullptr, 10, MPFR_RNDN);
  }
  ~big_float() { mpfr_clear(value_); }
  big_float(const big_float&) = delete;
  big_float& operator=(const big_float&) = delete;

  operator mpfr_ptr() noexcept { return value_; }
  double in_double() const { return mpfr_get_d(value_, MPFR_RNDN); }

 private:
  mpfr_t value_;
};

/// As many bits as the digits say, and some.
int bits_of(const std::string& decimal) {
  return static_cast<int>(std::min<std::size_t>(decimal.size(), 1U << 20) * 4) + 64;
}

}  // namespace

std::string moved(const std::string& from, double factor, double size) {
  const int digits = std::max(0, 20 - static_cast<int>(std::floor(std::log10(size))));
  const int bits = std::max(bits_of(from), 4 * digits + 64);
  big_float sum(from, bits), step(bits);
  mpfr_set_d(step, factor, MPFR_RNDN);
  mpfr_mul_d(step, step, size, MPFR_RNDN);
  mpfr_add(sum, sum, step, MPFR_RNDN);
  char* text = nullptr;
  if (mpfr_asprintf(&text, "%.*RNf", digits, static_cast<mpfr_ptr>(sum)) < 0) throw std::bad_alloc();
  std::string decimal(text);
  mpfr_free_str(text);
  return decimal;
}

double difference(const std::string& a, const std::string& b, double unit) {
  const int bits = std::max(bits_of(a), bits_of(b));
  big_float left(a, bits);
  big_float right(b, bits);
  mpfr_sub(left, left, right, MPFR_RNDN);
  mpfr_div_d(left, left, unit, MPFR_RNDN);
  return left.in_double();
}

reference_orbit::reference_orbit(std::string re, std::string im, std::uint32_t limit, int bits,
                                 const std::function<void(std::uint32_t done)>& report)
    : re_(std::move(re)), im_(std::move(im)), limit_(limit), bits_(bits) {
  constexpr double end = 1 << 20;  // |Z|²
  constexpr std::uint32_t between_reports = 1 << 10;
  big_float c_re(re_, bits), c_im(im_, bits);
  big_float x(bits), y(bits), xx(bits), yy(bits), xy(bits);
  for (big_float* const number : {&x, &y, &xx, &yy}) mpfr_set_zero(*number, 1);
  try {
    points_.push_back({0, 0});
    for (std::uint32_t n = 0; n < std::max(limit, 1U); ++n) {
      if (n % between_reports == 0) {
        check_interruption();
        if (report) report(n);
      }
      mpfr_mul(xy, x, y, MPFR_RNDN);
      mpfr_sub(x, xx, yy, MPFR_RNDN);
      mpfr_add(x, x, c_re, MPFR_RNDN);
      mpfr_mul_2ui(xy, xy, 1, MPFR_RNDN);
      mpfr_add(y, xy, c_im, MPFR_RNDN);
      mpfr_sqr(xx, x, MPFR_RNDN);
      mpfr_sqr(yy, y, MPFR_RNDN);
      const complex_double z{x.in_double(), y.in_double()};
      points_.push_back(z);
      if (z.re * z.re + z.im * z.im >= end) break;
    }
  } catch (const std::bad_alloc&) {
    fail(fmt::format("mandelbrot: a reference orbit of {} iterations: out of memory (needs {:.1f} GiB)",
                     limit, 16.0 * limit / (1 << 30)));
  }
}

}  // namespace heddle::mandelbrot
