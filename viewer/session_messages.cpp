#include "session.hpp"

#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace heddle::viewer {

using json = nlohmann::json;

/// That of the target of now; 0 until it is measured.
double session::ceiling() {
  return ceilings_.of(simulation_->where()).value_or(0);
}

/// A file and a command line are of what the client sees that asks for them.
void session::look_for(client who) {
  std::optional<window> shown;
  std::string palette;
  {
    const std::lock_guard held(mutex_);
    const auto found = clients_.find(who);
    if (found == clients_.end()) return;
    shown = found->second.shown;
    palette = found->second.palette;
  }
  if (shown) simulation_->look_at(*shown, palette);
}

outgoing_message session::framed(const window& shown, const std::string& palette, rendering picture,
                                 std::uint64_t number) {
  const work one = simulation_->work_of_step();
  const double rate = plays_ ? steps_per_second_ : 0;
  const double most = one.bytes > 0 ? ceiling() : 0;
  json header{{"frame", number},
              {"window", as_json(shown)},
              {"home", as_json(simulation_->home(shown.width, shown.height))},
              {"left", picture.left},
              {"top", picture.top},
              {"pixel", picture.pixel},
              {"width", picture.image.width},
              {"height", picture.image.height},
              {"format", name(picture.image.format)},
              {"colours", hexadecimal(picture.image.palette)},
              {"beyond", hexadecimal({picture.beyond})},
              {"palette", palette},
              {"playing", plays_},
              {"per_second", pace_.rate() ? json(*pace_.rate()) : json()},
              {"target", simulation_->where().text()},
              {"steps", simulation_->steps()},
              {"steps_per_second", rate},
              {"rate", rate * one.amount},
              {"rate_of", one.of},
              {"bytes_per_second", rate * one.bytes},
              {"ceiling", most},
              {"unbounded", one.unbounded},
              {"status", simulation_->status()}};
  return {std::move(header), true, {}, std::move(picture.image.pixels)};
}

outgoing_message session::greeting(client who, const window& shown) const {
  json presets = json::array();
  for (const preset& one : how_.presets)
    presets.push_back({{"title", one.title},
                       {"about", one.about},
                       {"kind", one.words.front()},
                       {"words", fmt::format("heddle view {}", fmt::join(one.words, " "))}});
  json hello = simulation_ ? simulation_->description() : json::object();
  hello["is"] = "hello";
  hello["kind"] = simulation_ ? simulation_->kind() : "gallery";
  hello["steers"] = steers(who);
  hello["targets"] = how_.targets;
  hello["presets"] = std::move(presets);
  if (simulation_) {
    hello["home"] = as_json(simulation_->home(shown.width, shown.height));
    hello["formats"] = simulation_->formats();
  }
  return text_message(std::move(hello));
}

}  // namespace heddle::viewer
