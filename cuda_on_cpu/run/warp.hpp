#pragma once

#include <cstdint>

namespace heddle::cuda_on_cpu {

enum class warp_operation : std::uint8_t { sync, shuffle, vote };

/// What a lane brings to what it does with others of its warp.
struct warp_visit {
  warp_operation operation;
  std::uint8_t kind;  // of shuffle_kind or vote_kind
  bool is_signed;
  std::uint32_t mask;
  std::uint64_t value;
  std::int32_t argument, width;
  std::uintptr_t pc;
  std::uint64_t result;
};

/// Calls f(lane) for the lanes that a mask names, from the lowest.
template <class F>
void for_each_lane(std::uint32_t mask, F&& f) {
  for (; mask != 0; mask &= mask - 1) f(static_cast<std::uint32_t>(__builtin_ctz(mask)));
}

/// The lane that a shuffle reads from: its own where the shuffle's kind and width say so.
std::uint32_t shuffle_source(const warp_visit& visit, std::uint32_t lane);

/// Gives each lane that has arrived the result of its shuffle or vote.
void finish_warp(warp_visit* const (&lanes)[32], std::uint32_t arrived);

}  // namespace heddle::cuda_on_cpu
