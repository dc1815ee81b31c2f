#include "contents.hpp"
#include <heddle/error.hpp>
#include <heddle/support/atomic_file.hpp>
#include <heddle/support/named_stream.hpp>
#include <heddle/support/number_text.hpp>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

namespace heddle {
namespace {

/// Where Linux shows a process its open files by number.
constexpr const char* own_descriptors = "/proc/self/fd";

constexpr const char* access_list = "system.posix_acl_access";
std::atomic<void (*)(const std::string&)> told_of_losses{nullptr};

/// Linux has none that are larger.
constexpr std::size_t largest_attribute = std::size_t{1} << 16;

}  // namespace

void tell_lost_properties_to(void (*function)(const std::string& message)) noexcept {
  told_of_losses = function;
}

atomic_file::atomic_file(std::string path) : path_(shown_path(path)), target_(std::move(path)) {
  if (path_.empty()) heddle::fail("cannot write: the file has no name");
  // Opening a descriptor's path anew would start at the beginning of the file that it may be redirected to.
  if (const std::optional<int> named = descriptor_in(target_)) {
    descriptor_ = ::fcntl(*named, F_DUPFD_CLOEXEC, 0);
    if (descriptor_ < 0) fail("open", errno);
    return;
  }

  struct stat present;
  const bool exists = ::stat(path_.c_str(), &present) == 0;
  if (!exists && errno != ENOENT) fail("write", errno);
  if (exists && S_ISDIR(present.st_mode)) fail("write", EISDIR);
  if (exists && !S_ISREG(present.st_mode)) {
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) fail("open", errno);
    return;
  }
  if (exists) {
    // A rename asks for the folder's permission only: a file that is write-protected stays protected.
    if (::access(path_.c_str(), W_OK) != 0) fail("write", errno);
    std::error_code reason;
    target_ = std::filesystem::canonical(path_, reason).string();
    if (reason) fail("write", reason.value());
  }

  if (!exists) follow_link();
  replaces_ = true;
  // Another user who opened it now could read all that is written later.
  open_beside(exists ? 0600 : 0666);
  if (exists) keep_properties(present);
}

void atomic_file::keep_properties(const struct stat& present) {
  const auto lose = [&](const char* what, unsigned number) {
    lost_ += fmt::format("{}its {} {}", lost_.empty() ? "" : ", ", what, number);
  };
  struct stat now;
  const bool is_known = ::fstat(descriptor_, &now) == 0;
  constexpr uid_t same_owner = static_cast<uid_t>(-1);
  constexpr gid_t same_group = static_cast<gid_t>(-1);
  // The group and the attributes first, while the file belongs to this process.
  const bool keeps_group =
      (is_known && now.st_gid == present.st_gid) || ::fchown(descriptor_, same_owner, present.st_gid) == 0;
  keep_attributes(keeps_group);
  const bool keeps_owner =
      (is_known && now.st_uid == present.st_uid) || ::fchown(descriptor_, present.st_uid, same_group) == 0;
  if (!keeps_owner) lose("owner", present.st_uid);
  if (!keeps_group) lose("group", present.st_gid);
  mode_t& mode = mode_.emplace(present.st_mode & 07777);
  if (!keeps_owner || !keeps_group) mode &= 0777;
  // Another group does not get the permissions of the old one, unless everybody has them.
  if (!keeps_group) mode &= ~S_IRWXG | ((mode & S_IRWXO) << 3);
}

void atomic_file::keep_attributes(bool keeps_access_list) {
  // A folder may give new files a list.
  ::fremovexattr(descriptor_, access_list);
  const ssize_t size = ::listxattr(target_.c_str(), nullptr, 0);
  if (size <= 0) return;
  std::string names(static_cast<std::size_t>(size), '\0');
  const ssize_t listed = ::listxattr(target_.c_str(), names.data(), names.size());
  std::string value;
  for (std::size_t at = 0; listed > 0 && at < static_cast<std::size_t>(listed);) {
    const std::string name = names.c_str() + at;
    at += name.size() + 1;
    // Labels of the system, such as those of SELinux, are a matter of the new file's place.
    if (!name.starts_with("user.") && !(keeps_access_list && name == access_list)) continue;
    value.resize(largest_attribute);
    const ssize_t length = ::getxattr(target_.c_str(), name.c_str(), value.data(), value.size());
    if (length < 0 ||
        ::fsetxattr(descriptor_, name.c_str(), value.data(), static_cast<std::size_t>(length), 0) != 0) {
      lost_ += fmt::format("{}its {}", lost_.empty() ? "" : ", ",
                           name == access_list ? "access control list" : "attribute " + name);
    }
  }
}

