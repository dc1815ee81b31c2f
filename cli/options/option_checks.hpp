#pragma once

#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/App.hpp>

/// Checks of the text of an option for CLI11: each says what is wrong, or nothing. CLI11's own checks of
/// numbers round, take a leading 0 for octal and let NaN pass.
namespace heddle::cli {

/// The parts of a list that is separated by commas.
std::vector<std::string> list_of(std::string_view text);

/// Applies a check to each part of a list.
template <class Check>
auto each(const Check& check) {
  return [check](const std::string& text) {
    for (const std::string& part : list_of(text)) {
      if (std::string wrong = check(part); !wrong.empty()) return wrong;
    }
    return std::string();
  };
}

/// The number of an axis, from the last where it is negative.
std::string check_axis(const std::string& text);

/// A finite number from `least` to `most`; `least` itself only where `least_included`.
class check_number {
 public:
  static check_number above(double least) { return {least, std::numeric_limits<double>::max(), false}; }
  static check_number at_least(double least) { return {least, std::numeric_limits<double>::max(), true}; }
  static check_number between(double least, double most) { return {least, most, true}; }

  std::string operator()(const std::string& text) const;

 private:
  check_number(double least, double most, bool least_included)
      : least_(least), most_(most), least_included_(least_included) {}

  double least_, most_;
  bool least_included_;
};

/// The formats of a file, each known by an ending in either case. What has no name, such as standard output,
/// has the first.
class file_formats {
 public:
  file_formats(std::initializer_list<std::string_view> endings) : endings_(endings) {}

  /// The ending, with its dot, in lower case; empty when the path has none of them.
  std::string_view of(std::string_view path) const;
  std::string operator()(const std::string& path) const;

  /// The ending of the format that --format names, or else that of the path of -o; throws
  /// CLI::ValidationError where there is none.
  std::string_view chosen(const std::string& path, const std::string& format) const;

  /// Adds --format, which takes one of them without its dot.
  void add_option_to(CLI::App& command, std::string& format, CLI::Option* output) const;

 private:
  std::vector<std::string_view> endings_;
};

}  // namespace heddle::cli
