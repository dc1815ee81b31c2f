#pragma once

#include "life/grid.hpp"
#include <heddle/target.hpp>

#include <cstdint>

namespace heddle::life {

/// Cells that live with the given probability, in steps of 2^−32, each independently of the others. They are
/// a function of the seed and the place alone. Throws heddle::error for a density outside 0 … 1.
grid soup(std::size_t width, std::size_t height, double density, std::uint64_t seed, const target& where);

}  // namespace heddle::life
