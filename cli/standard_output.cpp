#include "standard_output.hpp"

#include <heddle/error.hpp>

#include <cerrno>
#include <cstdio>
#include <system_error>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

namespace heddle::cli {

void reserve_standard_streams() {
  // Descriptors are handed out lowest first; these are for reading only, so that writing to them still fails.
  int descriptor;
  do {
    descriptor = ::open("/dev/null", O_RDONLY);
  } while (descriptor >= 0 && descriptor <= STDERR_FILENO);
  if (descriptor > STDERR_FILENO) ::close(descriptor);
}

void print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    detail::fail(fmt::format("cannot write to standard output: {}", std::generic_category().message(errno)));
  }
}

bool is_standard_output(const std::string& path) noexcept {
  struct stat named, output;
  return ::stat(path.c_str(), &named) == 0 && ::fstat(STDOUT_FILENO, &output) == 0 &&
         named.st_dev == output.st_dev && named.st_ino == output.st_ino;
}

void print_error(std::string_view text) noexcept {
  // There is nowhere left to say that this failed.
  static_cast<void>(std::fwrite(text.data(), 1, text.size(), stderr));
  static_cast<void>(std::fflush(stderr));
}

}  // namespace heddle::cli
