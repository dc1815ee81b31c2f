#pragma once

#include "viewed_simulation.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

/// The messages between a page and the server: docs/design/view.md#messages.
namespace heddle::viewer {

/// Bytes of a client's message, at most.
inline constexpr std::size_t most_bytes_of_message = std::size_t{1} << 20;

enum class request {
  window,   ///< shows another rectangle
  drawn,    ///< a frame is on the screen: the next may come
  palette,  ///< shows other colours
  play,
  pause,
  step,   ///< so many steps, and then a pause
  speed,  ///< steps a second
  restart,
  target,   ///< goes on elsewhere
  act,      ///< what the view's own controls ask
  save,     ///< sends the state as a file
  command,  ///< sends the command line of the state
  open,     ///< starts another simulation, of the gallery
};

/// A client's message.
struct message {
  request what;
  window shown;                      ///< window
  std::uint64_t number = 0;          ///< drawn: the frame; step: steps; open: the preset
  std::optional<double> per_second;  ///< speed; nothing: as fast as it goes
  std::string name;                  ///< palette; target; save: the format; act: the action
  nlohmann::json arguments;          ///< act: an object
};

/// Reads a message. Throws heddle::error, with the reason in one line, for what is none.
message decode(std::string_view text);

/// The text that `decode` reads as this message.
std::string encode(const message& said);

/// Puts `later` into `earlier`, which the same client asked right before it and which waits, where only both
/// together count: the place that something was dragged to last, the sum of nudges, the value of a slider.
/// False where each counts.
bool combine(message& earlier, const message& later);

/// Whether a client that only looks may ask it.
bool is_of_lookers(request what) noexcept;

/// A text message of the server. Bytes that are no UTF-8, such as those of a file's name, become U+FFFD.
std::string text_of(const nlohmann::json& said);

/// A binary message of the server, after `room` bytes that are left open: `header`, an object, and the bytes
/// after it, deflated in zlib's format or as they are.
std::vector<unsigned char> binary_message(const nlohmann::json& header, std::string_view bytes,
                                          bool is_deflated, std::size_t room);

}  // namespace heddle::viewer
