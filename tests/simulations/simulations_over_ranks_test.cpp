#include "simulations_over_ranks_checks.hpp"
#include "tests/ranks_as_threads.hpp"
#include <heddle/support/temporary_folder.hpp>

#include <filesystem>

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

TEST_P(simulations_over_ranks, rows_come_from_neighbours) {
  on_ranks(check_halos);
}

TEST_P(simulations_over_ranks, engines_of_life_have_the_cells_of_one_machine) {
  on_ranks([](const hd::ranks& all) { check_life_engines(all, 1); });
}

TEST_P(simulations_over_ranks, universes_have_the_cells_of_one_machine) {
  on_ranks(check_life_universes);
}

TEST_P(simulations_over_ranks, changed_cells_and_pictures_are_those_of_one_machine) {
  on_ranks(check_life_changes);
}

TEST_P(simulations_over_ranks, solvers_have_the_bits_of_one_machine) {
  on_ranks([](const hd::ranks& all) { check_solvers(all, 1); });
}

TEST_P(simulations_over_ranks, points_are_held_and_released_as_on_one_machine) {
  on_ranks([](const hd::ranks& all) { check_held_solvers(all, 1); });
}

TEST_P(simulations_over_ranks, solvers_stop_when_one_machine_does) {
  on_ranks(check_solves);
}

TEST_P(simulations_over_ranks, flows_are_those_of_one_machine) {
  on_ranks([](const hd::ranks& all) { check_flows(all, 1); });
}

TEST_P(simulations_over_ranks, changed_flows_are_those_of_one_machine) {
  on_ranks([](const hd::ranks& all) { check_flow_changes(all, 1); });
}

TEST_P(simulations_over_ranks, flows_go_on_from_checkpoints_of_other_numbers_of_ranks) {
  const hd::temporary_folder folder(std::filesystem::temp_directory_path(), "heddle-simulations");
  on_ranks([&](const hd::ranks& all) { check_flow_checkpoints(all, folder.path().string(), 1); });
}

TEST_P(simulations_over_ranks, flows_that_blow_up_tell_every_rank) {
  on_ranks(check_flow_that_blows_up);
}

TEST_P(simulations_over_ranks, points_in_the_disc_are_those_of_one_machine) {
  on_ranks(check_points);
}

TEST_P(simulations_over_ranks, pictures_are_those_of_one_machine) {
  on_ranks(check_pictures);
}
