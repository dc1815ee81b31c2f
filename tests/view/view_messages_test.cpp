#include "viewer/message.hpp"
#include "viewer/outgoing_message.hpp"

#include <optional>
#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

// Messages of the viewer and its pages, without a session.

namespace {

using namespace heddle::viewer;
using json = nlohmann::json;

message acts(std::string name, json arguments = json::object()) {
  return {request::act, {}, 0, std::nullopt, std::move(name), std::move(arguments)};
}

}  // namespace

TEST(view_messages, moves_of_one_kind_are_combined) {
  message earlier = acts("nudge", {{"right", 1}, {"up", 2}});
  EXPECT_TRUE(combine(earlier, acts("nudge", {{"right", -4}, {"up", 0.5}})));
  EXPECT_EQ(earlier.arguments, (json{{"right", -3.0}, {"up", 2.5}}));
  EXPECT_FALSE(combine(earlier, acts("nudge", {{"right", "far"}, {"up", 0}})));
  EXPECT_FALSE(combine(earlier, acts("drag", {{"x", 1}, {"y", 1}})));
  for (const char* each : {"solid", "fluid", "grab", "cylinder", "hold"}) {
    earlier = acts(each);
    EXPECT_FALSE(combine(earlier, acts(each))) << each;
  }
  const message steps{request::step, {}, 3, std::nullopt, "", json::object()};
  earlier = steps;
  EXPECT_FALSE(combine(earlier, steps));
}

TEST(view_messages, frames_leave_out_what_was_told) {
  json told = json::object();
  const json first{{"frame", 1}, {"colours", "000000ffffff"}, {"status", {{"text", "a"}}}, {"steps", 3}};
  json header = first;
  leave_out_told(header, told);
  EXPECT_EQ(header, first);
  leave_out_told(header, told);
  EXPECT_EQ(header, (json{{"frame", 1}, {"steps", 3}}));
  header = first;
  header["status"]["text"] = "b";
  leave_out_told(header, told);
  EXPECT_EQ(header, (json{{"frame", 1}, {"status", {{"text", "b"}}}, {"steps", 3}}));
  // The status of before has changed since.
  header = first;
  leave_out_told(header, told);
  EXPECT_EQ(header, (json{{"frame", 1}, {"status", {{"text", "a"}}}, {"steps", 3}}));
}

TEST(view_messages, the_content_of_a_message_is_its_pixels_or_its_bytes) {
  EXPECT_EQ((outgoing_message{{}, true, "file", {}}.content()), "file");
  const outgoing_message frame{{}, true, {}, {65, 66}};
  EXPECT_EQ(frame.content(), "AB");
  EXPECT_EQ(frame.content().data(), reinterpret_cast<const char*>(frame.pixels.data()));
}
