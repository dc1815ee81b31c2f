#include "life/squares.hpp"

#include <bit>

namespace heddle::life {

void count_squares(const grid& line, const squares& what, std::vector<std::uint64_t>& live) {
  const std::uint64_t* const row = line.row(0);
  const std::size_t words = line.words_in_row();
  for (std::size_t i = 0; i < what.columns; ++i) {
    const span_of_cells in = what.columns_of(i, line.width());
    for (std::size_t x = in.first; x < in.last; x += 64)
      live[i] += static_cast<std::uint64_t>(std::popcount(bits_of_run(row, words, x, in.last - x)));
  }
}

}  // namespace heddle::life
