#pragma once

#include <cstdint>
#include <string>

#include <fmt/format.h>

namespace heddle::impl {

/// "1 launch", "3 launches".
inline std::string counted(std::uint64_t count, const char* what, const char* ending = "s") {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : ending);
}

/// "takes 1 argument, and 2 were given".
inline std::string wrong_number_of_arguments(std::uint64_t takes, std::uint64_t given) {
  return fmt::format("takes {}, and {} {} given", counted(takes, "argument"), given,
                     given == 1 ? "was" : "were");
}

}  // namespace heddle::impl
