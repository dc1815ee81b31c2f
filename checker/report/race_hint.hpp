#pragma once

#include "checker/report/finding.hpp"

#include <string>

namespace heddle::checker {

/// What would order the threads of a data race, or why what is there does not: it follows from which threads
/// met in it and what they did, over all times that it was met.
std::string race_hint(const finding& f);

/// Whether all that met in it are writes of one value.
bool is_same_value(const race_facts& race);

}  // namespace heddle::checker
