#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Whole numbers as options and variables of the environment have them, which are read exactly.
namespace heddle::impl {

/// A number below 2^64, 1000, 1e3, 1.5e6 or 2^10; nothing for any other text.
std::optional<std::uint64_t> parse_whole_number(std::string_view text);

/// A whole number of bytes below 2^63, as above or with a unit: 48KiB, 500MB, 1.5G; nothing for any other
/// text, such as a fraction of a byte. KB to TB are powers of 1000; K to T and KiB to TiB are powers of 1024.
std::optional<std::uint64_t> parse_byte_count(std::string_view text);

/// What is wrong with a text of which parse_byte_count makes nothing.
std::string why_no_byte_count(std::string_view text);

}  // namespace heddle::impl
