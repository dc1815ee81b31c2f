#pragma once

#include "mandelbrot/perturbation.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace heddle::mandelbrot {

/// Decimal numbers of any number of digits. Both throw heddle::error where this build has no MPFR.

/// `from` + factor · size, to 10⁻²⁰ of `size`.
std::string moved(const std::string& from, double factor, double size);
/// (a − b)/unit in double.
double difference(const std::string& a, const std::string& b, double unit);

/// The orbit of a point: Z_0 = 0, Z_1 = C, … until |Z| is 2¹⁰ or more, or Z_limit. It is computed by MPFR
/// with `bits` bits and rounded to double. O(limit · M(bits)), and 16 bytes an iteration.
class reference_orbit {
 public:
  /// The numbers are decimal. `report` is called with the iterations that are done, a thousand or so at a
  /// time, and may throw; heddle::interruptible ends it too. Throws heddle::error where memory is short, and
  /// where this build has no MPFR.
  reference_orbit(std::string re, std::string im, std::uint32_t limit, int bits,
                  const std::function<void(std::uint32_t done)>& report = {});

  const std::string& re() const noexcept { return re_; }
  const std::string& im() const noexcept { return im_; }
  std::uint32_t limit() const noexcept { return limit_; }
  int bits() const noexcept { return bits_; }
  const std::vector<complex_double>& points() const noexcept { return points_; }

 private:
  std::string re_, im_;
  std::uint32_t limit_;
  int bits_;
  std::vector<complex_double> points_;
};

}  // namespace heddle::mandelbrot
