#pragma once

#include <heddle/compiler.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace heddle::life {

/// How many cells the smallest rectangle around `live` cells of an unbounded plane may have: every cell of
/// the rectangle takes memory.
constexpr std::uint64_t most_cells_around(std::uint64_t live) noexcept {
  constexpr int least = 30, for_each_live = 17, most = 36;  // powers of 2
  const std::uint64_t in_proportion =
      live >> (most - for_each_live) != 0 ? std::uint64_t{1} << most : live << for_each_live;
  return in_proportion < std::uint64_t{1} << least ? std::uint64_t{1} << least : in_proportion;
}

/// How many cells a grid keeps at least for a rectangle: rows are whole steps of the fastest engine.
constexpr std::uint64_t columns_kept(std::uint64_t width) noexcept {
  constexpr std::uint64_t step = 512;
  return (width + step - 1) / step * step;
}

/// A rectangle of cells, 64 to a word: column x of row y is bit x % 64 of word x / 64 of that row. Bits past
/// the width are 0.
class grid {
 public:
  grid() = default;
  /// Dead cells. Throws heddle::error when there are more than memory can hold.
  grid(std::size_t width, std::size_t height);

  std::size_t width() const noexcept { return width_; }
  std::size_t height() const noexcept { return height_; }
  std::size_t words_in_row() const noexcept { return words_in_row_; }

  std::uint64_t* row(std::size_t y) noexcept { return words_.data() + y * words_in_row_; }
  const std::uint64_t* row(std::size_t y) const noexcept { return words_.data() + y * words_in_row_; }
  const std::vector<std::uint64_t>& words() const noexcept { return words_; }

  bool operator()(std::size_t x, std::size_t y) const noexcept { return row(y)[x / 64] >> x % 64 & 1; }
  void set(std::size_t x, std::size_t y, bool alive = true) noexcept {
    const std::uint64_t bit = std::uint64_t{1} << x % 64;
    if (alive) {
      row(y)[x / 64] |= bit;
    } else {
      row(y)[x / 64] &= ~bit;
    }
  }

  /// Sets `count` ≥ 0 cells of a row from column x on alive.
  void set_run(std::size_t x, std::size_t y, std::size_t count) noexcept;

  std::uint64_t population() const noexcept;

  struct box {
    std::size_t left = 0, top = 0, width = 0, height = 0;
    friend bool operator==(const box&, const box&) = default;
  };
  /// The smallest rectangle that holds every live cell; 0×0 where none lives.
  box live_box() const noexcept;

  /// The cells of a part, which lies inside.
  grid part(const box& which) const;

  /// Copies all cells of `other` to the place whose top-left is (x, y), over what is there; they must fit.
  void put(const grid& other, std::size_t x, std::size_t y) noexcept;

  friend bool operator==(const grid&, const grid&) = default;

 private:
  std::size_t width_ = 0, height_ = 0, words_in_row_ = 0;
  std::vector<std::uint64_t> words_;
};

/// 64 bits of a row from column x on; 0 beyond the row's words.
HD_FN inline std::uint64_t bits_from(const std::uint64_t* row, std::size_t words, std::size_t x) noexcept {
  const std::size_t word = x / 64, shift = x % 64;
  const std::uint64_t low = word < words ? row[word] >> shift : 0;
  return shift == 0 || word + 1 >= words ? low : low | row[word + 1] << (64 - shift);
}

/// The same of `count` columns, which may be more than 64: 0 beyond them.
HD_FN inline std::uint64_t bits_of_run(const std::uint64_t* row, std::size_t words, std::size_t x,
                                       std::size_t count) noexcept {
  const std::uint64_t bits = bits_from(row, words, x);
  return count < 64 ? bits & ((std::uint64_t{1} << count) - 1) : bits;
}

/// The live cells of columns first … last−1 of a row.
HD_FN inline std::uint64_t live_in_run(const std::uint64_t* row, std::size_t words, std::size_t first,
                                       std::size_t last) noexcept {
  std::uint64_t live = 0;
  for (std::size_t x = first; x < last; x += 64) {
    const std::uint64_t bits = bits_of_run(row, words, x, last - x);
#if defined(__CUDA_ARCH__)
    live += static_cast<std::uint64_t>(__popcll(bits));
#else
    live += static_cast<std::uint64_t>(std::popcount(bits));
#endif
  }
  return live;
}

}  // namespace heddle::life
