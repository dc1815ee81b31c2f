#include "life_library.hpp"

namespace heddle::viewer {

std::span<const known_pattern> known_patterns() noexcept {
  static constexpr known_pattern all[] = {
      {"glider", "Glider", "bo$2bo$3o!"},
      {"spaceship", "Lightweight spaceship", "bo2bo$o$o3bo$4o!"},
      {"blinker", "Blinker", "3o!"},
      {"block", "Block", "2o$2o!"},
      {"pulsar", "Pulsar",
       "2b3o3b3o2$o4bobo4bo$o4bobo4bo$o4bobo4bo$2b3o3b3o2$2b3o3b3o$o4bobo4bo$o4bobo4bo$o4bobo4bo2$2b3o3b3o!"},
      {"pentadecathlon", "Pentadecathlon", "2bo4bo$2ob4ob2o$2bo4bo!"},
      {"r-pentomino", "R-pentomino", "b2o$2o$bo!"},
      {"acorn", "Acorn", "bo$3bo$2o2b3o!"},
      {"diehard", "Diehard", "6bo$2o$bo3b3o!"},
      {"glider-gun", "Gosper's glider gun",
       "24bo$22bobo$12b2o6b2o12b2o$11bo3bo4b2o12b2o$2o8bo5bo3b2o$2o8bo3bob2o4bobo$10bo5bo7bo$11bo3bo$12b2o!"},
      {"switch-engine", "Switch engine", "bobo$o$bo2bo$3b3o!"},
      {"infinite-growth", "Ten cells that grow for ever", "6bo$4bob2o$4bobo$4bo$2bo$obo!"},
  };
  return all;
}

}  // namespace heddle::viewer
