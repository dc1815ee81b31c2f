#pragma once

#include "life/universe.hpp"

#include <cstdint>
#include <optional>

namespace heddle::life {

/// Finds when a universe repeats itself (Brent 1980): the state that is a power of two after the first one
/// looked at is kept and compared with each one after it, until the next power.
class cycle_detector {
 public:
  /// Looks at the universe, one generation after it did last. Returns the period, the smallest one, when its
  /// cells are those that are kept.
  std::optional<std::uint64_t> look_at(universe& world);

 private:
  placed_grid kept_;
  std::uint64_t kept_population_ = 0, kept_generation_ = 0, next_kept_ = 0, first_ = 0;
  bool has_kept_ = false;
};

}  // namespace heddle::life
