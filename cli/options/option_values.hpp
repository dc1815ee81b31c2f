#pragma once

#include <string>
#include <vector>

#include <CLI/App.hpp>

namespace heddle::cli {

/// The value of an option or of a positional argument, as help shows it.
struct option_values {
  enum class kind { nothing, text, choice, file, folder };
  kind is = kind::text;
  std::vector<std::string> choices;  ///< of a choice
};

option_values values_of(CLI::Option& option);

/// "-o" and "--output"; nothing for a positional.
std::vector<std::string> flags_of(const CLI::Option& option);

}  // namespace heddle::cli
