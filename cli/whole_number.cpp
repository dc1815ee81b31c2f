#include "whole_number.hpp"

#include "modules/cache.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <system_error>

#include <CLI/Error.hpp>
#include <CLI/Validators.hpp>
#include <fmt/core.h>

namespace heddle::cli {
namespace {

template <class T>
std::optional<T> digits_of(std::string_view text) {
  T value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> power(std::uint64_t base, std::uint64_t exponent) {
  std::uint64_t value = 1;
  if (base < 2) return exponent == 0 ? 1 : base;
  for (; exponent > 0; --exponent) {
    if (__builtin_mul_overflow(value, base, &value)) return std::nullopt;
  }
  return value;
}

/// Digits, which may have a point among them, and an exponent: exactly, where a double would round.
std::optional<std::uint64_t> decimal(std::string_view text) {
  int exponent = 0;
  if (const std::size_t e = text.find_first_of("eE"); e != text.npos) {
    std::string_view behind = text.substr(e + 1);
    if (behind.starts_with('+') && !behind.starts_with("+-")) behind.remove_prefix(1);
    const auto given = digits_of<int>(behind);
    constexpr int most = 1000;
    if (!given || *given > most || *given < -most) return std::nullopt;
    exponent = *given;
    text = text.substr(0, e);
  }
  std::string digits(text);
  if (const std::size_t point = digits.find('.'); point != digits.npos) {
    digits.erase(point, 1);
    exponent -= static_cast<int>(digits.size() - point);
  }
  if (digits.empty() || digits.find_first_not_of("0123456789") != digits.npos) return std::nullopt;
  while (exponent < 0 && digits.size() > 1 && digits.back() == '0') {
    digits.pop_back();
    ++exponent;
  }
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size() - 1));
  if (digits == "0") return 0;
  if (exponent < 0) return std::nullopt;
  const auto value = digits_of<std::uint64_t>(digits);
  const auto scale = power(10, static_cast<std::uint64_t>(exponent));
  std::uint64_t number = 0;
  if (!value || !scale || __builtin_mul_overflow(*value, *scale, &number)) return std::nullopt;
  return number;
}

}  // namespace

std::optional<std::uint64_t> parse_whole_number(std::string_view text) {
  const std::size_t caret = text.find('^');
  if (caret == text.npos) return decimal(text);
  const auto base = digits_of<std::uint64_t>(text.substr(0, caret)),
             exponent = digits_of<std::uint64_t>(text.substr(caret + 1));
  return base && exponent ? power(*base, *exponent) : std::nullopt;
}

std::optional<std::uint64_t> parse_byte_count(std::string_view text) {
  const auto number = parse_whole_number(text);
  // Units are read where the size of the cache is.
  const auto bytes = number ? number : modules::bytes_in(text);
  return bytes && *bytes < std::uint64_t{1} << 63 ? bytes : std::nullopt;
}

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
    if (!number) return fmt::format("'{}' is no number of bytes, such as 1000000, 2^20, 500MB or 2GiB", text);
    text = std::to_string(*number);
    return "";
  };
  return {check, ""};
}

}  // namespace heddle::cli
