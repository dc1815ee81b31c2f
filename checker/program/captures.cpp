#include "checker/program/captures.hpp"

#include <algorithm>
#include <utility>

namespace heddle::checker {

captures::capture& captures::begin(void* stream, int device, bool is_blocking, int how, graph* into,
                                   std::vector<graph_node*> after) {
  auto made = std::make_unique<capture>();
  made->id = next_id_++;
  made->origin = stream;
  made->how = how;
  made->by = std::this_thread::get_id();
  if (is_blocking) made->blocks.insert(device);
  if (into == nullptr) made->own = std::make_unique<graph>();
  made->into = into != nullptr ? into : made->own.get();
  streams_[stream] = {made.get(), std::move(after)};
  all_.push_back(std::move(made));
  return *all_.back();
}

captures::captured_stream* captures::of_stream(void* stream) {
  const auto found = streams_.find(stream);
  return found == streams_.end() ? nullptr : &found->second;
}

captures::captured_stream* captures::of_event(void* event) {
  const auto found = events_.find(event);
  return found == events_.end() ? nullptr : &found->second;
}

graph_node& captures::add(captured_stream& on, const node_work& work) {
  graph_node& made = on.of->into->add(work, on.after);
  on.after = {&made};
  return made;
}

void captures::record(void* event, void* stream) {
  const captured_stream* const on = of_stream(stream);
  if (on == nullptr) {
    events_.erase(event);
  } else {
    events_[event] = *on;
  }
}

void captures::wait(void* stream, int device, bool is_blocking, const captured_stream& event) {
  captured_stream& on = streams_[stream];
  on.of = event.of;
  if (is_blocking) on.of->blocks.insert(device);
  for (graph_node* const node : event.after) {
    if (std::find(on.after.begin(), on.after.end(), node) == on.after.end()) on.after.push_back(node);
  }
}

bool captures::is_joined(const capture& c) const {
  return std::all_of(streams_.begin(), streams_.end(),
                     [&](const auto& s) { return s.second.of != &c || is_joined(s.second); });
}

bool captures::is_joined(const captured_stream& stream) const {
  const captured_stream& origin = streams_.at(stream.of->origin);
  return &stream == &origin ||
         std::all_of(stream.after.begin(), stream.after.end(), [&](const graph_node* node) {
           return std::any_of(origin.after.begin(), origin.after.end(),
                              [&](const graph_node* last) { return graph::leads_to(*node, *last); });
         });
}

std::unique_ptr<graph> captures::end(capture& c) {
  std::unique_ptr<graph> made = std::move(c.own);
  std::erase_if(streams_, [&](const auto& s) { return s.second.of == &c; });
  std::erase_if(events_, [&](const auto& e) { return e.second.of == &c; });
  std::erase_if(all_, [&](const auto& a) { return a.get() == &c; });
  return made;
}

captures::capture* captures::blocking(int device) {
  const auto found =
      std::find_if(all_.begin(), all_.end(), [&](const auto& c) { return c->blocks.count(device) != 0; });
  return found == all_.end() ? nullptr : found->get();
}

captures::capture* captures::forbidding(std::thread::id caller, int mode_of_thread) {
  const auto found = std::find_if(all_.begin(), all_.end(), [&](const auto& c) {
    const bool is_own = c->by == caller;
    if (c->how == relaxed || mode_of_thread == relaxed) return false;
    return is_own || (c->how == global && mode_of_thread == global);
  });
  return found == all_.end() ? nullptr : found->get();
}

}  // namespace heddle::checker
