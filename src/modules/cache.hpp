#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What compilers made, kept from one run of a program to the next.
namespace heddle::modules {

/// 128 bits that differ for texts that differ: two 64-bit FNV-1a sums from different beginnings, each mixed
/// once more at the end.
class digest {
 public:
  void add(std::string_view text);
  std::string text() const;

 private:
  std::uint64_t a_ = 0xcbf29ce484222325u, b_ = 0x84222325cbf29ce4u;
};

/// All bytes of a file; nothing when it cannot be read.
std::optional<std::string> contents(const std::filesystem::path& path);

/// $XDG_CACHE_HOME/heddle/kernels or ~/.cache/heddle/kernels; a folder in the system's temporary one where
/// neither is known.
std::filesystem::path cache_folder();

/// A new folder in the cache's, which is removed with what is in it.
class temporary_folder {
 public:
  temporary_folder();
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;
  ~temporary_folder();
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// A file that a compiler made, and what is to be known of it.
struct kept_file {
  std::filesystem::path path;
  std::string about;
};

/// What was kept under a key, when every file that was read to make it is as it was.
std::optional<kept_file> find_kept(const std::string& key);

/// Puts `made`, which lies in a temporary_folder, under a key. Of two processes that do so at once the second
/// puts the same in its place.
kept_file keep(const std::string& key, const std::filesystem::path& made,
               const std::vector<std::string>& files_read, const std::string& about);

}  // namespace heddle::modules
