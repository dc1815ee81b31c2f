#pragma once

#include <heddle/compiler.hpp>

#include <cstdint>

namespace heddle::random {

/// Which random numbers: element i of stream (seed, offset) is element offset + i of (seed, 0). It depends on
/// nothing else, neither the target, nor the number of threads, nor the order in which elements are made, so
/// parts of a sequence can be made separately.
struct stream {
  std::uint64_t seed = 0;
  std::uint64_t offset = 0;
};

}  // namespace heddle::random
