#pragma once

#include "checker/report/finding.hpp"

#include <string>
#include <vector>

namespace heddle::checker {

/// One page of HTML that needs nothing else, without scripts: the summary, then each finding with its places
/// side by side. A place has the lines of the source around it, as its file has them now, and a drawing of
/// the launch's blocks and of the block's threads in which those of the finding are marked. Of long lists of
/// blocks the rows near the marked ones are drawn.
std::string as_html(const std::string& source, const std::string& summary,
                    const std::vector<finding>& findings);

}  // namespace heddle::checker
