#include "life/universe.hpp"

#include <heddle/error.hpp>

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include <fmt/core.h>

namespace heddle::life {

const char* name(topology which) noexcept {
  constexpr const char* names[] = {"infinite", "torus", "plane"};
  static_assert(std::size(names) == static_cast<std::size_t>(topology::plane) + 1);
  return names[static_cast<int>(which)];
}

const char* name(algorithm which) noexcept {
  constexpr const char* names[] = {"packed", "per-cell", "shared", "block"};
  static_assert(std::size(names) == std::size(algorithms));
  return names[static_cast<int>(which)];
}

std::unique_ptr<engine> make_engine(algorithm which, const bounds& size, const rule& law,
                                    const target& where) {
  if (where.is_gpu()) return gpu_engine(which, size, law, where);
  return make_row_engine(which, size, law, where);
}

std::unique_ptr<row_engine> make_row_engine(algorithm which, const bounds& size, const rule& law,
                                            const target& where) {
  if (where.is_gpu()) return gpu_row_engine(which, size, law, where);
  if (which == algorithm::packed) return sliced_engine(size, law, where);
  if (which == algorithm::per_cell) return per_cell_engine(size, law, where);
  fail(
      fmt::format("life: the algorithm '{}' is one of a GPU's shared memory, and the target is {}: "
                  "take packed or per-cell, or a gpu target",
                  name(which), where.text()));
}

universe::universe(const placed_grid& start, topology shape, const rule& law, algorithm how,
                   const target& where)
    : universe(start, shape, law, how, where, std::nullopt) {}
universe::universe(const placed_grid& start, topology shape, const rule& law, algorithm how, const ranks& all)
    : universe(start, shape, law, how, all.where(), all) {}

universe::universe(const placed_grid& start, topology shape, const rule& law, algorithm how,
                   const target& where, const std::optional<ranks>& all)
    : shape_(shape), law_(law), how_(how), all_(all), where_(where), left_(start.left), top_(start.top) {
  if (shape == topology::infinite) {
    if (law.fills_empty_space()) {
      fail(
          fmt::format("life: by {} every cell of the infinite plane comes alive: give the grid a "
                      "size, on a torus or a plane",
                      law.text()));
    }
    const grid::box box = start.cells.live_box();
    frame({start.cells.part(box), start.left + static_cast<std::int64_t>(box.left),
           start.top + static_cast<std::int64_t>(box.top)});
    return;
  }
  size_ = {start.cells.width(), start.cells.height(), shape == topology::torus};
  if (size_.width == 0 || size_.height == 0) {
    fail(fmt::format("life: a {} of {}x{} has no cells", name(shape), size_.width, size_.height));
  }
  make_engine();
  engine_->load(start.cells);
}

void universe::make_engine() {
  engine_ = all_ ? life::make_engine(how_, size_, law_, *all_) : life::make_engine(how_, size_, law_, where_);
}

void universe::frame(const placed_grid& live) {
  if (live.cells.width() == 0) {
    engine_.reset();
    return;
  }
  // Room for more generations in a larger pattern, so that finding it again costs little beside them. A width
  // of whole words of every engine is the fastest.
  constexpr std::size_t least_room = 64, most_room = 1024;
  const std::size_t step = how_ != algorithm::packed ? 32 : where_.is_gpu() ? 128 : 512;
  // In proportion to the shorter side: beside a long line the room would be most of the grid.
  const std::size_t shorter = std::min(live.cells.width(), live.cells.height());
  const std::size_t room = how_ == algorithm::packed ? std::clamp(shorter / 4, least_room, most_room) : 16;
  const std::size_t width = (live.cells.width() + 2 * room + step - 1) / step * step;
  const std::size_t height = live.cells.height() + 2 * room;
  const std::size_t beside = (width - live.cells.width()) / 2;
  constexpr std::int64_t farthest = std::numeric_limits<std::int64_t>::max() / 4;
  if (std::max({live.left, -live.left, live.top, -live.top}) > farthest) {
    fail("life: the pattern is more than 2^61 cells from where it began");
  }
  const bool fits = engine_ != nullptr && size_.width == width && size_.height == height;
  if (!fits) engine_.reset();
  grid all(width, height);
  if (!fits) {
    // No cell reaches the edges before the grid is framed again, so that edges may as well be joined.
    size_ = {width, height, true};
    make_engine();
  }
  all.put(live.cells, beside, room);
  engine_->load(all);
  left_ = live.left - static_cast<std::int64_t>(beside);
  top_ = live.top - static_cast<std::int64_t>(room);
  room_ = room - 1;
}

placed_grid universe::live_part() const {
  if (!engine_) return {};
  const grid all = engine_->cells();
  const grid::box box = all.live_box();
  return {all.part(box), left_ + static_cast<std::int64_t>(box.left),
          top_ + static_cast<std::int64_t>(box.top)};
}

void universe::advance(std::uint64_t generations) {
  generation_ += generations;
  if (shape_ != topology::infinite) return engine_->advance(generations);
  while (generations > 0 && engine_) {
    if (room_ == 0) {
      frame(live_part());
      continue;
    }
    const std::uint64_t now = std::min(generations, room_);
    engine_->advance(now);
    room_ -= now;
    generations -= now;
  }
}

std::vector<std::uint8_t> universe::draw(const squares& what) {
  if (!engine_) return std::vector<std::uint8_t>(what.columns * what.rows);
  return engine_->draw(what);
}

void universe::edit(std::int64_t left, std::int64_t top, std::size_t width, std::size_t height,
                    function_ref<void(grid& cells, std::int64_t left, std::int64_t top)> change) {
  const frame_of_grid all = computed();
  const std::int64_t right = left + static_cast<std::int64_t>(width),
                     bottom = top + static_cast<std::int64_t>(height);
  const std::int64_t all_right = left_ + static_cast<std::int64_t>(all.width);
  const std::int64_t all_bottom = top_ + static_cast<std::int64_t>(all.height);
  const bool is_inside = left >= left_ && top >= top_ && right <= all_right && bottom <= all_bottom;
  if (shape_ == topology::infinite && !is_inside) {
    // A grid with both.
    placed_grid live = live_part();
    const bool is_empty = live.cells.width() == 0;
    const std::int64_t l = is_empty ? left : std::min(left, live.left),
                       t = is_empty ? top : std::min(top, live.top);
    const std::int64_t r =
        is_empty ? right : std::max(right, live.left + static_cast<std::int64_t>(live.cells.width()));
    const std::int64_t b =
        is_empty ? bottom : std::max(bottom, live.top + static_cast<std::int64_t>(live.cells.height()));
    constexpr std::int64_t farthest = std::int64_t{1} << 32;
    if (r - l > farthest || b - t > farthest)
      fail(fmt::format("life: cells at ({}, {}) are more than 2^32 from those that live", left, top));
    const auto wide = static_cast<std::uint64_t>(r - l), high = static_cast<std::uint64_t>(b - t);
    const std::uint64_t most = most_cells_around(live.cells.population() + std::uint64_t{width} * height);
    if (columns_kept(wide) > most / high) {
      fail(fmt::format(
          "life: with cells at ({}, {}) the pattern spans {}x{} cells, and more than {} are refused "
          "(a row takes the memory of {})",
          left, top, wide, high, most, columns_kept(wide)));
    }
    grid both(wide, high);
    both.put(live.cells, static_cast<std::size_t>(live.left - l), static_cast<std::size_t>(live.top - t));
    const grid::box box{static_cast<std::size_t>(left - l), static_cast<std::size_t>(top - t), width, height};
    grid part = both.part(box);
    change(part, left, top);
    both.put(part, box.left, box.top);
    const grid::box lives = both.live_box();
    frame({both.part(lives), l + static_cast<std::int64_t>(lives.left),
           t + static_cast<std::int64_t>(lives.top)});
    return;
  }
  const std::int64_t l = std::max(left, left_), t = std::max(top, top_);
  const std::int64_t r = std::min(right, all_right), b = std::min(bottom, all_bottom);
  if (l >= r || t >= b) return;
  const auto first = static_cast<std::size_t>(t - top_), count = static_cast<std::size_t>(b - t);
  const auto column = static_cast<std::size_t>(l - left_);
  grid lines = engine_->cells_of_rows(first, count);
  grid part = lines.part({column, 0, static_cast<std::size_t>(r - l), count});
  change(part, l, t);
  lines.put(part, column, 0);
  engine_->load_rows(first, lines);
  // The new cells may be nearer to the edge than those that were there.
  const auto beside =
      static_cast<std::uint64_t>(std::min({l - left_, t - top_, all_right - r, all_bottom - b}));
  if (shape_ == topology::infinite) room_ = std::min(room_, beside == 0 ? 0 : beside - 1);
}

void universe::change(const rule& law, const target& where) {
  const std::optional<ranks> all = all_ ? std::optional(all_->on(where)) : std::nullopt;
  universe next(cells(), shape_, law, how_, where, all);
  next.generation_ = generation_;
  *this = std::move(next);
}

placed_grid universe::cells() {
  if (shape_ == topology::infinite) return live_part();
  return {engine_->cells(), left_, top_};
}

}  // namespace heddle::life
