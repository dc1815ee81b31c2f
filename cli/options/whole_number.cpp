#include "whole_number.hpp"

#include <CLI/Error.hpp>
#include <CLI/Validators.hpp>
#include <fmt/core.h>

namespace heddle::cli {

std::uint64_t whole_number(const char* option, const std::string& text) {
  if (const auto number = parse_whole_number(text)) return *number;
  throw CLI::ValidationError(option, fmt::format("'{}' is no whole number below 2^64", text));
}

CLI::Validator count_from(std::uint64_t least, std::uint64_t most) {
  const auto check = [least, most](std::string& text) -> std::string {
    const auto number = parse_whole_number(text);
    if (!number) return fmt::format("'{}' is no count, such as 1000, 1e3 or 2^10", text);
    if (*number < least && least == 1) return fmt::format("'{}' is no count above 0", text);
    if (*number < least || *number > most) return fmt::format("'{}' is outside {} to {}", text, least, most);
    text = std::to_string(*number);
    return "";
  };
  return {check, ""};
}

CLI::Validator byte_count() {
  const auto check = [](std::string& text) -> std::string {
    const auto number = parse_byte_count(text);
    if (!number) return why_no_byte_count(text);
    text = std::to_string(*number);
    return "";
  };
  return {check, ""};
}

}  // namespace heddle::cli
