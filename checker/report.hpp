#pragma once

#include "launch.hpp"

#include <string>
#include <string_view>

namespace heddle::checker {

/// What was checked.
struct checked {
  std::string source, kernel;
  launch_options options;
};

/// For people: each finding with both places, and a line on all of it.
std::string as_text(const checked& what, const launch_outcome& outcome);
/// One object, on one line.
std::string as_json(const checked& what, const launch_outcome& outcome);
/// A test case that fails with each finding, as CI systems read it.
std::string as_junit(const checked& what, const launch_outcome& outcome);
/// The same where the kernel could not be run, for this reason.
std::string as_junit_error(const checked& what, std::string_view reason);

}  // namespace heddle::checker
