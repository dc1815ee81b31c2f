#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include <sys/types.h>

struct stat;

namespace heddle {

/// An output file that is either complete or not there: bytes go to a new file in the same folder, and
/// `commit` puts that in the place of `path` in one step. Without a commit whatever was at `path` stays as it
/// was, and nothing is left beside it, even when the process is killed, on file systems that know files
/// without a name.
///
/// A symbolic link is followed. A file that is replaced keeps its owner, group, mode, access control list and
/// attributes of users, as far as the system allows: what cannot be kept is told where a program asks for it,
/// and rights that a group had are not given to another. Before the commit nobody but the owner, and whom the
/// access control list names, can open what takes its place. What cannot be replaced, such as a pipe, a
/// terminal or /dev/stdout, is written to directly, and keeps a part of the bytes after an error. Every error
/// is a heddle::error with the path and the system's reason.
class atomic_file {
 public:
  explicit atomic_file(std::string path);
  ~atomic_file();
  atomic_file(const atomic_file&) = delete;
  atomic_file& operator=(const atomic_file&) = delete;

  /// Throws where the file system has no room for a file of so many bytes.
  void require_room(double bytes) const;

  /// Appends.
  void write(const void* data, std::size_t bytes);

  /// Returns once the file is on the disk and has its name.
  void commit();

 private:
  void follow_link();
  void open_beside(mode_t mode);
  void keep_properties(const struct stat& present);
  void keep_attributes(bool keeps_access_list);
  std::string new_name() const;
  void discard() noexcept;
  [[noreturn]] void fail(const char* action, int reason) const;

  std::string path_;
  std::string target_;     // what is replaced: path_ with symbolic links followed
  std::string temporary_;  // what the new file is called before it is complete; it may have no name
  bool replaces_ = false;  // false when the file is written to directly
  int descriptor_ = -1;
  std::optional<mode_t> mode_;  // of the file that is replaced
  std::string lost_;            // what the new file cannot have of the old one's
  std::size_t written_ = 0;
};

/// From here on `function` gets one line whenever a file that took another's place could not keep a property
/// of it. Null for none, as at first.
void tell_lost_properties_to(void (*function)(const std::string& message)) noexcept;

}  // namespace heddle
