#pragma once

#include "checker/program/graph.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <thread>
#include <vector>

namespace heddle::checker {

/// Streams whose operations become nodes of a graph instead of being done.
class captures {
 public:
  enum mode : int { global, of_thread, relaxed };  ///< cudaStreamCaptureMode
  struct capture {
    std::uint64_t id = 0;
    void* origin = nullptr;
    int how = global;
    std::thread::id by;
    std::set<int> blocks;  ///< devices whose default streams wait for one of its streams
    bool is_invalid = false;
    graph* into = nullptr;
    std::unique_ptr<graph> own;  ///< unless it is of the program's
  };
  struct captured_stream {
    capture* of = nullptr;
    std::vector<graph_node*> after;  ///< what comes next on it depends on these
  };

  bool is_any() const { return !all_.empty(); }
  capture& begin(void* stream, int device, bool is_blocking, int how, graph* into,
                 std::vector<graph_node*> after);
  /// Null for a stream that is not captured.
  captured_stream* of_stream(void* stream);
  captured_stream* of_event(void* event);
  /// A node on a captured stream, after what is on it.
  graph_node& add(captured_stream& on, const node_work& work);
  void record(void* event, void* stream);
  /// What is on the stream comes after the event; a stream that was not captured is from now on.
  void wait(void* stream, int device, bool is_blocking, const captured_stream& event);
  void forget_event(void* event) { events_.erase(event); }
  /// Whether all that its other streams did comes before what is on the first.
  bool is_joined(const capture& c) const;
  /// Whether all that this stream did comes before what is on the first of its capture.
  bool is_joined(const captured_stream& stream) const;
  void forget_stream(void* stream) { streams_.erase(stream); }
  /// The graph that was made; the streams are free again.
  std::unique_ptr<graph> end(capture& c);
  /// One with a stream that waits for the device's default stream; null for none.
  capture* blocking(int device);
  /// One that forbids a call of a thread which might wait for the device; null for none.
  capture* forbidding(std::thread::id caller, int mode_of_thread);

 private:
  std::vector<std::unique_ptr<capture>> all_;
  std::map<void*, captured_stream> streams_, events_;
  std::uint64_t next_id_ = 1;
};

}  // namespace heddle::checker
