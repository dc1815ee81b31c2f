#pragma once

#include <heddle/support/number_text.hpp>

#include <cstdint>
#include <string>

#include <fmt/format.h>

namespace heddle::impl {

/// "takes 1 argument, and 2 were given".
inline std::string wrong_number_of_arguments(std::uint64_t takes, std::uint64_t given) {
  return fmt::format("takes {}, and {} {} given", counted(takes, "argument"), given,
                     given == 1 ? "was" : "were");
}

}  // namespace heddle::impl
