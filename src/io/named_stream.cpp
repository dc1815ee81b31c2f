#include <heddle/support/named_stream.hpp>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace heddle {

std::optional<int> descriptor_in(std::string_view path) noexcept {
  if (path == standard_input) return STDIN_FILENO;
  if (path == standard_output) return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(folder)) continue;
    path.remove_prefix(folder.size());
    int number = -1;
    const auto [end, status] = std::from_chars(path.data(), path.data() + path.size(), number);
    if (status == std::errc() && end == path.data() + path.size() && number >= 0) return number;
    break;
  }
  return std::nullopt;
}

std::string shown_path(const std::string& path) {
  constexpr const char* names[] = {"standard input", "standard output", "standard error"};
  const std::optional<int> number = descriptor_in(path);
  if (number && *number <= STDERR_FILENO) return names[*number];
  std::string shown;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte >= 0x20 && byte != 0x7f) || c == '\t') {
      shown += c;
    } else {
      shown += c == '\n' ? "\\n" : fmt::format("\\x{:02x}", byte);
    }
  }
  return shown;
}

int open_for_reading(const std::string& path) noexcept {
  const std::optional<int> number = descriptor_in(path);
  return number ? ::fcntl(*number, F_DUPFD_CLOEXEC, 0) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
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

}  // namespace heddle
