#include "mandelbrot_view.hpp"

#include "saved_file.hpp"
#include <heddle/error.hpp>
#include <heddle/io/npy.hpp>
#include <heddle/machine.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace heddle::viewer {
namespace {

using json = nlohmann::json;
using mandelbrot::escape_counter, mandelbrot::picture;
using clock = std::chrono::steady_clock;

double seconds_since(clock::time_point begin) {
  return std::chrono::duration<double>(clock::now() - begin).count();
}

/// Pixels of a coarse picture are so wide.
constexpr std::size_t coarse = 8;
/// Pixels are so far apart that double is as good as exact; nearer ones are counted by perturbation.
constexpr double least_distance_of_double = 0x1p-44;
constexpr std::size_t most_paintings = 4;

/// Pixels of a window: `width` × `height` of them, every `step`-th, from (x, y) on.
struct rectangle {
  std::size_t x, y, width, height, step;
};

/// An automatic limit: counts grow with the depth, and faster among spirals than at points.
std::uint32_t iterations_at(double width) {
  const double depth = std::max(0.0, std::log10(3 / width));
  return static_cast<std::uint32_t>(1000 + 100 * std::pow(depth, 1.5));
}

double zoom_of(const window& shown) {
  return 3 / (shown.scale * shown.width);
}

/// As `heddle mandelbrot --center --zoom` has it.
picture picture_of(const window& shown, std::uint32_t iterations) {
  using mandelbrot::nearest_double;
  const double zoom = zoom_of(shown), width = 3 / zoom;
  picture what{
      shown.width, shown.height, {}, iterations != 0 ? iterations : iterations_at(width), dtype::float64};
  what.view = mandelbrot::view_around(nearest_double(shown.x), nearest_double(shown.y), zoom, shown.width,
                                      shown.height);
  if (shown.scale < least_distance_of_double) what.deep = mandelbrot::deep_window{shown.x, shown.y, width};
  check(what);
  return what;
}

/// Some pixels of a picture as a picture of their own.
picture part_of(const picture& what, const rectangle& part) {
  picture some = what;
  some.width = part.width;
  some.height = part.height;
  const double columns = static_cast<double>(what.width), rows = static_cast<double>(what.height);
  const auto place = [](std::size_t begin, std::size_t count, std::size_t step) {
    const double first = static_cast<double>(begin);
    return std::pair(first, first + static_cast<double>(count * step));
  };
  const auto [left, right] = place(part.x, part.width, part.step);
  const auto [top, bottom] = place(part.y, part.height, part.step);
  if (what.deep) {
    const double width = what.deep->width;
    some.deep->re = mandelbrot::moved(what.deep->re, ((left + right) - columns) / (2 * columns), width);
    some.deep->im = mandelbrot::moved(what.deep->im, ((top + bottom) - rows) / (2 * columns), width);
    some.deep->width = width * ((right - left) / columns);
    return some;
  }
  const auto along = [](double from, double to, double at, double count) {
    return from + (to - from) * at / count;
  };
  const mandelbrot::view& all = what.view;
  some.view = {along(all.xmin, all.xmax, left, columns), along(all.xmin, all.xmax, right, columns),
               along(all.ymin, all.ymax, top, rows), along(all.ymin, all.ymax, bottom, rows)};
  return some;
}

bool is_whole(const picture& what, const rectangle& part) {
  return part.width == what.width && part.height == what.height && part.step == 1;
}

std::optional<std::int64_t> whole_pixels(const std::string& to, const std::string& from, double scale,
                                         bool deep) {
  const double moved = deep ? mandelbrot::difference(to, from, scale)
                            : (mandelbrot::nearest_double(to) - mandelbrot::nearest_double(from)) / scale;
  const double rounded = std::round(moved);
  if (!(std::abs(moved - rounded) < 1e-3 && std::abs(rounded) < window::most_pixels_of_side))
    return std::nullopt;
  return static_cast<std::int64_t>(rounded);
}

}  // namespace

