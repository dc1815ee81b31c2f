#pragma once

#include "checker/engine/launch.hpp"
#include "checker/program/program.hpp"
#include "checker/report/known_findings.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace heddle::checker {

/// What was checked.
struct checked {
  std::string source, kernel;
  launch_options options;
  severity fails_on = severity::warning;  ///< what weighs less is told, and the verdict is clean
  hidden_findings hidden;
};

/// The same of a whole program.
struct program_checked {
  std::string source;
  std::vector<std::string> arguments;
  program_options options;
  severity fails_on = severity::warning;
  hidden_findings hidden;
};

/// For people: each finding with both places, and a line on all of it.
std::string as_text(const checked& what, const launch_outcome& outcome);
std::string as_text(const program_checked& what, const program_outcome& outcome);
/// One object, on one line.
std::string as_json(const checked& what, const launch_outcome& outcome);
std::string as_json(const program_checked& what, const program_outcome& outcome);
/// A log of static analysis, SARIF 2.1.0, as code hosts read it: each finding at its first place, with the
/// others.
std::string as_sarif(const std::string& source, const std::vector<finding>& findings);
/// A page with the sources and drawings of the threads, to read in a browser.
std::string as_html(const checked& what, const launch_outcome& outcome);
std::string as_html(const program_checked& what, const program_outcome& outcome);
/// A test case that fails with each finding, as CI systems read it.
std::string as_junit(const checked& what, const launch_outcome& outcome);
std::string as_junit(const program_checked& what, const program_outcome& outcome);
/// The same where the kernel could not be run, or the program, which has no kernel's name, for this reason.
std::string as_json_error(const std::string& source, const std::string& kernel, std::string_view reason);
std::string as_junit_error(const std::string& source, const std::string& kernel, std::string_view reason);

}  // namespace heddle::checker
