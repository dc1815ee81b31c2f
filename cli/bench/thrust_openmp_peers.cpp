#include "peers.hpp"
#include "thrust_peers.hpp"

#include <omp.h>
#include <thrust/system/omp/execution_policy.h>

namespace heddle::cli::bench {

contenders thrust_openmp_peers(const workload& work) {
  contenders all;
  if (work.where.is_gpu() || work.where.threads() == 1) return all;
  with_peer_type(work, [&]<class T, bool IsMaximum>(T, std::bool_constant<IsMaximum>) {
    all.push_back(
        {"Thrust OpenMP", contender::kind::peer, work.bytes(), [work](std::size_t first, std::size_t count) {
           omp_set_num_threads(work.where.threads());
           for (std::size_t i = first; i < first + count; ++i) {
             call_thrust<T, IsMaximum>(work, thrust::omp::par, i);
           }
         }});
  });
  return all;
}

}  // namespace heddle::cli::bench
