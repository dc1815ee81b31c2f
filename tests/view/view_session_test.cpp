#include "viewer/message.hpp"
#include "viewer/session.hpp"
#include <heddle/error.hpp>
#include <heddle/interruption.hpp>
#include <heddle/target.hpp>

#include <atomic>
#include <barrier>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace {

using namespace heddle;
using namespace heddle::viewer;
using json = nlohmann::json;

/// A simulation whose picture is one grey pixel: its steps.
class counter final : public viewed_simulation {
 public:
  std::string_view kind() const override { return "counter"; }
  json description() const override { return {{"palettes", {"grey"}}, {"up", false}}; }
  void step(std::uint64_t count) override {
    if (std::exchange(is_changed_, false)) first_ = count;
    steps_ += count;
  }
  std::uint64_t steps() const override { return steps_; }
  bool is_finished() const override { return steps_ >= last; }
  work work_of_step() const override { return {2, "halves/s", 8}; }
  void restart() override { steps_ = 0; }
  const target& where() const override { return where_; }
  void move_to(const target& where) override { where_ = where; }
  window home(std::uint32_t width, std::uint32_t height) const override {
    return {"0.5", "0", 2, width, height};
  }
  rendering render(const window& shown, std::string_view) override {
    rendering made;
    made.image = {1, 1, pixel_format::grey, {static_cast<std::uint8_t>(steps_)}, {}};
    // The first look at a window is coarse.
    made.is_whole = std::exchange(looked_at_, shown) == shown;
    return made;
  }
  void handle(std::string_view action, const json& arguments) override {
    is_changed_ = true;
    if (action == "hold") {
      holds.arrive_and_wait();
      holds.arrive_and_wait();
    } else if (action == "nudge") {
      steps_ += arguments.at("right").get<std::uint64_t>();
    } else if (action == "drag") {
      steps_ = 10 * steps_ + arguments.at("x").get<std::uint64_t>();
    } else if (action == "jump") {
      steps_ = 1000;
    } else if (action == "endless") {
      holds.arrive_and_wait();
      for (;;) check_interruption();
    } else if (action == "slow") {
      // Longer than requests are answered in a row.
      const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(60);
      while (std::chrono::steady_clock::now() < end) {
      }
      ++slow_ones;
    } else if (action == "exhaust") {
      throw std::bad_alloc();
    } else if (action == "interrupt") {
      throw interruption();
    } else if (action == "burst") {
      throw 5;
    } else {
      fail("counter: no such action");
    }
  }
  json status() override { return {{"text", "counted"}, {"first", first_}, {"slow", slow_ones.load()}}; }
  std::string command_line() const override { return "heddle count"; }
  std::vector<std::string> formats() const override { return {"txt"}; }
  saved_file save(std::string_view) override {
    ++saves;
    return {"count.txt", std::to_string(steps_)};
  }

  static constexpr std::uint64_t last = 1 << 20;
  /// Who asks for `hold` is on one side of it, the test on the other: twice, for its beginning and its end.
  static inline std::barrier<> holds{2};
  static inline std::atomic<int> saves = 0, slow_ones = 0;

 private:
  std::uint64_t steps_ = 0, first_ = 0;  // the first count of steps after a change
  bool is_changed_ = false;
  target where_ = target::serial();
  window looked_at_;
};

message of(request what, std::uint64_t number = 0, std::string name = "") {
  return {what, {}, number, std::nullopt, std::move(name), json::object()};
}
message shows(double scale) {
  message said = of(request::window);
  said.shown.scale = scale;
  return said;
}

/// A session, and messages as they come.
class view_session : public testing::Test {
 protected:
  view_session() : view_(options(), [] { return std::make_unique<counter>(); }, [this] { wake(); }) {
    view_.wait_for_first();
  }

  session::options options() {
    session::options how;
    how.ceiling = [this](const target& where) {
      ++ceilings_;
      may_measure_.wait(false);
      if (where.text() == "serial") return 8000.0;
      throw 5;  // no std::exception
    };
    how.targets = {"serial", "parallel:2"};
    how.presets = {{"One", "", {"counter"}}};
    how.open = [](const preset&) { return [] { return std::make_unique<counter>(); }; };
    return how;
  }

  void wake() {
    const std::lock_guard held(mutex_);
    woken_ = true;
    come_.notify_all();
  }

  outgoing_message next(session::client who) {
    for (;;) {
      if (std::optional<outgoing_message> one = view_.next_message(who)) {
        if (one->header.contains("frame")) complete(who, one->header);
        return *std::move(one);
      }
      std::unique_lock held(mutex_);
      come_.wait_for(held, std::chrono::milliseconds(10), [&] { return std::exchange(woken_, false); });
    }
  }

