#pragma once

#include <filesystem>
#include <string>

namespace heddle {

/// The folder for temporary files that TMPDIR names, or /tmp. heddle::error when it is none.
std::filesystem::path temporary_place();

/// A new folder, which is removed with what is in it.
class temporary_folder {
 public:
  /// In another, with a name that begins so. Those of the same beginning that killed processes left are
  /// removed. \throws heddle::error when it cannot be made.
  temporary_folder(const std::filesystem::path& around, const std::string& begin);
  ~temporary_folder();
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  /// Removes those that no process has any more.
  static void sweep(const std::filesystem::path& around, const std::string& begin);

 private:
  std::filesystem::path path_;
  int lock_ = -1;
  int process_;
};

}  // namespace heddle
