#include "tests/on_targets.hpp"
#include "tests/users_order_checks.hpp"

#include <gtest/gtest.h>

namespace hd = heddle;
using namespace heddle::tests;

namespace {

class users_orders : public on_targets {};
HD_ON_ALL_TARGETS(users_orders);

}  // namespace

TEST_P(users_orders, sort_stably) {
  check_users_orders(where);
}

TEST_P(users_orders, sort_many) {
  const std::size_t n = std::min<std::size_t>(300'007, largest_size());
  const std::vector<person> x = people(n);
  const std::vector<std::size_t> places = argsorted_by(x, younger{});
  EXPECT_TRUE(hd::sort(where, x, younger{}).to_vector() == at_places(x, places));
  EXPECT_EQ(hd::argsort(where, x, younger{}).to_vector(), places);
}

TEST_P(users_orders, find_bounds) {
  check_users_bounds(where);
}
