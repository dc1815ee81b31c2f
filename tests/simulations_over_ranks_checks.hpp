#pragma once

#include "life_over_ranks.hpp"

#include <string>

namespace heddle::tests {

/// Every simulation over ranks; `folder` is the same on every rank.
inline void check_simulations(const ranks& all, const std::string&) {
  check_life_engines(all);
  check_life_universes(all);
}

}  // namespace heddle::tests
