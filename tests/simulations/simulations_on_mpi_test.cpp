// simulations_on_mpi_test FOLDER [fail | fail-together | all]: checks of simulations over ranks, on those
// that mpirun started; with `all` every case. With `fail` the last rank throws in the middle of a simulation,
// while the others wait for its rows. With `fail-together` all ranks throw.
#include "simulations_over_ranks_checks.hpp"

#include <cstdio>
#include <stdexcept>
#include <string_view>

int main(int argc, char** argv) {
  namespace hd = heddle;
  const hd::ranks all = hd::ranks::world();
  const std::string_view mode = argc == 3 ? argv[2] : "";
  all.run([&] {
    if (mode == "fail-together") {
      all.barrier();
      throw std::runtime_error("a cause");
    }
    if (mode == "fail") {
      const auto life = hd::life::make_engine(hd::life::algorithm::packed, {64, 64, true}, {}, all);
      life->load(hd::life::grid(64, 64));
      for (int generation = 0; generation < 100; ++generation) {
        if (generation == 50 && all.rank() == all.size() - 1) throw std::runtime_error("a cause");
        life->advance(1);
      }
    }
    hd::tests::check_simulations(all, argv[1], mode == "all" ? 1 : 4);
  });
  if (all.rank() == 0) std::printf("%d ranks agree\n", all.size());
}
