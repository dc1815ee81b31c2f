#pragma once

#include "checker/report/profile.hpp"

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace heddle::checker {

/// For people: a table each of global memory, shared memory and branches, whose worst lines come first, drawn
/// as long as the share that is wasted.
std::string profile_as_text(const std::vector<line_profile>& lines);
/// An object a line, in their order.
nlohmann::ordered_json profile_as_json(const std::vector<line_profile>& lines);

}  // namespace heddle::checker