  /// Adds what a frame leaves out, because it has not changed since an earlier one.
  void complete(session::client who, json& header) {
    const std::lock_guard held(mutex_);
    sent_ = header;
    json& known = known_.try_emplace(who, json::object()).first->second;
    known.update(header);
    header = known;
  }

  /// The next frame, which is told to be drawn.
  outgoing_message frame(session::client who) {
    for (;;) {
      outgoing_message one = next(who);
      if (!one.header.contains("frame")) continue;
      view_.ask(who, of(request::drawn, one.header["frame"].get<std::uint64_t>()));
      return one;
    }
  }
  outgoing_message text(session::client who) {
    for (;;) {
      outgoing_message one = next(who);
      if (one.header.contains("is")) return one;
      view_.ask(who, of(request::drawn, one.header["frame"].get<std::uint64_t>()));
    }
  }

  void greet(session::client who) {
    view_.join(who);
    view_.ask(who, shows(1));
    EXPECT_EQ(text(who).header["is"], "hello");
  }

  std::mutex mutex_;
  std::condition_variable come_;
  bool woken_ = false;
  json sent_;                              // the header of the last frame, as it came
  std::map<session::client, json> known_;  // of earlier frames
  std::atomic<int> ceilings_ = 0;
  std::atomic<bool> may_measure_ = true;
  session view_;
};

TEST_F(view_session, frames_leave_out_what_the_client_has) {
  greet(1);
  frame(1);
  const auto count_sent = [&] {
    return sent_.contains("colours") + sent_.contains("home") + sent_.contains("status");
  };
  EXPECT_EQ(count_sent(), 3);
  view_.ask(1, of(request::step, 1));
  frame(1);
  EXPECT_EQ(count_sent(), 0);
  view_.ask(1, of(request::act, 0, "slow"));  // changes the status
  frame(1);
  EXPECT_TRUE(count_sent() == 1 && sent_.contains("status"));
  greet(2);  // which has nothing yet
  frame(2);
  EXPECT_EQ(count_sent(), 3);
}

TEST_F(view_session, frames_come_one_at_a_time_and_get_finer) {
  greet(1);
  const outgoing_message coarse = next(1);
  EXPECT_EQ(coarse.header["steps"], 0);
  EXPECT_EQ(coarse.header["home"]["x"], "0.5");
  view_.ask(1, of(request::step, 7));
  // Nothing comes before it is drawn, and what comes then is the newest.
  view_.ask(1, of(request::command));
  EXPECT_EQ(text(1).header["text"], "heddle count");
  EXPECT_FALSE(view_.next_message(1));
  view_.ask(1, of(request::drawn, coarse.header["frame"].get<std::uint64_t>()));
  outgoing_message fine = frame(1);
  while (fine.header["steps"] != 7) fine = frame(1);
  EXPECT_EQ(fine.content(), std::string(1, '\7'));
}

TEST_F(view_session, begins_with_one_step_after_a_change) {
  greet(1);
  view_.ask(1, of(request::play));
  outgoing_message now = frame(1);
  while (now.header["steps"] < counter::last || now.header["playing"] == true) now = frame(1);
  // Half a million steps took no time. After the change each may take a minute.
  view_.ask(1, of(request::act, 0, "jump"));
  view_.ask(1, of(request::play));
  while (now.header["status"]["first"] == 0) now = frame(1);
  EXPECT_EQ(now.header["status"]["first"], 1);
}

TEST_F(view_session, takes_each_step_that_is_asked_for) {
  greet(1);
  for (const std::uint64_t count : {1000, 1, 1, 300}) view_.ask(1, of(request::step, count));
  outgoing_message now = frame(1);
  while (now.header["steps"] != 1302 || now.header["playing"] == true) now = frame(1);
}

TEST_F(view_session, plays_to_the_end) {
  greet(1);
  view_.ask(1, of(request::play));
  outgoing_message now = frame(1);
  while (now.header["steps"] < counter::last) now = frame(1);
  while (now.header["playing"] == true) now = frame(1);
  view_.ask(1, of(request::restart));
  while (now.header["steps"] != 0) now = frame(1);
  view_.ask(1, of(request::target, 0, "parallel:2"));
  while (now.header["target"] != "parallel:2") now = frame(1);
}