void atomic_file::follow_link() {
  // To a file that is not there yet; a ring of links would have failed with ELOOP.
  std::error_code reason;
  while (std::filesystem::is_symlink(target_, reason)) {
    const std::filesystem::path link = std::filesystem::read_symlink(target_, reason);
    if (reason) fail("write", reason.value());
    target_ = (std::filesystem::path(target_).parent_path() / link).string();
  }
}

void atomic_file::open_beside(mode_t mode) {
  const std::filesystem::path folder = std::filesystem::path(target_).parent_path();
#if defined(O_TMPFILE)
  // A file without a name leaves nothing behind even when the process is killed. Some file systems have none.
  if (::access(own_descriptors, X_OK) == 0) {
    descriptor_ = ::open(folder.empty() ? "." : folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
    if (descriptor_ >= 0) return;
  }
#endif
  do {
    temporary_ = new_name();
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  } while (descriptor_ < 0 && errno == EEXIST);
  if (descriptor_ < 0) {
    temporary_.clear();
    fail(errno == EACCES ? "write to its folder" : "write", errno);
  }
}

std::string atomic_file::new_name() const {
  static std::atomic<unsigned> counter{0};
  const std::filesystem::path folder = std::filesystem::path(target_).parent_path();
  return (folder / fmt::format(".heddle-{}-{}.part", ::getpid(), counter++)).string();
}

void atomic_file::discard() noexcept {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

atomic_file::~atomic_file() {
  discard();
}

void atomic_file::require_room(double bytes) const {
  struct statvfs system;
  // Some systems do not say how large they are.
  if (!replaces_ || ::fstatvfs(descriptor_, &system) != 0 || system.f_blocks == 0) return;
  const double free = static_cast<double>(system.f_bavail) * static_cast<double>(system.f_frsize);
  if (bytes > free) {
    heddle::fail(fmt::format("{}: cannot write: needs {}, and {} are free", path_, bytes_text(bytes),
                             bytes_text(free)));
  }
}

void atomic_file::write(const void* data, std::size_t bytes) {
  const std::size_t moved = write_bytes(descriptor_, data, bytes);
  written_ += moved;
  if (moved < bytes) fail("write", errno);
}

std::string atomic_file::path_for_others(bool on_other_hosts) {
  if (!replaces_) return "";
  if (on_other_hosts) give_name();
  if (temporary_.empty()) return fmt::format("/proc/{}/fd/{}", ::getpid(), descriptor_);
  return std::filesystem::absolute(temporary_).string();
}

void atomic_file::give_name() {
  if (!temporary_.empty()) return;
  // A name can be given to the file only where there is none yet; the rename then replaces what is there.
  const std::string unnamed = fmt::format("{}/{}", own_descriptors, descriptor_);
  std::string name = new_name();
  while (::linkat(AT_FDCWD, unnamed.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) != 0) {
    if (errno != EEXIST) fail("write", errno);
    name = new_name();
  }
  temporary_ = name;
}

void atomic_file::commit() {
  // After the last write, which takes set-user-ID and set-group-ID bits away.
  if (mode_ && ::fchmod(descriptor_, *mode_) != 0) fail("write", errno);
  if (replaces_ && ::fsync(descriptor_) != 0) fail("write", errno);
  if (replaces_) give_name();
  const int descriptor = std::exchange(descriptor_, -1);
  if (::close(descriptor) != 0) fail("write", errno);
  if (!replaces_) return;
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail("write", errno);
  temporary_.clear();
  const auto tell = told_of_losses.load();
  if (!lost_.empty() && tell != nullptr) tell(fmt::format("{}: replaced without {}", path_, lost_));
}

void atomic_file::fail(const char* action, int reason) const {
  const std::string progress = written_ == 0 ? "" : fmt::format(" (after {} bytes)", written_);
  heddle::fail(
      fmt::format("{}: cannot {}: {}{}", path_, action, std::generic_category().message(reason), progress));
}

}  // namespace heddle
