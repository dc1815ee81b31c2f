#pragma once

#include "cli/options/option_checks.hpp"
#include <heddle/array.hpp>
#include <heddle/io/gif.hpp>
#include <heddle/io/png.hpp>
#include <heddle/support/atomic_file.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <lattice_boltzmann/flow.hpp>
#include <lattice_boltzmann/pictures.hpp>

/// The files that `heddle lbm` reads and writes.
namespace heddle::cli {

/// Cells that are obstacles, rows from the bottom: of a picture those that are darker than half grey, where
/// it is not transparent; of an array (H, W) those that are not 0. Throws heddle::error for what is neither.
struct obstacle_mask {
  std::size_t width = 0, height = 0;
  std::vector<std::uint8_t> solid;
};
const file_formats& mask_formats();
obstacle_mask read_obstacles(const std::string& path);

/// The file of -o: a .gif grows by a picture at a time, the others hold the last state.
class lbm_output {
 public:
  static const file_formats& formats();

  /// Throws heddle::error for a place that cannot be written to.
  lbm_output(const std::string& path, const std::string& format, lbm::field field);

  bool is_animation() const { return ending_ == ".gif"; }
  /// Before the first frame.
  void begin(const lbm::flow& of);
  void add_frame(const lbm::flow& of);
  void finish(const lbm::flow& of);
  /// From here on there is nothing to finish.
  void give_up();

 private:
  std::string path_;
  std::string_view ending_;
  lbm::field field_;
  lbm::pictures pictures_;
  std::unique_ptr<gif_writer> animation_;
  bool has_frames_ = false;
};

/// The file of --forces: a line for each sample, in place once it is finished.
class lbm_forces {
 public:
  explicit lbm_forces(const std::string& path);
  bool is_wanted() const { return file_.has_value(); }
  void add(const lbm::flow& of);
  std::uint64_t samples() const { return samples_; }
  void finish();
  /// From here on there is nothing to finish.
  void give_up() { file_.reset(); }

 private:
  void write();

  std::optional<atomic_file> file_;
  std::string lines_;  // that are not in the file yet
  std::uint64_t samples_ = 0;
};

/// The file of --profile.
void write_profiles(const std::string& path, const lbm::flow& of);

}  // namespace heddle::cli
