#include "checker/program/program_graphs.hpp"
#include "checker/program/program_runtime.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

/// What a program does with streams that are captured.
namespace heddle::checker {

namespace errors = heddle_device::cuda_error;
using heddle_device::node_kind;
using heddle_device::node_request;
using heddle_device::u64;

namespace {

// cudaStreamCaptureStatus.
constexpr int captures_nothing = 0, is_active = 1, is_invalidated = 2;

thread_local int mode_of_thread = captures::global;

}  // namespace

int program_graphs::break_capture(captures::capture& c, int error, const std::string& why) {
  c.is_invalid = true;
  program_.report_capture(why);
  return program_.fail(error);
}

/// What is put on a stream that something forbids.
std::optional<int> program_graphs::refuse_on(void* stream) {
  if (!captures_.is_any()) return std::nullopt;
  if (stream_order::is_default(stream)) {
    if (captures::capture* const c = captures_.blocking(present_device()))
      return break_capture(*c, errors::capture_implicit,
                           "the default stream is used, which waits for the stream that is captured: "
                           "cudaStreamNonBlocking makes one that it does not wait for");
    return std::nullopt;
  }
  const captures::captured_stream* const on = captures_.of_stream(stream);
  if (on != nullptr && on->of->is_invalid) return program_.fail(errors::capture_invalidated);
  return std::nullopt;
}

std::optional<int> program_graphs::take(void* stream, const node_request& what) {
  if (const auto refused = refuse_on(stream)) return refused;
  captures::captured_stream* const on = captures_.of_stream(stream);
  if (on == nullptr) return std::nullopt;
  node_work work(what, program_.order_.device_of(stream));
  work.at = program_.call_stack();
  graph_node& node = captures_.add(*on, work);
  nodes_[&node] = &node;
  return program_.fail(0);
}

std::optional<int> program_graphs::take_launch(const node_work& work) {
  void* const stream = work.request().launch.stream;
  if (const auto refused = refuse_on(stream)) return refused;
  captures::captured_stream* const on = captures_.of_stream(stream);
  if (on == nullptr) return std::nullopt;
  graph_node& node = captures_.add(*on, work);
  nodes_[&node] = &node;
  return program_.fail(0);
}

std::optional<int> program_graphs::take_memory(void* stream, node_request what, void** where) {
  if (const auto refused = refuse_on(stream)) return refused;
  if (captures_.of_stream(stream) == nullptr) return std::nullopt;
  const allocation* const a = program_.pools_.reserve(what);
  if (a == nullptr) return program_.fail(errors::memory_allocation);
  what.data = *where = reinterpret_cast<void*>(a->memory.begin);
  return take(stream, what);
}

std::optional<int> program_graphs::take_record(void* event, void* stream, bool is_external) {
  if (is_external) {
    node_request what{};
    what.kind = node_kind::record;
    what.event = event;
    return take(stream, what);
  }
  if (const auto refused = refuse_on(stream)) return refused;
  captures_.record(event, stream);
  return captures_.of_stream(stream) == nullptr ? std::nullopt : std::optional(program_.fail(0));
}

std::optional<int> program_graphs::take_wait(void* stream, void* event, bool is_external) {
  if (!captures_.is_any()) return std::nullopt;
  if (const auto refused = refuse_on(stream)) return refused;
  const captures::captured_stream* const on = captures_.of_stream(stream);
  const captures::captured_stream* const recorded = captures_.of_event(event);
  if (on != nullptr && is_external) {
    node_request what{};
    what.kind = node_kind::wait;
    what.event = event;
    return take(stream, what);
  }
  if (recorded == nullptr) {
    if (on == nullptr) return std::nullopt;
    return break_capture(*on->of, errors::capture_isolation,
                         "a stream that is captured waits for an event that was recorded outside of the "
                         "capture: record it on a captured stream, or wait with cudaEventWaitExternal");
  }
  if (stream_order::is_default(stream))
    return break_capture(*recorded->of, errors::capture_implicit,
                         "the default stream waits for an event of a stream that is captured");
  if (on != nullptr && on->of != recorded->of)
    return break_capture(*on->of, errors::capture_merge,
                         "a stream that is captured waits for one of another capture");
  captures_.wait(stream, program_.order_.device_of(stream), program_.order_.is_blocking(stream), *recorded);
  return program_.fail(0);
}

std::optional<int> program_graphs::refuse_wait_for_stream(void* stream, const char* what) {
  if (const auto refused = refuse_on(stream)) return refused;
  const captures::captured_stream* const on = captures_.of_stream(stream);
  if (on == nullptr) return std::nullopt;
  return break_capture(
      *on->of, errors::capture_unsupported,
      fmt::format("{} a stream that is captured: nothing on it runs until its graph is launched", what));
}

std::optional<int> program_graphs::refuse_end_of_stream(void* stream) {
  const captures::captured_stream* const on = captures_.of_stream(stream);
  if (on == nullptr || on->of->is_invalid || on->of->origin == stream || !captures_.is_joined(*on))
    return refuse_wait_for_stream(stream, "the host destroys");
  captures_.forget_stream(stream);
  return std::nullopt;
}

std::optional<int> program_graphs::refuse_wait_for_event(void* event) {
  const captures::captured_stream* const recorded = captures_.of_event(event);
  if (recorded == nullptr) return std::nullopt;
  return break_capture(*recorded->of, errors::captured_event,
                       "the host waits for an event of a stream that is captured: nothing on it runs until "
                       "its graph is launched");
}

std::optional<int> program_graphs::refuse_wait_for_device() {
  captures::capture* const c = captures_.forbidding(std::this_thread::get_id(), captures::of_thread);
  captures::capture* const any = c != nullptr ? c : captures_.blocking(present_device());
  if (any == nullptr) return std::nullopt;
  return break_capture(*any, errors::capture_unsupported,
                       "the host waits for the device while a stream is captured");
}

std::optional<int> program_graphs::refuse_unsafe(const char* function) {
  captures::capture* const c = captures_.forbidding(std::this_thread::get_id(), mode_of_thread);
  if (c == nullptr) return std::nullopt;
  return break_capture(
      *c, errors::capture_unsupported,
      fmt::format("{} may wait for the device: call it before or after the capture, or capture "
                  "with cudaStreamCaptureModeRelaxed",
                  function));
}

int program_graphs::begin_capture(void* stream, int mode, void* into, void* const* after, u64 count) {
  const std::lock_guard lock(program_.mutex_);
  if (!program_.order_.is_stream(stream)) return program_.fail(errors::invalid_resource_handle);
  if (mode < captures::global || mode > captures::relaxed) return program_.fail(errors::invalid_value);
  if (stream_order::is_default(stream)) {
    program_.report_capture("the default stream cannot be captured: make one by cudaStreamCreate");
    return program_.fail(errors::capture_unsupported);
  }
  if (captures_.of_stream(stream) != nullptr) return program_.fail(errors::illegal_state);
  graph* const g = into == nullptr ? nullptr : graph_of(into);
  std::vector<graph_node*> before;
  if ((into != nullptr && g == nullptr) || !nodes_of(after, count, before))
    return program_.fail(errors::invalid_value);
  const captures::capture& c =
      captures_.begin(stream, program_.order_.device_of(stream), program_.order_.is_blocking(stream), mode, g,
                      std::move(before));
  all_graphs_[c.into] = c.into;
  return program_.fail(0);
}

int program_graphs::end_capture(void* stream, void** made) {
  const std::lock_guard lock(program_.mutex_);
  if (made != nullptr) *made = nullptr;
  const captures::captured_stream* const on = captures_.of_stream(stream);
  if (on == nullptr) return program_.fail(errors::illegal_state);
  captures::capture& c = *on->of;
  if (c.origin != stream)
    return break_capture(c, errors::capture_unmatched,
                         "a capture ends on another stream than it has begun on");
  if (c.how != captures::relaxed && c.by != std::this_thread::get_id())
    return program_.fail(errors::capture_wrong_thread);
  int error = c.is_invalid ? errors::capture_invalidated : 0;
  if (error == 0 && !captures_.is_joined(c)) {
    program_.report_capture(
        "another stream was captured, too, and the first does not wait for what it did last: record an event "
        "on it, and let the first wait");
    error = errors::capture_unjoined;
  }
  graph* const into = c.into;
  std::unique_ptr<graph> own = captures_.end(c);
  if (error != 0) {
    if (own != nullptr) forget(*own);
    return program_.fail(error);
  }
  if (own != nullptr) graphs_[into] = std::move(own);
  if (made != nullptr) *made = into;
  return program_.fail(0);
}

int program_graphs::describe_capture(void* stream, heddle_device::capture_facts* facts) {
  const std::lock_guard lock(program_.mutex_);
  *facts = {};
  if (stream_order::is_default(stream)) {
    if (const auto refused = refuse_on(stream)) return *refused;
  }
  const captures::captured_stream* const on = captures_.of_stream(stream);
  facts->status = on == nullptr ? captures_nothing : on->of->is_invalid ? is_invalidated : is_active;
  if (facts->status == is_active) {
    facts->id = on->of->id;
    facts->graph = on->of->into;
    facts->after = reinterpret_cast<void* const*>(on->after.data());
    facts->count = on->after.size();
  }
  return program_.fail(0);
}

int program_graphs::set_capture_dependencies(void* stream, void* const* after, u64 count, bool keeps) {
  const std::lock_guard lock(program_.mutex_);
  captures::captured_stream* const on = captures_.of_stream(stream);
  std::vector<graph_node*> nodes;
  if (on == nullptr) return program_.fail(errors::illegal_state);
  if (!nodes_of(after, count, nodes)) return program_.fail(errors::invalid_value);
  if (!keeps) on->after.clear();
  on->after.insert(on->after.end(), nodes.begin(), nodes.end());
  return program_.fail(0);
}

int program_graphs::exchange_capture_mode(int* mode) {
  const int before = std::exchange(mode_of_thread, *mode);
  *mode = before;
  return 0;
}

}  // namespace heddle::checker
