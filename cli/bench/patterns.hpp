#pragma once

#include "contender.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace heddle::cli::bench {

/// The names of a pattern's algorithms, the default first.
std::vector<std::string> algorithms_of(pattern which);

/// The most memory that an algorithm takes beside the input and the output of n elements.
std::size_t scratch_bytes(pattern which, const std::string& algorithm, dtype type, std::size_t n);

/// Heddle's own way to do the work, by one algorithm.
contender heddle_pattern(const workload& work, const std::string& algorithm);

}  // namespace heddle::cli::bench
