#pragma once

#include <heddle/impl/distributed/transport.hpp>
#include <heddle/target.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace heddle::impl {

/// The GPU of a rank, as other ranks see it.
struct gpu_place {
  std::array<std::uint8_t, 16> device{};  ///< its UUID
  std::int32_t is_gpu = 0;
  std::int32_t nccl_version = 0;  ///< 0 for none
  friend bool operator==(const gpu_place&, const gpu_place&) = default;
};
gpu_place place_of(const target& where);

/// The transport `cpu`, and for the memory of the ranks' GPUs, which some have: NCCL where each rank has a
/// GPU of its own and the same NCCL, `cpu` otherwise. Every rank calls it.
std::shared_ptr<transport> with_gpus(std::shared_ptr<transport> cpu, const target& where,
                                     const std::vector<gpu_place>& places);

}  // namespace heddle::impl
