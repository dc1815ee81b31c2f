#include <heddle/error.hpp>
#include <heddle/io/atomic_file.hpp>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

namespace heddle {

atomic_file::atomic_file(std::string path) : path_(std::move(path)), target_(path_) {
  // Opening /dev/stdout anew would start at the beginning of the file that it may be redirected to.
  if (path_ == "/dev/stdout") {
    descriptor_ = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
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

  static std::atomic<unsigned> counter{0};
  const std::filesystem::path folder = std::filesystem::path(target_).parent_path();
  do {
    temporary_ = (folder / fmt::format(".heddle-{}-{}.part", ::getpid(), counter++)).string();
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (descriptor_ < 0 && errno == EEXIST);
  if (descriptor_ < 0) {
    temporary_.clear();
    fail("write", errno);
  }
  if (exists && ::fchmod(descriptor_, present.st_mode & 07777) != 0) {
    const int reason = errno;
    ::close(descriptor_);
    ::unlink(temporary_.c_str());
    fail("write", reason);
  }
}

atomic_file::~atomic_file() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void atomic_file::write(const void* data, std::size_t bytes) {
  const char* next = static_cast<const char*>(data);
  while (bytes > 0) {
    // Linux moves no more than 2^31 − 4096 bytes a call.
    const ssize_t moved = ::write(descriptor_, next, std::min<std::size_t>(bytes, std::size_t{1} << 30));
    if (moved < 0 && errno == EINTR) continue;
    if (moved < 0) fail("write", errno);
    next += moved;
    bytes -= static_cast<std::size_t>(moved);
    written_ += static_cast<std::size_t>(moved);
  }
}

void atomic_file::commit() {
  if (!temporary_.empty() && ::fsync(descriptor_) != 0) fail("write", errno);
  const int descriptor = std::exchange(descriptor_, -1);
  if (::close(descriptor) != 0) fail("write", errno);
  if (temporary_.empty()) return;
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail("write", errno);
  temporary_.clear();
}

void atomic_file::fail(const char* action, int reason) const {
  const std::string progress = written_ == 0 ? "" : fmt::format(" (after {} bytes)", written_);
  detail::fail(
      fmt::format("{}: cannot {}: {}{}", path_, action, std::generic_category().message(reason), progress));
}

}  // namespace heddle
