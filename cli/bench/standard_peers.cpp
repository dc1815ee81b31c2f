#include "peer_types.hpp"
#include "peers.hpp"

#include <execution>
#include <functional>
#include <memory>
#include <numeric>
#include <utility>

#include <oneapi/tbb/task_arena.h>

namespace heddle::cli::bench {
namespace {

template <class T>
struct larger {
  T operator()(T a, T b) const { return a < b ? b : a; }
};

template <class T, bool IsMaximum, class Policy>
void call(const workload& work, const Policy& policy, std::size_t number) {
  const T* const x = static_cast<const T*>(work.elements->input(number));
  T* const out = static_cast<T*>(work.elements->output(number));
  constexpr std::conditional_t<IsMaximum, larger<T>, std::plus<T>> combine;
  switch (work.pattern) {
    case pattern::reduce:
      *static_cast<T*>(work.elements->result()) =
          std::reduce(policy, x, x + work.n, start<T, IsMaximum>, combine);
      return;
    case pattern::scan:
      std::inclusive_scan(policy, x, x + work.n, out, combine);
      return;
    case pattern::transform:
      std::transform(policy, x, x + work.n, out, plus_one<T>());
      return;
  }
}

}  // namespace

contenders standard_peers(const workload& work) {
  contenders all;
  if (work.where.is_gpu()) return all;
  with_peer_type(work, [&]<class T, bool IsMaximum>(T, std::bool_constant<IsMaximum>) {
    all.push_back({"std seq", contender::kind::peer, work.bytes(), repeated([work](std::size_t number) {
                     call<T, IsMaximum>(work, std::execution::seq, number);
                   })});
    if (work.where.threads() == 1) return;
    const auto threads = std::make_shared<tbb::task_arena>(work.where.threads());
    all.push_back({"std par_unseq", contender::kind::peer, work.bytes(),
                   [work, threads](std::size_t first, std::size_t count) {
                     // Entered once for all calls: what that costs is none of the peer's.
                     threads->execute([&] {
                       for (std::size_t i = first; i < first + count; ++i) {
                         call<T, IsMaximum>(work, std::execution::par_unseq, i);
                       }
                     });
                   }});
  });
  return all;
}

}  // namespace heddle::cli::bench
