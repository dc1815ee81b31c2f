#include "whole_number.hpp"

#include <charconv>
#include <cmath>
#include <system_error>

#include <CLI/Error.hpp>
#include <fmt/core.h>

namespace heddle::cli {

std::uint64_t whole_number(const char* option, const std::string& text) {
  const char* const end = text.data() + text.size();
  std::uint64_t number = 0;
  if (const auto [at, status] = std::from_chars(text.data(), end, number);
      status == std::errc() && at == end) {
    return number;
  }
  double value = -1;
  const auto [at, status] = std::from_chars(text.data(), end, value);
  if (status == std::errc() && at == end && value >= 0 && value < 0x1p64 && value == std::floor(value)) {
    return static_cast<std::uint64_t>(value);
  }
  throw CLI::ValidationError(option, fmt::format("'{}' is no whole number below 2^64", text));
}

}  // namespace heddle::cli
