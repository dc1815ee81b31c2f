// distributed_on_mpi_test FOLDER [fail | fail-together]: every check of distributed arrays, on the ranks that
// mpirun started. With `fail` the last rank throws instead, while the others wait for it; with
// `fail-together` all ranks throw.
#include "distributed_calls_checks.hpp"
#include "distributed_checks.hpp"
#include "selection_checks.hpp"
#include <heddle/error.hpp>
#include <heddle/mpi.hpp>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

#include <sys/wait.h>
#include <unistd.h>

// A child of fork is no rank: it may not wait for the others, and ends without them.
static void check_a_child_of_fork(const heddle::ranks& all) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    int refused = 0;
    for (const bool again : {false, true}) {
      try {
        if (again)
          heddle::ranks::world().barrier();
        else
          all.barrier();
      } catch (const heddle::error&) {
        ++refused;
      }
    }
    std::exit(all.size() == 1 || refused == 2 ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  if (status != 0) throw std::runtime_error("a child of fork used MPI, or did not end");
}

int main(int argc, char** argv) {
  namespace hd = heddle;
  const hd::ranks all = hd::ranks::world();
  all.run([&] {
    if (argc == 3 && std::string_view(argv[2]) == "fail") {
      if (all.rank() == all.size() - 1) throw std::runtime_error("a cause");
      all.barrier();
    }
    if (argc == 3 && std::string_view(argv[2]) == "fail-together") {
      all.barrier();
      throw std::runtime_error("a cause");
    }
    check_a_child_of_fork(all);
    hd::tests::check_everything(all, argv[1]);
    hd::tests::check_selections(all);
    // Of functions that a compiler of the host knows.
    hd::tests::check_calls(all.where().is_gpu() ? all.on(hd::target()) : all);
    if (all.size() > 1) {
      // A part of the ranks, in a communicator of the caller's own.
      MPI_Comm part = MPI_COMM_NULL;
      MPI_Comm_split(MPI_COMM_WORLD, all.rank() % 2, all.rank(), &part);
      hd::tests::check_reductions(hd::ranks_of(part, hd::target::serial()));
      hd::tests::check_exchanges(hd::ranks_of(part));
      MPI_Comm_free(&part);
    }
  });
  const std::string links = all.between_gpus();
  if (all.rank() == 0)
    std::printf("%d ranks agree%s%s\n", all.size(), links.empty() ? "" : " over ", links.c_str());
}
