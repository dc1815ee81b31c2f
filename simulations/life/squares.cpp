#include "life/squares.hpp"

namespace heddle::life {

void count_squares(const grid& line, const squares& what, std::vector<std::uint64_t>& live) {
  const std::uint64_t* const row = line.row(0);
  const std::size_t words = line.words_in_row();
  for (std::size_t i = 0; i < what.columns; ++i) {
    const span_of_cells in = what.columns_of(i, line.width());
    live[i] += live_in_run(row, words, in.first, in.last);
  }
}

}  // namespace heddle::life
