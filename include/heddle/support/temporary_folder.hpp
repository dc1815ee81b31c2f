#pragma once

#include <heddle/compiler.hpp>

#include <array>
#include <filesystem>
#include <string>

namespace heddle {

/// The folder for temporary files: TMPDIR, or /tmp. Throws heddle::error when it is no folder.
std::filesystem::path temporary_place();

/// A new folder, which is removed with its contents at the end of its lifetime.
class temporary_folder {
 public:
  /// Makes it in `around`, with a name that starts with `begin`, and removes such folders of killed
  /// processes. \throws heddle::error when it cannot be made.
  temporary_folder(const std::filesystem::path& around, const std::string& begin);
  ~temporary_folder();
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  /// Removes folders in `around` whose names start with `begin` and whose process has ended.
  static void sweep(const std::filesystem::path& around, const std::string& begin);

 private:
  std::filesystem::path path_;
  int lock_ = -1;
  int process_;
  std::array<int, 6> spare_;  // descriptors that removing folders in folders takes
};

}  // namespace heddle
