#pragma once

#include <string>
#include <vector>

namespace heddle::cli {

/// Says what is wrong with a list of percentiles, "25,50,97.5"; empty if nothing is.
std::string check_percentiles(const std::string& text);

/// The fractions of such a list, from 0 to 1.
std::vector<double> parse_percentiles(const std::string& text);

}  // namespace heddle::cli
