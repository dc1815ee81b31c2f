#include "peer_types.hpp"
#include "peers.hpp"
#include <heddle/array.hpp>
#include <heddle/support/launch.cuh>

#include <cstdint>
#include <memory>

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_transform.cuh>
#include <cuda/functional>
#include <cuda/std/functional>

namespace heddle::cli::bench {
namespace {

/// CUB's call for the work, with sizes of type N. As its calls do, it says in `bytes` how much scratch memory
/// it needs when there is none.
template <class T, bool IsMaximum, class N>
cudaError_t call_with(const workload& work, void* scratch, std::size_t& bytes, std::size_t number) {
  const T* const x = static_cast<const T*>(work.elements->input(number));
  T* const out = static_cast<T*>(work.elements->output(number));
  const N n = static_cast<N>(work.n);
  const std::conditional_t<IsMaximum, ::cuda::maximum<>, ::cuda::std::plus<>> combine;
  switch (work.pattern) {
    case pattern::reduce:
      return cub::DeviceReduce::Reduce(scratch, bytes, x, static_cast<T*>(work.elements->result()), n,
                                       combine, start<T, IsMaximum>, work.where.stream());
    case pattern::scan:
      return cub::DeviceScan::InclusiveScan(scratch, bytes, x, out, combine, n, work.where.stream());
    case pattern::transform:
      break;
  }
  if constexpr (!IsMaximum) {
    if (scratch != nullptr) {
      return cub::DeviceTransform::Transform(x, out, n, plus_one<T>(), work.where.stream());
    }
  }
  return cudaSuccess;
}

/// Whether CUB is compiled for 2^31 elements and more too: where they are small enough to be worth the time.
template <class T>
inline constexpr bool has_wide_sizes = sizeof(T) <= 2;

template <class T, bool IsMaximum>
cudaError_t call_cub(const workload& work, void* scratch, std::size_t& bytes, std::size_t number) {
  // Narrow sizes are the faster ones.
  if constexpr (has_wide_sizes<T>) {
    if (work.n > INT32_MAX) return call_with<T, IsMaximum, std::int64_t>(work, scratch, bytes, number);
  }
  return call_with<T, IsMaximum, std::int32_t>(work, scratch, bytes, number);
}

template <class T, bool IsMaximum>
contender cub_peer(const workload& work) {
  const gpu::current_device on(work.where);
  std::size_t bytes = 0;
  gpu::check(call_cub<T, IsMaximum>(work, nullptr, bytes, 0), "CUB");
  // It takes no null for scratch memory of no bytes.
  const auto scratch = std::make_shared<memory>(bytes == 0 ? 1 : bytes, work.where);
  return {"CUB", contender::kind::peer, work.bytes(), [work, scratch](std::size_t first, std::size_t count) {
            const gpu::current_device on(work.where);
            for (std::size_t i = first; i < first + count; ++i) {
              std::size_t bytes = scratch->bytes();
              gpu::check(call_cub<T, IsMaximum>(work, scratch->data(), bytes, i), "CUB");
            }
          }};
}

}  // namespace

contenders cub_peers(const workload& work) {
  contenders all;
  if (!work.where.is_gpu()) return all;
  with_peer_type(work, [&]<class T, bool IsMaximum>(T, std::bool_constant<IsMaximum>) {
    if (has_wide_sizes<T> || work.n <= INT32_MAX) all.push_back(cub_peer<T, IsMaximum>(work));
  });
  return all;
}

}  // namespace heddle::cli::bench
