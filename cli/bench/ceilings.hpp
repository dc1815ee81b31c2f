#pragma once

#include "contender.hpp"

namespace heddle::cli::bench {

/// Reads the input and does as little as possible with it: the ceiling of a reduction.
contender read_ceiling(const workload& work);

/// Copies the input: memcpy by the threads of a CPU target, a copy on the device of a GPU. The ceiling of a
/// scan and of a transform.
contender copy_ceiling(const workload& work);

}  // namespace heddle::cli::bench
