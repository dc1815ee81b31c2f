#pragma once

#include <heddle/compiler.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Numbers as text in messages and options.
namespace heddle {

/// A number of bytes as people read it: "12.0 KiB", "7.9 MiB", "1.5 GiB".
std::string bytes_text(double bytes);

/// "1 launch", "3 launches": the noun, with `ending` where the count is not 1.
std::string counted(std::uint64_t count, const char* what, const char* ending = "s");

/// A whole number below 2^64 from an option or an environment variable, parsed exactly: 1000, 1e3, 1.5e6 or
/// 2^10; nothing for any other text.
std::optional<std::uint64_t> parse_whole_number(std::string_view text);

/// A whole number of bytes below 2^63, as above or with a unit: 48KiB, 500MB, 1.5G; nothing for any other
/// text, such as a fraction of a byte. KB to TB are powers of 1000; K to T and KiB to TiB are powers of 1024.
std::optional<std::uint64_t> parse_byte_count(std::string_view text);

/// The reason why parse_byte_count refuses a text.
std::string why_no_byte_count(std::string_view text);

}  // namespace heddle
