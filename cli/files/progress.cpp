#include "progress.hpp"

#include "standard_output.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/core.h>
#include <unistd.h>

namespace heddle::cli {
namespace {

constexpr const char* erased_line = "\r\033[K";

std::string time_text(double seconds) {
  const long whole = std::lround(seconds);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

}  // namespace

progress::progress(std::size_t total_bytes, bool quiet)
    : total_(total_bytes), wanted_(!quiet && !prints_nothing() && ::isatty(STDERR_FILENO) == 1) {}

progress::~progress() {
  hide();
}

void progress::hide() {
  if (shown_) print_error(erased_line);
  shown_ = false;
}

void progress::advance(std::size_t bytes) {
  done_ = std::min(done_ + bytes, total_);
  const clock::time_point now = clock::now();
  if (!wanted_ || now < next_ || (done_ == 0 && what_.empty())) return;
  next_ = now + std::chrono::milliseconds(100);
  shown_ = true;
  const double seconds = std::chrono::duration<double>(now - began_).count();
  const double rate = static_cast<double>(done_) / seconds;
  print_error(fmt::format(
      "{}{:3.0f} %  {}{}", erased_line, 100 * static_cast<double>(done_) / static_cast<double>(total_),
      what_.empty() ? fmt::format("{:.2f} GB/s", rate / 1e9) : what_,
      done_ == 0 ? "" : fmt::format("  {} left", time_text(static_cast<double>(total_ - done_) / rate))));
}

}  // namespace heddle::cli
