#include "sizes.hpp"

#include "cli/options/whole_number.hpp"
#include <heddle/error.hpp>

#include <bit>
#include <cstdint>

#include <fmt/core.h>

namespace heddle::cli::bench {
namespace {

// So many elements of the largest type, read and written, can still be counted in bytes.
constexpr std::size_t largest = std::size_t{1} << 56;

std::size_t parse_size(std::string_view text) {
  const auto value = parse_whole_number(text);
  if (!value || *value < 1 || *value > largest) {
    fail(fmt::format("'{}' is no size (1000, 2^24 and 1e6 are, from 1 to 2^56)", text));
  }
  return *value;
}

}  // namespace

std::vector<std::size_t> parse_sizes(std::string_view text) {
  const std::size_t dots = text.find("..");
  if (dots == text.npos) return {parse_size(text)};
  const std::string_view first_text = text.substr(0, dots);
  std::string_view last_text = text.substr(dots + 2);
  std::size_t factor = 2;
  if (const std::size_t colon = last_text.find(':'); colon != last_text.npos) {
    factor = parse_whole_number(last_text.substr(colon + 1)).value_or(0);
    last_text = last_text.substr(0, colon);
  }
  const std::size_t first = parse_size(first_text), last = parse_size(last_text);
  if (factor < 2 || factor > largest || first > last) {
    fail(fmt::format("'{}' is no range of sizes (2^10..2^28 and 2^10..2^28:4 are)", text));
  }
  std::vector<std::size_t> sizes;
  std::size_t size = first;
  do {
    sizes.push_back(size);
  } while (!__builtin_mul_overflow(size, factor, &size) && size <= last);
  return sizes;
}

std::string size_text(std::size_t size) {
  return size >= 1024 && std::has_single_bit(size) ? fmt::format("2^{}", std::countr_zero(size))
                                                   : fmt::format("{}", size);
}

}  // namespace heddle::cli::bench
