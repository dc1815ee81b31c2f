#pragma once

#include <heddle/io/png.hpp>
#include <heddle/target.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

/// Simulations that a browser shows: what `heddle view` serves.
namespace heddle::viewer {

/// The window of a client: a rectangle of the simulation's plane and how many pixels show it.
struct window {
  static constexpr std::uint32_t most_pixels_of_side = 8192;

  /// The centre, in units of the simulation, as decimal numbers such as -1.25 or 3e-7 with up to 1000 digits:
  /// a deep zoom needs more than a double has.
  std::string x = "0", y = "0";
  /// Units of the simulation that a pixel is wide and high; finite and above 0.
  double scale = 1;
  /// Pixels: 1 … most_pixels_of_side.
  std::uint32_t width = 1, height = 1;

  friend bool operator==(const window&, const window&) = default;
};

/// The picture in a window, in no more pixels than the window has. The page scales it without smoothing.
struct rendering {
  /// Palette pictures where 256 colours are enough, which take a third of the bytes of RGB.
  heddle::image image;
  /// Where the image's top-left corner is, in pixels of the window from its top-left corner, and how many of
  /// them a pixel of the image is wide and high. An image of 1:1 is at (0, 0) with 1; a cell of Life that is
  /// shown larger is one pixel of an image with more.
  double left = 0, top = 0, pixel = 1;
  /// The colour of what is in the window and not in the image.
  colour beyond{0, 0, 0};
  /// False where a finer picture of the same window and state follows: `render` is called again.
  bool is_whole = true;
};

/// The work of one step, for the rates that are shown.
struct work {
  double amount = 0;    ///< such as cells
  std::string_view of;  ///< the unit of so many a second, such as "cells/s"
  double bytes = 0;     ///< of memory that a step reads and writes: several may share a pass; 0: not known
  /// Why no copy bounds it, for the page; empty where one may.
  std::string_view unbounded{};
};

/// A file to be saved by the browser.
struct saved_file {
  std::string name;  ///< such as "life.rle"
  std::string bytes;
};

/// A simulation that is looked at and steered. One thread at a time uses it, which is the thread that made
/// it. Members that are not const may throw heddle::error, whose text the client that asked is shown; the
/// simulation is then as it was.
class viewed_simulation {
 public:
  virtual ~viewed_simulation() = default;

  /// The name of its command, such as "life". The page runs viewer/page/KIND.js for its controls.
  virtual std::string_view kind() const = 0;

  /// The description that the script needs once: an object, see docs/design/view.md. The names of palettes
  /// are in "palettes", the default first; whether y grows upwards is in "up".
  virtual nlohmann::json description() const = 0;

  /// Takes `count` ≥ 1 steps.
  virtual void step(std::uint64_t count) = 0;
  /// Steps since the beginning: the generation, the iteration.
  virtual std::uint64_t steps() const = 0;
  /// Whether further steps change nothing, as those of a picture that is finished.
  virtual bool is_finished() const { return false; }
  virtual work work_of_step() const = 0;

  /// Begins again, with the parameters of now.
  virtual void restart() = 0;

  virtual const target& where() const = 0;
  /// Goes on on another target with the state of now.
  virtual void move_to(const target& where) = 0;

  /// The window of so many pixels that shows the whole.
  virtual window home(std::uint32_t width, std::uint32_t height) const = 0;

  /// Computed on the target where the data is, at the window's resolution: only pixels leave a GPU. Its cost
  /// is that of the window and of what the window covers, once.
  virtual rendering render(const window& shown, std::string_view palette) = 0;

  /// Says which window and palette the client has that asks for a file or a command line next.
  virtual void look_at(const window& /*shown*/, std::string_view /*palette*/) {}

  /// Does what the page's script for this kind asks: `action` and its arguments, which are checked here. The
  /// text of an error is one line.
  virtual void handle(std::string_view action, const nlohmann::json& arguments) = 0;

  /// The status that the page shows beside the picture: an object with "text", a line such as "generation 12,
  /// population 5"; "plots", see docs/design/view.md; and what the script for this kind wants. It comes with
  /// every frame.
  virtual nlohmann::json status() = 0;

  /// The command that gives the state of now, or from which a saved file goes on; one line for a shell.
  virtual std::string command_line() const = 0;

  /// The formats of its command's files, such as "rle"; "png" is the picture as the command draws it.
  virtual std::vector<std::string> formats() const = 0;
  /// The state in one of them.
  virtual saved_file save(std::string_view format) = 0;
};

/// Makes a simulation, on the thread that uses it.
using simulation_maker = std::function<std::unique_ptr<viewed_simulation>()>;

/// A card of the gallery.
struct preset {
  std::string title, about;
  /// The words after `heddle view`, which begin with a kind.
  std::vector<std::string> words;
};

}  // namespace heddle::viewer