TEST_F(view_session, measures_the_ceiling_of_each_target_once) {
  greet(1);
  outgoing_message now = frame(1);
  while (now.header["ceiling"] != 8000) {
    EXPECT_EQ(now.header["ceiling"], 0);
    view_.ask(1, of(request::act, 0, "jump"));  // makes a frame
    now = frame(1);
  }
  message thousand = of(request::speed);
  thousand.per_second = 1000;
  view_.ask(1, thousand);
  view_.ask(1, of(request::play));
  const auto with_rate_on = [&](const char* where) {
    now = frame(1);
    while (now.header["target"] != where || now.header["bytes_per_second"] == 0) now = frame(1);
    EXPECT_EQ(now.header["bytes_per_second"], 8 * now.header["steps_per_second"].get<double>());
    return now.header["ceiling"].get<double>();
  };
  EXPECT_EQ(with_rate_on("serial"), 8000);
  EXPECT_EQ(with_rate_on("serial"), 8000);
  view_.ask(1, of(request::target, 0, "parallel:2"));
  EXPECT_EQ(with_rate_on("parallel:2"), 0);  // that of this one fails, and it goes on
  view_.ask(1, of(request::target, 0, "serial"));
  EXPECT_EQ(with_rate_on("serial"), 8000);
  EXPECT_EQ(ceilings_, 2);
}

TEST_F(view_session, frames_steps_and_answers_go_on_while_a_ceiling_is_measured) {
  // From here on the measurement waits, and all that comes before it ends has not waited for it.
  may_measure_ = false;
  greet(1);
  message often = of(request::speed);
  often.per_second = 1000;
  view_.ask(1, often);
  view_.ask(1, of(request::play));
  outgoing_message now = frame(1);
  for (int moved = 0; moved < 20;) {
    const auto before = now.header["steps"].get<std::uint64_t>();
    now = frame(1);
    EXPECT_EQ(now.header["ceiling"], 0);
    if (now.header["steps"].get<std::uint64_t>() > before) ++moved;
  }
  while (now.header["steps_per_second"] == 0) now = frame(1);  // a rate without a fraction
  view_.ask(1, of(request::command));
  EXPECT_EQ(text(1).header["text"], "heddle count");
  EXPECT_EQ(ceilings_, 1);
  may_measure_ = true;
  may_measure_.notify_all();
  while (now.header["ceiling"] != 8000) now = frame(1);
}

TEST_F(view_session, ends_with_what_is_no_failure_of_a_request) {
  greet(1);
  EXPECT_FALSE(view_.has_failed());
  EXPECT_NO_THROW(view_.rethrow_failure());
  view_.ask(1, of(request::act, 0, "interrupt"));
  {
    std::unique_lock held(mutex_);
    come_.wait(held, [&] { return view_.has_failed(); });
  }
  EXPECT_THROW(view_.rethrow_failure(), interruption);
  // Clients may still come, ask and leave.
  view_.ask(1, of(request::command));
  view_.join(2);
  view_.leave(1);
}

TEST_F(view_session, ends_with_an_exception_of_any_type) {
  greet(1);
  view_.ask(1, of(request::act, 0, "burst"));
  {
    std::unique_lock held(mutex_);
    come_.wait(held, [&] { return view_.has_failed(); });
  }
  EXPECT_THROW(view_.rethrow_failure(), int);
}

TEST_F(view_session, refuses_and_goes_on) {
  greet(1);
  greet(2);
  view_.ask(2, of(request::play));
  EXPECT_EQ(text(2).header["text"], "view: another browser steers; `heddle view --share` lets all");
  view_.ask(1, of(request::act, 0, "sing"));
  EXPECT_EQ(text(1).header["text"], "counter: no such action");
  view_.ask(1, of(request::target, 0, "gpu:7"));
  EXPECT_EQ(text(1).header["is"], "error");
  view_.ask(1, of(request::open, 5));
  EXPECT_EQ(text(1).header["is"], "error");
  view_.ask(1, of(request::save, 0, "txt"));
  outgoing_message file = next(1);
  while (!file.header.contains("file")) file = next(1);
  EXPECT_EQ(file.bytes, "0");
  // The next one steers once the first is gone.
  view_.leave(1);
  view_.ask(2, of(request::open, 0));
  const outgoing_message hello = text(2);
  EXPECT_EQ(hello.header["is"], "hello");
  EXPECT_EQ(hello.header["fresh"], true);
  EXPECT_EQ(hello.header["steers"], true);
}

TEST_F(view_session, keeps_little_of_a_client_that_does_not_read) {
  greet(1);
  for (int i = 0; i < 1000; ++i) {
    if (!view_.ask(1, of(request::save, 0, "txt"))) break;
    view_.ask(1, shows(1 + i));
  }
  view_.join(2);
  view_.ask(2, shows(1));
  text(2);  // what was asked before is answered
  std::size_t messages = 0;
  while (view_.next_message(1)) ++messages;
  EXPECT_LE(messages, 3u);  // a frame and a file, and perhaps what came while they were taken
}

message acts(std::string name, json arguments = json::object()) {
  message said = of(request::act, 0, std::move(name));
  said.arguments = std::move(arguments);
  return said;
}

