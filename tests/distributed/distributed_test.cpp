#include "distributed/transport_over.hpp"
#include "distributed_calls_checks.hpp"
#include "distributed_checks.hpp"
#include "selection_checks.hpp"
#include "tests/ranks_as_threads.hpp"
#include <heddle/support/temporary_folder.hpp>

#include <csignal>
#include <filesystem>
#include <memory>
#include <string>

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace hd = heddle;
using namespace hd::tests;

namespace {

class distributed : public testing::TestWithParam<int> {
 protected:
  /// Runs a check on every rank; what throws on one ends the program, as the others would wait for it.
  template <class Check>
  static void on_ranks(const Check& check) {
    ranks_as_threads::run(GetParam(), [&](const hd::ranks& all) { all.run([&] { check(all); }); });
  }
};

/// The transport of a rank on a CPU some of whose other ranks are on GPUs.
class beside_gpus final : public hd::impl::transport_over {
 public:
  explicit beside_gpus(hd::impl::transport& cpu)
      : transport_over(std::shared_ptr<hd::impl::transport>(std::shared_ptr<void>(), &cpu)) {}
  // Ranks that are all on CPUs would communicate by that of the CPU alone.
  std::shared_ptr<hd::impl::transport> of_cpu() const override { return nullptr; }
};

INSTANTIATE_TEST_SUITE_P(ranks, distributed, testing::Values(1, 2, 3, 4, 7),
                         testing::PrintToStringParamName());

}  // namespace

TEST_P(distributed, exchanges_bring_what_was_sent) {
  on_ranks(check_exchanges);
}

TEST_P(distributed, ranks_beside_gpus_exchange_what_others_do) {
  on_ranks([](const hd::ranks& all) {
    const hd::ranks beside(std::make_shared<beside_gpus>(all.between()), hd::target());
    check_exchanges(beside);
    check_arrays(beside);
    check_sorts(beside);
    expect(beside.between_gpus() == "MPI: some ranks are on CPUs", beside.between_gpus());
  });
}

TEST_P(distributed, reductions_have_the_bits_of_one_array) {
  on_ranks(check_reductions);
}

TEST_P(distributed, reductions_along_axes_have_the_bits_of_one_array) {
  on_ranks(check_axes);
}

TEST_P(distributed, rows_and_columns_are_sorted_and_searched_as_those_of_one_array) {
  on_ranks(check_orders_along_axes);
}

TEST_P(distributed, scans_have_the_bits_of_one_array) {
  on_ranks(check_scans_of_everything);
}

TEST_P(distributed, arrays_are_spread_gathered_and_redistributed) {
  on_ranks(check_arrays);
}

TEST_P(distributed, elements_are_sorted_selected_and_counted_as_those_of_one_array) {
  on_ranks(check_sorts);
}

TEST_P(distributed, first_elements_are_those_of_one_array) {
  on_ranks(check_selections);
}

TEST_P(distributed, arrays_are_read_from_and_written_to_one_file) {
  const hd::temporary_folder folder(std::filesystem::temp_directory_path(), "heddle-distributed");
  on_ranks([&](const hd::ranks& all) { check_files(all, folder.path().string()); });
}

TEST_P(distributed, a_file_that_one_rank_cannot_write_is_an_error_of_all) {
  const hd::temporary_folder folder(std::filesystem::temp_directory_path(), "heddle-distributed");
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  // The header and the elements of the first ranks fit.
  const rlimit small{300'000, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string path = (folder.path() / "x.npy").string();
  on_ranks([&](const hd::ranks& all) {
    const hd::distributed_array<double> x(all, {50'000});
    refuses([&] { write_npy(path, x); }, path + ": cannot write: File too large");
  });
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST_P(distributed, misuse_is_refused_on_every_rank) {
  on_ranks(check_refusals);
  on_ranks(check_refusals_of_blocks);
}

TEST(ranks, end_after_an_exception_of_any_type) {
  EXPECT_EXIT(hd::ranks(hd::target::serial()).run([] { throw 1; }), testing::ExitedWithCode(1),
              "heddle: an exception that is no std::exception");
}

TEST_P(distributed, elements_are_made_and_changed_as_those_of_one_array) {
  on_ranks(check_elements);
}

TEST_P(distributed, stencils_have_the_bits_of_one_array) {
  on_ranks(check_stencils);
}

TEST_P(distributed, random_numbers_are_those_of_one_array) {
  on_ranks(check_random_numbers);
}

TEST_P(distributed, places_and_values_are_ordered_by_keys_as_on_one_machine) {
  on_ranks(check_keys);
}

TEST_P(distributed, weights_are_summed_in_bins_as_those_of_one_array) {
  on_ranks(check_weighted_histograms);
}

TEST_P(distributed, products_are_those_of_one_array) {
  on_ranks(check_products);
}

TEST_P(distributed, types_known_at_run_time_have_the_bits_of_one_array) {
  on_ranks(check_run_time_types);
}
