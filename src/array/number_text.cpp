#include <heddle/support/number_text.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <system_error>

#include <fmt/core.h>

namespace heddle {
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

std::optional<std::uint64_t> product(std::optional<std::uint64_t> a, std::optional<std::uint64_t> b) {
  std::uint64_t value = 0;
  if (!a || !b || __builtin_mul_overflow(*a, *b, &value)) return std::nullopt;
  return value;
}

/// Digits, which may have a point among them, and an exponent, times a unit: exactly, where a double would
/// round.
std::optional<std::uint64_t> scaled_decimal(std::string_view text, std::uint64_t unit) {
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
  auto value = digits_of<std::uint64_t>(digits);
  if (!value) return std::nullopt;
  for (; exponent < 0; ++exponent) {
    for (const std::uint64_t prime : {2, 5}) {
      if (*value % prime == 0)
        *value /= prime;
      else if (unit % prime == 0)
        unit /= prime;
      else
        return std::nullopt;
    }
  }
  return product(product(value, unit), power(10, static_cast<std::uint64_t>(exponent)));
}

std::optional<std::uint64_t> scaled_number(std::string_view text, std::uint64_t unit) {
  const std::size_t caret = text.find('^');
  if (caret == text.npos) return scaled_decimal(text, unit);
  const auto base = digits_of<std::uint64_t>(text.substr(0, caret)),
             exponent = digits_of<std::uint64_t>(text.substr(caret + 1));
  return base && exponent ? product(power(*base, *exponent), unit) : std::nullopt;
}

/// Of bytes: none, B, K, KB, KiB, and so on.
std::optional<std::uint64_t> unit_of(std::string_view text) {
  if (text.empty() || text == "B") return 1;
  constexpr std::string_view letters = "KMGT";
  const std::size_t place = letters.find(text.front());
  const std::string_view behind = text.substr(1);
  if (place == letters.npos || (!behind.empty() && behind != "B" && behind != "iB")) return std::nullopt;
  return power(behind == "B" ? 1000 : 1024, place + 1);
}

}  // namespace

std::string bytes_text(double bytes) {
  if (bytes < 1 << 20) return fmt::format("{:.1f} KiB", bytes / 1024);
  if (bytes < 1 << 30) return fmt::format("{:.1f} MiB", bytes / (1 << 20));
  return fmt::format("{:.1f} GiB", bytes / (1 << 30));
}

std::string counted(std::uint64_t count, const char* what, const char* ending) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : ending);
}

std::optional<std::uint64_t> parse_whole_number(std::string_view text) {
  return scaled_number(text, 1);
}

std::optional<std::uint64_t> parse_byte_count(std::string_view text) {
  const std::size_t end = text.find_last_of("0123456789.") + 1;
  const auto unit = unit_of(text.substr(end));
  const auto bytes = unit ? scaled_number(text.substr(0, end), *unit) : std::nullopt;
  return bytes && *bytes < std::uint64_t{1} << 63 ? bytes : std::nullopt;
}

std::string why_no_byte_count(std::string_view text) {
  return fmt::format("'{}' is no whole number of bytes, such as 1000000, 2^20, 500MB or 2GiB", text);
}

}  // namespace heddle
