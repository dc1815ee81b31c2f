#pragma once

#include "checker/program/captures.hpp"
#include "checker/program/graph.hpp"
#include "checker/program/stream_order.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace heddle::checker {

class program_runtime;
struct finding;
struct place;

/// The graphs of a program, and its streams that are captured. What a graph's nodes do is done when it is
/// launched, one after another; what may run side by side is on streams of its own in the order of streams.
class program_graphs final : public heddle_device::graph_runtime {
 public:
  explicit program_graphs(program_runtime& program) : program_(program) {}

  int make_graph(void** made) override;
  int end_graph(void* handle) override;
  int clone_graph(void** made, void* handle) override;
  int node_of_clone(void** found, void* node, void* clone) override;
  int add_node(void** made, void* handle, void* const* after, heddle_device::u64 count,
               const heddle_device::node_request& what) override;
  int change_node(void* executable, void* node, const heddle_device::node_request& what) override;
  int make_cooperative(void* node, bool is_cooperative) override;
  int end_node(void* node) override;
  int add_edges(void* const* from, void* const* to, heddle_device::u64 count) override;
  int remove_edges(void* const* from, void* const* to, heddle_device::u64 count) override;
  int describe_node(void* node, heddle_device::node_facts* facts) override;
  int list_nodes(void* handle, bool only_roots, void** nodes, heddle_device::u64* count) override;
  int list_edges(void* handle, void** from, void** to, heddle_device::u64* count) override;
  int list_neighbours(void* node, bool before, void** nodes, heddle_device::u64* count) override;

  int instantiate(void** made, void* handle, bool frees_on_launch) override;
  int end_executable(void* executable) override;
  int update(void* executable, void* handle, heddle_device::update_facts* facts) override;
  int enable_node(void* executable, void* node, bool is_enabled) override;
  int is_node_enabled(void* executable, void* node, bool* is_enabled) override;
  int launch_graph(void* executable, void* stream) override;

  int begin_capture(void* stream, int mode, void* into, void* const* after,
                    heddle_device::u64 count) override;
  int end_capture(void* stream, void** made) override;
  int describe_capture(void* stream, heddle_device::capture_facts* facts) override;
  int set_capture_dependencies(void* stream, void* const* after, heddle_device::u64 count,
                               bool keeps) override;
  int exchange_capture_mode(int* mode) override;

  // Of the runtime's other calls. No value: nothing is captured that has to do with it, and it is done.

  /// Something is put on a stream, which becomes a node where the stream is captured.
  std::optional<int> take(void* stream, const heddle_device::node_request& what);
  std::optional<int> take_launch(const node_work& work);
  std::optional<int> take_memory(void* stream, heddle_device::node_request what, void** where);
  std::optional<int> take_record(void* event, void* stream, bool is_external);
  std::optional<int> take_wait(void* stream, void* event, bool is_external);
  /// The host waits for a stream, an event, or, where both are null, for the device.
  std::optional<int> refuse_wait_for_stream(void* stream, const char* what);
  /// A stream whose work the first of its capture waits for may end before the capture does.
  std::optional<int> refuse_end_of_stream(void* stream);
  std::optional<int> refuse_wait_for_event(void* event);
  std::optional<int> refuse_wait_for_device();
  /// A call that may wait for the device.
  std::optional<int> refuse_unsafe(const char* function);
  void forget_event(void* event) { captures_.forget_event(event); }
  bool is_any_captured() const { return captures_.is_any(); }

  /// Says of a race between streams that it is one with a node, made at `other`, of the graph that is being
  /// launched.
  static void tell_nodes(finding& f, const place& other);

 private:
  struct made_executable {
    executable_graph of;
    std::vector<void*> lanes;   // streams
    stream_order::times after;  // its last launch
    bool frees_on_launch = false;
  };
  graph* graph_of(void* handle);
  graph_node* node_of(void* handle);
  made_executable* executable_of(void* handle);
  /// The nodes that handles are of; false where one is of none.
  bool nodes_of(void* const* handles, heddle_device::u64 count, std::vector<graph_node*>& nodes);
  void know(const graph& g);
  void forget(const graph& g);
  /// Completes what a program asks for: 0, or why not.
  int prepare(const heddle_device::node_request& what, node_work& work, std::unique_ptr<graph>& child);
  void perform(const node_work& work, void* stream);
  /// What was called cannot be captured, and the capture is of no more use.
  int break_capture(captures::capture& c, int error, const std::string& why);
  std::optional<int> refuse_on(void* stream);

  program_runtime& program_;
  captures captures_;
  std::map<void*, std::unique_ptr<graph>> graphs_;
  std::map<void*, graph*> all_graphs_;  // children and those that are captured, too
  std::map<void*, graph_node*> nodes_;
  std::map<void*, std::unique_ptr<made_executable>> executables_;
};

}  // namespace heddle::checker