/// The picture in a window, as far as its points are counted.
struct mandelbrot_view::painting {
  painting(const window& window_shown, picture of, const std::string& palette_name, bool is_smooth)
      : shown(window_shown),
        what(std::move(of)),
        palette(palette_name),
        smooth(is_smooth),
        colours(what, palette, smooth),
        counts(what.width * what.height),
        norms(what.deep && smooth ? counts.size() : 0),
        pixels(counts.size() * bytes_of(colours.format())) {}

  void paint(std::size_t first, std::size_t rows) {
    const std::size_t from = first * what.width;
    colours.paint(first, rows, counts.data() + from, available_cores(),
                  pixels.data() + from * bytes_of(colours.format()),
                  norms.empty() ? nullptr : norms.data() + from);
  }

  /// Counts of some pixels to their places, and to those up to the next one.
  void put(const rectangle& part, std::size_t first_row, std::size_t rows, const std::uint32_t* some_counts,
           const double* some_norms) {
    for (std::size_t row = 0; row < rows * part.step; ++row) {
      const std::size_t y = part.y + first_row * part.step + row;
      if (y >= what.height) break;
      const std::size_t columns = std::min(part.width * part.step, what.width - part.x);
      for (std::size_t column = 0; column < columns; ++column) {
        const std::size_t from = row / part.step * part.width + column / part.step;
        counts[y * what.width + part.x + column] = some_counts[from];
        if (!norms.empty()) norms[y * what.width + part.x + column] = some_norms[from];
      }
    }
  }

  window shown;
  picture what;
  std::string palette;
  bool smooth;
  mandelbrot::colouring colours;
  std::vector<std::uint32_t> counts;
  std::vector<double> norms;
  std::vector<std::uint8_t> pixels;
  std::deque<rectangle> left;               // to be counted
  std::unique_ptr<escape_counter> counter;  // of the first of them
  std::size_t row = 0;                      // of it, the first that is not counted
  std::size_t rows_at_once = 1;
  double seconds = 0;       // that counting has taken
  std::size_t counted = 0;  // pixels
};

mandelbrot_view::mandelbrot_view(mandelbrot_start start, const target& where)
    : start_(std::move(start)), iterations_(start_.iterations), smooth_(start_.smooth), where_(where) {
  if (start_.palette.empty()) start_.palette = mandelbrot::palette_names().front();
  last_ = home(1536, 1024);
  last_palette_ = start_.palette;
  static_cast<void>(picture_of(last_, iterations_));  // throws where it is none
}

mandelbrot_view::~mandelbrot_view() = default;

json mandelbrot_view::description() const {
  std::vector<std::string> names = mandelbrot::palette_names();
  const auto first = std::find(names.begin(), names.end(), start_.palette);
  if (first != names.end()) std::rotate(names.begin(), first, first + 1);
  return {{"palettes", names},
          {"up", false},
          {"iterations", iterations_},
          {"smooth", smooth_},
          {"narrowest", mandelbrot::deep_window::narrowest}};
}

void mandelbrot_view::restart() {
  iterations_ = start_.iterations;
  smooth_ = start_.smooth;
  paintings_.clear();
}

void mandelbrot_view::move_to(const target& where) {
  paintings_.clear();
  where_ = where;
}

window mandelbrot_view::home(std::uint32_t width, std::uint32_t height) const {
  // A third as high as wide is shown at least.
  const double scale = start_.width * std::max(1.0 / width, 2.0 / 3 / height);
  return {start_.re, start_.im, scale, width, height};
}

std::shared_ptr<const mandelbrot::reference_orbit> mandelbrot_view::reference_for(const picture& what) {
  if (!what.deep) return nullptr;
  const int bits = bits_for(*what.deep, what.width, what.iterations);
  const auto serves = [&] {
    if (!reference_ || reference_->bits() < bits || reference_->limit() < what.iterations) return false;
    constexpr double most_widths = 100;
    return std::abs(mandelbrot::difference(what.deep->re, reference_->re(), what.deep->width)) <
               most_widths &&
           std::abs(mandelbrot::difference(what.deep->im, reference_->im(), what.deep->width)) < most_widths;
  };
  // With digits for the next windows: most of them are deeper.
  constexpr int spare_bits = 64;
  if (!serves())
    reference_ = std::make_shared<const mandelbrot::reference_orbit>(what.deep->re, what.deep->im,
                                                                     what.iterations, bits + spare_bits);
  return reference_;
}

