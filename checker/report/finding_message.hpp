#pragma once

#include "checker/report/finding.hpp"

#include <nlohmann/json.hpp>

namespace heddle::checker {

/// Places and findings as a program's process sends them to the one that reports: instructions count from
/// `base`, where the module lies.
nlohmann::json to_message(const place& p, std::uintptr_t base);
/// The same with `base` 0.
place place_from_message(const nlohmann::json& message);

nlohmann::json to_message(const finding& f, std::uintptr_t base);
finding from_message(const nlohmann::json& message);

}  // namespace heddle::checker
