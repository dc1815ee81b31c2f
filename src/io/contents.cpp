#include "contents.hpp"

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

std::optional<std::string> contents(int file) {
  std::string text;
  char part[65536];
  while (const ssize_t count = read(file, part, sizeof part)) {
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return std::nullopt;
    text.append(part, static_cast<std::size_t>(count));
  }
  return text;
}

}  // namespace heddle::impl
