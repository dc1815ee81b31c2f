#include "ranks.hpp"
#include <heddle/error.hpp>

namespace heddle::python {

ranks ranks_of_communicator(std::uintptr_t, const std::optional<target>&) {
  fail(
      "heddle.ranks: this extension is without MPI: import mpi4py before heddle, or start Python by mpirun, "
      "with a package that was built with MPI (in a clone: pip install "
      "--config-settings=cmake.define.HEDDLE_MPI=ON ./python)");
}

}  // namespace heddle::python
