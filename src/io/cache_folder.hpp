#pragma once

#include <heddle/support/temporary_folder.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace heddle::impl {

/// A folder of what is kept from one run of a program to the next. It is the user's, and others can neither
/// write to it nor replace it in the folder around it: what is found in it is trusted no further than its
/// owner. Folders farther out are not looked at.
class cache_folder {
 public:
  /// $XDG_CACHE_HOME/heddle/NAME or ~/.cache/heddle/NAME; heddle-UID/NAME in temporary_place() where neither
  /// is known. Without a name the folder around it. It is made where it is missing, with mode 0700.
  /// \throws heddle::error when it cannot be made, is a link or another user's, or when the folder around it
  /// belongs to another user than root, or a group or others can write to that without the sticky bit.
  static cache_folder named(const std::string& name);

  /// Any other folder that the same holds for, in one that is there.
  static cache_folder at(const std::filesystem::path& path);

  ~cache_folder();
  cache_folder(cache_folder&& other) noexcept;
  cache_folder(const cache_folder&) = delete;
  cache_folder& operator=(const cache_folder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  /// Of the open folder.
  int descriptor() const { return descriptor_; }
  /// Whether the folder was removed since it was opened.
  bool is_removed() const;

  /// The bytes of a file in it; nothing when there is none. Reading counts as a use.
  /// \throws heddle::error when it is no ordinary file, is another user's, or others can write to it.
  std::optional<std::string> read(const std::string& name) const;

  /// Puts a file in place of what has its name, whole or not at all.
  /// \throws heddle::error when it cannot be written.
  void write(const std::string& name, std::string_view text) const;

  /// How names of temporary_folders in it begin.
  static constexpr const char* temporary = "new-";

 private:
  /// write(), but returns the number of the error, or 0.
  int put(const std::string& name, std::string_view text) const;

  cache_folder(std::filesystem::path path, int descriptor)
      : path_(std::move(path)), descriptor_(descriptor) {}

  std::filesystem::path path_;
  int descriptor_;
};

}  // namespace heddle::impl
