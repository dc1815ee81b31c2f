#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include <CLI/App.hpp>

/// Whole numbers of options, which are written alike in all of them: 1000, 1e3, 1.5e6 or 2^10.
namespace heddle::cli {

/// A number below 2^64; nothing for any other text.
std::optional<std::uint64_t> parse_whole_number(std::string_view text);

/// The same below 2^63, or a size as modules::bytes_in reads it: 48KiB, 500MB, 1.5G.
std::optional<std::uint64_t> parse_byte_count(std::string_view text);

/// A number below 2^64; throws wrong usage of `option` for anything else.
std::uint64_t whole_number(const char* option, const std::string& text);

/// A check for CLI11, which refuses what is no number from `least` to `most`, and leaves its digits alone to
/// CLI11.
CLI::Validator count_from(std::uint64_t least,
                          std::uint64_t most = std::numeric_limits<std::uint64_t>::max());
CLI::Validator byte_count();

}  // namespace heddle::cli
