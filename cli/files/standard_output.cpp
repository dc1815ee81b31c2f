#include "standard_output.hpp"

#include <heddle/error.hpp>
#include <heddle/support/named_stream.hpp>

#include <cerrno>
#include <cstdio>
#include <system_error>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

namespace heddle::cli {
namespace {

bool only_data = false, nothing = false;

bool is_same(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

}  // namespace

void reserve_standard_streams() {
  // Descriptors are handed out lowest first; these are for reading only, so that writing to them still fails.
  int descriptor;
  do {
    descriptor = ::open("/dev/null", O_RDONLY);
  } while (descriptor >= 0 && descriptor <= STDERR_FILENO);
  if (descriptor > STDERR_FILENO) ::close(descriptor);
}

void keep_standard_output_for_data() noexcept {
  only_data = true;
}

bool is_kept_for_data() noexcept {
  return only_data;
}

void print_nothing() noexcept {
  nothing = true;
}
void print_everything() noexcept {
  nothing = false;
}
bool prints_nothing() noexcept {
  return nothing;
}

printing_beside_data::printing_beside_data() {
  if (!only_data) return;
  std::fflush(stdout);
  data_ = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
  if (data_ < 0 || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
    fail(fmt::format("standard output: cannot duplicate: {}", std::generic_category().message(errno)));
  }
}

printing_beside_data::~printing_beside_data() {
  if (data_ < 0) return;
  std::fflush(stdout);
  ::dup2(data_, STDOUT_FILENO);
  ::close(data_);
}

void print(std::string_view text) {
  if (nothing) return;
  if (only_data) return print_error(text);
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    fail(fmt::format("cannot write to standard output: {}", std::generic_category().message(errno)));
  }
}

bool is_standard_output(const std::string& path) noexcept {
  if (descriptor_in(path) == STDOUT_FILENO) return true;
  struct stat named, output, null;
  return ::stat(path.c_str(), &named) == 0 && ::fstat(STDOUT_FILENO, &output) == 0 &&
         ::stat("/dev/null", &null) == 0 && is_same(named, output) && !is_same(named, null);
}

void print_error(std::string_view text) noexcept {
  if (nothing) return;
  // There is nowhere left to say that this failed.
  static_cast<void>(std::fwrite(text.data(), 1, text.size(), stderr));
  static_cast<void>(std::fflush(stderr));
}

}  // namespace heddle::cli
