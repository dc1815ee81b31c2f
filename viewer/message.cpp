#include "message.hpp"

#include <heddle/error.hpp>
#include <heddle/support/fork.hpp>

#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <zlib.h>

namespace heddle::viewer {
namespace {

using json = nlohmann::json;

/// A request by its name, and the keys that come with it.
struct form {
  std::string_view name;
  request what;
  std::vector<std::string_view> keys;
};

const std::vector<form>& forms() {
  constinit static made_once<std::vector<form>> all;
  return all.get([] {
    return std::vector<form>{
        {"window", request::window, {"x", "y", "scale", "width", "height"}},
        {"drawn", request::drawn, {"frame"}},
        {"palette", request::palette, {"name"}},
        {"play", request::play, {}},
        {"pause", request::pause, {}},
        {"step", request::step, {"count"}},
        {"speed", request::speed, {"per_second"}},
        {"restart", request::restart, {}},
        {"target", request::target, {"name"}},
        {"act", request::act, {"name", "arguments"}},
        {"save", request::save, {"name"}},
        {"command", request::command, {}},
        {"open", request::open, {"preset"}},
    };
  });
}

const form& form_of(std::string_view name) {
  for (const form& one : forms()) {
    if (one.name == name) return one;
  }
  fail("message: 'do' is none of the requests");
}

std::string text_at(const json& said, const char* key, std::size_t most) {
  const json& value = said[key];
  if (!value.is_string()) fail(fmt::format("message: '{}' is no text", key));
  std::string text = value.get<std::string>();
  if (text.size() > most) fail(fmt::format("message: '{}' has more than {} bytes", key, most));
  return text;
}

std::uint64_t whole(const json& said, const char* key, std::uint64_t least, std::uint64_t most) {
  const json& value = said[key];
  // Negative numbers are of another type.
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() < least || value.get<std::uint64_t>() > most)
    fail(fmt::format("message: '{}' is no whole number from {} to {}", key, least, most));
  return value.get<std::uint64_t>();
}

double positive(const json& value, const char* key) {
  if (!value.is_number()) fail(fmt::format("message: '{}' is no number", key));
  const auto number = value.get<double>();
  if (!(std::isnormal(number) && number > 0)) fail(fmt::format("message: '{}' is not above 0", key));
  return number;
}

/// A decimal number of up to 1000 digits.
bool is_decimal(std::string_view text) {
  constexpr std::size_t most = 1010;
  if (text.size() > most) return false;
  std::size_t at = 0;
  const auto digits = [&] {
    const std::size_t first = at;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
    return at - first;
  };
  const auto sign = [&](std::string_view either) {
    if (at < text.size() && either.find(text[at]) != either.npos) ++at;
  };
  sign("-");
  std::size_t count = digits();
  if (at < text.size() && text[at] == '.') {
    ++at;
    count += digits();
  }
  if (count == 0) return false;
  if (at < text.size() && text[at] == 'e') {
    ++at;
    sign("+-");
    const std::size_t exponent = digits();
    if (exponent == 0 || exponent > 4) return false;
  }
  return at == text.size();
}

std::string coordinate(const json& said, const char* key) {
  std::string text = text_at(said, key, 1010);
  if (!is_decimal(text)) fail(fmt::format("message: '{}' is no decimal number", key));
  return text;
}

/// Those of names: of palettes, targets, formats and actions.
constexpr std::size_t most_bytes_of_name = 64;

std::string name_of(const json& said) {
  std::string name = text_at(said, "name", most_bytes_of_name);
  for (const char c : name) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                          std::string_view(":._-").find(c) != std::string_view::npos;
    if (!is_plain) fail("message: 'name' has other characters than letters, digits and :._-");
  }
  return name;
}

/// Refuses what is deep before it is made: copies of it would take a stack as deep.
bool is_shallow(int depth, json::parse_event_t, json&) {
  constexpr int most = 10;
  if (depth > most) fail(fmt::format("message: is nested more than {} deep", most));
  return true;
}

json parsed(std::string_view text) {
  json said = json::parse(text, is_shallow, false);
  if (said.is_discarded()) fail("message: is no JSON");
  if (!said.is_object()) fail("message: is no object");
  return said;
}

}  // namespace

