#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::cli::bench {

/// Reads one size or one range of sizes: "1000", "2^24", "1e6"; "2^10..2^28" is each twice the one before it,
/// "2^10..2^28:4" four times. Sizes are 1 to 2^56. Throws heddle::error for anything else.
std::vector<std::size_t> parse_sizes(std::string_view text);

/// "2^24" for a power of two from 2^10 up, and the digits of any other number.
std::string size_text(std::size_t size);

}  // namespace heddle::cli::bench
