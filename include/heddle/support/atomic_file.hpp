#pragma once

#include <heddle/compiler.hpp>

#include <cstddef>
#include <optional>
#include <string>

#include <sys/types.h>

struct stat;

namespace heddle {

/// An output file that is either complete or absent: bytes go to a new file in the same folder, and `commit`
/// puts that in the place of `path` in one step. Without a commit whatever was at `path` is unchanged, and
/// nothing is left beside it; on file systems with unnamed files (O_TMPFILE) not even when the process is
/// killed.
///
/// Symbolic links are followed. A replaced file keeps its owner, group, mode, access control list and user
/// attributes as far as the system allows; tell_lost_properties_to() reports what could not be kept, and the
/// rights of a group are not given to another group. Before the commit only the owner, and those whom the
/// access control list names, can open the new file. A pipe, a terminal or /dev/stdout cannot be
/// replaced: the bytes go there directly, and after an error a part of them is there. Every error is a
/// heddle::error with the path and the system's reason.
class atomic_file {
 public:
  explicit atomic_file(std::string path);
  ~atomic_file();
  atomic_file(const atomic_file&) = delete;
  atomic_file& operator=(const atomic_file&) = delete;

  /// Throws where the file system has no room for a file of so many bytes.
  void require_room(double bytes) const;

  /// A path by which other processes open the new file, to write at offsets of it before the commit; "" where
  /// output cannot be replaced, so that it is written in order. Processes of other hosts need a file with a
  /// name, which stays where this process is killed.
  std::string path_for_others(bool on_other_hosts);

  /// Appends.
  void write(const void* data, std::size_t bytes);

  /// Returns once the file is on the disk and has its name.
  void commit();

 private:
  void follow_link();
  void open_beside(mode_t mode);
  void give_name();
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
  std::string lost_;            // properties of the old file that the new one could not get
  std::size_t written_ = 0;
};

/// From now on `function` gets one line whenever a new file could not keep a property of the one that it
/// replaced. Null, which is the default, reports nothing.
void tell_lost_properties_to(void (*function)(const std::string& message)) noexcept;

}  // namespace heddle
