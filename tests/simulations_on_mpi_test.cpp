// simulations_on_mpi_test FOLDER [fail]: every check of simulations over ranks, on those that mpirun started.
// With `fail` the last rank throws in the middle of a simulation, while the others wait for its rows.
#include "simulations_over_ranks_checks.hpp"

#include <cstdio>
#include <stdexcept>
#include <string_view>

int main(int argc, char** argv) {
  namespace hd = heddle;
  const hd::ranks all = hd::ranks::world();
  all.run([&] {
    if (argc == 3 && std::string_view(argv[2]) == "fail") {
      const auto life = hd::life::make_engine(hd::life::algorithm::packed, {64, 64, true}, {}, all);
      life->load(hd::life::grid(64, 64));
      for (int generation = 0; generation < 100; ++generation) {
        if (generation == 50 && all.rank() == all.size() - 1) throw std::runtime_error("a cause");
        life->advance(1);
      }
    }
    hd::tests::check_simulations(all, argv[1]);
  });
  if (all.rank() == 0) std::printf("%d ranks agree\n", all.size());
}
