#include "life/rule.hpp"

#include <heddle/error.hpp>

#include <charconv>
#include <system_error>

#include <fmt/core.h>

namespace heddle::life {
namespace {

constexpr std::int64_t most_cells_a_side = std::int64_t{1} << 60;

[[noreturn]] void refuse(std::string_view text) {
  fail(fmt::format(
      "'{}' is no rule of Life: B and S with numbers of neighbours from 0 to 8 are (B3/S23), or S/B (23/3)",
      text));
}

std::string digits(std::uint16_t counts) {
  std::string all;
  for (int n = 0; n <= 8; ++n) {
    if (counts >> n & 1) all += static_cast<char>('0' + n);
  }
  return all;
}

}  // namespace

rule rule::parse(std::string_view text) {
  // Where digits go: to the survival side first in S/B, to the side that a letter names otherwise.
  rule result{0, 0};
  std::uint16_t* side = nullptr;
  bool named_birth = false, named_survival = false, slash = false, lettered = false;
  for (const char c : text) {
    if (c == 'B' || c == 'b') {
      if (named_birth || (!lettered && (side != nullptr || slash))) refuse(text);
      named_birth = lettered = true;
      side = &result.birth;
    } else if (c == 'S' || c == 's') {
      if (named_survival || (!lettered && (side != nullptr || slash))) refuse(text);
      named_survival = lettered = true;
      side = &result.survival;
    } else if (c == '/' || c == '_') {
      if (slash) refuse(text);
      slash = true;
      side = lettered ? nullptr : &result.birth;
    } else if (c >= '0' && c <= '8') {
      if (side == nullptr) {
        if (lettered) refuse(text);
        side = &result.survival;
      }
      const auto bit = static_cast<std::uint16_t>(1 << (c - '0'));
      if (*side & bit) refuse(text);
      *side = static_cast<std::uint16_t>(*side | bit);
    } else {
      refuse(text);
    }
  }
  if (lettered ? !named_birth && !named_survival : !slash) refuse(text);
  return result;
}

bounded_rule bounded_rule::parse(std::string_view text) {
  const std::size_t colon = text.find(':');
  bounded_rule result{rule::parse(text.substr(0, colon)), std::nullopt};
  if (colon == std::string_view::npos) return result;
  const std::string_view suffix = text.substr(colon + 1);
  const char kind = suffix.empty() ? '\0' : suffix.front();
  const char* const end = suffix.data() + suffix.size();
  std::int64_t width = 0, height = 0;  // the sign is read, to be refused
  const char* at = suffix.data() + (suffix.empty() ? 0 : 1);
  const auto take = [&](std::int64_t& side) {
    const auto [next, status] = std::from_chars(at, end, side);
    at = next;
    return status == std::errc() && side > 0 && side <= most_cells_a_side;
  };
  bool known = (kind == 'T' || kind == 't' || kind == 'P' || kind == 'p') && take(width);
  height = width;
  if (known && at != end && *at == ',') {
    ++at;
    known = take(height);
  }
  if (!known || at != end) {
    fail(fmt::format("the bounds '{}' are not known: a torus :T30,20 and a plane :P30,20 are", suffix));
  }
  result.grid = grid_bounds{kind == 'T' || kind == 't', static_cast<std::size_t>(width),
                            static_cast<std::size_t>(height)};
  return result;
}

std::string rule::text() const {
  return fmt::format("B{}/S{}", digits(birth), digits(survival));
}

}  // namespace heddle::life
