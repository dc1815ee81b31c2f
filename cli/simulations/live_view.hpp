#pragma once

#include <heddle/io/colour.hpp>
#include <heddle/support/function_ref.hpp>

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::cli {

/// A rectangle of what is shown, in its own cells or points.
struct block {
  std::size_t left, top, width, height;
};

/// Pictures in the terminal, one after the other: half-block characters, two pixels each, in true colour. The
/// keys are q, which asks for the end, and the space bar, which pauses and goes on.
class live_view {
 public:
  /// Takes the terminal of this process, and gives it back as it was when the view or the process ends by a
  /// signal that is watched. Throws heddle::error where there is no terminal.
  live_view();
  ~live_view();
  live_view(const live_view&) = delete;
  live_view& operator=(const live_view&) = delete;

  /// Shows width×height cells as large as the terminal has room for, by whole factors: a cell fills a square
  /// of pixels, or a pixel stands for a square of cells. `colour_of` is asked for the colour of each block of
  /// cells that is a pixel, or of one cell. The last line of the terminal is the caption. Returns after a
  /// thirtieth of a second since the last picture, and at the end of a pause; throws `interrupted` after a
  /// signal.
  void show(std::size_t width, std::size_t height, function_ref<colour(const block&)> colour_of,
            std::string_view caption);

  /// Whether q was typed.
  bool end_is_asked();

  /// Leaves the last picture there until q is typed; throws `interrupted` after a signal.
  void stay();

 private:
  using clock = std::chrono::steady_clock;

  void draw(const std::vector<colour>& pixels, std::string_view caption);
  void read_keys(clock::duration wait);

  bool ended_ = false, paused_ = false;
  std::size_t columns_ = 0, lines_ = 0;  // of the terminal, the caption's line included
  std::vector<colour> shown_;            // what the terminal holds; nothing where that is not known
  clock::time_point next_ = clock::now();
};

/// Gives the terminal of a live view back as it was; does nothing where there is none. Safe in a handler of
/// signals.
void give_terminal_back() noexcept;

}  // namespace heddle::cli
