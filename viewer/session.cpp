#include "session.hpp"

#include <heddle/error.hpp>
#include <heddle/interruption.hpp>
#include <heddle/target.hpp>

#include <algorithm>
#include <exception>
#include <iterator>
#include <new>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace heddle::viewer {
namespace {

using json = nlohmann::json;
using seconds = std::chrono::duration<double>;

constexpr std::size_t most_requests_of_client = 64, most_messages_of_client = 64;
constexpr seconds shortest_piece{0.004}, longest_piece{0.008};
constexpr seconds between_frames{1.0 / 60};
/// Of the time that a simulation has, as fast as it goes, making frames takes a small part; for a frame every
/// so often they take more of it, but never most.
constexpr double part_of_frames = 0.04, most_of_frames = 0.2;
constexpr seconds longest_between_frames{0.1};

/// How long requests are answered before steps and frames have their turn.
constexpr seconds longest_answers{0.05};

std::thread started(std::function<void()> work) {
  try {
    return std::thread(std::move(work));
  } catch (const std::system_error& refused) {
    fail(fmt::format(
        "view: the system gives no thread for the simulation: {}: raise the limits of processes and of "
        "memory (ulimit -u, ulimit -v)",
        refused.code().message()));
  }
}

std::string reason_of(const std::exception& wrong) {
  const bool is_memory = dynamic_cast<const std::bad_alloc*>(&wrong) != nullptr;
  return is_memory ? "view: out of memory: ask for a smaller window or grid" : wrong.what();
}

/// Whether a frame or a file is among them.
bool holds(const std::deque<outgoing_message>& messages, const char* kind) {
  return std::any_of(messages.begin(), messages.end(),
                     [&](const outgoing_message& one) { return one.is_binary && one.header.contains(kind); });
}

}  // namespace

session::session(options how, simulation_maker first, std::function<void()> ready)
    : how_(std::move(how)),
      ready_(std::move(ready)),
      ceilings_(how_.ceiling,
                [this] {
                  {
                    const std::lock_guard held(mutex_);
                  }  // else a waiter that has just looked misses it
                  wake_.notify_one();
                }),
      thread_(started([this, first = std::move(first)] { run(first); })) {}

