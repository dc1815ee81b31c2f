#include "peers.hpp"
#include <heddle/error.hpp>

#include <memory>
#include <string>

#include <cub/device/device_histogram.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <cub/device/device_select.cuh>
#include <cuda_runtime.h>
#include <thrust/binary_search.h>
#include <thrust/extrema.h>
#include <thrust/gather.h>
#include <thrust/scan.h>
#include <thrust/scatter.h>
#include <thrust/system/cuda/execution_policy.h>

namespace heddle::measure {
namespace {

void check(cudaError_t status, const char* what) {
  if (status != cudaSuccess) throw error(std::string("measure: ") + what + ": " + cudaGetErrorString(status));
}

/// call(scratch, bytes) is one of CUB's: without scratch memory it says in `bytes` how much it needs.
template <class Call>
contenders by_cub(const session& with, const Call& call, std::function<bool()> is_right) {
  if (!with.where.is_gpu()) return {};
  std::size_t bytes = 0;
  check(call(static_cast<void*>(nullptr), bytes), "CUB");
  const auto scratch = std::make_shared<array<std::byte>>(bytes == 0 ? 1 : bytes, with.where);
  return {{"CUB", role::peer,
           [call, scratch] {
             std::size_t size = scratch->size();
             check(call(static_cast<void*>(scratch->data()), size), "CUB");
           },
           std::move(is_right)}};
}

/// call(policy) is one of Thrust's.
template <class Call>
contenders by_thrust(const session& with, const Call& call, std::function<bool()> is_right) {
  if (!with.where.is_gpu()) return {};
  return {{"Thrust", role::peer,
           [call, stream = with.where.stream()] { call(thrust::cuda::par_nosync.on(stream)); },
           std::move(is_right)}};
}

}  // namespace

template <class T>
contenders cub_sort(const session& with, const T* x, T* out, std::size_t n, std::function<bool()> is_right) {
  return by_cub(
      with,
      [=, stream = with.where.stream()](void* scratch, std::size_t& bytes) {
        return cub::DeviceRadixSort::SortKeys(scratch, bytes, x, out, n, 0, 8 * static_cast<int>(sizeof(T)),
                                              stream);
      },
      std::move(is_right));
}
template contenders cub_sort(const session&, const float*, float*, std::size_t, std::function<bool()>);
template contenders cub_sort(const session&, const std::int64_t*, std::int64_t*, std::size_t,
                             std::function<bool()>);

contenders cub_segmented_sum(const session& with, const float* x, const std::size_t* offsets,
                             std::size_t segments, float* out, std::function<bool()> is_right) {
  return by_cub(
      with,
      [=, stream = with.where.stream()](void* scratch, std::size_t& bytes) {
        return cub::DeviceSegmentedReduce::Sum(scratch, bytes, x, out, static_cast<int>(segments), offsets,
                                               offsets + 1, stream);
      },
      std::move(is_right));
}

contenders thrust_scan_by_key(const session& with, const std::uint32_t* keys, const float* x, float* out,
                              std::size_t n, std::function<bool()> is_right) {
  return by_thrust(
      with, [=](const auto& policy) { thrust::inclusive_scan_by_key(policy, keys, keys + n, x, out); },
      std::move(is_right));
}

contenders thrust_gather(const session& with, const float* x, const std::uint32_t* indices, float* out,
                         std::size_t n, std::function<bool()> is_right) {
  return by_thrust(
      with, [=](const auto& policy) { thrust::gather(policy, indices, indices + n, x, out); },
      std::move(is_right));
}

contenders thrust_scatter(const session& with, const float* x, const std::uint32_t* indices, float* out,
                          std::size_t n, std::function<bool()> is_right) {
  return by_thrust(
      with, [=](const auto& policy) { thrust::scatter(policy, x, x + n, indices, out); },
      std::move(is_right));
}

contenders thrust_lower_bound(const session& with, const float* sorted, std::size_t n, const float* values,
                              std::size_t count, std::size_t* out, std::function<bool()> is_right) {
  return by_thrust(
      with,
      [=](const auto& policy) {
        thrust::lower_bound(policy, sorted, sorted + n, values, values + count, out);
      },
      std::move(is_right));
}

contenders cub_histogram(const session& with, const float* x, std::size_t n, int bins, std::uint32_t* counts,
                         std::function<bool()> is_right) {
  return by_cub(
      with,
      [=, stream = with.where.stream()](void* scratch, std::size_t& bytes) {
        return cub::DeviceHistogram::HistogramEven(scratch, bytes, x, counts, bins + 1, 0.0f,
                                                   static_cast<float>(bins), static_cast<long long>(n),
                                                   stream);
      },
      std::move(is_right));
}

contenders cub_copy_if(const session& with, const float* x, const bool* flags, std::size_t n, float* out,
                       std::function<bool()> is_right) {
  if (!with.where.is_gpu()) return {};
  const auto chosen = std::make_shared<array<std::int64_t>>(1, with.where);
  return by_cub(
      with,
      [=, stream = with.where.stream()](void* scratch, std::size_t& bytes) {
        return cub::DeviceSelect::Flagged(scratch, bytes, x, flags, out, chosen->data(),
                                          static_cast<std::int64_t>(n), stream);
      },
      std::move(is_right));
}

contenders cub_unique(const session& with, const float* x, std::size_t n, float* out,
                      std::function<bool()> is_right) {
  if (!with.where.is_gpu()) return {};
  const auto chosen = std::make_shared<array<std::int64_t>>(1, with.where);
  return by_cub(
      with,
      [=, stream = with.where.stream()](void* scratch, std::size_t& bytes) {
        return cub::DeviceSelect::Unique(scratch, bytes, x, out, chosen->data(), static_cast<std::int64_t>(n),
                                         stream);
      },
      std::move(is_right));
}

contenders cub_argmax(const session& with, const float* x, std::size_t n, float* greatest,
                      std::int64_t* index, std::function<bool()> is_right) {
  return by_cub(
      with,
      [=, stream = with.where.stream()](void* scratch, std::size_t& bytes) {
        return cub::DeviceReduce::ArgMax(scratch, bytes, x, greatest, index, static_cast<std::int64_t>(n),
                                         stream);
      },
      std::move(is_right));
}

contenders thrust_minmax(const session& with, const float* x, std::size_t n, std::size_t* smallest,
                         std::size_t* largest, std::function<bool()> is_right) {
  return by_thrust(
      with,
      [=](const auto& policy) {
        const auto extrema = thrust::minmax_element(policy, x, x + n);
        *smallest = static_cast<std::size_t>(extrema.first - x);
        *largest = static_cast<std::size_t>(extrema.second - x);
      },
      std::move(is_right));
}

contenders cub_read(const session& with, const std::uint32_t* x, std::size_t n) {
  if (!with.where.is_gpu()) return {};
  const auto sum = std::make_shared<array<std::uint32_t>>(1, with.where);
  contenders made = by_cub(
      with,
      [=, stream = with.where.stream()](void* scratch, std::size_t& bytes) {
        return cub::DeviceReduce::Sum(scratch, bytes, x, sum->data(), static_cast<std::int64_t>(n), stream);
      },
      nullptr);
  made[0].name = "read";
  made[0].kind = role::ceiling;
  return made;
}

}  // namespace heddle::measure
