#include "laplace/grid.hpp"

#include <heddle/error.hpp>

#include <algorithm>
#include <cstdlib>
#include <limits>

#include <fmt/format.h>

namespace heddle::laplace {

template <class T>
axis_transfer<T>::axis_transfer(std::ptrdiff_t fine_points, std::ptrdiff_t coarse_points) {
  const std::ptrdiff_t fine = fine_points - 1, coarse = coarse_points - 1;  // intervals
  const auto at = [](std::ptrdiff_t i) { return static_cast<std::size_t>(i); };
  // Twice as many intervals at most: then a coarse point takes no more than most_fine_points.
  static_assert(2 * 2 <= most_fine_points);
  if (fine > 2 * coarse)
    fail(fmt::format(
        "laplace: {} coarse points for {} fine ones along an axis are too few: this is a defect of heddle",
        coarse_points, fine_points));
  constexpr int most = std::numeric_limits<int>::max();
  if (fine_points > most)
    fail(fmt::format("laplace: multigrid takes up to {} points along an axis, not {}: use another method",
                     most, fine_points));
  below.resize(at(fine_points));
  above.resize(at(fine_points));
  first.resize(at(coarse_points));
  count.resize(at(coarse_points));
  weights.resize(at(coarse_points * most_fine_points));
  for (std::ptrdiff_t i = 0; i <= fine; ++i) {
    // i/fine = j/coarse, in whole numbers.
    const std::ptrdiff_t j = std::min(i * coarse / fine, coarse - 1);
    below[at(i)] = static_cast<int>(j);
    above[at(i)] = static_cast<T>(static_cast<double>(i * coarse - j * fine) / static_cast<double>(fine));
  }
  for (std::ptrdiff_t j = 1; j < coarse; ++j) {
    // Fine points closer than a coarse interval: (j−1)·fine < i·coarse < (j+1)·fine.
    const std::ptrdiff_t from = (j - 1) * fine / coarse + 1;
    first[at(j)] = static_cast<int>(from);
    int taken = 0;
    for (std::ptrdiff_t i = from; i * coarse < (j + 1) * fine; ++i, ++taken) {
      const double distance =
          static_cast<double>(std::abs(i * coarse - j * fine)) / static_cast<double>(fine);
      weights[at(j * most_fine_points + taken)] =
          static_cast<T>((1 - distance) * static_cast<double>(coarse) / static_cast<double>(fine));
    }
    count[at(j)] = taken;
  }
}

template struct axis_transfer<float>;
template struct axis_transfer<double>;

extents coarser(const extents& fine) noexcept {
  const std::ptrdiff_t across = fine.width - 1, down = fine.height - 1;
  // Coarsened when it has at least 1/√2 times the intervals of the other.
  const auto halved = [](std::ptrdiff_t intervals, std::ptrdiff_t others) {
    const double mine = static_cast<double>(intervals), theirs = static_cast<double>(others);
    return intervals > 2 && 2 * mine * mine >= theirs * theirs ? (intervals + 1) / 2 : intervals;
  };
  return {halved(across, down) + 1, halved(down, across) + 1};
}

}  // namespace heddle::laplace
