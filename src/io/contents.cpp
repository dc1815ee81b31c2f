#include "contents.hpp"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <unistd.h>

namespace heddle::impl {

std::optional<std::string> contents(const std::filesystem::path& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  std::optional<std::string> text = contents(file);
  const int reason = errno;
  close(file);
  errno = reason;
  return text;
}

std::optional<std::string> contents(int file, std::size_t most) {
  std::string text;
  char part[65536];
  while (text.size() < most) {
    const ssize_t count = read(file, part, std::min(sizeof part, most - text.size()));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return std::nullopt;
    if (count == 0) break;
    text.append(part, static_cast<std::size_t>(count));
  }
  return text;
}

std::size_t write_bytes(int file, const void* data, std::size_t bytes) noexcept {
  const char* const begin = static_cast<const char*>(data);
  std::size_t written = 0;
  while (written < bytes) {
    // Linux moves no more than 2^31 − 4096 bytes a call.
    const ssize_t moved =
        ::write(file, begin + written, std::min<std::size_t>(bytes - written, std::size_t{1} << 30));
    if (moved < 0 && errno == EINTR) continue;
    if (moved < 0) break;
    written += static_cast<std::size_t>(moved);
  }
  return written;
}

}  // namespace heddle::impl
