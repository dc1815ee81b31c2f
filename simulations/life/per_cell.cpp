#include "life/engine.hpp"
#include <heddle/memory.hpp>
#include <heddle/support/threads.hpp>

#include <algorithm>
#include <vector>

namespace heddle::life {
namespace {

/// A byte a cell, and a loop over the cells.
class per_cell final : public row_engine {
 public:
  per_cell(const bounds& size, const rule& law, int threads) : size_(size), law_(law), threads_(threads) {
    const std::size_t cells = size.width * size.height;
    require_memory(2 * cells, "life: ");
    now_.resize(cells);
    next_.resize(cells);
  }

  void load(const grid& cells) override { load_rows(0, cells); }
  void load_rows(std::size_t first, const grid& cells) override {
    for (std::size_t y = 0; y < cells.height(); ++y) {
      for (std::size_t x = 0; x < size_.width; ++x) now_[(first + y) * size_.width + x] = cells(x, y);
    }
  }

  void advance(std::uint64_t generations) override {
    for (; generations > 0; --generations) {
      advance_rows(0, size_.height, 1);
      exchange_grids();
    }
  }

  std::uint64_t at_once(std::uint64_t) const override { return 1; }
  void advance_rows(std::size_t first, std::size_t last, std::size_t) override {
    const std::size_t grain = std::max<std::size_t>(1, 65536 / size_.width);
    cpu::for_slices(threads_, last - first, grain, [=, this](std::size_t from, std::size_t to) {
      for (std::size_t y = first + from; y < first + to; ++y) advance_row(y);
    });
  }
  void exchange_grids() override { now_.swap(next_); }

  std::uint64_t population() override { return population_of_rows(0, size_.height); }
  std::uint64_t population_of_rows(std::size_t first, std::size_t count) override {
    const auto begin = now_.begin() + static_cast<std::ptrdiff_t>(first * size_.width);
    return static_cast<std::uint64_t>(
        std::count(begin, begin + static_cast<std::ptrdiff_t>(count * size_.width), 1));
  }

  grid cells() override { return cells_of_rows(0, size_.height); }
  grid cells_of_rows(std::size_t first, std::size_t count) override {
    grid result(size_.width, count);
    for (std::size_t y = 0; y < count; ++y) {
      for (std::size_t x = 0; x < size_.width; ++x) {
        if (now_[(first + y) * size_.width + x] != 0) result.set(x, y);
      }
    }
    return result;
  }

  std::vector<std::uint8_t> draw(const squares& what) override {
    std::vector<std::uint8_t> pixels(what.columns * what.rows);
    cpu::for_slices(threads_, what.rows, 1, [&](std::size_t from, std::size_t to) {
      for (std::size_t pixel = from * what.columns; pixel < to * what.columns; ++pixel) {
        const span_of_cells x = what.columns_of(pixel % what.columns, size_.width);
        const span_of_cells y = what.rows_of(pixel / what.columns, size_.height);
        std::uint64_t live = 0;
        for (std::size_t row = y.first; row < y.last; ++row) {
          const unsigned char* const cells = now_.data() + row * size_.width;
          live += static_cast<std::uint64_t>(std::count(cells + x.first, cells + x.last, 1));
        }
        pixels[pixel] = brightness(live, what.cells());
      }
    });
    return pixels;
  }

  std::size_t row_bytes() const override { return size_.width; }
  std::uint64_t bytes_of(std::uint64_t generations) const override {
    return bytes_of_rows(size_.height, generations);
  }
  std::byte* rows(bool of_other) const override {
    return reinterpret_cast<std::byte*>(const_cast<unsigned char*>((of_other ? next_ : now_).data()));
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

std::unique_ptr<row_engine> per_cell_engine(const bounds& size, const rule& law, const target& where) {
  return std::make_unique<per_cell>(size, law, where.threads());
}

}  // namespace heddle::life
