#include "ranks_as_threads.hpp"
#include "simulations_over_ranks_checks.hpp"

#include <gtest/gtest.h>

namespace hd = heddle;
using namespace hd::tests;

namespace {

class simulations_over_ranks : public testing::TestWithParam<int> {
 protected:
  /// Runs a check on every rank; what throws on one ends the program, as the others would wait for it.
  template <class Check>
  static void on_ranks(const Check& check) {
    ranks_as_threads::run(GetParam(), [&](const hd::ranks& all) { all.run([&] { check(all); }); });
  }
};
INSTANTIATE_TEST_SUITE_P(ranks, simulations_over_ranks, testing::Values(1, 2, 3, 4, 7),
                         testing::PrintToStringParamName());

}  // namespace

TEST_P(simulations_over_ranks, engines_of_life_have_the_cells_of_one_machine) {
  on_ranks(check_life_engines);
}

TEST_P(simulations_over_ranks, universes_have_the_cells_of_one_machine) {
  on_ranks(check_life_universes);
}
