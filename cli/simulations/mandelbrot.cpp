#include "mandelbrot/mandelbrot.hpp"

#include "cli/commands.hpp"
#include "cli/files/interruption.hpp"
#include "cli/files/npy_output.hpp"
#include "cli/files/progress.hpp"
#include "cli/files/standard_output.hpp"
#include "cli/kernels/run_options.hpp"
#include "cli/options/file_options.hpp"
#include "cli/options/option_checks.hpp"
#include "cli/options/whole_number.hpp"
#include "cli/over_ranks.hpp"
#include "grid_size.hpp"
#include "mandelbrot/colours.hpp"
#include "mandelbrot/reference_orbit.hpp"
#include "mandelbrot_start.hpp"
#include <heddle/array.hpp>
#include <heddle/error.hpp>
#include <heddle/io/png.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace heddle::cli {
namespace {

struct mandelbrot_options : place_options, mandelbrot_start_options {
  std::string output, format, counts;
  std::string size = "1536x1024", view, precision = "auto";
  std::uint32_t iterations = 50;
};

const file_formats picture_formats{".png"};

/// The sides of XMIN,XMAX,YMIN,YMAX.
mandelbrot::view view_from(const std::string& text) {
  std::array<double, 4> sides{};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (double& side : sides) {
    const auto [next, status] = std::from_chars(at, end, side);
    const bool is_last = &side == &sides.back();
    if (status != std::errc() || (is_last ? next != end : next == end || *next != ',')) {
      throw CLI::ValidationError("--view", fmt::format("'{}' is not XMIN,XMAX,YMIN,YMAX", text));
    }
    at = next + 1;
  }
  return {sides[0], sides[1], sides[2], sides[3]};
}

/// The first precision that tells neighbouring pixels apart; double where none does.
void choose_precision(mandelbrot::picture& what, const std::optional<mandelbrot::deep_window>& deep) {
  for (const dtype precision : {dtype::float32, dtype::float64}) {
    what.precision = precision;
    if (tells_pixels_apart(what)) return;
  }
  what.deep = deep;
}

mandelbrot::picture picture_of(const mandelbrot_options& options) {
  mandelbrot::picture what;
  const grid_size size = *parse_grid_size(options.size);
  if (size.width > 0x7fffffff || size.height > 0x7fffffff) {
    throw CLI::ValidationError("--size", fmt::format("{}: sides are 1 to 2147483647", options.size));
  }
  what.width = static_cast<std::uint32_t>(size.width);
  what.height = static_cast<std::uint32_t>(size.height);
  what.iterations = options.iterations;
  what.precision = options.precision == "float" ? dtype::float32 : dtype::float64;
  std::optional<mandelbrot::deep_window> deep;
  if (!options.view.empty()) {
    what.view = view_from(options.view);
  } else if (const auto seen = options.surroundings()) {
    what.view =
        mandelbrot::view_around(mandelbrot::nearest_double(seen->re), mandelbrot::nearest_double(seen->im),
                                seen->zoom, what.width, what.height);
    deep = mandelbrot::deep_window{seen->re, seen->im, 3 / seen->zoom};
  }
  if (options.precision == "deep" && !deep) {
    throw CLI::ValidationError("--precision", "deep takes --center and --zoom");
  }
  try {
    if (options.precision == "deep") what.deep = deep;
    if (options.precision == "auto") choose_precision(what, deep);
    const mandelbrot::view& seen = what.view;
    if (deep && !what.deep && (seen.xmin == seen.xmax || seen.ymin == seen.ymax)) {
      throw CLI::ValidationError("--zoom", "double tells no pixels apart: take --precision deep");
    }
    check(what);
  } catch (const error& wrong) {
    throw CLI::ParseError(wrong.what(), CLI::ExitCodes::ValidationError);
  }
  return what;
}

/// `auto` as this work wants it: a GPU takes a moment to start, in which every core computes a small picture.
/// Deep pictures take a GPU where one is named.
target place_for(const target& requested, const mandelbrot::picture& what) {
  if (!requested.is_automatic()) return requested;
  if (what.deep) return target::parallel();
  const double iterations = static_cast<double>(what.width) * static_cast<double>(what.height) *
                            static_cast<double>(what.iterations);
  return iterations < 2e9 ? target::parallel() : target::best();
}

/// How many rows are counted at once: few enough to be stopped between them.
class row_bands {
 public:
  row_bands(const mandelbrot::picture& what, const target& where)
      : what_(what),
        pixels_(where.is_gpu() && what.iterations <= 10000 ? most_pixels : std::size_t{1} << 13) {}

