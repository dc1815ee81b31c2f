#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <vector>

namespace heddle::checker {

/// What was put on which stream, and what of it the host has waited for. Everything is done at once, in the
/// order of the host's calls; what is kept here is what a GPU may not have done yet. The times are vector
/// clocks with a component a stream. A stream is of a device, and the handles of default streams are those of
/// the present one.
class stream_order {
 public:
  using times = std::vector<std::uint64_t>;
  struct operation {
    std::size_t stream = 0;
    std::uint64_t number = 0;
  };

  explicit stream_order(int devices);

  void* make_stream(bool is_blocking, int device);
  /// Whether any other stream than one default stream may have unfinished work.
  bool has_other_streams() const { return !streams_.empty() || devices_.size() > 1; }
  /// False for what is no stream.
  bool end_stream(void* stream);
  bool is_stream(void* stream) const { return find(stream) != nullptr; }
  /// Whether the default stream and it wait for one another.
  bool is_blocking(void* stream) const { return find(stream)->is_blocking; }
  int device_of(void* stream) const { return find(stream)->device; }
  int device_of(const operation& what) const { return device_of_[what.stream]; }
  static bool is_default(void* stream);
  void* make_event(bool is_timed, int device);
  bool end_event(void* event);
  bool is_event(void* event) const { return events_.count(event) != 0; }
  int device_of_event(void* event) const { return events_.at(event)->device; }

  /// Something is put on a stream, after what is on it and, as CUDA's default stream has it, after what is on
  /// the others of its device.
  operation enqueue(void* stream);
  /// The same, after all that these devices have to do, too; what they are given later comes after it.
  operation enqueue_between(void* stream, const std::set<int>& devices);
  void record(void* event, void* stream);
  void make_wait(void* stream, void* event);
  /// What was put on a stream last comes after this.
  const times& known(void* stream) const { return find(stream)->known; }
  /// What comes next on the stream comes after this.
  void follow(void* stream, const times& what) { join(find(stream)->known, what); }
  static void join(times& into, const times& from);
  void wait_for_stream(void* stream);
  void wait_for_event(void* event);
  void wait_for_device(int device);
  void wait_for_all();
  /// A function of the host's on a stream begins, which comes after this.
  void begin_callback(const times& known) { join(called_, known); }
  /// Whether it comes before a function of the host's that a stream has called.
  bool is_before_callback(const operation& what) const {
    return what.stream < called_.size() && called_[what.stream] >= what.number;
  }
  /// Whether the host knows that it is done.
  bool is_done(const operation& what) const {
    return what.stream < host_.size() && host_[what.stream] >= what.number;
  }
  /// Whether what was last put on a stream begins after it.
  bool comes_before(const operation& what, void* stream) const {
    const times& known = find(stream)->known;
    return what.stream < known.size() && known[what.stream] >= what.number;
  }
  /// Whether the event was recorded after it.
  bool comes_before_event(const operation& what, void* event) const {
    const times& known = events_.at(event)->known;
    return what.stream < known.size() && known[what.stream] >= what.number;
  }
  /// Milliseconds between two events; false unless both are of one device, were recorded and are timed.
  bool elapsed(void* from, void* to, float& milliseconds) const;

 private:
  struct stream {
    std::size_t number = 0;
    bool is_blocking = true;
    int device = 0;
    times known;
  };
  struct event {
    bool is_timed = true, is_recorded = false;
    int device = 0;
    times known;
    std::chrono::steady_clock::time_point when;
  };
  struct device {
    std::unique_ptr<stream> legacy, per_thread;
    times ended;  // of streams that are no more
  };
  stream* find(void* handle) const;
  std::unique_ptr<stream> new_stream(bool is_blocking, int device);
  /// Calls f(stream) for all of a device.
  template <class F>
  void each_stream(int of, F f) const;

  std::vector<device> devices_;
  std::map<void*, std::unique_ptr<stream>> streams_;  // of the program's own
  std::map<void*, std::unique_ptr<event>> events_;
  std::vector<int> device_of_;  // of streams by their numbers
  times host_, last_, called_;
};

}  // namespace heddle::checker
