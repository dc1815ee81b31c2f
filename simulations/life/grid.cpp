#include "life/grid.hpp"

#include <heddle/error.hpp>
#include <heddle/memory.hpp>

#include <algorithm>
#include <bit>
#include <limits>
#include <new>
#include <string>

#include <fmt/core.h>

namespace heddle::life {

grid::grid(std::size_t width, std::size_t height)
    : width_(width), height_(height), words_in_row_(width / 64 + (width % 64 != 0)) {
  if (words_in_row_ != 0 && height > words_.max_size() / words_in_row_) {
    fail(fmt::format("a grid of {}x{} cells is more than memory can hold", width, height));
  }
  const std::string what = fmt::format("a grid of {}x{} cells: ", width, height);
  const std::size_t bytes = words_in_row_ * height * sizeof(std::uint64_t);
  require_memory(bytes, what);
  try {
    words_.resize(words_in_row_ * height);
  } catch (const std::bad_alloc&) {
    fail(what + out_of_memory_text(bytes));
  }
}

void grid::set_run(std::size_t x, std::size_t y, std::size_t count) noexcept {
  std::uint64_t* const words = row(y);
  for (const std::size_t end = x + count; x < end;) {
    const std::size_t bits = std::min(end - x, 64 - x % 64);
    words[x / 64] |= (~std::uint64_t{0} >> (64 - bits)) << x % 64;
    x += bits;
  }
}

std::uint64_t grid::population() const noexcept {
  std::uint64_t count = 0;
  for (const std::uint64_t word : words_) count += static_cast<std::uint64_t>(std::popcount(word));
  return count;
}

grid::box grid::live_box() const noexcept {
  std::size_t left = width_, right = 0, top = height_, bottom = 0;
  for (std::size_t y = 0; y < height_; ++y) {
    const std::uint64_t* const words = row(y);
    std::size_t first = 0, last = words_in_row_;
    while (first < last && words[first] == 0) ++first;
    if (first == last) continue;
    while (words[last - 1] == 0) --last;
    left = std::min(left, first * 64 + static_cast<std::size_t>(std::countr_zero(words[first])));
    right = std::max(right, last * 64 - static_cast<std::size_t>(std::countl_zero(words[last - 1])));
    top = std::min(top, y);
    bottom = y + 1;
  }
  if (bottom == 0) return {};
  return {left, top, right - left, bottom - top};
}

grid grid::part(const box& which) const {
  grid result(which.width, which.height);
  for (std::size_t y = 0; y < which.height; ++y) {
    const std::uint64_t* const from = row(which.top + y);
    std::uint64_t* const to = result.row(y);
    for (std::size_t word = 0; word < result.words_in_row_; ++word) {
      to[word] = bits_from(from, words_in_row_, which.left + word * 64);
    }
    if (which.width % 64 != 0) to[result.words_in_row_ - 1] &= ~std::uint64_t{0} >> (64 - which.width % 64);
  }
  return result;
}

void grid::put(const grid& other, std::size_t x, std::size_t y) noexcept {
  const std::size_t first = x / 64, shift = x % 64;
  for (std::size_t from_y = 0; from_y < other.height_; ++from_y) {
    std::uint64_t* const to = row(y + from_y) + first;
    const std::uint64_t* const from = other.row(from_y);
    for (std::size_t word = 0; word < other.words_in_row_; ++word) {
      const std::size_t bits = std::min<std::size_t>(64, other.width_ - word * 64);
      const std::uint64_t mask = ~std::uint64_t{0} >> (64 - bits);
      to[word] = (to[word] & ~(mask << shift)) | from[word] << shift;
      if (shift + bits > 64) {
        to[word + 1] = (to[word + 1] & ~(mask >> (64 - shift))) | from[word] >> (64 - shift);
      }
    }
  }
}

}  // namespace heddle::life
