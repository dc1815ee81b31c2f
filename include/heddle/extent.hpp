#pragma once

#include <heddle/shape.hpp>

#include <cstddef>
#include <iterator>
#include <vector>

namespace heddle {

/// How many indices there are along 1, 2 or 3 axes, slowest first: extent{n}, extent{rows, columns}.
template <int Axes>
struct extent {
  static_assert(1 <= Axes && Axes <= 3, "for_each_index runs over one, two or three axes");
  std::size_t lengths[static_cast<std::size_t>(Axes)];

  /// Throws heddle::error when the product of the lengths does not fit 64 bits.
  std::size_t count() const {
    return shape(std::vector<std::size_t>(std::begin(lengths), std::end(lengths))).elements();
  }
};
template <class... I>
extent(I...) -> extent<sizeof...(I)>;

/// The shape of a GPU launch, to override the one that Heddle chooses: threads of a block along the fastest,
/// the next and the slowest axis, at most 1024 in all, and blocks of the grid. A zero leaves the choice to
/// Heddle, which takes the threads with the best occupancy and as many blocks as there is work for. Every
/// index is visited whatever the shape.
struct launch_shape {
  unsigned block_x = 0, block_y = 0, block_z = 0;
  unsigned blocks = 0;
};

}  // namespace heddle