  std::size_t next(std::size_t first) const {
    return std::min(what_.height - first, std::max<std::size_t>(1, pixels_ / what_.width));
  }
  void took(double seconds) {
    if (seconds < 0.1) pixels_ = std::min(2 * pixels_, most_pixels);
    if (seconds > 0.4) pixels_ = std::max(pixels_ / 2, std::size_t{1} << 10);
  }

 private:
  static constexpr std::size_t most_pixels = std::size_t{1} << 26;
  const mandelbrot::picture& what_;
  std::size_t pixels_;
};

std::shared_ptr<const mandelbrot::reference_orbit> reference_for(const mandelbrot::picture& what,
                                                                 bool quiet) {
  progress shown(what.iterations, quiet);
  shown.show_instead_of_rate("reference orbit");
  std::uint32_t before = 0;
  return std::make_shared<const mandelbrot::reference_orbit>(
      what.deep->re, what.deep->im, what.iterations, bits_for(*what.deep, what.width, what.iterations),
      [&](std::uint32_t done) {
        if (!is_over_ranks()) stop_if_interrupted();
        shown.advance(done - std::exchange(before, done));
      });
}

/// The elements of every rank, in the order of ranks.
template <class T>
const T* gathered(const T* own, std::size_t count, array<T>& of_ranks) {
  if (!is_over_ranks()) return own;
  of_ranks = all_ranks().all_gather(std::span<const T>(own, count));
  return of_ranks.data();
}

/// The elements of an array on the target, where the CPU can read them.
template <class T>
const T* on_cpu(const array<T>& there, const target& where, std::size_t count, array<T>& here) {
  if (!where.is_gpu()) return there.data();
  if (here.size() < count) here = array<T>(count);
  copy(here.data(), target(), there.data(), where, count * sizeof(T));
  return here.data();
}

void warn_of_equal_pixels(const mandelbrot_options& options, const mandelbrot::picture& what) {
  if (tells_pixels_apart(what)) return;
  print_error(fmt::format("warning: {} tells some neighbouring pixels not apart: take {}\n",
                          what.precision == dtype::float32 ? "float" : "double",
                          options.precision == "auto"        ? "--center and --zoom"
                          : what.precision == dtype::float32 ? "--precision double"
                          : options.center.empty()           ? "--center, --zoom and --precision deep"
                                                             : "--precision deep"));
}

/// The counts of some rows, and the norms that smooth colours of a deep picture take.
struct counted_rows {
  const std::uint32_t* counts;
  const double* norms;  // or null
};

/// Counts a picture a band of rows at a time, of which each rank has some rows.
class band_counter {
 public:
  band_counter(const mandelbrot::picture& what, const target& where, bool takes_norms, bool quiet)
      : what_(what),
        where_(where),
        takes_norms_(takes_norms),
        counter_(what, where, what.deep ? reference_for(what, quiet) : nullptr),
        bands_(what, where) {}

  /// How many rows the next band has.
  std::size_t next(std::size_t first) const { return bands_.next(first); }

