#pragma once

#include "finding.hpp"

#include <nlohmann/json.hpp>

namespace heddle::checker {

/// A finding as a program's process sends it to the one that reports it: instructions count from `base`,
/// where the module lies.
nlohmann::json to_message(const finding& f, std::uintptr_t base);
/// The same with `base` 0.
finding from_message(const nlohmann::json& message);

}  // namespace heddle::checker
