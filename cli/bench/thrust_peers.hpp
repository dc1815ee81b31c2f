#pragma once

#include "contender.hpp"
#include "peer_types.hpp"

#include <thrust/functional.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/transform.h>

namespace heddle::cli::bench {

/// Thrust's call for the work, by the execution policy of one of its systems.
template <class T, bool IsMaximum, class Policy>
void call_thrust(const workload& work, const Policy& policy, std::size_t number) {
  const T* const x = static_cast<const T*>(work.elements->input(number));
  T* const out = static_cast<T*>(work.elements->output(number));
  const std::conditional_t<IsMaximum, thrust::maximum<T>, thrust::plus<T>> combine;
  switch (work.pattern) {
    case pattern::reduce: {
      const T total = thrust::reduce(policy, x, x + work.n, start<T, IsMaximum>, combine);
      // Memory of a GPU takes no value from here, and Thrust's reduce has waited for it anyway.
      if (!work.where.is_gpu()) *static_cast<T*>(work.elements->result()) = total;
      return;
    }
    case pattern::scan:
      thrust::inclusive_scan(policy, x, x + work.n, out, combine);
      return;
    case pattern::transform:
      if constexpr (!IsMaximum) thrust::transform(policy, x, x + work.n, out, plus_one<T>());
      return;
  }
}

}  // namespace heddle::cli::bench