  counted_rows count(std::size_t row, std::size_t rows) {
    const std::size_t pixels = rows * what_.width;
    if (there_.size() < pixels) there_ = array<std::uint32_t>(pixels, where_);
    if (takes_norms_ && norms_there_.size() < pixels) norms_there_ = array<double>(pixels, where_);
    const auto began = std::chrono::steady_clock::now();
    const auto [first, end] = is_over_ranks() ? part_of_rank(rows) : std::pair(std::size_t{0}, rows);
    if (first < end) counter_.count(row + first, end - first, there_.data(), norms_there_.data());
    where_.wait();
    seconds_of_band_ =
        of_first_rank(std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
    seconds_ += seconds_of_band_;
    bands_.took(seconds_of_band_);
    const std::size_t own = (end - first) * what_.width;
    return {gathered(on_cpu(there_, where_, own, here_), own, of_ranks_),
            takes_norms_ ? gathered(on_cpu(norms_there_, where_, own, norms_here_), own, norms_of_ranks_)
                         : nullptr};
  }

  double seconds() const { return seconds_; }
  double seconds_of_band() const { return seconds_of_band_; }
  const mandelbrot::escape_counter& counter() const { return counter_; }

 private:
  const mandelbrot::picture& what_;
  const target& where_;
  bool takes_norms_;
  mandelbrot::escape_counter counter_;
  row_bands bands_;
  array<std::uint32_t> there_, here_, of_ranks_;
  array<double> norms_there_, norms_here_, norms_of_ranks_;
  double seconds_ = 0, seconds_of_band_ = 0;
};

/// The files of a picture and of its counts, which get a band of rows at a time.
class picture_files {
 public:
  picture_files(const mandelbrot_options& options, const mandelbrot::picture& what,
                const mandelbrot::colouring& colours, int threads)
      : what_(what), colours_(colours), threads_(threads) {
    if (!options.output.empty()) {
      png_.emplace(written_by_first(options.output), what.width, what.height, colours.format(),
                   colours.palette());
    }
    if (options.counts.empty()) return;
    npy_.emplace(written_by_first(options.counts));
    npy_->begin(dtype::uint32, shape{what.height, what.width});
  }

  void append(std::size_t row, std::size_t rows, const counted_rows& band) {
    // A few rows at a time, so that the command can be stopped while a large picture is compressed.
    const std::size_t at_once = std::max<std::size_t>(1, (std::size_t{1} << 22) / what_.width);
    for (std::size_t done = 0; png_ && done < rows; done += at_once) {
      if (!is_over_ranks()) stop_if_interrupted();
      const std::size_t now = std::min(at_once, rows - done);
      painted_.resize(now * what_.width * bytes_of(colours_.format()));
      colours_.paint(row + done, now, band.counts + done * what_.width, threads_, painted_.data(),
                     band.norms == nullptr ? nullptr : band.norms + done * what_.width);
      png_->append(painted_.data(), now);
    }
    if (npy_) npy_->append(band.counts, rows * what_.width * sizeof(std::uint32_t));
  }

  void commit() {
    if (png_) png_->commit();
    if (npy_) npy_->commit();
  }

