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

}  // namespace heddle::impl
