#include "monte_carlo/points.hpp"
#include <heddle/error.hpp>

namespace heddle::monte_carlo::gpu {

std::uint64_t points(const target&, std::uint64_t, std::uint64_t, std::uint64_t) {
  fail("this build of Heddle has no GPU support: build it with the CUDA toolkit and HEDDLE_CUDA=ON");
}

}  // namespace heddle::monte_carlo::gpu