TEST_F(view_session, requests_of_one_client_keep_no_other_waiting) {
  view_.join(1);
  EXPECT_TRUE(view_.ask(1, acts("hold")));
  counter::holds.arrive_and_wait();
  counter::slow_ones = 0;
  constexpr int most = 40;
  for (int i = 0; i < most; ++i) EXPECT_TRUE(view_.ask(1, acts("slow")));
  view_.join(2);
  view_.ask(2, shows(1));
  counter::holds.arrive_and_wait();
  next(2);
  // How many were answered before this frame was made.
  EXPECT_LT(frame(2).header["status"]["slow"], most);
}

TEST_F(view_session, saves_no_file_for_a_client_that_has_not_read_one) {
  view_.join(1);
  EXPECT_TRUE(view_.ask(1, acts("hold")));
  counter::holds.arrive_and_wait();
  counter::saves = 0;
  for (int i = 0; i < 50; ++i) EXPECT_TRUE(view_.ask(1, of(request::save, 0, "txt")));
  EXPECT_TRUE(view_.ask(1, of(request::command)));
  counter::holds.arrive_and_wait();
  view_.join(2);
  view_.ask(2, of(request::command));
  EXPECT_EQ(text(2).header["is"], "command");  // all before it is answered
  EXPECT_EQ(counter::saves, 1);
  EXPECT_EQ(next(1).header["file"], "count.txt");
  EXPECT_EQ(next(1).header["is"], "command");
}

TEST_F(view_session, names_what_is_missing) {
  greet(1);
  view_.ask(1, acts("exhaust"));
  EXPECT_NE(text(1).header["text"].get<std::string>().find("out of memory"), std::string::npos);
}

TEST_F(view_session, takes_moves_that_wait_as_one) {
  view_.join(1);
  EXPECT_TRUE(view_.ask(1, acts("hold")));
  counter::holds.arrive_and_wait();
  // More than a client may have waiting.
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(view_.ask(1, acts("nudge", {{"right", 3}, {"up", -1}})));
  for (int i = 1; i <= 1000; ++i) EXPECT_TRUE(view_.ask(1, acts("drag", {{"x", i % 10 + 5}, {"y", 2}})));
  EXPECT_TRUE(view_.ask(1, acts("nudge", {{"right", 2}, {"up", 0}})));
  EXPECT_TRUE(view_.ask(1, of(request::save, 0, "txt")));
  counter::holds.arrive_and_wait();
  outgoing_message sent = next(1);
  while (!sent.header.contains("file")) sent = next(1);
  EXPECT_EQ(sent.bytes, "30007");
}

TEST_F(view_session, keeps_one_frame_for_a_client_that_says_unread_ones_are_drawn) {
  greet(1);
  greet(2);
  for (std::uint64_t steps = 1; steps <= 20; ++steps) {
    view_.ask(1, of(request::step, 1));
    while (frame(2).header["steps"] != steps) {
    }
    // Numbers count all clients' frames: these are all that there are and more.
    for (std::uint64_t number = 1; number <= 40 * steps; ++number) view_.ask(1, of(request::drawn, number));
  }
  int frames = 0;
  while (const std::optional<outgoing_message> one = view_.next_message(1))
    frames += one->header.contains("frame") ? 1 : 0;
  EXPECT_EQ(frames, 1);
}

TEST_F(view_session, clients_come_and_go_on_other_threads) {
  std::vector<std::thread> threads;
  for (session::client who = 10; who < 14; ++who) {
    threads.emplace_back([&, who] {
      for (int round = 0; round < 5; ++round) {
        greet(who);
        view_.ask(who, of(request::play));
        for (int i = 0; i < 3; ++i) {
          frame(who);
          view_.ask(who, shows(1 + i));
        }
        view_.leave(who);
      }
    });
  }
  for (std::thread& one : threads) one.join();
}

TEST(view_session_end, ends_what_a_request_takes) {
  session view({}, [] { return std::make_unique<counter>(); }, [] {});
  view.join(1);
  view.ask(1, of(request::act, 0, "endless"));
  counter::holds.arrive_and_wait();
}

TEST(view_session_greeting, palette_asked_for_at_once_is_kept) {
  session* made = nullptr;
  std::promise<json> first_frame;
  bool is_drawn = false;
  const auto answer = [&] {
    while (const std::optional<outgoing_message> one = made->next_message(1)) {
      if (one->header.contains("is")) made->ask(1, of(request::palette, 0, "grey"));
      if (one->header.contains("frame") && !std::exchange(is_drawn, true))
        first_frame.set_value(one->header["palette"]);
    }
  };
  session view({}, [] { return std::make_unique<counter>(); }, answer);
  made = &view;
  view.join(1);
  view.ask(1, shows(1));
  EXPECT_EQ(first_frame.get_future().get(), "grey");
}

TEST(view_session_failures, the_first_simulation_cannot_be_made) {
  session view({}, []() -> std::unique_ptr<viewed_simulation> { fail("counter: no room"); }, [] {});
  EXPECT_THROW(view.wait_for_first(), error);
}

}  // namespace
