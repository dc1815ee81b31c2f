#include "viewer/frame_compression.hpp"
#include "viewer/pace.hpp"

#include <chrono>
#include <limits>

#include <gtest/gtest.h>

// Classes of the viewer that are given times, and read no clock.

namespace {

using namespace heddle::viewer;

/// How many of the frames are deflated. A deflated frame takes `deflated` seconds, and a plain one `plain`.
int deflated_of(int frames, double deflated, double plain, frame_compression& learns) {
  int count = 0;
  for (int i = 0; i < frames; ++i) {
    const bool is_deflated = learns.deflates();
    count += is_deflated;
    learns.took(is_deflated, frame_compression::seconds(is_deflated ? deflated : plain));
  }
  return count;
}

}  // namespace

TEST(view_pace, is_due_at_any_rate) {
  using clock = pace::clock;
  const clock::time_point begin{std::chrono::hours(1000)}, later = begin + std::chrono::seconds(10);
  pace steps;
  steps.begin(begin);
  EXPECT_EQ(steps.next(later), later);
  EXPECT_EQ(steps.take_due(later, 7), 7);
  for (const double slow : {1e-9, 1.08e-10, 1e-10, 1e-300, std::numeric_limits<double>::min()}) {
    steps.set_rate(slow);
    steps.begin(begin);
    EXPECT_EQ(steps.take_due(later, 7), 0) << slow;
    EXPECT_EQ(steps.next(later), later + std::chrono::hours(1)) << slow;
  }
  steps.set_rate(0.05);
  steps.begin(begin);
  EXPECT_EQ(steps.take_due(later, 7), 0);
  EXPECT_EQ(steps.next(later), begin + std::chrono::seconds(20));
  EXPECT_EQ(steps.take_due(begin + std::chrono::seconds(20), 7), 1);
  EXPECT_EQ(steps.next(later), begin + std::chrono::seconds(40));
  for (const double fast : {1e9, 1e30, std::numeric_limits<double>::max()}) {
    steps.set_rate(fast);
    steps.begin(begin);
    EXPECT_EQ(steps.take_due(later, 7), 7) << fast;
    EXPECT_EQ(steps.take_due(later, 7), 0) << fast;  // it begins anew
    EXPECT_LE(steps.next(later), later + std::chrono::nanoseconds(1)) << fast;
  }
}

TEST(frame_compression, frames_go_as_they_arrive_sooner) {
  frame_compression learns;
  EXPECT_TRUE(learns.deflates());
  // One in 32 seconds' worth of the others is deflated.
  const int of_fast = deflated_of(1000, 0.03, 0.01, learns);
  EXPECT_GE(of_fast, 2);
  EXPECT_LE(of_fast, 1000 / 32);
  // The connection has become slow.
  const int of_slow = deflated_of(1000, 0.05, 0.5, learns);
  EXPECT_GE(of_slow, 950);
  EXPECT_LE(of_slow, 999);
}

TEST(frame_compression, a_page_that_was_hidden_is_drawn_as_before_soon) {
  frame_compression learns;
  deflated_of(100, 0.03, 0.01, learns);
  learns.took(false, std::chrono::minutes(10));
  deflated_of(200, 0.03, 0.01, learns);
  EXPECT_LE(deflated_of(1000, 0.03, 0.01, learns), 1000 / 32);
}

TEST(frame_compression, a_slow_connection_is_spared_all_bytes) {
  frame_compression learns;
  EXPECT_EQ(deflated_of(1000, 0.2, 1.0, learns), 1000);
}
