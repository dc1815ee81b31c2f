#pragma once

#include "lattice_boltzmann/boundary.hpp"
#include "lattice_boltzmann/settings.hpp"
#include <heddle/support/atomic_file.hpp>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <optional>
#include <string>

namespace heddle::lbm {

/// A checkpoint: a line "heddle lbm checkpoint 4", lines "name value", an empty line; the obstacles, a byte a
/// cell, where there are any; the populations, in blocks of rows; where the velocities had been compared,
/// those of that time, in such blocks; and eight bytes that their bytes add up to, by FNV-1a. Numbers are
/// this machine's.
class checkpoint_writer {
 public:
  /// `compared` is the step of the velocities, where there are any; `last` the force on obstacles in the last
  /// step.
  checkpoint_writer(const std::string& path, const settings& given, std::uint64_t steps,
                    std::optional<std::uint64_t> compared, const force& last);
  void write(const void* data, std::size_t bytes);
  void commit();

 private:
  atomic_file file_;
  std::uint64_t sum_;
};

class checkpoint_reader {
 public:
  /// Throws heddle::error with the path and the line for what is no checkpoint.
  explicit checkpoint_reader(const std::string& path);
  const settings& given() const noexcept { return given_; }
  std::uint64_t steps() const noexcept { return steps_; }
  std::optional<std::uint64_t> compared() const noexcept { return compared_; }
  const force& last_force() const noexcept { return last_force_; }

  void read(void* data, std::size_t bytes);
  /// Throws unless all has been read, and was what had been written.
  void finish();

 private:
  [[noreturn]] void fail(const std::string& what) const;

  std::string path_;
  std::ifstream file_;
  settings given_;
  std::uint64_t steps_ = 0, sum_;
  std::optional<std::uint64_t> compared_;
  force last_force_;
};

}  // namespace heddle::lbm
