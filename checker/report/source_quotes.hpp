#pragma once

#include "checker/report/finding.hpp"

#include <vector>

namespace heddle::checker {

/// Gives each place the line of its source and where on it that happens, as far as the text says, and
/// findings the code that is likely to mend them. Sources that cannot be read are left out.
void quote_sources(std::vector<finding>& findings);

}  // namespace heddle::checker
