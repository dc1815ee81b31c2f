#include "monte_carlo/points.hpp"
#include <heddle/error.hpp>

namespace heddle::monte_carlo::gpu {

std::uint64_t points(const target&, std::uint64_t, std::uint64_t, std::uint64_t) {
  fail("this build of Heddle has no GPU support: configure it where the CUDA toolkit is installed");
}

}  // namespace heddle::monte_carlo::gpu
