#pragma once

#include <heddle/dtype.hpp>
#include <heddle/target.hpp>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <CLI/App.hpp>

namespace heddle::cli {

/// Adds --target.
void add_target_to(CLI::App& command, std::string& target);

/// Where a subcommand runs and what it says of it.
struct place_options {
  std::string target = "auto";
  bool stats = false;
  bool quiet = false;

  /// Adds --target, --stats and --quiet.
  void add_place_to(CLI::App& command);
};

/// Options of every pattern that runs on a file: the input and the output, the axis, the
/// element type, the target and the messages.
struct run_options : place_options {
  std::string input, output;
  std::optional<std::ptrdiff_t> axis;
  std::string op = "sum";
  std::string dtype;
  std::string algorithm = "single-pass";

  /// Adds all but the operator to a subcommand. `-o` is asked for always, or only when there is an axis.
  void add_to(CLI::App& command, bool output_is_required);

  /// Adds the file to read and the type to convert its elements to.
  void add_input_to(CLI::App& command);

  /// Adds --algorithm, which takes one of `names`.
  void add_algorithm_to(CLI::App& command, const std::vector<std::string>& names);

  /// The type that elements are converted to first, when one is given.
  std::optional<heddle::dtype> element_type() const;
};

/// Says what is wrong with the text of a target; empty if nothing is. It does not depend on the machine:
/// whether the target is there is seen when it is used.
std::string check_target(const std::string& text);

/// The target again, with its number in digits where it is a whole number.
std::string target_in_digits(const std::string& text);

/// Says what is wrong with the text of an element type.
std::string check_dtype(const std::string& text);

/// "{bool,int8,…}", which describes that check.
std::string set_of_dtypes();

/// Throws: wrong usage, because textbook methods take an array flat.
[[noreturn]] void fail_axis_with_textbook(const char* algorithm);

/// Measures one run and says what it did.
class run_stats {
 public:
  /// The clock starts here; `bytes` is what the run reads and writes.
  run_stats(const char* pattern, const std::string& op, const char* algorithm, std::size_t elements,
            dtype type, std::size_t bytes, const heddle::target& where);

  /// Stops the clock, and writes one line of JSON to standard error when it was asked for.
  void report(const run_options& options) const;

 private:
  const char* pattern_;
  const std::string& op_;
  const char* algorithm_;
  std::size_t elements_;
  dtype type_;
  std::size_t bytes_;
  const heddle::target& where_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

}  // namespace heddle::cli
