#include "peers.hpp"
#include "thrust_peers.hpp"
#include <heddle/support/launch.cuh>

#include <thrust/system/cuda/execution_policy.h>

namespace heddle::cli::bench {
namespace {

template <class T, bool IsMaximum>
contender thrust_peer(const workload& work) {
  return {"Thrust", contender::kind::peer, work.bytes(), [work](std::size_t first, std::size_t count) {
            const gpu::current_device on(work.where);
            for (std::size_t i = first; i < first + count; ++i) {
              call_thrust<T, IsMaximum>(work, thrust::cuda::par.on(work.where.stream()), i);
            }
          }};
}

}  // namespace

contenders thrust_gpu_peers(const workload& work) {
  contenders all;
  if (!work.where.is_gpu()) return all;
  // It calls CUB, so that sums of 4-byte types are enough to show what its calls cost.
  with_peer_type(work, [&]<class T, bool IsMaximum>(T, std::bool_constant<IsMaximum>) {
    if constexpr (sizeof(T) == 4 && !IsMaximum) all.push_back(thrust_peer<T, IsMaximum>(work));
  });
  return all;
}

}  // namespace heddle::cli::bench
