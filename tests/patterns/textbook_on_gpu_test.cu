#include "tests/on_targets.hpp"
#include "tests/textbook_checks.hpp"
#include <heddle/textbook.hpp>

#include <cstdint>

#include <gtest/gtest.h>

// The textbook methods with a user's own operators and types, compiled by nvcc, and what they cost, counted
// on the GPU.

namespace hd = heddle;
using namespace heddle::tests;

namespace {

class textbook_by_users_operator : public on_targets {};
HD_ON_ALL_TARGETS(textbook_by_users_operator);

}  // namespace

TEST_P(textbook_by_users_operator, is_what_a_loop_computes) {
  check_matrices(where, triangular{1, 0, 1}, textbook_sizes());
  check_ends(where);
  check_pairs_of_sums(where);
  check_colours(where);
  check_runs(where);
}

TEST_P(textbook_by_users_operator, costs_what_it_says) {
  check_costs<16>(where, sizes_to_count());
  check_costs<200>(where, few_sizes_to_count());  // blocks of 128
}

TEST_P(textbook_by_users_operator, is_a_lambda) {
  const auto modular_sum = [] HD_FN(std::uint8_t a, std::uint8_t b) {
    return static_cast<std::uint8_t>((a + b) % 251);
  };
  const hd::commutative_monoid op{modular_sum, std::uint8_t{0}};
  const auto number = [](std::size_t i) { return static_cast<std::uint8_t>(random_bits(i) % 251); };
  check_reduce_by_methods<std::uint8_t>(where, op, number);
  check_scan_by_methods<std::uint8_t>(where, op, number);
}

TEST_P(textbook_by_users_operator, says_which_methods_take_an_operator) {
  const hd::array<int> x = operands<int, hd::plus>(100);
  EXPECT_NE(message_of([&] {
              hd::reduce(where, x, right_of_two{}, hd::reduce_algorithm::atomic);
            }).find("atomic combines in any order"),
            std::string::npos);
  EXPECT_NE(message_of([&] {
              hd::inclusive_scan(where, x, right_of_two{}, hd::scan_algorithm::blelloch);
            }).find("blelloch pads with the operator's identity"),
            std::string::npos);
}
