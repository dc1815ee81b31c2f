#include "laplace_start.hpp"

#include "cli/options/file_options.hpp"
#include "cli/options/option_checks.hpp"
#include "cli/options/shell_words.hpp"
#include "grid_size.hpp"
#include <heddle/error.hpp>
#include <heddle/support/named_stream.hpp>

#include <algorithm>
#include <iterator>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace heddle::cli {
namespace {

/// Throws where a file has no array of rows and columns of real numbers.
void require_points(const npy_file& file) {
  if (file.dtype() >= dtype::complex64) {
    fail(fmt::format("{}: holds {}, where real numbers are needed", file.path(), name(file.dtype())));
  }
  if (file.shape().axes() != 2) {
    fail(fmt::format("{}: has shape {}, where (rows, columns) is needed", file.path(), file.shape().text()));
  }
}

void require_same_shape(const npy_file& file, const std::string& path, const shape& lengths) {
  require_points(file);
  if (file.shape() != lengths) {
    fail(fmt::format("{}: has shape {}, where the edges have {}", shown_path(path), file.shape().text(),
                     lengths.text()));
  }
}

}  // namespace

void laplace_start_options::add_start_to(CLI::App& command) {
  command.add_option("--size", size, "Points, edges included; default that of the file, or 512x512")
      ->option_text("WxH")
      ->check(check_grid_size);
  reads_file(
      command
          .add_option("--edges", edges,
                      "sine, or an array (H, W) with the edges, and inside what to begin with; default sine")
          ->option_text("sine|FILE.npy"));
  reads_file(command.add_option("--source", source, "An array (H, W): f in d2u/dx2 + d2u/dy2 = f; default 0")
                 ->option_text("FILE.npy"));
  reads_file(command
                 .add_option("--held", held,
                             "An array (H, W): inner points where it is not 0 stay as --edges has them")
                 ->option_text("FILE.npy"));
  std::vector<std::string> names;
  for (const laplace::method one : laplace::methods) names.emplace_back(name(one));
  command.add_option("--method", method, "jacobi|red-black|multigrid; default multigrid")
      ->option_text("M")
      ->check(CLI::IsMember(names));
  command.add_option("--dtype", dtype, "float32 or float64; default that of the edges, or float64")
      ->option_text("D")
      ->check(CLI::IsMember({"float32", "float64"}));
}

std::string laplace_start_options::words() const {
  std::vector<std::string> all;
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) all.insert(all.end(), {option, value});
  };
  add("--size", size);
  if (edges != "sine") add("--edges", edges);
  add("--source", source);
  add("--held", held);
  add("--dtype", dtype);
  return shell_words(all);
}

laplace::method laplace_start_options::how() const {
  return *std::find_if(std::begin(laplace::methods), std::end(laplace::methods),
                       [&](laplace::method one) { return name(one) == method; });
}

laplace_files::laplace_files(const laplace_start_options& options) : lengths{0} {
  const auto open = [](const std::string& path, std::optional<npy_file>& file) {
    if (!path.empty()) file.emplace(path);
  };
  if (options.edges != "sine") edges.emplace(options.edges);
  open(options.source, source);
  open(options.held, held);
  const std::optional<grid_size> size = options.size.empty() ? std::nullopt : parse_grid_size(options.size);
  if (edges) require_points(*edges);
  lengths = edges ? edges->shape() : size ? shape{size->height, size->width} : shape{512, 512};
  if (size && lengths != shape{size->height, size->width}) {
    fail(fmt::format("{}: has {}x{} points, where --size says {}", edges->path(), lengths[1], lengths[0],
                     options.size));
  }
  if (source) require_same_shape(*source, options.source, lengths);
  if (held) require_same_shape(*held, options.held, lengths);
}

bool laplace_files::is_float(const laplace_start_options& options) const {
  return options.dtype.empty() ? edges && edges->dtype() == heddle::dtype::float32
                               : options.dtype == "float32";
}

array<std::uint8_t> laplace_files::mask() const {
  const array<double> values = held->read_as<double>();
  array<std::uint8_t> made(values.shape());
  std::transform(values.begin(), values.end(), made.begin(),
                 [](double value) { return static_cast<std::uint8_t>(value != 0 ? 1 : 0); });
  return made;
}

}  // namespace heddle::cli