session::~session() {
  {
    const std::lock_guard held(mutex_);
    ends_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void session::join(client who) {
  const std::lock_guard held(mutex_);
  clients_[who];
}

void session::leave(client who) {
  const std::lock_guard held(mutex_);
  clients_.erase(who);
}

bool session::ask(client who, message what) {
  {
    const std::lock_guard held(mutex_);
    viewer_state& of = clients_[who];
    // A request of which only the newest counts takes no room in the queue.
    if (what.what == request::drawn) {
      // A client cannot have drawn what it has not been sent, whatever it says.
      if (what.number == of.frame && !holds(of.messages, "frame")) of.is_drawing = false;
    } else if (what.what == request::window) {
      of.shown = std::move(what.shown);
      of.is_changed = true;
    } else if (what.what == request::palette) {
      of.palette = std::move(what.name);
      of.is_changed = true;
    } else if (requests_.empty() || requests_.back().who != who || !combine(requests_.back().what, what)) {
      if (of.requests == most_requests_of_client) return false;
      ++of.requests;
      requests_.push_back({who, std::move(what)});
    }
  }
  wake_.notify_one();
  return true;
}

/// Whether a message of that kind is kept for the client, who has not read it.
bool session::waits_for(client who, const char* kind) const {
  const std::lock_guard held(mutex_);
  const auto found = clients_.find(who);
  return found == clients_.end() || holds(found->second.messages, kind);
}

std::optional<outgoing_message> session::next_message(client who) {
  const std::lock_guard held(mutex_);
  const auto found = clients_.find(who);
  if (found == clients_.end() || found->second.messages.empty()) return std::nullopt;
  outgoing_message first = std::move(found->second.messages.front());
  found->second.messages.pop_front();
  return first;
}

void session::wait_for_first() {
  std::unique_lock held(mutex_);
  begun_.wait(held, [&] { return has_begun_; });
  if (failure_) std::rethrow_exception(failure_);
}

bool session::has_failed() const {
  const std::lock_guard held(mutex_);
  return failure_ != nullptr;
}

void session::rethrow_failure() const {
  std::exception_ptr failure;
  {
    const std::lock_guard held(mutex_);
    failure = failure_;
  }
  if (failure) std::rethrow_exception(failure);
}

/// The whole of the simulation's thread: no exception leaves it.
void session::run(const simulation_maker& first) {
  try {
    if (first) open(first);
    begin(nullptr);
    serve();
  } catch (...) {
    begin(std::current_exception());
    ready_();
  }
}

void session::begin(const std::exception_ptr& failure) {
  {
    const std::lock_guard held(mutex_);
    has_begun_ = true;
    failure_ = failure;
  }
  begun_.notify_all();
}

void session::serve() {
  // A long step, a picture of 8192 x 8192 pixels to be saved, and a deep frame end when the session does.
  const auto end = [this] {
    if (ends_) throw interruption();
  };
  const interruptible work(end);
  std::deque<request_of> requests;
  while (wait_for_work(requests)) {
    if (!requests.empty()) {
      const clock::time_point began = clock::now();
      do {
        answer(requests.front());
        requests.pop_front();
      } while (!requests.empty() && clock::now() - began < longest_answers);
    }
    take_steps();
    make_frames();
  }
}

/// Waits until there are requests, or steps or a frame are due, and adds the requests to those that have not
/// been answered yet. False at the end.
bool session::wait_for_work(std::deque<request_of>& requests) {
  std::unique_lock held(mutex_);
  const clock::time_point now = clock::now();
  clock::time_point next = now + std::chrono::hours(1);
  for (const auto& [who, of] : clients_) next = std::min(next, frame_due(of));
  if (plays_) next = std::min(next, steps_due_at(now));
  const bool waits = plays_ && waits_from_;
  if (requests.empty() && next > now)
    wake_.wait_until(held, next, [&] {
      if (ends_ || !requests_.empty() || (waits && !ceilings_.is_measuring())) return true;
      return std::any_of(clients_.begin(), clients_.end(),
                         [&](const auto& one) { return frame_due(one.second) < next; });
    });
  if (ends_) return false;
  std::move(requests_.begin(), requests_.end(), std::back_inserter(requests));
  requests_.clear();
  return true;
}

/// Whether the steps wait for a ceiling, which is measured now.
bool session::steps_wait() {
  if (!ceilings_.is_measuring()) {
    waits_from_.reset();
    return false;
  }
  if (!waits_from_) waits_from_ = clock::now();
  return clock::now() - *waits_from_ < longest_wait_for_ceiling;
}

session::clock::time_point session::steps_due_at(clock::time_point now) const {
  const clock::time_point due = pace_.next(now);
  return waits_from_ ? std::max(due, *waits_from_ + longest_wait_for_ceiling) : due;
}

bool session::steers(client who) const {
  const std::lock_guard held(mutex_);
  return how_.shared || (!clients_.empty() && clients_.begin()->first == who);
}

void session::answer(const request_of& one) {
  {
    const std::lock_guard held(mutex_);
    const auto found = clients_.find(one.who);
    if (found == clients_.end()) return;
    --found->second.requests;
  }
  try {
    check_interruption();
    if (!is_of_lookers(one.what.what) && !steers(one.who))
      fail("view: another browser steers; `heddle view --share` lets all");
    const std::uint64_t before = version_;
    obey(one.who, one.what);
    if (version_ == before) return;
    // Who has changed something waits for no frame that is due later.
    const std::lock_guard held(mutex_);
    if (const auto found = clients_.find(one.who); found != clients_.end()) found->second.is_changed = true;
  } catch (const interruption&) {
    throw;
  } catch (const std::exception& wrong) {
    tell_error(one.who, reason_of(wrong));
  }
}

void session::obey(client who, const message& what) {
  if (what.what == request::open) {
    if (what.number >= how_.presets.size())
      fail(fmt::format("view: there is no preset {}: there are {}", what.number, how_.presets.size()));
    return open(how_.open(how_.presets[what.number]));
  }
  if (!simulation_) fail("view: no simulation is open");
  switch (what.what) {
    case request::play:
      play(0);
      break;
    case request::step:
      // Those that are still to be taken are not forgotten.
      play(what.number + (plays_ ? steps_left_ : 0));
      break;
    case request::pause:
      plays_ = false;
      break;
    case request::speed:
      pace_.set_rate(what.per_second);
      if (plays_) play(steps_left_);
      break;
    case request::restart:
      simulation_->restart();
      piece_ = 1;
      break;
    case request::target:
      if (std::find(how_.targets.begin(), how_.targets.end(), what.name) == how_.targets.end())
        fail(fmt::format("view: '{}' is none of the targets {}", what.name, fmt::join(how_.targets, ", ")));
      simulation_->move_to(target::parse(what.name));
      piece_ = 1;
      break;
    case request::act:
      simulation_->handle(what.name, what.arguments);
      piece_ = 1;  // a plane that was empty may be full now, and a billion of its generations take hours
      break;
    case request::save: {
      if (waits_for(who, "file")) return;
      look_for(who);
      saved_file file = simulation_->save(what.name);
      put(who, {json{{"file", file.name}}, true, std::move(file.bytes)});
      return;
    }
    case request::command:
      look_for(who);
      put(who, text_message({{"is", "command"}, {"text", simulation_->command_line()}}));
      return;
    case request::open:
    case request::window:
    case request::drawn:
    case request::palette:
      break;
  }
  ++version_;
}

void session::open(const simulation_maker& made) {
  simulation_.reset();  // two may have no room
  plays_ = false;
  {
    const std::lock_guard held(mutex_);
    for (auto& [who, of] : clients_) of.is_greeted = false;
  }
  simulation_ = made();
  piece_ = 1;
  steps_per_second_ = 0;
  ++version_;
}

void session::play(std::uint64_t steps) {
  plays_ = true;
  steps_left_ = steps;
  measured_from_ = clock::now();
  measured_ = 0;
  pace_.begin(measured_from_);
}

std::uint64_t session::steps_due(clock::time_point now) {
  const std::uint64_t due = pace_.take_due(now, piece_);
  return steps_left_ != 0 ? std::min(due, steps_left_) : due;
}

void session::take_steps() {
  const bool waits = steps_wait();
  if (!plays_) return;
  if (waits) return play(steps_left_);  // the wait is no part of a rate
  const clock::time_point began = clock::now();
  try {
    const std::uint64_t count = steps_due(began);
    if (count == 0) return;
    if (!simulation_->is_finished()) simulation_->step(count);
    ++version_;
    const clock::time_point now = clock::now();
    const seconds took = now - began;
    constexpr std::uint64_t most = std::uint64_t{1} << 40;
    if (took < shortest_piece && count == piece_ && piece_ < most) piece_ *= 2;
    if (took > longest_piece) piece_ = std::max<std::uint64_t>(1, piece_ / 2);
    measured_ += count;
    if (const seconds since = now - measured_from_; since > seconds(0.5)) {
      steps_per_second_ = static_cast<double>(measured_) / since.count();
      measured_from_ = now;
      measured_ = 0;
    }
    if (steps_left_ != 0) {
      steps_left_ -= count;
      if (steps_left_ == 0) plays_ = false;
    }
    if (simulation_->is_finished()) plays_ = false;
  } catch (const interruption&) {
    throw;
  } catch (const std::exception& wrong) {
    plays_ = false;
    ++version_;
    std::vector<client> all;
    {
      const std::lock_guard held(mutex_);
      for (const auto& [who, of] : clients_) all.push_back(who);
    }
    for (const client who : all) tell_error(who, reason_of(wrong));
  }
}

session::clock::time_point session::frame_due(const viewer_state& of) const {
  if (!of.shown) return clock::time_point::max();
  if (!of.is_greeted) return clock::time_point::min();
  if (!simulation_ || of.is_drawing) return clock::time_point::max();
  const bool is_asked = of.is_changed || !of.is_whole;
  if (!is_asked && of.version == version_) return clock::time_point::max();
  const auto after = [](clock::time_point from, seconds time) {
    return from + std::chrono::duration_cast<clock::duration>(time);
  };
  const clock::time_point due = after(of.rendered, between_frames);
  if (is_asked || !plays_ || pace_.rate()) return due;
  // The part is that of the frames of all clients.
  return std::max(
      due, after(frames_begun_,
                 std::clamp(seconds(seconds_of_frames_ / part_of_frames), between_frames,
                            std::max(longest_between_frames, seconds(seconds_of_frames_ / most_of_frames)))));
}

void session::make_frames() {
  struct wanted {
    client who;
    window shown;
    std::string palette;
    bool is_greeted, is_told, is_asked;
  };
  std::vector<wanted> all;
  {
    const std::lock_guard held(mutex_);
    const clock::time_point now = clock::now();
    for (auto& [who, of] : clients_) {
      if (frame_due(of) > now) continue;
      all.push_back({who, *of.shown, of.palette, of.is_greeted, of.is_told, of.is_changed || !of.is_whole});
      if (of.is_greeted) of.is_changed = false;
    }
  }
  const clock::time_point all_begun = clock::now();
  double taken = 0;
  for (const wanted& one : all) {
    if (!one.is_greeted) {
      outgoing_message hello = greeting(one.who, one.shown);
      hello.header["fresh"] = one.is_told;
      {
        const std::lock_guard held(mutex_);
        if (const auto found = clients_.find(one.who); found != clients_.end()) {
          found->second.is_greeted = found->second.is_told = found->second.is_changed = true;
          found->second.is_whole = true;
          found->second.palette.clear();
          found->second.told = json::object();
        }
      }
      // The client may answer the greeting at once, so its state is reset before the greeting is sent.
      put(one.who, std::move(hello));
      continue;
    }
    const clock::time_point began = clock::now();
    outgoing_message frame;
    bool is_whole = true;
    try {
      rendering picture = simulation_->render(one.shown, one.palette);
      is_whole = picture.is_whole;
      frame = framed(one.shown, one.palette, std::move(picture), ++frames_);
    } catch (const interruption&) {
      throw;
    } catch (const std::exception& wrong) {
      tell_error(one.who, reason_of(wrong));
    }
    if (!one.is_asked) taken += seconds(clock::now() - began).count();
    const std::lock_guard held(mutex_);
    const auto found = clients_.find(one.who);
    if (found == clients_.end()) continue;
    viewer_state& of = found->second;
    of.version = version_;
    of.rendered = began;
    of.is_whole = is_whole;
    if (!frame.is_binary) continue;
    of.is_drawing = true;
    of.frame = frames_;
    leave_out_told(frame.header, of.told);
    of.messages.push_back(std::move(frame));
  }
  if (taken > 0) {
    frames_begun_ = all_begun;
    seconds_of_frames_ = taken;
  }
  if (!all.empty()) ready_();
}

void session::put(client who, outgoing_message what) {
  {
    const std::lock_guard held(mutex_);
    const auto found = clients_.find(who);
    if (found == clients_.end()) return;
    std::deque<outgoing_message>& messages = found->second.messages;
    // A client that does not read what it is sent asks in vain.
    if (messages.size() >= most_messages_of_client || (what.is_binary && holds(messages, "file"))) return;
    messages.push_back(std::move(what));
  }
  ready_();
}

void session::tell_error(client who, const std::string& text) {
  put(who, text_message({{"is", "error"}, {"text", text}}));
}

}  // namespace heddle::viewer