 private:
  const mandelbrot::picture& what_;
  const mandelbrot::colouring& colours_;
  int threads_;
  std::optional<png_writer> png_;
  std::optional<npy_output> npy_;
  std::vector<std::uint8_t> painted_;
};

/// The iterations that the definition takes: an orbit that escapes in iteration i has had i + 1.
double iterations_in(const std::uint32_t* counts, std::size_t pixels, std::uint32_t limit) {
  return static_cast<double>(
      std::accumulate(counts, counts + pixels, std::uint64_t{0}, [&](std::uint64_t sum, std::uint32_t n) {
        return sum + std::min(std::uint64_t{n} + 1, std::uint64_t{limit});
      }));
}

void print_stats(const mandelbrot::picture& what, const target& where, const band_counter& bands,
                 double iterations) {
  nlohmann::ordered_json line;
  line["pattern"] = "mandelbrot";
  line["target"] = where.text();
  line["size"] = {what.width, what.height};
  line["limit"] = what.iterations;
  line["dtype"] = name(what.precision);
  if (what.deep) {
    line["reference"] = bands.counter().reference()->points().size() - 1;
    line["reference_bits"] = bands.counter().reference()->bits();
  }
  line["seconds"] = bands.seconds();
  line["iterations"] = iterations;
  line["iterations_per_s"] = iterations / bands.seconds();
  line["pixels_per_s"] = static_cast<double>(what.width) * static_cast<double>(what.height) / bands.seconds();
  print_error(line.dump() + "\n");
}

void run(const mandelbrot_options& options) {
  if (options.output.empty() && options.counts.empty()) {
    throw CLI::RequiredError("-o OUT.png or --counts COUNTS.npy");
  }
  picture_formats.chosen(options.output, options.format);  // throws where it is none
  const mandelbrot::picture what = picture_of(options);
  warn_of_equal_pixels(options, what);
  const target where =
      is_over_ranks() ? ranks_on(options.target).where() : place_for(target::parse(options.target), what);
  const mandelbrot::colouring colours(what, options.palette, options.smooth);
  band_counter bands(what, where, what.deep && options.smooth, options.quiet);
  picture_files files(options, what, colours, where.is_gpu() ? available_cores() : where.threads());

  begin_together();
  double iterations = 0;
  progress shown(std::size_t{what.width} * what.height, options.quiet);
  for (std::size_t row = 0; row < what.height;) {
    stop_together();
    const std::size_t rows = bands.next(row), pixels = rows * what.width;
    const counted_rows band = bands.count(row, rows);
    if (options.stats) iterations += iterations_in(band.counts, pixels, what.iterations);
    shown.show_instead_of_rate(
        fmt::format("{:.1f} Mpixel/s", static_cast<double>(pixels) / bands.seconds_of_band() / 1e6));
    shown.advance(pixels / 2);
    files.append(row, rows, band);
    shown.advance(pixels - pixels / 2);
    row += rows;
  }
  stop_together();
  files.commit();
  if (!options.stats) return;
  shown.hide();
  print_stats(what, where, bands, iterations);
}

}  // namespace

void add_mandelbrot(CLI::App& app) {
  CLI::App* command = app.add_subcommand("mandelbrot", "A picture of the Mandelbrot set");
  const auto options = std::make_shared<mandelbrot_options>();
  CLI::Option* picture = writes_file(
      command->add_option("-o,--output", options->output, "Where the picture goes")->option_text("OUT.png"));
  picture_formats.add_option_to(*command, options->format, picture);
  command->add_option("--size", options->size, "Pixels; default 1536x1024")
      ->option_text("WxH")
      ->check(check_grid_size);
  CLI::Option* view =
      command->add_option("--view", options->view, "The rectangle of the plane; default -2,1,-1,1")
          ->option_text("XMIN,XMAX,YMIN,YMAX");
  options->add_center_to(*command)->excludes(view);
  command->add_option("--iterations", options->iterations, "The limit; default 50")
      ->option_text("N")
      ->transform(count_from(0, std::numeric_limits<std::uint32_t>::max()));
  command
      ->add_option("--precision", options->precision,
                   "auto|float|double|deep; default auto, the first that tells pixels apart")
      ->option_text("P")
      ->check(CLI::IsMember({"auto", "float", "double", "deep"}));
  options->add_colours_to(*command, picture);
  writes_file(
      command->add_option("--counts", options->counts, "The counts too, as a uint32 array of height x width")
          ->option_text("COUNTS.npy"));
  options->add_place_to(*command);
  command->footer(
      "Pixel (column x, row y) is c = (xmin + x*(xmax-xmin)/width, ymin + y*(ymax-ymin)/height). From z = 0, "
      "for "
      "i = 0,\n"
      "1, ... N-1, z becomes z*z + c, and if |z|^2 >= 4 the count is i; otherwise the count is N. Counts are "
      "the "
      "same on\n"
      "every target.");
  command->callback([options] { run(*options); });
}

}  // namespace heddle::cli
