#include "checker/program/stream_order.hpp"

#include "checker/program/program_devices.hpp"

#include <algorithm>
#include <utility>

namespace heddle::checker {
namespace {

// Handles with a meaning of their own: cudaStreamLegacy and cudaStreamPerThread.
void* const legacy = nullptr;
void* const legacy_by_name = reinterpret_cast<void*>(1);
void* const per_thread = reinterpret_cast<void*>(2);

}  // namespace

stream_order::stream_order(int devices) {
  for (int i = 0; i < devices; ++i) {
    device made;
    made.legacy = new_stream(true, i);
    made.per_thread = new_stream(true, i);
    devices_.push_back(std::move(made));
  }
}

bool stream_order::is_default(void* handle) {
  return handle == legacy || handle == legacy_by_name;
}

stream_order::stream* stream_order::find(void* handle) const {
  if (is_default(handle) || handle == per_thread) {
    const device& d = devices_[static_cast<std::size_t>(present_device())];
    return handle == per_thread ? d.per_thread.get() : d.legacy.get();
  }
  const auto found = streams_.find(handle);
  return found == streams_.end() ? nullptr : found->second.get();
}

template <class F>
void stream_order::each_stream(int of, F f) const {
  const device& d = devices_[static_cast<std::size_t>(of)];
  f(*d.legacy);
  f(*d.per_thread);
  for (const auto& [handle, s] : streams_) {
    if (s->device == of) f(*s);
  }
}

void stream_order::join(times& into, const times& from) {
  if (into.size() < from.size()) into.resize(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) into[i] = std::max(into[i], from[i]);
}

std::unique_ptr<stream_order::stream> stream_order::new_stream(bool is_blocking, int device) {
  auto made = std::make_unique<stream>();
  made->number = last_.size();
  made->is_blocking = is_blocking;
  made->device = device;
  last_.push_back(0);
  device_of_.push_back(device);
  return made;
}

void* stream_order::make_stream(bool is_blocking, int device) {
  auto made = new_stream(is_blocking, device);
  void* const handle = made.get();
  streams_[handle] = std::move(made);
  return handle;
}

bool stream_order::end_stream(void* handle) {
  const auto found = streams_.find(handle);
  if (found == streams_.end()) return false;
  const stream& s = *found->second;
  device& d = devices_[static_cast<std::size_t>(s.device)];
  join(d.ended, s.known);
  // What is still on it is done before what comes later on the default stream.
  if (s.is_blocking) join(d.legacy->known, s.known);
  streams_.erase(found);
  return true;
}

void* stream_order::make_event(bool is_timed, int device) {
  auto made = std::make_unique<event>();
  made->is_timed = is_timed;
  made->device = device;
  void* const handle = made.get();
  events_[handle] = std::move(made);
  return handle;
}

bool stream_order::end_event(void* handle) {
  return events_.erase(handle) != 0;
}

stream_order::operation stream_order::enqueue(void* handle) {
  stream& on = *find(handle);
  const stream& all = *devices_[static_cast<std::size_t>(on.device)].legacy;
  if (&on == &all) {
    each_stream(on.device, [&](const stream& s) {
      if (s.is_blocking) join(on.known, s.known);
    });
  } else if (on.is_blocking) {
    join(on.known, all.known);
  }
  const std::uint64_t number = ++last_[on.number];
  if (on.known.size() <= on.number) on.known.resize(on.number + 1);
  on.known[on.number] = number;
  return {on.number, number};
}

stream_order::operation stream_order::enqueue_between(void* handle, const std::set<int>& devices) {
  stream& on = *find(handle);
  for (const int d : devices) {
    each_stream(d, [&](const stream& s) { join(on.known, s.known); });
    join(on.known, devices_[static_cast<std::size_t>(d)].ended);
  }
  const operation made = enqueue(handle);
  for (const int d : devices) {
    each_stream(d, [&](stream& s) {
      if (&s != &on) join(s.known, on.known);
    });
  }
  return made;
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

void stream_order::wait_for_device(int of) {
  each_stream(of, [&](const stream& s) { join(host_, s.known); });
  join(host_, devices_[static_cast<std::size_t>(of)].ended);
}

void stream_order::wait_for_all() {
  host_ = last_;
}

bool stream_order::elapsed(void* from, void* to, float& milliseconds) const {
  const event &first = *events_.at(from), &last = *events_.at(to);
  if (!first.is_recorded || !last.is_recorded || !first.is_timed || !last.is_timed ||
      first.device != last.device)
    return false;
  milliseconds = std::chrono::duration<float, std::milli>(last.when - first.when).count();
  return true;
}

}  // namespace heddle::checker
