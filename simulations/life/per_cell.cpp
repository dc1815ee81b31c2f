#include "life/engine.hpp"
#include <heddle/memory.hpp>
#include <heddle/threads.hpp>

#include <algorithm>
#include <vector>

namespace heddle::life {
namespace {

/// A byte a cell, and a loop over the cells.
class per_cell final : public engine {
 public:
  per_cell(const bounds& size, const rule& law, int threads) : size_(size), law_(law), threads_(threads) {
    const std::size_t cells = size.width * size.height;
    require_memory(2 * cells, "life: ");
    now_.resize(cells);
    next_.resize(cells);
  }

  void load(const grid& cells) override {
    for (std::size_t y = 0; y < size_.height; ++y) {
      for (std::size_t x = 0; x < size_.width; ++x) now_[y * size_.width + x] = cells(x, y);
    }
  }

  void advance(std::uint64_t generations) override {
    const std::size_t grain = std::max<std::size_t>(1, 65536 / size_.width);
    for (; generations > 0; --generations) {
      cpu::for_slices(threads_, size_.height, grain, [this](std::size_t first, std::size_t last) {
        for (std::size_t y = first; y < last; ++y) advance_row(y);
      });
      now_.swap(next_);
    }
  }

  std::uint64_t population() override {
    return static_cast<std::uint64_t>(std::count(now_.begin(), now_.end(), 1));
  }

  grid cells() override {
    grid result(size_.width, size_.height);
    for (std::size_t y = 0; y < size_.height; ++y) {
      for (std::size_t x = 0; x < size_.width; ++x) {
        if (now_[y * size_.width + x] != 0) result.set(x, y);
      }
    }
    return result;
  }

 private:
  void advance_row(std::size_t y) {
    const std::size_t width = size_.width, height = size_.height;
    const bool has_up = size_.torus || y > 0, has_down = size_.torus || y + 1 < height;
    const unsigned char* const row = now_.data() + y * width;
    const unsigned char* const up = now_.data() + (y > 0 ? y - 1 : height - 1) * width;
    const unsigned char* const down = now_.data() + (y + 1 < height ? y + 1 : 0) * width;
    const auto column = [&](std::size_t x) {
      return (has_up ? up[x] : 0) + row[x] + (has_down ? down[x] : 0);
    };
    for (std::size_t x = 0; x < width; ++x) {
      int neighbours = column(x) - row[x];
      if (size_.torus || x > 0) neighbours += column(x > 0 ? x - 1 : width - 1);
      if (size_.torus || x + 1 < width) neighbours += column(x + 1 < width ? x + 1 : 0);
      next_[y * width + x] = (row[x] != 0 ? law_.survival : law_.birth) >> neighbours & 1;
    }
  }

  bounds size_;
  rule law_;
  int threads_;
  std::vector<unsigned char> now_, next_;
};

}  // namespace

std::unique_ptr<engine> per_cell_engine(const bounds& size, const rule& law, const target& where) {
  return std::make_unique<per_cell>(size, law, where.threads());
}

}  // namespace heddle::life
