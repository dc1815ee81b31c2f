#pragma once

#include "contender.hpp"

namespace heddle::cli::bench {

/// Reads the input and does as little as possible with it: the ceiling of a reduction.
contender read_ceiling(const workload& work);

/// Copies the input: on a CPU memcpy by the threads of the target, or non-temporal stores when the buffers
/// exceed it; on a GPU a copy on the device. The ceiling of a scan and of a transform.
contender copy_ceiling(const workload& work);

}  // namespace heddle::cli::bench
