#include "ranks.hpp"
#include <heddle/mpi.hpp>

namespace heddle::python {

ranks ranks_of_communicator(std::uintptr_t address, const std::optional<target>& where) {
  const MPI_Comm communicator = *reinterpret_cast<const MPI_Comm*>(address);
  return where ? ranks_of(communicator, *where) : ranks_of(communicator);
}

}  // namespace heddle::python
