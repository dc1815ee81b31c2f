#pragma once

#include "launch.hpp"
#include "program.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace heddle::checker {

/// What was checked.
struct checked {
  std::string source, kernel;
  launch_options options;
  severity fails_on = severity::warning;  ///< what weighs less is told, and the verdict is clean
};

/// The same of a whole program.
struct program_checked {
  std::string source;
  std::vector<std::string> arguments;
  program_options options;
  severity fails_on = severity::warning;
};

/// For people: each finding with both places, and a line on all of it.
std::string as_text(const checked& what, const launch_outcome& outcome);
std::string as_text(const program_checked& what, const program_outcome& outcome);
/// One object, on one line.
std::string as_json(const checked& what, const launch_outcome& outcome);
std::string as_json(const program_checked& what, const program_outcome& outcome);
/// A test case that fails with each finding, as CI systems read it.
std::string as_junit(const checked& what, const launch_outcome& outcome);
std::string as_junit(const program_checked& what, const program_outcome& outcome);
/// The same where the kernel could not be run, or the program, which has no kernel's name, for this reason.
std::string as_json_error(const std::string& source, const std::string& kernel, std::string_view reason);
std::string as_junit_error(const std::string& source, const std::string& kernel, std::string_view reason);

}  // namespace heddle::checker
