#include "mandelbrot/kernels.hpp"
#include <heddle/error.hpp>

namespace heddle::mandelbrot::gpu {
namespace {

[[noreturn]] void refuse() {
  fail("this build of Heddle has no GPU support: build it with the CUDA toolkit and HEDDLE_CUDA=ON");
}

}  // namespace

void count(const target&, const float*, const float*, std::size_t, std::size_t, std::uint32_t,
           std::uint32_t*) {
  refuse();
}
void count(const target&, const double*, const double*, std::size_t, std::size_t, std::uint32_t,
           std::uint32_t*) {
  refuse();
}
void count_near(const target&, const reference_view&, const double*, const double*, std::size_t, std::size_t,
                std::uint32_t, std::uint32_t*, double*) {
  refuse();
}
void copy_mirrored(const target&, std::uint32_t*, std::size_t, const mirrored_rows&) {
  refuse();
}

}  // namespace heddle::mandelbrot::gpu
