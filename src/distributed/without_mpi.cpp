#include "launched.hpp"
#include <heddle/error.hpp>
#include <heddle/ranks.hpp>

namespace heddle {

ranks ranks::world() {
  if (impl::launched_processes() > 1)
    fail(
        "ranks: this process is one of several of MPI, and Heddle was built without MPI: install "
        "libopenmpi-dev and "
        "configure it with HEDDLE_MPI=ON");
  return ranks();
}

}  // namespace heddle
