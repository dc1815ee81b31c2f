#pragma once

#include <heddle/ranks.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace heddle::cli::bench {

/// One measurement over ranks: `rate` things a second, such as elements.
struct scaling_result {
  std::string what, scaling;  // "strong": the same work for any number of ranks; "weak": as much for each
  std::size_t work;           // things a run
  std::string things;
  double seconds, rate;
};

/// Patterns, the halo exchange and simulations, each strong and weak, of about `elements` elements or cells;
/// the median of runs that take `seconds` in all. Every rank calls it, also a single one.
std::vector<scaling_result> measure_over_ranks(const ranks& all, std::size_t elements, double seconds);

}  // namespace heddle::cli::bench
