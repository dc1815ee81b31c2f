#pragma once

#include <heddle/ranks.hpp>
#include <heddle/target.hpp>

#include <mpi.h>

namespace heddle {

/// The ranks of an MPI communicator, which is duplicated. MPI runs, and allows calls of one thread at a time
/// (MPI_THREAD_SERIALIZED) where the caller has several. Without a target as ranks::world.
ranks ranks_of(MPI_Comm communicator);
ranks ranks_of(MPI_Comm communicator, const target& where);

}  // namespace heddle
