#include "peers.hpp"
#include "thrust_peers.hpp"

#include <memory>

#include <oneapi/tbb/task_arena.h>
#include <thrust/system/tbb/execution_policy.h>

namespace heddle::cli::bench {

contenders thrust_tbb_peers(const workload& work) {
  contenders all;
  if (work.where.is_gpu() || work.where.threads() == 1) return all;
  with_peer_type(work, [&]<class T, bool IsMaximum>(T, std::bool_constant<IsMaximum>) {
    const auto threads = std::make_shared<tbb::task_arena>(work.where.threads());
    all.push_back({"Thrust TBB", contender::kind::peer, work.bytes(),
                   [work, threads](std::size_t first, std::size_t count) {
                     threads->execute([&] {
                       for (std::size_t i = first; i < first + count; ++i) {
                         call_thrust<T, IsMaximum>(work, thrust::tbb::par, i);
                       }
                     });
                   }});
  });
  return all;
}

}  // namespace heddle::cli::bench
