#pragma once

#include "ceilings.hpp"
#include "message.hpp"
#include "outgoing_message.hpp"
#include "pace.hpp"
#include "viewed_simulation.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace heddle::viewer {

/// A simulation on a thread of its own, and what each client sees of it. Every member may be called from
/// another thread and returns at once.
///
/// A client has one frame in flight: the next is rendered once it says that the last one is drawn. What is
/// kept for it is that frame and one answer for each of a few requests, so memory does not grow with a client
/// that stalls.
class session {
 public:
  using client = std::uint64_t;

  struct options {
    std::vector<preset> presets;
    /// Makes the simulation of a preset.
    std::function<simulation_maker(const preset&)> open;
    /// All clients steer, not only the one that was there first.
    bool shared = false;
    /// Names of targets that a client may choose.
    std::vector<std::string> targets;
    /// Measures the rate of a copy on a target, on a thread of its own. The steps wait for it, but at most
    /// `longest_wait_for_ceiling`, because both would slow each other down. Frames and answers never wait.
    /// Frames have no ceiling before it returns, and if it throws.
    ceilings::measurement ceiling;
  };

  /// `first` is empty for the gallery. `ready` is called, on the simulation's thread, when there are messages
  /// for a client.
  session(options how, simulation_maker first, std::function<void()> ready);
  ~session();
  session(const session&) = delete;
  session& operator=(const session&) = delete;

  void join(client who);
  void leave(client who);
  /// False where the client has asked for too much that is not answered yet: it is to be shut out.
  bool ask(client who, message what);
  /// The next message for a client, if there is one.
  std::optional<outgoing_message> next_message(client who);

  static constexpr std::chrono::milliseconds longest_wait_for_ceiling{150};

  /// Waits until the first simulation is made, and throws what making it has thrown.
  void wait_for_first();

  /// Whether an exception has ended the simulation's thread. `ready` is called then.
  bool has_failed() const;
  /// Throws that exception.
  void rethrow_failure() const;

 private:
  using clock = std::chrono::steady_clock;

  /// The state of a client, which the mutex protects.
  struct viewer_state {
    std::optional<window> shown;
    std::string palette;
    std::deque<outgoing_message> messages;
    nlohmann::json told;        // by frames since the greeting, which later frames leave out
    std::size_t requests = 0;   // not answered yet
    bool is_greeted = false;    // told of the simulation that there is now
    bool is_told = false;       // of an earlier one
    bool is_drawing = false;    // a frame is in flight
    bool is_changed = false;    // the window or the palette is, since the last frame
    bool is_whole = true;       // that frame is as fine as it gets
    std::uint64_t frame = 0;    // its number
    std::uint64_t version = 0;  // of the state that it shows
    clock::time_point rendered{};
  };
  struct request_of {
    client who;
    message what;
  };

  void run(const simulation_maker& first);
  void begin(const std::exception_ptr& failure);
  void serve();
  bool wait_for_work(std::deque<request_of>& requests);
  void answer(const request_of& one);
  void obey(client who, const message& what);
  void open(const simulation_maker& made);
  void play(std::uint64_t steps);
  void take_steps();
  std::uint64_t steps_due(clock::time_point now);
  void make_frames();
  clock::time_point frame_due(const viewer_state& of) const;
  bool steps_wait();
  clock::time_point steps_due_at(clock::time_point now) const;
  double ceiling();
  void look_for(client who);
  outgoing_message framed(const window& shown, const std::string& palette, rendering picture,
                          std::uint64_t number);
  bool waits_for(client who, const char* kind) const;
  void put(client who, outgoing_message what);
  void tell_error(client who, const std::string& text);
  outgoing_message greeting(client who, const window& shown) const;
  bool steers(client who) const;

  const options how_;
  const std::function<void()> ready_;

  mutable std::mutex mutex_;
  std::condition_variable wake_, begun_;
  std::map<client, viewer_state> clients_;  // of those the first steers
  std::deque<request_of> requests_;
  std::atomic<bool> ends_ = false;
  bool has_begun_ = false;
  std::exception_ptr failure_;

  // Of the simulation's thread alone.
  std::unique_ptr<viewed_simulation> simulation_;
  bool plays_ = false;
  std::uint64_t steps_left_ = 0;  // until a pause; 0: there is none
  pace pace_;
  clock::time_point measured_from_{};
  std::uint64_t measured_ = 0;  // steps since
  std::uint64_t version_ = 1, frames_ = 0, piece_ = 1;
  double steps_per_second_ = 0;
  clock::time_point frames_begun_{};             // those that nobody has asked for, last
  double seconds_of_frames_ = 0;                 // that all of these took
  std::optional<clock::time_point> waits_from_;  // when the steps began to wait for a ceiling

  ceilings ceilings_;
  std::thread thread_;
};

}  // namespace heddle::viewer
