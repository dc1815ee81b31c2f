#pragma once

#include "checker/report/finding.hpp"

#include <vector>

namespace heddle::checker {

/// Without what follows from another finding, which says so instead: a read of what a racing write has not
/// written yet, and further arrays that one line leaves with the same index.
std::vector<finding> without_consequences(std::vector<finding> findings);

}  // namespace heddle::checker
