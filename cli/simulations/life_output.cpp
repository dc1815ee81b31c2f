#include "life_output.hpp"

#include "cli/options/file_options.hpp"
#include "cli/over_ranks.hpp"
#include <heddle/memory.hpp>

#include <array>
#include <bit>
#include <utility>

#include <fmt/core.h>
#include <life/formats.hpp>

namespace heddle::cli {

using namespace life;

void life_view::show(universe& world) {
  const placed_grid now = world.cells();
  shown_.include(now);
  // Where the grid begins in the rectangle.
  const auto left = static_cast<std::size_t>(now.left - shown_.left());
  const auto top = static_cast<std::size_t>(now.top - shown_.top());
  const auto shade = [&](const block& of) -> colour {
    std::uint64_t live = 0;
    const std::size_t right = std::min(of.left + of.width, left + now.cells.width());
    const std::size_t bottom = std::min(of.top + of.height, top + now.cells.height());
    for (std::size_t y = std::max(of.top, top); y < bottom; ++y) {
      for (std::size_t x = std::max(of.left, left); x < right; x += 64) {
        const std::uint64_t bits = bits_from(now.cells.row(y - top), now.cells.words_in_row(), x - left);
        const std::size_t beyond = x + 64 > right ? x + 64 - right : 0;
        live += static_cast<std::uint64_t>(std::popcount(bits << beyond));
      }
    }
    if (live == 0) return {0, 0, 0};
    const double part = static_cast<double>(live) / static_cast<double>(of.width * of.height);
    const auto level = static_cast<std::uint8_t>(80 + 175 * part);
    return {level, level, level};
  };
  view_.show(shown_.width(), shown_.height(), shade,
             fmt::format("generation {} population {}   q ends, space pauses", world.generation(),
                         now.cells.population()));
}

const file_formats& life_output::formats() {
  static const file_formats all{".rle", ".cells", ".npy", ".png", ".gif"};
  return all;
}

life_output::life_output(const std::string& path, const std::string& format)
    : path_(written_by_first(path)), ending_(formats().chosen(path, format)) {
  require_writable(path_);
}

void life_output::add_frame(universe& world) {
  placed_grid now = world.cells();
  if (world.shape() == topology::infinite) {
    frames_.push_back(std::move(now));
  } else {
    open_animation(now.cells.width(), now.cells.height());
    draw(now, now.left, now.top);
  }
}

void life_output::finish(universe& world, const rule& law) {
  if (path_.empty()) return;
  if (is_animation()) return finish_animation();
  const placed_grid last = world.cells();
  if (ending_ == ".rle") write_rle(path_, last, law, world.shape(), world.generation());
  if (ending_ == ".cells") write_cells(path_, last, law, world.generation());
  if (ending_ == ".npy") life::write_npy(path_, last.cells);
  if (ending_ == ".png") life::write_png(path_, last.cells);
}

void life_output::open_animation(std::size_t width, std::size_t height) {
  if (animation_) return;
  constexpr std::array<colour, 2> black_and_white{{{0, 0, 0}, {255, 255, 255}}};
  constexpr unsigned hundredths_of_a_second = 10;
  animation_ = std::make_unique<gif_writer>(path_, width, height, black_and_white, hundredths_of_a_second);
  width_ = width;
  require_memory(width * height);
  pixels_.resize(width * height);
}

void life_output::draw(const placed_grid& frame, std::int64_t left, std::int64_t top) {
  std::fill(pixels_.begin(), pixels_.end(), std::uint8_t{0});
  for (std::size_t y = 0; y < frame.cells.height(); ++y) {
    std::uint8_t* const to = pixels_.data() + (static_cast<std::size_t>(frame.top - top) + y) * width_ +
                             static_cast<std::size_t>(frame.left - left);
    for (std::size_t x = 0; x < frame.cells.width(); ++x) to[x] = frame.cells(x, y);
  }
  animation_->add_frame(pixels_);
}

void life_output::finish_animation() {
  if (!frames_.empty()) {
    // All frames show the same part of the plane.
    enclosing_rectangle all;
    for (const placed_grid& frame : frames_) all.include(frame);
    open_animation(all.width(), all.height());
    for (const placed_grid& frame : frames_) draw(frame, all.left(), all.top());
  }
  animation_->commit();
}

}  // namespace heddle::cli
