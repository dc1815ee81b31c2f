#pragma once

#include "contender.hpp"

/// The same work done by other libraries, one function for each family that the build found: none where it
/// does not run on this target. They take integers, float32 and float64, and
/// the maximum of the 4- and 8-byte ones that have a sign.
namespace heddle::cli::bench {

/// std::reduce, std::inclusive_scan and std::transform: seq, and par_unseq over oneTBB.
contenders standard_peers(const workload& work);

/// Thrust's systems for CPUs.
contenders thrust_openmp_peers(const workload& work);
contenders thrust_tbb_peers(const workload& work);

/// CUB, with its scratch memory ready, and sums of 4- and 8-byte types by Thrust's system for GPUs.
contenders cub_peers(const workload& work);
contenders thrust_gpu_peers(const workload& work);

}  // namespace heddle::cli::bench
