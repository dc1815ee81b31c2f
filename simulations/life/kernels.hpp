#pragma once

#include "life/rule.hpp"

#include <cstddef>
#include <cstdint>

/// A grid in slices: the columns are cut into 512 equal runs of `positions` columns, and a block of 512 bits
/// holds one column of every run. The left and right neighbours of all cells of a block are then the blocks
/// beside it, with no shifts; only at the ends of a row a block is shifted by one bit, because run l goes on
/// in run l + 1.
namespace heddle::life {

inline constexpr std::size_t slices = 512, block_words = slices / 64;

/// Where a width that is no multiple of 512 ends, one more column is there: of a torus it is column 0 again,
/// of a plane it stays dead.
struct sliced_shape {
  std::size_t width, height;
  bool torus;
  std::size_t positions;

  [[gnu::always_inline]] static sliced_shape of(std::size_t width, std::size_t height, bool torus) {
    return {width, height, torus, width % slices == 0 ? width / slices : width / slices + 1};
  }
  [[gnu::always_inline]] bool exact() const { return width == positions * slices; }
  [[gnu::always_inline]] std::size_t words_in_row() const { return positions * block_words; }
  /// Which word of a row holds a column, and which bit of it.
  [[gnu::always_inline]] std::size_t word_of(std::size_t column) const {
    const std::size_t slice = column / positions, position = column % positions;
    return position * block_words + slice / 64;
  }
  [[gnu::always_inline]] std::size_t bit_of(std::size_t column) const { return column / positions % 64; }
};

/// Rows first … last−1, `generations` later: reads `now`, writes those rows of `next`. `work` holds
/// work_words(shape, generations) words.
struct sliced_pass {
  const std::uint64_t* now;
  std::uint64_t* next;
  std::size_t first, last;
  std::size_t generations;
  std::uint64_t* work;
};

[[gnu::always_inline]] inline std::size_t work_words(const sliced_shape& shape, std::size_t generations) {
  return (4 * generations + 1) * shape.words_in_row();
}

inline constexpr std::size_t most_planes = 8, most_rows_counted = (std::size_t{1} << most_planes) - 1;

struct sliced_kernels {
  void (*advance)(const sliced_shape&, const rule&, const sliced_pass&);
  /// Live cells of rows; `mask` is a row of ones where columns are.
  std::uint64_t (*population)(const sliced_shape&, const std::uint64_t* rows, std::size_t count,
                              const std::uint64_t* mask);
  /// How many live cells each column of `count` rows has, up to most_rows_counted: bit p of all columns'
  /// numbers is row p of `planes`, of bit_width(count) rows. Reads each row once.
  void (*count_columns)(const sliced_shape&, const std::uint64_t* rows, std::size_t count,
                        std::uint64_t* planes);
  /// Adds 2^level for each bit of columns edges[i] … edges[i+1]−1 of line `level` to live[i]. A line of
  /// line_words has its columns in order, and a word more than they take.
  void (*count_squares)(const std::uint64_t* lines, std::size_t line_words, std::size_t levels,
                        const std::size_t* edges, std::size_t squares, std::uint64_t* live);
  /// 255 for each live cell of columns first … last−1 of such a line, and 0 for each dead one.
  void (*spread_cells)(const std::uint64_t* line, std::size_t first, std::size_t last, unsigned char* pixels);
};

sliced_kernels baseline_sliced_kernels();
sliced_kernels avx2_sliced_kernels();
sliced_kernels avx512_sliced_kernels();

}  // namespace heddle::life
