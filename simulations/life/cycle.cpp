#include "life/cycle.hpp"

#include <algorithm>
#include <utility>

namespace heddle::life {

std::optional<std::uint64_t> cycle_detector::look_at(universe& world) {
  const std::uint64_t population = world.population();
  const bool keep = !has_kept_ || world.generation() >= next_kept_;
  const bool compare = has_kept_ && population == kept_population_;
  if (!keep && !compare) return std::nullopt;
  placed_grid now = world.cells();
  if (compare && now == kept_) return world.generation() - kept_generation_;
  if (keep) {
    kept_ = std::move(now);
    kept_population_ = population;
    kept_generation_ = world.generation();
    if (!has_kept_) first_ = next_kept_ = kept_generation_;
    // Powers of two after the first.
    next_kept_ += std::max<std::uint64_t>(1, next_kept_ - first_);
    has_kept_ = true;
  }
  return std::nullopt;
}

}  // namespace heddle::life
