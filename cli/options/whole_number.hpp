#pragma once

#include <heddle/support/number_text.hpp>

#include <cstdint>
#include <limits>
#include <string>

#include <CLI/App.hpp>

/// Whole numbers of options, which are written alike in all of them: 1000, 1e3, 1.5e6 or 2^10.
namespace heddle::cli {

/// A number below 2^64; throws wrong usage of `option` for anything else.
std::uint64_t whole_number(const char* option, const std::string& text);

/// A check for CLI11, which refuses what is no number from `least` to `most`, and leaves its digits alone to
/// CLI11.
CLI::Validator count_from(std::uint64_t least,
                          std::uint64_t most = std::numeric_limits<std::uint64_t>::max());
CLI::Validator byte_count();

}  // namespace heddle::cli