mandelbrot_view::painting& mandelbrot_view::painting_of(const window& shown, const std::string& palette) {
  picture what = picture_of(shown, iterations_);
  const auto is_same = [&](const painting& one) {
    return one.shown == shown && one.what.iterations == what.iterations && one.smooth == smooth_;
  };
  const auto found = std::find_if(paintings_.begin(), paintings_.end(), is_same);
  if (found != paintings_.end()) {
    paintings_.splice(paintings_.begin(), paintings_, found);
    painting& same = paintings_.front();
    if (same.palette != palette) {
      same.colours = mandelbrot::colouring(same.what, palette, smooth_);
      same.palette = palette;
      same.paint(0, same.what.height);
    }
    return same;
  }
  painting made(shown, std::move(what), palette, smooth_);
  const std::size_t width = made.what.width, height = made.what.height;
  const rectangle all{0, 0, width, height, 1};
  for (const painting& one : paintings_) {
    if (!one.left.empty() || one.shown.scale != shown.scale || one.what.width != width ||
        one.what.height != height || one.what.iterations != made.what.iterations || one.smooth != smooth_)
      continue;
    const bool deep = made.what.deep.has_value();
    const auto right = whole_pixels(shown.x, one.shown.x, shown.scale, deep);
    const auto down = whole_pixels(shown.y, one.shown.y, shown.scale, deep);
    if (!right || !down) continue;
    const std::size_t across = static_cast<std::size_t>(std::abs(*right)),
                      along = static_cast<std::size_t>(std::abs(*down));
    if (across >= width || along >= height) continue;
    const std::size_t kept_width = width - across, kept_height = height - along;
    const std::size_t to_x = *right < 0 ? across : 0, to_y = *down < 0 ? along : 0;
    const std::size_t from_x = *right < 0 ? 0 : across, from_y = *down < 0 ? 0 : along;
    for (std::size_t y = 0; y < kept_height; ++y) {
      const std::size_t from = (from_y + y) * width + from_x, to = (to_y + y) * width + to_x;
      std::copy_n(one.counts.data() + from, kept_width, made.counts.data() + to);
      if (!made.norms.empty()) std::copy_n(one.norms.data() + from, kept_width, made.norms.data() + to);
    }
    if (along != 0) made.left.push_back({0, *down < 0 ? 0 : kept_height, width, along, 1});
    if (across != 0) made.left.push_back({*right < 0 ? 0 : kept_width, to_y, across, kept_height, 1});
    made.counted = kept_width * kept_height;
    break;
  }
  if (made.counted == 0) {
    if (width > 2 * coarse && height > 2 * coarse)
      made.left.push_back({0, 0, (width + coarse - 1) / coarse, (height + coarse - 1) / coarse, coarse});
    made.left.push_back(all);
  }
  made.paint(0, height);
  paintings_.push_front(std::move(made));
  if (paintings_.size() > most_paintings) paintings_.pop_back();
  return paintings_.front();
}

void mandelbrot_view::count_for(painting& of, double seconds) {
  const clock::time_point began = clock::now();
  while (!of.left.empty()) {
    const rectangle part = of.left.front();
    if (!of.counter) {
      const picture some = is_whole(of.what, part) ? of.what : part_of(of.what, part);
      of.counter = std::make_unique<escape_counter>(some, where_, reference_for(of.what));
      of.row = 0;
      of.rows_at_once = 1;
    }
    const std::size_t rows = std::min(of.rows_at_once, part.height - of.row), count = rows * part.width;
    const clock::time_point row_began = clock::now();
    array<std::uint32_t> counts(count, where_);
    array<double> norms(of.norms.empty() ? 0 : count, where_);
    of.counter->count(of.row, rows, counts.data(), norms.data());
    const std::vector<std::uint32_t> counts_here = counts.to_vector();
    const std::vector<double> norms_here = norms.to_vector();
    of.put(part, of.row, rows, counts_here.data(), norms_here.data());
    const std::size_t first = part.y + of.row * part.step;
    of.paint(first, std::min(rows * part.step, of.what.height - first));
    const double took = seconds_since(row_began);
    if (took < 0.005) of.rows_at_once *= 2;
    if (took > 0.02) of.rows_at_once = std::max<std::size_t>(1, of.rows_at_once / 2);
    of.row += rows;
    pixels_ += count;
    if (part.step == 1) of.counted += count;
    if (of.row == part.height) {
      of.left.pop_front();
      of.counter.reset();
      if (part.step != 1) break;  // is shown at once
    }
    if (seconds_since(began) > seconds) break;
  }
  of.seconds += seconds_since(began);
}

