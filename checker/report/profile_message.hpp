#pragma once

#include "checker/program/program.hpp"

#include <nlohmann/json.hpp>

namespace heddle::checker {

/// A profile as a program's process sends it to the one that reports: instructions count from `base`, where
/// the module lies.
nlohmann::json to_message(const launch_profile& p, std::uintptr_t base);
/// The same with `base` 0, without lines.
launch_profile profile_from_message(const nlohmann::json& message);

}  // namespace heddle::checker
