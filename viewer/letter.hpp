#pragma once

#include "viewed_simulation.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace heddle::viewer {

/// What the simulation's thread has for a client.
struct letter {
  /// A text, where there are no bytes to deflate; else the header of a binary message.
  nlohmann::json header;
  bool is_binary = false;
  std::string bytes;
};

letter text_letter(nlohmann::json text);

/// The names and numbers of headers.
std::string_view name(pixel_format format);
std::string hexadecimal(const std::vector<colour>& palette);
nlohmann::json as_json(const window& shown);

}  // namespace heddle::viewer
