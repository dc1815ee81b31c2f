#include "stream_order.hpp"

#include <algorithm>

namespace heddle::checker {
namespace {

// Handles with a meaning of their own: cudaStreamLegacy and cudaStreamPerThread.
void* const legacy = nullptr;
void* const legacy_by_name = reinterpret_cast<void*>(1);
void* const per_thread = reinterpret_cast<void*>(2);

}  // namespace

stream_order::stream_order() {
  for (void* const handle : {legacy, per_thread}) {
    streams_[handle] = std::make_unique<stream>();
    streams_[handle]->number = last_.size();
    last_.push_back(0);
  }
}

stream_order::stream* stream_order::find(void* handle) const {
  const auto found = streams_.find(handle == legacy_by_name ? legacy : handle);
  return found == streams_.end() ? nullptr : found->second.get();
}

void stream_order::join(times& into, const times& from) {
  if (into.size() < from.size()) into.resize(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) into[i] = std::max(into[i], from[i]);
}

void* stream_order::make_stream(bool is_blocking) {
  auto made = std::make_unique<stream>();
  made->number = last_.size();
  made->is_blocking = is_blocking;
  last_.push_back(0);
  void* const handle = made.get();
  streams_[handle] = std::move(made);
  return handle;
}

bool stream_order::end_stream(void* handle) {
  stream* const s = find(handle);
  if (s == nullptr || handle == legacy || handle == legacy_by_name || handle == per_thread) return false;
  // What is still on it is done before what comes later on the default stream.
  if (s->is_blocking) join(find(legacy)->known, s->known);
  streams_.erase(handle);
  return true;
}

void* stream_order::make_event(bool is_timed) {
  auto made = std::make_unique<event>();
  made->is_timed = is_timed;
  void* const handle = made.get();
  events_[handle] = std::move(made);
  return handle;
}

bool stream_order::end_event(void* handle) {
  return events_.erase(handle) != 0;
}

stream_order::operation stream_order::enqueue(void* handle) {
  stream& on = *find(handle);
  stream& all = *find(legacy);
  if (&on == &all) {
    for (const auto& [other, s] : streams_) {
      if (s->is_blocking) join(on.known, s->known);
    }
  } else if (on.is_blocking) {
    join(on.known, all.known);
  }
  const std::uint64_t number = ++last_[on.number];
  if (on.known.size() <= on.number) on.known.resize(on.number + 1);
  on.known[on.number] = number;
  return {on.number, number};
}

void stream_order::record(void* handle, void* on) {
  event& e = *events_.at(handle);
  enqueue(on);
  e.known = find(on)->known;
  e.is_recorded = true;
  e.when = std::chrono::steady_clock::now();
}

void stream_order::make_wait(void* handle, void* on) {
  join(find(handle)->known, events_.at(on)->known);
}

void stream_order::wait_for_stream(void* handle) {
  enqueue(handle);
  join(host_, find(handle)->known);
}

void stream_order::wait_for_event(void* handle) {
  join(host_, events_.at(handle)->known);
}

void stream_order::begin_callback(void* handle) {
  enqueue(handle);
  join(called_, find(handle)->known);
}

void stream_order::wait_for_all() {
  host_ = last_;
}

bool stream_order::elapsed(void* from, void* to, float& milliseconds) const {
  const event &first = *events_.at(from), &last = *events_.at(to);
  if (!first.is_recorded || !last.is_recorded || !first.is_timed || !last.is_timed) return false;
  milliseconds = std::chrono::duration<float, std::milli>(last.when - first.when).count();
  return true;
}

}  // namespace heddle::checker
