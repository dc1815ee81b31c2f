#include "option_checks.hpp"

#include <heddle/support/named_stream.hpp>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <system_error>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace heddle::cli {
namespace {

template <class T>
bool is_whole_text(const std::string& text, T& value) {
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  return status == std::errc() && end == text.data() + text.size();
}

bool ends_in(std::string_view path, std::string_view ending) {
  return path.size() > ending.size() &&
         std::equal(ending.begin(), ending.end(), path.end() - static_cast<std::ptrdiff_t>(ending.size()),
                    [](char a, char b) { return a == std::tolower(static_cast<unsigned char>(b)); });
}

}  // namespace

std::vector<std::string> list_of(std::string_view text) {
  std::vector<std::string> parts;
  for (;;) {
    const std::size_t comma = text.find(',');
    parts.emplace_back(text.substr(0, comma));
    if (comma == text.npos) return parts;
    text.remove_prefix(comma + 1);
  }
}

// CLI11 takes a leading 0 for octal.
std::string check_axis(const std::string& text) {
  std::ptrdiff_t axis = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), axis);
  const bool octal = text.find_first_of("123456789") > text.find('0') && text.size() > 1 && axis != 0;
  return status == std::errc() && end == text.data() + text.size() && !octal
             ? ""
             : fmt::format("'{}' is no number of an axis", text);
}

std::string check_number::operator()(const std::string& text) const {
  double value = 0;
  if (!is_whole_text(text, value) || !std::isfinite(value)) {
    return fmt::format("'{}' is no finite number", text);
  }
  if (value > least_ ? value <= most_ : value == least_ && least_included_) return "";
  if (most_ < std::numeric_limits<double>::max()) {
    return fmt::format("'{}' is outside {} to {}", text, least_, most_);
  }
  return fmt::format("'{}' is not {} {}", text, least_included_ ? "at least" : "above", least_);
}

std::string_view file_formats::of(std::string_view path) const {
  if (descriptor_in(path)) return endings_.front();
  const auto found = std::find_if(endings_.begin(), endings_.end(),
                                  [&](std::string_view ending) { return ends_in(path, ending); });
  return found == endings_.end() ? std::string_view() : *found;
}

std::string file_formats::operator()(const std::string& path) const {
  return of(path).empty() ? fmt::format("'{}' ends in none of {}", path, fmt::join(endings_, ", ")) : "";
}

std::string_view file_formats::chosen(const std::string& path, const std::string& format) const {
  if (path.empty()) return {};
  if (!format.empty()) return *std::find(endings_.begin(), endings_.end(), "." + format);
  if (const std::string_view ending = of(path); !ending.empty()) return ending;
  throw CLI::ValidationError("--output", (*this)(path) + ": --format names the format");
}

void file_formats::add_option_to(CLI::App& command, std::string& format, CLI::Option* output) const {
  std::vector<std::string> names;
  for (const std::string_view ending : endings_) names.emplace_back(ending.substr(1));
  command
      .add_option("--format", format,
                  fmt::format("The format of -o, whatever its ending: {}; {} unless either names one",
                              fmt::join(names, "|"), names.front()))
      ->option_text("F")
      ->check(CLI::IsMember(names))
      ->needs(output);
}

}  // namespace heddle::cli
