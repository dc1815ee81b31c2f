#include <heddle/error.hpp>
#include <heddle/ranks.hpp>

namespace heddle {

bool ranks::has_mpi() noexcept {
  return false;
}

ranks ranks::world() {
  if (launched() > 1)
    fail(
        "ranks: this process is one of several of MPI, and Heddle was built without MPI: install "
        "libopenmpi-dev and "
        "configure it with HEDDLE_MPI=ON");
  return ranks();
}

}  // namespace heddle
