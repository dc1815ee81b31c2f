#pragma once

#include <heddle/compiler.hpp>

#include <cstddef>

/// The lattice D2Q9 and how its populations lie in memory. Everything is in lattice units: a cell is 1 wide
/// and a step lasts 1, so that the speed of sound is 1/√3.
namespace heddle::lbm {

/// Populations of a cell: 0 is at rest; 2p+1 and 2p+2 move along and against the velocity of pair p.
inline constexpr int pairs = 4;
inline constexpr int velocities = 1 + 2 * pairs;
/// The population that moves against one that moves.
HD_INLINE constexpr int opposite(int moving) {
  return ((moving - 1) ^ 1) + 1;
}

/// Velocities of the pairs. None goes to the left, which the boundaries on the left and the right rely on.
HD_INLINE constexpr int pair_x(int pair) {
  return pair == 1 ? 0 : 1;
}
HD_INLINE constexpr int pair_y(int pair) {
  return pair == 0 ? 0 : pair == 3 ? -1 : 1;
}

/// Weights: what a population is in fluid at rest of density 1.
HD_INLINE constexpr double pair_weight(int pair) {
  return pair < 2 ? 1.0 / 9 : 1.0 / 36;
}
inline constexpr double rest_weight = 4.0 / 9;
inline constexpr double speed_of_sound = 0.57735026918962576;

/// Where cells lie: rows from the bottom, with a ring of one cell around the grid. Columns from `width` to
/// the next multiple of row_alignment may be computed like the others, and mean nothing.
struct layout {
  std::ptrdiff_t width = 0, height = 0, pitch = 0, plane = 0;

  static constexpr std::ptrdiff_t row_alignment = 64;

  /// For populations of so many bytes.
  static layout of(std::ptrdiff_t width, std::ptrdiff_t height, std::ptrdiff_t bytes) {
    layout made;
    made.width = width;
    made.height = height;
    made.pitch = (width + row_alignment - 1) / row_alignment * row_alignment + row_alignment;
    // Planes begin at different places of a page: else they would share sets of a cache, and a processor
    // takes a load for what it has just stored to the same place of another page. At lines of 128 bytes, as a
    // GPU has them.
    const std::ptrdiff_t page = 4096 / bytes, apart = 384 / bytes;
    made.plane = ((height + 2) * made.pitch + page - 1) / page * page + apart;
    return made;
  }

  HD_INLINE std::ptrdiff_t at(std::ptrdiff_t x, std::ptrdiff_t y) const { return (y + 1) * pitch + x; }
  HD_INLINE std::ptrdiff_t step(int pair) const { return pair_y(pair) * pitch + pair_x(pair); }
  std::size_t elements() const { return static_cast<std::size_t>(plane) * velocities; }
};

/// The populations before a collision, in place: one lattice, no copy (esoteric pull: M. Lehmann, Esoteric
/// Pull and Esoteric Push, Computation 10 (2022) 92). Of each pair there are two planes:
///
///   along:    the population along the pair's velocity c is in the cell itself, own[p][n];
///   against:  the population against it is in the cell that it came from, ahead[p][n + c].
///
/// A step of cell n reads both, collides, and puts what now goes along c at ahead[p][n + c], and what goes
/// against it at own[p][n]: the very places that it read, which no other cell touches. So cells may go in any
/// order. What left n along c then lies in cell n + c, and what cell n + c sent against c lies there too:
/// exchanging the two planes makes them own[p] and ahead[p] of the next step.
template <class S>
struct populations {
  S* rest;
  S* own[pairs];
  S* ahead[pairs];

  static populations at(S* first, const layout& grid, bool is_exchanged) {
    populations made{first, {}, {}};
    for (int p = 0; p < pairs; ++p) {
      made.own[p] = first + (2 * p + 1) * grid.plane;
      made.ahead[p] = first + (2 * p + 2) * grid.plane;
    }
    return is_exchanged ? made.exchanged() : made;
  }

  populations exchanged() const {
    populations made{rest, {}, {}};
    for (int p = 0; p < pairs; ++p) {
      made.own[p] = ahead[p];
      made.ahead[p] = own[p];
    }
    return made;
  }

  /// Where population `number` of the cell at `place` is.
  HD_INLINE S& of(const layout& grid, std::ptrdiff_t place, int number) const {
    if (number == 0) return rest[place];
    const int p = (number - 1) / 2;
    return number % 2 != 0 ? own[p][place] : ahead[p][place + grid.step(p)];
  }
};

}  // namespace heddle::lbm
