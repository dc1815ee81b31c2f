#pragma once

#include "viewed_simulation.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace heddle::viewer {

/// A message of the simulation to a client.
struct outgoing_message {
  /// A text, where there are no bytes to deflate; else the header of a binary message.
  nlohmann::json header;
  bool is_binary = false;
  std::string bytes{};
  std::vector<std::uint8_t> pixels{};  ///< of a frame, in place of bytes

  std::string_view content() const {
    if (pixels.empty()) return bytes;
    return {reinterpret_cast<const char*>(pixels.data()), pixels.size()};
  }
};

/// Removes the colours, the window of the whole and the status from the header of a frame, if `told` has the
/// same values, which earlier frames have brought to the client. Puts the others into `told`.
void leave_out_told(nlohmann::json& frame_header, nlohmann::json& told);

outgoing_message text_message(nlohmann::json text);

/// The names and numbers of headers.
std::string_view name(pixel_format format);
std::string hexadecimal(const std::vector<colour>& palette);
nlohmann::json as_json(const window& shown);

}  // namespace heddle::viewer