void mandelbrot_view::look_at(const window& shown, std::string_view palette) {
  last_ = shown;
  last_palette_ = palette.empty() ? start_.palette : std::string(palette);
}

rendering mandelbrot_view::render(const window& shown, std::string_view palette) {
  const std::string name = palette.empty() ? start_.palette : std::string(palette);
  painting& of = painting_of(shown, name);
  // Soon at first; then in turns that take longer, since each sends the whole picture.
  if (!of.left.empty()) count_for(of, std::clamp(of.seconds, 0.03, 0.25));
  look_at(shown, name);
  rendering made;
  made.image = {of.what.width, of.what.height, of.colours.format(), of.pixels, of.colours.palette()};
  made.is_whole = of.left.empty();
  return made;
}

void mandelbrot_view::handle(std::string_view action, const json& arguments) {
  if (action == "iterations") {
    const auto count = arguments.find("count");
    if (count == arguments.end() || !count->is_number_unsigned() ||
        count->get<std::uint64_t>() > picture::most_iterations)
      fail(fmt::format("mandelbrot: 'count' is no number from 0 to {}", picture::most_iterations));
    iterations_ = count->get<std::uint32_t>();
  } else if (action == "smooth") {
    const auto on = arguments.find("on");
    if (on == arguments.end() || !on->is_boolean()) fail("mandelbrot: 'on' is neither true nor false");
    smooth_ = on->get<bool>();
  } else {
    fail(fmt::format("mandelbrot: there is no action '{}': iterations and smooth are", action));
  }
}

json mandelbrot_view::status() {
  const double width = last_.scale * last_.width;
  const auto found = std::find_if(paintings_.begin(), paintings_.end(),
                                  [&](const painting& one) { return one.shown == last_; });
  std::string text = fmt::format("{:.3g} wide", width);
  double part = 0;
  if (found != paintings_.end()) {
    part = static_cast<double>(found->counted) / static_cast<double>(found->counts.size());
    text += fmt::format(", {} iterations in {}", found->what.iterations,
                        found->what.deep ? "double beside a deep orbit" : "double");
    text += part < 1 ? fmt::format(", {:.0f} %", 100 * part) : fmt::format(", {:.2f} s", found->seconds);
  }
  return {{"text", text},
          {"iterations", iterations_},
          {"smooth", smooth_},
          {"counted", part},
          {"pixels", pixels_}};
}

std::string mandelbrot_view::command_line() const {
  const picture what = picture_of(last_, iterations_);
  std::string line = fmt::format(
      "heddle mandelbrot --center={},{} --zoom {} --size {}x{} --iterations {} --precision {}", last_.x,
      last_.y, zoom_of(last_), last_.width, last_.height, what.iterations, what.deep ? "deep" : "double");
  if (last_palette_ != mandelbrot::palette_names().front()) line += " --palette " + last_palette_;
  if (smooth_) line += " --smooth";
  return line + " -o mandelbrot.png";
}

saved_file mandelbrot_view::save(std::string_view format) {
  painting& of = painting_of(last_, last_palette_);
  while (!of.left.empty()) count_for(of, 1);
  if (format == "png") {
    const image drawn{of.what.width, of.what.height, of.colours.format(), of.pixels, of.colours.palette()};
    return written("mandelbrot.png", [&](const std::string& path) { write_png(path, drawn); });
  }
  if (format == "npy") {
    array<std::uint32_t> counts({of.what.height, of.what.width});
    std::copy(of.counts.begin(), of.counts.end(), counts.data());
    return written("mandelbrot.npy", [&](const std::string& path) { write_npy(path, counts); });
  }
  fail(fmt::format("mandelbrot: there is no format '{}': png and npy are", format));
}

}  // namespace heddle::viewer
