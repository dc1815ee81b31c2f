#pragma once

#include "contender.hpp"

#include <string>
#include <vector>

namespace heddle::cli::bench {

/// The names of a pattern's algorithms, the default first.
std::vector<std::string> algorithms_of(pattern which);

/// Heddle's own way to do the work, by one algorithm.
contender heddle_pattern(const workload& work, const std::string& algorithm);

}  // namespace heddle::cli::bench
