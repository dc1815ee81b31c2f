#pragma once

#include "lattice_boltzmann/field.hpp"
#include "lattice_boltzmann/flow.hpp"
#include <heddle/io/colour.hpp>

#include <cstdint>
#include <vector>

namespace heddle::lbm {

/// A field as colours, rows from the top: the speed from black over red and yellow to white, vorticity and
/// density from blue over white to red, obstacles grey. The range is that of 98 % of the cells, and does not
/// shrink from one picture to the next.
class pictures {
 public:
  explicit pictures(field of) : field_(of) {}

  static std::vector<colour> palette(field of);
  /// A place in the palette for each cell.
  const std::vector<std::uint8_t>& draw(const flow& of);

 private:
  field field_;
  float range_ = 0;
  std::vector<std::uint8_t> pixels_;
};

}  // namespace heddle::lbm
