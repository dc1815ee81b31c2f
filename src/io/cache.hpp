#pragma once

#include "cache_folder.hpp"
#include <heddle/kernel_cache.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nettle/sha2.h>

/// A cache of compiled code, from one run of a program to the next.
///
/// An entry is two files in the cache's folder: KEY.json, which says what was compiled from what, and
/// KEY-DIGEST.so or .cubin, the code. Both carry a SHA-256 digest, which is compared before anything of them
/// is used. An entry that is damaged, that others could have written, or of which a file that was compiled
/// has changed, is made anew.
namespace heddle::cache {

/// SHA-256 of a sequence of texts.
class digest {
 public:
  digest();
  /// Texts that are cut in other places have another digest.
  void add(std::string_view text);
  /// In hexadecimal digits. The next sequence begins.
  std::string text();

 private:
  sha256_ctx state_;
};

/// A folder for what a compiler reads and writes: in the cache, or for temporary files where that cannot be
/// written.
temporary_folder folder_for_making();
/// The same where nobody clears it: in the folder for temporary files, if there is one.
temporary_folder private_folder_for_making();

/// Compiled code, and its description.
struct kept_file {
  std::string made;
  std::string about;
};

/// The entry of a key, if no file that was read to make it has changed.
/// \throws heddle::error when HEDDLE_CACHE_SIZE is no whole number of bytes, before anything is compiled.
std::optional<kept_file> find_kept(const std::string& key);

/// Keeps what was made under a key. Of two processes that do so at once the second puts the same in its
/// place. `ending` is that of the file's name, and those of files_read that do not exist must not come to
/// exist. When one of them has changed since `began`, what was made may be of either state, and is not kept.
/// Where the cache cannot be written, a message on standard error says so, and this process alone has what it
/// made.
void keep(const std::string& key, const kept_file& what, const char* ending,
          const std::vector<std::string>& files_read,
          std::chrono::system_clock::time_point began = std::chrono::system_clock::now());

}  // namespace heddle::cache