message decode(std::string_view text) {
  if (text.size() > most_bytes_of_message)
    fail(fmt::format("message: has more than {} bytes", most_bytes_of_message));
  const json said = parsed(text);
  if (!said.contains("do") || !said["do"].is_string()) fail("message: has no 'do'");
  const form& wanted = form_of(said["do"].get_ref<const std::string&>());
  for (const std::string_view key : wanted.keys) {
    if (!said.contains(key)) fail(fmt::format("message: '{}' has no '{}'", wanted.name, key));
  }
  if (said.size() != wanted.keys.size() + 1)
    fail(fmt::format("message: '{}' has keys that it does not take", wanted.name));

  message read{wanted.what, {}, 0, std::nullopt, {}, json::object()};
  constexpr std::uint64_t most_steps = 1'000'000'000;
  switch (wanted.what) {
    case request::window:
      read.shown = {coordinate(said, "x"), coordinate(said, "y"), positive(said["scale"], "scale"),
                    static_cast<std::uint32_t>(whole(said, "width", 1, window::most_pixels_of_side)),
                    static_cast<std::uint32_t>(whole(said, "height", 1, window::most_pixels_of_side))};
      break;
    case request::drawn:
      read.number = whole(said, "frame", 0, UINT64_MAX);
      break;
    case request::step:
      read.number = whole(said, "count", 1, most_steps);
      break;
    case request::open:
      read.number = whole(said, "preset", 0, UINT32_MAX);
      break;
    case request::speed:
      if (!said["per_second"].is_null()) read.per_second = positive(said["per_second"], "per_second");
      break;
    case request::act:
      read.arguments = said["arguments"];
      if (!read.arguments.is_object()) fail("message: 'arguments' is no object");
      read.name = name_of(said);
      break;
    case request::palette:
    case request::target:
    case request::save:
      read.name = name_of(said);
      break;
    case request::play:
    case request::pause:
    case request::restart:
    case request::command:
      break;
  }
  return read;
}

std::string encode(const message& said) {
  json text;
  for (const form& one : forms()) {
    if (one.what != said.what) continue;
    text["do"] = one.name;
    for (const std::string_view key : one.keys) {
      json& value = text[std::string(key)];
      if (key == "x") value = said.shown.x;
      if (key == "y") value = said.shown.y;
      if (key == "scale") value = said.shown.scale;
      if (key == "width") value = said.shown.width;
      if (key == "height") value = said.shown.height;
      if (key == "frame" || key == "count" || key == "preset") value = said.number;
      if (key == "per_second" && said.per_second) value = *said.per_second;
      if (key == "name") value = said.name;
      if (key == "arguments") value = said.arguments;
    }
  }
  return text.dump();
}

bool combine(message& earlier, const message& later) {
  if (earlier.what != later.what) return false;
  if (later.what == request::speed) {
    earlier.per_second = later.per_second;
    return true;
  }
  if (later.what != request::act || earlier.name != later.name) return false;
  if (later.name == "drag" || later.name == "speed" || later.name == "viscosity") {
    earlier.arguments = later.arguments;
    return true;
  }
  if (later.name != "nudge") return false;
  for (const char* const axis : {"right", "up"}) {
    if (!earlier.arguments.value(axis, json()).is_number() ||
        !later.arguments.value(axis, json()).is_number())
      return false;
  }
  for (const char* const axis : {"right", "up"})
    earlier.arguments[axis] = earlier.arguments[axis].get<double>() + later.arguments[axis].get<double>();
  return true;
}

bool is_of_lookers(request what) noexcept {
  return what == request::window || what == request::drawn || what == request::palette ||
         what == request::save || what == request::command;
}

std::string text_of(const json& said) {
  return said.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::vector<unsigned char> binary_message(const json& header, std::string_view bytes, bool is_deflated,
                                          std::size_t room) {
  const std::string text = text_of(header);
  std::vector<unsigned char> all(room);
  all.reserve(room + sizeof(std::uint32_t) + text.size() + 1 + bytes.size());
  for (std::size_t i = 0; i < sizeof(std::uint32_t); ++i)
    all.push_back(static_cast<unsigned char>(text.size() >> 8 * i & 0xff));
  all.insert(all.end(), text.begin(), text.end());
  all.push_back(is_deflated ? 1 : 0);
  if (!is_deflated) {
    all.insert(all.end(), bytes.begin(), bytes.end());
    return all;
  }
  uLongf size = compressBound(bytes.size());
  const std::size_t begin = all.size();
  all.resize(begin + size);
  // The fastest level: more of them takes longer than what it saves takes to send.
  if (compress2(all.data() + begin, &size, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(),
                Z_BEST_SPEED) != Z_OK)
    fail(fmt::format("view: zlib cannot compress {} bytes", bytes.size()));
  all.resize(begin + size);
  return all;
}

}  // namespace heddle::viewer
