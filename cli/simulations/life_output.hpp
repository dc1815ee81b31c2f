#pragma once

#include "cli/options/option_checks.hpp"
#include "live_view.hpp"
#include <heddle/io/gif.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <life/universe.hpp>

namespace heddle::cli {

/// The smallest rectangle with every cell of several grids; one cell where there are none.
class enclosing_rectangle {
 public:
  void include(const life::placed_grid& grid) {
    const auto width = static_cast<std::int64_t>(grid.cells.width());
    const auto height = static_cast<std::int64_t>(grid.cells.height());
    if (width == 0) return;  // an empty grid is nowhere
    left_ = std::min(empty_ ? grid.left : left_, grid.left);
    top_ = std::min(empty_ ? grid.top : top_, grid.top);
    right_ = std::max(empty_ ? grid.left : right_, grid.left + width);
    bottom_ = std::max(empty_ ? grid.top : bottom_, grid.top + height);
    empty_ = false;
  }

  std::int64_t left() const { return left_; }
  std::int64_t top() const { return top_; }
  std::size_t width() const { return static_cast<std::size_t>(right_ - left_); }
  std::size_t height() const { return static_cast<std::size_t>(bottom_ - top_); }

 private:
  bool empty_ = true;
  std::int64_t left_ = 0, top_ = 0, right_ = 1, bottom_ = 1;
};

/// The world in the terminal: a bounded grid whole, of the infinite plane the rectangle with every cell that
/// has lived since the beginning.
class life_view {
 public:
  void show(life::universe& world);
  bool end_is_asked() { return view_.end_is_asked(); }
  void stay() { view_.stay(); }

 private:
  live_view view_;
  enclosing_rectangle shown_;
};

/// The files of a run: those at the end, and pictures on the way there.
class life_output {
 public:
  static const file_formats& formats();

  life_output(const std::string& path, const std::string& format);

  bool is_animation() const { return ending_ == ".gif"; }

  /// Frames of a bounded grid are written as they come; those of the infinite plane, which has no size before
  /// the end, wait.
  void add_frame(life::universe& world);

  void finish(life::universe& world, const life::rule& law);

 private:
  void open_animation(std::size_t width, std::size_t height);
  void draw(const life::placed_grid& frame, std::int64_t left, std::int64_t top);
  void finish_animation();

  std::string path_;
  std::string_view ending_;
  std::unique_ptr<gif_writer> animation_;
  std::size_t width_ = 0;
  std::vector<std::uint8_t> pixels_;
  std::vector<life::placed_grid> frames_;
};

}  // namespace heddle::cli
