#pragma once

#include <cstdint>
#include <string>

namespace heddle::cli {

/// A whole number below 2^64 as 1000, or as 1e11; throws wrong usage of `option` for anything else.
std::uint64_t whole_number(const char* option, const std::string& text);

}  // namespace heddle::cli
