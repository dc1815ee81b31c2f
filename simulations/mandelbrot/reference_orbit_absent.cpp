#include "mandelbrot/reference_orbit.hpp"
#include <heddle/error.hpp>

namespace heddle::mandelbrot {
namespace {

[[noreturn]] void refuse() {
  fail(
      "mandelbrot: a deep picture takes MPFR, which this build of Heddle has not: install libmpfr-dev, which "
      "`make deps` does, and configure with -DHEDDLE_MPFR=ON");
}

}  // namespace

std::string moved(const std::string&, double, double) {
  refuse();
}
double difference(const std::string&, const std::string&, double) {
  refuse();
}
reference_orbit::reference_orbit(std::string, std::string, std::uint32_t, int,
                                 const std::function<void(std::uint32_t)>&) {
  refuse();
}

}  // namespace heddle::mandelbrot
